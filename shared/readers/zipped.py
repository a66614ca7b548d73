"""Opens sources that are ZIP containers of XML parts, within bounds."""

import lzma
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from lxml import etree

from shared.errors import RefusedFile

MAX_PARTS: Final = 20_000
# Unpacked, of one part and of all.
MAX_PART_BYTES: Final = 64_000_000
MAX_BYTES: Final = 512_000_000
# Of one part: a text of a thousand pages has a third of them, and each costs a hundred times its bytes to read.
MAX_TAGS: Final = 3_000_000
# What the standard library raises for a damaged member, by how it is packed.
UNPACKING: Final = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, OSError, EOFError, ValueError, NotImplementedError,
)  # fmt: skip
_HEAD: Final = 4096
_SIGNATURE: Final = 8
_DECLARES: Final = "{} in the file declares entities, which no such file needs; save it again and upload that."
_DAMAGED: Final = "The file is damaged: {}. Open it in the program that made it, save it again and upload that."


def embedded_part(href: str) -> str:
    """The part of an OpenDocument file that has the content of the object at `href`."""
    return posixpath.join(posixpath.normpath(href), "content.xml")


def part_reader(path: Path) -> Callable[[str], bytes | None]:
    """Reads parts of a container one by one, opening it for each."""

    def read(name: str) -> bytes | None:
        with ZippedParts(path) as zipped:
            return zipped.read(name)

    return read


class ZippedParts:
    """The parts of an open container. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        """Raises RefusedFile for what is no container, or beyond a bound."""
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise RefusedFile(_DAMAGED.format("it is no readable container")) from error
        listed = self._zip.infolist()
        self.names = [one.filename for one in listed]
        if len(listed) > MAX_PARTS or sum(one.file_size for one in listed) > MAX_BYTES:
            self._zip.close()
            raise RefusedFile(
                f"The file unpacks to more than {MAX_BYTES // 10**6} MB or {MAX_PARTS:,} parts; export it as PDF and"
                " upload that."
            )

    def read(self, name: str) -> bytes | None:
        """The bytes of a part, None where there is none. Never more than the part said that it unpacks to."""
        try:
            listed = self._zip.getinfo(name)
        except KeyError:
            return None
        if listed.file_size > MAX_PART_BYTES:
            raise RefusedFile(
                f"{name} in the file unpacks to more than {MAX_PART_BYTES // 10**6} MB; export it as PDF."
            )
        if listed.flag_bits & 1:
            raise RefusedFile("The file is encrypted; save it without a password and upload that.")
        try:
            return self._zip.read(listed)
        except UNPACKING as error:
            raise RefusedFile(_DAMAGED.format(f"{name} in it cannot be unpacked")) from error

    def begins(self, name: str) -> bytes:
        """The first bytes of a part; none of one that cannot be unpacked."""
        try:
            with self._zip.open(name) as part:
                return part.read(_SIGNATURE)
        except (*UNPACKING, RuntimeError, KeyError):
            return b""

    def root(self, name: str) -> Any:
        """The root element of an XML part, None where there is none. A part with a document type is refused: what it
        declares could grow without bound, or lie outside the file."""
        data = self.read(name)
        if data is None:
            return None
        if data.count(b"<") > MAX_TAGS:
            raise RefusedFile(f"{name} in the file has more than {MAX_TAGS:,} marks; divide it, or export it as PDF.")
        if b"<!DOCTYPE" in data[:_HEAD]:
            raise RefusedFile(_DECLARES.format(name))
        parser = etree.XMLParser(
            collect_ids=False,  # an id given twice, or with a sign that ids have not, is no damage
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            raise RefusedFile(_DAMAGED.format(f"{name} in it is not well-formed XML")) from error
        if root.getroottree().docinfo.internalDTD is not None:
            raise RefusedFile(_DECLARES.format(name))
        return root

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()
