"""Makes workbooks from what each cell has, by hand: a test knows the truth without the code under test."""

import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import NamedTuple
from xml.sax.saxutils import escape

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_LINKS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


class Made(NamedTuple):
    """A sheet: by row, cells as `A1` → text, number, or (number, format), or raw XML in angle brackets."""

    cells: Mapping[str, str | float | tuple[float, str]]
    merged: Sequence[str] = ()
    hidden_rows: Sequence[int] = ()
    hidden_columns: Sequence[int] = ()
    state: str = "visible"


def workbook(sheets: Mapping[str, Made], since_1904: bool = False) -> bytes:
    formats = sorted({v[1] for sheet in sheets.values() for v in sheet.cells.values() if isinstance(v, tuple)})
    names = list(sheets)
    members = {
        "_rels/.rels": f'<Relationships {_LINKS}><Relationship Id="r1" Type="{_LINK}/officeDocument"'
        ' Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_LINK}"><workbookPr date1904="{int(since_1904)}"/><sheets>'
        + "".join(
            f'<sheet name="{escape(name)}" sheetId="{at}" state="{sheets[name].state}" r:id="s{at}"/>'
            for at, name in enumerate(names, 1)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships {_LINKS}><Relationship Id="st" Type="{_LINK}/styles"'
        ' Target="styles.xml"/>'
        + "".join(
            f'<Relationship Id="s{at}" Type="{_LINK}/worksheet" Target="worksheets/sheet{at}.xml"/>'
            for at in range(1, len(names) + 1)
        )
        + "</Relationships>",
        "xl/styles.xml": f"<styleSheet {_MAIN}><numFmts>"
        + "".join(
            f'<numFmt numFmtId="{164 + at}" formatCode="{escape(code, {chr(34): "&quot;"})}"/>'
            for at, code in enumerate(formats)
        )
        + '</numFmts><cellXfs><xf numFmtId="0"/>'
        + "".join(f'<xf numFmtId="{164 + at}"/>' for at in range(len(formats)))
        + "</cellXfs></styleSheet>",
    }
    for at, sheet in enumerate(sheets.values(), 1):
        members[f"xl/worksheets/sheet{at}.xml"] = _sheet(sheet, formats)
    return packed(members)


def packed(members: Mapping[str, str | bytes]) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file.getvalue()


def _sheet(sheet: Made, formats: Sequence[str]) -> str:
    rows: dict[int, list[str]] = {}
    for name, value in sheet.cells.items():
        rows.setdefault(int(name.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")), []).append(_cell(name, value, formats))
    hidden = "".join(f'<col min="{c}" max="{c}" hidden="1"/>' for c in sheet.hidden_columns)
    data = "".join(
        f'<row r="{row}" hidden="{int(row in sheet.hidden_rows)}">{"".join(cells)}</row>'
        for row, cells in sorted(rows.items())
    )
    merged = "".join(f'<mergeCell ref="{area}"/>' for area in sheet.merged)
    columns = f"<cols>{hidden}</cols>" if hidden else ""
    spans = f"<mergeCells>{merged}</mergeCells>" if merged else ""
    return f"<worksheet {_MAIN}>{columns}<sheetData>{data}</sheetData>{spans}</worksheet>"


def _cell(name: str, value: str | float | tuple[float, str], formats: Sequence[str]) -> str:
    match value:
        case str() if value.startswith("<"):
            return value.replace("<c ", f'<c r="{name}" ', 1)
        case str():
            return f'<c r="{name}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
        case (number, code):
            return f'<c r="{name}" s="{formats.index(code) + 1}"><v>{number}</v></c>'
        case _:
            return f'<c r="{name}"><v>{value}</v></c>'


def opendocument(tables: str, styles: str = "") -> bytes:
    """An OpenDocument spreadsheet with these tables, as XML."""
    names = " ".join(f'xmlns:{name}="{_OFFICE}:{name}:1.0"' for name in ("office", "table", "text", "style"))
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", kind)
        archive.writestr(
            "META-INF/manifest.xml",
            f'<m:manifest xmlns:m="{_OFFICE}:manifest:1.0"><m:file-entry m:full-path="/" m:media-type="{kind}"/>'
            "</m:manifest>",
        )
        archive.writestr(
            "content.xml",
            f"<office:document-content {names}><office:automatic-styles>{styles}</office:automatic-styles>"
            f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>",
        )
    return file.getvalue()
