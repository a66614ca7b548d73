"""The words in the cells of an OpenDocument spreadsheet, by the standard library: for files with which calamine gives
up, as those with white space between their elements."""

import zipfile
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, fromstring

from shared.rereading.calamine_values import Sheets

# What is said to be repeated oftener is the empty rest of a row or sheet.
MOST_REPEATED = 10_000
MOST_BYTES = 64_000_000


def written_values(path: Path) -> Sheets:
    """Sheets as rows of words, from A1; none of a file of another kind, or one that is damaged or too large."""
    try:
        with zipfile.ZipFile(path) as container:
            if b"opendocument.spreadsheet" not in container.read("mimetype"):
                return {}
            if container.getinfo("content.xml").file_size > MOST_BYTES:
                return {}
            data = container.read("content.xml")
        # Expat bounds what entities expand to; no part with a document type comes here.
        root = None if b"<!DOCTYPE" in data[:4096] else fromstring(data)  # noqa: S314
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, ParseError):
        return {}
    tables = [] if root is None else [one for one in root.iter() if _name(one) == "table"]
    return {_said(one, "name"): [row for line in _named(one, "table-row") for row in _rows(line)] for one in tables}


def _rows(line: Element) -> list[list[str]]:
    row: list[str] = []
    for cell in line:
        if _name(cell) in ("table-cell", "covered-table-cell"):
            words = "\n".join("".join(one.itertext()) for one in cell if _name(one) == "p")
            row += [words] * min(int(_said(cell, "number-columns-repeated") or 1), MOST_REPEATED)
    times = int(_said(line, "number-rows-repeated") or 1)
    return [row] * (min(times, MOST_REPEATED) if any(row) else times if times < MOST_REPEATED else 1)


def _named(element: Element, name: str) -> list[Element]:
    return [one for one in element.iter() if _name(one) == name]


def _said(element: Element, name: str) -> str:
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]
