"""What a tool's call gave: text for the model, the passages in it, and what is left of it once it is long ago."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from shared.domain.knowledge import Chunk, Hit, RowsBehind
from shared.domain.trace import Step
from shared.prompts.answer_prompt import visible

TEXT_MAX: Final = 1_200
FORMULAS_MAX: Final = 20
FORMULA_MAX: Final = 400
NO_EVIDENCE: Final = (
    "Rows of a long table, found by their words. They cannot be chosen, and whoever asked is shown those of the"
    " question: search for passages on what they name."
)
Told = dict[str, Any]


@dataclass(frozen=True)
class ToolOutcome:
    """What a call gave. `chunk_ids`: the passages in it, best first; `passages`: those as they were told.

    `chosen`: these are evidence; `done`: it ends the search. `steps` are those of a retrieval, for the trace.
    """

    text: str
    chunk_ids: tuple[UUID, ...] = ()
    passages: tuple[Told, ...] = ()
    failed: bool = False
    chosen: bool = False
    done: bool = False
    image: bytes | None = None
    steps: Sequence[Step] = field(default=())

    def shortened(self, name: str, kept: Collection[UUID]) -> str:
        """Ids and a line in place of the text, with the passages that are `kept`."""
        if self.failed or self.chosen:
            return self.text
        line = f"Shortened: {name} gave {len(self.text)} characters. Call it again to read them."
        whole = [one for one in self.passages if UUID(one["chunk_id"]) in kept]
        ids = [str(one) for one in self.chunk_ids if one not in kept]
        return as_data({"note": line, "chunk_ids": ids, **({"passages": whole} if whole else {})})


def told_passages(told: Sequence[Told], **more: Any) -> ToolOutcome:
    """Passages as `told_chunk` has them, best first, with what else is to be told."""
    ids = tuple(UUID(one["chunk_id"]) for one in told)
    steps = more.pop("steps", ())
    return ToolOutcome(as_data({"passages": [*told], **more}), ids, tuple(told), steps=steps)


def told_rows(rows: RowsBehind | None) -> Told:
    """Rows that are no passages, as a result has them beside its passages; nothing where none has the words."""
    if rows is None or not rows.hits:
        return {}
    told = [
        {
            "document_id": str(row.document.id), "document": row.document.name, "sheet": row.sheet, "range": row.range,
            "text": " · ".join(map(str, row.cells))[:TEXT_MAX],
        }
        for row in rows.hits
    ]  # fmt: skip
    return {"rows_behind": {"note": NO_EVIDENCE, "rows": told, "more": rows.more}}


def told_hits(hits: Sequence[Hit]) -> list[Told]:
    labels = [hit.version.label if hit.version else None for hit in hits]
    return [told_chunk(hit.chunk, hit.document.name, label or "") for hit, label in zip(hits, labels, strict=True)]


def told_chunk(chunk: Chunk, document: str, version: str) -> Told:
    steps = chunk.section.path if chunk.section else []
    section = " › ".join(" ".join(filter(None, (step.address, step.title))) for step in steps)
    fields = {
        "chunk_id": str(chunk.id), "document_id": str(chunk.document_id), "document": document, "version": version,
        "section": section, "text": chunk.content[:TEXT_MAX],
        "formulas": {one.range: one.formula[:FORMULA_MAX] for one in (chunk.formulas or [])[:FORMULAS_MAX]},
    }  # fmt: skip
    return {name: value for name, value in fields.items() if value}


def as_data(value: Any) -> str:
    """JSON whose strings end no tag and hold nothing that nobody sees."""
    return visible(json.dumps(value, ensure_ascii=False)).replace("<", "\\u003c")
