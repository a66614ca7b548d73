"""Tables that could also be read otherwise say so, and their page is flagged; those that could not, do not."""

from pathlib import Path

import pytest

from tests.unit.test_table_frames import TREES, XS, across, sides
from tests.unit.test_table_unruled_rows import Drawn

FLAG = "uncertain_tables"


def ruled(*header: tuple[str, str, str]) -> Drawn:
    """A frame with a header of these lines, without a rule between them, above three ruled rows."""
    drawn = across(sides(Drawn(), 100, 200), 100, 158, 172, 186, 200)
    return drawn.rows(168, TREES, XS).rows(112, header, XS)


def flags(drawn: Drawn, path: Path) -> list[str]:
    return drawn.read(path)[1].flags


def test_a_table_that_reads_one_way_is_not_flagged(tmp_path: Path) -> None:
    assert FLAG not in flags(ruled(("Tree", "Seeds", "Cones")), tmp_path)


@pytest.mark.parametrize("first", ["", "Oak"])
def test_a_first_row_without_a_label_is_flagged(first: str, tmp_path: Path) -> None:
    drawn = across(sides(Drawn(), 100, 156), 100, 114, 128, 142, 156).rows(110, [("Tree", "Seeds", "Cones")], XS)
    drawn.rows(124, [(first, "12", "31"), *TREES[1:]], XS)
    assert (FLAG in flags(drawn, tmp_path)) == (first == "")


@pytest.mark.parametrize(("beside", "expected"), [("", True), ("Elsewhere", False)])
def test_words_beside_a_blank_over_a_further_name_are_flagged(beside: str, expected: bool, tmp_path: Path) -> None:
    assert (FLAG in flags(bold(beside), tmp_path)) == expected


def bold(beside: str) -> Drawn:
    drawn = Drawn("hebo").rows(110, [("", "Here", beside), ("Tree", "Seeds", "Cones")], XS)
    drawn.font = "helv"
    drawn.rows(138, TREES, XS)
    return across(sides(drawn, 100, 170), 100, 114, 128, 142, 156, 170)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("275-6103 2014/08/28", "332-2959 2014/07/15"), True),
        (("(82.1) (57.3)", "(12.2) (17.1)"), True),
        (("275-6103 2014/08/28", "332-2959"), False),  # only one
        (("12 345", "14 104"), False),
        (("3/8/2014 12:30", "4/8/2014 14:20"), False),
        (("2014 275-6103", "2015 332-2959"), False),
    ],
)
def test_cells_that_hold_two_long_numbers_are_flagged(texts: tuple[str, str], expected: bool, tmp_path: Path) -> None:
    drawn = across(sides(Drawn(), 100, 142), 100, 114, 128, 142).rows(110, [("Tree", "Call", "Cones")], XS)
    drawn.rows(124, [("Oak", texts[0], "31"), ("Elm", texts[1], "12")], XS)
    assert (FLAG in flags(drawn, tmp_path)) == expected
