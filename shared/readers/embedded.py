"""Files within files: what was inserted into an office file as an object, or attached to a PDF, and is no text of the
document around it. Of an e-book, what it lists as a chapter and nobody can read.

A Word document, a presentation or a workbook refers to its objects by relations (ECMA-376 part 2), an OpenDocument file
has them as members or folders of its container (OpenDocument 1.3 part 2), files of before 2007 as storages ([MS-DOC]
2.1.7), RTF in digits. An object is a file, or a compound file that holds one ([MS-OLEDS] 2.3), or what another program
draws: that is told by the program's name, since nothing of it is read.
"""

import io
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Final, NamedTuple

import olefile

from shared.errors import RefusedFile
from shared.readers.book.epub import unread_chapters
from shared.readers.compound import size_of, streams_within, take_out
from shared.readers.docx.elements import child, local
from shared.readers.docx.parts import targets
from shared.readers.formats import OLE, ZIP
from shared.readers.pdf.signature import HEADER_WITHIN, is_pdf
from shared.readers.zipped import UNPACKING, ZippedParts

# Of all that one file holds.
MAX_BYTES: Final = 256_000_000
NAME_MAX: Final = 255
_UNREAD: Final = (
    "It is drawn by another program ({}), of which nothing is read; export the document as PDF to have what it shows."
)
_DAMAGED: Final = "The object is damaged; take it out of the document and upload it itself."
_UNKNOWN: Final = "an unknown program"
_TOO_MUCH: Final = f"What the file holds takes more than {MAX_BYTES // 10**6} MB; take it out and upload it itself."
_RELATIONS: Final = ("package", "oleObject", "aFChunk")
# The bytes of an object in RTF, whole ones.
_HEXADECIMAL: Final = re.compile(rb"\\objdata\s*((?:[0-9a-fA-F]\s*[0-9a-fA-F]\s*)+)")
# What has its numbers in a workbook of its own, and is read as the table that it draws.
_CHARTS: Final = ("chart", "chartEx")
# Parts of an OpenDocument file within another, by what its body holds.
_BODIES: Final = {"text": ".odt", "spreadsheet": ".ods", "presentation": ".odp"}
# Files that are compound files themselves, by a stream that each has.
_STREAMS: Final = {
    "WordDocument": ".doc", "Workbook": ".xls", "Book": ".xls", "PowerPoint Document": ".ppt",
    "__properties_version1.0": ".msg",
}  # fmt: skip
# A record of an object in a presentation of before 2007.
_OBJECT_RECORD: Final = 0x1011
# Streams that hold a file as it is.
_WHOLE: Final = ("Package", "EmbeddedOdf", "CONTENTS")
_FOLDERS: Final = {"word/": ".docx", "xl/": ".xlsx", "ppt/": ".pptx"}
_ERRORS: Final = (
    *UNPACKING, LookupError, TypeError, AttributeError, OverflowError, RecursionError, zipfile.LargeZipFile,
)  # fmt: skip


class EmbeddedFile(NamedTuple):
    """A file that another one holds. `refusal`: why it is not taken out; then it has no data."""

    name: str
    data: bytes
    refusal: str | None = None


class _Drawn(NamedTuple):
    """An object that is no file, by the program that draws it."""

    program: str


def embedded_files(path: Path) -> list[EmbeddedFile]:
    """What the file at `path` holds, in its order; nothing of what is no container. What cannot be read is told by a
    refusal: the text around it is no worse for it."""
    found: list[EmbeddedFile] = []
    drawn: Counter[str] = Counter()
    left = MAX_BYTES
    try:
        for one in _objects(path):
            if isinstance(one, _Drawn):
                drawn[_plain(one.program) or _UNKNOWN] += 1
                continue
            left -= len(one.data)
            one = one._replace(name=_plain(one.name) or f"object {len(found) + 1}")
            found.append(one if left >= 0 else EmbeddedFile(one.name, b"", _TOO_MUCH))
    except RefusedFile as refusal:
        found.append(EmbeddedFile("embedded objects", b"", str(refusal)))
    except _ERRORS:
        found.append(EmbeddedFile("embedded objects", b"", "They are damaged; take them out and upload them."))
    for program, count in drawn.items():
        said = f"{count:,} objects" if count > 1 else "an object"
        found.append(EmbeddedFile(f"{said} of {program}", b"", _UNREAD.format(program)))
    return found


def _plain(name: str) -> str:
    """A name that whoever made the file chose, as it can be stored."""
    return "".join(letter for letter in name if letter.isprintable())[-NAME_MAX:]


def _objects(path: Path) -> Iterator[EmbeddedFile | _Drawn]:
    with path.open("rb") as file:
        head = file.read(HEADER_WITHIN)
    if head.startswith(OLE):
        with olefile.OleFileIO(str(path)) as compound:
            yield from _stored(compound)
            if compound.exists("PowerPoint Document"):
                slides = compound.openstream("PowerPoint Document").read()
                for number, data in enumerate(dict.fromkeys(_slide_objects(slides)), 1):
                    yield _of_compound(data, f"object {number}")
    elif head.startswith(b"{\\rtf"):
        for number, found in enumerate(_HEXADECIMAL.finditer(path.read_bytes()), 1):
            yield _of_rtf(bytes.fromhex(b"".join(found[1].split()).decode()), f"object {number}")
    elif head.startswith(ZIP):
        with ZippedParts(path) as zipped:
            kind = zipped.read("mimetype") or b""
            if b"application/epub" in kind:
                yield from (EmbeddedFile(name, b"", why) for name, why in unread_chapters(zipped))
            elif b"opendocument." in kind:
                yield from _of_opendocument(zipped, inlined=b"opendocument.spreadsheet" not in kind)
            else:
                yield from _related(zipped)
    elif is_pdf(path, head):
        from shared.readers.pdf.attachments import pdf_attachments

        yield from (EmbeddedFile(*one) for one in pdf_attachments(path, MAX_BYTES))


def _stored(compound: "olefile.OleFileIO[str]") -> Iterator[EmbeddedFile | _Drawn]:
    """The objects in a document or a workbook of before 2007, each a storage; what lies within one of them belongs to
    it. All together are read to MAX_BYTES, since they may share the same bytes of the file."""
    left = MAX_BYTES
    storages = [
        tuple(one)
        for one in compound.listdir(streams=False, storages=True)
        if (len(one) == 2 and one[0] == "ObjectPool") or (len(one) == 1 and one[0].startswith("MBD"))
    ]
    for storage, streams in streams_within(compound, storages).items():
        size = size_of(compound, streams)
        if size > left:
            yield EmbeddedFile(storage[-1], b"", _TOO_MUCH)
        else:
            left -= size
            yield _of_object(compound, storage, streams)


def _of_object(
    compound: "olefile.OleFileIO[str]", storage: tuple[str, ...], streams: list[tuple[str, ...]]
) -> EmbeddedFile | _Drawn:
    """A document of before 2007 has its streams there as in a file of its own."""
    name = storage[-1]
    try:
        if ending := _document_ending(compound, [*storage]):
            return EmbeddedFile(f"{name}{ending}", take_out(compound, storage, streams))
        return _of_storage(compound, [*storage], name)
    except _ERRORS:
        return EmbeddedFile(name, b"", _DAMAGED)


def _slide_objects(stream: bytes) -> Iterator[bytes]:
    """The compound files of the objects in a presentation of before 2007 ([MS-PPT] 2.10.34), which all together are
    inflated to MAX_BYTES; those that are damaged, or begin behind that, are empty. Records of macros, which look the
    same, are left out."""
    at, left = 0, MAX_BYTES
    while at + 8 <= len(stream):
        version, kind, length = struct.unpack_from("<HHI", stream, at)
        body = stream[at + 8 : at + 8 + length]
        at += 8 + length
        if kind != _OBJECT_RECORD:
            continue
        data = body
        if version >> 4 == 1:
            try:
                data = zlib.decompressobj().decompress(body[4:], left) if left > 0 else b""
            except zlib.error:
                data = b""
        left -= len(data)
        if "VBA".encode("utf-16-le") not in data:
            yield data


def _related(zipped: ZippedParts) -> Iterator[EmbeddedFile | _Drawn]:
    sources = [_source(name) for name in zipped.names if name.endswith(".rels")]
    charts = {name for one in sources for kind in _CHARTS for name in targets(zipped, one, kind).values()}
    names = (
        name
        for one in sources
        if one not in charts
        for kind in _RELATIONS
        for name in targets(zipped, one, kind).values()
    )
    for name in dict.fromkeys(names):
        yield from _of_part(zipped, name)


def _source(relations: str) -> str:
    """The part that a part of relations is of: `word/_rels/document.xml.rels` of `word/document.xml`."""
    place = PurePath(relations)
    return str(place.parent.parent / place.stem).removeprefix(".")


def _of_opendocument(zipped: ZippedParts, *, inlined: bool) -> Iterator[EmbeddedFile | _Drawn]:
    """`inlined`: the reader puts documents within this one into its text, so that only those are told that it cannot
    read."""
    for name in zipped.names:
        folder = name.removesuffix("/content.xml")
        if folder != name:
            yield from _packed(zipped, folder, inlined=inlined)
        elif zipped.begins(name).startswith((OLE, ZIP)):
            yield from _of_part(zipped, name)


def _packed(zipped: ZippedParts, folder: str, *, inlined: bool) -> Iterator[EmbeddedFile | _Drawn]:
    """A document within another as a file of its own. A chart is read where it stands."""
    try:
        root = zipped.root(f"{folder}/content.xml")
    except RefusedFile as refusal:
        yield EmbeddedFile(PurePath(folder).name, b"", str(refusal))
        return
    if inlined:
        return
    body = next((local(one) for one in (root if child(root, "body") is None else child(root, "body"))), "")
    if body == "chart":
        return
    if body not in _BODIES:
        yield _Drawn(f"OpenDocument ({local(root)})")
        return
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as container:
        container.writestr("mimetype", f"application/vnd.oasis.opendocument.{body}", zipfile.ZIP_STORED)
        for name in zipped.names:
            if name.startswith(f"{folder}/") and not name.endswith(("/", "/mimetype")):
                container.writestr(name.removeprefix(f"{folder}/"), zipped.read(name) or b"")
    yield EmbeddedFile(PurePath(folder).name + _BODIES[body], file.getvalue())


def _of_part(zipped: ZippedParts, part: str) -> Iterator[EmbeddedFile | _Drawn]:
    name = PurePath(part).name
    try:
        data = zipped.read(part)
    except RefusedFile as refusal:
        yield EmbeddedFile(name, b"", str(refusal))
        return
    if data is None:
        return
    yield _of_compound(data, name) if data.startswith(OLE) else EmbeddedFile(_named(name, data), data)


def _of_rtf(data: bytes, name: str) -> EmbeddedFile | _Drawn:
    """An object as RTF writes it: its program, two links and its bytes, each behind its length ([MS-OLEDS] 2.2.5)."""
    with suppress(struct.error, ValueError):
        at, pieces = 8, list[bytes]()
        while len(pieces) < 4:
            (length,) = struct.unpack_from("<I", data, at)
            pieces.append(data[at + 4 : at + 4 + length])
            at += 4 + length
        program, _, _, own = pieces
        if own.startswith(OLE):
            return _of_compound(own, name)
        # A package has no length of its own here.
        called = program.rstrip(b"\0").decode("cp1252", "replace")[:80]
        return _packaged(bytes(4) + own) if called == "Package" else _Drawn(called or _UNKNOWN)
    return EmbeddedFile(name, b"", _DAMAGED)


def _of_compound(data: bytes, name: str) -> EmbeddedFile | _Drawn:
    with suppress(*_ERRORS), olefile.OleFileIO(io.BytesIO(data)) as compound:
        ending = _document_ending(compound, [])
        return _of_storage(compound, [], name) if ending is None else EmbeddedFile(f"{_stem(name)}{ending}", data)
    return EmbeddedFile(name, b"", _DAMAGED)


def _document_ending(compound: "olefile.OleFileIO[str]", storage: list[str]) -> str | None:
    """Of a file that is `storage`, by its streams; None where it is an object of another kind."""
    return next((own for stream, own in _STREAMS.items() if compound.exists([*storage, stream])), None)


def _of_storage(compound: "olefile.OleFileIO[str]", storage: list[str], name: str) -> EmbeddedFile | _Drawn:
    for stream in _WHOLE:
        if compound.exists([*storage, stream]):
            data = compound.openstream([*storage, stream]).read()
            if data.startswith((ZIP, b"%PDF", OLE)):
                return EmbeddedFile(_named(name, data), data)
    if compound.exists([*storage, "\x01Ole10Native"]):
        with suppress(struct.error, ValueError):
            return _packaged(compound.openstream([*storage, "\x01Ole10Native"]).read())
    return _Drawn(_program(compound, storage))


def _packaged(stream: bytes) -> EmbeddedFile:
    """A file that was put into a package, under its own name ([MS-OLEDS] 2.3.6, and what Windows writes there).

    Raises ValueError or struct.error for a stream that is none."""
    label, _, rest = stream[6:].partition(b"\0")
    _, _, rest = rest.partition(b"\0")
    (length,) = struct.unpack_from("<I", rest, 4)
    (size,) = struct.unpack_from("<I", rest, 8 + length)
    at = 12 + length
    data = rest[at : at + size]
    name = PurePath(label.decode("cp1252", "replace").replace("\\", "/")).name
    if len(data) != size or not name:
        raise ValueError("no package")
    return EmbeddedFile(_long_name(rest[at + size :]) or name, data)


def _long_name(stream: bytes) -> str:
    """The name in all its letters, behind the file where the program that packed it writes it: the second of three."""
    with suppress(struct.error, UnicodeDecodeError):
        (before,) = struct.unpack_from("<I", stream)
        (length,) = struct.unpack_from("<I", stream, 4 + 2 * before)
        at = 8 + 2 * before
        return PurePath(stream[at : at + 2 * length].decode("utf-16-le").replace("\\", "/")).name
    return ""


def _program(compound: "olefile.OleFileIO[str]", storage: list[str]) -> str:
    """What draws an object, as it calls itself ([MS-OLEDS] 2.3.8)."""
    if compound.exists([*storage, "\x01CompObj"]):
        said = compound.openstream([*storage, "\x01CompObj"]).read()
        with suppress(struct.error):
            (length,) = struct.unpack_from("<I", said, 28)
            if name := said[32 : 32 + length].rstrip(b"\0").decode("cp1252", "replace").strip()[:80]:
                return name
    return _UNKNOWN


def _named(name: str, data: bytes) -> str:
    """The name with an ending that says what the bytes are, where it has none that does."""
    if PurePath(name).suffix.lower() not in ("", ".bin", ".dat"):
        return name
    return f"{_stem(name)}{_ending(data)}"


def _stem(name: str) -> str:
    return PurePath(name).stem if PurePath(name).suffix.lower() in (".bin", ".dat") else name


def _ending(data: bytes) -> str:
    if data.startswith(b"%PDF"):
        return ".pdf"
    kind = next((end for body, end in _BODIES.items() if f"opendocument.{body}".encode() in data[:128]), "")
    if kind or not data.startswith(ZIP):
        return kind
    with suppress(*UNPACKING), zipfile.ZipFile(io.BytesIO(data)) as container:
        return next(
            (end for name in container.namelist() for begin, end in _FOLDERS.items() if name.startswith(begin)), ""
        )
    return ""
