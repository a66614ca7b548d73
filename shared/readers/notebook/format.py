"""Notebooks as a format."""

from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import StructuredFormat, named_text
from shared.readers.parted import PartedSource

_ENDINGS: Final = (".ipynb",)


def _open_notebook(path: Path, password: str | None) -> PartedSource:
    from shared.readers.notebook.document import open_notebook

    return open_notebook(path, password)


def _reread_notebook(path: Path) -> SecondText:
    from shared.rereading.notebook import reread_notebook

    return reread_notebook(path)


def _version() -> str:
    from shared.readers.notebook.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


NOTEBOOK: Final = StructuredFormat(
    "notebook",
    "notebook (.ipynb)",
    ("application/x-ipynb+json",),
    _ENDINGS,
    named_text(*_ENDINGS),
    _open_notebook,
    _reread_notebook,
    _version,
)
