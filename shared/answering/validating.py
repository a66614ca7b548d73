"""Checks a model's sentence against the passages that it cites: what these do not contain, it may not state.

Nothing here judges whether a sentence is true, or follows: numbers with their units, dates, names, codes, addresses and
quotations are looked for in the cited passages as they are printed, and a sentence without a word of them is none.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shared.lexical.tokenizer import tokenize
from shared.values.dates import find_dates, find_months


def _words(text: str) -> list[str]:
    return text.split()


# Markup of links and images, and any tag: a text that has it is no sentence of a passage.
_MARKUP: Final = re.compile(r"!?\[[^\]]*\]\s*[(\[]|<\s*/?\s*[a-zA-Z!][^>]*>?|\]\(|(?i:javascript|data|vbscript)\s*:\S")
_LINK: Final = re.compile(
    r"(?i)\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.)\S+|\b[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
    r"|\b[^\W\d_]{2,}(?:\.[\w-]+)*\.[^\W\d_]{2,}\b(?:/\S*)?"
)
# No opening mark inside: each is looked at once.
_QUOTED: Final = re.compile(
    r"“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|»([^«»]+)«|\"([^\"]+)\"|‘([^‘’]{4,})’(?!\w)"
    r"|(?<!\w)'([^']{4,})'(?!\w)|‹([^‹›]+)›"
)
_NUMBER: Final = re.compile(r"(?<![\w.])[-−–]?\d(?:[\d.,'’\u00a0\u202f]*\d)?|(?<=[^\W\d_])\d+(?:[.,]\d+)*|[½¼¾]")
_UNIT: Final = re.compile(r"\s?(%|‰|°\s?[CF]?|[€$£¥]|[^\W\d_]+(?:/[^\W\d_]+)?[²³]?)")
_MONEY: Final = re.compile(r"[€$£¥]\s?$")
_CODE: Final = re.compile(r"\w+(?:[.-]\w+)*(?:\(\d+\))*")
_WORD: Final = re.compile(r"[^\W\d_](?:[\w’'-]*\w)?")
_ENDINGS: Final = ("'s", "’s", "s", "es", "e", "n", "en", "er", "'", "’")
_COUNTED: Final = _words(
    """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty"""
)
_NUMBER_WORDS: Final = {
    **{word: str(value) for value, word in enumerate(_COUNTED, start=2)},
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "thousand": "1000", "million": "1000000", "billion": "1000000000",
}  # fmt: skip
# What a unit is also written as.
_SAME_UNIT: Final = {
    "percent": "%", "per": "", "millimetre": "mm", "millimeter": "mm", "centimetre": "cm", "centimeter": "cm",
    "metre": "m", "meter": "m", "kilometre": "km", "kilometer": "km", "gram": "g", "kilogram": "kg", "kilo": "kg",
    "tonne": "t", "second": "s", "sec": "s", "minute": "min", "hour": "h", "hr": "h", "euro": "€", "eur": "€",
    "dollar": "$", "usd": "$", "pound": "£", "gbp": "£", "volt": "v", "watt": "w", "kilowatt": "kw", "litre": "l",
    "liter": "l", "celsius": "°c", "degree": "°", "horsepower": "hp", "inch": "in", "foot": "ft", "feet": "ft",
}  # fmt: skip
# Words that begin sentences of English, German and French, and name nobody.
_BEGINNINGS: Final = frozenset(_words(
    """a about above according across additionally after all also although among an and another any are as at
    because before below besides between both but by can conversely depending despite does due during each either
    every except first finally for from further furthermore given hence here how however i if in instead is it its
    last less like likewise may more moreover most must neither next no none nor not nothing of on once one only or
    other otherwise our out over overall per rather second several should similarly since so some such than that the
    their then there therefore these they third this those though through thus to together two three four five
    under unless until unlike up upon was we were what when where whereas whether which while who whose why with
    within without would yes you your der die das dem den des ein eine einen einem einer eines es er sie wir im in
    am an auf aus bei für mit nach von vor zu zum zur und oder aber auch nur wenn als wie dass dies diese dieser
    dieses jede jeder jedes alle kein keine nicht laut gemäß le la les un une des il elle ils elles ce cette ces
    en dans pour par sur avec sans selon si"""
))  # fmt: skip
SAID_CHARACTERS_MAX: Final = 1_000


@dataclass(frozen=True)
class Evidence:
    """A passage: what the document says there, and how people named the document and its version. Names may be told; a
    measure, a quotation or an address that stands in a name alone is nothing that a document says."""

    text: str
    named: str = ""

    @property
    def whole(self) -> str:
        return f"{self.named}\n{self.text}"


@dataclass(frozen=True)
class Unborne:
    """A sentence that is left out, and why, in words for the model and for the trace."""

    text: str
    kind: str
    why: str


def check_sentence(said: Any, evidence: Mapping[str, Evidence], question: str = "") -> Unborne | None:
    """None where the cited passages bear `said` (`{text, evidence}` as a model gives it) out, else what is wrong.

    `evidence` has the passages by id. Of `question` only words that begin a sentence
    are taken: what it states is no evidence.
    """
    if not isinstance(said, dict) or not isinstance(said.get("text"), str) or not said["text"].strip():
        return Unborne(str(said)[:200], "shape", "it is no sentence with a text")
    text, cited = said["text"], said.get("evidence")
    if not isinstance(cited, list) or not cited:
        return Unborne(text, "cites_nothing", "it cites no passage")
    if outside := [str(one) for one in cited if not isinstance(one, str) or one not in evidence]:
        return Unborne(text, "cites_outside", f"there is no passage {', '.join(outside)}")
    if len(text) > SAID_CHARACTERS_MAX:
        return Unborne(text[:200], "shape", "it is too long; write shorter sentences")
    passages = [evidence[one] for one in cited]
    whole, texts = [one.whole for one in passages], [one.text for one in passages]
    found = {
        "markup": _markup(text), "link": _links(text, texts), "quotation": _quotations(text, texts),
        "date": _dates(text, whole), "code": _codes(text, whole), "number": _numbers(text, passages),
        "name": _names(text, whole, question),
    }  # fmt: skip
    for kind, lacking in found.items():
        if one := next(lacking, None):
            return Unborne(text, kind, f"{one!r} is not in what it cites")
    if tokenize(text).counts.keys().isdisjoint(tokenize("\n".join(whole)).counts.keys()):
        return Unborne(text, "unrelated", "no word of it is in what it cites")
    return None


def _markup(text: str) -> Iterator[str]:
    yield from (match.group() for match in _MARKUP.finditer(text))


def _links(text: str, passages: Sequence[str]) -> Iterator[str]:
    """Addresses of the web and of mail, each as a whole: one with more behind it is another."""
    printed = {link for passage in passages for link in _addresses(passage)}
    yield from (link for link in _addresses(text) if link not in printed)


def _addresses(text: str) -> list[str]:
    return [match.group().rstrip(".,;:!?)]}'\"’”»").casefold() for match in _LINK.finditer(text)]


def _quotations(text: str, passages: Sequence[str]) -> Iterator[str]:
    printed = [_plain(passage) for passage in passages]
    for match in _QUOTED.finditer(text):
        quoted = next(group for group in match.groups() if group is not None)
        if not any(_plain(quoted).rstrip(".,;") in passage for passage in printed):
            yield quoted


def _dates(text: str, passages: Sequence[str]) -> Iterator[str]:
    printed = {(kind, when) for passage in passages for kind, _, _, when in _dated(passage)}
    months = {when.replace(day=1) for kind, when in printed if kind == "day"}
    for kind, start, end, when in _dated(text):
        if (kind, when) not in printed and not (kind == "month" and when in months):
            yield text[start:end]


def _dated(text: str) -> list[tuple[str, int, int, Any]]:
    """Dates, and months that are no part of one."""
    days = [("day", *found) for found in find_dates(text)]
    return days + [
        ("month", start, end, when)
        for start, end, when in find_months(text)
        if not any(a < end and start < b for _, a, b, _ in days)
    ]


def _numbers(text: str, passages: Sequence[Evidence]) -> Iterator[str]:
    """Numbers that no cited passage prints, or prints with another unit alone. A date's are the date's."""
    dates = [(start, end) for kind, start, end, _ in _dated(text) if kind == "day"]
    printed = dict[str, set[str]]()
    for passage in passages:
        for _, _, value, unit in _numbered(passage.text):
            printed.setdefault(value, set()).add(unit)
    named = {value for passage in passages for _, _, value, _ in _numbered(passage.named)}
    for start, end, value, unit in _numbered(text):
        if any(a <= start and end <= b for a, b in dates):
            continue
        units = printed.get(value, {""} if value in named and unit not in _KNOWN_UNITS else None)
        if units is None or (unit in _KNOWN_UNITS and unit not in units and units <= _KNOWN_UNITS):
            yield text[start:end]


def _numbered(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Start, end, value and the unit behind it (or the currency before), "" for none."""
    for match in _NUMBER.finditer(text):
        value = _value(match.group())
        unit = _UNIT.match(text, match.end())
        before = _MONEY.search(text, 0, match.start())
        yield match.start(), match.end(), value, _unit(before.group() if before else unit[1] if unit else "")
    for match in _WORD.finditer(text):
        if value := _NUMBER_WORDS.get(match.group().casefold()):
            unit = _UNIT.match(text, match.end())
            yield match.start(), match.end(), value, _unit(unit[1] if unit else "")


def _value(printed: str) -> str:
    """`1,050.50`, `1.050,5` and `1 050.5` are one number; a comma or point before three digits groups them."""
    sign = "-" if printed[0] in "-−" else ""
    digits = re.sub(r"[\s'’]", "", printed.lstrip("-−–"))
    last = max(digits.rfind("."), digits.rfind(","))
    grouped = last >= 0 and (digits.count(digits[last]) > 1 or (len(digits) - last == 4 and digits[:last].lstrip("0")))
    whole = digits if last < 0 or grouped else digits[:last]
    rest = "" if last < 0 or grouped else digits[last + 1 :].rstrip("0")
    plain = re.sub(r"[.,]", "", whole).lstrip("0") or "0"
    return sign + plain + (f".{rest}" if rest else "")


def _unit(printed: str) -> str:
    plain = re.sub(r"\s", "", printed).casefold()
    single = plain[:-1] if plain.endswith("s") and len(plain) > 2 else plain
    return _SAME_UNIT.get(plain, _SAME_UNIT.get(single, plain))


_KNOWN_UNITS: Final = frozenset({*_SAME_UNIT.values(), "mm²", "m²", "m³", "mw", "mg", "ml", "bar", "psi", "kpa", "mpa",
    "pa", "nm", "n", "kn", "db", "hz", "khz", "mhz", "ghz", "rpm", "a", "ma", "mv", "kv", "kwh", "wh", "km/h", "m/s",
    "mph", "lb", "lbs", "oz", "°f", "¥", "chf", "cfm", "day", "days", "week", "weeks", "month", "months", "year",
    "years", "hour", "‰", "gb", "mb", "kb", "tb", "ms", "µm", "um"} - {""})  # fmt: skip


def _codes(text: str, passages: Sequence[str]) -> Iterator[str]:
    """Runs of letters and digits: part numbers, addresses of rules, versions."""
    printed = {_code(match.group()) for passage in passages for match in _coded(passage)}
    joined = "\n".join(_plain(passage) for passage in passages)
    for match in _coded(text):
        code = _code(match.group())
        # A number with its unit ("15kW") is a number.
        measured = re.fullmatch(r"(\d+(?:[.,]\d+)*)([^\W\d_]+)", match.group())
        if code in printed or code in joined or (measured and _unit(measured[2]) in _KNOWN_UNITS):
            continue
        yield match.group()


def _coded(text: str) -> Iterator[re.Match[str]]:
    """Runs with a digit whose first part has a letter."""
    for match in _CODE.finditer(text):
        first = re.split(r"[.-]", match.group(), maxsplit=1)[0]
        if any(c.isalpha() for c in first) and any(c.isdigit() for c in match.group()):
            yield match


def _code(printed: str) -> str:
    return printed.casefold().rstrip(".-")


def _names(text: str, passages: Sequence[str], question: str) -> Iterator[str]:
    """Words with a capital that the passages do not have in any form; one that begins a sentence may be the
    question's, or one that begins many."""
    having = {form for passage in passages for word in _WORD.findall(passage) for form in _forms(word)}
    asked = {form for word in _WORD.findall(question) for form in _forms(word)}
    stems = tokenize("\n".join(passages)).counts.keys()
    for match in _WORD.finditer(text):
        word = match.group()
        if not any(c.isupper() for c in word) or not _forms(word).isdisjoint(having):
            continue
        begins = not text[: match.start()].strip(" \t\n\"'“„«‘(-–—•*") or bool(
            re.search(r"[.!?:]\s+[\"“„«]?$", text[: match.start()])
        )
        plain = word.casefold()
        if begins and word[1:] == word[1:].lower():
            own = tokenize(plain).counts.keys()
            if (
                plain in _BEGINNINGS
                or plain in _NUMBER_WORDS
                or not _forms(word).isdisjoint(asked)
                or (own and own <= stems)
            ):
                continue
        yield word


def _forms(word: str) -> set[str]:
    plain = _fold(word)
    parts = {plain, *(part for part in re.split(r"[-’']", plain) if len(part) > 2)}
    return parts | {
        plain.removesuffix(ending) for ending in _ENDINGS if plain.endswith(ending) and len(plain) > len(ending) + 2
    }


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _plain(text: str) -> str:
    folded = _fold(text).translate(str.maketrans("“”„«»‘’‹›", '"""""\'\'\'\''))
    return re.sub(r"\s+", " ", folded).strip()
