"""Headers whose words are not in the middle of what they head, and labels that are no header: drawn and read."""

from pathlib import Path

import pytest

from shared.domain.operations import RegisterTable
from tests.unit.test_table_unruled_rows import Drawn

AT = (60, 200, 260, 320, 380)
TREES = [("Oak", "1,200", "31", "1,100", "28"), ("Elm", "450", "7", "430", "6"), ("Ash", "9", "12", "8", "11"),
         ("Fir", "88", "5", "80", "4")]  # fmt: skip


def header(drawn: Drawn, path: Path) -> list[list[tuple[str, int]]]:
    """(text, column span) of the header's cells of the only table."""
    found = [op for op in drawn.read(path)[1].operations if isinstance(op, RegisterTable)]
    texts, rows = drawn.tables(path), found[0].rows[: found[0].header_rows]
    assert len(found) == 1
    return [[(t, c.col_span) for t, c in zip(*row, strict=True)] for row in zip(texts[0], rows, strict=False)]


def levels(names: tuple[str, ...], second: float = 350) -> Drawn:
    """`Spring` and `Autumn`, underlined, neither in the middle of its columns, over a line of names."""
    drawn = Drawn(font="hebo").text(205, 112, "Spring").text(second, 112, "Autumn").rows(126, [("", *names)], at=AT)
    drawn.font = "helv"
    drawn.rules((205, 115, 235, 115), (second, 115, second + 34, 115))
    return drawn.rows(140, TREES, at=AT)


def test_words_over_repeated_names_head_their_run(tmp_path: Path) -> None:
    found = header(levels(("2025", "2024", "2025", "2024")), tmp_path)
    assert found[0] == [("", 1), ("Spring", 2), ("Autumn", 2)]
    assert found[1] == [("", 1), ("2025", 1), ("2024", 1), ("2025", 1), ("2024", 1)]


@pytest.mark.parametrize(
    ("names", "second"),
    [
        (("Red", "White", "Blue", "Black"), 350),  # nothing repeats
        (("Red", "Red", "Red", "Red"), 350),  # runs of one name have no beginning
        (("2025", "2024", "2025", "2024"), 265),  # the second word is over the first run
    ],
)
def test_words_over_other_names_head_no_run(names: tuple[str, ...], second: float, tmp_path: Path) -> None:
    assert [span for _, span in header(levels(names, second), tmp_path)[0]] == [1, 1, 1, 1, 1]


@pytest.mark.parametrize(("x", "across"), [(286, 4), (200, 1), (262, 1)])
def test_a_unit_nearer_the_middle_of_the_table_than_that_of_a_column_is_that_of_all(
    x: float, across: int, tmp_path: Path
) -> None:
    drawn = Drawn(font="hebo").rows(112, [("", "Seeds", "Cones", "Leaves", "Roots")], at=AT).text(x, 126, "(kg)")
    drawn.font = "helv"
    found = header(drawn.rows(140, TREES, at=AT), tmp_path)
    assert [span for text, span in found[1] if text == "(kg)"] == [across]


@pytest.mark.parametrize(
    ("x", "words", "across"),
    [
        (230, "(in millions)", 4),
        (230, "(in the shade)", 1),
        (200, "(in millions)", 1),
    ],  # set to no column; no scale; to an edge
)
def test_a_scale_that_is_set_to_no_column_is_that_of_all(x: float, words: str, across: int, tmp_path: Path) -> None:
    drawn = Drawn(font="hebo").rows(112, [("", "Seeds", "Cones", "Leaves", "Roots")], at=AT).text(x, 126, words)
    drawn.font = "helv"
    found = header(drawn.rows(140, TREES, at=AT), tmp_path)
    assert [span for text, span in found[1] if text == words] == [across]


@pytest.mark.parametrize(("x", "across"), [(208, 4), (196, 1)])
def test_a_remark_in_the_middle_of_the_whole_table_is_of_all_columns(x: float, across: int, tmp_path: Path) -> None:
    drawn = Drawn(font="hebo").text(x, 98, "(Unaudited)").rows(112, [("", "Seeds", "Cones", "Leaves", "Roots")], at=AT)
    drawn.font = "helv"
    found = header(drawn.rows(126, TREES, at=AT), tmp_path)
    assert [span for text, span in found[0] if text == "(Unaudited)"] == [across]


def test_a_remark_over_a_column_in_the_middle_of_the_table_is_of_that_column(tmp_path: Path) -> None:
    at = (60, 120, 180, 240, 300)
    drawn = Drawn(font="hebo").text(170, 98, "(restated)").rows(112, [("", "2021", "2022", "2023", "2024")], at=at)
    drawn.font = "helv"
    found = header(drawn.rows(126, TREES, at=at), tmp_path)
    assert [span for text, span in found[0] if text == "(restated)"] == [1]


def labelled(label: str, x: float = 205) -> Drawn:
    """A bold label below a bold header, which is over the columns of numbers unless it is printed further left."""
    drawn = Drawn(font="hebo").rows(112, [("", "2025", "2024")], at=(60, 240, 330)).text(x, 126, label)
    drawn.font = "helv"
    return drawn.rows(140, [(*row[:3],) for row in TREES], at=(60, 240, 330))


# The table reaches from 60 to about 345: its middle is about 202.
def test_a_label_in_the_middle_below_a_header_is_a_group_of_the_first_column(tmp_path: Path) -> None:
    drawn = labelled("TREES:", 187)
    assert header(drawn, tmp_path) == [[("", 1), ("2025", 1), ("2024", 1)]]
    assert drawn.tables(tmp_path)[0][1] == ["TREES:"]


def test_a_label_in_the_first_column_below_a_header_is_a_group(tmp_path: Path) -> None:
    assert len(header(labelled("TREES:", 60), tmp_path)) == 1


@pytest.mark.parametrize("words", ["counted", "counted:"])
def test_words_over_a_column_stay_in_the_header_also_with_a_colon(words: str, tmp_path: Path) -> None:
    assert header(labelled(words, 238), tmp_path)[-1][1][0].endswith(words)
