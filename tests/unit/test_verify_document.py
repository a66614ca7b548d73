"""A whole stored document, made by hand, passes; each single thing that is wrong with it is told where it is wrong."""

import dataclasses
import gc
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest

from shared.domain.geometry import PageBox, Rect, TextBox
from shared.domain.knowledge import TableCell, TableGrid
from shared.domain.operations import (
    Cell,
    Operation,
    PageOperations,
    RegisterChunk,
    RegisterFigure,
    RegisterSection,
    RegisterTable,
    Skip,
)
from shared.domain.page import Fragment, PageFile, PageImage
from shared.domain.raw_page import Glyph, RawCharacter, RawForm, RawLine, RawPage, RawPictures, RawSpan
from shared.domain.verify import (
    Stored,
    StoredAttribute,
    StoredChunk,
    StoredFigure,
    StoredPage,
    StoredSection,
    StoredSkip,
    VerifyReport,
)
from shared.verify.document import verify_document

# Points; a character is 10 wide and 10 high.
WIDTH, HEIGHT = 1000.0, 500.0
GRID = UUID(int=7)
# Of each page: text, left, top.
PRINTED = {
    1: [
        ("C1 Masses", 100, 50),
        ("Each wing weighs 45 kg", 100, 100),
        ("Class", 100, 150),
        ("Mass", 300, 150),
        ("S", 100, 170),
        ("372", 300, 170),
        ("T", 100, 190),
        ("410", 300, 190),
        ("Page 1", 100, 450),
    ],
    2: [
        ("U", 100, 50),
        ("395", 300, 50),
        ("Figure 1 A wing", 100, 200),
        ("tip", 300, 310),
        ("is measured dry. 46 kg", 100, 400),
    ],
    3: [("scanned words", 110, 110)],
}
PICTURES = {
    1: RawPictures([], []),
    2: RawPictures([(100.0, 300.0, 200.0, 350.0)], [(250.0, 300.0, 350.0, 350.0)]),
    3: RawPictures([(500.0, 300.0, 900.0, 400.0), (100.0, 100.0, 400.0, 150.0)], []),
}


def name(page: int, number: int) -> str:
    return f"p{page}.f{number}"


def box(page: int, left: float, top: float, right: float, bottom: float, *numbers: int) -> PageBox:
    x, y, w, h = left / WIDTH, top / HEIGHT, (right - left) / WIDTH, (bottom - top) / HEIGHT
    return PageBox(page=page, x=x, y=y, w=w, h=h, fragment_ids=tuple(name(page, n) for n in numbers))


def raw_line(text: str, left: float, top: float) -> RawLine:
    places = [(left + 10 * n, top, left + 10 * n + 10, top + 10) for n in range(len(text))]
    characters = [RawCharacter(c, place, top + 8) for c, place in zip(text, places, strict=True)]
    span = RawSpan("Sans", 8.0, True, (left, top, left + 10 * len(text), top + 10), top + 8, characters)
    return RawLine([span], (1.0, 0.0), False)


def fragment(page: int, number: int, text: str, left: float, top: float) -> Fragment:
    place = Rect(x=left / WIDTH, y=top / HEIGHT, w=10 * len(text) / WIDTH, h=10 / HEIGHT)
    return Fragment(id=name(page, number), text=text, box=place, font="Sans", size=8.0, ocr=page == 3)


class Source:
    """Pages as printed; the last one is a picture without a text layer."""

    page_count = 3

    def raw_pages(self, page: int) -> Iterator[RawPage]:
        lines = [raw_line(*one) for one in PRINTED[page]] if page < 3 else []
        yield RawPage(WIDTH, HEIGHT, 0, (1.0, 0.0, 0.0, 1.0, 0.0, 0.0), lines)

    def drawn_page(self, page: int) -> RawPage:
        return next(self.raw_pages(page))

    def form(self, page: int) -> RawForm:
        return RawForm([], [])

    def pictures(self, page: int) -> RawPictures:
        return PICTURES[page]


class Second:
    """Reads what is printed, or what it is told to."""

    def __init__(self, **others: str) -> None:
        self._others = others

    def glyphs(self, page: int, drawn: bool) -> list[Glyph] | None:
        return [
            Glyph(c, (left + 10 * n + 5) / WIDTH, (top + 5) / HEIGHT, n > 0 and text[n - 1] == " ")
            for text, left, top in PRINTED[page]
            if page < 3
            for n, c in enumerate(self._others.get(text.split()[0], text))
            if not c.isspace()
        ]


def cell(text: str, page: int, number: int, left: float, top: float, row_span: int = 1, col_span: int = 1) -> TableCell:
    return TableCell(
        text=text,
        boxes=[box(page, left, top, left + 10 * len(text), top + 10, number)],
        row_span=row_span,
        col_span=col_span,
    )


def table_grid(**changed: Any) -> TableGrid:
    rows = [
        [cell("Class", 1, 3, 100, 150), cell("Mass", 1, 4, 300, 150)],
        [cell("S", 1, 5, 100, 170), cell("372", 1, 6, 300, 170)],
        [cell("T", 1, 7, 100, 190), cell("410", 1, 8, 300, 190)],
        [cell("U", 2, 1, 100, 50), cell("395", 2, 2, 300, 50)],
    ]
    made: dict[str, Any] = {"id": GRID, "caption": "", "header_rows": 1, "first_page": 1, "last_page": 2, "rows": rows}
    return TableGrid.model_validate(made | changed)


def row_chunk(number: int, content: str, place: PageBox) -> StoredChunk:
    return StoredChunk(f"row{number}", content, "table_row", [place], table_id=str(GRID), row=number)


CHUNKS = {
    "heading": StoredChunk("heading", "C1 Masses", "heading", [box(1, 100, 50, 190, 60, 1)], section_id="c1"),
    "text": StoredChunk(
        "text",
        "Each wing weighs 45 kg is measured dry. 46 kg",
        "text",
        [box(1, 100, 100, 320, 110, 2), box(2, 100, 400, 320, 410, 5)],
        attrs={"mass": {"raw": "45 kg", "also": [{"raw": "46 kg"}]}},
    ),
    "table": StoredChunk(
        "table",
        "Class | Mass\nS | 372\nT | 410\nU | 395",
        "table",
        [box(1, 100, 150, 340, 200, 3, 4, 5, 6, 7, 8), box(2, 100, 50, 330, 60, 1, 2)],
        table_id=str(GRID),
        table=table_grid(),
    ),
    "row1": row_chunk(1, "S | 372", box(1, 100, 170, 330, 180, 5, 6)),
    "row2": row_chunk(2, "T | 410", box(1, 100, 190, 330, 200, 7, 8)),
    "row3": row_chunk(3, "U | 395", box(2, 100, 50, 330, 60, 1, 2)),
    "figure": StoredChunk(
        "figure", "Figure 1 A wing\ntip", "figure", [box(2, 250, 300, 350, 350, 4), box(2, 100, 200, 250, 210, 3)]
    ),
    "scan": StoredChunk("scan", "scanned words", "text", [box(3, 110, 110, 240, 120, 1)], ocr=True),
}
ATTRIBUTES = (
    StoredAttribute("text", "45 kg", ["p1.f2"]),
    StoredAttribute("text", "46kg", ["p2.f5"]),
    StoredAttribute("text", "45 kg is", ["p1.f2", "p2.f5"]),
    StoredAttribute("heading", "45 kg", ["p1.f2"], elsewhere=True),
)
FOOTER = StoredSkip("footer", "Page 1", box(1, 100, 450, 160, 460, 9))
SECTION = StoredSection("c1", None, "C1", "Masses", 1, 1, False, [("c1", "C1", "Masses")], ["c1"])
FIGURE_BOX = box(2, 250, 300, 350, 350, 4)
FIGURE = StoredFigure("figure", 2, FIGURE_BOX, "Figure 1 A wing")
# The source draws it; of a bitmap beside it nothing is stored.
IMAGE = PageImage(id="p2.i1", box=Rect(x=0.25, y=0.6, w=0.1, h=0.1), kind="vector")


def names(page: int, *numbers: int) -> list[str]:
    return [name(page, number) for number in numbers]


def cells(page: int, *numbers: int) -> list[Cell]:
    return [Cell(fragment_ids=[name(page, number)]) for number in numbers]


OPERATIONS: dict[int, list[Operation]] = {
    1: [
        RegisterSection(address="C1", title_fragment_ids=names(1, 1), depth=1),
        RegisterTable(header_rows=1, rows=[cells(1, 3, 4), cells(1, 5, 6), cells(1, 7, 8)]),
        RegisterChunk(fragment_ids=names(1, 2), chunk_type="text"),
        Skip(fragment_ids=names(1, 9), reason="footer"),
    ],
    2: [
        RegisterTable(rows=[cells(2, 1, 2)], continues_previous_page=True),
        RegisterFigure(box=IMAGE.box, caption_fragment_ids=names(2, 3), label_fragment_ids=names(2, 4)),
        RegisterChunk(fragment_ids=names(2, 5), chunk_type="text", continues_previous_page=True),
    ],
    3: [RegisterChunk(fragment_ids=names(3, 1), chunk_type="text")],
}


class Document:
    """The stored document; what a test changes is its own."""

    def __init__(self) -> None:
        order = ["heading", "table", "row1", "row2", "row3", "text", "figure", "scan"]
        self.chunks = {key: CHUNKS[key] for key in order}
        self.attributes = list(ATTRIBUTES)
        self.operations = {page: list(found) for page, found in OPERATIONS.items()}
        self.files: dict[int, PageFile | None] = {page: self._file(page) for page in PRINTED}
        self.pages = {
            1: StoredPage(1, False, "text", [FOOTER]),
            2: StoredPage(2, False, "text", []),
            3: StoredPage(3, False, "ocr", []),
        }
        self.sections, self.figures, self.table_ids = [SECTION], [FIGURE], {str(GRID)}

    @staticmethod
    def _file(page: int) -> PageFile:
        fragments = [fragment(page, n, *one) for n, one in enumerate(PRINTED[page], start=1)]
        return PageFile(
            page=page,
            width_pt=WIDTH,
            height_pt=HEIGHT,
            route="ocr" if page == 3 else "text",
            fragments=fragments,
            images=[IMAGE] if page == 2 else [],
            extractor_version="test",
        )

    def change(self, chunk: str, **changed: Any) -> None:
        self.chunks[chunk] = dataclasses.replace(self.chunks[chunk], **changed)

    def change_file(self, page: int, /, **changed: Any) -> None:
        file = self.files[page]
        assert file is not None
        self.files[page] = file.model_copy(update=changed)

    def change_line(self, page: int, number: int, /, **changed: Any) -> None:
        file = self.files[page]
        assert file is not None
        file.fragments[number - 1] = file.fragments[number - 1].model_copy(update=changed)

    def change_grid(self, **changed: Any) -> None:
        self.change("table", table=table_grid(**changed))

    def verify(self, second: Second | None = None) -> VerifyReport:
        def operations(page: int) -> PageOperations | None:
            found = self.operations.get(page)
            if found is None:
                return None
            return PageOperations(page=page, operations=found, engine="test", engine_version="1")

        stored = Stored(
            self.chunks.values(), operations, self.files.get, self.pages, self.sections, self.figures,
            self.attributes, self.table_ids,
        )  # fmt: skip
        return verify_document(Source(), second or Second(), stored)


def told(report: VerifyReport) -> set[tuple[str, str | None, int | None]]:
    return {(one.check, one.chunk_id, one.page) for one in report.failures}


def test_the_undamaged_document_passes_with_every_chunk_counted() -> None:
    report = Document().verify()
    assert report.failures == []
    assert report.ok
    counts = (report.chunks, report.verbatim, report.ocr, report.failed, report.boxes_exact, report.second_reader)
    assert counts == (8, 7, 1, 0, 8, 7)
    assert (report.second_reader_differences, report.warnings) == ({}, [])


def moved(place: PageBox, **by: float) -> PageBox:
    return place.model_copy(update={edge: getattr(place, edge) + amount for edge, amount in by.items()})


def first_box(chunk: str) -> Any:
    return CHUNKS[chunk].boxes[0]


Damage = Callable[[Document], object]
ROWS = table_grid().rows
BELOW = StoredSection("c2", "c1", "C2", "Masses", 2, 1, False, [("c1", "C1", "Masses"), ("c2", "C2", "Masses")], ["c2"])

# What is done, and one failure of each (check, chunk, page).
DAMAGES: list[tuple[str, Damage, tuple[str, str | None, int | None]]] = [
    ("a letter", lambda d: d.change("text", content="Each wing weighs 55 kg is measured dry. 46 kg"),
     ("verbatim", "text", 1)),
    ("a cell in the whole", lambda d: d.change("table", content="Class | Mass\nS | 373\nT | 410\nU | 395"),
     ("verbatim", "table", 1)),
    ("a cell in its row", lambda d: d.change("row2", content="T | 411"), ("verbatim", "row2", 1)),
    ("a caption and labels in a row", lambda d: d.change("figure", content="Figure 1 A wing tip"),
     ("verbatim", "figure", 2)),
    ("a type without text", lambda d: d.change("text", chunk_type="structured"), ("verbatim", "text", 1)),
    ("a moved box", lambda d: d.change("heading", boxes=[moved(first_box("heading"), x=0.001)]), ("box", "heading", 1)),
    ("a higher box", lambda d: d.change("row1", boxes=[moved(first_box("row1"), h=0.001)]), ("box", "row1", 1)),
    ("no box", lambda d: d.change("scan", boxes=[]), ("box", "scan", None)),
    ("a box behind the last page", lambda d: d.change("scan", boxes=[box(4, 110, 110, 240, 120)]),
     ("box", "scan", None)),
    ("a box of another kind", lambda d: d.change("heading", boxes=[first_box("heading"), TextBox(start=0, end=5)]),
     ("box", "heading", 1)),
    ("a caption's box", lambda d: d.change(
        "figure", boxes=[CHUNKS["figure"].boxes[0], box(2, 100, 200, 251, 210, 3)]), ("box", "figure", 2)),
    ("a picture's box", lambda d: d.change(
        "figure", boxes=[box(2, 250, 300, 351, 350, 4), CHUNKS["figure"].boxes[1]]), ("box", "figure", 2)),
    ("a line that is not there", lambda d: d.change("heading", boxes=[box(1, 100, 50, 190, 60, 99)]),
     ("fragment", "heading", 1)),
    ("two boxes of a row on a page", lambda d: d.change(
        "row1", boxes=[box(1, 100, 170, 110, 180, 5), box(1, 300, 170, 330, 180, 6)]), ("box", "row1", 1)),
    ("recognised, it says", lambda d: d.change("heading", ocr=True), ("ocr", "heading", 1)),
    ("not recognised, it says", lambda d: d.change("scan", ocr=False), ("ocr", "scan", 3)),
    # Values
    ("a value of another chunk", lambda d: d.attributes.append(StoredAttribute("heading", "45 kg", ["p1.f1"])),
     ("attribute", "heading", 1)),
    ("a value of another line", lambda d: d.attributes.append(StoredAttribute("text", "45 kg", ["p2.f5"])),
     ("attribute", "text", 1)),
    ("a value of a line elsewhere", lambda d: d.attributes.append(StoredAttribute("text", "45 kg", ["p1.f1"])),
     ("attribute", "text", 1)),
    ("a value of no line", lambda d: d.attributes.append(StoredAttribute("text", "45 kg", [])),
     ("attribute", "text", 1)),
    ("a value of a part that is not there",
     lambda d: d.attributes.append(StoredAttribute("text", "45 kg", ["p1.f2[0:99]"])), ("attribute", "text", 1)),
    ("a blank value", lambda d: d.attributes.append(StoredAttribute("text", " ", ["p1.f2"])), ("attribute", "text", 1)),
    ("a value in the summary", lambda d: d.change("text", attrs={"mass": {"raw": "47 kg"}}), ("attribute", "text", 1)),
    ("a second value in the summary", lambda d: d.change("text", attrs={"mass": {"raw": "", "also": [{"raw": "7 t"}]}}),
     ("attribute", "text", 1)),
    ("a head's value of another line", lambda d: d.attributes.append(StoredAttribute("text", "45 kg", ["p1.f1"], True)),
     ("attribute", "text", 1)),
    ("a head's value of no line", lambda d: d.attributes.append(StoredAttribute("text", "45 kg", [], True)),
     ("attribute", "text", None)),
    ("a head's value in the summary",
     lambda d: d.change("text", attrs={"mass": {"raw": "47 kg", "head": True, "fragment_ids": ["p1.f2"]}}),
     ("attribute", "text", 1)),
    # Tables
    ("no grid", lambda d: d.change("table", table=None), ("table", "table", 1)),
    ("the grid of another table", lambda d: d.change_grid(id=UUID(int=8)), ("table", "table", 1)),
    ("a cell of the grid", lambda d: d.change_grid(
        rows=[*ROWS[:1], [ROWS[1][0], cell("3720", 1, 6, 300, 170)], *ROWS[2:]]),
     ("box", "table", 1)),
    ("a text in the grid", lambda d: d.change_grid(
        rows=[*ROWS[:3], [ROWS[3][0], ROWS[3][1].model_copy(update={"text": "396"})]]), ("table", "table", 2)),
    ("a line of the grid that is not there", lambda d: d.change_grid(
        rows=[*ROWS[:3], [ROWS[3][0], cell("395", 2, 99, 300, 50)]]), ("table", "table", None)),
    ("a text in the grid without a place", lambda d: d.change_grid(
        rows=[*ROWS[:3], [*ROWS[3], TableCell(text="7", boxes=[])]]), ("table", "table", None)),
    ("a first page", lambda d: d.change_grid(first_page=2), ("table", "table", 1)),
    ("a last page", lambda d: d.change_grid(last_page=3), ("table", "table", 1)),
    ("more header than rows", lambda d: d.change_grid(header_rows=5), ("table", "table", 1)),
    ("less than no header", lambda d: d.change_grid(header_rows=-1), ("table", "table", 1)),
    ("the header is of the body", lambda d: d.change_grid(header_rows=0), ("table", None, 1)),
    ("a row of the body is of the header", lambda d: d.change_grid(header_rows=2), ("table", None, 1)),
    ("rows in another order", lambda d: d.change_grid(rows=[ROWS[0], ROWS[2], ROWS[1], ROWS[3]]),
     ("table", "table", 1)),
    ("a caption that is not printed", lambda d: d.change_grid(caption="Masses"), ("table", "table", 1)),
    ("a wider cell", lambda d: d.change_grid(rows=[[ROWS[0][0], cell("Mass", 1, 4, 300, 150, col_span=2)], *ROWS[1:]]),
     ("operations", None, 1)),
    ("a row without a chunk", lambda d: d.chunks.pop("row3"), ("table", None, 2)),
    ("a row twice", lambda d: d.chunks.update(again=dataclasses.replace(CHUNKS["row3"], id="again")),
     ("table", None, 2)),
    ("a row behind the last", lambda d: d.change("row3", row=4), ("table", "row3", 2)),
    ("a row before the first", lambda d: d.change("row3", row=-1), ("table", "row3", 2)),
    ("a row of no table", lambda d: d.change("row3", table_id=str(UUID(int=8))), ("table", "row3", 2)),
    ("a row for another", lambda d: d.change("row1", row=2), ("table", "row1", 1)),
    ("a table twice", lambda d: d.chunks.update(again=dataclasses.replace(CHUNKS["table"], id="again")),
     ("table", "again", 1)),
    ("a table without a chunk", lambda d: d.table_ids.add("lost"), ("table", None, None)),
    # Sections and figures
    ("a heading of no section", lambda d: d.change("heading", section_id=None), ("section", "heading", 1)),
    ("a title", lambda d: d.sections.__setitem__(0, dataclasses.replace(
        SECTION, title="Mass", path=[("c1", "C1", "Mass")])), ("section", None, 1)),
    ("a number", lambda d: d.sections.__setitem__(0, dataclasses.replace(
        SECTION, address="C2", path=[("c1", "C2", "Masses")], keys=["c2"])), ("section", None, 1)),
    ("a depth", lambda d: d.sections.__setitem__(0, dataclasses.replace(SECTION, depth=2)), ("section", None, 1)),
    ("a path", lambda d: d.sections.__setitem__(0, dataclasses.replace(SECTION, path=[("c1", "C1", "Wings")])),
     ("section", None, 1)),
    ("a parent", lambda d: d.sections.__setitem__(0, dataclasses.replace(SECTION, parent_id="c0")),
     ("section", None, 1)),
    ("no key", lambda d: d.sections.__setitem__(0, dataclasses.replace(SECTION, keys=["c10"])), ("section", None, 1)),
    ("a section too many", lambda d: d.sections.append(BELOW), ("section", None, 1)),
    ("a section too few", lambda d: d.sections.clear(), ("section", None, 1)),
    ("a section behind the last page", lambda d: d.sections.append(dataclasses.replace(BELOW, page=4)),
     ("page", None, 4)),
    ("a figure of another page", lambda d: d.figures.__setitem__(0, dataclasses.replace(FIGURE, page=1)),
     ("figure", "figure", 2)),
    ("a caption", lambda d: d.figures.__setitem__(0, dataclasses.replace(FIGURE, caption="Figure 1")),
     ("figure", "figure", 2)),
    ("a figure's box", lambda d: d.figures.__setitem__(0, dataclasses.replace(FIGURE, box=moved(FIGURE_BOX, x=0.1))),
     ("figure", "figure", 2)),
    ("no figure", lambda d: d.figures.clear(), ("figure", "figure", 2)),
    ("a figure without a chunk", lambda d: d.figures.append(dataclasses.replace(FIGURE, chunk_id="lost")),
     ("figure", None, 2)),
    ("a picture that is not drawn", lambda d: (
        d.change_file(2, images=[IMAGE.model_copy(update={"box": Rect(x=0.24, y=0.6, w=0.11, h=0.1)})]),
        d.change("figure", boxes=[box(2, 240, 300, 350, 350, 4), CHUNKS["figure"].boxes[1]]),
        d.figures.__setitem__(0, dataclasses.replace(FIGURE, box=box(2, 240, 300, 350, 350, 4)))),
     ("figure", "figure", 2)),
    # Pages
    ("a page that failed", lambda d: d.pages.update({3: StoredPage(3, True, None, [])}), ("unread_page", None, 3)),
    ("a page without a row", lambda d: d.pages.pop(3), ("unread_page", None, 3)),
    ("a page without a file", lambda d: d.files.update({2: None}), ("unread_text", None, 2)),
    ("a page too many", lambda d: d.pages.update({4: StoredPage(4, False, "text", [])}), ("page", None, 4)),
    ("a route of the row", lambda d: d.pages.update({2: StoredPage(2, False, "mixed", [])}), ("page", None, 2)),
    ("a width", lambda d: d.change_file(1, width_pt=WIDTH + 0.01), ("page", None, 1)),
    ("a height", lambda d: d.change_file(1, height_pt=HEIGHT - 0.01), ("page", None, 1)),
    ("a rotation", lambda d: d.change_file(2, rotation=90), ("page", None, 2)),
    ("a number of a page", lambda d: d.change_file(2, page=1), ("page", None, 2)),
    ("lines of another number", lambda d: d.change_line(3, 1, id="p3.f2"), ("page", None, 3)),
    ("a scan with a text layer", lambda d: (d.change_file(1, route="ocr"), d.pages.update(
        {1: StoredPage(1, False, "ocr", [FOOTER])})), ("ocr", None, 1)),
    ("recognised text on a page of text", lambda d: (d.change_file(3, route="text"), d.pages.update(
        {3: StoredPage(3, False, "text", [])})), ("ocr", None, 3)),
    ("lines on an empty page", lambda d: (d.change_file(3, route="empty"), d.pages.update(
        {3: StoredPage(3, False, "empty", [])})), ("ocr", None, 3)),
    ("recognised where nothing is drawn", lambda d: d.change_line(3, 1, box=Rect(x=0.45, y=0.22, w=0.13, h=0.02)),
     ("ocr", None, 3)),
    ("recognised below the picture", lambda d: d.change_line(3, 1, box=Rect(x=0.11, y=0.31, w=0.13, h=0.02)),
     ("ocr", None, 3)),
    ("a line's text", lambda d: d.change_line(1, 5, text="X"), ("fragment", None, 1)),
    ("a line's size", lambda d: d.change_line(1, 5, size=9.0), ("fragment", None, 1)),
    ("a line that is drawn", lambda d: d.change_line(1, 5, invisible=True), ("fragment", None, 1)),
    ("a line recognised instead", lambda d: d.change_line(2, 4, ocr=True), ("unread_text", None, 2)),
    # What is held
    ("a chunk less", lambda d: d.chunks.pop("heading"), ("unclaimed", None, 1)),
    ("a chunk more", lambda d: d.chunks.update(again=dataclasses.replace(CHUNKS["heading"], id="again")),
     ("claimed_twice", None, 1)),
    ("nothing left out", lambda d: d.pages.update({1: StoredPage(1, False, "text", [])}), ("unclaimed", None, 1)),
    ("words left out", lambda d: d.pages.update({1: StoredPage(
        1, False, "text", [dataclasses.replace(FOOTER, text="Page 2")])}), ("verbatim", None, 1)),
    ("left out on another page", lambda d: d.pages.update({1: StoredPage(
        1, False, "text", [dataclasses.replace(FOOTER, box=FOOTER.box.model_copy(update={"page": 2}))])}),
     ("verbatim", None, 1)),
    # Operations
    ("no operations", lambda d: d.operations.pop(3), ("operations", None, 3)),
    ("another order", lambda d: d.operations[1].insert(0, d.operations[1].pop(2)), ("operations", None, 1)),
    ("another reason", lambda d: d.operations[1].__setitem__(3, Skip(fragment_ids=names(1, 9), reason="decoration")),
     ("operations", None, 1)),
    ("another type", lambda d: d.operations[3].__setitem__(
        0, RegisterChunk(fragment_ids=names(3, 1), chunk_type="list")), ("operations", None, 3)),
    ("code that goes on as text", lambda d: d.operations[2].__setitem__(
        2, RegisterChunk(fragment_ids=names(2, 5), chunk_type="code")), ("operations", None, 2)),
    ("other rows", lambda d: d.operations[2].__setitem__(0, RegisterTable(rows=[cells(2, 2, 1)])),
     ("operations", None, 2)),
    ("a longer header", lambda d: d.operations[1].__setitem__(
        1, RegisterTable(header_rows=2, rows=[cells(1, 3, 4), cells(1, 5, 6), cells(1, 7, 8)])),
     ("operations", None, 1)),
    ("labels", lambda d: d.operations[2].__setitem__(
        1, RegisterFigure(box=IMAGE.box, caption_fragment_ids=names(2, 4), label_fragment_ids=names(2, 3))),
     ("operations", None, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "failure"), [one[1:] for one in DAMAGES], ids=[one[0] for one in DAMAGES])
def test_what_is_wrong_is_told_where_it_is_wrong(damage: Damage, failure: tuple[str, str | None, int | None]) -> None:
    document = Document()
    damage(document)
    report = document.verify()
    assert not report.ok
    assert failure in told(report), told(report)
    assert all(one.expected for one in report.failures if one.check not in ("attribute", "fragment"))


@pytest.mark.parametrize(
    ("theirs", "kind", "fails", "warns"),
    [
        ({"Each": "Each wing weighs 48 kg"}, "other", True, False),
        ({"Each": "Each wing weighs 45"}, "missing", False, True),
        ({"Each": "Each wing weighs45 kg"}, None, False, False),
        ({"Each": "Each wing weighs 45kg "}, "spacing", False, False),
        ({"Each": "Each wing-weighs 45 kg"}, "hyphen", False, False),
        ({"Each": "Each wing weighs 54 kg"}, "order", False, False),
        ({"Each": "Each wing weighs 4\uff15 kg"}, "ligature", False, False),
        ({"Each": "Each wing weighs 4\ufffd kg"}, "unmapped", False, True),
    ],
)
def test_what_another_library_reads_there_fails_or_warns(
    theirs: dict[str, str], kind: str | None, fails: bool, warns: bool
) -> None:
    report = Document().verify(Second(**theirs))
    assert (("second_reader", "text", 1) in told(report)) is fails
    assert bool(report.warnings) is warns
    if kind:
        assert report.second_reader_differences == {kind: 1}
        assert report.second_reader == (6 if fails or warns else 7)


def test_letters_that_another_library_sees_where_no_line_stands_are_a_warning() -> None:
    class Farsighted(Second):
        def glyphs(self, page: int, drawn: bool) -> list[Glyph] | None:
            return [*(super().glyphs(page, drawn) or []), *[Glyph(c, 0.01, 0.99, False) for c in "note" if page == 2]]

    report = Document().verify(Farsighted())
    assert report.ok
    assert report.second_reader_differences == {"beyond": 1}
    assert [(one.chunk_id, one.page, one.check, one.actual) for one in report.warnings] == [
        (None, 2, "second_reader", "beyond: note")
    ]


def test_what_a_second_library_cannot_open_is_counted_and_does_not_fail() -> None:
    class Blind(Second):
        def glyphs(self, page: int, drawn: bool) -> list[Glyph] | None:
            return None

    report = Document().verify(Blind())
    assert report.ok
    assert (report.second_reader, report.second_reader_differences) == (0, {"unreadable": 7})


def test_garbage_is_collected_again_when_a_page_was_compared_or_could_not_be() -> None:
    class Broken(Second):
        def glyphs(self, page: int, drawn: bool) -> list[Glyph] | None:
            assert not gc.isenabled()
            raise MemoryError

    assert gc.isenabled()
    with pytest.raises(MemoryError):
        Document().verify(Broken())
    assert gc.isenabled()
    Document().verify()
    assert gc.isenabled()
