"""The tools of a model that plans: the services of every other door, with an identity that sees no more than the
question's knowledge bases. What they give is text for the model, and the ids of the passages that it has seen."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.answering.agent.arguments import check_storable, unfit
from shared.domain.chat import ToolCall, ToolSpec
from shared.domain.diff import DiffPart
from shared.domain.knowledge import Chunk, Hit
from shared.domain.scope import Identity
from shared.errors import BadInput, NotFound
from shared.library import documents, knowledge_bases
from shared.library.passages import get_passage
from shared.prompts.answer_prompt import visible
from shared.retrieval import service
from shared.retrieval.requests import AskRequest, LookupRequest, SearchRequest
from shared.runtime import Runtime

TEXT_MAX: Final = 1_200
LISTED: Final = 50
BASES_READ: Final = 500
PASSAGES_MAX: Final = 20
CHOOSE: Final = "choose_evidence"


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SearchArguments(_Arguments):
    """Search by words and by meaning; the best passages, each with its chunk_id."""

    query: str = Field(min_length=1, max_length=1_000)
    knowledge_base_ids: list[UUID] = Field(default=[], description="none: all of the question's")
    documents: list[UUID] | None = Field(default=None, description="ids of document versions to look in")
    where: str | None = Field(default=None, description="a filter over attributes: `mass >= 10 kg`")
    include_superseded: bool = Field(default=False, description="older versions too")
    recency_days: float | None = Field(default=None, gt=0, le=36_500, description="prefer recent; half-life in days")
    k: int = Field(default=8, ge=1, le=PASSAGES_MAX)


class LookUpArguments(_Arguments):
    """Read a section by its number as printed, `C7.6.2` or `Table 3`."""

    address: str = Field(min_length=1, max_length=200)
    knowledge_base_ids: list[UUID] = Field(default=[], description="none: all of the question's")
    documents: list[UUID] | None = Field(default=None, description="ids of document versions to look in")
    recursive: bool = Field(default=False, description="everything below it too")
    include_superseded: bool = Field(default=False, description="older versions too")


class ListBasesArguments(_Arguments):
    """List the knowledge bases that may be read, with what each is for."""


class ListDocumentsArguments(_Arguments):
    """List document versions, newest first; versions of one document share a logical_document_id."""

    knowledge_base_id: UUID | None = None
    cursor: UUID | None = Field(default=None, description="`next_cursor` of the page before")


class GetChunkArguments(_Arguments):
    """Read a passage with those before and after it."""

    chunk_id: UUID
    neighbours: int = Field(default=2, ge=0, le=5)


class CompareArguments(_Arguments):
    """Compare two versions of a document by their document ids: what was changed, added and removed."""

    before: UUID
    after: UUID


class ChooseArguments(_Arguments):
    """End the search: the chunk_ids of the passages that bear on the question, the best first."""

    chunk_ids: list[UUID] = Field(max_length=50)


@dataclass(frozen=True)
class ToolOutcome:
    """What a call gave: text for the model, and the passages in it, best first. `chosen`: it ends the search."""

    text: str
    chunk_ids: tuple[UUID, ...] = ()
    failed: bool = False
    chosen: bool = False


class AgentTools:
    """The tools for one question. Their identity is narrowed to its knowledge bases: what lies elsewhere is not found,
    as if it were not there. Pinned documents are all that is read."""

    def __init__(self, runtime: Runtime, identity: Identity, request: AskRequest, within: Sequence[UUID]) -> None:
        self._runtime = runtime
        self._identity = identity.model_copy(update={"within": tuple(within)})
        self._pinned = None if request.documents is None else frozenset(request.documents)
        self.seen = dict[UUID, None]()
        self._tools: dict[str, tuple[type[_Arguments], Callable[[Any], ToolOutcome]]] = {
            "search": (SearchArguments, self._search),
            "look_up": (LookUpArguments, self._look_up),
            "get_chunk": (GetChunkArguments, self._get_chunk),
            "list_documents": (ListDocumentsArguments, self._list_documents),
            "list_knowledge_bases": (ListBasesArguments, self._list_bases),
            "compare_versions": (CompareArguments, self._compare),
            CHOOSE: (ChooseArguments, self._choose),
        }

    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(
            ToolSpec(name, (kind.__doc__ or "").strip(), kind.model_json_schema())
            for name, (kind, _) in self._tools.items()
        )

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

    def listed_bases(self) -> list[dict[str, Any]]:
        """The question's knowledge bases, as a model is told them."""
        known = knowledge_bases.list_knowledge_bases(self._runtime, self._identity, None, BASES_READ)
        within = self._identity.within or ()
        return [
            {"id": str(b.id), "name": b.name, "description": b.description, "documents": b.documents}
            for b in known
            if b.id in within
        ]

    def _found(self, call: ToolCall) -> tuple[type[_Arguments], Callable[[Any], ToolOutcome]]:
        if call.name not in self._tools:
            raise NotFound(f"There is no such tool. There are: {', '.join(self._tools)}.")
        if call.arguments is None:
            raise BadInput("The arguments are no JSON object. Call the tool again with one.")
        check_storable(call.arguments)
        return self._tools[call.name]

    def _search(self, wanted: SearchArguments) -> ToolOutcome:
        request = SearchRequest.model_validate(wanted.model_dump() | {"documents": self._pins(wanted.documents)})
        found = service.search(self._runtime, self._identity, request)
        return self._passages(found.hits)

    def _look_up(self, wanted: LookUpArguments) -> ToolOutcome:
        request = LookupRequest.model_validate(wanted.model_dump() | {"documents": self._pins(wanted.documents)})
        return self._passages(service.lookup(self._runtime, self._identity, request).hits[:PASSAGES_MAX])

    def _get_chunk(self, wanted: GetChunkArguments) -> ToolOutcome:
        found = get_passage(self._runtime, self._identity, wanted.chunk_id, wanted.neighbours)
        if not self._reads(found.chunk.document_id):
            raise NotFound(f"There is no chunk {wanted.chunk_id}. Take a chunk_id of what was found.")
        name, version = found.document.name, found.version.label or ""
        told = [told_chunk(one, name, version) for one in (*found.before, found.chunk, *found.after)]
        around = [one.id for one in (*found.before, *found.after)]
        return ToolOutcome(as_data({"passages": told}), (found.chunk.id, *around))

    def _list_bases(self, _: ListBasesArguments) -> ToolOutcome:
        return ToolOutcome(as_data({"knowledge_bases": self.listed_bases()}))

    def _list_documents(self, wanted: ListDocumentsArguments) -> ToolOutcome:
        base, within = wanted.knowledge_base_id, self._identity.within or ()
        if base is not None and base not in within:
            raise NotFound(f"There is no knowledge base {base}. Take an id of list_knowledge_bases.")
        found = documents.list_documents(self._runtime, self._identity, base, wanted.cursor, LISTED + 1)
        told = [
            {
                "document_id": str(one.id), "logical_document_id": str(one.logical_document_id), "name": one.name,
                "version": one.version.label or f"version {one.version.index}", "current": one.version.is_current,
                "date": one.document_date and one.document_date.isoformat(),
            }
            for one in found[:LISTED]
            if self._reads(one.id)
        ]  # fmt: skip
        more = str(found[LISTED - 1].id) if len(found) > LISTED else None
        return ToolOutcome(as_data({"documents": told, "next_cursor": more}))

    def _compare(self, wanted: CompareArguments) -> ToolOutcome:
        from shared.library.diff import diff_documents

        for one in (wanted.before, wanted.after):
            if not self._reads(one):
                raise NotFound(f"There is no document {one}. Take an id of list_documents.")
        found = diff_documents(self._runtime, self._identity, wanted.before, wanted.after)
        parts = [part for item in found.items for part in item.parts][:LISTED]
        sides = [side.chunk_id for part in parts for side in (part.b, part.a) if side]
        told = {"summary": found.summary.model_dump(mode="json"), "passages": [_told_part(one) for one in parts]}
        return ToolOutcome(as_data(told), tuple(dict.fromkeys(sides)))

    def _choose(self, wanted: ChooseArguments) -> ToolOutcome:
        """Only what was found may be chosen."""
        unseen = [str(one) for one in wanted.chunk_ids if one not in self.seen]
        if unseen:
            raise NotFound(f"No passage that was found has the id {unseen[0]}. Choose among those found.")
        return ToolOutcome("The evidence is chosen.", tuple(wanted.chunk_ids), chosen=True)

    def _passages(self, hits: Sequence[Hit]) -> ToolOutcome:
        return ToolOutcome(as_data({"passages": told_hits(hits)}), tuple(hit.chunk.id for hit in hits))

    def _reads(self, document_id: UUID) -> bool:
        return self._pinned is None or document_id in self._pinned

    def _pins(self, wanted: list[UUID] | None) -> list[UUID] | None:
        if self._pinned is None:
            return wanted
        if outside := [one for one in wanted or () if one not in self._pinned]:
            raise NotFound(f"There is no document {outside[0]}. Take an id of list_documents.")
        return wanted or sorted(self._pinned)


def told_hits(hits: Sequence[Hit]) -> list[dict[str, Any]]:
    labels = [hit.version.label if hit.version else None for hit in hits]
    return [told_chunk(hit.chunk, hit.document.name, label or "") for hit, label in zip(hits, labels, strict=True)]


def told_chunk(chunk: Chunk, document: str, version: str) -> dict[str, Any]:
    steps = chunk.section.path if chunk.section else []
    section = " › ".join(" ".join(filter(None, (step.address, step.title))) for step in steps)
    fields = {
        "chunk_id": str(chunk.id), "document_id": str(chunk.document_id), "document": document, "version": version,
        "section": section, "text": chunk.content[:TEXT_MAX],
    }  # fmt: skip
    return {name: value for name, value in fields.items() if value}


def as_data(value: Any) -> str:
    """JSON whose strings end no tag and hold nothing that nobody sees."""
    return visible(json.dumps(value, ensure_ascii=False)).replace("<", "\\u003c")


def _told_part(part: DiffPart) -> dict[str, Any]:
    def side(own: str) -> str:
        return "".join(run.text for run in part.words if run.op in ("equal", own))[:TEXT_MAX]

    return {
        "status": part.status, "flags": [*part.flags],
        "before": part.a and {"chunk_id": str(part.a.chunk_id), "text": side("removed")},
        "after": part.b and {"chunk_id": str(part.b.chunk_id), "text": side("added")},
    }  # fmt: skip
