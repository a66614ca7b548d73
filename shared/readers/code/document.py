"""Opens program text. Places are offsets in the file's characters."""

from pathlib import Path
from typing import Final

from shared.readers.code.blocks import blocks_of
from shared.readers.code.languages import Language
from shared.readers.parted import PartedSource
from shared.readers.parts import parts_of
from shared.readers.text.decode import decode

EXTRACTOR_VERSION: Final = "source-3"


def open_source_code(path: Path, language: Language) -> PartedSource:
    """Raises RefusedFile for a file that is no text."""
    return PartedSource(parts_of(blocks_of(decode(path.read_bytes()), language), EXTRACTOR_VERSION))
