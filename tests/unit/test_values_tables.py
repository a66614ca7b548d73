"""Values of tables and of whole documents: names, scales, units and qualifiers, table by table."""

import pytest

from shared.domain.attributes import Attribute
from shared.domain.draft import CellDraft, ChunkDraft, DocumentDraft, FormValue, TableDraft
from shared.domain.geometry import PageBox
from shared.domain.operations import AttributeClaim
from shared.extraction.attributes.document import attribute_of_claim, reading_of
from shared.extraction.attributes.labels import Scale, scales_of
from shared.extraction.attributes.tables import short_days, table_attributes
from shared.values.names import Hint
from shared.values.numbers import Style
from shared.values.quantities import NumberReading
from shared.values.units import unit_of

Short = tuple[int, str, str, object, str | None, str | None]


def table(rows: list[list[str]], header_rows: int = 1, caption: str = "") -> TableDraft:
    def cell(row: int, column: int, text: str) -> CellDraft:
        name = f"p1.f{100 * row + column}"
        return CellDraft(text=text, boxes=[PageBox(page=1, x=0, y=0, w=0, h=0, fragment_ids=(name,))] if text else [])

    grid = [[cell(r, c, text) for c, text in enumerate(row)] for r, row in enumerate(rows)]
    return TableDraft(header_rows=header_rows, rows=grid, caption=caption, first_page=1, last_page=1)


def short(row: int, one: Attribute) -> Short:
    return row, one.name, one.raw, one.value, one.quantity.unit if one.quantity else None, one.qualifier


def values(rows: list[list[str]], header_rows: int = 1, scale: Scale | None = None) -> list[Short]:
    found = list(table_attributes(table(rows, header_rows), scale or Scale(), NumberReading()))
    texts = {f"p1.f{100 * r + c}": text for r, row in enumerate(rows) for c, text in enumerate(row)}
    assert all(one.route == "table" and one.raw in texts[one.fragment_ids[0]] for _, one in found)
    return [short(row, one) for row, one in found]


MILLIONS = Scale(Hint(currency="USD", scale=1e6))
PERIODS = ["", "2025", "2024"]


@pytest.mark.parametrize(
    ("rows", "header", "expected"),
    [
        ([["Boat", "Mass (kg)"], ["A", "5"]], 1,
         [(1, "boat", "A", "A", None, None), (1, "mass", "5", 5.0, "kg", None)]),
        ([["Boat", "Mass (kg)"], ["A", "5 t"]], 1,
         [(1, "boat", "A", "A", None, None), (1, "mass", "5 t", 5.0, "t", None)]),
        ([["Boat", ""], ["A", "5"]], 1, [(1, "boat", "A", "A", None, None)]),
        ([["Boat", "x" * 81], ["A", "5"]], 1, [(1, "boat", "A", "A", None, None)]),
        ([["Boat", "x" * 80], ["A", "5"]], 1, [(1, "boat", "A", "A", None, None), (1, "x" * 60, "5", 5.0, None, None)]),
        ([["Boat", "Crew"], ["Sloops", ""], ["A", "5"]], 1,
         [(2, "boat", "A", "A", None, None), (2, "crew", "5", 5.0, None, None)]),
        # Four of five are numbers: the fifth is no name; three of four: all are names.
        ([["No"], ["1"], ["2"], ["3"], ["4"], ["x"]], 1,
         [(n, "no", str(n), float(n), None, None) for n in range(1, 5)] + [(5, "no", "x", "x", None, None)]),
        ([["No"], ["1"], ["2"], ["3"], ["x"]], 1,
         [(n, "no", str(n), str(n), None, None) for n in range(1, 4)] + [(4, "no", "x", "x", None, None)]),
        # Rows by period: the label is the name, the period the qualifier.
        ([PERIODS, ["Sales", "5", "6"]], 1,
         [(1, "sales", "5", 5.0, None, "2025"), (1, "sales", "6", 6.0, None, "2024")]),
        ([PERIODS, ["Sales (kg)", "5", "6"]], 1,
         [(1, "sales", "5", 5.0, "kg", "2025"), (1, "sales", "6", 6.0, "kg", "2024")]),
        ([PERIODS, ["Sales", "five", "6"], ["Cost", "1", "2"], ["Tax", "1", "2"], ["Fee", "1", "2"], ["Net", "1",
         "2"]], 1,
         [(1, "sales", "6", 6.0, None, "2024")] + [(r, n, t, float(t), None, q) for r, n in
          ((2, "cost"), (3, "tax"), (4, "fee"), (5, "net")) for t, q in (("1", "2025"), ("2", "2024"))]),
        ([["", "June 30", "Change"], ["Sales", "5", "6"]], 1,
         [(1, "sales", "5", 5.0, None, "June 30"), (1, "sales_change", "6", 6.0, None, "Change")]),
        ([["", "June 30", "Mass", "Crew"], ["Sales", "5", "6", "7"]], 1,
         [(1, "june_30", "5", 5.0, None, None), (1, "mass", "6", 6.0, None, None), (1, "crew", "7", 7.0, None, None)]),
        ([PERIODS, ["", "5", "6"]], 1, []),
        # Without a header: labels beside or inside the cells.
        ([["Mass:", "5 kg"]], 0, [(0, "mass", "5 kg", 5.0, "kg", None)]),
        ([["Mass (kg)", "5"]], 0, [(0, "mass", "5", 5.0, "kg", None)]),
        ([["Mass", "heavy"]], 0, []),
        ([["Mass:", "heavy"]], 0, [(0, "mass", "heavy", "heavy", None, None)]),
        ([["Mass 2", "5"]], 0, []),
        ([["Mass", "5", "6"]], 0, []),
        ([["Mass:", "5", "Crew:", "6"]], 0, [(0, "mass", "5", 5.0, None, None), (0, "crew", "6", 6.0, None, None)]),
        ([["Mass: 5 kg", "Crew: 6"]], 0, [(0, "mass", "5 kg", 5.0, "kg", None), (0, "crew", "6", 6.0, None, None)]),
        ([["", "Mass:", "", "5 kg"]], 0, [(0, "mass", "5 kg", 5.0, "kg", None)]),
        ([["x" * 81, "5"]], 0, []),
    ],
)  # fmt: skip
def test_what_the_cells_of_a_table_say(rows: list[list[str]], header: int, expected: list[Short]) -> None:
    assert values(rows, header) == expected


def test_a_cell_over_two_columns_is_of_neither() -> None:
    made = table([["Boat", "Mass", "Crew"], ["A", "5", ""]])
    wide = made.rows[1][1].model_copy(update={"col_span": 2})
    made = made.model_copy(update={"rows": [made.rows[0], [made.rows[1][0], wide]]})
    assert [one.name for _, one in table_attributes(made, Scale(), NumberReading())] == ["boat"]


@pytest.mark.parametrize(
    ("rows", "scale", "expected"),
    [
        ([PERIODS, ["Sales", "5", "6"]], MILLIONS, [(5e6, "USD"), (6e6, "USD")]),
        ([PERIODS, ["Sales (kg)", "5", "6"]], MILLIONS, [(5.0, "kg"), (6.0, "kg")]),
        ([PERIODS, ["Sales (EUR)", "5", "6"]], MILLIONS, [(5e6, "EUR"), (6e6, "EUR")]),
        ([PERIODS, ["Sales (in thousands)", "5", "6"]], MILLIONS, [(5e3, None), (6e3, None)]),
        ([PERIODS, ["Share", "5%", "6%"]], MILLIONS, [(5.0, "%"), (6.0, "%")]),
        ([PERIODS, ["Sales", "$5", "6"]], Scale(Hint(scale=1e3)), [(5e3, "USD"), (6e3, None)]),
        ([PERIODS, ["Sales", "$5", "$6"], ["Cost", "1", "2"]], Scale(Hint(scale=1e3)),
         [(5e3, "USD"), (6e3, "USD"), (1e3, "USD"), (2e3, "USD")]),
        ([PERIODS, ["Sales", "$5", "€6"], ["Cost", "€1", "2"]], Scale(Hint(scale=1e3)),
         [(5e3, "USD"), (6e3, "EUR"), (1e3, "EUR"), (2e3, "EUR")]),
        ([PERIODS, ["Sales", "5", "6"]], Scale(unclear=True), []),
        ([PERIODS, ["Mass", "5 kg", "$6"]], Scale(unclear=True), [(5.0, "kg")]),
        ([["Boat", "Mass (kg)"], ["A", "5"]], Scale(unclear=True), [(5.0, "kg")]),
        ([PERIODS, ["Earnings per share", "5", "6"], ["Sales", "7", "8"]],
         Scale(Hint(currency="USD", scale=1e6), frozenset({"share"})), [(7e6, "USD"), (8e6, "USD")]),
        ([PERIODS, ["Earnings", "5.25", "6"], ["Sales", "7", "8"]],
         Scale(Hint(currency="USD", scale=1e6), frozenset({"share"})), [(6e6, "USD"), (7e6, "USD"), (8e6, "USD")]),
        ([PERIODS, ["Per share: basic", "", ""], ["Basic", "5", "6"]],
         Scale(Hint(currency="USD", scale=1e6), frozenset({"share"})), []),
    ],
)  # fmt: skip
def test_what_stands_over_a_table_holds_for_its_bare_numbers(
    rows: list[list[str]], scale: Scale, expected: list[tuple[float, str | None]]
) -> None:
    found = [(value, unit) for _, _, _, value, unit, _ in values(rows, 1, scale) if isinstance(value, float)]
    assert found == expected


def draft(*pieces: str | TableDraft) -> DocumentDraft:
    tables = [piece for piece in pieces if isinstance(piece, TableDraft)]
    chunks = [
        ChunkDraft(section=None, chunk_type="text", content=piece, boxes=[]) if isinstance(piece, str)
        else ChunkDraft(section=None, chunk_type="table", content="", boxes=[], table=tables.index(piece))
        for piece in pieces
    ]  # fmt: skip
    return DocumentDraft(sections=[], chunks=chunks, tables=tables, confidence=1.0)


def other(caption: str = "", header: str = "2025") -> TableDraft:
    return table([["", header], [caption or "x", "1"]], caption=caption)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ((other(),), [Scale()]),
        (("(in millions)", other()), [Scale(Hint(scale=1e6))]),
        (("($ in thousands)", other()), [Scale(Hint(currency="USD", scale=1e3))]),
        (("(in millions)", "Boats", other()), [Scale(Hint(scale=1e6))]),
        (("(in millions)", "Boats", "Crews", other()), [Scale()]),
        (("(in millions)" + "x" * 288, other()), [Scale()]),
        (("(in millions)", "(in thousands)", other()), [Scale(Hint(scale=1e3))]),
        (("(in millions)", other("(in thousands)")), [Scale(Hint(scale=1e3))]),
        (("boats in all", other(header="2025 (in billions)")), [Scale(Hint(scale=1e9))]),
        (("(in millions)", other("a"), "x", "y", other("b")), [Scale(Hint(scale=1e6))] * 2),
        (("(in millions)", other("a"), "x", "y", other("b", "2024")), [Scale(Hint(scale=1e6)), Scale(unclear=True)]),
        (("(In millions, except per share amounts)", other()), [Scale(Hint(scale=1e6), frozenset({"share"}))]),
        (("(In millions, unless noted)", other()), [Scale(Hint(scale=1e6), frozenset())]),
        (("(In millions, except number of shares, which are reflected in thousands, and boats)", other()),
         [Scale(Hint(scale=1e6), frozenset({"share", "boat"}))]),
    ],
)  # fmt: skip
def test_the_scale_of_a_table_is_what_is_nearest_to_it(
    pieces: tuple[str | TableDraft, ...], expected: list[Scale]
) -> None:
    assert scales_of(draft(*pieces), plain_dollar=True) == expected


def test_a_scale_knows_where_it_does_not_hold() -> None:
    scale = Scale(Hint(scale=1e6), frozenset({"share"}))
    assert scale.of("Net sales", "5", decimals=False) == Hint(scale=1e6)
    assert scale.of("Shares sold", "5", decimals=False) is None
    assert scale.of("Net sales", "5.25", decimals=False) is None
    assert scale.of("Net sales", "5.25", decimals=True) == Hint(scale=1e6)
    assert scale.of("Net sales", "5,250", decimals=False) == Hint(scale=1e6)
    assert Scale(Hint(scale=1e6)).of("Shares sold", "5.25", decimals=False) == Hint(scale=1e6)
    assert Scale(unclear=True).of("Net sales", "5", decimals=True) is None


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (("It weighs 1.5 kg.",), NumberReading(style=Style.POINT)),
        (("Es wiegt 1,5 kg.",), NumberReading(style=Style.COMMA)),
        (("See 1.5 and 1,5.",), NumberReading(style=Style.UNKNOWN)),  # without units
        (("for $1,250.50",), NumberReading(style=Style.POINT)),
        (("weighs 1,234 kg",), NumberReading(style=Style.UNKNOWN)),
        ((table([["a"], ["1,5"]]),), NumberReading(style=Style.COMMA)),
        ((table([["1,5"], ["a"]]),), NumberReading(style=Style.UNKNOWN)),  # a header
        ((table([["a"], ["$ (1,250.5) %"]]),), NumberReading(style=Style.POINT)),
        (("$5 or CA$5",), NumberReading(style=Style.UNKNOWN, plain_dollar=False)),
        (("of Class CA", "$5 each"), NumberReading(style=Style.UNKNOWN)),
        (("at 5 knots",), NumberReading(style=Style.UNKNOWN, not_units=frozenset({"nm"}))),
        (("on 31/12/2025",), NumberReading(style=Style.UNKNOWN, month_first=False)),
        ((table([["a"], ["12/31/2025"]]),), NumberReading(style=Style.UNKNOWN, month_first=True)),
    ],
)
def test_how_a_document_writes_its_values(pieces: tuple[str | TableDraft, ...], expected: NumberReading) -> None:
    assert reading_of(draft(*pieces)) == expected


@pytest.mark.parametrize(
    ("raw", "value", "unit", "expected"),
    [
        ("7.5 kW", 7.5, "kW", (7.5, "kW", None)),
        ("7.5", 7.5, "kW", (7.5, "kW", None)),
        ("7.5", 7.5, None, (7.5, None, None)),
        ("7.5", 7.5, "EUR", (7.5, "EUR", None)),
        ("7.5", 7.5, "nonsense", (7.5, None, None)),
        ("7.5 kW", 8.0, "kW", (None, None, "7.5 kW")),
        ("7.5 kW", "7.5", "kW", (7.5, "kW", None)),
        ("10 hp (7.5 kW)", 10.0, "hp", (None, None, "10 hp (7.5 kW)")),
        ("very  fast", "fast", None, (None, None, "very fast")),
    ],
)
def test_a_claim_is_read_again(
    raw: str, value: float | str, unit: str | None, expected: tuple[float | None, str | None, str | None]
) -> None:
    claim = AttributeClaim(name="Max Power", value_fragment_ids=["p1.f1", "p1.f2"], raw=raw, value=value, unit=unit)
    found = attribute_of_claim(claim, NumberReading())
    quantity = found.quantity
    assert (quantity.number if quantity else None, quantity.unit if quantity else None, found.text) == expected
    assert (found.name, found.raw, found.fragment_ids, found.route) == ("max_power", raw, ("p1.f1", "p1.f2"), "model")


def test_a_claim_of_a_date_or_of_yes_is_typed_and_a_name_without_letters_stays() -> None:
    def claimed(raw: str, name: str = "x") -> Attribute:
        return attribute_of_claim(
            AttributeClaim(name=name, value_fragment_ids=["p1.f1"], raw=raw, value=raw), NumberReading()
        )

    assert (claimed("1 March 2026").value, claimed("1 March 2026").text) == ("2026-03-01", None)
    assert (claimed("yes").boolean, claimed("yes").text) == (True, None)
    assert claimed("yes", "12").name == "12"
    assert unit_of("kW").code == "kW"


def dated(*tables_: list[list[str]]) -> list[tuple[str, str | None]]:
    """Each attribute of these tables of one document: as printed, and the day that it is."""
    drafts = [table(rows) for rows in tables_]
    reading = NumberReading(days=short_days(drafts))
    found = [one for draft in drafts for _, one in table_attributes(draft, Scale(), reading)]
    return [(one.raw, one.time.date().isoformat() if one.time else None) for one in found if one.name == "sold"]


def test_a_column_of_short_dates_is_one_of_days_in_all_parts_of_its_table() -> None:
    first, second = [["Boat", "Sold"], ["A", "12/31/98"], ["B", "n/a"]], [["Boat", "Sold"], ["C", "1/2/99"]]
    assert dated(first, second) == [("12/31/98", "1998-12-31"), ("1/2/99", "1999-01-02")]
    assert dated(second) == [("1/2/99", None)]
    assert dated(first, [["Boat", "Sold"], ["C", "31/12/98"]]) == [("12/31/98", None), ("31/12/98", None)]
    assert dated(first, [["Boat", "Sold"], ["C", "later"]]) == [("12/31/98", None), ("later", None)]
    assert dated(first, [["Boat", "Built"], ["C", "later"]]) == [("12/31/98", "1998-12-31")]


def test_fields_below_a_header_are_named_by_their_labels() -> None:
    made = table([["Property", "Value"], ["Model", "KX-15"], ["Motor power", "15 hp"]])
    made.values = {1: [FormValue(label="Model", cell=1)], 2: [FormValue(label="Motor power", cell=1)]}
    found = [short(row, one) for row, one in table_attributes(made, Scale(), NumberReading())]
    assert found == [(1, "model", "KX-15", "KX-15", None, None), (2, "motor_power", "15 hp", 15.0, "[HP]", None)]


def test_fields_have_the_scale_that_is_stated_for_them() -> None:
    made = table([["Cash", "$ 5"], ["Ratio (%)", "7"]], 0)
    made.values = {0: [FormValue(label="Cash", cell=1)], 1: [FormValue(label="Ratio (%)", cell=1)]}
    found = [short(row, one)[3:5] for row, one in table_attributes(made, MILLIONS, NumberReading())]
    assert found == [(5e6, "USD"), (7.0, "%")]
