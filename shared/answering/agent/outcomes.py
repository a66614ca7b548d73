"""What a tool's call gave: text for the model, the passages in it, and what is left of it once it is long ago."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from shared.domain.knowledge import Chunk, Hit, RowsBehind
from shared.domain.trace import Step
from shared.prompts.answer_prompt import visible
from shared.retrieval.rows_behind import hit_of

TEXT_MAX: Final = 1_200
FORMULAS_MAX: Final = 20
FORMULA_MAX: Final = 400
ROWS_NOTE: Final = (
    "Rows of a long table, found by their words and not ranked. They can be chosen as passages can; get_chunk and"
    " table_rows do not know them."
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


def told_passages(told: Sequence[Told], rows: RowsBehind | None = None, **more: Any) -> ToolOutcome:
    """Passages as `told_chunk` has them, best first, with rows that are none beside them and what else is to be
    told."""
    ids = tuple(UUID(one["chunk_id"]) for one in told)
    steps = more.pop("steps", ())
    beside = told_rows(rows, ids)
    text = as_data({"passages": [*told], **beside, **more})
    further = beside["rows_behind"]["rows"] if beside else []
    return ToolOutcome(text, ids, (*told, *further), steps=steps)


def told_rows(rows: RowsBehind | None, but: Collection[UUID] = ()) -> Told:
    """Rows that are no passages, as a result has them beside its passages, `but` those that are among these; nothing
    where there are none."""
    told = [_told_hit(hit_of(row)) for row in rows.hits if row.id not in but] if rows else []
    return {"rows_behind": {"note": ROWS_NOTE, "rows": told, "more": rows.more}} if rows and told else {}


def told_hits(hits: Sequence[Hit]) -> list[Told]:
    return [_told_hit(hit) for hit in hits]


def _told_hit(hit: Hit) -> Told:
    told = told_chunk(hit.chunk, hit.document.name, (hit.version.label or "") if hit.version else "")
    return told | {"sheet": row.sheet, "range": row.range} if (row := hit.kept_row) else told


def told_chunk(chunk: Chunk, document: str, version: str) -> Told:
    fields = {
        "chunk_id": str(chunk.id), "document_id": str(chunk.document_id), "document": document, "version": version,
        "section": chunk.section_path, "text": chunk.told[:TEXT_MAX],
        "formulas": {one.range: one.formula[:FORMULA_MAX] for one in (chunk.formulas or [])[:FORMULAS_MAX]},
    }  # fmt: skip
    return {name: value for name, value in fields.items() if value}


def as_data(value: Any) -> str:
    """JSON whose strings end no tag and hold nothing that nobody sees."""
    return visible(json.dumps(value, ensure_ascii=False)).replace("<", "\\u003c")
