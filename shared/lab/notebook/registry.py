"""The kinds of cells there are."""

from collections.abc import Mapping
from typing import Final

from shared.lab.notebook.kinds import CellKind
from shared.lab.notebook.pinned import ANSWER, CHUNK, MARKDOWN, NOTE

KINDS: Final[Mapping[str, CellKind]] = {"markdown": MARKDOWN, "note": NOTE, "chunk": CHUNK, "answer": ANSWER}
