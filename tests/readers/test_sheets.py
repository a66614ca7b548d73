"""Spreadsheets: which cells are a title, a header, a row; every cell has its range; a second library has the same."""

import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from shared.domain.geometry import CellRange
from shared.domain.operations import RegisterTable
from shared.domain.page import PageFile
from shared.errors import RefusedFile
from shared.extraction.assemble import assemble
from shared.extraction.structure import operations_of_structure
from shared.extraction.validate import validate_operations
from shared.readers.formats import StructuredFormat
from shared.readers.registry import recognise
from shared.readers.sheets import cells, formats
from shared.rereading.sheets import reread_workbook, says
from tests.readers.test_text import told
from tests.readers.workbooks import Made, opendocument, packed, workbook

PRICES = Made(
    {
        "B2": "Oilless compressors, list prices",
        "B4": "Model", "C4": "Motor", "E4": "Price", "F4": "Since",
        "C5": "power", "D5": "current",
        "C6": "[kW]", "D6": "[A]", "E6": "[EUR]",
        "B7": "TA-15", "C7": (11.2, "0.0"), "D7": 22, "E7": (12450, "#,##0.00"), "F7": (45352, "yyyy-mm-dd"),
        "B8": "TA-20", "C8": (14.9, "0.0"), "D8": 29.5, "E8": (15900.5, "#,##0.00"), "F8": (45383, "d mmm yyyy"),
        "B10": "Total", "E10": (28350.5, "#,##0.00"),
        "B13": "Prices without tax; valid until the end of the year and as long as there is stock.",
        "I4": "City", "J4": "Office", "I5": "Turin", "J5": "Via Po 3", "I6": "Ulm", "J6": "Am Markt 1",
    },
    merged=["C4:D4", "B4:B6"],
)  # fmt: skip


def opened(folder: Path, name: str, data: bytes) -> list[PageFile]:
    """The parts, proved against the second reading."""
    path = folder / name
    path.write_bytes(data)
    read = recognise(path)
    assert isinstance(read, StructuredFormat)
    with read.open(path, None) as source:
        pages = [source.read_page(page) for page in range(1, source.page_count + 1)]
    second = read.second(path).cells
    assert second is not None
    for page in pages:
        assert validate_operations(page, operations_of_structure(page)) == []
        for fragment in page.fragments:
            assert isinstance(fragment.place, CellRange)
            assert second.differs(fragment.place, fragment.text) is None, fragment
    assert second.left() == ""
    return pages


def places(page: PageFile) -> dict[str, str]:
    return {f.text: f.place.range for f in page.fragments if isinstance(f.place, CellRange)}


def test_a_sheet_has_titles_tables_notes_and_every_cell_its_range(tmp_path: Path) -> None:
    (page,) = opened(tmp_path, "prices.xlsx", workbook({"List 2024": PRICES}))
    assert told([page]) == [
        ("section", 1, "List 2024"),
        ("section", 2, "Oilless compressors, list prices"),
        ("table", 3, [
            [["Model"], ["Motor"], ["Price"], ["Since"]],
            [["power"], ["current"], [], []],
            [["[kW]"], ["[A]"], ["[EUR]"], []],
            [["TA-15"], ["11.2"], ["22"], ["12,450.00"], ["2024-03-01"]],
            [["TA-20"], ["14.9"], ["29.5"], ["15,900.50"], ["1 Apr 2024"]],
            [["Total"], [], [], ["28,350.50"], []],
        ]),
        ("table", 1, [[["City"], ["Office"]], [["Turin"], ["Via Po 3"]], [["Ulm"], ["Am Markt 1"]]]),
        ("text", "Prices without tax; valid until the end of the year and as long as there is stock."),
    ]  # fmt: skip
    found = places(page)
    assert (found["Motor"], found["Model"], found["TA-15"], found["28,350.50"]) == ("C4:D4", "B4:B6", "B7", "E10")
    assert found["List 2024"] == "B2:J13"
    table = next(one for one in page.structure or [] if isinstance(one, RegisterTable))
    assert [(c.row_span, c.col_span) for c in table.rows[0]] == [(3, 1), (1, 2), (1, 1), (1, 1)]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ((0.155, "0.0%"), "15.5%"),
        ((1234567.891, "#,##0.00"), "1,234,567.89"),
        ((-1234.5, '"$"#,##0.00;("$"#,##0.00)'), "($1,234.50)"),
        ((-5, "0;[Red]0"), "-5"),
        ((12, "[$\u20ac-407] 0.00"), "\u20ac 12.00"),
        ((2.675, "0.00"), "2.68"),
        ((0.5, "#.##"), ".5"),
        ((12345, "0.00E+00"), "1.23E+04"),
        ((45352.75, "dd.mm.yyyy hh:mm"), "01.03.2024 18:00"),
        ((45352.75, "mmm d, yyyy h:mm AM/PM"), "Mar 1, 2024 6:00 PM"),
        ((61, "yyyy-mm-dd"), "1900-03-01"),
        ((1, "yyyy-mm-dd"), "1900-01-01"),
        ((0.1, "# ?/?"), "1/9"),
        ((1500, "0.0,"), "1500"),
        ((7, '[>5]"many";0'), "7"),
        (0.30000000000000004, "0.3"),
        (1e21, "1E+21"),
        ('<c t="b"><v>1</v></c>', "TRUE"),
        ('<c t="e"><v>#DIV/0!</v></c>', "#DIV/0!"),
        ('<c t="str"><f>A2&amp;"x"</f><v>2x</v></c>', "2x"),
        ("<c><f>1+1</f><v>2</v></c>", "2"),
        (
            '<c t="inlineStr"><is><r><t>a</t></r><r><t xml:space="preserve"> b</t></r><rPh><t>c</t></rPh></is></c>',
            "a b",
        ),
    ],
)
def test_a_cell_is_read_as_it_is_shown(tmp_path: Path, value: str | float | tuple[float, str], shown: str) -> None:
    (page,) = opened(tmp_path, "one.xlsx", workbook({"S": Made({"A1": value})}))
    assert [f.text for f in page.fragments][1:] == [shown]


# As ECMA-376 18.8.31 and Excel's own pages on formats say.
FORMATS = (
    (1.2534722222, "[h]:mm", "30:05"), (1.2534722222, "[mm]:ss", "1805:00"), (0.5, "[ss]", "43200"),
    (0.25, "[hh]:mm:ss", "06:00:00"), (12345, '#,##0,"k"', "12k"), (1234567, '0.0,,"M"', "1.2M"),
    (1.5, "# ?/?", "1 1/2"),
    (0.333333, "# ?/?", "1/3"), (2.25, "# ?/8", "2 2/8"), (3, "# ?/?", "3"), (-1.5, "# ?/?", "-1 1/2"),
    (5551234567, "(000) 000-0000", "(555) 123-4567"), (7, "00\\-00", "00-07"), (0, '#,##0;-#,##0;"-"', "-"),
    (0, '_(* #,##0_);_(* (#,##0);_(* "-"??_);_(@_)', "-"), (-5, '_(* #,##0_);_(* (#,##0);_(* "-"??_);_(@_)', "(5)"),
    (45721, "[$-407]d. mmmm yyyy", "5. M\u00e4rz 2025"), (45721, "[$-409]d mmmm yyyy", "5 March 2025"),
    (1234567890123456, "General", "1234567890123456"), (150, '[>=100]0" high";0" low"', "150 high"),
    (50, '[>=100]0" high";0" low"', "50 low"), (0.5, "#.00", ".50"), (12, ";;;", "12"), (1500, "0.0,", "1500"),
    (1.99, "# ?/?", "2"), (0.3, "# ?/4", "1/4"), (15551234567, "(000) 000-0000", "(1555) 123-4567"),
    (5, '[<10]0" low";[<100]0" mid";0" high"', "5 low"), (50, '[<10]0" low";[<100]0" mid";0" high"', "50 mid"),
    (500, '[<10]0" low";[<100]0" mid";0" high"', "500 high"), (45721, "[$-40A]d mmmm yyyy", "5 marzo 2025"),
    (45721, "[$-40C]d mmmm yyyy", "5 mars 2025"), (45721, "[$-407]dddd d", "Mittwoch 5"),
    (45721, "[$-C0A]dddd d", "mi\u00e9rcoles 5"), (45721, "[$-de-DE]d mmmm", "5 M\u00e4rz"),
    (-12345, '#,##0,"k"', "-12k"), (-5, "0;[Red]-0", "-5"), (-5, "0;(0)", "(5)"),
    (7, "[>1.2.3]0.0", "7"), (7, "[>.]0.0", "7"), (7, '[>-.5]0.0;"low"', "7.0"), (7, '[<5.]"low";0.0', "7.0"),
)  # fmt: skip


@pytest.mark.parametrize(("value", "code", "text"), FORMATS)
def test_a_number_is_shown_as_its_format_says_and_the_proof_knows_it(value: float, code: str, text: str) -> None:
    assert formats.shown(value, code).text == text
    assert says(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("30:06", 1.2534722222),
        ("47k", 12345),
        ("1 1/2", 1.9),
        ("(555) 123-4567", 5551234568),
        ("-", 3),
        ("31:07", 1.25),
    ],
)
def test_the_proof_knows_a_wrong_text_of_a_format(text: str, value: float) -> None:
    assert not says(text, value)


def test_days_are_counted_from_1904_where_the_workbook_says_so(tmp_path: Path) -> None:
    (page,) = opened(tmp_path, "mac.xlsx", workbook({"S": Made({"A1": (1, "yyyy-mm-dd")})}, since_1904=True))
    assert page.fragments[1].text == "1904-01-02"


def test_what_is_hidden_is_read_and_said(tmp_path: Path) -> None:
    table = {f"{c}{r}": f"{c}{r}" for r in range(1, 5) for c in "ABC"}
    sheets = {"Shown": Made(table, hidden_rows=[3], hidden_columns=[2]), "Kept": Made({"A1": "x"}, state="hidden")}
    pages = opened(tmp_path, "hidden.xlsx", workbook(sheets))
    assert [page.label for page in pages] == ["Shown, hidden: row 3, column B", "Kept, hidden sheet"]
    assert {"B3", "A3", "B1"} <= set(places(pages[0]))
    unseen = {fragment.text for fragment in pages[0].fragments if fragment.hidden}
    assert unseen == {"B1", "A3", "B2", "B3", "C3", "B4"}
    assert all(fragment.hidden for fragment in pages[1].fragments)


def test_passages_of_hidden_rows_columns_and_sheets_are_flagged_and_no_less_trusted(tmp_path: Path) -> None:
    table = {f"{c}{r}": f"{c}{r}" for r in range(1, 5) for c in "ABC"}
    sheets = {
        "Rows": Made(table, hidden_rows=[3]),
        "Columns": Made(table, hidden_columns=[2]),
        "Shown": Made(table),
        "Kept": Made(table, state="veryHidden"),
    }
    pages = opened(tmp_path, "hidden.xlsx", workbook(sheets))
    said = [(page, operations_of_structure(page)) for page in pages]
    assert [one.flags for _, one in said] == [["partly_hidden"], ["partly_hidden"], [], ["hidden"]]
    draft = assemble(said)
    rows, columns, shown, kept = (
        {
            chunk.chunk_type if chunk.chunk_type == "table" else chunk.content.split(" ")[0]: chunk.flags
            for chunk in draft.chunks
            if chunk.boxes[0].page == page
        }
        for page in (1, 2, 3, 4)
    )
    partly = ["partly_hidden"]
    assert rows == {"Rows": [], "table": partly, "A1": [], "A2": [], "A3": ["hidden"], "A4": []}
    assert columns == {"Columns": [], **dict.fromkeys(("table", "A1", "A2", "A3", "A4"), partly)}
    assert set(map(tuple, shown.values())) == {()}
    assert set(map(tuple, kept.values())) == {("hidden",)}
    assert {chunk.confidence for chunk in draft.chunks} == {1.0}


def test_a_merged_cell_is_hidden_where_all_of_it_is(tmp_path: Path) -> None:
    cells = {"A1": "top", "B1": "1", "B2": "2", "A3": "foot", "B3": "3", "B4": "4", "A5": "none", "B5": "5", "B6": "6"}
    made = Made(cells, merged=["A1:A2", "A3:A4", "A5:A6"], hidden_rows=[2, 3, 5, 6])
    (page,) = opened(tmp_path, "merged.xlsx", workbook({"S": made}))
    assert {one.text for one in page.fragments if one.hidden} == {"2", "3", "none", "5", "6"}


def test_a_long_table_has_windows_each_with_its_header(tmp_path: Path) -> None:
    lines = ["Item,Mass [kg]", *(f"part {n},{n}" for n in range(1, 451))]
    pages = opened(tmp_path, "long.csv", "\r\n".join(lines).encode())
    tables = [one for one in told(pages) if one[0] == "table"]
    rows = [one[2] for one in tables]
    assert [len(one) for one in rows if isinstance(one, list)] == [201, 201, 51]
    for header, one in zip([1, 1, 1], tables, strict=True):
        assert one[1] == header
        assert isinstance(one[2], list)
        assert one[2][0] == [["Item"], ["Mass [kg]"]]
    assert places(pages[2])["Item"] == "A1"
    assert places(pages[2])["part 450"] == "A451"
    assert [page.label for page in pages] == ["rows 2\u2013201", "rows 202\u2013401", "rows 402\u2013451"]


def test_short_words_below_the_names_of_columns_are_units_only_where_something_is_measured(tmp_path: Path) -> None:
    words = opened(tmp_path, "words.csv", b"Model,Supplier\r\nKite,North\r\nHeron,South\r\nCrane,North\r\n")
    units = opened(tmp_path, "units.csv", b"Mass,Length\r\nkg,mm\r\n3,20\r\n4,30\r\n")
    assert [[one[1] for one in told(pages) if one[0] == "table"] for pages in (words, units)] == [[1], [2]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a;b\r\n"x;1";2,5\r\n"say ""so""";3\r\n', [["a", "b"], ["x;1", "2,5"], ['say "so"', "3"]]),
        ("a\tb, c\n1\t2\n3\t4\n", [["a", "b, c"], ["1", "2"], ["3", "4"]]),
        ('a,b\n"two\nlines",1\n\nlast,2\n', [["a", "b"], ["two", "lines", "1"], ["last", "2"]]),
        ("a|b|c\n1|2|3|4\n5\n6|7\n", [["a", "b", "c"], ["1", "2", "3", "4"], ["5"], ["6", "7"]]),
        ('a, "b, c", d\n1, "x, y", 2\n3, "z", 4\n', [["a", "b, c", "d"], ["1", "x, y", "2"], ["3", "z", "4"]]),
        ("\ufeffn\u00e4me,wert\nx,1\n", [["n\u00e4me", "wert"], ["x", "1"]]),
    ],
)
def test_a_table_in_plain_text_is_read_by_its_own_signs(tmp_path: Path, text: str, expected: list[list[str]]) -> None:
    pages = opened(tmp_path, "table.csv", text.encode())
    rows: dict[str, list[str]] = {}
    for fragment in (f for page in pages for f in page.fragments):
        assert isinstance(fragment.place, CellRange)
        rows.setdefault(fragment.place.range.lstrip("ABCD"), []).append(fragment.text)
    assert list(rows.values()) == expected


@pytest.mark.parametrize(
    ("text", "header", "rows"),
    [
        # A word below another one is that column's; in the first column it may be a note.
        ("n,name,unit\n1,flow,cfm\n,head,\n", 1, 3),
        ("n,name,unit\n1,flow,cfm\nSource: works,,\n", 1, 2),
        # Numbers are names above words, and values above numbers.
        ("version,3.1,3.2\nA,yes,no\nB,yes,\n", 1, 3),
        ("A,3.1,3.2\nB,4.1,4.2\n", 0, 2),
        ("A,3.1,3.2\nB,yes,4.2\n", 0, 2),
    ],
)
def test_which_rows_a_table_in_plain_text_has(tmp_path: Path, text: str, header: int, rows: int) -> None:
    (page,) = opened(tmp_path, "table.csv", text.encode())
    [table] = [one for one in page.structure or [] if isinstance(one, RegisterTable)]
    assert (table.header_rows, len(table.rows)) == (header, rows)


NOTED = """Account:;DE12;;
Of:;2024-03-01;to;2024-03-31
Owner;;;
Day;Text;Sum;Currency
2024-03-02;Rent;-900;EUR
2024-03-04;Fee;-3;EUR
"""


@pytest.mark.parametrize(
    ("text", "header", "rows", "notes"),
    [
        (NOTED, 1, 3, 3),
        # A level of a header stands over other columns than the first one, or over most of them.
        ("Account:;DE12;;\nOf:;May;;\n;2023;;2024\nPort;Plan;Real;Aim\nHull;1;2;3\nKiel;4;5;6\n", 2, 4, 2),
        (";2023;;2024\nPort;Plan;Real;Aim\nHull;1;2;3\nKiel;4;5;6\n", 2, 4, 0),
        ("Time;Heat;Salt;\ns;degC;psu;flag\n1;2;3;0\n4;5;6;1\n", 2, 4, 0),
        # Rows of the table may be short.
        ("Ann;4\nBob;5;Kiel;yes\nCy;6;Hull;no\n", 0, 3, 0),
        ("Part;Mass;;\nNut;4;;\nBolt;heavy;x;y\nCap;7;v;w\nPin;8;t;u\n", 1, 5, 0),
    ],
)
def test_notes_above_the_names_of_columns_are_no_names(
    tmp_path: Path, text: str, header: int, rows: int, notes: int
) -> None:
    found = told(opened(tmp_path, "made.csv", text.encode()))
    tables = [one for one in found if one[0] == "table"]
    assert [(one[1], len(list(one[2]))) for one in tables if isinstance(one[2], list)] == [(header, rows)]
    assert len(found) == notes + 1


def test_a_row_in_brackets_below_names_is_of_the_header(tmp_path: Path) -> None:
    text = b"part,died,weight\n(as delivered to us),(date is approximate),(in grams)\nclip,2007-01-01,0.9\n"
    assert [one[1] for one in told(opened(tmp_path, "made.csv", text))] == [2]


def test_the_day_before_the_first_is_a_number_and_no_date(tmp_path: Path) -> None:
    (page,) = opened(tmp_path, "one.xlsx", workbook({"S": Made({"A1": (0, "dd/mm/yy"), "A2": (0, "h:mm:ss")})}))
    assert [f.text for f in page.fragments][1:] == ["0", "0:00:00"]


def test_numbers_with_white_space_around_them_are_proved(tmp_path: Path) -> None:
    data = workbook({"S": Made({"A1": "Depth", "A2": 41, "A3": 42.5})})
    sheet = zipfile.ZipFile(BytesIO(data)).read("xl/worksheets/sheet1.xml")
    padded = sheet.replace(b"<v>41", b"<v> 41").replace(b'<c r="A2"', b'<c t="n" r="A2"')
    assert padded != sheet
    opened(tmp_path, "padded.xlsx", with_member(data, "xl/worksheets/sheet1.xml", padded))
    second = reread_workbook(tmp_path / "padded.xlsx").cells
    assert second is not None
    place = CellRange(sheet="S", range="A2")
    assert [second.differs(place, text) for text in ("41", "42")] == [None, "41.0"]


def test_a_sheet_with_white_space_between_its_elements_is_proved_by_its_words(tmp_path: Path) -> None:
    """Calamine gives up on it."""
    cell = '<table:table-cell office:value-type="float" office:value="{0}">\n <text:p>{0}</text:p>\n</table:table-cell>'
    row = f'<table:table-row>\n {cell.format(3)}\n <table:table-cell table:number-columns-repeated="2"/>'
    rest = '<table:table-row table:number-rows-repeated="2"/>'
    cells = f"{row}\n {cell.format(4)}</table:table-row>{rest}<table:table-row>{cell.format(5)}</table:table-row>"
    data = opendocument(f'<table:table table:name="S">\n<table:table-column/>{cells}</table:table>')
    (page,) = opened(tmp_path, "kept.ods", data)
    assert places(page) == {"S": "A1:D4", "3": "A1", "4": "D1", "5": "A4"}
    second = reread_workbook(tmp_path / "kept.ods").cells
    assert second is not None
    assert second.differs(CellRange(sheet="S", range="A1"), "4") == "3"
    assert second.left() == "3 4 5"


def test_an_opendocument_sheet_is_read_with_repeats_spans_and_hidden_rows(tmp_path: Path) -> None:
    def cell(said: str, more: str = "") -> str:
        return f'<table:table-cell office:value-type="string" {more}><text:p>{said}</text:p></table:table-cell>'

    number = '<table:table-cell office:value-type="float" office:value="7.5"><text:p>7.5</text:p></table:table-cell>'
    tables = (
        '<table:table table:name="Q1"><table:table-row>'
        f"{cell('Pump', 'table:number-columns-spanned=' + chr(34) + '2' + chr(34))}<table:covered-table-cell/>"
        '</table:table-row><table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>'
        f"<table:table-row>{cell('Name')}{cell('Mass')}</table:table-row>"
        f'<table:table-row table:number-rows-repeated="2" table:visibility="collapse">{cell("A")}{number}'
        '<table:table-cell table:number-columns-repeated="16000"/></table:table-row></table:table>'
    )
    (page,) = opened(tmp_path, "made.ods", opendocument(tables))
    assert told([page]) == [
        ("section", 1, "Q1"),
        ("section", 2, "Pump"),
        ("table", 1, [[["Name"], ["Mass"]], [["A"], ["7.5"]], [["A"], ["7.5"]]]),
    ]
    assert page.label == "Q1, hidden: row 6, row 7"
    assert places(page)["Pump"] == "A1:B1"


def test_the_second_reading_tells_a_wrong_value_and_what_was_not_read(tmp_path: Path) -> None:
    path = tmp_path / "made.xlsx"
    path.write_bytes(workbook({"S": Made({"A1": "x", "B1": (0.155, "0.0%"), "C1": (45352, "d.m.yyyy")})}))
    read = recognise(path)
    assert isinstance(read, StructuredFormat)
    second = read.second(path).cells
    assert second is not None
    for at, wrong in (("A1", "y"), ("B1", "15.6%"), ("B1", "-15.5%"), ("C1", "2.3.2024"), ("D1", "x"), ("A2", "x")):
        assert second.differs(CellRange(sheet="S", range=at), wrong) is not None, (at, wrong)
    assert second.differs(CellRange(sheet="T", range="A1"), "x") is not None
    assert second.left().startswith("x 0.155")


def bomb() -> bytes:
    data = bytearray(workbook({"S": Made({"A1": "x"})}))
    file = BytesIO(bytes(data))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/zeros.xml", b"0" * (30 << 20))
    return file.getvalue()


def declared() -> bytes:
    file = BytesIO(workbook({"S": Made({"A1": "x"})}))
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    entity = b'<!DOCTYPE w [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
    return packed({**members, "xl/workbook.xml": entity + members["xl/workbook.xml"]})


def with_member(data: bytes, name: str, content: bytes) -> bytes:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return packed({**{one: archive.read(one) for one in archive.namelist()}, name: content})


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("damaged.xlsx", b"PK\x03\x04 nothing more", "damaged"),
        ("empty.xlsx", workbook({"S": Made({})}), "no cells"),
        ("bomb.xlsx", bomb(), "unpacks to"),
        ("entities.xlsx", declared(), "entities"),
        ("far.xlsx", workbook({"S": Made({"A1": "x", "XFD1048576": "y"})}), "too far apart"),
        ("bad.xlsx", workbook({"S": Made({"A1": '<c t="s"><v>9</v></c>'})}), "damaged"),
        ("merged.xlsx", workbook({"S": Made({"A1": "x", "J200001": "y"}, merged=["A1:J200000"])}), "merged"),
        ("locked.ods", with_member(opendocument(""), "META-INF/manifest.xml", b"<encryption-data/>"), "is encrypted"),
        ("binary.csv", b"a,b\n" * 300 + b"\0", "bytes that no text has"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    with pytest.raises(RefusedFile, match=says):
        opened(tmp_path, name, data)


def test_more_rows_than_can_be_stored_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MAX_ROWS", 100)
    with pytest.raises(RefusedFile, match="more than 100 rows"):
        opened(tmp_path, "many.csv", b"a,b\n" * 101)


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("float", 'office:value="1234.5"', "1.234,50"),
        ("float", 'office:value="1234567.5"', "1\u202f234\u202f567,5"),
        ("float", 'office:value="1500000"', "1,5 Mio."),
        ("float", 'office:value="0.75"', "3/4"),
        ("percentage", 'office:value="0.155"', "15,5 %"),
        ("currency", 'office:value="-1234.5"', "\u22121.234,50 \u20ac"),
        ("date", 'office:date-value="2024-03-01"', "1. M\u00e4rz 2024"),
        ("time", 'office:time-value="PT25H30M00S"', "25:30:00"),
        ("time", 'office:time-value="PT25H30M00S"', "01:30"),
        ("time", 'office:time-value="PT967160H20M59.999999916S"', "08:21"),
        ("boolean", 'office:boolean-value="true"', "WAHR"),
        ("float", 'office:value="1"', "1,0 %"),
        ("float", 'office:value="0"', "#VALORE!"),
    ],
)
def test_an_opendocument_cell_is_proved_in_the_writing_of_its_country(
    tmp_path: Path, kind: str, value: str, shown: str
) -> None:
    cell = f'<table:table-cell office:value-type="{kind}" {value}><text:p>{shown}</text:p></table:table-cell>'
    tables = f'<table:table table:name="S"><table:table-row>{cell}</table:table-row></table:table>'
    (page,) = opened(tmp_path, "one.ods", opendocument(tables))
    assert page.fragments[1].text == shown


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("float", 'office:value="23621"', "23621"),
        ("date", 'office:date-value="2024-03-01"', "2024-03-01"),
        ("boolean", 'office:boolean-value="true"', "TRUE"),
    ],
)
def test_a_value_without_words_is_shown_as_it_is(tmp_path: Path, kind: str, value: str, shown: str) -> None:
    cell = f'<table:table-cell office:value-type="{kind}" {value}><text:p/></table:table-cell>'
    tables = f'<table:table table:name="S"><table:table-row>{cell}</table:table-row></table:table>'
    (page,) = opened(tmp_path, "one.ods", opendocument(tables))
    assert page.fragments[1].text == shown


def test_an_error_is_proved_in_the_language_that_it_is_written_in(tmp_path: Path) -> None:
    kind = (
        'office:value-type="string" office:string-value="" calcext:value-type="error"'
        ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
    )
    cell = f'<table:table-cell table:formula="of:=NA()" {kind}>'
    row = f"<table:table-row>{cell}<text:p>#N/D</text:p></table:table-cell></table:table-row>"
    (page,) = opened(tmp_path, "one.ods", opendocument(f'<table:table table:name="S">{row}</table:table>'))
    assert page.fragments[1].text == "#N/D"
    second = reread_workbook(tmp_path / "one.ods").cells
    assert second is not None
    assert second.differs(CellRange(sheet="S", range="A1"), "#N/A!") is not None


def test_a_sheet_with_macros_of_a_workbook_is_no_workbook(tmp_path: Path) -> None:
    data = opendocument('<table:table table:name="S"><table:table-row/></table:table>')
    path = tmp_path / "one.ods"
    path.write_bytes(with_member(data, "Basic/Standard/ThisWorkbook.xml", b"<module/>"))
    assert recognise(path).source_type == "ods"


def test_what_is_no_number_is_an_error(tmp_path: Path) -> None:
    (page,) = opened(tmp_path, "one.xlsx", workbook({"S": Made({"A1": "x", "B1": '<c t="n"><v>NaN</v></c>'})}))
    assert [one.text for one in page.fragments] == ["S", "x", "#NUM!"]


def test_spaces_that_break_no_line_are_of_the_text(tmp_path: Path) -> None:
    runs = "<is><r><t>\u2022</t></r><r><t>\xa0\xa0Well </t></r><r><t> care\xa0</t></r><r><t>.</t></r></is>"
    (page,) = opened(tmp_path, "one.xlsx", workbook({"S": Made({"A1": f'<c t="inlineStr">{runs}</c>'})}))
    assert page.fragments[1].text == "\u2022\xa0\xa0Wellcare\xa0."


def test_a_cell_below_a_merged_one_is_left_out_as_invisible(tmp_path: Path) -> None:
    table = {"A1": "Name", "B1": "Mass", "A2": "x", "B2": 1, "B3": 2, "A3": "under"}
    (page,) = opened(tmp_path, "merged.xlsx", workbook({"S": Made(table, merged=["A2:A3"])}))
    assert told([page], skipped=True) == [
        ("section", 1, "S"),
        ("skip", "under"),
        ("table", 1, [[["Name"], ["Mass"]], [["x"], ["1"]], [["2"]]]),
    ]
    assert places(page)["x"] == "A2:A3"


@pytest.mark.parametrize("code", ['"1."0', "\\1\\.0#"])
def test_digits_of_a_format_itself_are_shown_and_proved(tmp_path: Path, code: str) -> None:
    table: dict[str, str | tuple[float, str]] = {"A1": "No.", "B1": "What", "A2": (7.0, code), "B2": "Voltage"}
    (page,) = opened(tmp_path, "one.xlsx", workbook({"S": Made(table)}))
    assert [one.text for one in page.fragments[3:]] == ["1.7", "Voltage"]


def test_a_figure_that_is_another_is_not_proved_where_no_format_has_digits(tmp_path: Path) -> None:
    path = tmp_path / "one.xlsx"
    path.write_bytes(workbook({"S": Made({"A2": 7.0})}))
    cells = reread_workbook(path).cells
    assert cells is not None
    assert cells.differs(CellRange(sheet="S", range="A2"), "1.7") == "7.0"


def test_a_merged_cell_beside_the_first_column_is_a_header_level_and_units_may_have_powers(tmp_path: Path) -> None:
    table = {
        "B1": "Output", "A2": "Crane", "B2": "Flow", "C2": "Load", "B3": "m³/h", "C3": "kg",
        "A4": "Amber 1", "B4": 12, "C4": 700, "A5": "Amber 2", "B5": 13, "C5": 800,
    }  # fmt: skip
    (page,) = opened(tmp_path, "levels.xlsx", workbook({"S": Made(table, merged=["B1:C1"])}))
    assert told([page])[1][:2] == ("table", 3)


def test_a_merged_cell_over_the_first_column_is_a_title(tmp_path: Path) -> None:
    table = {"A1": "Output of cranes", "A2": "Crane", "B2": "Flow", "A3": "Amber", "B3": 12, "A4": "Berth", "B4": 13}
    (page,) = opened(tmp_path, "title.xlsx", workbook({"S": Made(table, merged=["A1:B1"])}))
    assert [one[0] for one in told([page])] == ["section", "section", "table"]


def test_the_head_of_a_quote_is_no_table_with_a_header(tmp_path: Path) -> None:
    quote = Made(
        {
            "A1": "Quote #", "B1": "Q-2025-014", "D1": "Salesperson:", "E1": "Tom Wu",
            "A2": "Customer", "B2": "Acme Foundry", "D2": "Phone:", "E2": "317-555-0100",
            "A3": "Attn", "B3": "Jane Doe",
            "A6": "Item", "B6": "Qty", "A7": "Brake", "B7": 2,
            "A9": "Freight", "B9": "prepaid", "A10": "Order", "B10": "A-77", "A11": "Due", "B11": "2025-05-01",
        }
    )  # fmt: skip
    (page,) = opened(tmp_path, "quote.xlsx", workbook({"Quote": quote}))
    tables = [(one.header_rows, len(one.rows)) for one in page.structure or [] if isinstance(one, RegisterTable)]
    assert tables == [(0, 3), (0, 2), (1, 2), (0, 3)]


def stacked() -> Made:
    return Made(
        {
            "A1": "Plant North", "A2": "Month", "B2": "Output", "A3": "Jan", "B3": 120, "A4": "Sum", "B4": 120,
            "A5": "Plant South", "A6": "Month", "B6": "Output", "A7": "Jan", "B7": 90, "A8": "Sum", "B8": 90,
            "A10": "* Without the test runs.", "A12": "City", "B12": "Area", "A13": "Ulm", "B13": 7,
        }
    )  # fmt: skip


def test_a_header_that_is_said_again_begins_the_next_table_under_the_line_above_it(tmp_path: Path) -> None:
    found = told(opened(tmp_path, "stack.xlsx", workbook({"Plan": stacked()})))
    assert [one if one[0] != "table" else one[:2] for one in found] == [
        ("section", 1, "Plan"),
        ("section", 2, "Plant North"),
        ("table", 1),
        ("section", 2, "Plant South"),
        ("table", 1),
        ("text", "* Without the test runs."),
        ("table", 1),
    ]


def test_a_header_that_is_said_again_above_a_single_line_is_a_header(tmp_path: Path) -> None:
    months = "March,\nPort,Ships\nHull,3\nKiel,4\nApril,\nPort,Ships\nnone,\nMay,\nPort,Ships\nHull,5\nnone,\n"
    found = told(opened(tmp_path, "months.csv", months.encode()))
    assert found == [
        ("section", 2, "March"),
        ("table", 1, [[["Port"], ["Ships"]], [["Hull"], ["3"]], [["Kiel"], ["4"]]]),
        ("section", 2, "April"),
        ("table", 1, [[["Port"], ["Ships"]], [["none"], []]]),
        ("section", 2, "May"),
        ("table", 1, [[["Port"], ["Ships"]], [["Hull"], ["5"]]]),
        ("text", "none"),
    ]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Prices of May", "section"),
        ("Prices", "section"),
        ("\u2020 estimated", "text"),
        ("Energy is without heating.", "text"),
        ("Total", "text"),
        ("Zwischensumme:", "text"),
    ],
)
def test_a_line_that_explains_or_sums_up_is_no_title(tmp_path: Path, line: str, kind: str) -> None:
    below = {"A3": "City", "B3": "Area", "A4": "Ulm", "B4": 7, "A5": "Bonn", "B5": 9}
    for first in ("A2", "A1"):
        found = told(opened(tmp_path, "made.xlsx", workbook({"S": Made({first: line, **below})})))
        assert found[1] == ((kind, 2, line) if kind == "section" else (kind, line))


def test_a_table_beside_others_is_under_the_heading_above_it(tmp_path: Path) -> None:
    cells: dict[str, str | float | tuple[float, str]] = {
        "A1": "Left", "A2": "City", "B2": "Area", "A3": "Ulm", "B3": 7, "A4": "Bonn", "B4": 8,
        "A6": "Low", "A7": "City", "B7": "Area", "A8": "Ulm", "B8": 7, "A9": "Bonn", "B9": 8,
        "E2": "Place", "F2": "Depth",
    }  # fmt: skip
    for row, said in enumerate("abcdefg", 3):
        cells |= {f"E{row}": f"Bay {said}", f"F{row}": row}
    found = told(opened(tmp_path, "made.xlsx", workbook({"S": Made(cells)})))
    told_of = [one[-1] if one[0] == "section" else one[0] for one in found]
    assert told_of == ["S", "Left", "table", "table", "Low", "table"]
