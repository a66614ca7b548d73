"""A stored document without pages, made by hand, passes; each single thing that is wrong with it is told."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from shared.domain.geometry import Marker, Place, SheetBox, TextBox, TextRange
from shared.domain.operations import Operation, PageOperations, RegisterChunk, Skip
from shared.domain.page import Fragment, PageFile
from shared.domain.raw_page import SecondText
from shared.domain.verify import Stored, StoredChunk, StoredPage, StoredSkip, VerifyReport
from shared.verify.document import verify_parts

SAID = "* Oil the bearing\nevery week.\n\nCheck the seal."
OIL, WEEK, SEAL, MARK = (2, 17), (18, 29), (31, 46), (0, 1)
OPERATIONS: list[Operation] = [
    Skip(fragment_ids=["p1.f1"], reason="decoration"),
    RegisterChunk(fragment_ids=["p1.f2", "p1.f3"], chunk_type="text"),
    RegisterChunk(fragment_ids=["p1.f4"], chunk_type="text"),
]


def fragment(number: int, place: tuple[int, int]) -> Fragment:
    start, end = place
    return Fragment(id=f"p1.f{number}", text=SAID[start:end], place=TextRange(start=start, end=end))


def part() -> PageFile:
    fragments = [fragment(number, place) for number, place in enumerate((MARK, OIL, WEEK, SEAL), 1)]
    return PageFile(page=1, route="text", fragments=fragments, structure=OPERATIONS, extractor_version="1")


class Source:
    page_count = 1

    def read_page(self, page: int, characters: bool = False) -> PageFile:
        return part()


def box(start: int, end: int, *numbers: int) -> TextBox:
    return TextBox(start=start, end=end, page=1, fragment_ids=tuple(f"p1.f{number}" for number in numbers))


def numbered(text: str, at: int) -> TextBox:
    return box(31, 46, 4).model_copy(update={"markers": (Marker(text=text, at=at),)})


class Document:
    """What is stored, to be damaged."""

    def __init__(self) -> None:
        self.file = part()
        self.second = SecondText(SAID, offsets=True)
        self.skips = [StoredSkip("decoration", "*", box(0, 1, 1))]
        self.operations: list[Operation] = list(OPERATIONS)
        self.chunks = {
            "oil": StoredChunk("oil", "Oil the bearing every week.", "text", [box(2, 29, 2, 3)]),
            "seal": StoredChunk("seal", "Check the seal.", "text", [box(31, 46, 4)]),
        }

    def change(self, chunk: str, **changed: Any) -> None:
        self.chunks[chunk] = dataclasses.replace(self.chunks[chunk], **changed)

    def change_line(self, number: int, **changed: Any) -> None:
        self.file.fragments[number - 1] = self.file.fragments[number - 1].model_copy(update=changed)

    def number(self, chunk: str, shown: bool = True) -> None:
        """Numbers the last line as no list of the source does."""
        self.change_line(4, marker="7.")
        if shown:
            self.change(chunk, boxes=[numbered("7.", 0)])

    def verify(self) -> VerifyReport:
        operations = PageOperations(page=1, operations=self.operations, engine="structure", engine_version="1")
        stored = Stored(
            chunks=self.chunks.values(), operations=lambda _: operations, files=lambda _: self.file,
            pages={1: StoredPage(1, failed=False, route="text", skipped=self.skips)},
            sections=[], figures=[], attributes=[], table_ids=[],
        )  # fmt: skip
        return verify_parts(Source(), self.second, stored)


def without_line(document: Document, number: int) -> None:
    del document.file.fragments[number - 1]


def moved(place: Place | None, by: int) -> TextRange:
    assert isinstance(place, TextRange)
    return TextRange(start=place.start + by, end=place.end + by)


def reread(document: Document, text: str, offsets: bool = True) -> None:
    document.second = SecondText(text, offsets)


def test_the_undamaged_document_passes() -> None:
    report = Document().verify()
    assert (report.ok, report.failures, report.warnings) == (True, [], [])
    assert (report.chunks, report.verbatim, report.boxes_exact, report.second_reader) == (2, 2, 2, 2)


Damage = Callable[[Document], object]
DAMAGES: list[tuple[str, Damage, tuple[str, str | None]]] = [
    ("a letter", lambda d: d.change("seal", content="Check the meal."), ("verbatim", "seal")),
    ("a line break kept", lambda d: d.change("oil", content="Oil the bearing\nevery week."), ("verbatim", "oil")),
    ("a range too long", lambda d: d.change("oil", boxes=[box(2, 30, 2, 3)]), ("box", "oil")),
    ("a range too short", lambda d: d.change("oil", boxes=[box(3, 29, 2, 3)]), ("box", "oil")),
    ("two ranges", lambda d: d.change("oil", boxes=[box(2, 17, 2), box(18, 29, 3)]), ("box", "oil")),
    ("cells", lambda d: d.change("seal", boxes=[SheetBox(sheet="s", range="A1", fragment_ids=("p1.f4",))]),
     ("box", "seal")),
    ("a line that is not there", lambda d: d.change("seal", boxes=[box(31, 46, 9)]), ("fragment", "seal")),
    ("a part that is not there", lambda d: d.change("seal", boxes=[box(31, 46, 4).model_copy(update={"page": 2})]),
     ("box", "seal")),
    ("a number that no line has", lambda d: d.change("seal", boxes=[numbered("1.", 0)]), ("box", "seal")),
    ("a line's number lost", lambda d: d.number("seal", shown=False), ("box", "seal")),
    ("a number elsewhere", lambda d: d.change("seal", boxes=[numbered("7.", 6)]) or d.change_line(4, marker="7."),
     ("box", "seal")),
    ("a stored line's number changed", lambda d: d.number("seal"), ("fragment", None)),
    ("a chunk lost", lambda d: d.chunks.pop("seal"), ("unclaimed", None)),
    ("a line twice", lambda d: d.change("seal", content="every week. Check the seal.", boxes=[box(18, 46, 3, 4)]),
     ("claimed_twice", None)),
    ("a stored line changed", lambda d: d.change_line(4, text="Check the meal."), ("fragment", None)),
    ("a stored line moved", lambda d: d.change_line(4, place=moved(d.file.fragments[3].place, 1)),
     ("fragment", "seal")),
    ("a stored line lost", lambda d: without_line(d, 4), ("unread_text", None)),
    ("another structure", lambda d: setattr(d.file, "structure", OPERATIONS[:2]), ("page", None)),
    ("another name of the part", lambda d: setattr(d.file, "label", "Sheet 9"), ("page", None)),
    ("skipped text changed", lambda d: d.skips.__setitem__(0, StoredSkip("decoration", "#", box(0, 1, 1))),
     ("verbatim", None)),
    ("other operations", lambda d: d.operations.pop(), ("operations", None)),
    ("another letter in the source", lambda d: reread(d, SAID.replace("seal", "meal")), ("second_reader", "seal")),
    ("shifted in the source", lambda d: reread(d, "\n" + SAID), ("second_reader", "oil")),
    ("more in the source", lambda d: reread(d, SAID + "\nAnd more."), ("unread_text", None)),
    ("another word in what has no offsets", lambda d: reread(d, SAID.replace("seal", "meal"), offsets=False),
     ("second_reader", "seal")),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "expected"), [one[1:] for one in DAMAGES], ids=[one[0] for one in DAMAGES])
def test_what_is_wrong_is_told(damage: Damage, expected: tuple[str, str | None]) -> None:
    document = Document()
    damage(document)
    report = document.verify()
    assert expected in {(one.check, one.chunk_id) for one in report.failures}
    assert not report.ok


def test_words_in_another_order_are_the_same_where_nothing_counts_offsets() -> None:
    document = Document()
    reread(document, "Check the seal. * Oil the bearing every week.", offsets=False)
    report = document.verify()
    assert (report.ok, report.second_reader, report.warnings) == (True, 2, [])


def test_what_only_another_library_sees_is_worth_a_look_where_nothing_counts_offsets() -> None:
    document = Document()
    reread(document, SAID + " hidden", offsets=False)
    report = document.verify()
    assert report.ok
    assert [warning.actual for warning in report.warnings] == ["beyond: hidden"]
