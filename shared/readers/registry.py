"""The registry of formats: those that can be read, and those that are known and refused.

A format is added by the row in its package's module `format` and its place in FORMATS; its entry among the UNREAD is
removed.
"""

from pathlib import Path, PurePath
from typing import Final

from shared.errors import RefusedFile, UnreadFormat
from shared.readers import parcel
from shared.readers.book.format import EPUB, MHTML
from shared.readers.code.format import PROGRAMS
from shared.readers.data.format import CALENDAR, CONTACTS, JSON, XML
from shared.readers.docx.format import DOCX
from shared.readers.formats import (
    DOCUMENTS_IN_XML,
    ZIP,
    AnyFormat,
    KnownFormat,
    Look,
    has_stream,
    is_text,
    markup_name,
    member_names,
)
from shared.readers.html.format import HTML
from shared.readers.image.format import IMAGE
from shared.readers.legacy.format import DOC, PPT
from shared.readers.mail.format import MAIL
from shared.readers.note.format import NOTE
from shared.readers.notebook.format import NOTEBOOK
from shared.readers.opendocument.format import ODP, ODT
from shared.readers.pdf.format import PDF
from shared.readers.pptx.format import PPTX
from shared.readers.record.format import RECORD
from shared.readers.rtf.format import RTF
from shared.readers.sheets.format import CSV, ODS, XLS, XLSB, XLSX
from shared.readers.source import Source
from shared.readers.text.format import CODE, MARKDOWN, TEXT

HEAD_BYTES: Final = 1024

# In the order in which they are matched: plain text takes what no other format does.
FORMATS: Final[tuple[AnyFormat, ...]] = (
    *(
        PDF,
        IMAGE,
        RTF,
        XLSX,
        XLSB,
        ODS,
        CSV,
        MARKDOWN,
        NOTEBOOK,
        JSON,
        XML,
        CALENDAR,
        CONTACTS,
        *PROGRAMS,
        CODE,
        DOCX,
        PPTX,
        ODT,
        ODP,
    ),
    *(EPUB, MHTML, HTML, MAIL, DOC, PPT, XLS, TEXT),
)
# What is posted in a request; no file is taken for one.
POSTED: Final[tuple[AnyFormat, ...]] = (NOTE, RECORD)
_UNPACK: Final = "unpack it"
_PACKED: Final = (b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"BZh", b"\xfd7zXZ\x00")
# Sorted in the order in which they are matched: of formats with the same first bytes, the container comes last.
UNREAD: Final[tuple[KnownFormat, ...]] = (
    KnownFormat("a document of Pages", (".pages",)),
    KnownFormat("a spreadsheet", (".numbers",)),
    KnownFormat("a presentation", (".key",)),
    KnownFormat("a drawing", (".odg", ".otg", ".vsd", ".vsdx")),
    KnownFormat("an e-book", (".mobi", ".azw3")),
    KnownFormat("an image", (".avif", ".svg")),
    KnownFormat("a PostScript file", (".ps", ".eps"), (b"%!PS",)),
    KnownFormat("a recording", (".mp3", ".m4a", ".wav", ".mp4", ".mov", ".avi", ".mkv", ".webm")),
    KnownFormat("a Microsoft Office file that is damaged or of an old kind", (), (b"\xd0\xcf\x11\xe0",)),
    KnownFormat("a gzip archive", (".gz", ".tgz"), (b"\x1f\x8b",), instead=_UNPACK),
    KnownFormat("a ZIP container", (), (b"PK\x03\x04",)),
    KnownFormat("an archive", (".7z", ".rar", ".tar", ".bz2", ".xz"), _PACKED, instead=_UNPACK),
    *DOCUMENTS_IN_XML,
)
_BY_TYPE: Final = {one.source_type: one for one in (*FORMATS, *POSTED)}
_NAMED: Final = frozenset(ending for one in (*FORMATS, *UNREAD) for ending in one.extensions)
_READ: Final = list(dict.fromkeys(one.name for one in FORMATS))
NAMES: Final = f"{', '.join(_READ[:-1])} or {_READ[-1]}"
EXTENSIONS: Final = frozenset(ending for one in FORMATS for ending in one.extensions)
# Files that can be sent: those that are read, and parcels of them.
SENDABLE: Final = EXTENSIONS | {parcel.ENDING}
# As the `accept` of a file picker wants it.
ACCEPTED: Final = ",".join(
    [*(word for one in FORMATS for word in (*one.extensions, *one.media_types)), parcel.ENDING, "application/zip"]
)


def find_format(source_type: str) -> AnyFormat:
    """Raises KeyError for a type that is in no row."""
    return _BY_TYPE[source_type]


def format_of(path: Path, filename: str, source_type: str) -> AnyFormat:
    """The format that a file is read as: what was posted is what it was posted as, anything else what its bytes show.
    Raises as `recognise` does."""
    return _BY_TYPE[source_type] if is_posted(source_type) else recognise(path, filename)


def is_posted(source_type: str) -> bool:
    """Whether documents of this type are posted in a request, and no files."""
    return any(one.source_type == source_type for one in POSTED)


def open_source(path: Path, source_type: str, password: str | None = None) -> Source:
    """Opens the file as the given type. Raises RefusedFile with one sentence that says what is wrong and what to do."""
    return find_format(source_type).open(path, password)


def check_name(filename: str) -> None:
    """Raises UnreadFormat for a file extension of a known format that is not read.

    Other extensions are accepted: a file may be called `1705.07830`.
    """
    ending = PurePath(filename).suffix.lower()
    if ending in SENDABLE:
        return
    for one in UNREAD:
        if ending in one.extensions:
            advice = f"{one.instead[0].upper()}{one.instead[1:]}, or rename it if it is {NAMES}."
            raise UnreadFormat(f"{filename} is {one.name} by its name; this format is not read yet. {advice}")


def check_sendable(path: Path) -> None:
    """Raises RefusedFile for a file that need not be sent, as `recognise` does."""
    if not path.is_file() or not parcel.is_parcel(path):
        recognise(path)


def recognise(path: Path, filename: str | None = None) -> AnyFormat:
    """The format that the bytes of a file show; of text, whose bytes do not, what its name says (`filename`, else the
    path's). Raises RefusedFile where there is no file or nothing in it, UnreadFormat with what it looks like."""
    if not path.is_file():
        raise RefusedFile(f"There is no file {path.name!r}; check its name.")
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    if not head.strip(b"\x00 \r\n\t"):
        raise RefusedFile("The file is empty; check that it was saved and upload it again.")
    ending = PurePath(filename or path.name).suffix.lower()
    look = Look(path, head, ending, ending in _NAMED)
    for one in FORMATS:
        if one.matches(look):
            return one
    if has_stream(look, "EncryptedPackage"):
        raise RefusedFile("The file is encrypted; save it without a password and upload that.")
    if head.startswith(ZIP) and member_names(path) is None:
        raise RefusedFile("The file is cut off or damaged; save it again in the program that made it, and upload that.")
    if is_text(head) and not markup_name(head):
        raise UnreadFormat(
            f"The file is called {ending} but looks like plain text; rename it to .txt, or upload the right file."
        )
    like = _looks_like(head)
    raise UnreadFormat(f"The file looks like {like.name}, which is not read yet; {like.instead} and upload that.")


def _looks_like(head: bytes) -> KnownFormat:
    markup = markup_name(head)
    for one in UNREAD:
        if head.startswith(one.magic) or one.name == markup:
            return one
    return KnownFormat(markup or ("plain text" if is_text(head) else "an unknown kind of file"), ())
