"""Formulas of cells: as they are shown, beside what the cells show; those that nobody has calculated."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import pytest

from shared.domain.operations import RegisterTable
from shared.domain.page import PageFile
from shared.errors import RefusedFile
from shared.extraction.assemble import assemble
from shared.extraction.structure import operations_of_structure
from shared.readers.sheets import cells
from shared.readers.sheets.cells import Budget, Sheet, SheetCell
from shared.readers.sheets.document import open_workbook
from shared.readers.sheets.formulas import SharedFormula, as_shown
from shared.readers.sheets.opendocument_formulas import as_calc_shows
from shared.readers.sheets.tokens import Names, formula_of, sheet_name
from shared.readers.sheets.workbook_formulas import FormulaReader
from shared.rereading.formulas import WrittenFormulas
from tests.readers.test_sheets import opened
from tests.readers.workbooks import Made, opendocument, workbook


def cell(formula: str, value: str = "", more: str = "", kind: str = "n") -> str:
    return f'<c t="{kind}"{more}>{formula}{f"<v>{value}</v>" if value else ""}</c>'


HEADER = {"A1": "Part", "B1": "Price", "C1": "Number", "D1": "Sum"}
ORDER = Made(
    {
        **HEADER,
        "A2": "Bolt", "B2": 2.0, "C2": 3, "D2": cell('<f t="shared" ref="D2:D4" si="0">B2*$C2</f>', "6"),
        "A3": "Nut", "B3": 1.5, "C3": 4, "D3": cell('<f t="shared" si="0"/>', "6"),
        "A4": "Pin", "B4": 0.5, "C4": 8, "D4": cell('<f t="shared" si="0"/>', "4"),
        "A5": "Total", "D5": cell('<f>SUM(D2:D4)&amp;""</f>', "16", kind="str"),
    }
)  # fmt: skip


def formulas(page: PageFile) -> dict[str, str]:
    return {one.range: one.formula for one in page.formulas}


def test_a_cell_shows_its_value_and_beside_it_stands_the_formula(tmp_path: Path) -> None:
    (page,) = opened(tmp_path, "order.xlsx", workbook({"Order": ORDER}))
    assert formulas(page) == {"D2": "=B2*$C2", "D3": "=B3*$C3", "D4": "=B4*$C4", "D5": '=SUM(D2:D4)&""'}
    assert "16" in {fragment.text for fragment in page.fragments}
    assert not any("SUM" in fragment.text for fragment in page.fragments)
    assert page.uncalculated == 0


def test_rows_and_cells_of_a_draft_have_their_formulas_and_no_text_has(tmp_path: Path) -> None:
    (page,) = opened(tmp_path, "order.xlsx", workbook({"Order": ORDER}))
    draft = assemble([(page, operations_of_structure(page))])
    rows = [chunk for chunk in draft.chunks if chunk.chunk_type == "table_row"]
    assert [[(one.range, one.formula) for one in row.formulas] for row in rows][:2] == [
        [("D2", "=B2*$C2")],
        [("D3", "=B3*$C3")],
    ]
    assert [row[-1].formula for row in draft.tables[0].rows] == [
        None, "=B2*$C2", "=B3*$C3", "=B4*$C4", '=SUM(D2:D4)&""',
    ]  # fmt: skip
    assert not any("=" in chunk.content + chunk.labelled + chunk.context for chunk in draft.chunks)
    assert all(not chunk.formulas for chunk in draft.chunks if chunk.chunk_type in ("heading", "table"))


def test_what_nobody_calculated_is_shown_flagged_and_has_no_value(tmp_path: Path) -> None:
    made = Made(
        {
            **HEADER,
            "A2": "Bolt", "B2": 2.0, "C2": 3, "D2": cell("<f>B2*C2</f>"),
            "A3": "Nut", "B3": 1.5, "C3": 4, "D3": cell("<f>B3*C3</f><v></v>"),
            "A4": "Pin", "B4": 0.5, "C4": 8, "D4": cell('<f>IF(C4>9,"many","")</f><v></v>', kind="str"),
            "H40": cell("<f>NOW()</f>"),
        }
    )  # fmt: skip
    (page,) = opened(tmp_path, "made.xlsx", workbook({"Order": made}))
    assert formulas(page) == {"D2": "=B2*C2", "D3": "=B3*C3", "D4": '=IF(C4>9,"many","")', "H40": "=NOW()"}
    assert [one.range for one in page.formulas if not one.calculated] == ["D2", "D3", "H40"]
    assert page.uncalculated == 3
    said = operations_of_structure(page)
    assert said.flags == ["uncalculated_formulas"]
    assert said.confidence < 0.95
    draft = assemble([(page, said)])
    rows = {chunk.content.split(" ")[0]: chunk for chunk in draft.chunks if chunk.chunk_type == "table_row"}
    assert [rows[name].flags for name in ("Bolt", "Nut", "Pin")] == [["uncalculated_formulas"]] * 2 + [[]]
    assert rows["Bolt"].confidence < rows["Pin"].confidence
    (bolt,) = [row for row in draft.tables[0].rows if row[0].text == "Bolt"]
    assert (bolt[3].text, bolt[3].formula, bolt[3].calculated) == ("", "=B2*C2", False)
    table = next(one for one in page.structure or [] if isinstance(one, RegisterTable))
    assert table.rows[1][3].place is not None
    assert table.rows[1][3].place.range == "D2"


def test_formulas_beside_a_long_table_stand_at_the_part_that_begins_above_them(tmp_path: Path) -> None:
    rows = {f"{column}{row}": row for row in range(2, 452) for column in "AB"}
    apart = {f"Z{row}": cell("<f>NOW()</f>") for row in (1, 2, 201, 202, 401, 402, 500)}
    pages = opened(tmp_path, "long.xlsx", workbook({"S": Made({"A1": "Part", "B1": "Mass", **rows, **apart})}))
    assert [sorted(formulas(page)) for page in pages] == [["Z1", "Z2", "Z201"], ["Z202", "Z401"], ["Z402", "Z500"]]


def test_a_plain_cell_is_compared_with_no_formula_of_another_cell(tmp_path: Path) -> None:
    class Counted(str):
        compared = 0

        def __eq__(self, other: object) -> bool:
            Counted.compared += 1
            return super().__eq__(other)

        __hash__ = str.__hash__

    one = '<table:table-cell table:formula="of:=1+1" office:value-type="float" office:value="2"><text:p>2</text:p>'
    line = f"<table:table-row>{one}</table:table-cell></table:table-row>"
    path = tmp_path / "many.ods"
    path.write_bytes(opendocument(f'<table:table table:name="S">{line * 50}</table:table>'))
    written = WrittenFormulas(path)
    assert written.at("S", "A50") is not None
    assert written.at(Counted("S"), "B1") is None
    assert Counted.compared < 5


def test_a_file_of_formulas_alone_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "bare.xlsx"
    path.write_bytes(workbook({"S": Made({"A1": cell("<f>1+1</f>")})}))
    with pytest.raises(RefusedFile, match=r"never calculated.*spreadsheet program"):
        open_workbook(path, None)


def test_a_sheet_of_formulas_alone_is_shown_beside_others(tmp_path: Path) -> None:
    bare = Made({"B2": cell("<f>1+1</f>")})
    pages = opened(tmp_path, "two.xlsx", workbook({"Order": ORDER, "Bare": bare}))
    assert [page.label for page in pages] == ["Order", "Bare"]
    assert formulas(pages[1]) == {"B2": "=1+1"}
    assert pages[1].uncalculated == 1


@pytest.mark.parametrize(
    ("formula", "shifted"),
    [
        ("=A1+$A1+A$1+$A$1", "=C4+$A4+C$1+$A$1"),
        ("=SUM(A1:B2,$A$1:B2)", "=SUM(C4:D5,$A$1:D5)"),
        ("=SUM(A:B)+SUM($A:B)+SUM(1:2)+SUM($1:2)", "=SUM(C:D)+SUM($A:D)+SUM(4:5)+SUM($1:5)"),
        ('="A1"&A1&"say ""B2"""', '="A1"&C4&"say ""B2"""'),
        ("='A1 B2'!A1+Data!A1+'it''s A1'!$B2", "='A1 B2'!C4+Data!C4+'it''s A1'!$B5"),
        ("=LOG10(A1)+ATAN2(B2,1)", "=LOG10(C4)+ATAN2(D5,1)"),
        ("=Q1_sales+TAX2020A+1E5+1.5E10", "=Q1_sales+TAX2020A+1E5+1.5E10"),
        ("=Orders[[#This Row],[A1]]*[1]Sheet1!A1", "=Orders[[#This Row],[A1]]*[1]Sheet1!C4"),
        ("=ZZZ9+XFD1", "=ZZZ9+#REF!"),
        ("=A1048576+A1", "=#REF!+C4"),
        ("=A1#+@B2", "=C4#+@D5"),
        ("=Blatt.A1", "=Blatt.A1"),
    ],
)
def test_a_shared_formula_is_shifted_as_far_as_its_cell(formula: str, shifted: str) -> None:
    assert SharedFormula(formula, 1, 1).at(4, 3) == shifted


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("SUM(A1)", "=SUM(A1)"),
        ("=SUM(A1)", "=SUM(A1)"),
        ("_xlfn.XLOOKUP(A1,B:B,C:C)", "=XLOOKUP(A1,B:B,C:C)"),
        ("_xlfn._xlws.SORT(A1:A3)", "=SORT(A1:A3)"),
        ("_xlfn.LET(_xlpm.x,A1,_xlpm.x*2)", "=LET(x,A1,x*2)"),
        ("SUM(_xlfn.ANCHORARRAY(A1))+_xlfn.SINGLE(B1:B3)", "=SUM(A1#)+@B1:B3"),
        ('"_xlfn.X"&_xlfn.CONCAT(A1)', '="_xlfn.X"&CONCAT(A1)'),
    ],
)
def test_a_formula_is_shown_as_the_program_shows_it(written: str, shown: str) -> None:
    assert as_shown(written) == shown


def test_arrays_stand_in_braces_in_all_their_cells_but_dynamic_ones(tmp_path: Path) -> None:
    made = Made(
        {
            **HEADER,
            "A2": "Bolt", "B2": cell('<f t="array" ref="B2:B3">C2:C3*2</f>', "6"), "C2": 3,
            "D2": cell('<f t="array" ref="D2:D3">_xlfn._xlws.SORT(C2:C3)</f>', "3", ' cm="1"'),
            "A3": "Nut", "B3": 8, "C3": 4, "D3": 4,
            "A4": "What if", "B4": cell('<f t="dataTable" ref="B4:B4" dt2D="1" dtr="1" r1="C2" r2="C3"/>', "1"),
        }
    )  # fmt: skip
    (page,) = opened(tmp_path, "arrays.xlsx", workbook({"S": made}))
    assert formulas(page) == {
        "B2": "{=C2:C3*2}", "B3": "{=C2:C3*2}", "D2": "=SORT(C2:C3)", "D3": "=SORT(C2:C3)", "B4": "{=TABLE(C2,C3)}",
    }  # fmt: skip


def test_cells_of_an_array_are_found_in_a_wide_row_as_in_a_narrow_one(tmp_path: Path) -> None:
    made = Made({"A1": "x", **{f"{one}1": at for at, one in enumerate("BCDE")}, "Z1": 5,
                 "A2": cell('<f t="array" ref="A2:XFD2">A1:XFD1*2</f>', "2"), "C2": 3, "Z2": 10,
                 "A3": 1, "B3": cell('<f t="array" ref="B3:C3">B1:C1</f>', "2"), "C3": 1, "D3": 2})  # fmt: skip
    (page,) = opened(tmp_path, "wide.xlsx", workbook({"S": made}))
    assert sorted(formulas(page)) == ["A2", "B3", "C2", "C3", "Z2"]


def test_a_wide_array_costs_as_many_steps_as_there_are_cells_in_it() -> None:
    looked = [0]

    class Counted(dict[int, SheetCell]):
        def __iter__(self) -> Iterator[int]:
            for one in super().__iter__():
                looked[0] += 1
                yield one

    sheet = Sheet("S", rows={1: Counted({column: SheetCell("7", "number") for column in range(1, 2_001)})})
    reader = FormulaReader(sheet, Budget())
    for at in range(1, 101):
        found = Element("c")
        SubElement(found, "f", {"t": "array", "ref": "A1:B1"}).text = str(at)
        reader.read(found, 1, at)
    reader.spread()
    assert len(sheet.formulas[1]) == 100
    assert looked[0] < 2_000


def test_a_shared_formula_of_nothing_is_there_and_not_read(tmp_path: Path) -> None:
    made = Made({**HEADER, "A2": "Bolt", "B2": cell('<f t="shared" si="7"/>', "5"), "C2": 1, "D2": 2})
    (page,) = opened(tmp_path, "lost.xlsx", workbook({"S": made}))
    assert formulas(page) == {"B2": ""}


def test_the_formula_of_a_title_and_of_merged_cells_is_at_their_place(tmp_path: Path) -> None:
    made = Made(
        {"A1": cell('<f>"Orders of "&amp;2024</f>', "Orders of 2024", kind="str"),
         **{f"{name[0]}3": said for name, said in HEADER.items()},
         "A4": "Bolt", "B4": cell("<f>1+1</f>", "2"), "D4": 2},
        merged=["B4:C4"],
    )  # fmt: skip
    (page,) = opened(tmp_path, "merged.xlsx", workbook({"S": made}))
    assert formulas(page) == {"A1": '="Orders of "&2024', "B4:C4": "=1+1"}
    draft = assemble([(page, operations_of_structure(page))])
    told = [(chunk.content, [one.range for one in chunk.formulas]) for chunk in draft.chunks if chunk.formulas]
    assert told == [("Orders of 2024", ["A1"]), ("Bolt | 2 | 2", ["B4:C4"])]


def test_the_name_of_a_sheet_of_one_cell_has_not_its_formula(tmp_path: Path) -> None:
    (page,) = opened(tmp_path, "one.xlsx", workbook({"Sum": Made({"B2": cell("<f>1+1</f>", "2")})}))
    draft = assemble([(page, operations_of_structure(page))])
    told = [(one.content, [said.formula for said in one.formulas]) for one in draft.chunks]
    assert told == [("Sum", []), ("2", ["=1+1"])]


def test_a_cell_that_says_what_its_sheet_is_called_has_its_formula(tmp_path: Path) -> None:
    made = Made({"A1": "Year", "B1": "Sum", "A2": cell("<f>YEAR(B9)</f>", "2024"), "B2": 7, "A3": 2023, "B3": 8})
    (page,) = opened(tmp_path, "year.xlsx", workbook({"2024": made}))
    draft = assemble([(page, operations_of_structure(page))])
    assert [row[0].formula for row in draft.tables[0].rows] == [None, "=YEAR(B9)", None]
    told = [(one.content, [said.formula for said in one.formulas]) for one in draft.chunks if one.formulas]
    assert told == [("2024 | 7", ["=YEAR(B9)"])]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("of:=SUM([.B2:.B9];1)", "=SUM(B2:B9;1)"),
        ("of:=[$Rates.B$1]*['My sheet.x'.A1]", "=$Rates.B$1*'My sheet.x'.A1"),
        ('of:="[.A1]"&COM.MICROSOFT.CONCAT([.A1])', '="[.A1]"&CONCAT(A1)'),
        ("msoxl:=SUM(B2:B9)", "=SUM(B2:B9)"),
        ("of:#N/A", "=#N/A"),
    ],
)
def test_an_opendocument_formula_is_shown_without_its_notation(written: str, shown: str) -> None:
    assert as_calc_shows(written, is_array=False) == shown
    assert as_calc_shows(written, is_array=True) == f"{{{shown}}}"


# Tokens by hand, of [MS-XLS] 2.5.198; in 4c what is relative is counted from the cell, D5.
@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        ("44 0100 01c0 44 0100 0200 05", "=B2*$C$2"),
        ("25 0100 0800 01c0 01c0 19 10 0000", "=SUM(B2:B9)"),
        ("4c feff ffc0", "=C3"),
        ("1d 01 1e 0700 17 02 00 6122 42 03 0100", '=IF(TRUE,7,"a""")'),
        ("5a 0000 0100 01c0", "='It''s'!B2"),
        ("18 00", ""),
        ("44 0100", ""),
        ("05", ""),
        ("1c 2b", ""),
        ("43 0900 0000", ""),
    ],
)
def test_tokens_are_formulas_and_what_is_unknown_is_none(tokens: str, shown: str) -> None:
    names = Names([sheet_name("It's")], [])
    assert formula_of(bytes.fromhex(tokens), names, 4, 3) == shown


def test_formulas_without_end_are_there_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "+".join(["A1"] * 30_000)
    made = Made({**HEADER, "A2": "Bolt", "B2": cell(f"<f>{long}</f>", "1"), "C2": 1, "D2": cell("<f>1+1</f>", "2")})
    (page,) = opened(tmp_path, "long.xlsx", workbook({"S": made}))
    assert formulas(page) == {"B2": "", "D2": "=1+1"}
    monkeypatch.setattr(cells, "MAX_FORMULA_CHARACTERS", 8)
    (page,) = opened(tmp_path, "order.xlsx", workbook({"Order": ORDER}))
    assert formulas(page)["D2"] == "=B2*$C2"
    assert formulas(page)["D5"] == ""
    monkeypatch.setattr(cells, "MAX_CELLS", 3)
    with pytest.raises(RefusedFile):
        open_workbook(tmp_path / "order.xlsx", None)
