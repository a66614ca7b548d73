"""Word and PowerPoint files of before 2007 as formats."""

from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import Look, StructuredFormat, has_stream
from shared.readers.parted import PartedSource

_DOC_NAME: Final = "Word of before 2007 (.doc)"
_PPT_NAME: Final = "PowerPoint of before 2007 (.ppt)"


def _is_doc(look: Look) -> bool:
    return has_stream(look, "WordDocument")


def _is_ppt(look: Look) -> bool:
    return has_stream(look, "PowerPoint Document")


def _open_doc(path: Path, password: str | None) -> PartedSource:
    from shared.readers.docx.document import open_docx
    from shared.readers.legacy.convert import converted

    return open_docx(converted(path, _DOC_NAME, "docx"), password)


def _open_ppt(path: Path, password: str | None) -> PartedSource:
    from shared.readers.legacy.convert import converted
    from shared.readers.pptx.document import open_pptx

    return open_pptx(converted(path, _PPT_NAME, "pptx"), password)


def _reread_doc(path: Path) -> SecondText:
    from shared.readers.legacy.convert import converted
    from shared.rereading.docx import reread_docx

    return reread_docx(converted(path, _DOC_NAME, "docx"))


def _reread_ppt(path: Path) -> SecondText:
    from shared.readers.legacy.convert import converted
    from shared.rereading.pptx import reread_pptx

    return reread_pptx(converted(path, _PPT_NAME, "pptx"))


def _version() -> str:
    return "legacy-1"


DOC: Final = StructuredFormat(
    "doc", _DOC_NAME, ("application/msword",), (".doc", ".dot"), _is_doc, _open_doc, _reread_doc, _version
)
PPT: Final = StructuredFormat(
    "ppt",
    _PPT_NAME,
    ("application/vnd.ms-powerpoint",),
    (".ppt", ".pps"),
    _is_ppt,
    _open_ppt,
    _reread_ppt,
    _version,
)
