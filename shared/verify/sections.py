"""Verifies sections: number and title of each are printed on its page, where the operations say so; its path is
consistent."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from shared.domain.operations import PageOperations, RegisterChunk, RegisterFigure, RegisterSection, RegisterTable
from shared.domain.verify import StoredSection
from shared.verify.page import Wrong
from shared.verify.pieces import Lines
from shared.verify.wording import running

# Characters between a number and its title, and around a number that has a table cell to itself.
_BETWEEN = " \u00a0\t:.)-\u2013\u2014|"
_AROUND = " \t\u00a0§¶:.)"
_BEFORE = 3
_NUMBER_ENDS = re.compile(r"\s{0,3}[.:)\u2013\u2014-]?(?:\s|$)")
_SENTENCE_ENDS = re.compile(r"$|\.(?:\s|$)")
# Kinds of headlines of which each opens a section.
_COUNTED: list[str] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
]  # fmt: skip
_OPENING = ("heading", "name")
# Kinds of chunks that may be clauses: which of those are, only the whole document tells.
_CLAUSES = frozenset({"text", "list"})


@dataclass(frozen=True)
class Headline:
    """What a page prints of a section: `text` is the whole heading, caption, first cell, or a clause's whole
    paragraph; of a numbered rule its number alone names it."""

    kind: str
    address: str | None
    text: str


def headlines_of(operations: PageOperations | None, lines: Lines) -> list[Headline]:
    """Everything on a page that may open a section; unresolved references are reported elsewhere."""
    found: list[Headline] = []
    for operation in operations.operations if operations else ():
        try:
            found += _headlines(operation, lines)
        except ValueError:
            continue
    return found


def path_failures(sections: Sequence[StoredSection]) -> Iterator[tuple[int | None, Wrong]]:
    """Each section's path ends in itself, below its parent's, and each number has a key that it is found by."""
    known = {section.id: section for section in sections}
    for section in sections:
        above = known.get(section.parent_id or "")
        expected = [*(above.path if above else ()), (section.id, section.address, section.title)]
        if (section.parent_id and above is None) or list(section.path) != expected:
            yield section.page, Wrong("section", str(expected), str(list(section.path)))
        if section.depth != len(section.path):
            yield section.page, Wrong("section", f"depth {len(section.path)}", f"depth {section.depth}")
        if section.address and not any(_is_key(key, section.address) for key in section.keys):
            yield section.page, Wrong("section", f"found by {section.address}", " ".join(section.keys))


def _is_found(section: StoredSection, kind: str) -> bool:
    """Whether what is defined is found by its own name, and by nothing that no title of its path prints; a heading
    without a number is not found by a key."""
    if kind != "name":
        return bool(section.address) or not section.keys
    titles = ["".join(_folded(title).lower().split()) for _, _, title in section.path]
    keys = [key.split(".") for key in section.keys]
    printed = all(any(step in title for title in titles) for key in keys for step in key)
    return printed and any(all(step in titles[-1] for step in key) for key in keys)


def section_failures(
    page: int, sections: Sequence[StoredSection], headlines: Sequence[Headline], repeated: int
) -> Iterator[Wrong]:
    """Verifies the sections of one page; `repeated` headings continue an earlier section and have no section of their
    own."""
    taken: Counter[Headline] = Counter()
    for section in sections:
        found = [one for one in headlines if _opens(one, section)]
        chosen = next((one for one in found if not taken[one] or found.count(one) > taken[one]), None)
        if chosen is None:
            yield Wrong("section", "a heading of the page", f"{section.address or ''} {section.title}".strip())
        else:
            taken[chosen] += 1
            if not _is_found(section, chosen.kind):
                yield Wrong("section", f"found by {section.title}", " ".join(section.keys))
    headings = sum(one.kind in _OPENING for one in headlines)
    stored = sum(count for one, count in taken.items() if one.kind in _OPENING)
    if stored + repeated != headings:
        yield Wrong("section", f"{headings - repeated} sections that headings open on page {page}", str(stored))


def is_heading_of(content: str, section: tuple[str | None, str]) -> bool:
    """Whether a heading's text is the section's number and title."""
    address, title = section
    # Titles behind a number began with a no-break space before 0175.
    title = title.lstrip("\u00a0") if address else title
    return title == _title(address, content)


def _headlines(operation: object, lines: Lines) -> Iterator[Headline]:
    def text(references: Sequence[str]) -> str:
        return running([lines.pieces(references)]) if references else ""

    match operation:
        case RegisterSection():
            yield Headline("heading", operation.address, text(operation.title_fragment_ids))
        case RegisterChunk():
            if operation.stands and operation.stands.title:
                yield Headline("name", None, _name(operation, operation.stands.title, lines))
            if operation.section:
                yield Headline("rule", operation.section, text(operation.fragment_ids))
            elif operation.chunk_type in _CLAUSES and not operation.stands:
                marker = lines.pieces(operation.fragment_ids[:1])[0].line.marker
                yield Headline("clause", None, f"{marker} {text(operation.fragment_ids)}".lstrip())
        case RegisterTable():
            yield Headline("caption", None, text(operation.caption_fragment_ids))
            for row in operation.rows:
                cells = [one for one in (text(cell.fragment_ids) for cell in row) if one]
                if cells:
                    yield Headline("row", None, cells[0])
        case RegisterFigure():
            yield Headline("caption", None, text(operation.caption_fragment_ids))
        case _:
            return


def _name(operation: RegisterChunk, title: str, lines: Lines) -> str:
    """The name of what a chunk defines, which must stand in the chunk."""
    (name,) = lines.pieces([title])
    held = [one for one in lines.pieces(operation.fragment_ids) if one.line == name.line]
    return name.text if any(one.start <= name.start and name.end <= one.end for one in held) else ""


def _opens(one: Headline, section: StoredSection) -> bool:
    match one.kind:
        case "heading":
            return not section.captioned and one.address == section.address and is_heading_of(one.text, _named(section))
        case "name":
            return not section.captioned and not section.address and one.text == section.title
        case "rule":
            return not section.captioned and one.address == section.address and not section.title
        case "clause":
            return not section.captioned and _begins_with(one.text, _named(section))
        case "row":
            same = one.text.strip(_AROUND) == (section.address or "").strip(_AROUND)
            return not section.captioned and same and not section.title
        case _:
            captioned = section.captioned and bool(section.address) and one.text.startswith(section.address or "")
            return captioned and is_heading_of(one.text, _named(section))


def _begins_with(text: str, section: tuple[str | None, str]) -> bool:
    """Whether a paragraph begins with the number, and the title, behind which a sentence ends."""
    address, title = section
    before, printed, rest = text.partition(address or "\0")
    behind = rest.lstrip().lstrip(_BETWEEN)
    if not printed or before.strip("\u00a7 \u00a0") or not _NUMBER_ENDS.match(rest) or not behind.startswith(title):
        return False
    return not title or _SENTENCE_ENDS.match(behind.removeprefix(title)) is not None


def _named(section: StoredSection) -> tuple[str | None, str]:
    return section.address, section.title


def _title(address: str | None, printed: str) -> str:
    at = printed.find(address) if address else -1
    return printed[at + len(address or "") :].lstrip(_BETWEEN) if 0 <= at <= _BEFORE else printed


def _is_key(key: str, address: str) -> bool:
    """Whether the key has the number's digits and the same ending; one in words (CHAPTER ONE) has its digits."""
    words = address.split()
    if words[1:] and words[-1].casefold() in _COUNTED:
        words[-1] = address = str(_COUNTED.index(words[-1].casefold()) + 1)
    digits = _folded("".join([c for c in address if c.isdigit()]))
    return "".join([c for c in key if c.isdigit()]) == digits and _bare(key).endswith(_bare(words[-1] if words else ""))


def _bare(text: str) -> str:
    return "".join([c for c in _folded(text).casefold() if c.isalnum()])


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def by_page(sections: Sequence[StoredSection]) -> Mapping[int | None, list[StoredSection]]:
    found: dict[int | None, list[StoredSection]] = {}
    for section in sections:
        found.setdefault(section.page, []).append(section)
    return found


def repeated_headings(operations: PageOperations | None, left_out: set[tuple[str, ...]]) -> int:
    """The number of headings of the page that continue an earlier section, and were skipped as running headers."""
    every = operations.operations if operations else ()
    return sum(isinstance(one, RegisterSection) and tuple(one.title_fragment_ids) in left_out for one in every)
