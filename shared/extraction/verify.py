"""Proof that chunks say what the source says: re-reads the PDF and compares, never the stored page files.

Three independent looks: the page is read again and every fragment that a chunk names must be in its text, in order,
with nothing but the joins between; each box must equal the union of its fragments' boxes; and a second reader, which
knows single characters only, must find the chunk's characters under its boxes.
"""

from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from shared.domain.geometry import PageBox, union
from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.domain.second_reading import PageCharacter
from shared.domain.verify import Check, StoredChunk, VerifyFailure, VerifyReport
from shared.extraction.compose import CELL, CODE_LINE, LINE, ROW
from shared.extraction.references import Part, Resolver
from shared.extraction.validate import unclaimed_fragments

MAX_EXAMPLES = 100
PAGES_KEPT = 8
EXAMPLE_CHARACTERS = 200
# What composition may put between two fragments: a space, a line feed, cell separators (compose.py).
_JOINS = (LINE, CODE_LINE, CELL, ROW)
# Boxes are stored to five digits; unions are sums of those.
TOLERANCE = 2e-5


class RereadableSource(Protocol):
    """A source that can be read again, page by page (from 1)."""

    @property
    def page_count(self) -> int: ...
    def read(self, page: int) -> PageFile: ...
    def characters(self, page: int) -> list[PageCharacter]: ...


class _Reading:
    """One page read anew, by both readers."""

    def __init__(self, source: RereadableSource, page: int) -> None:
        self.file = source.read(page)
        self.resolver = Resolver(self.file)
        self.characters = sorted(enumerate(source.characters(page)), key=lambda one: one[1].y)
        self._heights = [character.y for _, character in self.characters]

    def under(self, part: Part) -> str:
        """The characters whose middles lie in the box, in the order of the content stream."""
        box = part.box
        low = bisect_left(self._heights, box.y - TOLERANCE)
        high = bisect_left(self._heights, box.bottom + TOLERANCE)
        inside = [
            (order, c.text)
            for order, c in self.characters[low:high]
            if box.x - TOLERANCE <= c.x <= box.right + TOLERANCE
        ]
        return "".join(text for _, text in sorted(inside))


class _Readings:
    """Readings by page, the last few kept, so that memory stays flat; `first_seen` is told of each page once."""

    def __init__(self, source: RereadableSource, first_seen: Callable[[int, _Reading], None]) -> None:
        self._source = source
        self._first_seen = first_seen
        self._seen: set[int] = set()
        self._kept: OrderedDict[int, _Reading] = OrderedDict()

    def __getitem__(self, page: int) -> _Reading:
        if page not in self._kept:
            self._kept[page] = _Reading(self._source, page)
            if page not in self._seen:
                self._seen.add(page)
                self._first_seen(page, self._kept[page])
            if len(self._kept) > PAGES_KEPT:
                self._kept.popitem(last=False)
        return self._kept[page]

    def see_the_rest(self) -> None:
        """Read the pages that no chunk stands on."""
        for page in range(1, self._source.page_count + 1):
            if page not in self._seen:
                self[page]


def verify_document(
    source: RereadableSource,
    chunks: Iterable[StoredChunk],
    operations: Callable[[int], PageOperations | None],
) -> VerifyReport:
    """Verify every chunk (in document order is fastest) and the coverage of every page.

    `operations` gives what was stored for a page; None (a page that failed) leaves all its fragments unclaimed.
    """
    report = VerifyReport()

    def check_page(page: int, reading: _Reading) -> None:
        stored = operations(page)
        missing = unclaimed_fragments(reading.file, stored) if stored else [f.id for f in reading.file.fragments]
        report.unclaimed_fragments += len(missing)
        for failure in _page_failures(page, reading, missing):
            _note(report, failure)

    readings = _Readings(source, check_page)
    for chunk in chunks:
        _count(report, chunk, list(_chunk_failures(chunk, readings, source.page_count)))
    readings.see_the_rest()
    return report


def _count(report: VerifyReport, chunk: StoredChunk, failures: list[VerifyFailure]) -> None:
    report.chunks += 1
    failed = {failure.check for failure in failures}
    if not failed & {"box", "fragment"}:
        report.boxes_exact += 1
    if chunk.ocr:
        report.ocr += 1
        failures = [failure for failure in failures if failure.check == "box"]
    elif failed:
        report.failed += 1
    else:
        report.verbatim += 1
        report.second_reader += 1
    for failure in failures:
        _note(report, failure)


def _note(report: VerifyReport, failure: VerifyFailure) -> None:
    if len(report.failures) < MAX_EXAMPLES:
        report.failures.append(failure)


def _chunk_failures(chunk: StoredChunk, readings: _Readings, pages: int) -> Iterator[VerifyFailure]:
    boxes = [box for box in chunk.boxes if isinstance(box, PageBox)]
    if not boxes or len(boxes) != len(chunk.boxes) or any(box.page > pages for box in boxes):
        yield _failure(chunk, None, "box", f"boxes on pages 1 to {pages}", str([b.model_dump() for b in chunk.boxes]))
        return
    resolved: list[Part] = []
    for box in _in_text_order(chunk, boxes):
        try:
            parts = readings[box.page].resolver.resolve_all(box.fragment_ids)
        except ValueError as error:
            yield _failure(chunk, box.page, "fragment", "fragments of the source", str(error))
            return
        resolved += parts
        yield from _box_failures(chunk, box, parts, readings[box.page])
        yield from _second_reader_failures(chunk, box.page, parts, readings[box.page])
    wrong = _text_failure(chunk.content, resolved)
    if wrong:
        yield _failure(chunk, boxes[0].page, "verbatim", *wrong)


def _in_text_order(chunk: StoredChunk, boxes: list[PageBox]) -> list[PageBox]:
    """A figure's first box is the picture with its labels, which its text puts after the caption."""
    return [*boxes[1:], boxes[0]] if chunk.chunk_type == "figure" else boxes


def _text_failure(content: str, parts: Sequence[Part]) -> tuple[str, str] | None:
    """What was expected and found where `content` stops being its fragments with joins between; None if it is."""
    position = 0
    for index, part in enumerate(parts):
        starts = (position + len(join) for join in (_JOINS if index else ("",)) if content.startswith(join, position))
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


def _second_reader_failures(
    chunk: StoredChunk, page: int, parts: Sequence[Part], reading: _Reading
) -> Iterator[VerifyFailure]:
    for part in parts:
        expected = "".join(part.text.split())
        actual = reading.under(part)
        if not _is_subsequence(expected, actual):
            yield _failure(chunk, page, "second_reader", _cut(expected), _cut(actual))
            return


def _is_subsequence(wanted: str, found: str) -> bool:
    if wanted in found:
        return True
    remaining = iter(found)
    return all(c in remaining for c in wanted)


def _page_failures(page: int, reading: _Reading, missing: list[str]) -> Iterator[VerifyFailure]:
    if missing:
        yield VerifyFailure(
            chunk_id=None,
            page=page,
            check="unclaimed",
            expected="every fragment claimed",
            actual=_cut(" ".join(missing)),
        )
    source = Counter("".join(c.text for _, c in reading.characters))
    read = Counter("".join("".join(f.text.split()) for f in reading.file.fragments if not f.ocr))
    lost, invented = source - read, read - source
    if lost or invented:
        yield VerifyFailure(
            chunk_id=None, page=page, check="unread_text",
            expected=_cut("".join(sorted(lost.elements()))), actual=_cut("".join(sorted(invented.elements()))),
        )  # fmt: skip


def _failure(chunk: StoredChunk, page: int | None, check: Check, expected: str, actual: str) -> VerifyFailure:
    return VerifyFailure(chunk_id=str(chunk.id), page=page, check=check, expected=expected, actual=actual)


def _cut(text: str) -> str:
    return text if len(text) <= EXAMPLE_CHARACTERS else text[:EXAMPLE_CHARACTERS] + "…"
