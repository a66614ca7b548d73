"""The learned decision: what it keeps and refuses on made pages, and the signs that it weighs."""

from json import loads
from typing import Any

import pytest

from shared.domain.geometry import Rect
from shared.domain.operations import RegisterChunk, RegisterSection
from shared.domain.page import PageImage
from shared.domain.sketch import TitleMark
from shared.extraction.layout import extract_page
from shared.extraction.tables import detect, plausible
from shared.extraction.tables.plausible import WEIGHTS, probability
from shared.extraction.tables.signs import signs_of
from shared.extraction.titles.evidence import title_key
from tests.unit.test_table_places import BODY, PROFILE, H, Page, W

Signs = dict[str, float]


def signs(page: Page, monkeypatch: pytest.MonkeyPatch) -> Signs:
    """Those of the only table that is found on the page, before the decision."""
    found: list[Signs] = []

    def keep(*known: Any) -> bool:
        found.append(signs_of(*known))
        return True

    monkeypatch.setattr(detect, "is_plausible", keep)
    assert len(page.tables) == 1
    return found[0]


def test_each_sign_has_a_weight_and_each_weight_a_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"", *signs(Page().rows(100, *BODY), monkeypatch)} == set(loads(WEIGHTS.read_text(encoding="utf-8")))


def test_a_sign_counts_by_its_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plausible, "_weights", lambda: {"": (0.0, -1.0), "rows": (2.0, 0.5), "grid": (0.0, 2.0)})
    assert probability({"rows": 2.0, "grid": 0.0}) == pytest.approx(0.2689, abs=1e-4)
    assert probability({"rows": 4.0, "grid": 0.0}) == pytest.approx(0.5)
    assert probability({"rows": 4.0, "grid": 1.0}) == pytest.approx(0.8808, abs=1e-4)
    assert probability({"rows": 1e6, "grid": 0.0}) == pytest.approx(1.0)


@pytest.mark.parametrize(("chance", "found"), [(plausible.LEAST, True), (plausible.LEAST - 1e-6, False)])
def test_what_is_hardly_a_table_is_text(chance: float, found: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plausible, "probability", lambda _: chance)
    page = Page().text(60, 84, "Birds: What was counted at sea").rows(100, *BODY)
    done = extract_page(page.view.page, PROFILE)
    text = [name for op in done.operations if isinstance(op, RegisterChunk) for name in op.fragment_ids]
    assert (len(page.tables) == 1) is found
    assert set(text).isdisjoint({"p1.f2", "p1.f10"}) is found


def test_the_caption_of_what_is_no_table_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page().text(60, 84, "Table 3: Birds").rows(100, *BODY)
    assert [table.caption_fragment_ids for table in page.tables] == [["p1.f1"]]
    monkeypatch.setattr(detect, "is_plausible", lambda *_: False)
    done = extract_page(page.view.page, PROFILE)
    assert "p1.f1" in [name for op in done.operations if isinstance(op, RegisterChunk) for name in op.fragment_ids]


@pytest.mark.parametrize(("caption", "found"), [("Table 3: Birds", True), ("Figure 3: Birds", False)])
def test_what_its_caption_calls_a_table_is_one(caption: str, found: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plausible, "probability", lambda _: 0.0)
    page = Page().text(60, 84, caption).rows(100, *BODY)
    assert (len(page.tables) == 1) is found


def test_rules_header_and_numbers_speak_for_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = signs(Page().rows(100, *BODY), monkeypatch)
    drawn = signs(Page().grid((95, 110, 124, 140), (55, 190, 290, 350)).rows(100, *BODY), monkeypatch)
    assert (plain["grid"], plain["any rule"], plain["walls"]) == (0.0, 0.0, 0.0)
    assert (drawn["grid"], drawn["any rule"], drawn["rules a row"]) == (1.0, 1.0, pytest.approx(4 / 3))
    assert probability(drawn) > probability(plain)
    head = Page().row(86, "Bird", "2022", "2023", bold=True).rows(100, *BODY)
    assert (plain["header"], signs(head, monkeypatch)["header"]) == (0.0, 1.0)


def test_shares_of_cells_and_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    found = signs(Page().rows(100, *BODY, ("Gull", "", "7")), monkeypatch)
    assert found["filled"] == pytest.approx(11 / 12)
    assert found["side by side"] == 1.0
    assert found["full rows"] == found["even kinds"] - 0.25 == 0.75
    assert found["two alone"] == 0.25
    assert found["values"] == pytest.approx(7 / 11)
    assert found["value columns"] == pytest.approx(2 / 3)
    assert found["least column"] == 0.75


def test_lines_that_go_on_in_lower_case_break(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (("Kestrel", "of the"), ("sea and", "its coast"), ("is heard", "at night."), ("Heron", "is not"))
    assert signs(Page().rows(100, *rows), monkeypatch)["breaks"] == pytest.approx(2 / 3)


def test_columns_that_share_no_edge_are_ragged(monkeypatch: pytest.MonkeyPatch) -> None:
    even = signs(Page().rows(100, *BODY), monkeypatch)
    page = Page().rows(100, *BODY)
    page.row(142, "Gull", "7", "31", at=(60, 206, 300))
    assert even["ragged"] == even["most ragged"] == 0.0
    assert signs(page, monkeypatch)["most ragged"] > 0.0
    right = Page()
    for n, (name, figure) in enumerate((("Kestrel", "3100"), ("Heron", "35"), ("Swift", "366"))):
        right.row(100 + 14 * n, name, figure, at=(60, 320 - 5 * len(figure)))
    assert signs(right, monkeypatch)["ragged"] == pytest.approx(0.0, abs=1e-9)


def test_a_header_is_no_part_of_what_columns_have_in_common(monkeypatch: pytest.MonkeyPatch) -> None:
    head = Page().row(86, "Bird", "Counted", "Seen", bold=True).rows(100, *BODY)
    assert signs(head, monkeypatch)["even kinds"] == 1.0


@pytest.mark.parametrize(("kind", "share"), [("vector", 0.5), ("bitmap", 0.0)])
def test_a_drawing_covers_a_share_of_it(kind: str, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page().rows(100, *BODY)  # from 60 to 310, and from 100 to 138
    box = Rect(x=0, y=100 / H, w=185 / W, h=38 / H)
    page.images.append(PageImage(id="p1.i1", box=box, kind="vector" if kind == "vector" else "bitmap"))
    found = signs(page, monkeypatch)
    assert (found["drawn"], found["drawings"]) == (pytest.approx(share), float(share > 0))


def test_what_is_around(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = signs(Page().rows(100, *BODY), monkeypatch)
    page = Page().text(60, 70, "The birds are:", font="Sans").rows(100, *BODY).text(80, 158, "Last one.")
    near = signs(page, monkeypatch)
    assert (alone["share"], alone["above"], alone["below"]) == (1.0, 6.0, 6.0)
    assert (near["share"], near["above"], near["below"]) == (pytest.approx(9 / 11), 2.0, 2.0)
    assert (near["colon above"], near["edge above"], near["edge below"]) == (1.0, 1.0, 0.0)
    assert (near["style above"], near["style below"]) == (0.0, 1.0)


def symbols(font: str) -> Page:
    """Four rows of two signs each, between lines of text."""
    page = Page().text(60, 60, "The sum is taken over all pairs of neighbours,")
    for n in range(4):
        page.row(100 + 14 * n, "a", "ij" + "b" * (n % 2), at=(60, 205 + 7 * (n % 2)), font=font)
    return page.text(60, 170, "where the last one is left out. It goes on like this to the end of the line.")


def test_signs_of_formulas_in_rows_between_lines_of_text_are_no_table() -> None:
    assert symbols("ABCDEF+CMMI10").tables == []
    assert len(symbols("Serif").tables) == 1
    assert len(Page().rows(100, *BODY).tables) == 1


@pytest.mark.parametrize(("bold", "marked"), [(True, False), (False, False), (False, True)])
def test_rows_side_by_side_in_what_is_no_table_are_neither_titles_nor_rules(
    bold: bool, marked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = TitleMark(page=1, key=title_key("1.4 Kestrel birds"), level=2, address="1.4")
    profile = PROFILE.model_copy(update={"marks": [mark] if marked else []})

    def opened(page: Page) -> int:
        found = extract_page(page.view.page, profile).operations
        return sum(
            isinstance(op, RegisterSection) or bool(isinstance(op, RegisterChunk) and op.section) for op in found
        )

    monkeypatch.setattr(detect, "is_plausible", lambda *_: False)
    rows = ("1.4 Kestrel birds", "17", "18"), ("1.5 Heron birds", "27", "28"), ("1.6 Swift birds", "37", "38")
    page = Page()
    for n, row in enumerate(rows):
        large = bold and n > 0
        page.row(100 + 24 * n, *row, bold=bold, font="Sans" if large else "Serif", size=16.0 if large else 10.0)
    assert opened(page) == 0
    assert opened(Page().text(60, 100, rows[0][0], bold=bold)) == 1
