"""The forms of refusal in German, Dutch and the Scandinavian languages."""

# ruff: noqa: E501
# Lists of foreign words, one alternative to a line.
from answerprobe.rules._refusal._form import Language


_GERMAN = Language(
    code="de",
    unable=r"""
        \b(?:kann|darf|möchte|will|werde|könnte|würde)(?: leider)? (?:ich|wir)\b.*?\b(?:nicht|kein\w*|nichts|weder|niemals|nie)\b
        \b(?:können|dürfen|möchten|werden|wollen)(?: leider)? wir\b.*?\b(?:nicht|kein\w*|nichts|weder)\b
        \b(?:ich|wir|und|daher|deshalb|also|assistent|bot)\b[^,]{0,30}?\b(?:kann|können|darf|dürfen|möchte|werde|werden)\b.*?\b(?:nicht|kein\w*|nichts|weder)\b
        \b(?:bin|sind|wurde|fühle)\b.*?\b(?:nicht|kein\w*)\b.*?(?:in der lage|befugt|berechtigt|autorisiert|imstande|ermächtigt|dafür|darauf|dazu|wohl|qualifiziert|programmiert|ausgelegt|vorgesehen|zuständig|befähigt)
        \b(?:bin|sind)\b.*?\b(?:außerstande|unfähig)\b
        (?:es )?(?:ist|wäre)(?: es)? (?:mir|uns)\b.*?(?:nicht (?:möglich|erlaubt|gestattet)|untersagt|verboten|unmöglich|verwehrt)
        \b(?:mir|uns) ist es\b.*?(?:nicht (?:möglich|erlaubt|gestattet)|untersagt|verboten)
        \bnicht (?:in der lage|befugt|berechtigt|autorisiert)\b
    """,
    harmless=r"""
        finden|auffinden|garantier|versprech|vorhersag|ausschließ|verstehen|nachvollzieh|erkennen|\bsehen\b|\blesen\b|öffnen|\bladen\b|erinner|\bwarten|glauben|vorstell|reproduzier|feststell|zustell|ausliefer|\bliefern\b|verschick|versend|annehmen|zurücknehm|erreichen\b|verbinden\b|ermitteln|zuordnen|\bwissen\b|\bhören|\bklagen|beschweren|genug|mehr sagen
    """,
    myself=r"""
        \b(?:kann|darf) ich\b[^,]*?\b(?:nicht|kein\w*|nichts)\b
        \bich (?:\w+ )?(?:kann|darf)\b[^,]*?\b(?:nicht|kein\w*|nichts)\b
        \bich bin (?:leider )?nicht (?:in der lage|befugt|berechtigt|autorisiert)
    """,
    verbs=r"""
        übernehm|übernahme|stattgeb|angaben|auskunft|einleiten|erledig|lös(?:en|ung)|umsetz|nennen|herausfind
        helfen|weiterhelfen|behilflich|beantwort|antwort|auskunft|auskünfte|informationen|geben\b|bereitstell|bereitzustell|teilen|mitzuteilen|nennen
        sagen|erklär|durchführ|durchzuführ|ausführ|auszuführ|erstell|schreib|verfass|komment|diskut|bespr[eo]ch|unterstütz|empfehl|empfehlung|beraten|beratung|ratschläge|rat\b
        weitergeb|weiterzugeb|preisgeb|preiszugeb|verrat|bearbeit|erfüll|nachkomm|nachzukomm|entsprechen|stornier|kündigen|buchen|buchung|änder|lösch|zugreif|zuzugreif|zugriff|einseh|einzuseh|abruf|abzuruf
        übersetz|generier|herausgeb|herauszugeb|offenleg|offenzuleg|fortsetz|fortfahr|fortzufahr|weitermach|eingehen|einzugehen|dienen|tun\b|machen\b|anbieten|bieten\b|anzubieten|vornehm|vorzunehm|veranlass|äußer|stellung|beurteil|bewert|einschätz
        diagnos|verschreib|freigeb|freigab|freischalt|genehmig|erstatt|zurücksetz|zurückzusetz|zurücküberweis|mitmach|teilnehm|führen|reden|sprechen|spekulier|prognos|behandel|verarbeit|abschließ|akzeptier|zustimm|einlass|liefern zu|ausgeb|auszugeb|nachgeh|nachzugeh|zeigen|anzeig|veröffentlich|planen|organisier|reservier|aktivier|deaktivier|entsperr|überprüf|nachschau|nachseh|aufruf|weiterleit|vermitteln|verbind|begleit|umgehen|hacken|knacken|dabei
    """,
    decline=r"""
        \b(?:kann|wird|darf|ist)\b[^,]*?\b(?:von|für|durch) (?:mir|mich|uns)\b[^,]*?\bnicht\b
        \b(?:mir|für mich)\b[^,]*?\bnicht (?:verfügbar|zugänglich|zugelassen)
        \b(?:ich bin|bin ich)\b[^,]*?\bnicht\b[^,]*?(?:freigeschaltet|zugelassen|vorgesehen|geschult|ausgebildet)
        \b(?:muss|müssen) ich\b.*?(?:ablehnen|zurückweisen|verneinen)
        \b(?:das|dies|es|so etwas) ist (?:mir|uns)\b[^,]*?\b(?:nicht (?:gestattet|erlaubt|möglich)|untersagt|verboten)
        \bmir (?:fehlt|fehlen|liegen)\b[^,]*?(?:befugnis|berechtigung|kein)
        \b(?:das|dies|hierzu|dazu|darauf|dabei|damit)\b (?:kann|darf|möchte|werde) ich(?: \w+){0,2} nicht\s*[.!]?$
        \b(?:ich|wir) (?:muss|müssen|möchte|möchten|werde)\b.*?(?:ablehnen|verweigern|zurückweisen|verzichten|davon absehen)
        \b(?:muss|müssen) (?:ich|wir)\b.*?(?:ablehnen|verweigern|passen|zurückweisen)
        \b(?:ich|wir) (?:lehne|lehnen|verweigere|verweigern)\b
        \bich (?:gebe|erteile|mache|biete|beantworte|unterstütze|verfasse|schreibe|erstelle)\b[^,]*?\b(?:keine\w*|nicht)\b
        \bgehört nicht zu (?:meinen|unseren)\b
        \b(?:anfrage|frage|anliegen|bitte|wunsch|aufgabe) (?:kann|darf|wurde|konnte)\b.*?\b(?:nicht|abgelehnt|blockiert)\b.*?(?:beantwort|bearbeit|erfüll|ausgeführt|abgelehnt|blockiert|gesperrt|entspr)
        \bdazu (?:kann|darf|möchte) ich mich(?: \w+)? nicht\b
        \bich (?:spreche|rede|diskutiere) (?:lieber )?nicht\b
        \b(?:erstelle|gebe|beantworte|kommentiere|diskutiere|äußere|bespreche|unterstütze|schreibe|verfasse|mache|nenne|erteile|teile|verrate|spreche|liefere|empfehle) ich\b[^,]*?\b(?:nicht|kein\w*)\b
        \b(?:ich bin|wir sind|bin ich|sind wir)(?: \w+){0,2} (?:nicht|auch nicht)(?: \w+)? (?:befugt|berechtigt|autorisiert|ermächtigt|in der lage|imstande|befähigt)
        \bich äußere mich\b[^,]*?\bnicht\b
    """,
    scope=r"""
        \b(?:ich|wir) (?:kann|können|darf|dürfen|beantworte|bin|helfe|unterstütze|antworte|informiere|berate)\b[^,]*?\b(?:nur|ausschließlich|lediglich)\b.*?(?:frag|anfrag|thema|themen|helf|beantwort|auskunft|auskünfte|unterstütz|antwort|information|weiterhelf|bearbeit|zuständig|anliegen)
        \b(?:kann|darf) ich\b[^,]*?\b(?:nur|ausschließlich|lediglich)\b.*?(?:frag|thema|themen|helf|beantwort|auskunft|unterstütz|antwort|information)
        \b(?:nur|ausschließlich|lediglich) (?:für|auf|mit) (?:fragen|themen|anfragen)\b
        außerhalb (?:meine|unsere|des|der)[smnr]?\b.*?(?:zuständigkeit|aufgaben|bereich|möglichkeiten|kompetenz|kenntnis|fachgebiet|rahmens)
        (?:fällt|liegt|gehört) (?:\w+ )?nicht (?:in|zu) (?:meine\w*|unsere\w*)
        \b(?:bin|sind) (?:\w+ )?(?:nur|ausschließlich|lediglich)\b.*?\b(?:da|zuständig|beschränkt|ausgelegt|programmiert)\b
        \bnicht der (?:richtige|passende) ansprechpartner
        \bbeschränkt (?:auf|sich)\b.*?(?:frag|thema|themen)
    """,
    access=r"""
        \b(?:habe|haben|besitze|fehlt)\b[^,]*?\b(?:kein\w*|nicht|mir)\b[^,]*?(?:zugriff|zugang|einsicht|berechtigung|befugnis|erlaubnis|einblick|rechte)
        \b(?:kein\w*) (?:zugriff|zugang|einsicht|berechtigung) (?:auf|zu|in)\b.*?(?:ich|mir|uns|wir)?
    """,
    policy=r"""
        \b(?:verstößt|verstoßen|verstoß|widerspricht|verletzt|entgegen)\b.*?(?:richtlinie|regel|vorgabe|grundsätz|prinzip|nutzungsbedingung|anweisung|programmierung|sicherheit|bestimmung)
        \b(?:richtlinien|vorgaben|regeln|anweisungen|sicherheitsgründen?|datenschutzgründen?)\b.*?(?:untersag|verbiet|nicht (?:erlaub|gestatt|zul)|darf ich)
        \b(?:filter|sicherheitssystem)\b.*?\b(?:blockiert|gesperrt|abgelehnt|markiert)
        \w*filter\b.*?\b(?:blockiert|gesperrt|abgelehnt)
        \bgegen (?:meine|unsere|die)\b.*?(?:richtlinie|regel|vorgabe|grundsätz|prinzip|bestimmung|programmierung)
    """,
    moral=r"""
        \bwäre (?:\w+ )?(?:unangemessen|nicht angemessen|unethisch|unverantwortlich)
        \b(?:nicht angemessen|unangebracht|unethisch)\b.*?\bzu\b
    """,
    dont_know=r"""
        \b(?:weiß|wissen) (?:ich|wir)\b.*?\bnicht\b
        \bich weiß (?:es |das )?(?:leider )?nicht\b
        \b(?:konnte|kann|konnten) (?:ich|wir)?\b.*?\b(?:nicht|kein\w*|nichts)\b.*?(?:finden|gefunden|ermitteln)
        \b(?:liegen|habe)\b.*?\bkeine (?:information|angaben|daten)
    """,
    neutral=r"""
        \b(?:tut mir leid|entschuldig\w*|verzeihung)\b (?:für|wegen|zu hören|dass|um)\b
        \bnicht (?:garantieren|versprechen|vorhersagen|ausschließen)
        \bwenn (?:sie|du|ihr)\b[^,]*?\bnicht\b[^,]*
        \b(?:können|kannst|dürfen|darfst|könnt) (?:sie|du|ihr)\b
    """,
    compliance=r"""
        \b(?:aber|jedoch|allerdings|stattdessen)\b.*?\b(?:hier ist|hier sind|können sie|kannst du|gilt|beträgt|finden sie)\b
        \bich bin kein (?:anwalt|arzt|jurist)
    """,
)

_DUTCH = Language(
    code="nl",
    unable=r"""
        \b(?:kan|mag|wil|zal|kunnen|mogen|zou)(?: helaas)? (?:ik|we|wij)\b.*?\b(?:niet|geen|niets)\b
        \b(?:ik|we|wij|en|dus|daarom)\b[^,]{0,25}?\b(?:kan|kunnen|mag|mogen|wil|zal|zullen)\b.*?\b(?:niet|geen|niets)\b
        \b(?:ben|zijn|voel)\b.*?\b(?:niet|geen)\b.*?(?:in staat|bevoegd|gemachtigd|geautoriseerd|toegestaan|gerechtigd|comfortabel|geprogrammeerd|ontworpen|bedoeld)
        \b(?:ben|zijn) niet (?:in staat|bevoegd|gemachtigd)
        \bhet is (?:mij|me|ons|voor mij)\b.*?(?:niet (?:mogelijk|toegestaan)|verboden|onmogelijk)
        \bis (?:mij|me|ons) niet toegestaan
    """,
    harmless=r"""
        vinden|garander|belov|voorspel|uitsluit|begrijp|\bzien\b|\blezen\b|\bopenen\b|\bladen\b|herinner|\bwachten|geloven|\blever(?:en)?\b|bezorg|verzend|bereiken|verbinden\b|terugneem|verstaan|vaststel
    """,
    myself=r"""
        \b(?:kan|mag) ik\b[^,]*?\b(?:niet|geen|niets)\b
        \bik (?:\w+ )?(?:kan|mag)\b[^,]*?\b(?:niet|geen|niets)\b
    """,
    verbs=r"""
        inwillig|inzien|in te zien|honoreren|regelen|oplossen|afhandel|aannemen|openbaar|overleg|deelname|meedoen
        helpen|verder\b|beantwoord|antwoord|geven\b|geef\b|verstrek|delen\b|bespreken|ingaan|uitvoer|uit te voer|verwerk|voldoen|behulpzaam|assist|ondersteun|advies|adviseren|aanbevel|schrijven|maken\b|opstell
        genereren|vertellen|zeggen|verklaren|uitleggen|annuleren|boeken|wijzigen|verwijder|openen|toegang|inzien|opzoeken|vertalen|meewerk|mee te werk|doorgaan|verder gaan|doen\b|bieden|aanbieden|onthullen|vrijgeven|prijsgeven
        oordelen|beoordel|commentaar|reageren|uitspraken|inschatt|diagnos|voorschrijven|terugbetal|resetten|behandel|verlenen|praten|spreken|meedelen|meedenken|deelnem|doorverbind|bevestigen|regelen|tonen|publiceren|informatie|speculeren|omzeilen|inloggen
    """,
    decline=r"""
        \b(?:geef|bespreek|beantwoord|verstrek|deel|schrijf|maak) ik\b[^,]*?\b(?:geen|niet)\b
        \bik (?:geef|verstrek|deel|schrijf|maak)\b[^,]*?\bgeen\b
        \b(?:voor mij|mij) (?:niet beschikbaar|niet toegankelijk)
        \bniet iets (?:waar|dat|wat)\b.*?\b(?:kan|mag|kunnen)
        \b(?:regels|richtlijnen|beleid) (?:staan|staat|laten|laat)\b[^,]*?\bniet (?:toe|toestaan)
        \b(?:ik|we|wij) (?:moet|moeten|wil)\b.*?(?:weigeren|afwijzen|afslaan)
        \b(?:ik|we) (?:weiger|weigeren|bespreek|geef|beantwoord)\b[^,]*?\b(?:geen|niet)\b
        \bdat (?:kan|mag|doe) ik(?: \w+){0,2} niet\s*[.!]?$
        \b(?:verzoek|vraag) (?:kan|kon|is|werd)\b.*?\b(?:niet|geweigerd|geblokkeerd)\b.*?(?:beantwoord|verwerkt|uitgevoerd|voldaan|geweigerd|geblokkeerd)
        \bdaar (?:kan|mag) ik\b.*?\b(?:niet|geen)\b
        \bliever niet\b
    """,
    scope=r"""
        \b(?:ik|we)\b[^,]*?\b(?:kan|kunnen|mag|beantwoord|ben|help)\b[^,]*?\b(?:alleen|enkel|uitsluitend|slechts)\b.*?(?:vragen|vraag|onderwerp|help|beantwoord|informatie|antwoord|ondersteun)
        \b(?:kan|mag) ik\b[^,]*?\b(?:alleen|enkel|uitsluitend|slechts)\b.*?(?:vragen|vraag|onderwerp|help|beantwoord|informatie)
        \bik ben\b[^,]*?\b(?:alleen|enkel|uitsluitend) (?:bedoeld|gemaakt|er|beschikbaar)
        \b(?:buiten|valt niet (?:binnen|onder)) (?:mijn|ons|onze|het)\b.*?(?:bereik|expertise|bevoegdheid|mogelijkheden|domein|vakgebied|werkgebied|takenpakket|gebied)
    """,
    access=r"\b(?:heb|hebben)\b[^,]*?\b(?:geen|niet)\b[^,]*?(?:toegang|inzage|bevoegdheid|toestemming|machtiging|rechten)",
    policy=r"""
        \b(?:in strijd|strijdig|indruist|druist|schendt|tegen)\b.*?(?:richtlijn|beleid|regels|principes|voorwaarden|programmering|waarden)
        \b(?:geblokkeerd|geweigerd|gefilterd)\b.*?filter
        filter\b.*?\b(?:geblokkeerd|geweigerd)
        \b(?:beleid|richtlijnen|regels)\b.*?(?:verbied|niet toe|toestaat)
    """,
    moral=r"\b(?:niet gepast|ongepast|onethisch)\b.*?\bom\b",
    dont_know=r"""
        \bik weet (?:het|dat) (?:helaas )?niet\b
        \b(?:kan|kon)\b.*?\b(?:niet|geen|niets)\b.*?vinden
        \bgeen informatie (?:over|gevonden)
    """,
    neutral=r"""
        \bniet (?:garanderen|beloven|voorspellen|uitsluiten)
        \bkun(?:t)? (?:je|u)\b
        (?:^|[.,] ?)kan je\b
        \b(?:sorry|excuses) (?:voor|dat)\b
    """,
    compliance=r"\b(?:maar|echter)\b.*?\b(?:hier is|hier zijn|kun je|kunt u)\b",
)

_SWEDISH = Language(
    code="sv",
    unable=r"""
        \b(?:jag|vi)\b[^,]{0,20}?\b(?:kan|får|vill|kommer|tänker|kunde|bör)\b[^,]*?\b(?:inte|ej|inga|inget|ingen)\b
        \b(?:kan|får) (?:jag|vi)\b[^,]*?\b(?:inte|ej|inga|inget)\b
        \b(?:har|är)\b[^,]*?\binte\b[^,]*?(?:möjlighet|tillåtelse|behörighet|behörig|tillåtet|kapabel|befogad)
        \b(?:kan|får|är)\b[^,]*?\btyvärr inte\b
    """,
    harmless=r"""
        hitta|garanter|\blova\b|förutse|förstå|\bse\b|\bläsa\b|\böppna|\bminnas|\bvänta|leverera|\bskicka\b|ansluta|\bnå\b
    """,
    myself=r"""
        \bjag (?:\w+ )?(?:kan|får)\b[^,]*?\b(?:inte|inga|inget|ingen)\b
        \b(?:kan|får) jag\b[^,]*?\b(?:inte|inga|inget|ingen)\b
        \bjag är inte (?:behörig|kapabel|auktoriserad)
    """,
    verbs=r"""
        hjälp|svar|bistå|ge\b|lämna|dela|diskutera|kommentera|utföra|hantera|behandla|uppfylla|tillhandahålla|rekommendera|skriva|skapa|generera|berätta|avslöja|förklara|avboka|boka|ändra|ta bort|komma åt|fortsätta|göra\b|råd|uttala|bedöma|säga|besvara|stödja|delta|informera|erbjuda|godkänna|genomföra|översätta
    """,
    decline=r"""
        \b(?:ger|svarar|diskuterar|delar|lämnar|kommenterar|skriver) jag\b[^,]*?\b(?:inga|inte|inget|ingen)\b
        \bjag (?:ger|diskuterar|delar|lämnar|kommenterar)\b[^,]*?\b(?:inga|inte|inget|ingen)\b
        \b(?:måste|vill)\b[^,]*?\bavböja
        \bjag (?:måste|vill)\b[^,]*?(?:avböja|neka|avstå|vägra)
        \bdet kan jag(?: \w+)? inte\b
        \b(?:begäran|frågan|förfrågan) (?:kan|kunde|har)\b.*?\b(?:inte|nekats|blockerats)
    """,
    scope=r"""
        \b(?:jag|vi)\b[^,]*?\b(?:kan|får|svarar)\b[^,]*?\b(?:bara|endast|enbart)\b.*?(?:frågor|fråga|hjälp|svar|ämne|information)
        \butanför (?:mitt|min|vårt|mina)\b.*?(?:område|kompetens|uppgift|räckvidd|behörighet)
    """,
    access=r"\b(?:har)\b[^,]*?\b(?:inte|ingen|inga)\b[^,]*?(?:tillgång|åtkomst|behörighet|tillstånd|insyn)",
    policy=r"""
        \b(?:strider mot|bryter mot|mot (?:mina|våra))\b.*?(?:riktlinjer|regler|policy|principer|villkor)
        \b(?:riktlinjer|regler|policy)\b[^,]*?\b(?:tillåter (?:\w+ )?inte|förbjuder|hindrar)
    """,
    dont_know=r"\bjag (?:vet inte|hittar ingen|kunde inte hitta)",
    neutral=r"""
        \bkan (?:du|ni)\b
        \bkan inte (?:garantera|lova)
    """,
)

_NORDIC = Language(
    code="da/no",
    unable=r"""
        \b(?:jeg|vi)\b[^,]{0,20}?\b(?:kan|må|vil|kommer|får)\b[^,]*?\b(?:ikke|ingen|intet)\b
        \b(?:kan|må|får) (?:jeg|vi)\b[^,]*?\b(?:ikke|ingen)\b
        \b(?:har|er)\b[^,]*?\bikke\b[^,]*?(?:mulighed|mulighet|tilladelse|tillatelse|tillatt|tilladt|stand|bemyndiget|autoriseret|autorisert)
    """,
    harmless=r"""
        finde|finne|garanter|\blove\b|forudsige|forutsi|forstå|\bse\b|\blæse|\blese|\båbne|\båpne|\bhuske|\bvente|\blevere|\bsende\b|forbinde
    """,
    myself=r"""
        \bjeg (?:\w+ )?(?:kan|må)\b[^,]*?\b(?:ikke|ingen)\b
        \b(?:kan|må) jeg\b[^,]*?\b(?:ikke|ingen)\b
    """,
    verbs=r"""
        hjælp|hjelp|svare|besvare|bistå|give\b|gi\b|dele\b|diskutere|drøfte|kommentere|udføre|utføre|behandle|håndtere|opfylde|oppfylle|anbefale|skrive|lave\b|lage\b|generere|fortælle|fortelle|afsløre|avsløre|forklare|annullere|avbestille|ændre|endre|slette|fortsætte|fortsette|gøre\b|gjøre\b|råd|udtale|uttale|vurdere|oplyse|opplyse|tilgå|få tilgang|støtte
    """,
    decline=r"""
        \b(?:giver|gir|diskuterer|deler|kommenterer|skriver) jeg\b[^,]*?\b(?:ikke|ingen)\b
        \bjeg (?:giver|gir|diskuterer|deler|kommenterer)\b[^,]*?\b(?:ikke|ingen)\b
        \bdet kan jeg(?: \w+)? ikke\b
        \bjeg (?:må|vil)\b[^,]*?(?:afvise|avvise|nægte|nekte|avslå|afslå)
    """,
    scope=r"""
        \b(?:jeg|vi)\b[^,]*?\b(?:kan|må|svarer)\b[^,]*?\b(?:kun|bare|udelukkende)\b.*?(?:spørgsmål|spørsmål|hjælp|hjelp|svar|emne|tema)
        \b(?:uden for|utenfor) (?:mit|min|mitt|vores|vårt)\b
    """,
    access=r"\bhar\b[^,]*?\b(?:ikke|ingen)\b[^,]*?(?:adgang|tilgang|indsigt|innsyn|tilladelse|tillatelse)",
    policy=r"""
        \b(?:strider mod|strider mot|bryder|bryter|i strid med|imod mine|mot mine)\b.*?(?:retningslinj|regler|politik|policy|principp|prinsipp)
        \b(?:retningslinjer|regler)\b[^,]*?\b(?:tillader (?:\w+ )?ikke|tillater (?:\w+ )?ikke|forbyder|forbyr)
    """,
    dont_know=r"\bjeg (?:ved|vet) (?:det )?ikke|kunne ikke finde|fant ikke",
    neutral=r"\bkan (?:du|i|dere)\b",
)

LANGUAGES = (_GERMAN, _DUTCH, _SWEDISH, _NORDIC)
