"""Tables in plain text: what is a cell, a row, a header, and what is no table."""

from pathlib import Path

import pytest

from shared.domain.operations import RegisterTable
from shared.readers.typed.aligned import cell_starts
from shared.readers.typed.tables import typed_tables
from tests.readers.structured import pages_of

Grid = list[list[str]]


def grids(text: str) -> list[tuple[int, Grid]]:
    """Of each table the number of header rows, and the texts of its cells, lines of a cell parted by a slash."""
    lines = text.splitlines()
    return [
        (
            table.header_rows,
            [["/".join(lines[s.line][s.start : s.end] for s in cell.spans) for cell in row] for row in table.rows],
        )
        for table in typed_tables(lines)
    ]


def test_words_over_numbers_set_to_the_right_head_their_columns() -> None:
    text = """\
Coefficients:
            Estimate Std. Error z value Pr(>|z|)
(Intercept)   1.0633     0.0414   25.71   <2e-16 ***
x             0.9961     0.0535   18.61   <2e-16 ***
I(x^2)       -0.0491     0.0231   -2.12    0.034 *
"""
    assert grids(text) == [
        (
            1,
            [
                ["", "Estimate", "Std. Error", "z value", "Pr(>|z|)", ""],
                ["(Intercept)", "1.0633", "0.0414", "25.71", "<2e-16", "***"],
                ["x", "0.9961", "0.0535", "18.61", "<2e-16", "***"],
                ["I(x^2)", "-0.0491", "0.0231", "-2.12", "0.034", "*"],
            ],
        )
    ]


def test_a_number_one_blank_behind_a_label_is_the_column_that_the_header_names() -> None:
    text = """\
                    z lag(z)
1989-09-28 23:12:55 1      4
1990-02-09 11:18:23 4      2
2001-01-15 10:34:02 2     NA
"""
    ((header, rows),) = grids(text)
    assert header == 1
    assert rows[0] == ["", "z", "lag(z)"]
    assert rows[3] == ["2001-01-15 10:34:02", "2", "NA"]


def test_a_number_that_fills_its_column_is_a_cell_of_its_own() -> None:
    text = """\
                mean        sd
2001 Q1  0.108503596 0.8861821
2001 Q2 -0.006836172 0.9800027
2001 Q3 -0.042260559 0.9954100
2001 Q4  0.096188411 1.0336234
2002 Q1 -0.092684201 1.0337850
"""
    ((header, rows),) = grids(text)
    assert header == 1
    assert rows[0] == ["", "mean", "sd"]
    assert rows[2] == ["2001 Q2", "-0.006836172", "0.9800027"]
    assert rows[5] == ["2002 Q1", "-0.092684201", "1.0337850"]


def test_a_number_behind_a_label_as_wide_as_its_column_is_a_cell() -> None:
    text = """\
          Gender
Admit           Male    Female
  Admitted  4.784093 -5.793466
  Rejected -3.807325  4.610614
"""
    assert [row for _, rows in grids(text) for row in rows][-2:] == [
        ["Admitted", "4.784093", "-5.793466"],
        ["Rejected", "-3.807325", "4.610614"],
    ]


def test_the_sign_before_a_number_is_of_its_cell() -> None:
    text = """\
               Estimate  Std. z value  Pr(>|z|)
yearsmarried     0.5541  0.13    4.12   3.8e-05  ***
religiousness   -1.6862  0.40   -4.18   3.0e-05  ***
occupation       0.3261  0.25    1.28    0.2000
rating          -2.2850  0.41   -5.60    0.0011  **
Log(scale)       2.1099  0.07   31.44   < 2e-16  ***
"""
    ((_, rows),) = grids(text)
    assert rows[-1] == ["Log(scale)", "2.1099", "0.07", "31.44", "< 2e-16", "***"]


def test_a_line_without_a_number_heads_rows_of_its_own() -> None:
    lines = """\
##         vars   n   mean   sd
## active     1  99   0.70 0.82
## alert      2  97   0.83 0.75
## tired      5  98   1.87 1.00
##           se
## active  0.06
## alert   0.05
## tired   0.07
## calm    0.07
## nervy   0.07
## angry   0.07
""".splitlines()
    starts = cell_starts(lines)
    assert [lines[2][start:].split()[0] for start in starts[2]] == ["alert", "2", "97", "0.83", "0.75"]


def test_a_word_of_a_header_over_a_gap_of_all_rows_is_no_column() -> None:
    text = """\
Date                       Halt days    Persons trained
1.12.2009                         17              3,665
20.12.2009                        13              3,810
4.01.2010                         26              5,680
2.2.2010                          19              5,741
"""
    assert grids(text)[0][1][:2] == [["Date", "Halt days", "Persons trained"], ["1.12.2009", "17", "3,665"]]


@pytest.mark.parametrize(
    "text",
    [
        "He came.  Then he left.\nShe stayed.  Nobody saw\nthem again.  It rained in 1912.",
        "1.  Scope of these rules\n2.  Terms that are used\n3.  Who may take part",
        "Introduction ........ 1\nMethods ............. 7\nResults ............. 12\nIndex ............... 40",
        "+----------+\n| a note   |\n| in a box |\n+----------+",
        "     _   _ ____  _\n ___| | | |  _ \\| |\n/ __| | | | |_) | |\n\\___|\\___/|_| \\_\\_",
        "Title\n-----\n\nOne paragraph.",
        "a\tb\nc\td\te\nf\tg",
        "+----------+\n| question |\n+----------+\n| answer   |\n+----------+",
        "Bolt     12\nNut      40",
        "x   12 of them\nin all     3 b\nzz     45",
        "=====  =====\nUncompromisingly\nunconditionally so\n=====  =====",
    ],
    ids=[
        "sentences",
        "numbered list",
        "contents",
        "box",
        "picture",
        "underlined",
        "few tabs",
        "two boxes",
        "two lines",
        "nothing below each other",
        "rules around prose",
    ],
)
def test_what_only_looks_like_columns_is_no_table(text: str) -> None:
    assert grids(text) == []


def test_entries_with_leaders_to_amounts_are_a_table() -> None:
    text = "Berth, a day ........ 120.50\nWater ............... 12.00\nWaste ............... 9.90"
    assert grids(text) == [(0, [["Berth, a day", "120.50"], ["Water", "12.00"], ["Waste", "9.90"]])]


def test_a_frame_has_cells_of_several_lines_and_cells_over_several_others() -> None:
    text = """\
+-------+--------+---------+
| Port  | Depth  | Remarks |
+=======+========+=========+
| Faro  | 12 m   | dredged |
|       |        | in 2019 |
+-------+--------+---------+
| Olhao | closed for good  |
+       +--------+---------+
|       | 3 m    | a + b   |
+-------+--------+---------+
"""
    (table,) = typed_tables(text.splitlines())
    assert grids(text) == [
        (
            1,
            [
                ["Port", "Depth", "Remarks"],
                ["Faro", "12 m", "dredged/in 2019"],
                ["Olhao", "closed for good"],
                ["3 m", "a + b"],
            ],
        )
    ]
    assert [[(cell.row_span, cell.col_span) for cell in row] for row in table.rows[2:]] == [
        [(2, 1), (1, 2)],
        [(1, 1), (1, 1)],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "+----+------+\n| id | name |\n+----+------+\n|  1 | bolt |\n|  2 | nut  |\n|  3 | pin  |\n+----+------+",
        " id | name\n----+------\n  1 | bolt\n  2 | nut\n  3 | pin\n(3 rows)",
        "| id | name |\n|---:|------|\n| 1 | bolt |\n| 2 | nut |\n| 3 | pin |",
        "┌──┬────┐\n│id│name│\n├──┼────┤\n│ 1│bolt│\n│ 2│nut │\n│ 3│pin │\n└──┴────┘",
        "id  name\n--  ----\n1   bolt\n2   nut\n3   pin",
        "==  ====\nid  name\n==  ====\n1   bolt\n2   nut\n\n3   pin\n==  ====",
        "id\tname\n1\tbolt\n2\tnut\n3\tpin",
        "  id\t\tname\n  1\t\tbolt\n  2\t\tnut\n  3\t\tpin",
    ],
    ids=["mysql", "psql", "pipes", "box drawing", "underlined", "rst", "tabs", "several tabs"],
)  # fmt: skip
def test_every_way_to_set_a_table_gives_the_same_rows(text: str) -> None:
    assert grids(f"Before it.\n\n{text}\n\nAfter it.") == [
        (1, [["id", "name"], ["1", "bolt"], ["2", "nut"], ["3", "pin"]])
    ]


def test_a_line_without_a_first_cell_goes_on_with_the_row_above() -> None:
    text = "Name      Duty\n--------  -----------\nAnn       opens the\n          north gate\nBen       closes it"
    assert grids(text)[0][1][1:] == [["Ann", "opens the/north gate"], ["Ben", "closes it"]]


def test_the_first_words_of_labels_below_the_name_of_their_column_stay_whole() -> None:
    text = "Names     score\nJo Li        12\nAnna Oz       7\nMy Name       9"
    assert [row[0] for row in grids(text)[0][1]] == ["Names", "Jo Li", "Anna Oz", "My Name"]


def test_digits_in_groups_are_one_number_and_part_no_name_of_a_column() -> None:
    text = """\
Salario           A\u00f1o ingreso   Mercado salario
Valor volumen       5 510 476         9 015 741
Total                     358         1 153 253
Volumen             1 705 490               727
Unidad                    434         1 449 533
Cr\u00e9dito             1 192 010         9 290 275
"""
    assert grids(text)[0][1][:3] == [
        ["Salario", "A\u00f1o ingreso", "Mercado salario"],
        ["Valor volumen", "5 510 476", "9 015 741"],
        ["Total", "358", "1 153 253"],
    ]


def test_labels_that_begin_with_the_same_word_as_their_header_stay_whole() -> None:
    text = """\
Producto                Saldo   Sector
Producto valor a\u00f1o     2 707      940
Producto total            891   20 184
Producto importe        4 922      297
"""
    assert [row[0] for row in grids(text)[0][1]] == [
        "Producto",
        "Producto valor a\u00f1o",
        "Producto total",
        "Producto importe",
    ]


def test_amounts_of_several_words_end_below_each_other() -> None:
    text = "Hall A     EUR 120.50\nPool     EUR 1 200.00\nGarden       EUR 7.25"
    assert grids(text)[0][1][1] == ["Pool", "EUR 1 200.00"]


def test_a_band_of_full_lines_is_a_row_each_and_so_are_those_of_the_last_band() -> None:
    rule = "+-----+----+"
    several = f"{rule}\n| of  | n  |\n{rule}\n| x   |  1 |\n| y   |  2 |\n| z   |  3 |\n{rule}\n| all |  6 |\n{rule}"
    assert grids(several) == [(1, [["of", "n"], ["x", "1"], ["y", "2"], ["z", "3"], ["all", "6"]])]
    two = f"{rule}\n| of  | n  |\n{rule}\n| x   |  1 |\n|     | to |\n| y   |    |\n| z   |  3 |\n{rule}"
    assert grids(two) == [(1, [["of", "n"], ["x", "1/to"], ["y", ""], ["z", "3"]])]


def test_a_sign_of_equality_beside_a_partial_line_ends_no_header() -> None:
    rule = "+---+-----+"
    text = f"{rule}\n| a | b   |\n{rule}\n| 1 | x   |\n| = +-----+\n| 1 | y   |\n{rule}\n| 2 | z   |\n{rule}"
    assert grids(text)[0][0] == 1


@pytest.mark.parametrize("sign", ["$", "\u20ac", "\u00a5", "CHF"])
def test_a_currency_that_stands_apart_is_no_column(sign: str) -> None:
    rows = [("Bolt", "  12.50"), ("Nut", "   0.75"), ("Anchor", " 120.00")]
    text = "\n".join(f"{name:<10}{sign:<4}{amount}" for name, amount in rows)
    assert [len(row) for row in grids(text)[0][1]] == [2, 2, 2]


def test_two_lines_with_a_tab_each_are_no_table() -> None:
    assert grids("Bolt\tsteel\nNut\tbrass") == []


def test_a_word_between_two_columns_is_of_the_one_before_it() -> None:
    rows = [f"Item {n:<4}{n * 3:>10}{n * 7:>20}" for n in range(10, 20)]
    text = "\n".join([*rows, "Item 20          60   new             140"])
    assert grids(text)[0][1][-1][-2:] == ["60/new", "140"]


def test_one_label_with_a_colon_among_others_is_a_cell() -> None:
    assert grids("Bolt     12\nNut:     40\nPin       7\nWasher    3")[0][1][1] == ["Nut:", "40"]


def test_the_same_rule_behind_a_paragraph_closes_no_table() -> None:
    prose = "Nothing in this paragraph keeps to the columns of the table above.\n" * 3
    text = f"Port   Depth\n-----  -----\nFaro      12\nOlhao      3\n\n{prose}\n-----  -----\nend    here\n"
    assert grids(text)[0] == (1, [["Port", "Depth"], ["Faro", "12"], ["Olhao", "3"]])


def test_a_diff_may_count_as_many_lines_as_it_likes() -> None:
    table = "Bolt     12\nNut      40\nPin       7"
    assert grids(f"@@ -1,{'9' * 5000} +1,3 @@\n\n{table}")[0][1][0] == ["Bolt", "12"]


def test_a_currency_some_blanks_before_its_amount_is_of_its_cell() -> None:
    text = """\
Boat length   Fee a day   Fee a month
up to 8 m     EUR   12    EUR     240
up to 12 m    EUR   18    EUR     360
up to 20 m    EUR   30    EUR     600
"""
    ((header, rows),) = grids(text)
    assert (header, [len(row) for row in rows]) == (1, [3] * 4)
    assert [" ".join(cell.replace("/", " ").split()) for cell in rows[2]] == ["up to 12 m", "EUR 18", "EUR 360"]
    assert [cell.replace("/", " ") for cell in rows[0]] == ["Boat length", "Fee a day", "Fee a month"]


def test_a_header_may_have_two_bands_and_bars_may_be_double() -> None:
    text = "+---++---+\n| A || B |\n+---++---+\n| m || s |\n+===++===+\n| 1 || 2 |\n+---++---+\n| 3 || 4 |\n+---++---+"
    assert grids(text) == [(2, [["A", "B"], ["m", "s"], ["1", "2"], ["3", "4"]])]


def test_in_restructuredtext_a_blank_first_cell_goes_on_with_the_row_above() -> None:
    text = (
        "===  ====  ====\na    b     c\n===  ====  ====\n1    two   3\n     and   half\n2    four  6\n===  ====  ===="
    )
    assert grids(text) == [(1, [["a", "b", "c"], ["1", "two/and", "3/half"], ["2", "four", "6"]])]


def test_rows_between_two_rules_are_no_header_of_another_table_below() -> None:
    text = "== ===\n0  off\n1  on\n== ===\n\nIt is off at first.\n\n== ===\n2  red\n3  blue\n== ==="
    assert grids(text) == [(0, [["0", "off"], ["1", "on"]]), (0, [["2", "red"], ["3", "blue"]])]


def test_a_sentence_above_a_rule_in_pieces_is_no_header() -> None:
    text = "These are the names of the ports, as found:\n-----  -----\nFaro      12\nOlhao      3"
    assert grids(text) == [(0, [["Faro", "12"], ["Olhao", "3"]])]


def test_tabs_go_to_the_next_stop_and_marks_above_letters_take_no_place() -> None:
    assert grids("Port\t  12\nOlha\u0303o\t   3\nFaro      40")[0][1] == [
        ["Port", "12"],
        ["Olha\u0303o", "3"],
        ["Faro", "40"],
    ]
    assert grids("\tid\tname\n\t1\tbolt\n\t2\tnut") == [(1, [["id", "name"], ["1", "bolt"], ["2", "nut"]])]


def test_entries_with_leaders_to_numbers_that_do_not_ascend_are_no_contents() -> None:
    text = "Bolts ........ 40\nNuts ......... 12\nWashers ...... 100"
    assert grids(text)[0][1][1] == ["Nuts", "12"]


def test_text_of_few_rows_between_two_columns_joins_none() -> None:
    rows = [f"item {n}                    {n * 7:3}" for n in range(10, 19)]
    text = "\n".join([*rows, "item nineteen and half     133"])
    assert [row[-1] for row in grids(text)[0][1]][-2:] == ["126", "133"]


def test_a_few_aligned_numbers_in_a_long_paragraph_are_no_table() -> None:
    prose = "\n".join(["This paragraph goes on for a while and says much."] * 4)
    assert grids(f"Bolt    12\n{prose}\nNut     40\n{prose}\nPin      7") == []


def test_wide_characters_take_two_places_below_dashes() -> None:
    assert grids("名前  値\n----  --\n神戸  12") == [(1, [["名前", "値"], ["神戸", "12"]])]


def test_wide_characters_take_two_places() -> None:
    text = "+------+------+\n| \u6e2f   | \u6df1\u3055 |\n+------+------+\n| \u795e\u6238 | 12   |\n+------+------+"
    assert grids(text) == [(1, [["\u6e2f", "\u6df1\u3055"], ["\u795e\u6238", "12"]])]


def test_values_wider_than_the_dashes_above_them_stay_whole() -> None:
    text = "Berth      Revenue\n-----      -------\nNorth A  EUR 12,000\nSouth    EUR  1,100"
    assert grids(text)[0][1][1:] == [["North A", "EUR 12,000"], ["South", "EUR  1,100"]]


def _cells(path: Path, headers: int = 1) -> tuple[list[str], Grid]:
    """The caption and the cells of the only table of a file whose parts are proved by the second reader, which has so
    many rows of headers."""
    (page,) = pages_of(path)
    texts = {fragment.id: fragment.text for fragment in page.fragments}
    (table,) = [one for one in page.structure or [] if isinstance(one, RegisterTable)]
    assert table.header_rows == headers
    caption = [texts[name] for name in table.caption_fragment_ids]
    return caption, [["/".join(texts[name] for name in cell.fragment_ids) for cell in row] for row in table.rows]


def test_a_table_of_a_text_file_is_proved_and_has_the_line_above_it_as_its_caption(tmp_path: Path) -> None:
    path = tmp_path / "berths.txt"
    path.write_text("Harbour\n=======\n\nFees in EUR:\nid | name\n---+-----\n 1 | bolt\n 2 | nut\n\nThe end.\n")
    assert _cells(path) == (["Fees in EUR:"], [["id", "name"], ["1", "bolt"], ["2", "nut"]])


def test_a_table_of_a_mail_is_proved_and_its_indentation_counts(tmp_path: Path) -> None:
    path = tmp_path / "order.eml"
    table = "    Item     Price\n    Bolt      2.50\n    Nut       0.10\n    Anchor  120.00"
    path.write_text(f"From: Ann <ann@example.org>\nSubject: Order\nMessage-ID: <1@x>\n\nHello,\n\n{table}\n\nAnn\n")
    assert _cells(path) == ([], [["Item", "Price"], ["Bolt", "2.50"], ["Nut", "0.10"], ["Anchor", "120.00"]])


def test_what_a_table_of_a_mail_is_drawn_with_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "order.eml"
    path.write_text(
        "From: ann@example.org\nSubject: Order\n\n| id | name |\n|----|------|\n|  1 | bolt |\n|  2 | nut  |\n"
    )
    (page,) = pages_of(path)
    assert _cells(path)[1] == [["id", "name"], ["1", "bolt"], ["2", "nut"]]
    left_out = {name for one in page.structure or [] if one.op == "skip" for name in one.fragment_ids}
    assert [f.text for f in page.fragments if f.id in left_out][:5] == ["|", "|", "|", "|----|------|", "|"]


def test_code_above_numbers_is_not_divided() -> None:
    assert cell_starts(["x = f(a, b)", "y = g(c)", "return x + y"]) == {}


def test_a_table_of_an_html_mail_is_one_whatever_stands_in_its_cells(tmp_path: Path) -> None:
    path = tmp_path / "order.eml"
    rows = [
        "<td><p><b>Item</b></p></td><td><p>Quantity</p></td><td><p>Price</p></td>",
        "<td>Bolt<br>M12</td><td>40</td><td>EUR 2.50</td>",
        "<td><p>Anchor</p></td><td rowspan=2><p>1</p></td><td><p>EUR 120.00</p></td>",
        "<td>Chain</td><td>EUR 80.00</td>",
        "<td colspan='2'>Total</td><td>EUR 300.00</td>",
    ]
    table = "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
    labels = "<table><tr><td>Order:</td><td>4711</td></tr><tr><td>Sent:</td><td>today</td></tr></table>"
    body = f"<table><tr><td><p>Hello Ben,</p>{table}{labels}</td><td>Top</td></tr><tr><td>a</td><td>b</td></tr></table>"
    path.write_text(
        f"From: ann@example.org\nSubject: Order\nContent-Type: text/html\n\n<html><body>{body}</body></html>\n"
    )
    assert _cells(path)[1] == [
        ["Item", "Quantity", "Price"],
        ["Bolt/M12", "40", "EUR 2.50"],
        ["Anchor", "1", "EUR 120.00"],
        ["Chain", "EUR 80.00"],
        ["Total", "EUR 300.00"],
    ]
    (page,) = pages_of(path)
    chunks = [one.fragment_ids for one in page.structure or [] if one.op == "register_chunk"]
    texts = {fragment.id: fragment.text for fragment in page.fragments}
    assert [" / ".join(texts[name] for name in names) for names in chunks][1:] == [
        "Hello Ben,",
        "Order: 4711 / Sent: today",
        "Top / a b",
    ]


def test_a_table_of_an_html_mail_with_long_texts_only_arranges_them(tmp_path: Path) -> None:
    path = tmp_path / "letter.eml"
    long = "This goes on and on. " * 20
    rows = f"<tr><td>{long}</td><td>News</td></tr><tr><td>More</td><td>Less</td></tr>"
    path.write_text(f"From: ann@example.org\nSubject: News\nContent-Type: text/html\n\n<table>{rows}</table>\n")
    (page,) = pages_of(path)
    assert not [one for one in page.structure or [] if isinstance(one, RegisterTable)]


def _html_mail(path: Path, body: str) -> Path:
    path.write_text(f"From: ann@example.org\nSubject: News\nContent-Type: text/html\n\n<html>{body}</html>\n")
    return path


def test_a_cell_of_an_html_mail_that_reaches_below_its_table_ends_with_it(tmp_path: Path) -> None:
    rows = "<tr><th>Port</th><th>Fee</th></tr><tr><td rowspan=2>Faro</td><td>12</td></tr><tr><td>&nbsp;</td></tr>"
    path = _html_mail(tmp_path / "fees.eml", f"<table>{rows}</table>")
    assert _cells(path)[1] == [["Port", "Fee"], ["Faro", "12"]]


def test_columns_of_an_html_mail_in_which_no_cell_begins_are_none(tmp_path: Path) -> None:
    rows = "<tr><td colspan=900>Fees</td></tr>" + "".join(
        f"<tr><td>{port}</td><td>&nbsp;</td><td colspan=2>{fee}</td></tr>" for port, fee in (("Faro", 12), ("Lagos", 7))
    )
    path = _html_mail(tmp_path / "fees.eml", f"<table>{rows}</table>")
    assert _cells(path)[1] == [["Fees"], ["Faro", "12"], ["Lagos", "7"]]
    (page,) = pages_of(path)
    (table,) = [one for one in page.structure or [] if isinstance(one, RegisterTable)]
    assert [[cell.col_span for cell in row] for row in table.rows] == [[2], [1, 1], [1, 1]]


def test_what_has_more_columns_than_a_table_can_have_is_text_row_by_row(tmp_path: Path) -> None:
    path = tmp_path / "genes.txt"
    rows = ["\t".join(f"{gene}{n}" for n in range(401)) for gene in "abc"]
    path.write_text("Genes:\n\n" + "\n".join(rows) + "\n")
    pages = pages_of(path)
    operations = [one for page in pages for one in page.structure or []]
    assert not [one for one in operations if isinstance(one, RegisterTable)]
    texts = {fragment.id: fragment.text for page in pages for fragment in page.fragments}
    passages = [[texts[name] for name in one.fragment_ids] for one in operations if one.op == "register_chunk"]
    assert sum("c0" in passage for passage in passages) == 1
    assert not [passage for passage in passages if "a400" in passage and "b0" in passage]


def test_a_rule_that_groups_columns_is_above_the_rule_that_gives_them() -> None:
    text = """\
              2023            2024
         ------------    ------------
Port     Ships  Tons     Ships  Tons
-------  -----  -----    -----  -----
Faro        12    400       14    500
Olhao        3     40        4     50
"""
    (table,) = typed_tables(text.splitlines())
    assert grids(text) == [
        (
            2,
            [
                ["", "2023", "2024"],
                ["Port", "Ships", "Tons", "Ships", "Tons"],
                ["Faro", "12", "400", "14", "500"],
                ["Olhao", "3", "40", "4", "50"],
            ],
        )
    ]
    assert [cell.col_span for cell in table.rows[0]] == [1, 2, 2]


def test_words_over_two_columns_make_no_column_between_them() -> None:
    text = """\
            Sales           Costs
         2023   2024    2023   2024
North      12     14       8      9
South      22             18     19
Total      34     14      26     28
"""
    ((header, rows),) = grids(text)
    assert header == 1
    assert rows[1:4] == [
        ["", "2023", "2024", "2023", "2024"],
        ["North", "12", "14", "8", "9"],
        ["South", "22", "", "18", "19"],
    ]


def test_markdown_in_a_plain_text_may_have_blanks_beside_its_bars_and_escaped_ones() -> None:
    text = "Name | Age\n--- | ---\nAnn | 12\na \\| b | 15\n - | - "
    assert grids(text) == [(1, [["Name", "Age"], ["Ann", "12"], ["a \\| b", "15"], ["-", "-"]])]


def test_text_beside_a_table_with_bars_ends_it() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 | as agreed\n| 5 | 6 |"
    assert grids(text) == [(1, [["a", "b"], ["1", "2"]])]


def test_a_frame_with_text_where_other_lines_of_its_band_have_an_edge_is_read_only_above_it() -> None:
    rule = "+----+------+"
    text = f"{rule}\n| id | name |\n{rule}\n| 1  | Ann  |\n| 1000x xy  |\n{rule}\n| 2  | Ben  |\n{rule}"
    assert grids(text) == [(1, [["id", "name"], ["1", "Ann"]])]


def test_labels_with_colons_and_their_values_have_no_header() -> None:
    assert grids("Customer:  Ann Smith\nOrder:     4711\nWeight:    12 kg\nPaid:      EUR 20") == []
    assert grids("Customer:\tAnn\nOrder:\t4711\nWeight:\t12 kg") == []


def test_the_first_line_of_a_long_label_is_no_header() -> None:
    text = "Item              Qty\nBolt, of steel\n  M12              12\nNut                 3\nPin                 1"
    assert grids(text)[0] == (1, [["Item", "Qty"], ["Bolt, of steel", ""], ["M12", "12"], ["Nut", "3"], ["Pin", "1"]])
    below = "        a    b\ncity\nFaro   12    7\nLagos   3   19\nOlhao   4   20"
    assert grids(below)[0][0] == 2


def test_a_diff_is_no_table() -> None:
    lines = ["-x    = 1", "+x    = 2", "+yy   = 3", "", " zzz  = 4", " a    = 5", " b    = 6"]
    head = ["--- a/file  2024-03-01 10:00", "+++ b/file  2024-03-01 10:01", "@@ -1,5 +1,6 @@"]
    assert grids("\n".join([*head, *lines])) == []
    assert len(grids("\n".join([*head, *lines, "", *["c    12", "d    14", "e     7"]]))) == 1


def test_a_line_that_is_too_long_to_be_typed_is_not_divided() -> None:
    row = "12    7    " * 200
    assert len(row) > 2_000
    assert grids("\n".join([row] * 4)) == []
    assert grids("\n".join([row[:1_900]] * 4)) != []


def _table_of(*rows: str, attributes: str = "") -> str:
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row.split(' | '))}</tr>" for row in rows)
    return f"<table {attributes}>{cells}</table>"


@pytest.mark.parametrize("value", ["--", "&gt; 30", "Best", "Ann Smith"])
def test_in_a_cell_of_an_html_mail_no_quotation_and_no_signature_begins(tmp_path: Path, value: str) -> None:
    path = tmp_path / "fees.eml"
    table = _table_of("Port | Fee | Note", f"Faro | {value} | dredged", "Lagos | 7 | shallow")
    path.write_text(
        f"From: Ann Smith <ann@example.org>\nSubject: Fees\nContent-Type: text/html\n\n<p>Hello,</p>{table}\n"
    )
    assert _cells(path)[1][1:] == [["Faro", value.replace("&gt;", ">"), "dredged"], ["Lagos", "7", "shallow"]]


def test_a_signature_that_is_a_table_is_left_out_as_one(tmp_path: Path) -> None:
    card = _table_of("Ann Smith | Harbour Ltd.", "Director | +351 289 123456")
    path = _html_mail(tmp_path / "letter.eml", f"<p>Hello Ben,</p><p>see you.</p><p>Best regards,</p>{card}")
    (page,) = pages_of(path)
    assert not [one for one in page.structure or [] if isinstance(one, RegisterTable)]


@pytest.mark.parametrize(
    "table",
    [
        _table_of("Shoes | Hats", "See them | See those", attributes='width="600" role="presentation"'),
        _table_of("<h2>Shoes</h2>Light. | <h2>Hats</h2>For all.", "Bags | Belts"),
        _table_of("&bull; | The first point", "&bull; | The second point", "&bull; | The third"),
    ],
    ids=["said so", "headings", "bullets"],
)
def test_tables_of_an_html_mail_that_arrange_it_are_none(tmp_path: Path, table: str) -> None:
    (page,) = pages_of(_html_mail(tmp_path / "news.eml", table))
    assert not [one for one in page.structure or [] if isinstance(one, RegisterTable)]


def test_years_above_labelled_rows_are_a_header_and_a_currency_set_apart_is_of_its_amount() -> None:
    text = """\
                     2023        2022
Revenue          $  1,200    $  1,100
Cost                  800         700
Other, net             (3)         --
Net income       $     97    $    150
"""
    assert grids(text) == [
        (
            1,
            [
                ["", "2023", "2022"],
                ["Revenue", "$  1,200", "$  1,100"],
                ["Cost", "800", "700"],
                ["Other, net", "(3)", "--"],
                ["Net income", "$     97", "$    150"],
            ],
        )
    ]
