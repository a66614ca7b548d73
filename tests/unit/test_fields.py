"""What tells fields, labels beside their values, from tables of two columns and their headers."""

import pytest

from shared.values.fields import are_fields, begins_with_field, kind_of

QUOTE = [["Quote #", "Q-2025-014"], ["Customer", "Acme Foundry"], ["Attn", "Jane Doe"]]
SHEET = [["Model", "KX-15"], ["Motor power", "15 hp"], ["Weight", "210 kg"]]
NO_NUMBER = [["Customer", "Acme Foundry"], ["Quote no", "Q-2025-014"], ["Date", "2025-04-01"], ["Attn", "Jane Doe"]]


@pytest.mark.parametrize(
    "rows",
    [
        QUOTE,
        SHEET,
        NO_NUMBER,
        [["Salesperson:", "Tom Wu"], ["Department:", "Sales"]],
        [["Quote no.:", "7"], ["Amount:", ""], ["Tax no.:", "9"]],
        [["Valid from", "1 May 2025"], ["Valid until", "1 June 2025"], ["Signed", "2 May 2025"]],
        [["Machine", "KX-15"], ["Drive", ""], ["Motor power", "15 hp"], ["Weight", "210 kg"]],
        [["Date", "4/1/2025", "Terms", "Net 30"], ["Order", "A-7", "Weight", "210 kg"]],
    ],
)
def test_a_first_row_that_is_a_field_is_no_header(rows: list[list[str]]) -> None:
    assert begins_with_field(rows)


@pytest.mark.parametrize(
    "rows",
    [
        [["Model", "Price"], ["Brake", "12 EUR"], ["Chain", "9 EUR"], ["Wheel", "on request"]],
        [["Country", "Population"], ["France", "68,000"], ["Spain", "48,000"]],
        [["Country", "Capital"], ["France", "Paris"], ["Spain", "Madrid"]],
        [["Revenue", "2024"], ["Sales", "5"], ["Shop", "7"]],
        [["Revenue", "FY2024"], ["Sales", "5 EUR"], ["Margin", "7 %"], ["Due", "A-1"]],
        [["Name", "Power", "City", "Order"], ["Brake", "5 kW", "Rome", "A-1"], ["Chain", "7 kg", "Bonn", "1 May 2025"]],
        [["Model", "KX-15"], ["Power", "15 hp"], ["Standby", "3 hp"], ["Peak", "20 hp"]],
        [["Property", "Value"], ["Power", "15 hp"], ["Weight", "210 kg"], ["Model", "KX-15"]],
        [["Merkmal", "KX"], ["Power", "15 hp"], ["Weight", "210 kg"], ["Model", "KX-15"]],
        [["Ann Lee", "(713) 853-1587"], ["Bo Ek", "(713) 853-1588"], ["Cy Fox", "(713) 853-1589"]],
        [["KX-15", "15 hp"], ["KX-20", "210 kg"], ["KX-25", "A-1"]],
        [["Model", "KX-15"], ["Model", "KX-20"], ["Weight", "210 kg"]],
        [["Quote", "Q-1", "Date"], ["Customer", "Acme", "x"], ["Attn", "Jane", "y"]],
        [["Quote", "Q-1"], ["", "Acme"], ["Attn", "Jane"]],
        [["The pump is old.", "Q-1"], ["The seal is new.", "Acme"], ["It leaks.", "Jane"]],
        [["Quote", "Q-1"]],
        [],
    ],
)
def test_a_table_of_two_columns_begins_with_its_header(rows: list[list[str]]) -> None:
    assert not begins_with_field(rows)


@pytest.mark.parametrize(
    ("header", "rows", "expected"),
    [
        (["Property", "Value"], SHEET[1:], True),
        (["Key", "Wert"], [["Site manager", "Olga Brandt"], ["Contract", "none"]], True),
        (["Name", "Entry"], NO_NUMBER, True),
        (["Option", "Default"], [["Timeout", "30 s"], ["Size", "5 kg"], ["Since", "v2"]], True),
        (["Sex", "Value"], [["Female", "171000"], ["Male", "159000"]], False),
        (["Property", "Value"], [["Female", "171000"], ["Male", "159000"]], True),
        (["Item", "Price"], [["Brake", "12 EUR"], ["Chain", "9 USD"]], False),
        (["Country", "Capital"], [["France", "Paris"], ["Spain", "Madrid"]], False),
        (["Task", "Interval"], [["Oil", "500 h"], ["Filter", "20 min"]], False),
        (["Property", "Value", ""], SHEET[1:], False),
    ],
)
def test_below_a_header_are_fields_where_it_names_them_or_no_name_could_be_above_the_values(
    header: list[str], rows: list[list[str]], expected: bool
) -> None:
    assert are_fields(rows, header) is expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", ""), (" – ", ""), ("Acme Foundry", "words"), ("Net 30", "words"), ("2025-04-01", "date"),
        ("4/1/2025", "date"), ("1,200", "number"), ("98.7 %", "number"), ("$1,200.50", "money"), ("EUR 12", "money"),
        ("KX-15", "code"), ("+49 30 1234", "code"), ("(713) 853-1587", "code"), ("yes", "truth"),
    ],
)  # fmt: skip
def test_a_text_has_the_kind_of_the_whole(text: str, kind: str) -> None:
    assert kind_of(text) == kind


def test_units_of_one_dimension_are_one_kind() -> None:
    assert kind_of("15 hp") == kind_of("11 kW") != kind_of("210 kg")


def test_a_long_table_has_no_fields() -> None:
    assert begins_with_field([[f"Part{'x' * at}:", "1"] for at in range(50)])
    assert not begins_with_field([[f"Part{chr(97 + at // 26)}{chr(97 + at % 26)}:", "1"] for at in range(101)])
