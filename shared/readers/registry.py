"""The registry of formats: those that can be read, and those that are known and refused.

A format is added by its row in FORMATS and its package beside this module; its entry among the UNREAD is removed.
Reading libraries are imported when a file is opened, not here: commands and routes need only names.
"""

import re
import zipfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from shared.domain.raw_page import SecondReader, SecondText
from shared.errors import RefusedFile, UnreadFormat
from shared.readers.parted import PartedSource
from shared.readers.pdf.signature import is_pdf
from shared.readers.source import PagedSource, Source

HEAD_BYTES: Final = 1024
# Of a text at most every so manieth byte is a control character.
CONTROLS_OF: Final = 20


class Format(NamedTuple):
    """A format of pages that can be read.

    `matches` takes a file, its first HEAD_BYTES and how its name ends; `open` takes a file and a password, `reread`
    opens it with the second library that proofs ask; `version` is recorded on every row.
    """

    source_type: str
    name: str
    media_types: tuple[str, ...]
    extensions: tuple[str, ...]
    matches: Callable[[Path, bytes, str], bool]
    open: Callable[[Path, str | None], PagedSource]
    reread: Callable[[Path], AbstractContextManager[SecondReader]]
    version: Callable[[], str]


class StructuredFormat(NamedTuple):
    """A format without pages that can be read, as above. `second` reads its text with another library."""

    source_type: str
    name: str
    media_types: tuple[str, ...]
    extensions: tuple[str, ...]
    matches: Callable[[Path, bytes, str], bool]
    open: Callable[[Path, str | None], PartedSource]
    second: Callable[[Path], SecondText]
    version: Callable[[], str]


AnyFormat = Format | StructuredFormat


class KnownFormat(NamedTuple):
    """A format that is known and not read: what it is called, how its names end, how its bytes begin."""

    name: str
    extensions: tuple[str, ...]
    magic: tuple[bytes, ...] = ()


def _is_pdf(path: Path, head: bytes, _ending: str) -> bool:
    return is_pdf(path, head)


def _open_pdf(path: Path, password: str | None) -> PagedSource:
    from shared.readers.pdf.document import open_pdf

    return open_pdf(path, password)


def _reread_pdf(path: Path) -> AbstractContextManager[SecondReader]:
    from shared.rereading.pdfium import PdfiumReader

    return PdfiumReader(path)


def _pdf_version() -> str:
    from shared.readers.pdf.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


_MARKDOWN: Final = (".md", ".markdown", ".mdown")
_PAGES: Final = (".html", ".htm", ".xhtml")
_WEB_PAGE: Final = "a web page (HTML)"
_PLAIN: Final = (".txt", ".text", ".rst", ".log", ".tex", ".srt", ".vtt")
_CODE: Final = (
    ".py", ".js", ".ts", ".tsx", ".jsx", ".java", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".go", ".rs", ".rb", ".php",
    ".swift", ".kt", ".scala", ".sh", ".sql", ".r", ".lua", ".pl", ".css", ".toml", ".ini", ".cfg",
)  # fmt: skip
_MAIL: Final = (".eml", ".mbox")
_HEADER: Final = re.compile(rb"^(received|return-path|from|to|date|subject|message-id|mime-version):", re.I | re.M)
_BEGINS_MAIL: Final = re.compile(rb"\s*(?:From \S+ [^\n]*\d\d:\d\d[^\n]*\n)?[!-9;-~]+:")
HEADERS_OF_MAIL: Final = 3


def _named_text(*endings: str) -> Callable[[Path, bytes, str], bool]:
    """Matches text by how its name ends: its bytes do not say what it is."""
    return lambda _path, head, ending: ending in endings and _is_text(head)


def _is_plain(_path: Path, head: bytes, ending: str) -> bool:
    """Text whose name says that it is plain, or says nothing."""
    return _is_text(head) and (ending in _PLAIN or (ending not in _NAMED and not _markup_name(head)))


def _is_html(_path: Path, head: bytes, ending: str) -> bool:
    return _is_text(head) and (ending in _PAGES or _markup_name(head) == _WEB_PAGE)


def _open_html(path: Path, password: str | None) -> PartedSource:
    from shared.readers.html.document import open_html

    return open_html(path, password)


def _second_html(path: Path) -> SecondText:
    from shared.rereading.html import reread_html

    return reread_html(path)


def _html_version() -> str:
    from shared.readers.html.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


def _is_docx(path: Path, head: bytes, _ending: str) -> bool:
    return head.startswith(b"PK") and _has_part(path, "word/")


def _is_pptx(path: Path, head: bytes, _ending: str) -> bool:
    return head.startswith(b"PK") and _has_part(path, "ppt/")


def _open_pptx(path: Path, password: str | None) -> PartedSource:
    from shared.readers.pptx.document import open_pptx

    return open_pptx(path, password)


def _second_pptx(path: Path) -> SecondText:
    from shared.rereading.pptx import reread_pptx

    return reread_pptx(path)


def _pptx_version() -> str:
    from shared.readers.pptx.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


def _has_part(path: Path, prefix: str) -> bool:
    """Whether a file is a ZIP container with a part whose name begins so."""
    try:
        with zipfile.ZipFile(path) as container:
            return any(name.startswith(prefix) for name in container.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def _open_docx(path: Path, password: str | None) -> PartedSource:
    from shared.readers.docx.document import open_docx

    return open_docx(path, password)


def _second_docx(path: Path) -> SecondText:
    from shared.rereading.docx import reread_docx

    return reread_docx(path)


def _docx_version() -> str:
    from shared.readers.docx.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


def _open_plain(path: Path, password: str | None) -> PartedSource:
    from shared.readers.text.document import open_plain

    return open_plain(path, password)


def _open_markdown(path: Path, password: str | None) -> PartedSource:
    from shared.readers.text.document import open_markdown

    return open_markdown(path, password)


def _open_code(path: Path, password: str | None) -> PartedSource:
    from shared.readers.text.document import open_code

    return open_code(path, password)


def _second_text(path: Path) -> SecondText:
    from shared.rereading.text import reread_text

    return reread_text(path)


def _text_version() -> str:
    from shared.readers.text.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


def _is_mail(_path: Path, head: bytes, ending: str) -> bool:
    """What is called so, and what begins with a message's header and has no name that says otherwise."""
    if ending in _NAMED:
        return ending in _MAIL and _is_text(head)
    return (
        len({name.lower() for name in _HEADER.findall(head)}) >= HEADERS_OF_MAIL
        and _BEGINS_MAIL.match(head) is not None
    )


def _open_mail(path: Path, password: str | None) -> PartedSource:
    from shared.readers.mail.document import open_mail

    return open_mail(path, password)


def _second_mail(path: Path) -> SecondText:
    from shared.rereading.mail import reread_mail

    return reread_mail(path)


def _mail_version() -> str:
    from shared.readers.mail.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


def _is_workbook(path: Path, head: bytes, ending: str) -> bool:
    """A ZIP container with a workbook, or one that is called so and is too damaged to tell."""
    if not head.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(path) as file:
            return any(name.lower().endswith("workbook.xml") for name in file.namelist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return ending in _WORKBOOK


def _is_opendocument(_path: Path, head: bytes, _ending: str) -> bool:
    return head.startswith(b"PK") and b"opendocument.spreadsheet" in head[:128]


def _open_workbook(path: Path, password: str | None) -> PartedSource:
    from shared.readers.sheets.document import open_workbook

    return open_workbook(path, password)


def _open_opendocument(path: Path, password: str | None) -> PartedSource:
    from shared.readers.sheets.document import open_opendocument

    return open_opendocument(path, password)


def _open_delimited(path: Path, password: str | None) -> PartedSource:
    from shared.readers.sheets.document import open_delimited

    return open_delimited(path, password)


def _second_workbook(path: Path) -> SecondText:
    from shared.rereading.sheets import reread_workbook

    return reread_workbook(path)


def _second_delimited(path: Path) -> SecondText:
    from shared.rereading.delimited import reread_delimited

    return reread_delimited(path)


def _sheets_version() -> str:
    from shared.readers.sheets.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


_WORKBOOK: Final = (".xlsx", ".xlsm", ".xltx", ".xltm")
_DELIMITED: Final = (".csv", ".tsv", ".tab")

# In the order in which they are matched: plain text takes what no other format does.
FORMATS: Final[tuple[AnyFormat, ...]] = (
    Format("pdf", "PDF", ("application/pdf",), (".pdf",), _is_pdf, _open_pdf, _reread_pdf, _pdf_version),
    StructuredFormat(
        "xlsx", "Excel workbook", ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",), _WORKBOOK,
        _is_workbook, _open_workbook, _second_workbook, _sheets_version,
    ),
    StructuredFormat(
        "ods", "OpenDocument spreadsheet", ("application/vnd.oasis.opendocument.spreadsheet",), (".ods",),
        _is_opendocument, _open_opendocument, _second_workbook, _sheets_version,
    ),
    StructuredFormat(
        "csv", "table in plain text (CSV)", ("text/csv", "text/tab-separated-values"), _DELIMITED,
        _named_text(*_DELIMITED), _open_delimited, _second_delimited, _sheets_version,
    ),
    StructuredFormat(
        "markdown", "Markdown", ("text/markdown",), _MARKDOWN, _named_text(*_MARKDOWN), _open_markdown, _second_text,
        _text_version,
    ),
    StructuredFormat(
        "code", "program text", (), _CODE, _named_text(*_CODE), _open_code, _second_text, _text_version
    ),
    StructuredFormat(
        "docx", "Word (.docx)",
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document",), (".docx", ".docm", ".dotx"),
        _is_docx, _open_docx, _second_docx, _docx_version,
    ),
    StructuredFormat(
        "pptx", "PowerPoint (.pptx)",
        ("application/vnd.openxmlformats-officedocument.presentationml.presentation",), (".pptx", ".pptm", ".ppsx"),
        _is_pptx, _open_pptx, _second_pptx, _pptx_version,
    ),
    StructuredFormat(
        "html", "HTML", ("text/html", "application/xhtml+xml"), _PAGES, _is_html, _open_html, _second_html,
        _html_version,
    ),
    StructuredFormat(
        "mail", "e-mail", ("message/rfc822", "application/mbox"), _MAIL, _is_mail, _open_mail, _second_mail,
        _mail_version,
    ),
    StructuredFormat(
        "text", "plain text", ("text/plain",), _PLAIN, _is_plain, _open_plain, _second_text, _text_version
    ),
)  # fmt: skip
# Sorted in the order in which they are matched: of formats with the same first bytes, the container comes last.
UNREAD: Final[tuple[KnownFormat, ...]] = (
    KnownFormat("an old or other text document", (".doc", ".dot", ".odt", ".pages")),
    KnownFormat("a spreadsheet", (".xls", ".xlsb", ".numbers")),
    KnownFormat("a presentation", (".ppt", ".odp", ".key")),
    KnownFormat("an Outlook message", (".msg",)),
    KnownFormat("an e-book", (".epub", ".mobi", ".azw3")),
    KnownFormat("a web archive", (".mhtml", ".mht")),
    KnownFormat("an XML file", (".xml",)),
    KnownFormat("a PNG image", (".png",), (b"\x89PNG",)),
    KnownFormat("a JPEG image", (".jpg", ".jpeg"), (b"\xff\xd8\xff",)),
    KnownFormat("a GIF image", (".gif",), (b"GIF8",)),
    KnownFormat("a TIFF image", (".tif", ".tiff"), (b"II*\x00", b"MM\x00*")),
    KnownFormat("an image", (".webp", ".bmp", ".heic", ".svg")),
    KnownFormat("a PostScript file", (".ps", ".eps"), (b"%!PS",)),
    KnownFormat("an RTF file", (".rtf",), (b"{\\rtf",)),
    KnownFormat("data in JSON or YAML", (".json", ".jsonl", ".yaml", ".yml")),
    KnownFormat("a notebook", (".ipynb",)),
    KnownFormat("a recording", (".mp3", ".m4a", ".wav", ".mp4", ".mov", ".avi", ".mkv", ".webm")),
    KnownFormat("an old Microsoft Office file (.doc, .xls, .msg)", (), (b"\xd0\xcf\x11\xe0",)),
    KnownFormat("a gzip archive", (".gz", ".tgz"), (b"\x1f\x8b",)),
    KnownFormat("a ZIP container", (".zip",), (b"PK\x03\x04",)),
    KnownFormat("an archive", (".7z", ".rar", ".tar", ".bz2", ".xz")),
)
_BY_TYPE: Final = {one.source_type: one for one in FORMATS}
_NAMED: Final = frozenset(ending for one in (*FORMATS, *UNREAD) for ending in one.extensions)
_READ: Final = [one.name for one in FORMATS]
NAMES: Final = f"{', '.join(_READ[:-1])} or {_READ[-1]}"
EXTENSIONS: Final = frozenset(ending for one in FORMATS for ending in one.extensions)
# As the `accept` of a file picker wants it.
ACCEPTED: Final = ",".join(word for one in FORMATS for word in (*one.extensions, *one.media_types))


def find_format(source_type: str) -> AnyFormat:
    """Raises KeyError for a type that is in no row."""
    return _BY_TYPE[source_type]


def open_source(path: Path, source_type: str, password: str | None = None) -> Source:
    """Opens the file as the given type. Raises RefusedFile with one sentence that says what is wrong and what to do."""
    return find_format(source_type).open(path, password)


def check_name(filename: str) -> None:
    """Raises UnreadFormat for a file extension of a known format that is not read.

    Other extensions are accepted: a file may be called `1705.07830`.
    """
    ending = PurePath(filename).suffix.lower()
    if ending in EXTENSIONS:
        return
    for one in UNREAD:
        if ending in one.extensions:
            raise UnreadFormat(
                f"{filename} is {one.name} by its name; this format is not read yet. Export it as PDF, or rename it if"
                f" it is {NAMES}."
            )


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
    for one in FORMATS:
        if one.matches(path, head, ending):
            return one
    if _is_text(head) and not _markup_name(head):
        raise UnreadFormat(
            f"The file is called {ending} but looks like plain text; rename it to .txt, or upload the right file."
        )
    raise UnreadFormat(
        f"The file looks like {_looks_like(head, UNREAD)}, which is not read yet; export it as PDF and upload that."
    )


def _looks_like(head: bytes, unread: Sequence[KnownFormat]) -> str:
    for one in unread:
        if head.startswith(one.magic):
            return one.name
    return _markup_name(head) or ("plain text" if _is_text(head) else "an unknown kind of file")


def _markup_name(head: bytes) -> str | None:
    """What a text with markup is, by how it begins."""
    lowered = head.lstrip(b"\xef\xbb\xbf \r\n\t").lower()
    if lowered.startswith((b"<!doctype html", b"<html")):
        return _WEB_PAGE
    if lowered.startswith(b"<?xml") and re.search(rb"<!doctype html|<html[\s>]", lowered):
        return _WEB_PAGE
    return "an XML file" if lowered.startswith(b"<?xml") else None


def _is_text(head: bytes) -> bool:
    """Whether these bytes can be characters: with a mark of their encoding, or with hardly any control characters."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return True
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
    return controls * CONTROLS_OF <= len(head)
