"""The forms of refusal in Polish, Czech, Russian and Ukrainian; and in Turkish."""

# ruff: noqa: E501, RUF001
# Lists of foreign words, one alternative to a line.
from answerprobe.rules._refusal._form import Language, Script


_POLISH = Language(
    code="pl",
    unable=r"""
        \bnie (?:mogę|możemy|mogłabym|mógłbym|będę|będziemy|potrafię|potrafimy|wolno mi|chcę|chciałbym|powinienem|powinnam|zamierzam|jestem w stanie|jesteśmy w stanie|umiem)\b
        \bnie (?:jestem|jesteśmy|zostałem|zostałam|czuję się)\b[^,]*?(?:upoważni|uprawni|w stanie|zaprogram|zaprojekt|przystosowan|kompetent|autoryzowan|komfortow|stworzon)
        \bnie mam\b[^,]*?(?:możliwości|uprawnień|pozwolenia|zgody|upoważnienia|kompetencji|prawa)
        \bnie mamy\b[^,]*?(?:możliwości|uprawnień|pozwolenia|zgody)
        \b(?:niestety|obawiam się)\b[^,]*?\bnie (?:mogę|możemy|jest możliwe)\b
        \bnie jest (?:to )?(?:dla mnie|mi) możliwe
        \bnie jest możliwe,? (?:abym|żebym)
        \bnie wolno mi\b
    """,
    harmless=r"""
        znale[źz]|zlokaliz|zagwarant|gwarant|obieca|przewid|zapewni|widz|zobacz|\bczeka|zrozum|przypomn|wyobraz|uwierz|otworzy|załadow|odczyta|usłysz|dostarczyć do|wysłać przed|połączy|odtworz|nadziwi
    """,
    myself=r"""
        \bnie (?:mogę|jestem w stanie|potrafię|wolno mi)\b
        \bnie (?:jestem|zostałem|zostałam) (?:upoważnion|uprawnion|autoryzowan)[ya]
    """,
    verbs=r"""
        dołącz|zmian|rozwiąz|przyzna|autoryz|załatwi
        pom[oóa]|odpowied|odpowiad|udziel|udostępn|dostarcz|poda[ćn]|podaw|podzieli|dziel|przekaz|ujawn|omawia|omówi|dyskut|komentow|skomentow|wykona|zrealiz|realiz|spełni|przetw|obsłuż|napisa|pisa[ćn]|stworzy|tworzy|wygener|gener|poleca|poleci|zaleca|doradz|porad|rekomend|zdiagnoz|przepisa|powiedzie|wyjaśni|pokaza|anulow|zarezerw|zmieni|usun|uzyska|dostęp|sprawdzi|przetłum|kontynuow|wzią[ćc]|uczestnicz|wspiera|promow|zatwierdz|zwróci|zresetow|wypowi|ocenia|oceni|rozmawia|zrobi|robi[ćc]|wesprze|zaoferow|oferow|informow|informacj|potwierdz|wysła|przyj[ąę]|uwzględni|spekulow|dokona|zająć|zajmow|aktywow|zaplanow|podjąć|wypłaci
    """,
    decline=r"""
        \b(?:dla mnie|mi)\b[^,]*?\b(?:niedostępn|niedozwolon|zabronion)
        \b(?:muszę|musimy|pozwolę sobie|wolę|wolałbym|wolałabym)\b[^,]*?(?:odmówić|odmawiam|nie\b)
        \b(?:odmawiam|odmawiamy)\b
        \b(?:twoja|pana|pani|ta|państwa|to) (?:prośba|pytanie|zapytanie|żądanie)\b[^,]*?\bnie (?:może|mogła|mogło)\b
        \b(?:prośba|żądanie|zapytanie|wiadomość)\b[^,]*?\b(?:została|zostało) (?:odrzucon|zablokowan|oznaczon|odfiltrowan)
        \bnie (?:udzielam|odpowiadam|omawiam|oferuję|podaję|pomagam|udostępniam)\b
        \btego nie (?:mogę|zrobię)\b
        \bnie (?:mogę|możemy) tego\b
    """,
    scope=r"""
        \b(?:mogę|możemy|odpowiadam|zajmuję się|pomagam|jestem)\b[^,]*?\b(?:tylko|jedynie|wyłącznie)\b
        \b(?:tylko|jedynie|wyłącznie)\b[^,]*?\b(?:mogę|odpowiadam|pomagam|na pytania|w sprawach)
        \b(?:poza|wykracza)\b.*?(?:zakres|kompetenc|możliwości|obszar|uprawnie)
    """,
    access=r"\b(?:nie mam|nie mamy|brak|nie posiadam)\b[^,]*?(?:dostępu|wglądu|uprawnień do|dostęp)",
    policy=r"""
        \b(?:narusza|naruszał|sprzeczn|niezgodn|wbrew|łamie|łamał|przeciw)\w*\b.*?(?:zasad|wytyczn|regulamin|polity|reguł|program)
        \b(?:zablokowan|odrzucon|odfiltrowan|oznaczon)\w*\b.*?\bfiltr
        \b(?:zasady|wytyczne|regulamin|polityka)\b[^,]*?(?:nie pozwala|zabrania|zakazuj|uniemożliwia)
    """,
    moral=r"\bnie (?:jest|byłoby) (?:właściwe|etyczne|stosowne|odpowiednie)\b",
    dont_know=r"""
        \bnie wiem\b
        \bnie (?:znalazłem|znalazłam|mogę znaleźć|udało mi się znaleźć|mam informacji)
    """,
    neutral=r"""
        \bnie (?:mogę|możemy) (?:zagwarantować|obiecać|przewidzieć|zapewnić, że|znaleźć)
        \bjeśli nie (?:możesz|może)\b[^,]*
    """,
    compliance=r"\b(?:ale|jednak)\b.*?\b(?:oto|możesz|można)\b",
)

_CZECH = Language(
    code="cs",
    unable=r"""
        \b(?:nemohu|nemůžu|nemůžeme|nesmím|nesmíme|nebudu|nedokážu|nejsem schop\w+|neumím|nechci|nejsem oprávněn\w*|není mi dovoleno|nemám oprávnění|nemám možnost|není možné,? abych)\b
    """,
    harmless=r"""
        naj[íi]t|nalézt|zaruč|slíbit|předvíd|vidět|čekat|porozum|vzpomen|otevřít|načíst|doruč|připojit
    """,
    myself=r"""
        \b(?:nemohu|nemůžu|nesmím|nejsem schop\w+|nejsem oprávněn\w*)\b
    """,
    verbs=r"""
        pomoc|pomáh|pomoct|odpov[íě]d|poskyt|sdílet|sdělit|diskutovat|komentovat|prové|splnit|zpracovat|vytvořit|napsat|generovat|doporuč|poradit|prozradit|vysvětlit|zrušit|rezervovat|změnit|smazat|přistup|přeložit|pokračovat|udělat|vyjád|hodnotit|říci|říct|vyhovět|podpo|informac|účast
    """,
    decline=r"""
        \b(?:musím|musíme)\b[^,]*?odmítnout
        \bodmítám\b
        \bto (?:nemohu|nemůžu)\b
    """,
    scope=r"""
        \b(?:mohu|můžu|odpovídám|můžeme)\b[^,]*?\b(?:pouze|jen|jenom|výhradně)\b
        \bmimo (?:můj|mou|mé|moji|rámec|rozsah|naši)\b
    """,
    access=r"\bnem[áa]m(?:e)?\b[^,]*?(?:přístup|oprávnění)",
    policy=r"\b(?:porušuje|v rozporu|proti)\b.*?(?:zásad|pravid|pokyn|podmínk|směrnic)",
    dont_know=r"\bnevím\b|nenašel jsem|nemohu najít",
)

_RUSSIAN = Language(
    code="ru",
    script=Script.CYRILLIC,
    unable=r"""
        (?:^|[\s(])(?:я|мы)?[^,]{0,25}?(?:^|\s)не (?:могу|можем|смогу|сможем|буду|будем|вправе|умею|хочу|хотел бы|готов|готова|стану|имею права|имеем права|должен|должна|способен|способна|в состоянии|уполномочен\w*|имею возможности|предназначен\w*|запрограммирован\w*|разрешено мне)
        (?:у меня|у нас) нет (?:возможности|права|полномочий|разрешения|прав|способности)
        (?:мне|нам) (?:не (?:разрешено|позволено|дозволено|положено)|запрещено|нельзя)
        (?:не имею|не имеем) (?:права|возможности|полномочий)
        я не (?:обучен|уполномочен|предназначен|запрограммирован|авторизован)\w*
        (?:вынужден\w*|невозможно мне)
        к сожалению[^.]{0,12}не (?:могу|можем|смогу)
    """,
    harmless=r"""
        найти|найд|гарантир|обеща|предсказ|обеспеч|увид|видеть|дождаться|\sждать|понять|понима|вспомн|\sпомн|представить|поверить|открыть|загруз|прочит|услыш|достав(?:ить|ля)|подключ|\sсоедин|воспроизв|\sне\s
    """,
    myself=r"""
        (?:^|\s)(?:я )?не (?:могу|смогу|вправе|уполномочен\w*|имею права|в состоянии)(?:\s|\.|,|$)
    """,
    verbs=r"""
        присоедин|менять|решить|предоста|разрешить|соглас|обслуж
        помо[чгщ]|помог|отве[тч]|предостав|давать|дать|делиться|подели|обсужд|обсуди|комментир|прокоммент|выполн|обработ|удовлетвор|сделать|делать|напис|писать|созда|сгенер|генерир|рекоменд|посовет|советов|совет|диагно|назнач|раскры|сообщ|сказать|объясн|показ|отмен|заброн|измен|удал|доступ|получ|посмотр|перев[еоё]|продолж|участв|поддерж|одобр|верну|сброс|высказ|оцен|говорить|оказ|предлаг|предлож|консульт|информ|подтверд|отправ|приня|выда|разглаш|осуществ|провод|провести|отказ|содейств|предсказ|способств|оформ|активир|обойти|назвать|рассказ|проверить|совершить|вступать
    """,
    decline=r"""
        (?:мне|для меня)[^,]*?(?:недоступ|не доступ|запрещен)
        (?:вынужден\w*|должен|должна|придётся|придется|приходится)[^,]*?отклон
        мы не (?:раскрываем|разглашаем|обсуждаем|комментируем|передаём|передаем|предоставляем (?:медицинск|юридическ|личн|персональн))
        (?:вынужден\w*|должен|должна|придётся|придется|приходится)[^,]*?отказ
        (?:отказываюсь|отказываемся|воздержусь)
        (?:ваш|этот|данный|твой) (?:запрос|вопрос)[^,]*?(?:не может быть|не может|отклон|заблокир)
        запрос[^,]*?(?:был |была )?(?:отклон[её]н|заблокирован|отмечен|не может быть)
        (?:предпочитаю|предпочёл бы|лучше) не
        я не (?:даю|предоставляю|обсуждаю|отвечаю|оказываю|предлагаю|поддерживаю|помогаю)
        этого я (?:сделать )?не могу
        не могу (?:вам |тебе )?(?:с этим|в этом|этого|это)(?: |\.|!|$)
        не могу[.!]?$
    """,
    scope=r"""
        (?:могу|можем|отвечаю|помогаю|умею|предназначен\w*|создан\w*|консультирую)[^,]*?(?:только|лишь|исключительно)
        (?:только|лишь|исключительно)[^,]*?(?:могу|отвечаю|на вопросы|по вопросам|с вопросами)
        (?:выходит за|вне|за пределами|за рамки|не входит в)[^,]*?(?:рамки|рамок|компетенц|обязанност|возможност|полномоч|област|сфер)
    """,
    access=r"(?:нет|не имею|не имеем|отсутствует)[^,]*?доступа?(?: |\.|$)",
    policy=r"""
        (?:наруша|нарушил|противореч|против|вопреки)\w*[^.]*?(?:правил|политик|принцип|услови|инструкц|руководств|норм|этик)
        (?:заблокирован|отклон[её]н|отфильтрован)\w*[^.]*?фильтр
        (?:правила|политика|инструкции|принципы)[^,]*?(?:не позволя|запреща|не разреша)
    """,
    moral=r"(?:неуместно|неэтично|недопустимо|неправильно)[^,]*?(?:ть|ся)(?: |$)",
    dont_know=r"""
        (?:^|\s)не знаю
        не (?:нашёл|нашел|нашла|могу найти|удалось найти|располагаю информацией)
    """,
    neutral=r"""
        не (?:могу|можем) (?:гарантировать|обещать|предсказать|найти|не )
        если (?:вы|ты) не (?:можете|можешь)[^,]*
    """,
    compliance=r"(?:но|однако)[^.]*?(?:вот|вы можете|можно)",
)

_UKRAINIAN = Language(
    code="uk",
    script=Script.CYRILLIC,
    unable=r"""
        (?:^|\s)не (?:можу|можемо|зможу|зможемо|буду|маю права|маю змоги|маю можливості|вмію|хочу|здатн\w+|уповноважен\w*)
        (?:мені|нам) (?:не дозволено|заборонено)
    """,
    harmless=r"""
        знайти|гарант|обіця|передбач|бачи|чека|зрозум|згада|уяви|відкри|завантаж|достав|підключ
    """,
    myself=r"""
        (?:^|\s)(?:я )?не (?:можу|зможу|маю права|уповноважен\w*)(?:\s|\.|,|$)
    """,
    verbs=r"""
        допом|відпов|нада[тв]|ділит|поділит|обговор|коментув|викон|оброб|зроб|напис|створ|генер|рекоменд|порад|розкр|повідом|сказат|поясн|скасув|змін|видал|доступ|перекла|продовж|участь|підтрим|оцін|говорит|запропон|інформ
    """,
    decline=r"(?:змушен\w*|мушу|доведеться)[^,]*?відмов|відмовляюс",
    scope=r"(?:можу|відповідаю|можемо)[^,]*?(?:лише|тільки|виключно)|(?:поза|виходить за)[^,]*?(?:меж|компетенц|рамк)",
    access=r"(?:немає|не маю)[^,]*?доступу",
    policy=r"(?:порушу|супереч|проти)\w*[^.]*?(?:правил|політик|принцип|умов|інструкц)",
    dont_know=r"(?:^|\s)не знаю|не знайшо|не вдалося знайти",
)

_TURKISH = Language(
    code="tr",
    verb_first=True,
    unable=r"""
        \w*(?:emem|amam|emiyorum|amıyorum|emeyiz|amayız|emiyoruz|amıyoruz|emeyeceğim|amayacağım|emeyeceğiz|amayacağız)\b
        \w*(?:mem|mam|memiz|mamız) (?:mümkün değil|yasak|uygun değil|imkansız|imkânsız)
        \w*(?:me|ma) (?:yetkim|iznim|yetkimiz|yeteneğim) (?:yok|bulunmuyor)
        \w*(?:meyi|mayı) (?:reddediyorum|reddetmek)
    """,
    harmless=r"""
        \b(?:bul|anla|gör|garanti|hatırla|tahmin|bekle|inan|aç|yükle|oku|duy|bağlan|teslim)
    """,
    myself=r"""
        \b\w+(?:emem|amam|emiyorum|amıyorum)\b
    """,
    verbs=r"""
        \b(?:yard[ıi]m|cevap|yanıt|cevapla|yanıtla|bilgi|paylaş|sağla|ver|sun|yap|oluştur|yaz|öner|tavsiye|açıkla|anlat|söyle|iptal|rezervasyon|değiştir|sil|eriş|çevir|devam|katıl|destekle|yorum|tartış|işle|yerine getir|gerçekleştir|göster|onayla|iade|sıfırla|konuş|üret|ifşa|teşhis|ilgilen|kabul|karşıla|değerlendir|tamamla)\w*
    """,
    decline=r"\b(?:reddetmek zorundayım|reddediyorum|geri çevirmek zorundayım)\b",
    scope=r"""
        \b(?:yalnızca|sadece|ancak)\b.*?(?:soru|konu|yardım|cevap|yanıt|bilgi)\w*.*?(?:ebilirim|abilirim|ebiliriz|abiliriz|ıyorum|iyorum|uyorum)
        \b(?:uzmanlık alanım|kapsamım|yetki alanım|görev alanım)\w*\b.*?(?:dışında|değil)
    """,
    access=r"\b(?:erişim\w*|yetki\w*)\b.*?\b(?:yok|bulunmuyor|sahip değil)",
    policy=r"\b(?:politika|kural|ilke|yönerge|kurallar)\w*\b.*?\b(?:aykırı|ihlal|izin vermiyor|karşı)",
    dont_know=r"\b(?:bilmiyorum|bulamadım|bilgim yok)\b",
    neutral=r"\bgaranti edemem|bulamıyorum\b",
)

LANGUAGES = (_POLISH, _CZECH, _RUSSIAN, _UKRAINIAN, _TURKISH)
