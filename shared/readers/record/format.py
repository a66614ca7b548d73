"""Records as a format: no file is taken for one, they are posted."""

from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import Look, StructuredFormat
from shared.readers.parted import PartedSource


def _matches(_look: Look) -> bool:
    return False


def _open_record(path: Path, password: str | None) -> PartedSource:
    from shared.readers.record.document import open_record

    return open_record(path, password)


def _reread_record(path: Path) -> SecondText:
    from shared.rereading.record import reread_record

    return reread_record(path)


def _version() -> str:
    from shared.readers.record.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


RECORD: Final = StructuredFormat("record", "record", (), (), _matches, _open_record, _reread_record, _version)
