"""Program text as formats, one per language: what a file is read as is decided once, by how its name ends."""

from functools import partial
from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import WEB_PAGE, Look, StructuredFormat, is_text, markup_name
from shared.readers.parted import PartedSource

# How files of each language end, by the source type that has its row in LANGUAGES.
ENDINGS: Final = {
    "python": (
        ".py",
        ".pyi",
        ".pyw",
    ),
    "javascript": (
        ".js",
        ".mjs",
        ".cjs",
        ".jsx",
        ".ts",
        ".mts",
        ".cts",
        ".tsx",
    ),
    "java": (".java",),
    "c": (
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".cxx",
        ".hh",
        ".hpp",
        ".hxx",
    ),
    "csharp": (".cs",),
    "go": (".go",),
    "rust": (".rs",),
    "php": (".php",),
    "kotlin": (
        ".kt",
        ".kts",
    ),
    "swift": (".swift",),
    "ruby": (
        ".rb",
        ".rake",
        ".gemspec",
    ),
    "lua": (".lua",),
    "shell": (
        ".sh",
        ".bash",
        ".zsh",
        ".ksh",
    ),
    "sql": (
        ".sql",
        ".ddl",
    ),
}


def _is_written_in(language: str, look: Look) -> bool:
    return look.ending in ENDINGS[language] and is_text(look.head) and markup_name(look.head) != WEB_PAGE


def _open_language(language: str, path: Path, _password: str | None) -> PartedSource:
    from shared.readers.code.document import open_source_code
    from shared.readers.code.languages import LANGUAGES

    return open_source_code(path, LANGUAGES[language])


def _reread_text(path: Path) -> SecondText:
    from shared.rereading.text import reread_text

    return reread_text(path)


def _version() -> str:
    from shared.readers.code.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


PROGRAMS: Final = tuple(
    StructuredFormat(
        language,
        "program text",
        (),
        endings,
        partial(_is_written_in, language),
        partial(_open_language, language),
        _reread_text,
        _version,
    )
    for language, endings in ENDINGS.items()
)
