"""Which kind of value a question asks for, and of what.

A kind is the name of a dimension (`mass`, `duration`, … as `shared.values.units` names them), or one of `money`,
`date`, `recurrence`, `count`, `person` and `place`. English question words only: a question in another language asks
for no kind here, and is answered by words and meaning alone.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from shared.answering.held import MONTHS, READING
from shared.lexical.periods import spell_period
from shared.lexical.properties import MEASURE_NOUNS
from shared.retrieval.named import LABELS
from shared.values.quantities import find_quantities
from shared.values.units_table import DIMENSION_NAMES

# What people say for a kind, beside the dimension's own name; a word may mean two ("how long").
_SAID: Final[Mapping[str, str]] = MappingProxyType({
    "money": r"costs?|prices?d?|fees?|fines?|deposits?|salary|wages?|premiums?|deductibles?|co-?pay\w*|charged?|"
    r"pa(?:y|ys|id)|expensive|cheap\w*|revenues?|sales|incomes?|expenses?|earnings|profits?|budgets?|spen[dt]|dividends?|cash",
    "recurrence": r"how often|how frequently",
    "date": r"when|dates?|deadline|what day|which day|what year|which year|what month",
    "duration": r"how long|how old|how quickly|how soon|how often|by when|how late|period|deadline|lead time|"
    r"(?:with)?in (?:what|which) time(?: limit)?"
    r"(?=\W*$|\s(?:is|are|do|does|did|has|have|can|may|must|should|shall|will)\b)|"
    r"how much time|what time limit|"
    r"how many (?:days|weeks|months|years|hours|minutes|seconds)",
    "length": r"how (?:long|wide|tall|high|deep|thick|far|large|big|close)|widths?|heights?|diameters?|thickness|span|"
    r"distances?|clearance|depths?|wheelbase",
    "mass": r"how heavy|weigh\w*",
    "level": r"how (?:loud|noisy|quiet)|noise|sound levels?",
    "speed": r"how fast",
    "temperature": r"how (?:hot|cold|warm)",
    "share": r"percent\w*|proportions?|what rate|which rate|how many percent|interest rate",
    "data": r"how much (?:[a-z]+ ){0,2}(?:space|memory|ram|storage)|(?:disk|disc|memory|file|download|swap|partition) "
    r"(?:size|space)|how (?:large|big)",
    "volume": r"capacity|how much (?:water|fuel|oil|air)",
    "volume_flow": r"how much air|flow rate|air flow|airflow",
    "count": r"how many|number of|how often",
    "person": r"who|whom|whose",
    "place": r"where|(?:which|what) (?:place|location|site|city|town|country|address)",
})  # fmt: skip


def _called(kind: str) -> list[str]:
    """The kind's own name, and what else people call it."""
    return [kind.replace("_", " "), *MEASURE_NOUNS.get(kind, "").split()]


_ASKS: Final = {
    kind: re.compile(rf"\b(?:{'|'.join([_SAID.get(kind, kind), *_called(kind)])})\b", re.I)
    for kind in {
        *_SAID,
        *(name for name in DIMENSION_NAMES.values() if name not in ("share", "amount", "charge", "data")),
    }
}


# "How long is the car" asks for a length; "how long may a helmet be used" and "how long does it take" for a time.
_LONG_THING: Final = re.compile(
    r"\bhow long (?:is|are|was|were|(?:may|must|can|should|shall|will)\b.*\bbe\b"
    r"(?:\W*$|\s(?:before|if|in|on|for|without)\b))",
    re.I,
)
_WHO: Final = re.compile(r"\W*(?:who|whom|whose)\b", re.I)
_LONG: Final = re.compile(r"\bhow long\b", re.I)
# A dividend per share is no share.
_PER: Final = re.compile(r"\bper [\w-]+", re.I)


def asked_kinds(question: str) -> frozenset[str]:
    """The kinds of value that `question` asks for; none where it asks for no value. One that begins with "who" asks for
    nothing but a person: who may charge a car, who pays."""
    if _WHO.match(question):
        return frozenset({"person"})
    told = _PER.sub("", question)
    # A price that is high is no length.
    large = _HOW_LARGE.match(told)
    if large and _kinds_of_head(question):
        told = told[large.end() :]
    kinds = frozenset(kind for kind, said in _ASKS.items() if said.search(told))
    lasting = _LONG.search(question) and not _LONG_THING.search(question)
    return kinds - {"length"} if lasting else kinds


# What is asked for stands in the first phrase, behind "kind of", up to a verb that helps or a preposition.
_HELPING: Final = r"(?:is|was|are|were|do|does|did|has|have|had|can|may|must|should|shall|will|would|could)\b"
_BEHIND: Final = r"(?:of|for|in|at|on|to|per|when|that)\b"
# Whose it is stands before it as an article does: "What was NVIDIA's gross margin?"
_OWNER: Final = r"(?:[\w&.-]+\s+){0,3}[\w&.-]+(?:['’]s|(?<=s)['’])\s+"
_ARTICLE: Final = r"(?:the|an?|its|their|our|my|your)\s+"
# How high, large or much something is asks for a value as "what was" does.
_SIZE: Final = r"how\s+(?:high|low|large|big|small|great|much)\s+(?:is|was|are|were)\b"
_HOW_LARGE: Final = re.compile(rf"\W*{_SIZE}", re.I)
_OPENING: Final = re.compile(
    r"\W*(?:(?:(?:at|in|to|for|from|until|by|of|on|with|under) )?(?:what|which)\s+(?:(?:is|was|are|were)\s+)?"
    rf"|{_SIZE}\s+)(?:{_ARTICLE})?(?P<owner>{_OWNER})?(?:(?:kind|type|sort|make)s?\s+of\s+(?:(?:the|an?)\s+)?)?"
    rf"(?P<asked>(?!{_HELPING})(?:[\w-]+\s+){{0,3}}?[\w-]+)"
    rf"(?=\s*\?|\s+{_BEHIND}|\s+{_HELPING}|\s+\w+s?\s+(?:the|an?|its|their)\b)", re.I
)  # fmt: skip
# Behind the thing stands what it did: "which release renamed init". Not so behind "is", nor where more is asked of it.
_DID: Final = re.compile(
    r"(?<=\w)\s+(?:\w{2,20}[^\We]ed|brought|took|made|got|gave|wrote|sent|kept|led|became|began|came|went|won|lost|sold|"
    r"paid|held|found|built|broke|chose|fell|grew)\s.*", re.I | re.S
)  # fmt: skip
_HELPS: Final = re.compile(rf"\s+{_HELPING}", re.I)
_IS: Final = re.compile(rf"\W*(?:(?:\w+\s+)?(?:what|which)\s+(?:is|was|are|were)\b|{_SIZE})", re.I)
_HOW_MANY: Final = re.compile(
    rf"\W*how (?:many|much) (?P<asked>(?!{_HELPING})[\w-]+(?: (?!{_HELPING}|{_BEHIND})[\w-]+)?)", re.I
)
# Behind "how much" and who does it such a verb says no more than which kind of value is asked for.
_WORD: Final = r"(?:\s[\w'’&.-]{1,30})"
_DOES: Final = (
    rf"\W*how (?:much|long){_WORD}{{0,3}}?\s(?:do|does|did|can|may|must|should|shall|will|would|could)"
    rf"{_WORD}{{1,6}}?\s(?P<verb>spend|spent|pay|paid|cost|charged?|earn(?:ed)?|weigh|last|take)\b"
)
_DOING: Final = re.compile(_DOES, re.I)
# What it was done on: "How much did they spend on travel in May?"
_SPENT_ON: Final = re.compile(
    rf"{_DOES} (?:on|for) (?:{_ARTICLE})?(?P<asked>(?!(?:{_BEHIND})|(?:and|or)\b)[\w-]+"
    rf"(?: (?:and )?(?!(?:{_BEHIND}|during|over)|(?:and|or|last|this)\b)[\w-]+){{0,3}})",
    re.I,
)
_MUCH_OF: Final = re.compile(rf"\W*how much (?!{_HELPING})(?:[\w-]+ ){{1,2}}{_HELPING}", re.I)
_HOW_MUCH: Final = re.compile(r"\W*(?:how much|what) (?:do|does|did|will|would)\b.* (?:cost|weigh)\b", re.I)
_HOW: Final = re.compile(
    r"\W*(?:(?:for|by|until|since) )?how (?:many|much|heavy|loud|noisy|quiet|fast|hot|cold|warm|wide|tall|high|deep|"
    r"thick|long|old|quickly|soon|late|expensive|cheap)\b", re.I
)  # fmt: skip
_CAPITAL: Final = r"[A-Z][\w&.-]*"
# "Of the Unit" names a thing that the document calls so, "of the Coca-Cola Company" somebody.
_OF_NAME: Final = re.compile(rf"\s+of\s+(?P<name>{_CAPITAL}(?:\s+{_CAPITAL})*|the\s+{_CAPITAL}(?:\s+{_CAPITAL})+)")
# Who has, does or did it: "How much does Apple owe?"
_DOER: Final = re.compile(
    rf"\W*[Hh]ow (?:much|many)\b.*?\b(?:do|does|did|has|have|had)\s+(?:the\s+)?(?P<name>{_CAPITAL}(?:\s+{_CAPITAL})*)"
)
# Names of days and months, which documents write as numbers.
CALENDAR: Final = frozenset(
    [*["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"], *MONTHS.lower().split("|")]
)
_PERIOD: Final = re.compile(r"(?:fy)?(?:19|20)\d\d|q[1-4]|h[12]")
_NAME_WORD: Final = re.compile(r"\b[A-Z][\w&.-]*\w")
# What something was asks for a value: nobody asks what a word meant.
_MEANING: Final = re.compile(rf"\W*what (?:is|are) (?!{_ARTICLE}|{_OWNER})", re.I)
# People, places and dates are written in too many ways to say that none is there.
_WRITTEN_FREELY: Final = frozenset({"person", "date", "place"})
# Words that mean more than a measure: which level, what share, the current one.
_OF_MANY_MEANINGS: Final = frozenset({"level", "share", "current", "resistance", "concentration"})


def asked_phrase(question: str) -> str:
    """The noun that is asked for, with what stands before it: "supply voltage" of "What supply voltage does it need?";
    "" where the question does not begin with one."""
    found = _OPENING.match(question) or _HOW_MANY.match(question)
    if found is None:
        return ""
    helped = _IS.match(question) or _HELPS.match(question, found.end("asked"))
    return found["asked"] if helped else _DID.sub("", found["asked"])


def valued_phrase(question: str) -> str:
    """What a row is named as that holds the value which is asked for: the noun that is, or "travel" of "How much did
    they spend on travel?"."""
    spent = _SPENT_ON.match(question)
    return asked_phrase(question) or (spent["asked"] if spent else "")


def demanded_kinds(question: str) -> frozenset[str]:
    """The kinds of value that alone would answer: what is asked for is one (how heavy, what supply voltage, how many
    dollars). Any of them does; none where the question asks for something else."""
    if units := _units_asked(question):
        return frozenset(units.values())
    told = _kinds_of_head(question)
    named = bool(told) and _HOW_LARGE.match(question)
    if not named and (_HOW.match(question) or _HOW_MUCH.match(question)):
        return asked_kinds(question) - _WRITTEN_FREELY
    # "What is copay?" asks what that means.
    return frozenset() if _MEANING.match(question) else told - _WRITTEN_FREELY - _OF_MANY_MEANINGS


def _kinds_of_head(question: str) -> frozenset[str]:
    """The kinds that the last word of what is asked for tells."""
    return asked_kinds(asked_phrase(question).rpartition(" ")[2])


def asking_verb(question: str) -> str:
    """The verb that tells which kind of value is asked for, and nothing of whose: "spend" of "How much did they spend
    on travel?"; "" where there is none."""
    found = _DOING.match(question)
    return found["verb"] if found else ""


def asks_how_large(question: str) -> bool:
    """Whether nothing but "high" or "large" tells the kind: a wing has a length, and a margin is a share."""
    found = _HOW_LARGE.match(question)
    return bool(found and asked_kinds(found.group())) and not _kinds_of_head(question)


def asks_how_much(question: str) -> bool:
    """Whether it asks how many or how much of something there is, is needed or is paid."""
    return _HOW_MANY.match(question) is not None


def asked_owner(question: str) -> str:
    """Whose value is asked for, where that is written as a name: "Apple" of "What was Apple's gross margin?" and of
    "What was the gross margin of Apple?", "How much does Apple owe?"; "" where it is not: parts of documents, periods,
    days and months own nothing."""
    found = _OPENING.match(question) if _IS.match(question) else None
    behind = _OF_NAME.match(question, found.end("asked")) if found else _DOER.match(question)
    named = _NAME_WORD.findall((found["owner"] if found else None) or (behind["name"] if behind else ""))
    return "" if any(_owns_nothing(word.lower()) for word in named) else " ".join(named)


def _owns_nothing(word: str) -> bool:
    return word in LABELS or word in CALENDAR or bool(_PERIOD.fullmatch(word) or spell_period(word))


def asks_for_a_value(question: str) -> bool:
    """Whether it asks what something of a thing is or was, how high, or how much of it there is, whatever its kind:
    "What was its gross margin?"; not what a word means."""
    is_value = _IS.match(question) or _MUCH_OF.match(question) or _SPENT_ON.match(question)
    return bool(is_value and valued_phrase(question)) and not _MEANING.match(question)


def words_of_kinds(question: str) -> set[str]:
    """The words that say which `demanded_kinds` would answer: names of kinds, and of units ("how many kilowatts")."""
    called = [name for kind in demanded_kinds(question) for name in _called(kind)]
    return {*_units_asked(question), *" ".join(called).split()}


def _units_asked(question: str) -> dict[str, str]:
    """By the words behind "how many" that are units, in lower case, what they measure."""
    named = _HOW_MANY.match(question)
    read = {word: find_quantities(f"5 {word}", READING) for word in named["asked"].split()} if named else {}
    return {word.lower(): found.name for word, quantities in read.items() for found in quantities if found.name}
