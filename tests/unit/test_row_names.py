"""What rows of statements belong to, by labels, indentation and totals; and what their values are called."""

import pytest

from shared.domain.attributes import Attribute
from shared.domain.draft import CellDraft, TableDraft
from shared.domain.geometry import PageBox
from shared.extraction.attributes.labels import Scale
from shared.extraction.attributes.row_names import full_name
from shared.extraction.attributes.tables import table_attributes
from shared.extraction.tables.groups import Groups
from shared.values.quantities import NumberReading

PERIODS = ["", "Three Months Ended June 24, 2023", "Three Months Ended June 25, 2022"]
Row = tuple[float, list[str]]


def table(header: list[str], rows: list[Row]) -> TableDraft:
    """Rows with the place where their first cell begins."""

    def cells(row: int, indent: float, texts: list[str]) -> list[CellDraft]:
        boxes = [PageBox(page=1, x=indent, y=0, w=0.2, h=0.01, fragment_ids=(f"p1.f{row}",))]
        return [CellDraft(text=text, boxes=boxes if text and n == 0 else []) for n, text in enumerate(texts)]

    grid = [cells(n, indent, texts) for n, (indent, texts) in enumerate([(0.1, header), *rows])]
    return TableDraft(header_rows=1, rows=grid, first_page=1, last_page=1)


def found(rows: list[Row], header: list[str] = PERIODS, heading: str = "", known: str = "") -> list[Attribute]:
    made = table_attributes(table(header, rows), Scale(), NumberReading(), lambda name: name == known, heading)
    return [one for _, one in made]


def names(rows: list[Row], header: list[str] = PERIODS, heading: str = "", known: str = "") -> list[str]:
    return list(dict.fromkeys(one.name for one in found(rows, header, heading, known)))


CATEGORIES: list[Row] = [(0.1, ["Mac", "6", "7"]), (0.1, ["iPad", "5", "9"])]


def test_rows_that_add_up_to_a_total_are_called_after_it() -> None:
    rows: list[Row] = [*CATEGORIES, (0.15, ["Total net sales", "11", "16"])]
    assert names(rows) == ["net_sales_mac", "net_sales_ipad", "total_net_sales"]
    assert {one.qualifier for one in found(rows)} == set(PERIODS[1:])


@pytest.mark.parametrize("total", [["Total net sales", "11", "19"], ["Net sales", "11", "16"]])
def test_they_are_not_where_one_column_differs_or_nothing_says_total(total: list[str]) -> None:
    assert names([*CATEGORIES, (0.1, total)])[:2] == ["mac", "ipad"]


def test_income_less_cost_is_no_part_of_what_is_left() -> None:
    rows: list[Row] = [(0.1, ["Income", "9", "9"]), (0.1, ["Cost", "(4)", "(3)"]), (0.1, ["Total profit", "5", "6"])]
    assert names(rows) == ["income", "cost", "total_profit"]


def test_a_mere_total_is_one_of_what_stands_over_the_table() -> None:
    rows: list[Row] = [*CATEGORIES, (0.1, ["Total", "11", "16"])]
    assert names(rows, heading="Units sold") == ["units_sold_mac", "units_sold_ipad", "units_sold_total"]
    assert names(rows) == ["mac", "ipad", "total"]


def test_a_total_counts_only_the_rows_since_the_total_before_it() -> None:
    rows: list[Row] = [
        *CATEGORIES, (0.1, ["Total devices", "11", "16"]), (0.1, ["Care", "2", "2"]), (0.1, ["Music", "3", "4"]),
        (0.1, ["Total services", "5", "6"]),
    ]  # fmt: skip
    assert names(rows) == ["devices_mac", "devices_ipad", "total_devices", "services_care", "services_music",
                           "total_services"]  # fmt: skip


def test_indented_rows_are_called_after_the_label_above_them_and_no_other_row_is() -> None:
    rows: list[Row] = [(0.1, ["Assets:", "", ""]), (0.13, ["Cash", "1", "2"]), (0.1, ["Goodwill", "3", "4"]),
                       (0.1, ["Debts:", "", ""]), (0.13, ["Cash", "5", "6"])]  # fmt: skip
    assert names(rows) == ["assets_cash", "goodwill", "debts_cash"]


def test_a_total_ends_its_group_however_far_it_is_indented() -> None:
    rows: list[Row] = [(0.1, ["Cost of sales:", "", ""]), (0.1, ["Products", "1", "2"]),
                       (0.15, ["Total cost of sales", "1", "2"]), (0.2, ["Gross margin", "3", "4"])]  # fmt: skip
    assert names(rows) == ["cost_of_sales_products", "total_cost_of_sales", "gross_margin"]


def test_a_column_that_is_no_period_is_part_of_the_name() -> None:
    header = [*PERIODS, "$ Change (in millions)", "% Change"]
    assert names([(0.1, ["Sales", "5", "6", "1", "20%"])], header) == ["sales", "sales_change", "sales_percent_change"]


def test_columns_and_rows_name_a_value_together_where_periods_are_the_groups() -> None:
    rows: list[Row] = [(0.1, ["Year ended May 1, 2022", "", ""]), (0.1, ["Revenue", "5", "6"]),
                       (0.1, ["Year ended May 2, 2021", "", ""]), (0.1, ["Revenue", "7", "8"])]  # fmt: skip
    values = found(rows, ["", "Compute", "Graphics"])
    assert [(one.name, one.raw, one.qualifier) for one in values] == [
        ("compute_revenue", "5", "Year ended May 1, 2022"), ("graphics_revenue", "6", "Year ended May 1, 2022"),
        ("compute_revenue", "7", "Year ended May 2, 2021"), ("graphics_revenue", "8", "Year ended May 2, 2021"),
    ]  # fmt: skip


def test_a_name_that_is_declared_stays_what_it_was() -> None:
    rows: list[Row] = [*CATEGORIES, (0.1, ["Total net sales", "11", "16"])]
    assert names(rows, known="mac")[:2] == ["mac", "net_sales_ipad"]


@pytest.mark.parametrize(
    ("groups", "name", "leaf", "expected"),
    [
        ([], "mac", "", "mac"),
        (["All:", "Net sales:"], "mac", "", "net_sales_mac"),
        (["Current assets:"], "total_current_assets", "", "total_current_assets"),
        (["Net sales"], "mac", "Change", "net_sales_mac_change"),
        (["Items: of the year"], "mac", "", "items_mac"),
        (["a" * 20 + " " + "b" * 20 + " " + "c" * 20], "mac", "", "a" * 20 + "_" + "b" * 20 + "_mac"),
        (["Sales"], "m" * 60, "", "m" * 60),
    ],
)
def test_the_whole_name(groups: list[str], name: str, leaf: str, expected: str) -> None:
    assert full_name(groups, name, leaf) == expected


def test_labels_within_labels() -> None:
    groups = Groups()
    steps = [("Liabilities", 0.1, True), ("Current:", 0.12, True), ("Debt", 0.14, False), ("Long-term:", 0.12, True),
             ("Debt", 0.14, False), ("", None, False), ("Equity", 0.1, False)]  # fmt: skip
    assert [groups.enter(*step) for step in steps] == [
        [], ["Liabilities"], ["Liabilities", "Current:"], ["Liabilities"], ["Liabilities", "Long-term:"],
        ["Liabilities", "Long-term:"], [],
    ]  # fmt: skip


def test_without_indentation_a_label_holds_until_the_next() -> None:
    groups = Groups()
    steps = [("A", True), ("1", False), ("2", False), ("B", True), ("3", False)]
    assert [groups.enter(text, 0.1, label) for text, label in steps] == [[], ["A"], ["A"], [], ["B"]]
