"""A file of a format without pages, read as the registry has it and proved with its second reader."""

from pathlib import Path

from shared.domain.page import PageFile
from shared.readers.formats import StructuredFormat
from shared.readers.parted import PartedSource
from shared.readers.registry import recognise
from tests.readers.test_docx import proved


def opened(path: Path) -> PartedSource:
    return _form(path).open(path, None)


def pages_of(path: Path) -> list[PageFile]:
    form = _form(path)
    return proved(form.open(path, None), form.second(path))


def _form(path: Path) -> StructuredFormat:
    form = recognise(path)
    assert isinstance(form, StructuredFormat)
    return form
