from collections.abc import Sequence

from shared.readers.pdf.drawings import Extent
from shared.readers.pdf.figure_labels import order_around_figures
from shared.readers.reading_order import Item, reading_order

Cell = tuple[str, float, float, float]  # text, x, y of the top, width


def order(cells: Sequence[Cell], bars: Sequence[tuple[float, float, float]] = (), rtl: bool = False) -> list[str]:
    items = [Item(i, x, y, x + w, y + 10, len(text)) for i, (text, x, y, w) in enumerate(cells)]
    return [cells[i][0] for i in reading_order(items, bars, rtl)]


def column(name: str, x: float, top: float, rows: int, width: float = 180, pitch: float = 12) -> list[Cell]:
    return [(f"{name} line {n} of running prose here", x, top + pitch * n, width) for n in range(rows)]


def form(name: str, x: float, top: float, rows: int, pitch: float) -> list[Cell]:
    return [(f"{name}{n}", x, top + pitch * n, 30.0 + 40 * (n % 3)) for n in range(rows)]


def test_a_title_over_both_columns_is_read_between_what_stands_above_and_below_it() -> None:
    top = [*column("A", 40, 50, 4), *column("B", 240, 50, 4)]
    title: list[Cell] = [("A title across both of the columns", 40, 110, 380)]
    below = [*column("C", 40, 140, 4), *column("D", 240, 140, 4)]
    assert order([*below, *top, *title]) == [cell[0] for cell in [*top, *title, *below]]


def test_the_last_lines_of_columns_below_a_figure_are_read_column_by_column() -> None:
    top = [*column("A", 40, 50, 8), *column("B", 240, 50, 8)]
    figure: list[Cell] = [("A caption across both of the columns", 40, 160, 380)]
    rest = [*column("C", 40, 180, 2), *column("D", 240, 180, 2)]
    assert order([*top, *figure, *rest]) == [cell[0] for cell in [*top, *figure, *rest]]


def test_two_forms_side_by_side_are_read_one_after_the_other_if_the_file_has_them_so() -> None:
    left, right = form("l", 40, 50, 9, 14), form("r", 300, 53, 9, 17)
    assert order([*left, *right]) == [cell[0] for cell in [*left, *right]]


def test_a_table_whose_file_goes_down_the_columns_is_read_by_rows() -> None:
    left, right = form("l", 40, 50, 9, 14), form("r", 300, 50, 9, 14)
    rows = [cell[0] for pair in zip(left, right, strict=True) for cell in pair]
    assert order([*left, *right]) == rows


def test_cells_set_lower_than_their_neighbours_are_read_by_rows_if_the_file_has_rows() -> None:
    left, right = form("l", 40, 50, 9, 14), form("r", 300, 54, 9, 14)
    rows = [cell for pair in zip(left, right, strict=True) for cell in pair]
    assert order(rows) == [cell[0] for cell in rows]


def test_columns_of_a_page_from_right_to_left_begin_on_the_right() -> None:
    left, right = column("left", 40, 50, 6), column("right", 240, 50, 6)
    assert order([*left, *right], rtl=True) == [cell[0] for cell in [*right, *left]]


def test_rows_of_numbers_on_a_page_from_right_to_left_begin_on_the_right() -> None:
    assert order([("1", 40, 50, 10), ("2", 90, 50, 10), ("3", 140, 50, 10)], rtl=True) == ["3", "2", "1"]


def test_a_large_initial_is_read_before_the_first_line_beside_it() -> None:
    cells = [("he wing was made of ash", 70, 50, 150), ("and of linen, and it", 70, 62, 150), ("stood.", 40, 74, 60)]
    items = [Item(i, x, y, x + w, y + 10, len(text)) for i, (text, x, y, w) in enumerate(cells)]
    items.append(Item(3, 40, 48, 66, 73, 1))
    assert reading_order(items) == [3, 0, 1, 2]


def prose_beside_a_drawing() -> tuple[list[Item], Extent]:
    axis = [(f"${n}", 50.0, 60.0 + 17 * n, 20.0) for n in range(6)]
    cells = [*column("prose", 220, 50, 9), *axis, *column("below", 40, 180, 3, width=360)]
    return [Item(i, x, y, x + w, y + 10, len(text)) for i, (text, x, y, w) in enumerate(cells)], (45, 55, 205, 165)


def test_labels_of_a_drawing_are_not_read_into_the_text_beside_it() -> None:
    items, figure = prose_beside_a_drawing()
    order = order_around_figures(items, [figure], [], False)
    labels = list(range(9, 15))
    assert sorted(order) == list(range(18))
    assert [i for i in order if i not in labels] == [*range(9), 15, 16, 17]
    assert order[order.index(9) : order.index(9) + 6] == labels


def test_a_drawing_that_a_rule_runs_out_of_is_part_of_a_table_and_changes_nothing() -> None:
    items, figure = prose_beside_a_drawing()
    rule = (30.0, 400.0, 100.0)
    assert order_around_figures(items, [figure], [rule], False) == reading_order(items, [rule])
