from shared.domain.geometry import Rect
from shared.domain.operations import Cell, RegisterTable
from shared.domain.page import Fragment, PageFile
from shared.extraction.forms import split_forms
from shared.extraction.page_view import PageView
from tests.unit.test_extraction_headings import PITCH, Sheet, draft_of

GAP = 3 * PITCH


def split(*rows: list[str]) -> tuple[int, list[list[str]]]:
    """How many tables stay, and the texts of each chunk."""
    texts = [text for row in rows for text in row]
    fragments = [
        Fragment(id=f"p1.f{n}", text=text, box=Rect(x=0.1, y=0.02 * n, w=0.3, h=0.01), font="Serif", size=10)
        for n, text in enumerate(texts, 1)
    ]
    named = {fragment.text: fragment.id for fragment in fragments}
    page = PageFile(page=1, width_pt=595, height_pt=842, route="text", fragments=fragments, extractor_version="t")
    cells = [[Cell(fragment_ids=[named[text]]) for text in row] for row in rows]
    tables, chunks = split_forms([RegisterTable(rows=cells)], PageView(page))
    by_id = {fragment.id: fragment.text for fragment in fragments}
    return len(tables), [[by_id[i] for i in chunk.fragment_ids] for chunk in chunks]


def test_a_label_and_the_value_in_the_box_below_it_are_one_chunk() -> None:
    form = ["* 1. Name of the harbour:"], ["Kestrel Quay"], ["2. Berths:"], ["* 3. Master: A. Penn"], ["Signed"]
    assert split(*form) == (
        0, [["* 1. Name of the harbour:", "Kestrel Quay"], ["2. Berths:"], ["* 3. Master: A. Penn"], ["Signed"]],
    )  # fmt: skip


def test_a_table_of_columns_or_without_labels_stays_one() -> None:
    grid = [["Boat:", "Crew"], ["Kestrel", "7"], ["Merlin", "9"]]
    assert split(*grid) == (1, [])
    assert split(["Boats"], ["Kestrel"], ["Merlin"])[0] == 1
    assert split(["Boat:"], ["Kestrel"])[0] == 1
    assert split(["Boat:"], ["Kestrel"], ["Crew:"], ["Seven"], ["Berth: 4", "Quay: 2"])[0] == 0
    assert split(["Boat:"], ["Kestrel"], ["Crew:"], ["Berth: 4", "Quay: 2"])[0] == 1


def test_a_value_stands_far_behind_its_label_or_below_it_in_another_style() -> None:
    def texts(sheet: Sheet) -> list[str]:
        return [chunk.content for chunk in draft_of([sheet]).chunks]

    beside = Sheet().line("Name of the boat:", step=GAP).line("Kestrel", x=0.4, step=0)
    assert texts(beside) == ["Name of the boat: Kestrel"]
    assert texts(Sheet().line("Name of the boat", step=GAP).line("Kestrel", x=0.4, step=0)) == [
        "Name of the boat",
        "Kestrel",
    ]
    assert len(texts(Sheet().line("Name:", step=GAP).line("Crew:", x=0.3, step=0))) == 2
    assert len(texts(Sheet().line("Name of the boat:", step=GAP).line("Kestrel", x=0.6, step=0))) == 2
