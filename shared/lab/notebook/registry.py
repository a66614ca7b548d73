"""The kinds of cells there are."""

from collections.abc import Mapping
from typing import Final

from shared.lab.notebook.data import DATASET, PLOT
from shared.lab.notebook.experiments import GROUP, SUMMARY
from shared.lab.notebook.kinds import CellKind
from shared.lab.notebook.pinned import ANSWER, CHUNK, MARKDOWN, NOTE

KINDS: Final[Mapping[str, CellKind]] = {
    "markdown": MARKDOWN, "note": NOTE, "chunk": CHUNK, "answer": ANSWER, "dataset": DATASET, "plot": PLOT,
    "summary": SUMMARY, "group": GROUP,
}  # fmt: skip
