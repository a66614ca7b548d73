"""What a format says of itself, and how a file looks before anything reads it.

Each reader's package has a module `format` with its row; the registry puts the rows in order. Reading libraries are
imported when a file is opened, not here: commands and routes need only names.
"""

import mmap
import re
import zipfile
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, NamedTuple

from shared.domain.raw_page import SecondReader, SecondText
from shared.readers.parted import PartedSource
from shared.readers.source import PagedSource

# Of a text at most every so manieth byte is a control character.
CONTROLS_OF: Final = 20
WEB_PAGE: Final = "a web page (HTML)"
XML_FILE: Final = "an XML file"
ZIP: Final = b"PK"
# What stands before the outermost element of XML, and its names: that of the document's type, and its own.
_PROLOGUE: Final = re.compile(
    rb"(?:\s++|<\?(?s:.*?)\?>|<!--(?s:.*?)-->|<!doctype\s++([\w:.-]++)[^\[>]*+(?:\[(?s:.*?)\]\s*+)?>?|(?!))*+"
    rb"(?:<([\w:.-]++))?"
)
# Compound files: old Office files, Outlook messages.
OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Look(NamedTuple):
    """A file from outside: its first bytes, how its name ends (".pdf", lower case), and whether a format, read or
    not, has this ending."""

    path: Path
    head: bytes
    ending: str
    is_named: bool


class Format(NamedTuple):
    """A format of pages that can be read.

    `open` takes a file and a password, `reread` opens it with the second library that proofs ask; `version` is recorded
    on every row.
    """

    source_type: str
    name: str
    media_types: tuple[str, ...]
    extensions: tuple[str, ...]
    matches: Callable[[Look], bool]
    open: Callable[[Path, str | None], PagedSource]
    reread: Callable[[Path], AbstractContextManager[SecondReader]]
    version: Callable[[], str]


class StructuredFormat(NamedTuple):
    """A format without pages that can be read, as above. `second` reads its text with another library."""

    source_type: str
    name: str
    media_types: tuple[str, ...]
    extensions: tuple[str, ...]
    matches: Callable[[Look], bool]
    open: Callable[[Path, str | None], PartedSource]
    second: Callable[[Path], SecondText]
    version: Callable[[], str]


AnyFormat = Format | StructuredFormat


class KnownFormat(NamedTuple):
    """A format that is known and not read: what it is called, how its names end, how its bytes begin; what its
    outermost element is called and which namespace it names, in small letters; and what to do with it."""

    name: str
    extensions: tuple[str, ...]
    magic: tuple[bytes, ...] = ()
    roots: tuple[bytes, ...] = ()
    namespace: bytes = b""
    instead: str = "export it as PDF"


# What programs save as one file of XML: what stands in it is read from its usual form.
DOCUMENTS_IN_XML: Final = (
    KnownFormat(
        "a document of Microsoft Office in XML",
        (),
        roots=(b"pkg:package", b"w:worddocument"),
        instead="save it as .docx or .pptx",
    ),
    KnownFormat(
        "a workbook of Excel 2003 in XML",
        (),
        roots=(b"workbook", b"ss:workbook"),
        namespace=b"urn:schemas-microsoft-com:office:spreadsheet",
        instead="save it as .xlsx",
    ),
    KnownFormat(
        "an OpenDocument file in XML",
        (".fodt", ".fods", ".fodp", ".fodg"),
        roots=(b"office:document",),
        instead="save it as .odt, .ods or .odp",
    ),
)


def named_text(*endings: str) -> Callable[[Look], bool]:
    """Matches text by how its name ends: its bytes do not say what it is."""
    return lambda look: look.ending in endings and is_text(look.head)


def has_part(look: Look, prefix: str) -> bool:
    """Whether a file is a ZIP container with a part whose name begins so."""
    names = member_names(look.path) if look.head.startswith(ZIP) else None
    return any(name.startswith(prefix) for name in names or ())


def member_names(path: Path) -> list[str] | None:
    """What a ZIP container holds; None for one that cannot be read."""
    try:
        with zipfile.ZipFile(path) as container:
            return container.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return None


def holds_opendocument(look: Look, kind: bytes) -> bool:
    """Whether a file is an OpenDocument container of this kind. Its first member says so as it is; not where another
    program packed it anew."""
    if not look.head.startswith(ZIP):
        return False
    said = b"opendocument." + kind
    if b"opendocument." in look.head[:128]:
        return said in look.head[:128]
    try:
        with zipfile.ZipFile(look.path) as container, container.open("mimetype") as member:
            return said in member.read(128)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError, KeyError):
        return False


def has_stream(look: Look, *names: str) -> bool:
    """Whether a file is a compound file that has a stream of one of these names somewhere."""
    if not look.head.startswith(OLE):
        return False
    with look.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        # A name of a directory's entry is at its begin, followed by zeros.
        return any(data.find(name.encode("utf-16-le") + b"\0\0") >= 0 for name in names)


def is_text(head: bytes) -> bool:
    """Whether these bytes can be characters: with a mark of their encoding, or with hardly any control characters."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return True
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
    return controls * CONTROLS_OF <= len(head)


def markup_name(head: bytes) -> str | None:
    """What a text with markup is, by its outermost element: a web page, a document that is known, or any other XML."""
    lowered = head.lstrip(b"\xef\xbb\xbf \r\n\t").lower()
    begin = _PROLOGUE.match(lowered)
    doctype, root = (begin[1], begin[2]) if begin else (None, None)
    if b"html" in (doctype, root):
        return WEB_PAGE
    if not lowered.startswith(b"<?xml"):
        return None
    return next((one.name for one in DOCUMENTS_IN_XML if root in one.roots and one.namespace in lowered), XML_FILE)
