"""Verifies one stored chunk: its text is that of its lines, its boxes are those of its lines."""

from collections.abc import Callable, Sequence
from itertools import groupby

from shared.domain.geometry import Box, TextBox
from shared.verify import wording
from shared.verify.boxes import box_failure, column_failures
from shared.verify.page import ProvenPage
from shared.verify.pieces import Piece
from shared.verify.report import EXAMPLE_CHARACTERS, Checked
from shared.verify.second_reader import HARMLESS

Boxed = list[tuple[Box, list[Piece]]]
GetPage = Callable[[int], ProvenPage]
_COUNTED = frozenset({"text", "list", "formula", "caption", "footnote", "heading", "code", "figure"})
RUNNING = frozenset({"text", "list", "formula", "caption", "footnote", "heading"})


def check_lines(checked: Checked, page: GetPage, page_count: int) -> Boxed | None:
    """Returns the chunk's boxes with the pieces that they name; None where it names lines that do not exist.

    Records a failure where a line is not in the source, and where the second reader reads something else.
    """
    chunk = checked.chunk
    boxes = chunk.boxes
    if not boxes or any(box.page > page_count for box in boxes):
        expected = f"boxes on pages 1 to {page_count}"
        checked.fail("box", None, expected, str([box.model_dump() for box in chunk.boxes]))
        return None
    found: Boxed = []
    for box in boxes:
        try:
            pieces = page(box.page).lines.pieces(box.fragment_ids)
        except ValueError as error:
            checked.fail("fragment", box.page, "lines of the source", str(error))
            return None
        found.append((box, pieces))
        _check_source(checked, page(box.page), pieces)
    if chunk.ocr != any(piece.line.ocr for _, pieces in found for piece in pieces):
        checked.fail("ocr", boxes[0].page, f"ocr is {not chunk.ocr}", f"ocr is {chunk.ocr}")
    return found


def check_boxes(checked: Checked, boxed: Boxed) -> None:
    """Each box encloses exactly its pieces; the first of a figure is its picture's, which is verified separately."""
    figure = checked.chunk.chunk_type == "figure"
    for box, pieces in boxed[1:] if figure else boxed:
        if wrong := box_failure(box, pieces):
            checked.fail("box", box.page, *wrong)
    if checked.chunk.chunk_type in RUNNING or checked.chunk.chunk_type == "code":
        for expected, actual in column_failures(boxed):
            checked.fail("box", boxed[0][0].page, expected, actual)


def check_markers(checked: Checked, boxed: Boxed) -> None:
    """The numbers in front of items are those of its lines, each where its line begins; cells show none."""
    said = [(marker.text, marker.at) for box, _ in boxed if isinstance(box, TextBox) for marker in box.markers]
    expected: list[tuple[str, int]] = []
    at = 0
    for piece in [piece for _, pieces in boxed for piece in pieces] if checked.chunk.chunk_type in _COUNTED else ():
        at = max(checked.chunk.content.find(piece.text, at), at)
        if piece.line.marker and piece.start == 0:
            expected.append((piece.line.marker, at))
        at += len(piece.text)
    if said != expected:
        checked.fail("box", boxed[0][0].page, f"numbers {expected}", f"numbers {said}")


def check_text(checked: Checked, boxed: Boxed) -> None:
    """Verifies the text of every type except tables and their rows."""
    chunk = checked.chunk
    if chunk.chunk_type == "code":
        expected = wording.code(by_page(boxed))
    elif chunk.chunk_type == "figure":  # the first box is the picture with its labels, whose text follows the caption
        labels = list(by_page(boxed[:1]))
        expected = wording.stacked([wording.running(by_page(boxed[1:])), wording.running(labels)])
    elif chunk.chunk_type in RUNNING:
        expected = wording.running(by_page(boxed))
    else:
        checked.fail("verbatim", boxed[0][0].page, "a type of text that pages have", chunk.chunk_type)
        return
    compare_text(checked, boxed[0][0].page, expected)


def compare_text(checked: Checked, page: int, expected: str) -> None:
    """Compares character by character; the failure shows the first difference."""
    content = checked.chunk.content
    if content == expected:
        return
    at = next((n for n, (a, b) in enumerate(zip(content, expected, strict=False)) if a != b), None)
    start = max(0, (min(len(content), len(expected)) if at is None else at) - EXAMPLE_CHARACTERS // 4)
    checked.fail("verbatim", page, expected[start:], content[start:])


def by_page(boxed: Sequence[tuple[Box, Sequence[Piece]]]) -> list[list[Piece]]:
    """The pieces of successive boxes grouped by page; pages without any are left out."""
    pages = groupby(boxed, key=lambda one: one[0].page)
    found = [[piece for _, pieces in group for piece in pieces] for _, group in pages]
    return [pieces for pieces in found if pieces]


def _check_source(checked: Checked, page: ProvenPage, pieces: Sequence[Piece]) -> None:
    for line in dict.fromkeys(piece.line for piece in pieces):
        if line.why is not None:
            checked.fail("fragment", page.page, line.why, f"{line.id}: {line.text}")
        if line.ocr:
            continue
        if page.second is None:
            checked.differences.add("unreadable")
            continue
        differs = page.second.get(line.id)
        if differs is None:
            continue
        checked.differences.add(differs.kind)
        if differs.kind == "other":
            checked.fail("second_reader", page.page, line.text, f"{differs.kind}: {differs.found}")
        elif differs.kind not in HARMLESS:
            checked.warn("second_reader", page.page, line.text, f"{differs.kind}: {differs.found}")
