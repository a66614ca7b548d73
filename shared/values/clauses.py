"""Clauses: numbered paragraphs of contracts, licences and laws, each of them a section, whose title stands in their
text (`6. Trademarks. This License does …`), in a line of its own in the type of the text, or nowhere."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from shared.values.addresses import components, printed_address
from shared.values.numbering import Numbered, longest_sequences

MIN_CLAUSES: Final = 3
# Shares of the clauses that have a title, some text, and rules below their number (8.1 in 8).
TITLED: Final = 2 / 3
WITH_TEXT: Final = 0.5
WITH_RULES: Final = 1 / 3
# Numbers of a sequence that the text has to refer to (`Section 3`).
REFERRED_TO: Final = 2
TITLE_WORDS: Final = 10
# Words of fewer letters are small in a title, too.
CAPITALIZED: Final = 5
# What a number without a title counts in a sequence.
UNTITLED: Final = 0.6
TITLE_CHARACTERS: Final = 90
_EDGES: Final = " \u00a0\t:.)-\u2013\u2014|"
# Signs that end a sentence in other scripts, where no blank follows.
_FOREIGN_ENDS: Final = "\u3002\uff1a\uff1b\uff1f\uff01\u061f\u061b\u0964"
_ENDS: Final = f".:;?!{_FOREIGN_ENDS}"
# A title has no points but those of a country: initials are an author's, in an entry of a bibliography.
_TITLE: Final = re.compile(rf"(?:U\.[SK]\.|E\.U\.|[^{_ENDS}]){{2,90}}?(?=(?<=\w\w)\.(?:\s|$))")
_AUTHORS: Final = re.compile(r"[^\W\d_][\w'\u2019-]+ [A-Z]{1,3},")
_SENTENCE: Final = re.compile(rf"[{_ENDS},]$|\w\w[.;?!]\s|[{_FOREIGN_ENDS}]")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_REFERENCE: Final = re.compile(
    r"(?:\b(?:sections?|clauses?|articles?|paragraphs?|abschnitt(?:e|en)?|ziffern?|artikeln?)\s+|\u00a7{1,2}\s*)"
    r"(?P<numbers>\d{1,3}(?!\d|\.\d)(?:\s*(?:,|and|or|to|through|und|oder|bis|\u2013|-)\s*\d{1,3}(?!\d|\.\d))*)",
    re.I,
)
_DIGITS: Final = re.compile(r"\d+")
_ONE_NUMBER: Final = re.compile(r"(?P<label>\D*)(?P<number>\d{1,3})")


class NumberedText(NamedTuple):
    """What a document says in one piece. `opens`: whether it may be a clause; `address`: that of the section which it
    opens anyway."""

    text: str
    opens: bool = True
    address: str | None = None


class Clause(NamedTuple):
    """`title` is a slice of the paragraph, "" for none. `alone`: nothing but the title stands there."""

    address: str
    title: str
    alone: bool


def find_clauses(paragraphs: Sequence[NumberedText]) -> dict[int, Clause]:
    """The clauses by the place of their paragraph: sequences of numbers of one part, from 0 or 1 on, most of which have
    some text, and which are sections for a reason: they have titles of their own, rules below their numbers,
    or are referred to. The items of a list have none of these."""
    found: dict[int, Clause] = {}
    for members in _sequences(paragraphs):
        if _are_sections(members, paragraphs):
            found |= {one.row: one.clause for one in members if one.clause is not None}
    return found


class _Member(NamedTuple):
    """A number of a sequence: the place of its paragraph, and the clause that it is, if it is no section anyway."""

    row: int
    number: str
    clause: Clause | None


def _sequences(paragraphs: Sequence[NumberedText]) -> Iterator[list[_Member]]:
    schemes: dict[str, dict[int, _Member]] = {}
    for row, one in enumerate(paragraphs):
        clause = read_clause(one.text) if one.opens else None
        address = clause.address if clause else one.address
        if address and (numbered := _numbered(address)):
            scheme, number = numbered
            schemes.setdefault(scheme, {})[row] = _Member(row, number, clause)
    for scheme, members in schemes.items():
        found = [members[one.row] for one in _longest(scheme, members.values())] if len(members) >= MIN_CLAUSES else []
        if len(found) < MIN_CLAUSES or int(found[0].number) > 1:
            continue
        if not _is_list_within(found, members.values()) and not _is_of_contents(found, paragraphs):
            yield found


def _longest(scheme: str, members: Iterable[_Member]) -> list[Numbered]:
    candidates = [
        Numbered(
            one.row, scheme, (int(one.number),), one.number, UNTITLED if one.clause and not one.clause.title else 1.0
        )
        for one in members
    ]
    return longest_sequences(candidates)[0]


def _is_of_contents(members: Sequence[_Member], paragraphs: Sequence[NumberedText]) -> bool:
    """Whether most titles stand once more behind them, alone or behind a number."""
    titles = {one.clause.title.casefold() for one in members if one.clause and one.clause.alone}
    later = {title.casefold() for one in paragraphs[members[-1].row + 1 :] for title in _titles_in(one.text)}
    return len(titles & later) > len(titles) / 2


def _titles_in(text: str) -> Iterator[str]:
    yield text
    clause = read_clause(text)
    if clause is not None:
        yield clause.title


def _is_list_within(members: Iterable[_Member], others: Collection[_Member]) -> bool:
    """Whether a number of the sequence is a heading's and an item's, or an item's twice where items have no titles."""
    sections = {one.number for one in others if one.clause is None}
    items = Counter(one.number for one in others if one.clause is not None)
    if any(number in sections for number in items):
        return True
    return any(one.clause is not None and not one.clause.title and items[one.number] > 1 for one in members)


def read_clause(text: str) -> Clause | None:
    """What a paragraph says of itself: its number, of one part or several, and its title; None without a number."""
    printed = printed_address(text)
    if printed is None:
        return None
    address, end = printed
    rest = text[end:].lstrip().lstrip(_EDGES)
    if not rest or rest[0].islower() or (text[:1].isdigit() and not text[:end].endswith(".")):
        return None
    if _is_short(rest) and not _SENTENCE.search(rest) and _WORD.search(rest):
        return Clause(address, rest, alone=True)
    matched = _TITLE.match(rest) if not _AUTHORS.match(rest) else None
    words = _WORD.findall(matched[0]) if matched else []
    if matched is None or not 0 < len(words) <= TITLE_WORDS or not _is_capitalized(words):
        return Clause(address, "", alone=False)
    return Clause(address, matched[0], alone=rest[matched.end() :] == ".")


def _is_short(text: str) -> bool:
    return len(text) <= TITLE_CHARACTERS and len(text.split()) <= TITLE_WORDS


def _is_capitalized(words: Sequence[str]) -> bool:
    large = [word for word in words if word[0].isupper()]
    return 2 * len(large) >= len(words) and all(word in large for word in words if len(word) >= CAPITALIZED)


def is_in_capitals(text: str) -> bool:
    """Whether it is a title in capitals: END OF TERMS AND CONDITIONS."""
    return text.isupper() and _is_short(text) and not _SENTENCE.search(text)


def label_of(address: str) -> str | None:
    """What stands in front of the first number of an address: "" of 8 and 8.1, `article` of Article 8; else None."""
    numbered = _numbered(next(iter(components(address)), ""))
    return numbered[0] if numbered else None


def _numbered(address: str) -> tuple[str, str] | None:
    """(scheme, number) of an address of one part."""
    parts = components(address)
    matched = _ONE_NUMBER.fullmatch(parts[0]) if len(parts) == 1 else None
    return (matched["label"], matched["number"]) if matched else None


def _are_sections(members: Sequence[_Member], paragraphs: Sequence[NumberedText]) -> bool:
    ends = [*(one.row for one in members[1:]), len(paragraphs)]
    below = [paragraphs[one.row + 1 : end] for one, end in zip(members, ends, strict=True)]
    told = sum(_has_text(one, rest) for one, rest in zip(members, below, strict=True))
    titles = {one.clause.title.casefold() for one in members if one.clause and one.clause.title}
    titled = len(titles) + sum(one.clause is None for one in members)
    ruled = sum(_has_rules(one, rest) for one, rest in zip(members, below, strict=True))
    if told < WITH_TEXT * len(members):
        return False
    return (
        titled >= TITLED * len(members)
        or ruled >= max(REFERRED_TO, WITH_RULES * len(members))
        or len(_referred_to(paragraphs) & {one.number for one in members}) >= REFERRED_TO
    )


def _has_text(one: _Member, below: Iterable[NumberedText]) -> bool:
    alone = one.clause is None or one.clause.alone
    return not alone or any(other.opens and not other.address for other in below)


def _has_rules(one: _Member, below: Iterable[NumberedText]) -> bool:
    steps = (components(other.address or "") for other in below)
    return any(len(step) > 1 and step[0] == one.number for step in steps)


def _referred_to(paragraphs: Iterable[NumberedText]) -> set[str]:
    found = (found["numbers"] for one in paragraphs for found in _REFERENCE.finditer(one.text))
    return {number for numbers in found for number in _DIGITS.findall(numbers)}
