"""Plain text, Markdown and program text as formats."""

from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import WEB_PAGE, Look, StructuredFormat, is_text, markup_name, named_text
from shared.readers.parted import PartedSource

_MARKDOWN: Final = (".md", ".markdown", ".mdown")
_PLAIN: Final = (".txt", ".text", ".rst", ".log", ".tex", ".adoc", ".asciidoc", ".srt", ".vtt")
_CODE: Final = (
    ".scala", ".r", ".pl", ".css", ".toml", ".ini", ".cfg", ".yaml", ".yml",
)  # fmt: skip


def _is_plain(look: Look) -> bool:
    """Text whose name says that it is plain, or says nothing."""
    return is_text(look.head) and (look.ending in _PLAIN or (not look.is_named and not markup_name(look.head)))


def _is_code(look: Look) -> bool:
    """A web page may be called .xml."""
    return is_text(look.head) and look.ending in _CODE and markup_name(look.head) != WEB_PAGE


def _open_plain(path: Path, password: str | None) -> PartedSource:
    from shared.readers.text.document import open_plain

    return open_plain(path, password)


def _open_markdown(path: Path, password: str | None) -> PartedSource:
    from shared.readers.text.document import open_markdown

    return open_markdown(path, password)


def _open_code(path: Path, password: str | None) -> PartedSource:
    from shared.readers.text.document import open_code

    return open_code(path, password)


def _reread_text(path: Path) -> SecondText:
    from shared.rereading.text import reread_text

    return reread_text(path)


def _reread_markdown(path: Path) -> SecondText:
    from shared.rereading.text import reread_markdown

    return reread_markdown(path)


def _version() -> str:
    from shared.readers.text.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


MARKDOWN: Final = StructuredFormat(
    "markdown",
    "Markdown",
    ("text/markdown",),
    _MARKDOWN,
    named_text(*_MARKDOWN),
    _open_markdown,
    _reread_markdown,
    _version,
)
CODE: Final = StructuredFormat(
    "code", "configuration (YAML, TOML, INI)", (), _CODE, _is_code, _open_code, _reread_text, _version
)
TEXT: Final = StructuredFormat(
    "text", "plain text", ("text/plain",), _PLAIN, _is_plain, _open_plain, _reread_text, _version
)
