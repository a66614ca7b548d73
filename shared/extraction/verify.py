"""Proof that chunks say what the source says: re-reads the PDF and compares.

Three independent looks: the page is read again and every fragment that a chunk names must be in its text, in order,
with nothing but the joins between; each box must equal the union of its fragments' boxes; and another PDF library
must find the chunk's characters under its boxes. Recognised text has no source to be read again: it is compared with
the stored page file, and counted apart.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from shared.domain.characters import storable
from shared.domain.geometry import PageBox, union
from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.domain.second_reading import Glyph, PageCharacter
from shared.domain.verify import Check, Difference, StoredChunk, VerifyFailure, VerifyReport
from shared.extraction.compose import CELL, CODE_LINE, LINE, ROW, line_join
from shared.extraction.references import Part, Resolver
from shared.extraction.second_reader import HARMLESS, TOLERANCE, SecondReading
from shared.extraction.validate import unclaimed_fragments

MAX_EXAMPLES = 100
PAGES_KEPT = 8
EXAMPLE_CHARACTERS = 200
# What composition may put between two fragments: a space, a line feed, cell separators (compose.py).
_JOINS = (LINE, CODE_LINE, CELL, ROW)


class RereadableSource(Protocol):
    """A source that can be read again, page by page (from 1)."""

    @property
    def page_count(self) -> int: ...
    def read(self, page: int) -> PageFile: ...
    def text(self, page: int) -> str: ...
    def characters(self, page: int) -> list[PageCharacter]: ...


class SecondReader(Protocol):
    """Another library's characters of a page; None where it cannot open it."""

    def glyphs(self, page: int) -> list[Glyph] | None: ...


@dataclass(frozen=True)
class Stored:
    """What was stored for a page: its operations and its page file, None where the page failed before it had one."""

    operations: Callable[[int], PageOperations | None]
    pages: Callable[[int], PageFile | None]


class _Reading:
    """One page read anew, by both readers; recognised text is the stored page's, which cannot be read again."""

    def __init__(self, source: RereadableSource, second: SecondReader, stored: Stored, page: int) -> None:
        self._source = source
        self.page = page
        self.fresh = source.read(page)
        pictured = stored.pages(page) if self.fresh.route in ("ocr", "mixed") else None
        self.file = pictured if pictured and any(f.ocr for f in pictured.fragments) else self.fresh
        self.resolver = Resolver(self.file)
        glyphs = second.glyphs(page)
        self.second = None if glyphs is None else SecondReading(glyphs, self.file.fragments)

    @cached_property
    def characters(self) -> list[PageCharacter]:
        """The first library's single characters, looked at where the second one disagrees."""
        return self._source.characters(self.page)

    def confirms(self, part: Part) -> bool:
        """Whether the first library, asked again for single characters, has the part's under its box."""
        found = Counter(c.text for c in self.characters if _holds(part, c))
        return not Counter("".join(part.text.split())) - found


def _holds(part: Part, character: PageCharacter) -> bool:
    box = part.box
    return (
        box.x - TOLERANCE <= character.x <= box.right + TOLERANCE
        and box.y - TOLERANCE <= character.y <= box.bottom + TOLERANCE
    )


class _Readings:
    """Readings by page, the last few kept, so that memory stays flat; `first_seen` is told of each page once."""

    def __init__(self, read: Callable[[int], _Reading], pages: int, first_seen: Callable[[_Reading], None]) -> None:
        self._read, self.page_count = read, pages
        self._first_seen = first_seen
        self._seen: set[int] = set()
        self._kept: OrderedDict[int, _Reading] = OrderedDict()

    def __getitem__(self, page: int) -> _Reading:
        if page not in self._kept:
            self._kept[page] = self._read(page)
            if page not in self._seen:
                self._seen.add(page)
                self._first_seen(self._kept[page])
            if len(self._kept) > PAGES_KEPT:
                self._kept.popitem(last=False)
        return self._kept[page]

    def see_the_rest(self) -> None:
        """Read the pages that no chunk stands on."""
        for page in range(1, self.page_count + 1):
            if page not in self._seen:
                self[page]


def verify_document(
    source: RereadableSource, second: SecondReader, chunks: Iterable[StoredChunk], stored: Stored
) -> VerifyReport:
    """Verify every chunk (in document order is fastest) and the coverage of every page.

    A page without stored operations (it failed) leaves all its fragments unclaimed.
    """
    report = VerifyReport()

    def check_page(reading: _Reading) -> None:
        operations = stored.operations(reading.page)
        every = reading.file.fragments
        missing = unclaimed_fragments(reading.file, operations) if operations else [f.id for f in every]
        report.unclaimed_fragments += len(missing)
        for failure in _page_failures(reading, source.text(reading.page), missing):
            _note(report.failures, failure)

    readings = _Readings(lambda page: _Reading(source, second, stored, page), source.page_count, check_page)
    for chunk in chunks:
        _count(report, _check(chunk, readings))
    readings.see_the_rest()
    return report


@dataclass
class _Checked:
    """What was found of one chunk."""

    chunk: StoredChunk
    failures: list[VerifyFailure] = field(default_factory=list[VerifyFailure])
    warnings: list[VerifyFailure] = field(default_factory=list[VerifyFailure])
    differences: set[Difference] = field(default_factory=set[Difference])


def _count(report: VerifyReport, checked: _Checked) -> None:
    report.chunks += 1
    failed = {failure.check for failure in checked.failures}
    report.boxes_exact += not failed & {"box", "fragment"}
    if failed:
        report.failed += 1
    elif checked.chunk.ocr:
        report.ocr += 1
    else:
        report.verbatim += 1
        report.second_reader += checked.differences <= HARMLESS
    for difference in sorted(checked.differences):
        report.second_reader_differences[difference] = report.second_reader_differences.get(difference, 0) + 1
    for failure in checked.failures:
        _note(report.failures, failure)
    for warning in checked.warnings:
        _note(report.warnings, warning)


def _note(examples: list[VerifyFailure], one: VerifyFailure) -> None:
    if len(examples) < MAX_EXAMPLES:
        examples.append(one)


def _check(chunk: StoredChunk, readings: _Readings) -> _Checked:
    checked = _Checked(chunk)
    boxes = [box for box in chunk.boxes if isinstance(box, PageBox)]
    if not boxes or len(boxes) != len(chunk.boxes) or any(box.page > readings.page_count for box in boxes):
        expected = f"boxes on pages 1 to {readings.page_count}"
        checked.failures.append(_failure(chunk, None, "box", expected, str([b.model_dump() for b in chunk.boxes])))
        return checked
    resolved: list[Part] = []
    for box in _in_text_order(chunk, boxes):
        reading = readings[box.page]
        try:
            parts = reading.resolver.resolve_all(box.fragment_ids)
        except ValueError as error:
            checked.failures.append(_failure(chunk, box.page, "fragment", "fragments of the source", str(error)))
            return checked
        resolved += parts
        checked.failures += _box_failures(chunk, box, parts, reading)
        _read_again(checked, parts, reading)
    if wrong := _text_failure(chunk.content, resolved):
        checked.failures.append(_failure(chunk, boxes[0].page, "verbatim", *wrong))
    return checked


def _read_again(checked: _Checked, parts: Sequence[Part], reading: _Reading) -> None:
    """What the second reader has under the parts' boxes; where the first one then disagrees too, that is a failure."""
    for part in parts:
        if part.fragment.ocr:
            continue
        if reading.second is None:
            checked.differences.add("unreadable")
            return
        difference, found = reading.second.difference(part.text, part.box, part.fragment)
        if difference is None:
            continue
        checked.differences.add(difference)
        if difference not in HARMLESS:
            example = _failure(
                checked.chunk, reading.page, "second_reader", _cut(part.text), f"{difference}: {_cut(found)}"
            )
            (checked.warnings if reading.confirms(part) else checked.failures).append(example)


def _in_text_order(chunk: StoredChunk, boxes: list[PageBox]) -> list[PageBox]:
    """A figure's first box is the picture with its labels, which its text puts after the caption."""
    return [*boxes[1:], boxes[0]] if chunk.chunk_type == "figure" else boxes


def _text_failure(content: str, parts: Sequence[Part]) -> tuple[str, str] | None:
    """What was expected and found where `content` stops being its fragments with joins between; None if it is."""
    position = 0
    for index, part in enumerate(parts):
        joins = (*_JOINS, line_join(parts[index - 1], part)) if index else ("",)
        starts = (position + len(join) for join in joins if content.startswith(join, position))
        start = next((start for start in starts if content.startswith(part.text, start)), None)
        if start is None:
            return _cut(part.text), _cut(content[position:])
        position = start + len(part.text)
    return None if position == len(content) else ("the end of the text", _cut(content[position:]))


def _box_failures(
    chunk: StoredChunk, box: PageBox, parts: Sequence[Part], reading: _Reading
) -> Iterator[VerifyFailure]:
    if chunk.chunk_type == "figure" and box is chunk.boxes[0]:
        candidates = [union([image.box, *[part.box for part in parts]]) for image in reading.file.images]
    elif parts:
        candidates = [union([part.box for part in parts])]
    else:
        candidates = []
    if not any(_equal(box, rect.x, rect.y, rect.w, rect.h) for rect in candidates):
        expected = (
            "; ".join(f"{r.x:.5f} {r.y:.5f} {r.w:.5f} {r.h:.5f}" for r in candidates[:5]) or "fragments in the box"
        )
        yield _failure(chunk, box.page, "box", expected, f"{box.x:.5f} {box.y:.5f} {box.w:.5f} {box.h:.5f}")


def _equal(box: PageBox, x: float, y: float, w: float, h: float) -> bool:
    return max(abs(box.x - x), abs(box.y - y), abs(box.w - w), abs(box.h - h)) <= 1e-9


def _page_failures(reading: _Reading, text: str, missing: list[str]) -> Iterator[VerifyFailure]:
    """Fragments that nothing claims, and text of the source (`text`) that no fragment has, or the reverse."""
    if missing:
        yield _page_failure(reading, "unclaimed", "every fragment claimed", " ".join(missing))
    source = Counter("".join(storable(text).split()))
    read = Counter("".join("".join(f.text.split()) for f in reading.fresh.fragments))
    lost, invented = source - read, read - source
    if lost or invented:
        yield _page_failure(
            reading, "unread_text", "".join(sorted(lost.elements())), "".join(sorted(invented.elements()))
        )
    if reading.file is not reading.fresh:
        before, now = (
            Counter((f.text, f.box) for f in file.fragments if not f.ocr) for file in (reading.file, reading.fresh)
        )
        if before != now:
            yield _page_failure(
                reading, "fragment", " ".join(text for text, _ in now - before), " ".join(t for t, _ in before - now)
            )


def _page_failure(reading: _Reading, check: Check, expected: str, actual: str) -> VerifyFailure:
    return VerifyFailure(chunk_id=None, page=reading.page, check=check, expected=_cut(expected), actual=_cut(actual))


def _failure(chunk: StoredChunk, page: int | None, check: Check, expected: str, actual: str) -> VerifyFailure:
    return VerifyFailure(chunk_id=str(chunk.id), page=page, check=check, expected=expected, actual=actual)


def _cut(text: str) -> str:
    return text if len(text) <= EXAMPLE_CHARACTERS else text[:EXAMPLE_CHARACTERS] + "…"
