"""What a workbook says beside its cells, by the standard library: every line with its sheet and its cell."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urljoin
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

# (sheet, row, column, line); of what lies over several cells, the first one.
Beside = set[tuple[str, int, int, str]]
_Said = Iterator[tuple[int, int, str]]
_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
# Of [MS-XLSB]: the records 156, 635 and 637, whose numbers are two bytes of seven bits; how long each is; what stands
# in it before the text.
_BINARY_SHEET: Final = re.compile(rb"\x9c\x01(?s:.){1,2}?[\x00-\x02]\x00{3}(?s:.){4}(?=[\x01-\xff]\x00{3})")
_BINARY_NOTE: Final = re.compile(rb"\xfb\x04\x24(?s:.){4}((?s:.){4})(?s:.){4}((?s:.){4})")
_BINARY_NOTE_TEXT: Final = re.compile(rb"\xfd\x04(?s:.){1,4}?[\x00-\x03](?=(?s:.){2}\x00{2})")
_MOST_SPACES: Final = 1_000
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def read_beside(path: Path) -> Beside:
    """Nothing for what is no such container: then nothing agrees."""
    try:
        with zipfile.ZipFile(path) as file:
            package = Package(file)
            sheets = _open_sheets(package) if package.has("content.xml") else _sheets(package)
            return {
                (name, row, column, line.strip())
                for name, noted in sheets
                for row, column, said in noted
                for line in said.splitlines()
                if line.strip()
            }
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, ValueError):
        return set()


class Package:
    """The members of a container, by their names without case."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self._members = {name.replace("\\", "/").lower().lstrip("/"): name for name in file.namelist()}
        self._titles: dict[str, list[str]] = {}

    def root(self, member: str) -> Element:
        """Raises KeyError for one that is not there, ValueError for one that declares entities."""
        data = self.data(member)
        if b"<!DOCTYPE" in data[:4096]:
            raise ValueError(f"{member} declares entities")
        # Expat bounds what entities expand to.
        return ElementTree.fromstring(data)  # noqa: S314

    def has(self, member: str) -> bool:
        return member.lower() in self._members

    def data(self, member: str) -> bytes:
        return self._file.read(self._members[member.lower()])

    def open_titles(self, embedded: Element) -> list[str]:
        """The titles of an embedded OpenDocument chart; none of what is damaged or no chart."""
        href = next((said for name, said in embedded.attrib.items() if name.endswith("}href")), "")
        if href not in self._titles:
            self._titles[href] = self._read_titles(f"{href.removeprefix('./').rstrip('/')}/content.xml")
        return self._titles[href]

    def _read_titles(self, member: str) -> list[str]:
        try:
            root = self.root(member)
        except (KeyError, ValueError, ElementTree.ParseError):
            return []
        titles = (one for one in root.iter() if one.tag.rpartition("}")[2] in ("title", "subtitle", "footer"))
        return ["\n".join(_open_line(line) for line in one.iterfind(".//{*}p")) for one in titles]

    def linked(self, member: str, kind: str) -> dict[str, str]:
        """The members of a kind that a member refers to, by the references' ids."""
        folder, _, name = member.rpartition("/")
        links = f"{folder}/_rels/{name}.rels".lstrip("/")
        if links.lower() not in self._members:
            return {}
        found = {
            one.get("Id", ""): urljoin(f"/{member}", one.get("Target", "").replace("\\", "/")).lstrip("/")
            for one in self.root(links).findall("{*}Relationship")
            if one.get("Type", "").endswith(f"/{kind}") and one.get("TargetMode") != "External"
        }
        return {key: target for key, target in found.items() if target.lower() in self._members}


def _sheets(package: Package) -> Iterator[tuple[str, _Said]]:
    for name, member in sheet_members(package):
        yield name, _of_sheet(package, member)


def sheet_members(package: Package) -> Iterator[tuple[str, str]]:
    """The names of a workbook's sheets and their members."""
    main = next(iter(package.linked("", "officeDocument").values()), "xl/workbook.xml")
    targets = package.linked(main, "worksheet")
    if main.endswith(".bin"):
        names = _binary_names(package.data(main))
    else:
        sheets = package.root(main).findall("{*}sheets/{*}sheet")
        names = {
            next((said for name, said in one.attrib.items() if name.endswith("}id")), ""): one.get("name", "")
            for one in sheets
        }
    for key, name in names.items():
        if key in targets:
            yield name, targets[key]


def _binary_names(workbook: bytes) -> dict[str, str]:
    """Sheets by the ids of their members, of a binary workbook ([MS-XLSB] 2.4.314)."""
    found: dict[str, str] = {}
    for begins in _BINARY_SHEET.finditer(workbook):
        key, at = _binary_text(workbook, begins.end())
        found[key] = _binary_text(workbook, at)[0]
    return found


def _binary_notes(notes: bytes) -> _Said:
    """The notes on cells of a binary workbook's sheet ([MS-XLSB] 2.4.28 and 2.4.327)."""
    for begins in _BINARY_NOTE.finditer(notes):
        row, column = (int.from_bytes(one, "little") + 1 for one in begins.groups())
        if (text := _BINARY_NOTE_TEXT.search(notes, begins.end())) is not None:
            yield row, column, _binary_text(notes, text.end())[0]


def _binary_text(data: bytes, at: int) -> tuple[str, int]:
    """A count of characters and these, and where they end."""
    end = at + 4 + 2 * int.from_bytes(data[at : at + 4], "little")
    return data[at + 4 : end].decode("utf-16-le", "replace"), end


def _of_sheet(package: Package, sheet: str) -> _Said:
    answered: set[str] = set()
    for member in package.linked(sheet, "threadedComment").values():
        for one in package.root(member).findall("{*}threadedComment"):
            answered.add(one.get("ref", ""))
            yield *_numbers(one.get("ref", "")), one.findtext("{*}text") or ""
    for member in package.linked(sheet, "comments").values():
        if member.endswith(".bin"):
            yield from _binary_notes(package.data(member))
            continue
        for one in package.root(member).findall("{*}commentList/{*}comment"):
            if one.get("ref", "") not in answered:
                runs = [*one.findall("{*}text/{*}t"), *one.findall("{*}text/{*}r/{*}t")]
                yield *_numbers(one.get("ref", "")), "".join(run.text or "" for run in runs)
    for member in package.linked(sheet, "drawing").values():
        yield from _of_drawing(package, member)


def _of_drawing(package: Package, member: str) -> _Said:
    root = package.root(member)
    charts = package.linked(member, "chart")
    for parent in [*root.iter()]:
        for repeated in parent.findall("{*}Fallback"):
            parent.remove(repeated)
    for anchor in (one for one in root.iter() if one.tag.endswith("Anchor")):
        row, column = (int(anchor.findtext(f"{{*}}from/{{*}}{name}") or 0) + 1 for name in ("row", "col"))
        for said in anchor.iterfind(".//{*}cNvPr[@descr]"):
            yield row, column, said.get("descr", "")
        for body in anchor.iterfind(".//{*}txBody"):
            yield row, column, _paragraphs(body)
        for chart in anchor.iterfind(".//{*}chart"):
            key = next((said for name, said in chart.attrib.items() if name.endswith("}id")), "")
            for title in package.root(charts[key]).iterfind(".//{*}title") if key in charts else ():
                cached = "\n".join(one.text or "" for one in title.iterfind(".//{*}v"))
                yield row, column, _paragraphs(title) or cached


def _paragraphs(element: Element) -> str:
    lines: list[str] = []
    for paragraph in element.iterfind(".//{*}p"):
        lines.append("")
        for one in paragraph.iter():
            name = one.tag.rpartition("}")[2]
            lines[-1] += "\n" if name == "br" else (one.text or "") if name == "t" else ""
    return "\n".join(lines)


def _numbers(cell: str) -> tuple[int, int]:
    """(row, column) of `B7`."""
    letters = cell.replace("$", "").partition(":")[0].rstrip("0123456789")
    column = 0
    for letter in letters:
        column = column * 26 + _LETTERS.index(letter) + 1
    return int(cell.replace("$", "").partition(":")[0][len(letters) :]), column


def _open_sheets(package: Package) -> Iterator[tuple[str, _Said]]:
    for table in package.root("content.xml").iterfind("{*}body/{*}spreadsheet/{*}table"):
        yield table.get(f"{_TABLE}name", ""), _of_table(package, table)


def _of_table(package: Package, table: Element) -> _Said:
    for shapes in table.findall("{*}shapes"):
        yield from ((1, 1, said) for said in _open_texts(package, shapes))
    row = 1
    for line in table.iterfind(".//{*}table-row"):
        column = 1
        for cell in line:
            for one in cell:
                if not one.tag.endswith("}p"):
                    yield from ((row, column, said) for said in _open_texts(package, one))
            column += int(cell.get(f"{_TABLE}number-columns-repeated", 1))
        row += int(line.get(f"{_TABLE}number-rows-repeated", 1))


def _open_texts(package: Package, element: Element) -> Iterator[str]:
    """Paragraphs and descriptions below an element, and the titles of charts."""
    for one in element.iter():
        if one.tag.endswith(":text:1.0}p"):
            yield _open_line(one)
        elif one.tag.endswith("}desc"):
            yield one.text or ""
        elif one.tag.endswith("}object"):
            yield from package.open_titles(one)


def _open_line(element: Element) -> str:
    said = element.text or ""
    for one in element:
        name = one.tag.rpartition("}")[2]
        if name == "s":
            said += " " * min(int(next(iter(one.attrib.values()), 1)), _MOST_SPACES)
        else:
            said += " " if name in ("tab", "line-break") else _open_line(one)
        said += one.tail or ""
    return said
