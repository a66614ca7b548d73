"""What plots are computed and coloured with."""

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.datasets import DatasetColumn
from shared.domain.plots import Theme
from shared.errors import BadInput
from shared.lab.plots.frames import nice_step, own_names
from shared.lab.plots.marks import student_t
from shared.lab.plots.theme import COLOURS, SERIES
from shared.lab.plots.titles import pretty_unit, with_unit
from shared.lab.plots.vega_lite import read_chart

TOKENS = Path(__file__).parents[2] / "functions" / "api" / "static" / "css" / "tokens.css"
THEMES: tuple[Theme, ...] = ("light", "dark")
Rgb = tuple[float, float, float]
# How readers see without one kind of cone (Machado, Oliveira and Fernandes 2009, severity 1), in linear RGB.
SEEN: dict[str, tuple[Rgb, Rgb, Rgb]] = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
# Colours that differ by so much in CIELAB (ΔE 1976) are told apart in a legend; below 2.3 nobody sees a difference.
APART = 13.0


def linear(colour: str) -> Rgb:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return red, green, blue


def dot(row: Rgb, colour: Rgb) -> float:
    return sum(a * b for a, b in zip(row, colour, strict=True))


def lab(colour: Rgb) -> Rgb:
    red, green, blue = (min(1.0, max(0.0, one)) for one in colour)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (one ** (1 / 3) if one > 0.008856 else 7.787 * one + 16 / 116 for one in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def seen_by(reader: str, colour: str) -> Rgb:
    red, green, blue = (dot(row, linear(colour)) for row in SEEN[reader])
    return lab((red, green, blue))


def contrast(one: str, other: str) -> float:
    low, high = sorted(dot((0.2126, 0.7152, 0.0722), linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("reader", SEEN)
def test_all_series_are_told_apart_by_every_reader(theme: Theme, reader: str) -> None:
    seen = {one: seen_by(reader, one) for one in SERIES[theme]}
    for one, other in itertools.combinations(seen, 2):
        distance = sum((a - b) ** 2 for a, b in zip(seen[one], seen[other], strict=True)) ** 0.5
        assert distance >= APART, (one, other, distance)


@pytest.mark.parametrize("theme", THEMES)
def test_series_and_letters_stand_out_from_their_ground(theme: Theme) -> None:
    ground = COLOURS[theme]["ground"]
    assert min(contrast(one, ground) for one in SERIES[theme]) >= 3.0
    assert min(contrast(COLOURS[theme][ink], ground) for ink in ("ink", "ink-2", "ink-3")) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_has_the_colours_of_the_pages(theme: Theme) -> None:
    light, dark = TOKENS.read_text(encoding="utf-8").split('[data-theme="dark"]')
    tokens = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", light if theme == "light" else dark))
    assert COLOURS[theme] == {name: tokens["raised" if name == "ground" else name] for name in COLOURS[theme]}


# From tables of Student's t, two-sided 5 %.
QUANTILES = {
    1: 12.7062,
    2: 4.3027,
    3: 3.1824,
    4: 2.7764,
    5: 2.5706,
    10: 2.2281,
    30: 2.0423,
    120: 1.9799,
    100_000: 1.9600,
}


@pytest.mark.parametrize("degrees", QUANTILES)
def test_quantiles_are_those_of_the_tables(degrees: int) -> None:
    assert student_t(degrees) == pytest.approx(QUANTILES[degrees], rel=1.3e-3)


@given(st.floats(1e-9, 1e12), st.integers(2, 200))
def test_bins_are_few_enough_and_not_fewer_than_two_fifths_of_what_is_wanted(span: float, most: int) -> None:
    step = nice_step(span, most)
    assert span / step <= most - 1 + 1e-6
    assert span / step >= (most - 1) * 0.39
    assert float(f"{step:.0e}") == pytest.approx(step) or f"{step:.1e}".startswith("2.5")


@given(st.lists(st.text("f0123", min_size=1, max_size=6), unique=True, max_size=8))
def test_our_names_of_columns_are_nobodys_labels(labels: list[str]) -> None:
    assert not set(own_names(labels).values()) & set(labels)


def test_units_are_written_as_they_are_printed() -> None:
    written = {
        "um": "µm",
        "mm2": "mm²",
        "m/s2": "m/s²",
        "Cel": "°C",
        "[psi]": "psi",
        "dB{A}": "dBA",
        "N.m": "N·m",
        "10": "10",
    }
    assert {unit: pretty_unit(unit) for unit in written} == written


@pytest.mark.parametrize(
    ("label", "unit", "said"),
    [
        ("Mass (kg)", "kg", "Mass (kg)"), ("Mass (kg)", "g", "Mass (kg) in g"), ("Mass", "g", "Mass (g)"),
        ("Temperature °C", "Cel", "Temperature °C"), ("Temperature °C", "K", "Temperature °C in K"),
        ("F1 (dev)", "%", "F1 (dev) (%)"), ("Price (EUR)", "EUR", "Price (EUR)"), ("Speed", None, "Speed"),
    ],
)  # fmt: skip
def test_an_axis_says_what_its_numbers_are_in_and_says_it_once(label: str, unit: str | None, said: str) -> None:
    assert with_unit(DatasetColumn(label=label, type="quantity", unit=unit)) == said


ENCODED: dict[str, object] = {"x": {"field": "a", "type": "nominal"}, "y": {"field": "b", "type": "quantitative"}}


@pytest.mark.parametrize("schema", ["v5.json", "v5.17.0.json", "v6.json", "v6.1.json"])
def test_what_people_and_models_write_of_version_five_and_of_tooltips_is_taken(schema: str) -> None:
    tooltip = [{"field": "a"}, {"field": "b", "type": "quantitative", "format": ".2f"}]
    for mark, told in ((True, tooltip), ({"content": "data"}, {"field": "a"}), (False, None)):
        spec = {"mark": {"type": "bar", "tooltip": mark}, "encoding": ENCODED | {"tooltip": told}}
        chart = read_chart({"$schema": f"https://vega.github.io/schema/vega-lite/{schema}"} | spec)
        assert [one.definition.model_dump(exclude_none=True) for one in chart.layers()] == [{"type": "bar"}]
        assert [*chart.layers()[0].encoding.channels()] == ["x", "y"]


@pytest.mark.parametrize(("spec", "told"), [
    ({"mark": {"type": "pie"}}, "mark.type: Input should be 'bar'"), ({"mark": "pie"}, "mark: Input should be 'bar'"),
    ({"mark": {"type": "bar", "opacity": 7}}, "mark.opacity: Input should be less than"),
    ({"mark": {"type": "bar", "href": "x"}}, "mark.href is not taken"), ({}, "give either mark"),
    ({"hconcat": [{"mark": "bar"}]}, "hconcat is not taken. Plots beside each other are not drawn."),
    ({"mark": "bar", "$schema": "https://vega.github.io/schema/vega/v5.json"}, "$schema: versions 5 and 6"),
])  # fmt: skip
def test_what_is_not_drawn_is_said_once(spec: dict[str, object], told: str) -> None:
    with pytest.raises(BadInput) as wrong:
        read_chart(spec)
    said = str(wrong.value).removeprefix("The Vega-Lite specification is not drawn: ")
    assert said.startswith(told)
    assert ";" not in said
