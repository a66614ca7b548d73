"""How many rows a header has, of which its source tells the first."""

import pytest

from shared.values.levels import SpannedCell, levels_of_header

C = SpannedCell
POWER = [C("Power", col_span=2)]


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        # A name reaches down over the level of the units.
        ([[C("Model", 2), *POWER], [C("hp"), C("kW")], [C("KX-1"), C("ten"), C("x")], [C("KX-2"), C("y"), C("z")]], 2),
        # Nothing reaches down; below the words are values.
        ([[C("Model"), *POWER], [C(""), C("hp"), C("kW")], [C("KX-1"), C("10"), C("7.5")]], 2),
        ([[C("Name"), C("Reach", col_span=2)], [C("Ann"), C("Ulm"), C("Kai 1")], [C("Bo"), C("Bonn"), C("Hof 2")]], 1),
        ([[C("Model"), *POWER], [C("KX-1"), C("10"), C("7.5")], [C("KX-2"), C("20"), C("15")]], 1),
        # Words over the whole width, and words below some of the columns only.
        ([[C("Prices", col_span=3)], [C("A"), C("B"), C("C")], [C("x"), C("1"), C("2")]], 1),
        ([[C("Model"), *POWER], [C("KX-1"), C("ten"), C("")], [C("KX-2"), C("20"), C("15")]], 1),
        ([[C("Model"), C("hp"), C("kW")], [C("KX"), C("a"), C("b")], [C("KX-2"), C("20"), C("15")]], 1),
        ([[C("Model", 2), *POWER], [C("hp"), C("kW")]], 1),
        # Two levels below the first.
        (
            [
                [C("Model", 3), C("Power", col_span=4), C("Mass", 3)],
                [C("hp", col_span=2), C("kW", col_span=2)],
                [C("low"), C("high"), C("low"), C("high")],
                [C("KX-1"), C("1"), C("2"), C("3"), C("4"), C("5")],
            ],
            3,
        ),
    ],
)  # fmt: skip
def test_a_header_has_the_levels_below_words_over_several_columns(rows: list[list[SpannedCell]], count: int) -> None:
    assert levels_of_header(rows, 1) == count
