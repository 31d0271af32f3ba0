"""Does a rubric ask for several things at once?"""

import re


# A second verb whose object begins: "and links the policy". Without the object it would
# be the plural of a noun as often as not: "names and prices".
_BEGINNING = r"(?:the|an?|it|its|that|this|their|them|to|how|what|where|when|which|who"
_BEGINNING += r"|whether|why|no|not|at|for|one|two|three|any|all|every|\d|[\"'“])"
_ADVERB = r"(?:(?:also|then|never|always|clearly|politely|explicitly|briefly)\s+)?"
_SECOND_VERB = re.compile(
    rf"\b(?:and|but)\s+{_ADVERB}(?:[a-z]{{2,}}s\s+{_BEGINNING}(?![a-z])"
    r"|(?:does|is|has|must|should|may|will|can|apologi[sz]es|refuses|declines|explains"
    r"|mentions|doesn['\u2019]t|isn['\u2019]t)\b)",
    re.IGNORECASE,
)
_LIST = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)]|[a-h]\))[ \t]+\S", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?][\"')”]?\s+(?=[A-Z\"“'(])|;\s+|\n\s*\n")
# What explains the sentence before it asks for nothing more.
_EXPLAINS = re.compile(
    r"(?:for example|for instance|e\.g|i\.e|that is|such as|this |these |it is fine|"
    r"other |anything else|greetings|\()",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(
    r"\b(e\.g|i\.e|etc|vs|approx|no|mr|mrs|dr|st)\.", re.IGNORECASE
)
_LONGEST_TEXT = 10_000
_SHORTEST_SENTENCE_WORDS = 3


def asks_several(rubric: str) -> bool:
    """
    Whether *rubric* asks for several outcomes.

    A list, several sentences, or a second verb after *and*. It is a guess made to be
    quiet rather than complete, and made for English.
    """
    text = _ABBREVIATION.sub(r"\1", rubric[:_LONGEST_TEXT])
    if len(_LIST.findall(text)) > 1 or _SECOND_VERB.search(text):
        return True
    sentences = [part.strip() for part in _SENTENCE_END.split(text)]
    asking = [
        sentence
        for sentence in sentences
        if len(sentence.split()) >= _SHORTEST_SENTENCE_WORDS
        and not _EXPLAINS.match(sentence)
    ]
    return len(asking) > 1
