"""Writes workbooks (Office Open XML, ECMA-376) of plain cells: texts are texts, whatever they begin with."""

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import Final, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from shared.domain.datasets import Cell
from shared.values.csv_cells import FORMULA

ROWS_MAX: Final = 1_048_575
CELL_CHARACTERS: Final = 32_767
NAME_CHARACTERS: Final = 31
_MADE: Final = (1980, 1, 1, 0, 0, 0)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
# Numbers that are printed with so many decimals are shown with them.
DECIMALS_MAX: Final = 15
_SHOWN: Final = [f"0{'.' if decimals else ''}{'0' * decimals}" for decimals in range(DECIMALS_MAX + 1)]
_FORMATS: Final = "".join(f'<numFmt numFmtId="{at}" formatCode="{code}"/>' for at, code in enumerate(_SHOWN, 164))
_NUMBERS: Final = "".join(f'<xf xfId="0" numFmtId="{at}" applyNumberFormat="1"/>' for at, _ in enumerate(_SHOWN, 164))
# Style 1: what is typed into the cell anew stays a text too (`quotePrefix`), where it begins as a formula does.
_STYLES: Final = (
    f'{_HEAD}<styleSheet xmlns="{_MAIN}"><numFmts count="{len(_SHOWN)}">{_FORMATS}</numFmts>'
    '<fonts count="1"><font/></fonts><fills count="1"><fill/></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    f'<cellXfs count="{2 + len(_SHOWN)}"><xf xfId="0"/><xf xfId="0" quotePrefix="1"/>{_NUMBERS}</cellXfs></styleSheet>'
)


class WorkbookSheet(NamedTuple):
    """`decimals`: of each row with how many its numbers are printed, None or nothing where that is not known."""

    name: str
    rows: Iterable[Sequence[Cell]]
    decimals: Iterable[Sequence[int | None]] = ()


def write_workbook(sheets: Iterable[WorkbookSheet]) -> bytes:
    """The same bytes for the same sheets. Names that are taken or not allowed are changed."""
    target, names = io.BytesIO(), list[str]()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for sheet in sheets:
            names.append(_free_name(sheet.name, names))
            _write(archive, f"xl/worksheets/sheet{len(names)}.xml", _sheet(sheet))
        for path, content in _frame(names).items():
            _write(archive, path, [content])
    return target.getvalue()


def _write(archive: zipfile.ZipFile, path: str, parts: Iterable[str]) -> None:
    info = zipfile.ZipInfo(path, _MADE)
    info.compress_type = zipfile.ZIP_DEFLATED
    with archive.open(info, "w", force_zip64=True) as entry:
        for part in parts:
            entry.write(part.encode())


def _sheet(sheet: WorkbookSheet) -> Iterable[str]:
    yield f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'
    for row, decimals in zip(sheet.rows, chain(sheet.decimals, repeat(())), strict=False):
        yield f"<row>{''.join(map(_cell, row, chain(decimals, repeat(None))))}</row>"
    yield "</sheetData></worksheet>"


def _cell(value: Cell, decimals: int | None) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    # A number that a spreadsheet would round stays as it is written.
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**15):
        style = f' s="{2 + decimals}"' if decimals is not None and decimals <= DECIMALS_MAX else ""
        return f"<c{style}><v>{value!r}</v></c>"
    text = (value if isinstance(value, str) else str(value))[:CELL_CHARACTERS]
    style = ' s="1"' if text.startswith(FORMULA) else ""
    return f'<c t="inlineStr"{style}><is><t xml:space="preserve">{escape(_clean(text))}</t></is></c>'


def _clean(text: str) -> str:
    return _CONTROL.sub("\ufffd", text)


def _free_name(wanted: str, taken: Sequence[str]) -> str:
    plain = _NOT_IN_NAMES.sub(" ", _clean(wanted)).strip().strip("'")[:NAME_CHARACTERS] or "Table"
    folded = {name.casefold() for name in taken}
    name, number = plain, 1
    while name.casefold() in folded:
        number += 1
        name = f"{plain[: NAME_CHARACTERS - 5].rstrip()} {number}"
    return name


def _frame(names: Sequence[str]) -> dict[str, str]:
    """What a workbook has besides its sheets."""
    numbers = range(1, len(names) + 1)
    kinds = "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
        for number in numbers
    )
    listed = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"/>'
        for number, name in zip(numbers, names, strict=True)
    )
    related = "".join(
        f'<Relationship Id="rId{number}" Type="{_RELATED}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        for number in numbers
    )
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    return {
        "[Content_Types].xml": f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{main}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{main}.styles+xml"/>{kinds}</Types>',
        "_rels/.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_RELATED}">'
        f"<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{related}'
        f'<Relationship Id="rId{len(names) + 1}" Type="{_RELATED}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": _STYLES,
    }
