import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.extraction.attributes.values import read_values
from shared.values.dates import find_dates, month_first, whole_date
from shared.values.names import Hint
from shared.values.numbers import Style, parse_number, style_of
from shared.values.quantities import NumberReading, find_limits, find_quantities

POINT = NumberReading()


def found(text: str, reading: NumberReading = POINT) -> list[tuple[str, float, str | None]]:
    return [(text[f.start : f.end], f.quantity.number, f.quantity.unit) for f in find_quantities(text, reading)]


@pytest.mark.parametrize(
    ("text", "style", "value"),
    [
        ("1,234.5", Style.UNKNOWN, 1234.5),
        ("1.234,5", Style.UNKNOWN, 1234.5),
        ("1,234", Style.POINT, 1234.0),
        ("1,234", Style.COMMA, 1.234),
        ("1,234", Style.UNKNOWN, None),
        ("1.234", Style.UNKNOWN, None),
        ("12,5", Style.COMMA, 12.5),
        ("12,5", Style.POINT, None),
        ("0.125", Style.UNKNOWN, 0.125),
        ("1\u202f234,5", Style.COMMA, 1234.5),
        ("1,234,567", Style.POINT, 1234567.0),
        ("1.234.567", Style.COMMA, 1234567.0),
        ("0.00001", Style.POINT, 1e-05),
        ("1.5×10−5", Style.POINT, 1.5e-05),
        ("4e3", Style.POINT, 4000.0),
        ("1/2", Style.POINT, 0.5),
        ("3 1/2", Style.POINT, 3.5),
        ("2½", Style.POINT, 2.5),
        ("9" * 400, Style.POINT, None),
        ("9" * 400 + "½", Style.POINT, None),
        ("9" * 5000 + " 1/2", Style.POINT, None),
        ("5 × 10⁹⁹⁹⁹⁹⁹⁹⁹", Style.POINT, None),
        ("5 × 10" + "⁹" * 5000, Style.POINT, None),
        ("1e60", Style.POINT, None),
    ],
)
def test_a_number_is_read_in_its_style_or_not_at_all(text: str, style: Style, value: float | None) -> None:
    assert parse_number(text, style) == value


@pytest.mark.parametrize("part", ["1 kg ", "1 ", "$1 ", "page 1 "])
def test_a_paragraph_of_numbers_takes_time_in_proportion_to_its_length(part: str) -> None:
    def seconds(times: int) -> float:
        begun = time.process_time()
        list(find_quantities(part * times, POINT))
        return time.process_time() - begun

    assert min(seconds(4000) for _ in range(3)) < 8 * min(seconds(1000) for _ in range(3))


def test_the_style_of_a_document_is_what_its_unambiguous_numbers_agree_on() -> None:
    assert style_of(["1.5", "2,345", "1,234.5"]) is Style.POINT
    assert style_of(["1,5", "2.345", "1.234,5"]) is Style.COMMA
    assert style_of(["1.234", "5,678"]) is Style.UNKNOWN
    assert style_of(["1.5", "1,5"]) is Style.UNKNOWN


@pytest.mark.parametrize(
    ("text", "raw", "number", "unit"),
    [
        ("a tank of 270 litres,", "270 litres", 270.0, "L"),
        ("at −40 °C and", "−40 °C", -40.0, "Cel"),
        ("about 3.5 kg", "about 3.5 kg", 3.5, "kg"),
        ("costs $1.2 billion.", "$1.2 billion", 1.2e9, "USD"),
        ("costs $1.2 billion¹.", "$1.2 billion", 1.2e9, "USD"),
        ("costs 1.2 million EUR² there", "1.2 million EUR", 1.2e6, "EUR"),
        ("costs €12 m²", "€12", 12.0, "EUR"),
        ("for EUR 15,000 net", "EUR 15,000", 15000.0, "EUR"),
        ("EUR  3,400 a year", "EUR  3,400", 3400.0, "EUR"),
        ("$      12.50", "$      12.50", 12.5, "USD"),
        ("3 million euros", "3 million euros", 3e6, "EUR"),
        ("a 90-day period", "90-day", 90.0, "d"),
        ("within thirty days of", "thirty days", 30.0, "d"),
        ("a charge for twenty-four months.", "twenty-four months", 24.0, "mo"),
        ("a three-year plan", "three-year", 3.0, "a"),
        ("42,069 $ 148", "$ 148", 148.0, "USD"),
        ("mass (13 kg)", "13 kg", 13.0, "kg"),
    ],
)
def test_a_quantity_in_a_sentence_is_found_with_its_unit(text: str, raw: str, number: float, unit: str) -> None:
    assert found(text) == [(raw, number, unit)]


@pytest.mark.parametrize(
    "text",
    [
        "Figure 5 A shows", "in the 1990s", "5 in the room", "ISO 1217, annex C", "see Table 3 m", "12 participants",
        "5 kg/person", "flux of 0.18 g CO2 m−2 h−1", "C7.6.2 m", "3/4/2026", "pages 5 K and 6", "a 10−5 m gap", "5A",
        "one day we", "two people", "two in three", "a ten-point list", "often m",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_quantity_is_none(text: str) -> None:
    assert found(text) == []


def test_ranges_tolerances_and_bounds_are_kept_apart() -> None:
    quantities = [
        f.quantity for f in find_quantities("7.5–80 kV, 300±15 °C, <2 ppm, up to 5 m, $10-$20 million", POINT)
    ]
    assert [(q.number, q.upper, q.tolerance, q.comparator) for q in quantities] == [
        (7.5, 80.0, None, "="),
        (300.0, None, 15.0, "="),
        (2.0, None, None, "<"),
        (5.0, None, None, "<="),
        (1e7, 2e7, None, "="),
    ]


def test_a_dollar_that_may_be_several_has_no_currency() -> None:
    assert found("costs $5", NumberReading(plain_dollar=False)) == []
    assert found("costs CA$5", NumberReading(plain_dollar=False)) == [("CA$5", 5.0, "CAD")]


def test_a_unit_that_the_document_uses_in_another_sense_is_not_typed() -> None:
    assert found("5 nm away", NumberReading(not_units=frozenset({"nm"}))) == []


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [("(1,234)", -1234.0, None), ("$ (1,234)", -1234.0, "USD"), ("(12.5)%", -12.5, "%"), ("31.2", 31.2, None)],
)
def test_a_cell_is_a_number_with_its_sign(text: str, number: float, unit: str | None) -> None:
    quantity = read_values(text, POINT)[0].quantity
    assert quantity is not None
    assert (quantity.number, quantity.unit) == (number, unit)


@pytest.mark.parametrize("text", ["—", "n/a", "", "-", "N/A"])
def test_a_cell_that_says_nothing_has_no_value(text: str) -> None:
    assert not read_values(text, POINT)


@pytest.mark.parametrize("text", ["0001652044", "123456789012345", "2-3", "TF-7", "4711-A", "4711-B"])
def test_a_code_is_no_number(text: str) -> None:
    assert all(value.quantity is None for value in read_values(text, POINT))


def test_a_header_gives_bare_numbers_their_scale_and_currency() -> None:
    hint = Hint(currency="USD", scale=1e6)
    assert [v.quantity.number for v in read_values("89,498", POINT, hint) if v.quantity] == [89498e6]
    assert [v.quantity.number for v in read_values("$ 89,498", POINT, hint) if v.quantity] == [89498e6]
    assert [v.quantity.number for v in read_values("12 %", POINT, hint) if v.quantity] == [12.0]


@pytest.mark.parametrize(
    "text", ["2026-03-01", "1 March 2026", "March 1, 2026", "1. März 2026", "01.03.2026", "2026年3月1日", "Mar 1, 2026"]
)
def test_dates_of_many_forms_are_one_day(text: str) -> None:
    date = whole_date(text)
    assert date is not None
    assert date.date().isoformat() == "2026-03-01"


def test_a_date_with_two_meanings_is_read_only_where_the_document_says_which_number_is_the_month() -> None:
    assert list(find_dates("on 3/4/2026")) == []
    assert month_first("12/31/2025 and 3/4/2026") is True
    assert month_first("31/12/2025") is False
    assert month_first("31/12/2025 or 12/31/2025") is None
    assert [d.month for _, _, d in find_dates("on 3/4/2026", month_first=True)] == [3]
    assert [d.month for _, _, d in find_dates("on 3/4/2026", month_first=False)] == [4]


def test_a_day_that_does_not_exist_is_no_date() -> None:
    assert whole_date("31 February 2026") is None


@given(st.text(alphabet="0123456789.,-−–±%$€()/ ×kgm°CsSECFM¹²⁻eE\u00a0½\n", max_size=40))
def test_no_text_breaks_the_reading_and_positions_are_inside_it(text: str) -> None:
    for one in find_quantities(text, POINT):
        assert 0 <= one.start < one.end <= len(text)
    for value in read_values(text, POINT):
        assert 0 <= value.start < value.end <= len(text)


@pytest.mark.parametrize(
    "text",
    ["Mon, 2 Mar 2026 14:05:44 +0100", "2 Mar 2026 09:00", "Monday, March 2, 2026 5:44:22 PM", "2026-03-02",
     "Mon, 2 Mar 2026 13:56:12 +0000 (UTC)"],
)  # fmt: skip
def test_a_date_with_its_weekday_and_time_is_its_day(text: str) -> None:
    (value,) = read_values(text, POINT)
    assert value.time == datetime(2026, 3, 2, tzinfo=UTC)
    assert (value.start, value.end) == (0, len(text))


@pytest.mark.parametrize("text", ["2 Mar 2026 at the gate 14:05", "Pump, 2 Mar 2026 and more"])
def test_a_date_among_other_words_is_text(text: str) -> None:
    assert [value.time for value in read_values(text, POINT)] == [None]


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("more than 5000 passengers in 2019", ["5000"]),
        ("At least 4 lanes, under $1,200 and <= 80 km/h", ["4", "1,200", "80"]),
        ("between 1.5 kN and 3 kN, or Between 5 and 7", ["1.5", "3", "5", "7"]),
        ("about 9 m of class 10.9 over the bridge", []),
    ],
)
def test_numbers_that_something_is_to_be_above_or_below_are_limits(text: str, limits: list[str]) -> None:
    assert find_limits(text) == limits
