"""Checks a model's sentence against the passages that it cites: what these do not contain, it may not state.

Nothing here judges whether a sentence is true, or follows: numbers with their units, dates, names, codes, addresses and
quotations are looked for in the cited passages as they are printed, and so are most of the words.
"""

import re
import unicodedata
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shared.answering.bearing import PARTS, unborne_words
from shared.answering.opposites import find_opposite
from shared.answering.printed_numbers import (
    KNOWN_UNITS,
    NUMBER_WORDS,
    WORD,
    PrintedNumber,
    is_measured,
    read_numbers,
    unit_named,
)
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
_CODE: Final = re.compile(r"\w+(?:[.-]\w+)*(?:\(\d+\))*")
_ENDINGS: Final = ("'s", "’s", "s", "es", "e", "n", "en", "er", "'", "’")
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
_BETWEEN_SENTENCES: Final = re.compile(r"(?<=[.!?;]) ")
# Fewer words than these stand in many passages.
COPIED_WORDS_MIN: Final = 4
# Questions that want an address of the web or of mail: no other is answered with one.
_ASKS_ADDRESS: Final = re.compile(
    r"(?i)e-?mail|\bmail\b|web ?(?:site|page|address)|\bur[li]s?\b|\blinks?\b|home ?page|\bdomain|\bhosts?\b|\bonline\b"
    r"|\bcontact|\baddress|\bendpoint|\bdownload|\bportal\b|where (?:can|do|may|must|should|to)\b|\badress|\bkontakt"
    r"|webseite|internet|\bwo (?:kann|finde|muss)|\bsite\b|\badresse|\bcorreo|\bcourriel"
)
# What leads out: not `config.toml`, which is written like a host.
_OUTWARD: Final = re.compile(
    r"(?i)://|^www\.|@|/"
    r"|\.(?:com|org|net|edu|gov|mil|int|info|biz|name|io|dev|app|ai|me|tv|cloud|online|site|store|shop|tech|xyz|link|click"
    r"|example|test|invalid|eu|uk|us|de|fr|es|it|nl|be|ch|at|se|no|dk|fi|pl|cz|pt|ie|ca|au|nz|jp|cn|in|br|ru|kr)$"
)


@dataclass(frozen=True)
class Evidence:
    """A passage: what the document says there, and how people named the document and its version. Names may be told; a
    measure, a quotation or an address that stands in a name alone is nothing that a document says. A `heading` tells
    what the text is about, and says nothing by itself. `around` is other text of the document, which tells how it
    writes numbers."""

    text: str
    named: str = ""
    around: str = ""
    heading: str = ""

    @property
    def context(self) -> str:
        return f"{self.text}\n{self.around}"

    @property
    def whole(self) -> str:
        return f"{self.named}\n{self.heading}\n{self.text}"


@dataclass(frozen=True)
class Unborne:
    """A sentence that is left out, and why, in words for the model and for the trace."""

    text: str
    kind: str
    why: str


def check_sentence(said: Any, evidence: Mapping[str, Evidence], question: str = "") -> Unborne | None:
    """None where the cited passages bear `said` (`{text, evidence}` as a model gives it) out, else what is wrong.

    `evidence` has the passages by id. Of `question` only words that begin a sentence are taken, and whether it wants an
    address: what it states is no evidence.
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
        "markup": _markup(text), "link": _links(text, texts, question), "quotation": _quotations(text, texts),
        "date": _dates(text, whole), "code": _codes(text, whole), "number": _numbers(text, passages),
        "name": _names(text, whole, question), "joined": _joined(text, passages),
    }  # fmt: skip
    for kind, lacking in found.items():
        if one := next(lacking, None):
            return Unborne(text, kind, f"{one!r} is not in what it cites")
    if tokenize(text).counts.keys().isdisjoint(tokenize("\n".join(whole)).counts.keys()):
        return Unborne(text, "unrelated", "no word of it is in what it cites")
    named, headings = [one.named for one in passages], [one.heading for one in passages]
    if words := unborne_words(text, texts, named, question, is_measured, headings):
        return Unborne(text, "words", f"what it cites has not the words {words!r}; say it in the passages' own words")
    if part := find_opposite(text, texts):
        why = f"of {part!r} what it cites says the opposite, or less, or of something else; say it as the passages do"
        return Unborne(text, "opposite", why)
    return None


def bearing_passages(said: Any, evidence: Mapping[str, Evidence], question: str = "") -> list[str]:
    """Which of the passages that a sentence cites bear it out alone, each once; all where it takes several. Some models
    cite whatever they were given. `said` is borne out by them all."""
    cited = list(dict.fromkeys(said["evidence"]))
    return [one for one in cited if check_sentence({**said, "evidence": [one]}, evidence, question) is None] or cited


def copied_from(text: str, evidence: Mapping[str, Evidence]) -> list[str]:
    """The passages that have all of its sentences whole and word for word: small models copy one and cite another. A
    part of a sentence may say what the whole denies."""
    if len(text.split()) < COPIED_WORDS_MIN:
        return []
    said = {*_statements(text)}
    return [
        name
        for name, one in evidence.items()
        if said <= {part for line in one.text.splitlines() for part in _statements(line)}
    ]


def _statements(text: str) -> Iterator[str]:
    """Sentences without what ends them, and once more without an address in front."""
    for part in _BETWEEN_SENTENCES.split(_plain(text)):
        whole = part.rstrip(".!?;")
        yield whole
        first, _, rest = whole.partition(" ")
        if rest and any(sign.isdigit() for sign in first):
            yield rest


def _markup(text: str) -> Iterator[str]:
    yield from (match.group() for match in _MARKUP.finditer(text))


def _links(text: str, passages: Sequence[str], question: str) -> Iterator[str]:
    """Addresses of the web and of mail, each as a whole: one with more behind it is another. A printed one is told to
    whoever asks for an address: to anybody else it is what a document wants to be opened."""
    printed = {link for passage in passages for link in _addresses(passage)}
    asked = bool(_ASKS_ADDRESS.search(question)) or any(link in question.casefold() for link in printed)
    yield from (link for link in _addresses(text) if link not in printed or (_OUTWARD.search(link) and not asked))


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
    printed = [(number, unit) for one in passages for _, _, number, unit in read_numbers(one.text, one.context)]
    named = [number for one in passages for _, _, number, _ in read_numbers(f"{one.named}\n{one.heading}", one.context)]
    for start, end, number, unit in read_numbers(text, text):
        if any(a <= start and end <= b for a, b in dates):
            continue
        units = {own for other, own in printed if number.is_same(other)}
        if not units and unit not in KNOWN_UNITS and any(number.is_same(other) for other in named):
            continue
        if not units or (unit in KNOWN_UNITS and unit not in units and units <= KNOWN_UNITS):
            yield text[start:end]


def _codes(text: str, passages: Sequence[str]) -> Iterator[str]:
    """Runs of letters and digits: part numbers, addresses of rules, versions."""
    printed = {_code(match.group()) for passage in passages for match in _coded(passage)}
    joined = "\n".join(_plain(passage) for passage in passages)
    for match in _coded(text):
        code = _code(match.group())
        # A number with its unit ("15kW") is a number.
        measured = re.fullmatch(r"(\d+(?:[.,]\d+)*)([^\W\d_]+)", match.group())
        if code in printed or code in joined or (measured and unit_named(measured[2]) in KNOWN_UNITS):
            continue
        yield match.group()


def _coded(text: str) -> Iterator[re.Match[str]]:
    """Runs with a digit whose first part has a letter."""
    for match in _CODE.finditer(text):
        first = re.split(r"[.-]", match.group(), maxsplit=1)[0]
        if any(c.isalpha() for c in first) and any(c.isdigit() for c in match.group()):
            yield match


def _joined(text: str, passages: Sequence[Evidence]) -> Iterator[str]:
    """Numbers that no cited passage prints beside a code of their clause: "TF-22" of one row and "8 weeks" of another
    are no statement of either."""
    codes = [(match.start(), match.end(), _code(match.group())) for match in _coded(text)]
    if len(passages) < 2 or not codes:
        return
    plain = [_plain(one.whole) for one in passages]
    numbers = [found for found in read_numbers(text, text) if not any(a <= found[0] < b for a, b, _ in codes)]
    # A comma in a number ends no clause.
    ends = [
        match.start() for match in PARTS.finditer(text) if not any(a <= match.start() < b for a, b, _, _ in numbers)
    ]
    for start, end, number, _ in numbers:
        printing = [own for one, own in zip(passages, plain, strict=True) if _prints(one, number)]
        for at, _, code in codes:
            beside = bisect(ends, at) == bisect(ends, start)
            # A number with its unit ("15kW") is printed in other ways, too.
            if beside and any(code in own for own in plain) and not any(code in own for own in printing):
                yield f"{text[start:end]} with {code}"


def _prints(passage: Evidence, number: PrintedNumber) -> bool:
    return any(number.is_same(other) for _, _, other, _ in read_numbers(passage.text, passage.context))


def _code(printed: str) -> str:
    return printed.casefold().rstrip(".-")


def _names(text: str, passages: Sequence[str], question: str) -> Iterator[str]:
    """Words with a capital that the passages do not have in any form; one that begins a sentence may be the
    question's, or one that begins many."""
    having = {form for passage in passages for word in WORD.findall(passage) for form in _forms(word)}
    asked = {form for word in WORD.findall(question) for form in _forms(word)}
    stems = tokenize("\n".join(passages)).counts.keys()
    for match in WORD.finditer(text):
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
                or plain in NUMBER_WORDS
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
