"""Numbers, money, dates, units and quantities in print: what they are is written here by hand, case by case."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.extraction.attributes.labels import find_labelled
from shared.extraction.attributes.values import read_values
from shared.values.dates import find_dates, month_first, whole_date
from shared.values.money import currency_of, has_other_dollars, scale_of
from shared.values.names import Hint, hint_of, name_of, read_label
from shared.values.numbers import Style, parse_number, style_of
from shared.values.quantities import NumberReading, find_quantities, other_senses
from shared.values.units import match_unit, ucum_unit, unit_of, whole_unit

POINT, COMMA, UNKNOWN = Style.POINT, Style.COMMA, Style.UNKNOWN


@pytest.mark.parametrize(
    ("text", "point", "comma", "unknown"),
    [
        ("0", 0, 0, 0),
        ("7", 7, 7, 7),
        ("1234", 1234, 1234, 1234),
        (" 42 ", 42, 42, 42),
        ("1.5", 1.5, None, 1.5),
        ("1,5", None, 1.5, 1.5),
        ("0.5", 0.5, None, 0.5),
        ("0.250", 0.25, None, 0.25),  # a group never begins with a nought
        ("0,250", None, 0.25, 0.25),
        ("12.34", 12.34, None, 12.34),
        ("1234.567", 1234.567, None, 1234.567),  # a group never has four digits before it
        ("1234,567", None, 1234.567, 1234.567),
        ("123,456", 123456, 123.456, None),
        ("123.456", 123.456, 123456, None),
        ("1,234.5", 1234.5, 1234.5, 1234.5),
        ("1.234,5", 1234.5, 1234.5, 1234.5),
        ("12,345,678", 12345678, 12345678, 12345678),
        ("1.234.567", 1234567, 1234567, 1234567),
        ("1.234.567,89", 1234567.89, 1234567.89, 1234567.89),
        ("1,234,567.89", 1234567.89, 1234567.89, 1234567.89),
        ("1\u00a0234", 1234, 1234, 1234),
        ("1\u202f234\u202f567,8", 1234567.8, 1234567.8, 1234567.8),
        ("1'234.50", 1234.5, 1234.5, 1234.5),
        ("1\u2019234", 1234, 1234, 1234),
        (".5", 0.5, None, 0.5),
        ("·5", 0.5, None, 0.5),
        ("½", 0.5, 0.5, 0.5),
        ("¼", 0.25, 0.25, 0.25),
        ("3¾", 3.75, 3.75, 3.75),
        ("3 ¼", 3.25, 3.25, 3.25),
        ("3/4", 0.75, 0.75, 0.75),
        ("2 3/8", 2.375, 2.375, 2.375),
        ("11/16", 0.6875, 0.6875, 0.6875),
        ("4/4", None, None, None),
        ("5/4", None, None, None),
        ("0/4", None, None, None),
        ("2e3", 2000, 2000, 2000),
        ("2E-3", 0.002, 0.002, 0.002),
        ("2e+3", 2000, 2000, 2000),
        ("6 × 10^23", 6e23, 6e23, 6e23),
        ("6×10²³", 6e23, 6e23, 6e23),
        ("1.5 x 10⁻⁷", 1.5e-7, None, 1.5e-7),
        ("1.5·10−5", 1.5e-5, None, 1.5e-5),
        ("3⋅10-2", 0.03, 0.03, 0.03),
        ("1e50", 1e50, 1e50, 1e50),
        ("2e50", None, None, None),
        ("1e-99", 1e-99, 1e-99, 1e-99),
        ("one", 1, 1, 1),
        ("nine", 9, 9, 9),
        ("ten", 10, 10, 10),
        ("thirteen", 13, 13, 13),
        ("nineteen", 19, 19, 19),
        ("twenty", 20, 20, 20),
        ("thirty-one", 31, 31, 31),
        ("Ninety-nine", 99, 99, 99),
        ("", None, None, None),
        ("1.2.3", None, None, None),
        ("1-2", None, None, None),
        ("x1", None, None, None),
    ],
)
def test_the_value_of_a_printed_number_by_the_style_of_its_document(
    text: str, point: float | None, comma: float | None, unknown: float | None
) -> None:
    if text == "x1":
        with pytest.raises(KeyError):
            parse_number(text, POINT)
        return
    assert [parse_number(text, style) for style in (POINT, COMMA, UNKNOWN)] == [point, comma, unknown]


@pytest.mark.parametrize(("length", "value"), [(80, True), (81, False)])
def test_a_line_of_digits_without_end_is_no_number(length: int, value: bool) -> None:
    text = "0." + "1" * (length - 2)
    assert (parse_number(text, POINT) is not None) is value


@given(st.integers(0, 10**12), st.integers(0, 99))
def test_any_amount_printed_with_groups_and_decimals_is_read_back(whole: int, cents: int) -> None:
    english = f"{whole:,}.{cents:02}"
    german = english.translate(str.maketrans(",.", ".,"))
    value = float(f"{whole}.{cents:02}")
    assert parse_number(english, POINT) == value
    assert parse_number(german, COMMA) == value
    french = f"{whole:,}".replace(",", "\u202f") + f",{cents:02}"
    assert parse_number(french, COMMA) == value


@pytest.mark.parametrize(
    ("numbers", "style"),
    [
        ([], UNKNOWN),
        (["12", "7"], UNKNOWN),
        (["1.5"], POINT),
        (["1,5"], COMMA),
        (["1,234"], UNKNOWN),
        (["1.234"], UNKNOWN),
        (["0.123"], POINT),
        (["0,123"], COMMA),
        (["1,234,567"], POINT),
        (["1.234.567"], COMMA),
        (["1,234.567"], POINT),
        (["1.234,567"], COMMA),
        (["1.5"] * 9 + ["1,5"], POINT),
        (["1,5"] * 9 + ["1.5"], COMMA),
        (["1.5"] * 8 + ["1,5"], UNKNOWN),
        (["1,5"] * 8 + ["1.5"], UNKNOWN),
        (["1.", "2.x"], UNKNOWN),
        ([".5"], POINT),
        (["1.5", "1,234", "2,345"], POINT),
    ],
)
def test_the_style_is_what_nine_of_ten_clear_numbers_show(numbers: list[str], style: Style) -> None:
    assert style_of(numbers) is style


@pytest.mark.parametrize(
    ("printed", "plain", "code"),
    [
        ("$", True, "USD"), ("$", False, None), ("dollars", True, "USD"), ("dollars", False, None),
        ("US$", False, "USD"), ("C$", False, "CAD"), ("CA$", False, "CAD"), ("CAN$", False, "CAD"),
        ("AU$", False, "AUD"),
        ("U.S.$", False, "USD"), ("S$", False, "SGD"), ("NT$", False, "TWD"), ("₩", False, "KRW"),
        ("₪", False, "ILS"), ("A$", True, "AUD"), ("HK$", True, "HKD"), ("NZ$", True, "NZD"),
        ("R$", True, "BRL"), ("€", False, "EUR"), ("£", True, "GBP"), ("₹", True, "INR"), ("CHF", True, "CHF"),
        ("JPY", False, "JPY"), ("euros", True, "EUR"), ("pounds sterling", True, "GBP"), ("Swiss francs", True, "CHF"),
        ("", True, None), ("XYZ", True, None), ("kg", True, None),
    ],
)  # fmt: skip
def test_the_currency_of_a_sign_or_a_word(printed: str, plain: bool, code: str | None) -> None:
    assert currency_of(printed, plain) == code


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("in Canadian dollars", True), ("one Hong Kong dollar", True), ("CA$ 5", True), ("for AUD 7", True),
        ("in US dollars", False), ("US$ 5", False), ("$5", False), ("Canadian geese", False), ("", False),
    ],
)  # fmt: skip
def test_a_document_that_speaks_of_other_dollars(text: str, other: bool) -> None:
    assert has_other_dollars(text) is other


def test_words_that_scale() -> None:
    words = {"thousand": 1e3, "thousands": 1e3, "million": 1e6, "bn": 1e9, "billions": 1e9, "trillion": 1e12, "": 1.0}
    assert {word: scale_of(word) for word in words} == words


def dates(text: str, first: bool | None = None) -> list[tuple[str, date]]:
    return [(text[start:end], found.date()) for start, end, found in find_dates(text, first)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 2026-03-01, then", [("2026-03-01", date(2026, 3, 1))]),
        ("on 31 December 1999.", [("31 December 1999", date(1999, 12, 31))]),
        ("the 3rd of May 2020", [("3rd of May 2020", date(2020, 5, 3))]),
        ("1st June, 2021", [("1st June, 2021", date(2021, 6, 1))]),
        ("Sept. 9, 2015", [("Sept. 9, 2015", date(2015, 9, 9))]),
        ("May 2nd, 2015", [("May 2nd, 2015", date(2015, 5, 2))]),
        ("DECEMBER 25 2020", [("DECEMBER 25 2020", date(2020, 12, 25))]),
        ("due on 04-NOV-2002.", [("04-NOV-2002", date(2002, 11, 4))]),
        ("A-04-NOV-2002, 04-NOV-2002-1", []),
        ("le 14 juillet 1789", [("14 juillet 1789", date(1789, 7, 14))]),
        ("3. Oktober 1990", [("3. Oktober 1990", date(1990, 10, 3))]),
        ("12 de octubre de 1992", [("12 de octubre de 1992", date(1992, 10, 12))]),
        ("5.4.2021", [("5.4.2021", date(2021, 4, 5))]),
        ("29.02.2024", [("29.02.2024", date(2024, 2, 29))]),
        ("29.02.2023", []),
        ("2026年12月9日", [("2026年12月9日", date(2026, 12, 9))]),
        ("2026년 1월 2일", [("2026년 1월 2일", date(2026, 1, 2))]),
        ("12/31/2025", [("12/31/2025", date(2025, 12, 31))]),
        ("31/12/2025", [("31/12/2025", date(2025, 12, 31))]),
        ("7/7/2025", [("7/7/2025", date(2025, 7, 7))]),
        ("13/13/2025", []),
        ("3/4/2026", []),
        ("2026-13-01", []),
        ("12026-03-01", []),
        ("2026-03-01-7", []),
        ("2026-03-011", []),
        ("1.5.2021.3", []),
        ("3.1.5.2021", []),
        ("a/3/13/2026", []),
        ("3/13/2026/b", []),
        ("March 1", []),
        ("1 March 26", []),
        ("Marching 1 2026", []),
        ("1 March 2026 and 2 April 2027", [("1 March 2026", date(2026, 3, 1)), ("2 April 2027", date(2027, 4, 2))]),
        ("April 2, 2027; 2026-01-05", [("April 2, 2027", date(2027, 4, 2)), ("2026-01-05", date(2026, 1, 5))]),
        ("5 May 5, 2020", [("May 5, 2020", date(2020, 5, 5))]),
        ("", []),
        ("1499-03-01", []),
        ("1500-03-01", [("1500-03-01", date(1500, 3, 1))]),
        ("2100-03-01", []),
    ],
)
def test_dates_that_can_be_read_in_one_way(text: str, expected: list[tuple[str, date]]) -> None:
    assert dates(text) == expected


@pytest.mark.parametrize(
    ("text", "first", "expected"),
    [
        ("3/4/2026", True, date(2026, 3, 4)),
        ("3/4/2026", False, date(2026, 4, 3)),
        ("12/1/2026", True, date(2026, 12, 1)),
        ("12/1/2026", False, date(2026, 1, 12)),
        ("3/13/2026", False, date(2026, 3, 13)),  # there is no thirteenth month
        ("13/3/2026", True, date(2026, 3, 13)),
        ("12/13/2026", None, date(2026, 12, 13)),
        ("3/12/2026", False, date(2026, 12, 3)),
        ("3/12/2026", True, date(2026, 3, 12)),
    ],
)
def test_which_number_is_the_month(text: str, first: bool | None, expected: date) -> None:
    assert [found for _, found in dates(text, first)] == [expected]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("", None), ("3/4/2026", None), ("5/5/2026", None), ("12/13/2026", True), ("13/12/2026", False),
        ("13/12/2026 3/4/2026", False), ("13/12/2026 12/13/2026", None), ("13/14/2026", None),
    ],
)  # fmt: skip
def test_whether_a_document_puts_the_month_first(text: str, first: bool | None) -> None:
    assert month_first(text) is first


def test_a_whole_date_is_all_of_the_text() -> None:
    found = whole_date("1 March 2026")
    assert found is not None
    assert found.isoformat() == "2026-03-01T00:00:00+00:00"
    assert whole_date("on 1 March 2026") is None
    assert whole_date("1 March 2026 at noon") is None
    assert whole_date("") is None
    assert whole_date("3/4/2026") is None
    again = whole_date("3/4/2026", month_first=False)
    assert again is not None
    assert again.month == 4


@pytest.mark.parametrize(
    ("printed", "code", "one", "canonical"),
    [
        ("m", "m", 1.0, "m"), ("mm", "mm", 0.001, "m"), ("km", "km", 1000.0, "m"), ("µm", "um", 1e-6, "m"),
        ("μm", "um", 1e-6, "m"), ("nm", "nm", 1e-9, "m"), ("cm", "cm", 0.01, "m"), ("GHz", "GHz", 1e9, "Hz"),
        ("kW", "kW", 1000.0, "W"), ("MPa", "MPa", 1e6, "Pa"), ("kilograms", "kg", 1.0, "kg"),
        ("Kilogram", "kg", 1.0, "kg"), ("millimetres", "mm", 0.001, "m"), ("g", "g", 0.001, "kg"),
        ("hours", "h", 3600.0, "s"), ("min", "min", 60.0, "s"), ("days", "d", 86400.0, "s"),
        ("ft", "[ft_i]", 0.3048, "m"),
        ("inches", "[in_i]", 0.0254, "m"), ("lb", "[lb_av]", 0.45359237, "kg"), ("Feet", "[ft_i]", 0.3048, "m"),
        ("Square Feet", "[sft_i]", 0.09290304, "m2"), ("m2", "m2", 1.0, "m2"), ("m²", "m2", 1.0, "m2"),
        ("cm³", "cm3", 1e-6, "m3"), ("m^2", "m2", 1.0, "m2"), ("s−1", "s-1", 1.0, "Hz"), ("s-1", "s-1", 1.0, "Hz"),
        ("s⁻¹", "s-1", 1.0, "Hz"), ("m/s", "m/s", 1.0, "m/s"), ("m / s", "m/s", 1.0, "m/s"),
        ("m per s", "m/s", 1.0, "m/s"), ("metres per second", "m/s", 1.0, "m/s"), ("m/s²", "m/s2", 1.0, "m/s2"),
        ("m s−2", "m.s-2", 1.0, "m/s2"), ("kg·m", "kg.m", 1.0, "kg.m"), ("kg m−3", "kg.m-3", 1.0, "kg/m3"),
        ("N·m", "N.m", 1.0, "J"), ("kWh", "kW.h", 3.6e6, "J"), ("W/m²", "W/m2", 1.0, "kg.s-3"),
        ("W·m⁻²·K⁻¹", "W.m-2.K-1", 1.0, "kg.s-3.K-1"), ("mg/L", "mg/L", 0.001, "kg/m3"), ("bar", "bar", 1e5, "Pa"),
        ("mbar", "mbar", 100.0, "Pa"), ("psig", "[psi]{gauge}", 6894.75729317, "Pa{gauge}"),
        ("rpm", "{rev}/min", 1 / 60, "Hz{rev}"), ("kB", "kBy", 8000.0, "bit"), ("ppm", "[ppm]", 1e-6, "1"),
        ("% RH", "%{RH}", 0.01, "{RH}"), ("wt%", "%{wt}", 0.01, "{wt}"), ("km²", "km2", 1e6, "m2"),
        ("l/min", "L/min", 1 / 60000, "m3/s"), ("Ω", "Ohm", 1.0, "Ohm"), ("kΩ", "kOhm", 1000.0, "Ohm"),
    ],
)  # fmt: skip
def test_printed_units_their_codes_and_what_one_of_them_is(printed: str, code: str, one: float, canonical: str) -> None:
    unit = whole_unit(printed)
    assert unit is not None
    assert (unit.code, unit.canonical_code) == (code, canonical)
    assert unit.canonical(1.0) == pytest.approx(one, rel=1e-11)
    assert unit.canonical(0.0) == 0.0


@pytest.mark.parametrize(
    ("code", "number", "canonical"),
    [
        ("Cel", 0.0, 273.15),
        ("Cel", -40.0, 233.15),
        ("[degF]", -40.0, 233.15),
        ("[degF]", 212.0, 373.15),
        ("K", 5.0, 5.0),
    ],
)
def test_temperatures_are_compared_on_the_absolute_scale(code: str, number: float, canonical: float) -> None:
    assert unit_of(code).canonical(number) == canonical


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("m", "length"), ("kg", "mass"), ("s", "duration"), ("Cel", "temperature"), ("W", "power"),
        ("[psi]", "pressure"),
        ("L", "volume"), ("L/min", "volume_flow"), ("km/h", "speed"), ("%", "share"), ("kg.m", None),
        ("By/s", "data_rate"),
    ],
)  # fmt: skip
def test_what_a_quantity_without_a_label_is_called(code: str, name: str | None) -> None:
    assert unit_of(code).name == name


@pytest.mark.parametrize(
    "text", ["", " ", "x", "kgx", "m2x", "kg/person", "m3 5", "5", "m5", "mm5", "kg m", "/s", "kg/"]
)
def test_what_is_not_wholly_a_unit_is_none(text: str) -> None:
    assert whole_unit(text) is None


@pytest.mark.parametrize(
    ("text", "prose", "printed"),
    [
        ("kg of it", True, "kg"), ("m, then", True, "m"), ("in the", True, None), ("in", False, "in"),
        ("A", True, None),
        ("A", False, "A"), ("l/min", True, "l/min"), ("m/s now", True, "m/s"), ("days.", True, "days"),
        ("daytime", True, None), ("kgm", True, None), ("m 2", True, "m"), ("m2", True, "m2"), ("m21", True, None),
        ("m2.5", True, None), ("s per day", True, "s per day"), ("kg per head", True, None), ("kg CO2 m−2", True, None),
        ("mm x 30", True, "mm"),
    ],
)  # fmt: skip
def test_the_unit_at_a_place_and_where_it_ends(text: str, prose: bool, printed: str | None) -> None:
    found = match_unit("12 " + text, 3, prose)
    assert (None if found is None else ("12 " + text)[3 : found[1]]) == printed


@pytest.mark.parametrize(
    ("code", "known"),
    [
        ("kg", True), ("m/s2", True), ("[HP]", True), ("%", True), ("[cft_i]{standard}/min", True), ("10*6.a", True),
        ("kilo", False), ("", False), ("1", False), ("kg m", False), ("khar", False), ("zz", False),
    ],
)  # fmt: skip
def test_which_expressions_are_units(code: str, known: bool) -> None:
    found = ucum_unit(code)
    assert (found.code if found else None) == (code if known else None)


def read(text: str, reading: NumberReading | None = None, *, prose: bool = True) -> list[tuple[object, ...]]:
    """Text, number, upper end, tolerance, comparator, unit."""
    found = find_quantities(text, reading or NumberReading(), prose)
    return [
        (text[f.start : f.end], f.quantity.number, f.quantity.upper, f.quantity.tolerance, f.quantity.comparator,
         f.quantity.unit)
        for f in found
    ]  # fmt: skip


def one(text: str, number: float, unit: str, **more: object) -> tuple[object, ...]:
    return text, number, more.get("upper"), more.get("tolerance"), more.get("comparator", "="), unit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("weighs 13 kg.", [one("13 kg", 13, "kg")]),
        ("13kg", [one("13kg", 13, "kg")]),
        ("13\u00a0kg", [one("13\u00a0kg", 13, "kg")]),
        ("13  kg", []),
        ("12 V and 5 A m", [one("12 V", 12, "V")]),
        ("5 mm", [one("5 mm", 5, "mm")]),
        ("-5 mm", [one("-5 mm", -5, "mm")]),
        ("\u22125 mm", [one("\u22125 mm", -5, "mm")]),
        ("+5 mm", [one("+5 mm", 5, "mm")]),
        ("x-5 mm", []),
        ("3-5 mm", [one("3-5 mm", 3, "mm", upper=5)]),
        ("3\u20135 mm", [one("3\u20135 mm", 3, "mm", upper=5)]),
        ("3 to 5 mm", [one("3 to 5 mm", 3, "mm", upper=5)]),
        ("3 mm to 5 mm", [one("3 mm to 5 mm", 3, "mm", upper=5)]),
        ("3 mm to 5 kg", [one("3 mm", 3, "mm"), one("5 kg", 5, "kg")]),
        ("5-3 mm", []),
        ("5-5 mm", []),
        ("20 ± 2 °C", [one("20 ± 2 °C", 20, "Cel", tolerance=2)]),
        ("20 +/- 2 mm", [one("20 +/- 2 mm", 20, "mm", tolerance=2)]),
        ("20 °C ± 2 °C", [one("20 °C ± 2 °C", 20, "Cel", tolerance=2)]),
        ("< 5 mm", [one("< 5 mm", 5, "mm", comparator="<")]),
        ("≥5 mm", [one("≥5 mm", 5, "mm", comparator=">=")]),
        ("at least 5 mm", [one("at least 5 mm", 5, "mm", comparator=">=")]),
        ("At most 5 mm", [one("At most 5 mm", 5, "mm", comparator="<=")]),
        ("Over 5 mm", [one("Over 5 mm", 5, "mm", comparator=">")]),
        ("more than 5 mm", [one("more than 5 mm", 5, "mm", comparator=">")]),
        ("no more than 5 mm", [one("no more than 5 mm", 5, "mm", comparator="<=")]),
        ("approx. 5 mm", [one("approx. 5 mm", 5, "mm", comparator="~")]),
        ("~5 mm", [one("~5 mm", 5, "mm", comparator="~")]),
        ("below 5 mm", [one("below 5 mm", 5, "mm", comparator="<")]),
        ("about 3 to 5 mm", [one("about 3 to 5 mm", 3, "mm", upper=5, comparator="~")]),
        ("$5", [one("$5", 5, "USD")]),
        ("$ 5", [one("$ 5", 5, "USD")]),
        ("US$5.50", [one("US$5.50", 5.5, "USD")]),
        ("€5m", [one("€5m", 5e6, "EUR")]),
        ("£5 bn", [one("£5 bn", 5e9, "GBP")]),
        ("$5 million", [one("$5 million", 5e6, "USD")]),
        ("$5 to $7 million", [one("$5 to $7 million", 5e6, "USD", upper=7e6)]),
        ("$5 to €7", [one("$5", 5, "USD"), one("€7", 7, "EUR")]),
        ("5 euros", [one("5 euros", 5, "EUR")]),
        ("5 million dollars", [one("5 million dollars", 5e6, "USD")]),
        ("5 €", [one("5 €", 5, "EUR")]),
        ("5-7 €", [one("5-7 €", 5, "EUR", upper=7)]),
        ("$3 thousand and 4 kg", [one("$3 thousand", 3e3, "USD"), one("4 kg", 4, "kg")]),
        ("12%", [one("12%", 12, "%")]),
        ("12 percent", [one("12 percent", 12, "%")]),
        ("10%-20%", [one("10%-20%", 10, "%", upper=20)]),
        ("a 5-mm gap", [one("5-mm", 5, "mm")]),
        ("five kg", []),
        ("five days", [one("five days", 5, "d")]),
        ("one year", []),
        ("Thirty-one Days", [one("Thirty-one Days", 31, "d")]),
        ("Figure 5 mm", []),
        ("see Table 12 mm", []),
        ("of 12 mm", [one("12 mm", 12, "mm")]),
        ("5 mm2", [one("5 mm2", 5, "mm2")]),
        ("10−5 m", []),
        ("5 m and 6 m", [one("5 m", 5, "m"), one("6 m", 6, "m")]),
        ("5 A, B", []),
        ("1,000 kg", [one("1,000 kg", 1000, "kg")]),
        ("1.5 kg", [one("1.5 kg", 1.5, "kg")]),
        ("§5 m", []),
        ("#5 m", []),
        ("3:5 m", []),
        ("no. 5 m", []),
        ("5", []),
        ("", []),
        ("1/2 inch", [one("1/2 inch", 0.5, "[in_i]")]),
        ("2½ hours", [one("2½ hours", 2.5, "h")]),
        ("(5 kg)", [one("5 kg", 5, "kg")]),
        ("(5) kg", [one("5) kg", 5, "kg")]),
        ("15 kg/m3", [one("15 kg/m3", 15, "kg/m3")]),
        ("15 kg/box", []),
    ],
)
def test_quantities_in_running_text(text: str, expected: list[tuple[object, ...]]) -> None:
    assert read(text) == expected


BOUNDS = {
    "<": ["<", "less than", "below", "under", "fewer than"],
    ">": [">", "more than", "greater than", "over", "above", "exceeding"],
    "<=": ["\u2264", "<=", "\u2272", "up to", "at most", "max.", "maximum", "no more than", "not more than"],
    ">=": ["\u2265", ">=", "\u2273", "at least", "min.", "minimum", "no less than"],
    "~": ["~", "\u223c", "\u2248", "\u2243", "about", "approximately", "approx.", "around", "roughly", "nearly",
          "ca.", "c.", "circa"],
}  # fmt: skip


@pytest.mark.parametrize(("sign", "word"), [(sign, word) for sign, words in BOUNDS.items() for word in words])
def test_words_and_signs_that_bound_a_quantity(sign: str, word: str) -> None:
    assert read(f"it is {word} 5 mm") == [one(f"{word} 5 mm", 5, "mm", comparator=sign)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 A", [one("5 A", 5, "A")]),
        ("5A", [one("5A", 5, "A")]),
        ("Figure 5 mm", [one("5 mm", 5, "mm")]),
        ("12 in", [one("12 in", 12, "[in_i]")]),
        ("5 d", [one("5 d", 5, "d")]),
    ],
)
def test_in_a_cell_letters_are_units(text: str, expected: list[tuple[object, ...]]) -> None:
    assert read(text, prose=False) == expected


def test_what_a_document_says_decides_how_it_is_read() -> None:
    assert read("1,234 kg", NumberReading(style=COMMA)) == [one("1,234 kg", 1.234, "kg")]
    assert read("1,234 kg", NumberReading(style=UNKNOWN)) == []
    assert read("$5 and €6", NumberReading(plain_dollar=False)) == [one("€6", 6, "EUR")]
    assert read("5 nm and 6 mm", NumberReading(not_units=frozenset({"nm"}))) == [one("6 mm", 6, "mm")]
    assert other_senses("at 9 knots") == {"nm"}
    assert other_senses("£5 sterling") == {"pounds", "pound"}
    assert other_senses("nothing of it") == frozenset()


def test_a_quantity_is_kept_in_the_canonical_unit_as_well() -> None:
    (found,) = find_quantities("2-3 km", NumberReading())
    quantity = found.quantity
    assert (quantity.canonical_number, quantity.canonical_upper, quantity.canonical_unit) == (2000.0, 3000.0, "m")
    assert (found.name, found.start, found.end) == ("length", 0, 6)
    (money,) = find_quantities("$2-$3 million", NumberReading())
    assert (money.quantity.canonical_number, money.quantity.canonical_upper) == (2e6, 3e6)
    assert (money.quantity.canonical_unit, money.name) == ("USD", "money")
    (within,) = find_quantities("$5 ± 1 million", NumberReading())
    assert (within.quantity.number, within.quantity.tolerance) == (5e6, 1e6)


def values(text: str, hint: Hint | None = None, reading: NumberReading | None = None) -> list[tuple[object, ...]]:
    found = read_values(text, reading or NumberReading(), hint)
    return [
        (text[v.start : v.end], v.quantity.number, v.quantity.unit) if v.quantity
        else (text[v.start : v.end], v.time.date().isoformat() if v.time else v.boolean if v.text is None else v.text)
        for v in found
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 kg", [("5 kg", 5.0, "kg")]),
        ("  5 kg ", [("5 kg", 5.0, "kg")]),
        ("5 kg gross", [("5 kg gross", "5 kg gross")]),
        ("at 5 kg", [("at 5 kg", "at 5 kg")]),
        ("10 hp (7.5 kW)", [("10 hp", 10.0, "[HP]"), ("7.5 kW", 7.5, "kW")]),
        ("116 psi / 8 bar", [("116 psi", 116.0, "[psi]"), ("8 bar", 8.0, "bar")]),
        ("1 inch [25.4 mm]", [("1 inch", 1.0, "[in_i]"), ("25.4 mm", 25.4, "mm")]),
        ("1 inch = 25.4 mm", [("1 inch", 1.0, "[in_i]"), ("25.4 mm", 25.4, "mm")]),
        ("1 inch, 25.4 mm", [("1 inch, 25.4 mm", "1 inch, 25.4 mm")]),
        ("1 kg / 2 kg / 3 kg", [("1 kg / 2 kg / 3 kg", "1 kg / 2 kg / 3 kg")]),
        ("42", [("42", 42.0, None)]),
        (" 42", [("42", 42.0, None)]),
        ("-42", [("-42", -42.0, None)]),
        ("\u221242", [("\u221242", -42.0, None)]),
        ("+42", [("+42", 42.0, None)]),
        ("(42)", [("(42)", -42.0, None)]),
        ("(42", []),
        ("42)", []),
        ("$(42)", [("$(42)", -42.0, "USD")]),
        ("($42)", [("($42)", -42.0, "USD")]),
        ("42 %", [("42 %", 42.0, "%")]),
        ("(42)%", [("(42)%", -42.0, "%")]),
        ("(42%)", [("(42%)", -42.0, "%")]),
        ("007", [("007", "007")]),
        ("0", [("0", 0.0, None)]),
        ("123456789012", [("123456789012", "123456789012")]),
        ("12345678901", [("12345678901", 12345678901.0, None)]),
        ("1 March 2026", [("1 March 2026", "2026-03-01")]),
        ("yes", [("yes", True)]),
        ("No", [("No", False)]),
        ("✓", [("✓", True)]),
        ("✗", [("✗", False)]),
        ("Yes, mostly", [("Yes, mostly", "Yes, mostly")]),
        ("two  words", [("two  words", "two words")]),
        ("n/a", []),
        ("None", []),
        ("TBD", []),
        ("–", []),
        ("...", []),
        ("?!", []),
        ("", []),
        ("x" * 80, [("x" * 80, "x" * 80)]),
        ("x" * 81, []),
        ("TF-7", [("TF-7", "TF-7")]),
    ],
)
def test_what_a_whole_cell_is(text: str, expected: list[tuple[object, ...]]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "2024-05-01 10:00", "2024-05-01 10:00:59 Europe/Vienna", "2024-05-01 10:00 America/Argentina/Buenos_Aires",
        "2024-05-01 10:00 Etc/GMT+1", "Wed, 1 May 2024 10:00:00 +0200 (CEST)", "1 May 2024, 10:00 a.m. GMT",
        "2024-05-01 23:59 Z", "1.5.2024 9:05 MESZ", "2024-05-01 10:00 (W. Europe Standard Time)",
        "1 May 2024 10:00 +02:00 (Mitteleuropäische Sommerzeit)", "2024-05-01 10:00 (GMT+02:00)",
        "2024-05-01 10:00 (Europe/Vienna)", "2024-05-01 10:00 UTC",
    ],
)  # fmt: skip
def test_a_date_with_its_time_and_zone_is_the_day(text: str) -> None:
    [found] = read_values(text, NumberReading())
    assert found.time is not None
    assert found.time.date() == date(2024, 5, 1)


@pytest.mark.parametrize(
    "text",
    [
        "2024-05-01 10:00 Smith/Jones", "2024-05-01 10:00 PASS/FAIL", "2024-05-01 10:00 and/or",
        "2024-05-01 10:00 IN/OUT", "2024-05-01 10:00 Ultrasound/Doppler", "1 May 2024 10:00 Hall/Room-3",
        "1.5.2024 10:00 EU/US", "2024-05-01 10:00 europe/vienna", "2024-05-01 10:00 OK", "2024-05-01 10:00 cet",
        "2024-05-01 10:00 (cancelled, see room B)", "2024-05-01 10:00 (cancelled)", "2024-05-01 10:00 UTC (late)",
        "2024-05-01 25:61 Europe/Vienna", "2024-05-01 10:61", "2024-05-01 25:00", "2024-05-01 10:00:75",
    ],
)  # fmt: skip
def test_a_date_with_a_remark_stays_text(text: str) -> None:
    [found] = read_values(text, NumberReading())
    assert found.text == text


@pytest.mark.parametrize(
    ("text", "hint", "expected"),
    [
        ("5", Hint(unit=unit_of("kg")), [("5", 5.0, "kg")]),
        ("5 mm", Hint(unit=unit_of("kg")), [("5 mm", 5.0, "mm")]),
        ("5", Hint(currency="EUR", scale=1e3), [("5", 5000.0, "EUR")]),
        ("(5)", Hint(currency="EUR", scale=1e3), [("(5)", -5000.0, "EUR")]),
        ("$5", Hint(scale=1e6), [("$5", 5e6, "USD")]),
        ("$5 million", Hint(scale=1e6), [("$5 million", 5e6, "USD")]),
        ("5%", Hint(currency="EUR", scale=1e3), [("5%", 5.0, "%")]),
        ("5 kg", Hint(scale=1e3), [("5 kg", 5.0, "kg")]),
        ("0.1", Hint(scale=1e3), [("0.1", 100.0, None)]),
    ],
)
def test_a_hint_holds_for_bare_numbers(text: str, hint: Hint, expected: list[tuple[object, ...]]) -> None:
    assert values(text, hint) == expected


def test_an_amount_and_a_bare_number_are_their_own_canonical_values() -> None:
    for text, hint, unit in (("5", Hint(currency="EUR"), "EUR"), ("5", None, None), ("$5", None, "USD")):
        (found,) = read_values(text, NumberReading(), hint)
        assert found.quantity is not None
        assert (found.quantity.unit, found.quantity.canonical_unit, found.quantity.canonical_number) == (
            unit,
            unit,
            5.0,
        )


def test_a_hint_keeps_the_canonical_value_right() -> None:
    (found,) = read_values("5", NumberReading(), Hint(unit=unit_of("km")))
    assert found.quantity is not None
    assert (found.quantity.canonical_number, found.quantity.canonical_unit) == (5000.0, "m")
    assert values("$5", None, NumberReading(plain_dollar=False)) == []
    assert values("3/4/2026", None, NumberReading(month_first=False)) == [("3/4/2026", "2026-04-03")]


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Mass", "mass"), ("  Max. Speed : ", "max_speed"), ("Net sales*", "net_sales"), ("Cost (2)", "cost"),
        ("Cost (2) (3)", "cost"), ("Cost (2) of it", "cost_2_of_it"),
        ("m² of it", "m²_of_it"), ("Share of %", "share_of_percent"), ("# of seats", "number_of_seats"),
        ("P+L", "p_plus_l"), ("Angle °", "angle_deg"), ("2025", None), ("", None), ("--", None), ("a_b", "a_b"),
        ("x" * 80, "x" * 60), ("y" * 59 + " z", "y" * 59), ("Notes²", "notes"),
    ],
)  # fmt: skip
def test_a_label_becomes_a_name(label: str, name: str | None) -> None:
    assert name_of(label) == name


@pytest.mark.parametrize(
    ("label", "name", "unit", "currency", "scale"),
    [
        ("Mass (kg)", "mass", "kg", None, 1.0),
        ("Mass, kg", "mass", "kg", None, 1.0),
        ("Mass in kg", "mass", "kg", None, 1.0),
        ("Price in EUR", "price", None, "EUR", 1.0),
        ("Temperature °C", "temperature", "Cel", None, 1.0),
        ("Power kW", "power", "kW", None, 1.0),
        ("Speed km/h", "speed", "km/h", None, 1.0),
        ("Area m²", "area", "m2", None, 1.0),
        ("Max. pressure psi:", "max_pressure", "[psi]", None, 1.0),
        ("Price EUR", "price", None, "EUR", 1.0),
        ("Time in minutes", "time", "min", None, 1.0),
        ("Votes %", "votes_percent", "%", None, 1.0),
        ("Votes in percent", "votes_in_percent", "%", None, 1.0),
        ("Price per kg", "price_per_kg", None, None, 1.0),
        ("Value min", "value_min", None, None, 1.0),
        ("Sex m/f", "sex_m_f", None, None, 1.0),
        ("Record W/L", "record_w_l", None, None, 1.0),
        ("Class A", "class_a", None, None, 1.0),
        ("Start pm", "start_pm", None, None, 1.0),
        ("Number in stock", "number_in_stock", None, None, 1.0),
        ("2025 kg", "2025_kg", None, None, 1.0),
        ("Mass (in kg)", "mass", "kg", None, 1.0),
        ("kg", "kg", "kg", None, 1.0),
        ("Price (EUR)", "price", None, "EUR", 1.0),
        ("Sales ($ in millions)", "sales", None, "USD", 1e6),
        ("Sales (in thousands)", "sales", None, None, 1e3),
        ("Sales ($ billion)", "sales", None, "USD", 1e9),
        ("Sales (US$ millions)", "sales", None, "USD", 1e6),
        ("Sales (dollars in millions)", "sales", None, "USD", 1e6),
        ("Sales (net)", "sales_net", None, None, 1.0),
        ("Sales (percent in millions)", "sales_percent_in_millions", None, None, 1.0),
        ("(kg)", "kg", "kg", None, 1.0),
        ("Smith, John", "smith_john", None, None, 1.0),
        ("Rate [%]", "rate", "%", None, 1.0),
        ("t", "t", None, None, 1.0),
        ("t [s]", "t", "s", None, 1.0),
        ("[t]", "t", "t", None, 1.0),
    ],
)
def test_a_header_says_the_name_and_what_its_numbers_are(
    label: str, name: str, unit: str | None, currency: str | None, scale: float
) -> None:
    found, hint = read_label(label)
    assert (found, hint.unit.code if hint.unit else None, hint.currency, hint.scale) == (name, unit, currency, scale)


def test_a_header_of_dollars_that_may_be_several_names_no_currency() -> None:
    assert read_label("Sales ($)", plain_dollar=False) == ("sales", Hint())
    assert hint_of("$ in millions", plain_dollar=False) == Hint()
    assert hint_of("$ in millions") == Hint(currency="USD", scale=1e6)
    assert hint_of("nothing") == Hint()


def labelled(*lines: str) -> list[tuple[str, str, bool]]:
    """Name, raw text, whether it has a value; and every position is right."""
    places = [sum(len(line) + 1 for line in lines[:at]) for at in range(len(lines))]
    text = " ".join(lines)
    found = list(find_labelled(list(zip(places, lines, strict=True)), NumberReading(style=UNKNOWN)))
    assert all(text[f.value.start : f.value.end] == f.raw for f in found if f.value)
    return [(f.name, f.raw, f.value is not None) for f in found]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Power: 5 kW"], [("power", "5 kW", True)]),
        (["Power : 5 kW"], [("power", "5 kW", True)]),
        (["Power\uff1a 5 kW"], [("power", "5 kW", True)]),
        (["• Power: 5 kW"], [("power", "5 kW", True)]),
        (["- Power: 5 kW"], [("power", "5 kW", True)]),
        (["Power:5 kW"], []),
        (["Power ..... 5 kW"], [("power", "5 kW", True)]),
        (["Power ... 5 kW"], []),
        (["Introduction ..... 5"], []),  # a page number
        (["Power . . . . 5 kW"], [("power", "5 kW", True)]),
        (["Power:", "5 kW"], [("power", "5 kW", True)]),
        (["Power:", "Mass: 5 kg"], [("mass", "5 kg", True)]),
        (["Power:", "and more", "5 kW"], []),
        (["Power: (3)"], []),
        (["Power: (345)"], [("power", "(345)", True)]),
        (["Power: 1,234"], [("power", "1,234", False)]),
        (["Colour: red"], []),
        (["Colour: red", "Shape: round"], [("colour", "red", True), ("shape", "round", True)]),
        (["Colour: red", "Shape: round", "free", "free", "free"], []),
        (["Colour: red", "Shape: round", "free", "free"], [("colour", "red", True), ("shape", "round", True)]),
        (["Colour: red.", "Shape: round"], [("shape", "round", True)]),
        (["Colour: a b c d e f g h", "Shape: r"], [("colour", "a b c d e f g h", True), ("shape", "r", True)]),
        (["Colour: a b c d e f g h i", "Shape: r"], [("shape", "r", True)]),
        (["one two three four five six: 5 kg"], [("one_two_three_four_five_six", "5 kg", True)]),
        (["one two three four five six seven: 5 kg"], []),
        (["x" * 40 + ": 5 kg"], [("x" * 40, "5 kg", True)]),
        (["x" * 41 + ": 5 kg"], []),
        (["at https: 5 kg"], []),
        (["12: 5 kg"], []),
        (["Really? Mass: 5 kg"], []),
        (["Power: 10 hp (7 kW)"], [("power", "10 hp", True), ("power", "7 kW", True)]),
    ],
)
def test_labels_and_their_values_line_by_line(lines: list[str], expected: list[tuple[str, str, bool]]) -> None:
    assert labelled(*lines) == expected
