"""What workbooks say beside their cells: notes, boxes of text, descriptions of pictures, titles of charts."""

import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from shared.errors import RefusedFile
from shared.readers.sheets.document import open_opendocument
from shared.rereading.sheets import reread_workbook
from tests.readers.test_sheets import opened, places
from tests.readers.test_text import told
from tests.readers.workbooks import Made, opendocument, packed, workbook

_LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_THREAD = "http://schemas.microsoft.com/office/2017/10/relationships"
_SPACES = 'xmlns:xdr="urn:xdr" xmlns:a="urn:a" xmlns:c="urn:c" xmlns:r="urn:r" xmlns:mc="urn:mc"'
_PRICES = {"A1": "Model", "B1": "Price", "A2": "TA-15", "B2": 12450, "A3": "TA-20", "B3": 15900}
_COMMENTS = """<comments><authors><author>Ana</author></authors><commentList>
<comment ref="B2" authorId="0"><text><r><t>Ana:</t></r><r><t xml:space="preserve">
without tax</t></r><rPh><t>pronounced</t></rPh></text></comment>
<comment ref="A1" authorId="0"><text><t>as on the plate</t></text></comment>
<comment ref="B3"><text><t>[Threaded comment] Your version is too old. agreed with Ulm</t></text></comment>
<comment ref="H40"><text><t>to be deleted</t></text></comment></commentList></comments>"""
_THREADS = """<ThreadedComments><threadedComment ref="B3" id="1"><text>agreed with Ulm?</text></threadedComment>
<threadedComment ref="B3" id="2" parentId="1"><text>yes, by letter</text></threadedComment></ThreadedComments>"""


def linked(source: str, rows: Mapping[str, str]) -> dict[str, str]:
    """The relations of a member: target → kind."""
    folder, _, name = source.rpartition("/")
    listed = "".join(
        f'<Relationship Id="r{at}" Type="{kind if ":" in kind else f"{_LINK}/{kind}"}" Target="{target}"/>'
        for at, (target, kind) in enumerate(rows.items(), 1)
    )
    return {f"{folder}/_rels/{name}.rels": f"<Relationships>{listed}</Relationships>"}


def with_members(data: bytes, members: Mapping[str, str]) -> bytes:
    with zipfile.ZipFile(BytesIO(data)) as container:
        return packed({name: container.read(name) for name in container.namelist()} | dict(members))


def commented(sheets: Mapping[str, Made]) -> bytes:
    links = {"../comments7.xml": "comments", "../threadedComments/t1.xml": f"{_THREAD}/threadedComment"}
    members = {"xl/comments7.xml": _COMMENTS, "xl/threadedComments/t1.xml": _THREADS}
    return with_members(workbook(sheets), members | linked("xl/worksheets/sheet2.xml", links))


def test_a_note_on_a_cell_is_a_footnote_behind_its_table_and_a_thread_is_not_said_twice(tmp_path: Path) -> None:
    pages = opened(tmp_path, "x.xlsx", commented({"First": Made({"B2": "x"}), "Prices": Made(_PRICES)}))
    assert told(pages[1:]) == [
        ("section", 1, "Prices"),
        ("table", 1, [[["Model"], ["Price"]], [["TA-15"], ["12450"]], [["TA-20"], ["15900"]]]),
        ("footnote", "as on the plate"),
        ("footnote", "Ana:", "without tax"),
        ("footnote", "agreed with Ulm?"),
        ("footnote", "yes, by letter"),
        ("footnote", "to be deleted"),
    ]
    found = places(pages[1])
    assert [found[said] for said in ("as on the plate", "without tax", "yes, by letter", "to be deleted")] == [
        "A1", "B2", "B3", "H40",
    ]  # fmt: skip


def test_a_sheet_of_notes_alone_is_read(tmp_path: Path) -> None:
    pages = opened(tmp_path, "x.xlsx", commented({"First": Made({"B2": "x"}), "Empty": Made({})}))
    assert [page.label for page in pages] == ["First", "Empty"]
    assert ("footnote", "to be deleted") in told(pages[1:])


def test_a_note_is_in_the_part_of_its_row(tmp_path: Path) -> None:
    rows = {f"{c}{r}": f"{c}{r}" for r in range(1, 1200) for c in "AB"}
    note = '<comments><commentList><comment ref="B900"><text><t>doubtful</t></text></comment></commentList></comments>'
    members = {"xl/comments1.xml": note, **linked("xl/worksheets/sheet1.xml", {"../comments1.xml": "comments"})}
    pages = opened(tmp_path, "x.xlsx", with_members(workbook({"S": Made(rows)}), members))
    (page,) = [page for page in pages if "doubtful" in places(page)]
    assert "B900" in places(page)
    assert len(pages) > 2


DRAWING = f"""<xdr:wsDr {_SPACES}><xdr:twoCellAnchor><xdr:from><xdr:col>3</xdr:col><xdr:row>1</xdr:row></xdr:from>
<xdr:to><xdr:col>5</xdr:col><xdr:row>4</xdr:row></xdr:to><xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" name="Box"/></xdr:nvSpPr>
<xdr:txBody><a:p><a:r><a:t>Valid </a:t></a:r><a:r><a:t>until June</a:t></a:r></a:p><a:p><a:r><a:t>or sold</a:t></a:r>
</a:p></xdr:txBody></xdr:sp></xdr:twoCellAnchor>
<xdr:oneCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>8</xdr:row></xdr:from><xdr:pic><xdr:nvPicPr>
<xdr:cNvPr id="3" name="Picture 1" descr="The pump from the left"/></xdr:nvPicPr></xdr:pic></xdr:oneCellAnchor>
<xdr:twoCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>20</xdr:row></xdr:from>
<xdr:to><xdr:col>1</xdr:col><xdr:row>22</xdr:row></xdr:to><mc:AlternateContent><mc:Choice><xdr:graphicFrame>
<c:chart r:id="r1"/></xdr:graphicFrame></mc:Choice><mc:Fallback><xdr:sp><xdr:txBody><a:p><a:r><a:t>Cannot be shown</a:t>
</a:r></a:p></xdr:txBody></xdr:sp></mc:Fallback></mc:AlternateContent></xdr:twoCellAnchor></xdr:wsDr>"""
CHART = f"""<c:chartSpace {_SPACES}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Price by model</a:t></a:r></a:p>
</c:rich></c:tx></c:title><c:valAx><c:title><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>EUR</c:v></c:pt></c:strCache>
</c:strRef></c:tx></c:title></c:valAx></c:chart></c:chartSpace>"""


def test_boxes_of_text_descriptions_of_pictures_and_titles_of_charts_are_read(tmp_path: Path) -> None:
    members = {
        "xl/drawings/drawing1.xml": DRAWING,
        "xl/charts/chart1.xml": CHART,
        **linked("xl/worksheets/sheet1.xml", {"../drawings/drawing1.xml": "drawing"}),
        **linked("xl/drawings/drawing1.xml", {"../charts/chart1.xml": "chart"}),
    }
    (page,) = opened(tmp_path, "x.xlsx", with_members(workbook({"Prices": Made(_PRICES)}), members))
    assert told([page])[2:] == [
        ("text", "Valid until June", "or sold"),
        ("caption", "The pump from the left"),
        ("caption", "Price by model"),
        ("caption", "EUR"),
    ]
    found = places(page)
    assert (found["or sold"], found["The pump from the left"], found["EUR"]) == ("D2:F5", "A9", "A21:B23")


def test_notes_shapes_and_descriptions_of_an_opendocument_sheet_are_read(tmp_path: Path) -> None:
    shape = '<d:{0} xmlns:d="urn:draw" xmlns:s="urn:svg">{1}</d:{0}>'
    box = shape.format("frame", "<d:text-box><text:p>Valid <text:s text:c='2'/>until June</text:p></d:text-box>")
    picture = shape.format("frame", "<s:title>Picture 1</s:title><s:desc>The pump</s:desc>")
    chart = shape.format("frame", '<d:object xmlns:x="urn:link" x:href="./Object 1"/>')
    drawn = (
        '<o xmlns:c="urn:chart" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><c:chart><c:title><text:p>'
        "Price by model</text:p></c:title><c:axis><c:title><text:p>EUR</text:p></c:title></c:axis>"
        "<c:table><text:p>12450</text:p></c:table></c:chart></o>"
    )
    note = '<office:annotation><d:creator xmlns:d="urn:dc">Ana</d:creator><text:p>{}</text:p></office:annotation>'
    price = (
        '<table:table-cell office:value-type="float" office:value="12450">{}<text:p>12450</text:p></table:table-cell>'
    )
    table = (
        f'<table:table table:name="S"><table:shapes>{picture}</table:shapes><table:table-row'
        ' table:number-rows-repeated="3"><table:table-cell/></table:table-row><table:table-row>'
        f'<table:table-cell table:number-columns-repeated="2"/>{price.format(note.format("without tax"))}'
        f"<table:table-cell>{note.format('none yet')}{box}{chart}</table:table-cell></table:table-row></table:table>"
    )
    file = BytesIO(opendocument(table))
    with zipfile.ZipFile(file, "a") as container:
        container.writestr("Object 1/content.xml", drawn)
    (page,) = opened(tmp_path, "x.ods", file.getvalue())
    assert told([page]) == [
        ("section", 1, "S"),
        ("text", "12450"),
        ("footnote", "without tax"),
        ("caption", "The pump"),
        ("footnote", "none yet"),
        ("text", "Valid   until June"),
        ("caption", "Price by model"),
        ("caption", "EUR"),
    ]
    found = places(page)
    assert [found[one] for one in ("without tax", "The pump", "none yet", "Valid   until June", "EUR")] == [
        "C4", "A1", "D4", "D4", "D4",
    ]  # fmt: skip


def test_an_object_in_many_places_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chart = '<d:frame xmlns:d="urn:draw"><d:object xmlns:x="urn:link" x:href="./Object 1"/></d:frame>'
    cell = f"<table:table-cell><text:p>1</text:p>{chart}</table:table-cell>"
    row = f"<table:table-row>{cell * 20}</table:table-row>"
    file = BytesIO(opendocument(f'<table:table table:name="S">{row}</table:table>'))
    with zipfile.ZipFile(file, "a") as container:
        container.writestr("Object 1/content.xml", "<o><title><p>Price</p></title></o>")
    (tmp_path / "x.ods").write_bytes(file.getvalue())
    asked: list[str] = []
    whole: Any = zipfile.ZipFile.open

    def opening(self: zipfile.ZipFile, name: Any, *given: Any, **more: Any) -> Any:
        asked.append(name if isinstance(name, str) else name.filename)
        return whole(self, name, *given, **more)

    monkeypatch.setattr(zipfile.ZipFile, "open", opening)
    assert open_opendocument(tmp_path / "x.ods", None).page_count == 1
    assert asked.count("Object 1/content.xml") == 2  # a look for entities, then the elements
    read = asked.count("Object 1/content.xml")
    reread_workbook(tmp_path / "x.ods")
    assert asked.count("Object 1/content.xml") == read + 1


def test_a_note_that_no_part_has_is_missed_by_the_proof(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    path.write_bytes(commented({"First": Made({}), "Empty": Made({})}))
    cells = reread_workbook(path).cells
    assert cells is not None
    assert cells.left() != ""


def test_cells_that_are_said_to_be_there_beyond_the_last_column_are_refused(tmp_path: Path) -> None:
    cell = '<table:table-cell table:number-columns-repeated="9000"><text:p>x</text:p></table:table-cell>'
    path = tmp_path / "x.ods"
    path.write_bytes(
        opendocument(f'<table:table table:name="S"><table:table-row>{cell * 2}</table:table-row></table:table>')
    )
    with pytest.raises(RefusedFile, match="damaged"):
        open_opendocument(path, None)
