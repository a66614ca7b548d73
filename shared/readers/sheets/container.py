"""The container of a workbook: a ZIP file of XML, read with bounds, element by element."""

import posixpath
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from shared.errors import RefusedFile
from shared.readers.zipped import UNPACKING

MAX_UNPACKED: Final = 1 << 29
MAX_MEMBERS: Final = 20_000
# A sheet of equal cells is packed to a two hundredth; a bomb to a thousandth.
MAX_RATIO: Final = 400
RATIO_FROM: Final = 20 << 20
_HEAD: Final = 4096
BROKEN: Final = (
    *UNPACKING, ElementTree.ParseError, LookupError, OverflowError, RecursionError,
)  # fmt: skip
ENCRYPTED: Final = "The file is encrypted; remove its password and upload it again."
DAMAGED: Final = "The file is damaged; open it in a spreadsheet program, save it again and upload that."


class Container:
    """Gives members by name, and their elements. Raises RefusedFile for what is damaged, encrypted or a bomb."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        infos = file.infolist()
        packed, unpacked = sum(one.compress_size for one in infos), sum(one.file_size for one in infos)
        if len(infos) > MAX_MEMBERS or unpacked > MAX_UNPACKED or unpacked > max(RATIO_FROM, MAX_RATIO * packed):
            raise RefusedFile(
                f"The file unpacks to {unpacked >> 20:,} MB, which is more than a spreadsheet of this size should;"
                " save the sheets that matter to a new file."
            )
        if any(one.flag_bits & 1 for one in infos):
            raise RefusedFile(ENCRYPTED)
        self._names = {one.filename.replace("\\", "/").lstrip("/").lower(): one for one in infos}

    def has(self, name: str) -> bool:
        return name.lower() in self._names

    def says(self, name: str, words: bytes) -> bool:
        """Whether a member has these words; one that is not there has none."""
        return self.has(name) and words in self.bytes_of(name)

    def bytes_of(self, name: str) -> bytes:
        return self._file.read(self._names[name.lower()])

    def elements(self, name: str, *wanted: str) -> Iterator[ElementTree.Element]:
        """The elements of these local names, each as soon as it is read whole, with local names throughout. What is
        read is dropped behind every element that is wanted."""
        with self._file.open(self._names[name.lower()]) as stream:
            if b"<!DOCTYPE" in stream.read(_HEAD):
                raise RefusedFile(f"{name} in the file declares entities, which no spreadsheet does; save it again.")
        with self._file.open(self._names[name.lower()]) as stream:
            # Expat itself bounds what entities expand to.
            for _, element in ElementTree.iterparse(stream):  # noqa: S314
                element.tag = local(element.tag)
                if element.tag in wanted:
                    yield element
                    element.clear()


@contextmanager
def opened(path: Path) -> Generator[Container]:
    """Maps every error of a broken container to RefusedFile."""
    try:
        with zipfile.ZipFile(path) as file:
            yield Container(file)
    except BROKEN as error:
        raise RefusedFile(DAMAGED) from error


def local(name: str) -> str:
    """A name without its namespace: two editions of the format differ in that alone."""
    return name.rpartition("}")[2]


def attribute(element: ElementTree.Element, name: str) -> str | None:
    """The attribute of this local name, in any namespace."""
    found = element.get(name)
    if found is not None:
        return found
    return next((value for key, value in element.attrib.items() if local(key) == name), None)


def relations(container: Container, member: str) -> dict[str, tuple[str, str]]:
    """Id → (last word of the kind, member) of what a member refers to."""
    folder, name = posixpath.split(member)
    links = posixpath.join(folder, "_rels", f"{name}.rels")
    found: dict[str, tuple[str, str]] = {}
    for one in container.elements(links, "Relationship") if container.has(links) else ():
        if one.get("TargetMode") != "External":
            target = one.get("Target", "").replace("\\", "/")
            target = posixpath.normpath(target if target.startswith("/") else posixpath.join("/", folder, target))
            found[one.get("Id", "")] = one.get("Type", "").rpartition("/")[2], target.lstrip("/")
    return found
