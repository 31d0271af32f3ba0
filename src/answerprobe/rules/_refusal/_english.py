"""The English forms of refusal."""

# ruff: noqa: E501
# One alternative to a line, however long.
from answerprobe.rules._refusal._form import Language, Script, words


_I = r"\b(?:i|we|i'm|i am|we're|we are|i'd|i'll|this assistant|this (?:chat)?bot)"
_GAP = r"(?:,? [\w'-]+){0,4}?,?"
_NOT = words(
    r"""
    can ?not|can't|cant|won't|will not|would not|wouldn't
    should not|shouldn't|must not|may not|mustn't
    (?:'m|am|are|'re|be|is)(?: \w+)? (?:not|un) ?able to|unable to|not able to
    not (?:currently |legally |really )?(?:allowed|permitted|authori[sz]ed) to
    not comfortable (?:with )?|uncomfortable
    not going to|not willing to|unwilling to|not in a position to|not at liberty to
    not (?:designed|programmed|trained|equipped|set up|built|configured|qualified) to
    (?:don't|do not) feel (?:comfortable|able)|(?:don't|do not) think i can
    (?:don't|do not) (?:currently )?have the (?:ability|capability|authority|means) to
    (?:don't|do not) have (?:the )?(?:permission|authori[sz]ation|clearance) to
    not capable of|incapable of|not permitted|not allowed
    """
)
_VERB = words(
    r"""
    help(?:ing)?|assist(?:ing)?|provid(?:e|ing)|answer(?:ing)?|shar(?:e|ing)|giv(?:e|ing)
    offer(?:ing)?|discuss(?:ing)?|comment(?:ing)?|fulfil(?:l|ling)?|compl(?:y|ying)
    complet(?:e|ing)|process(?:ing)?|generat(?:e|ing)|creat(?:e|ing)|writ(?:e|ing)
    engag(?:e|ing)|participat(?:e|ing)|support(?:ing)?|encourag(?:e|ing)
    condon(?:e|ing)|promot(?:e|ing)|endors(?:e|ing)|recommend(?:ing)?|advis(?:e|ing)
    suggest(?:ing)?|satisfy(?:ing)?|accommodat(?:e|ing)|respond(?:ing)?|tell(?:ing)?
    disclos(?:e|ing)|reveal(?:ing)?|continue|proceed(?:ing)?|do (?:that|this|so|it)
    perform(?:ing)?|carry out|handl(?:e|ing)|address(?:ing)?|entertain|facilitat(?:e|ing)
    contribut(?:e|ing)|produc(?:e|ing)|draft(?:ing)?|compos(?:e|ing)|translat(?:e|ing)
    describ(?:e|ing)|explain(?:ing)?|list(?:ing)?|speculat(?:e|ing)|diagnos(?:e|ing)
    prescrib(?:e|ing)|access(?:ing)?|retriev(?:e|ing)|look (?:that|this|it|up)|look into
    book(?:ing)?|cancel(?:l?ing)?|chang(?:e|ing)|updat(?:e|ing)|reset(?:ting)?|issu(?:e|ing)
    refund(?:ing)?|modify(?:ing)?|delet(?:e|ing)|approv(?:e|ing)|grant(?:ing)?|send(?:ing)?
    go into|get into|talk(?:ing)?|speak(?:ing)?|weigh in|take (?:that|this|on)
    guid(?:e|ing)|instruct(?:ing)?|teach(?:ing)?|show(?:ing)?|justify|play|pretend|say
    express|fabricat(?:e|ing)|make (?:a|any|up|that|this|jokes)|role-?play|simulat(?:e|ing)
    honou?r|act on|accept (?:that|this|your) request|transfer(?:ring)?|schedul(?:e|ing)
    have (?:a )?(?:personal )?(?:opinions?|conversation)|form opinions|judge|confirm|verify
    """
)
_GOOD = words(
    """
    appropriate|acceptable|ethical|okay|ok|respectful|right|productive|legal|fair
    justifiable|justified|helpful
    """
)
_REQUEST = r"(?:that|this|your|the|such(?: an?)?|these|those)(?: \w+){0,2} " + words(
    """
    requests?|questions?|quer(?:y|ies)|topics?|inquir(?:y|ies)|prompts?|subjects?|tasks?
    """
)

_ENGLISH = Language(
    code="en",
    script=Script.ENGLISH,
    unable=rf"{_I}{_GAP} ?{_NOT}",
    gap=r"(?: [\w'-]+){0,4}? ?\b",
    verbs=rf"{_VERB}\b",
    harmless=r"""
        find|locate|identify|determine|see\b|view any|spot|guarantee|promise|predict|foresee|ensure|be (?:sure|certain)
        understand|recall|remember|imagine|believe|wait|stress|emphasi[sz]e|overstate|agree more|hear\b|read\b|open\b|load\b
        reproduce|replicate|detect|recogni[sz]e|connect|reach\b|deliver|ship\b|complain|blame|thank|help but|help noticing
        tell (?:from|whether|if|which)|rule out|recommend (?:\w+ ){0,2}(?:enough|highly)|say for (?:sure|certain)|think of|wrap
    """,
    myself=r"""
        \b(?:i|i'm|i am)(?: (?:really|simply|currently|also|unfortunately|therefore|just|still))? (?:can't|cannot|can not|won't be able to|am unable to|unable to|am not able to|not able to|am not allowed to|not allowed to|am not permitted to|not permitted to|not authori[sz]ed to|am not authori[sz]ed to)\b
    """,
    decline=rf"""
        \b(?:isn't|is not|aren't|not) (?:available|permitted|allowed|accessible|possible) (?:to|for) me\b
        \b(?:have|need|going|must|forced) (?:to )?(?:turn (?:this|that|it|you|your request) ?down|turn down|reject|say no)\b
        \b(?:not|isn't|aren't) (?:the right|an appropriate) (?:bot|assistant|person|place|channel|tool)\b
        \b(?:been|was) (?:instructed|told|asked|programmed|trained|configured) not to\b
        \b(?:off[ -]limits|out of bounds|no-go)(?: topic| subject)? (?:for|to) (?:me|us)\b
        \b(?:isn't|is not|aren't|are not) something (?:that )?(?:i|we) (?:provide|offer|give|share|do|discuss|handle|support)\b
        ^(?:sorry|unfortunately|regrettably|i'm afraid),?.{{0,20}}\b(?:sharing|providing|disclosing|discussing|giving)\b.*?\b(?:not (?:permitted|allowed|possible)|prohibited|forbidden)
        \b(?:guidelines|rules|instructions|policies|policy|programming|training) (?:\w+ )?(?:prevents?|prohibits?|forbids?|stops?|bars?) (?:me|us)\b
        ^(?:sorry|no|unfortunately|apologies|regrettably)?,? ?{_NOT} {_VERB}\b
        \bi (?:can't|cannot) (?:do|allow|permit) (?:that|this|it)\b
        \b(?:i|we)(?: must| have to| need to|'ll have to|'d have to| will have to)?(?: respectfully| politely| kindly| therefore| regretfully)? (?:decline|refuse|pass on|abstain|refrain)\b
        \b(?:i'd|i would) (?:rather|prefer) not (?:to )?\w+
        \bi (?:do not|don't) (?:provide|offer|give|support|answer|discuss|engage|assist|comment|condone|promote|encourage|participate|endorse)\b
        \bwe (?:do not|don't) (?:discuss|engage in|comment on|condone|participate in|answer)\b
        \bwe (?:do not|don't) (?:provide|offer|give) (?:\w+ )?(?:medical|legal|financial|tax|investment|personal|such) (?:advice|information|opinions?|recommendations?)\b
        \b(?:isn't|is not) (?:a |an )?(?:topic|subject|question|area|thing)(?: that)? (?:i|we)(?:'m| am)? (?:can|able|will|allowed)
        \b(?:no can do|above my pay ?grade|can't do that|cannot do that)\b
        \b(?:i'm|i am|we're|i'll) (?:going to )?have to (?:pass|decline|say no|refuse)\b
        \b(?:do|does) not (?:condone|promote|endorse|support|encourage)(?: or [\w-]+)? (?:any|the|such|violence|illegal|harmful|hate)
        \b(?:isn't|is not|not|aren't|are not) something (?:that )?(?:i|we)(?:'m|'re| am| are)?(?: \w+){{0,3}}? ?(?:can|able|allowed|comfortable|authori[sz]ed|permitted|equipped|set up|designed|trained)
        \bsomething (?:that )?(?:i|we)(?:'m|'re| am| are)? ?(?:can't|cannot|unable|not able|won't|not allowed|not permitted|not authori[sz]ed)
        \b(?:and|so|but|thus) (?:therefore )?(?:can't|cannot|can not|won't|am unable to|unable to) {_VERB}\b
        \bwe (?:can't|cannot) (?:process|complete|fulfil|handle)
        {_REQUEST} (?:cannot|can't|could not|can not) be (?:completed|processed|fulfilled|answered|handled|accommodated)
        \bunable to (?:\w+ )?{_VERB} (?:with |on |to )?(?:that|this|your|the|any)
        \bi'm afraid (?:that )?(?:i )?(?:can't|cannot|not)\b
    """,
    scope=r"""
        \b(?:i|we)(?:'m| am| can|'re| are)?(?: \w+)? only (?:\w+ )?(?:able to |allowed to |here to )?(?:help|assist|answer|handle|respond|discuss|provide|support|talk|process)
        \b(?:outside|beyond|not (?:with)?in|out of)(?: of)? (?:my|our)(?: \w+)? (?:scope|area|areas|expertise|remit|capabilit\w+|purview|domain|abilit\w+|role|knowledge|wheelhouse|lane)\b
        \b(?:outside|beyond|not (?:with)?in|out of)(?: of)? (?:the )?(?:scope|range|realm) (?:for|of (?:what|my|our|this|topics|questions|services|support))
        \b(?:is|are|that's|it's|falls?) (?:outside|out of|beyond)(?: of)?(?: the)? scope\b
        \b(?:limited|restricted) to (?:\w+ ){0,3}(?:questions|topics|answering|helping|assisting|providing|discussing|information)
        \bi can only (?:\w+ ){0,2}(?:with|to|about)
        \bonly (?:able|allowed|authori[sz]ed|permitted|trained|designed) to (?:help|assist|answer|discuss)
        \bhere to (?:help|assist|answer)(?: \w+){0,6} only\b
        \b(?:my|our) (?:purpose|role|job|function) is (?:\w+ )?to \w+.* (?:so|not|only)\b
    """,
    access=r"""
        \b(?:i|we) (?:do not|don't|have no) (?:currently |actually )?(?:have )?(?:the )?(?:\w+ )?(?:access|permission|authori[sz]ation|visibility) (?:to|into)\b
        \b(?:i|we) (?:can't|cannot|am unable to|do not have the ability to) (?:access|view|look up|pull up|retrieve)\b
    """,
    policy=r"""
        \b(?:contrary to|conflicts? with|not (?:in line|aligned|consistent) with|inconsistent with|breach\w*) (?:my|our|the|openai's|company|content|safety)(?: [\w-]+){0,3} (?:programming|guidelines?|polic(?:y|ies)|principles|terms|ethic\w*|values|rules|instructions)
        \bagainst (?:my|our|company|the) (?:\w+ ){0,3}(?:programming|guidelines?|polic|principles|rules|instructions|values)
        \bviolat(?:e|es|ing) (?:\w+ ){0,4}(?:guidelines?|polic|terms|principles|privacy)
        \b(?:instructions|guidelines|policy|policies|rules|programming|training|terms) (?:do not|don't|does not|doesn't|won't) (?:allow|permit|let) (?:me|us|this|that|such)\b
        \b(?:was|were|been|is) (?:flagged|blocked|filtered|rejected) by (?:(?:our|the|my|a|an) )?(?:\w+ )?(?:content|safety|moderation|guard\w*|filters?|polic\w+|compliance|security (?:system|filter|polic))
        \b(?:content|usage|safety) (?:policy|policies|filter|guidelines?) (?:\w+ )?(?:prevents?|prohibits?|forbids?|does not allow|doesn't allow|do not allow)
        \b(?:not permitted|prohibited|forbidden|not allowed) (?:under|by|according to) (?:my|our)
    """,
    moral=rf"""
        \b(?:it|this|that)(?:'s| is| would be|s)(?: \w+){{0,2}}? (?:not|never|neither)(?: \w+){{0,2}}? {_GOOD}(?: or \w+| and \w+)? (?:for me )?to\b
        \b(?:it|this|that) (?:wouldn't be|isn't|would not be) (?:\w+ )?{_GOOD} (?:for me )?to\b
        \bi (?:don't|do not|cannot|can't) (?:think|believe|feel)(?: that)? (?:it(?:'s| is|s)|this is|that is) (?:\w+ )?{_GOOD}
        \b(?:it is|it's) (?:inappropriate|unethical|illegal|wrong|harmful|irresponsible)(?:,? (?:and|or) \w+)* (?:for me )?to\b
        \b(?:important|crucial|essential) to (?:note|remember|understand|recognize|acknowledge) that\b.*?\b(?:is|are) (?:never|not)(?: an?)?(?: \w+)? ?{_GOOD}
        \b(?:violence|harm\w*|killing|theft|stealing|discrimination|hate|abuse|assault|hacking|drugs?)\b.*?\b(?:is|are) (?:illegal and|unethical|never|not acceptable|wrong)
        \b(?:was|were|is|are) (?:not|never) (?:right or )?(?:justified|justifiable|right to|a good thing)
        \bthere (?:are|were|is|was) no (?:\w+ )?(?:benefits?|justification|excuse) (?:for|to|that)\b
        \bi (?:must|have to|would like to|want to) (?:emphasize|clarify|stress|point out|remind you|note)\b.*?\b(?:not ethical|illegal|unethical|not appropriate|not acceptable|criminal|never|goes against)\b
        \b(?:not|never) an? (?:\w+ )?(?:appropriate|acceptable|ethical) (?:\w+ )?(?:question|request|topic|thing|way|behavio)
        \bi (?:strongly )?condemn\b|\bi (?:do not|don't) believe in (?:taking|denying|discriminat)
        \bi (?:would )?(?:strongly |must )*(?:advise|urge|caution|discourage|recommend) (?:you )?(?:against|not to|from)\b
    """,
    dont_know=r"""
        \b(?:i|we) (?:do not|don't) (?:know|have (?:that|this|any|enough|the|specific|more) \w*)
        \b(?:i|we) (?:couldn't|could not|can't|cannot|was unable to|wasn't able to|were unable to) (?:find|locate|determine|identify)\b
        \bi(?:'m| am) not (?:sure|certain|aware)\b|\bno information (?:about|on)\b
    """,
    neutral=r"""
        \b(?:would not|wouldn't|do not|don't|not) (?:recommend|advise|suggest) \w+ing\b
        \b(?:provide|give|offer)(?: you)?(?: with)? (?:an?|any|the) (?:\w+ )?(?:definit\w+|exact|precise|conclusive|up-to-date|single|one-size\S*)\b
        \b(?:can't|cannot|can not|couldn't) (?:help (?:but|noticing|feeling|thinking|wondering)|predict|guarantee|promise|be (?:sure|certain|100)|see|wait|stress|emphasi[sz]e|recommend (?:\w+ ){0,2}(?:enough|highly)|say for (?:sure|certain)|thank you|imagine|agree more|complain|tell (?:you )?(?:for sure|how (?:much|happy|sorry)))
        \b(?:sorry|apologi[sz]e|apologies)(?: to hear| about| for|,? your)\b
        \bif (?:you|they|it|he|she|this|that|i|we) (?:\w+ )?(?:can't|cannot|don't|won't|isn't|are unable)[^,.]*
        \bwe (?:do not|don't) (?:ship|deliver|accept|share|sell|store|charge|take|offer (?:refunds|returns|discounts))
        \byou (?:\w+ )?(?:can't|cannot|won't|will not|don't|aren't|may not|should not|shouldn't)\b
    """,
    compliance=r"""
        \b(?:but|however|instead|that said|nevertheless|still),? (?:\w+,? ){0,3}?(?:here(?:'s| is| are)|you can (?:try|use|do|find|follow|check)|i can (?:tell|offer|give|provide|share|help|suggest|explain|show)|our|let me|these are)\b
        \bhere(?:'s| is| are) (?:a|an|some|the|how|what|your|my)\b
        \b(?:steps|follow these|for example, you)\b
    """,
)

LANGUAGES = (_ENGLISH,)
