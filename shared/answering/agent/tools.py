"""The tools of a model that plans: the services of every other door, with an identity that sees no more than the
question's knowledge bases. What they give is text for the model, and the ids of the passages that it has seen."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, Final
from uuid import UUID

from pydantic import ValidationError

from shared.answering.agent.arguments import (
    ARGUMENTS,
    CHOOSE,
    PASSAGES_MAX,
    Arguments,
    ChooseArguments,
    CompareArguments,
    GetChunkArguments,
    ListBasesArguments,
    ListDocumentsArguments,
    LookUpArguments,
    SearchArguments,
    TableRowsArguments,
    check_storable,
    description_of,
    schema_of,
    unfit,
)
from shared.answering.agent.outcomes import (
    TEXT_MAX,
    ToolOutcome,
    as_data,
    told_chunk,
    told_hits,
    told_passages,
)
from shared.domain.chat import ToolCall, ToolSpec
from shared.domain.datasets import WindowRow
from shared.domain.diff import DiffPart
from shared.domain.knowledge import Document, Hit, RowsBehind
from shared.domain.scope import Identity
from shared.errors import BadInput, NotFound
from shared.library import documents, knowledge_bases
from shared.library.passages import crop_passage, get_passage
from shared.library.tables import read_table_window
from shared.prompts.answer_prompt import visible
from shared.retrieval import service
from shared.retrieval.requests import AskRequest, LookupRequest, SearchRequest
from shared.retrieval.rows_behind import hit_of, telling_rows
from shared.retrieval.trace import Tracer
from shared.runtime import Runtime

DOCUMENTS_TOLD: Final = 20
VERSIONS_TOLD: Final = 12
DIFFERENCES_TOLD: Final = 20
CELL_MAX: Final = 200
# As many as a question may ask.
BASES_READ: Final = 100
# The longest side of a picture in pixels: services make larger ones smaller, and charge by their size.
IMAGE_SIDE: Final = 1_200
IMAGES_MAX: Final = 4


class AgentTools:
    """The tools for one question. Their identity is narrowed to its knowledge bases: what lies elsewhere is not found,
    as if it were not there. Pinned documents are all that is read. `sees`: the model takes pictures. Searches are parts
    of the trace `trace_id`. Safe to use from several threads."""

    def __init__(
        self,
        runtime: Runtime,
        identity: Identity,
        request: AskRequest,
        within: Sequence[UUID],
        trace_id: UUID,
        *,
        sees: bool = False,
    ) -> None:
        self._runtime = runtime
        self._identity = identity.model_copy(update={"within": tuple(within)})
        self._pinned = None if request.documents is None else frozenset(request.documents)
        self._trace_id = trace_id
        self._sees = sees
        self._pictures = count()
        self.seen = dict[UUID, None]()
        self.rows = dict[UUID, Hit]()
        self._tools: Mapping[str, Callable[[Any], ToolOutcome]] = {
            "search": self._search,
            "look_up": self._look_up,
            "get_chunk": self._get_chunk,
            "list_documents": self._list_documents,
            "list_knowledge_bases": self._list_bases,
            "compare_versions": self._compare,
            "table_rows": self._table_rows,
            CHOOSE: self._choose,
        }

    def specs(self) -> tuple[ToolSpec, ...]:
        """Always the same, in the same order: services cache what a request begins with."""
        return tuple(ToolSpec(name, description_of(name), schema_of(name)) for name in self._tools)

    def knows(self, name: str) -> bool:
        return name in self._tools

    def call(self, call: ToolCall) -> ToolOutcome:
        """Runs one call. What a caller can do otherwise is told as a failed outcome; what it cannot is raised."""
        try:
            kind, run = self._found(call)
            outcome = run(kind.model_validate(call.arguments))
        except ValidationError as error:
            return ToolOutcome(unfit(error), failed=True)
        except (BadInput, NotFound) as error:
            return ToolOutcome(visible(str(error)), failed=True)
        self.seen.update(dict.fromkeys(outcome.chunk_ids))
        return outcome

    def take_rows(self, rows: RowsBehind | None) -> None:
        """Rows that are no passages may be chosen once they are told."""
        for row in rows.hits if rows else ():
            self.rows[row.id] = hit_of(row)
            self.seen[row.id] = None

    def listed_bases(self) -> list[dict[str, Any]]:
        """The question's knowledge bases, as a model is told them."""
        known = knowledge_bases.list_knowledge_bases(self._runtime, self._identity, None, BASES_READ)
        return [
            {"id": str(base.id), "name": base.name, "description": base.description, "documents": base.documents}
            for base in known
        ]

    def _found(self, call: ToolCall) -> tuple[type[Arguments], Callable[[Any], ToolOutcome]]:
        if call.name not in self._tools:
            raise NotFound(f"There is no such tool. There are: {', '.join(self._tools)}.")
        if call.arguments is None:
            raise BadInput("The arguments are no JSON object. Call the tool again with one.")
        check_storable(call.arguments)
        return ARGUMENTS[call.name], self._tools[call.name]

    def _search(self, wanted: SearchArguments) -> ToolOutcome:
        request = SearchRequest.model_validate(wanted.model_dump() | {"documents": self._pins(wanted.documents)})
        tracer = Tracer("search", request.query, request, self._trace_id)
        found = service.search(self._runtime, self._identity, request, tracer)
        telling = telling_rows(found.rows_behind, found.hits)
        self.take_rows(found.rows_behind)
        return told_passages(told_hits([*telling, *found.hits]), found.rows_behind, steps=tracer.body.steps)

    def _look_up(self, wanted: LookUpArguments) -> ToolOutcome:
        request = LookupRequest.model_validate(wanted.model_dump() | {"documents": self._pins(wanted.documents)})
        tracer = Tracer("lookup", request.address, request, self._trace_id)
        hits = service.lookup(self._runtime, self._identity, request, tracer).hits
        more: dict[str, Any] = {"left_out": len(hits) - PASSAGES_MAX} if len(hits) > PASSAGES_MAX else {}
        return told_passages(told_hits(hits[:PASSAGES_MAX]), steps=tracer.body.steps, **more)

    def _get_chunk(self, wanted: GetChunkArguments) -> ToolOutcome:
        found = get_passage(self._runtime, self._identity, wanted.chunk_id, wanted.neighbours)
        self._check_read(found.chunk.document_id, f"There is no chunk {wanted.chunk_id}. Take one of what was found.")
        name, version = found.document.name, found.version.label or ""
        told = [told_chunk(one, name, version) for one in (*found.before, found.chunk, *found.after)]
        around = [one.id for one in (*found.before, *found.after)]
        more, image = dict[str, Any](), None
        if wanted.page_image and self._sees and next(self._pictures) >= IMAGES_MAX:
            more["page_image"] = f"No more than {IMAGES_MAX} pictures are given for a question."
        elif wanted.page_image and not self._sees:
            more["page_image"] = "Left out: this model is given no pictures. Its words are in the text."
        elif wanted.page_image:
            image = crop_passage(self._runtime, self._identity, found.chunk, IMAGE_SIDE)
            more["page_image"] = "It follows." if image else "There is none: the document has no pages."
        outcome = told_passages(told, **more)
        return replace(outcome, chunk_ids=(found.chunk.id, *around), image=image)

    def _list_bases(self, _: ListBasesArguments) -> ToolOutcome:
        return ToolOutcome(as_data({"knowledge_bases": self.listed_bases()}))

    def _list_documents(self, wanted: ListDocumentsArguments) -> ToolOutcome:
        base, within = wanted.knowledge_base_id, self._identity.within or ()
        if base is not None and base not in within:
            raise NotFound(f"There is no knowledge base {base}. Take an id of list_knowledge_bases.")
        found = documents.list_trees(self._runtime, self._identity, base, wanted.cursor, DOCUMENTS_TOLD + 1)
        read = [(tree, [one for one in tree.versions if self._reads(one.id)]) for tree in found[:DOCUMENTS_TOLD]]
        told = [
            {
                "logical_document_id": str(tree.id),
                "name": tree.name,
                "versions": [_told_version(one) for one in versions[-VERSIONS_TOLD:]],
                "older_versions": max(0, len(versions) - VERSIONS_TOLD),
            }
            for tree, versions in read
            if versions
        ]
        more = str(found[DOCUMENTS_TOLD - 1].id) if len(found) > DOCUMENTS_TOLD else None
        return ToolOutcome(as_data({"documents": told, "next_cursor": more}))

    def _compare(self, wanted: CompareArguments) -> ToolOutcome:
        from shared.library.diff import diff_documents

        for one in (wanted.before, wanted.after):
            self._check_read(one, f"There is no document {one}. Take an id of list_documents.")
        found = diff_documents(self._runtime, self._identity, wanted.before, wanted.after)
        every = [part for item in found.items for part in item.parts]
        end = wanted.cursor + DIFFERENCES_TOLD
        parts = every[wanted.cursor : end]
        sides = [side.chunk_id for part in parts for side in (part.b, part.a) if side]
        told = {
            "summary": found.summary.model_dump(mode="json"),
            "passages": [_told_part(one) for one in parts],
            "next_cursor": end if end < len(every) else None,
        }
        return ToolOutcome(as_data(told), tuple(dict.fromkeys(sides)))

    def _table_rows(self, wanted: TableRowsArguments) -> ToolOutcome:
        found = read_table_window(self._runtime, self._identity, wanted.chunk_id, wanted.cursor, wanted.limit)
        self._check_read(found.document_id, f"There is no chunk {wanted.chunk_id}. Take one of what was found.")
        told = found.model_dump(mode="json", exclude={"rows", "version", "rows_left"})
        told["version"] = found.version.label or f"version {found.version.index}"
        told["rows"] = [_told_row(row) for row in found.rows]
        told["next_cursor"] = found.rows[-1].row if found.rows and found.rows_left else None
        return ToolOutcome(as_data(told), tuple(row.chunk_id for row in found.rows if row.chunk_id))

    def _choose(self, wanted: ChooseArguments) -> ToolOutcome:
        """Only what was found may be chosen."""
        unseen = [str(one) for one in wanted.chunk_ids if one not in self.seen]
        if unseen:
            raise NotFound(f"No passage that was found has the id {unseen[0]}. Choose among those found.")
        return ToolOutcome("The evidence is chosen.", tuple(wanted.chunk_ids), chosen=True, done=wanted.done)

    def _reads(self, document_id: UUID) -> bool:
        return self._pinned is None or document_id in self._pinned

    def _check_read(self, document_id: UUID, otherwise: str) -> None:
        if not self._reads(document_id):
            raise NotFound(otherwise)

    def _pins(self, wanted: list[UUID] | None) -> list[UUID] | None:
        if self._pinned is None:
            return wanted
        for one in wanted or ():
            self._check_read(one, f"There is no document {one}. Take an id of list_documents.")
        return wanted or sorted(self._pinned)


def _told_version(one: Document) -> dict[str, Any]:
    return {
        "document_id": str(one.id), "name": one.name, "current": one.version.is_current,
        "version": one.version.label or f"version {one.version.index}",
        "date": one.document_date and one.document_date.isoformat(),
    }  # fmt: skip


def _told_row(row: WindowRow) -> dict[str, Any]:
    told = {"chunk_id": str(row.chunk_id) if row.chunk_id else None, "cells": [_clipped(cell) for cell in row.cells]}
    return told | ({"formulas": [_clipped(one) for one in row.formulas]} if row.formulas else {})


def _clipped(cell: str | float | None) -> str | float | None:
    return cell[:CELL_MAX] if isinstance(cell, str) else cell


def _told_part(part: DiffPart) -> dict[str, Any]:
    def side(own: str) -> str:
        return "".join(run.text for run in part.words if run.op in ("equal", own))[:TEXT_MAX]

    return {
        "status": part.status, "flags": [*part.flags],
        "before": part.a and {"chunk_id": str(part.a.chunk_id), "text": side("removed")},
        "after": part.b and {"chunk_id": str(part.b.chunk_id), "text": side("added")},
    }  # fmt: skip
