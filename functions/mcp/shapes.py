"""What the tools answer with: what an assistant reads and cites, without the boxes that a person's page draws."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, Field

from shared.domain.context import Context, ContextPart, ContextSource, LeftOut
from shared.domain.datasets import TableWindow
from shared.domain.diff import Diff, DiffItem, DiffPart, DiffSummary
from shared.domain.facets import ResultTable
from shared.domain.knowledge import (
    Answer,
    Chunk,
    Contradiction,
    Document,
    DocumentTree,
    FoundSection,
    Hit,
    Insufficiency,
    KeptRow,
    KnowledgeBase,
    RowsBehind,
    RowsMeeting,
    Section,
    VersionEnvelope,
    Widening,
    told_cells,
)

VERSIONS_LISTED = 20
LISTED = 50
NEAREST_SHOWN = 3
Base = Annotated[str, Field(description="the slug, name or id of a knowledge base")]
Cursor = Annotated[str | None, Field(description="`next_cursor` of the page before; leave it out for the first page")]
DocumentId = Annotated[UUID, Field(description="of a document version, as list_documents has it")]
Limit = Annotated[int, Field(ge=1, le=100, description="how many items at most")]


class KnownBase(BaseModel):
    """A knowledge base; `description` says what it is for."""

    id: UUID
    name: str
    slug: str
    description: str
    documents: int
    chunks: int
    may_write: bool


class KnownBases(BaseModel):
    """A page of knowledge bases; `next_cursor` is null on the last."""

    items: list[KnownBase]
    next_cursor: str | None


class KnownDocument(BaseModel):
    """A version of a document. Versions of one document have the same `logical_document_id`; `version.is_current` is
    the one that answers by default."""

    id: UUID
    uri: str
    logical_document_id: UUID
    knowledge_base_id: UUID
    name: str
    source_type: str
    status: str
    version: VersionEnvelope
    document_date: date | None
    pages: int
    chunks: int


class KnownDocuments(BaseModel):
    """A page of document versions; `next_cursor` is null on the last."""

    items: list[KnownDocument]
    next_cursor: str | None


class KnownTree(BaseModel):
    """A document with its versions, oldest first. `older_versions` are not listed here; list_versions has all."""

    logical_document_id: UUID
    name: str
    versions: list[KnownDocument]
    older_versions: int


class KnownTrees(BaseModel):
    """A page of documents with the trees of their versions; `next_cursor` is null on the last."""

    items: list[KnownTree]
    next_cursor: str | None


class OutlineSection(BaseModel):
    """A section; `depth` from 1. Look it up by its `address` where it has one."""

    address: str | None
    title: str
    depth: int


class ChosenPart(BaseModel):
    """A part of the context, and why it was chosen; read the whole at `uri`."""

    kind: str
    title: str
    uri: str
    why: str
    tokens: int


class LeftOutPart(BaseModel):
    """What belongs to the task too; read it at `uri`."""

    kind: str
    title: str
    uri: str
    reason: str
    tokens: int


class NumberedSource(BaseModel):
    """What `[number]` stands for; `standing` is `current`, or why it is stale."""

    number: int
    uri: str
    document: str | None
    version: str | None
    section: str
    page: int | None
    standing: str


class LoadedContext(BaseModel):
    """`text` has `tokens`, as `counted_by` counts; `[1]` in it is a number of `sources`."""

    text: str
    tokens: int
    counted_by: str
    sources: list[NumberedSource]
    chosen: list[ChosenPart]
    left_out: list[LeftOutPart]
    trace_id: UUID


class Outline(BaseModel):
    """A page of a document's sections, in the document's order."""

    items: list[OutlineSection]
    next_cursor: str | None


class TableRows(BaseModel):
    """A part of a table as a small data set; cite a row by its `chunk_id`. `next_cursor` is null on the last part."""

    table: TableWindow
    next_cursor: str | None


class CitedPassage(BaseModel):
    """A verbatim passage. Cite it by `chunk_id`, with its document, version, section and page.

    `labelled`: a row of a table with each cell after its column's header. `formulas`: those of a spreadsheet's cells by
    their names; what they come to is in the text. `kept_row`: it is this row of a long table, which is no passage: cite
    it by its document and range too; `uri` is its document's."""

    chunk_id: UUID
    uri: str
    document_id: UUID
    knowledge_base_id: UUID
    document: str
    version: VersionEnvelope | None
    section: str
    section_address: str | None
    page: int | None
    type: str
    text: str
    labelled: str | None = None
    attributes: dict[str, Any] = {}
    formulas: dict[str, str] = Field(default={}, exclude_if=lambda formulas: not formulas)
    score: float | None = None
    found_by: list[str] = []
    also_in: list[str] = []
    kept_row: KeptRow | None = None


class Passages(BaseModel):
    """What a search found, the best first. `corrections`: misspelt words and what was looked for instead. `table`: the
    hits as rows, where columns were asked for. `rows_behind`: rows of long tables that are no passages, found by their
    words alone; cite one by its document and range."""

    passages: list[CitedPassage]
    corrections: dict[str, str] = {}
    table: ResultTable | None = None
    rows_behind: RowsBehind | None = None
    trace_id: UUID


class LookedUpSection(BaseModel):
    """A section that an address resolved to."""

    document_id: UUID
    document: str
    version: VersionEnvelope | None
    section: str
    exact: bool


class LookedUp(BaseModel):
    """Sections of an address with their passages in the document's order; both empty where there are none."""

    sections: list[LookedUpSection]
    passages: list[CitedPassage]
    trace_id: UUID


class Neighbourhood(BaseModel):
    """A passage with those before and after it. `page_image`: whether the crop of its page came along as an image."""

    passage: CitedPassage
    before: list[CitedPassage]
    after: list[CitedPassage]
    page_image: bool


class Difference(BaseModel):
    """A passage that differs: `before` and `after` are its text in either version (null: not there)."""

    section: str
    status: str
    meaning: str | None
    flags: list[str]
    before: str | None
    after: str | None
    before_chunk_id: UUID | None
    after_chunk_id: UUID | None


class Differences(BaseModel):
    """A page of what differs from version `a` to version `b`; `summary` counts all of it."""

    a: VersionEnvelope
    b: VersionEnvelope
    summary: DiffSummary
    items: list[Difference]
    next_cursor: str | None


class CitedStatement(BaseModel):
    """A statement, word for word from the passages that it cites. `labelled`: of a row of a table, each cell after its
    column's header; `compared`: it has the most or the least of so many rows of its table; `meeting`: so
    many of them are meant by the question, of which ten at most are here."""

    text: str
    labelled: str | None = None
    compared: int | None = None
    meeting: RowsMeeting | None = None
    citations: list[UUID]


class CitedAnswer(BaseModel):
    """An answer whose every statement is cited, or `insufficient_evidence`: then say that nothing answers, and why
    (`insufficiency`); `nearest` are the passages that came nearest, which do not answer.

    `contradictions` are pairs of statements, by their place from 0, that give one thing different values, with what
    each of them says: show both. `widening`: knowledge bases that were not asked and may answer; ask the person first.
    `rows_behind`: rows of long tables that are no passages and have words of the question. The answer may cite one; of
    the others nothing is in it.
    """

    answer: str
    insufficient_evidence: bool
    insufficiency: Insufficiency | None = None
    nearest: list[CitedPassage] = []
    statements: list[CitedStatement]
    citations: list[CitedPassage]
    contradictions: list[Contradiction]
    widening: list[Widening]
    rows_behind: RowsBehind | None = None
    confidence: float
    corrections: dict[str, str]
    trace_id: UUID


class AddedNote(BaseModel):
    """A note that can be searched by now. `duplicate`: the same note was there already."""

    document_id: UUID
    uri: str
    title: str
    type: str
    tags: list[str]
    revision: int
    duplicate: bool


def digest_uri(knowledge_base_id: UUID, path: str) -> str:
    """Of a file of a knowledge base's digest."""
    return f"autri://knowledge-bases/{knowledge_base_id}/digest/{path}"


def document_uri(document_id: UUID) -> str:
    return f"autri://documents/{document_id}"


def chunk_uri(chunk_id: UUID) -> str:
    return f"autri://chunks/{chunk_id}"


def known_base(found: KnowledgeBase) -> KnownBase:
    return KnownBase.model_validate(found.model_dump())


def known_document(found: Document) -> KnownDocument:
    return KnownDocument.model_validate(found.model_dump() | {"uri": document_uri(found.id)})


def known_tree(found: DocumentTree) -> KnownTree:
    return KnownTree(
        logical_document_id=found.id,
        name=found.name,
        versions=[known_document(one) for one in found.versions[-VERSIONS_LISTED:]],
        older_versions=max(0, len(found.versions) - VERSIONS_LISTED),
    )


def outline_entry(section: Section) -> OutlineSection:
    return OutlineSection(address=section.address, title=section.title, depth=section.depth)


def passage(chunk: Chunk, document: str, version: VersionEnvelope | None) -> CitedPassage:
    return CitedPassage(
        chunk_id=chunk.id,
        uri=chunk_uri(chunk.id),
        document_id=chunk.document_id,
        knowledge_base_id=chunk.knowledge_base_id,
        document=document,
        version=version,
        section=_path(chunk.section),
        section_address=chunk.section_id,
        page=chunk.first_page,
        type=chunk.chunk_type,
        text=chunk.marked or chunk.content,
        labelled=chunk.labelled,
        attributes=chunk.attrs,
        formulas={one.range: one.formula for one in chunk.formulas or ()},
    )


def passage_of(hit: Hit) -> CitedPassage:
    found = passage(hit.chunk, hit.document.name, hit.version)
    also = [f"{place.document.name} ({place.knowledge_base})" for place in hit.other_places]
    by = {"score": hit.score, "found_by": [one.name for one in hit.indexes], "also_in": also}
    if hit.kept_row:
        by |= {"kept_row": hit.kept_row, "uri": document_uri(hit.document.id)}
    return found.model_copy(update=by)


def found_place(found: FoundSection) -> LookedUpSection:
    return LookedUpSection(
        document_id=found.document.id,
        document=found.document.name,
        version=found.version,
        section=_path(found.section),
        exact=found.exact,
    )


def answered(found: Answer) -> CitedAnswer:
    return CitedAnswer(
        answer=" ".join(one.told for one in found.sentences) or found.answer,
        insufficient_evidence=found.insufficient_evidence,
        insufficiency=found.insufficiency,
        nearest=[passage_of(hit) for hit in found.hits[:NEAREST_SHOWN]] if found.insufficient_evidence else [],
        statements=[
            CitedStatement(
                text=one.text,
                labelled=told_cells(one.cells) or None,
                compared=one.compared,
                meeting=one.meeting,
                citations=one.citations,
            )
            for one in found.sentences
        ],
        citations=[passage_of(hit) for hit in found.citations],
        contradictions=found.contradictions,
        widening=found.widening,
        rows_behind=found.rows_behind,
        confidence=found.confidence,
        corrections=found.corrections,
        trace_id=found.trace_id,
    )


def loaded(found: Context) -> LoadedContext:
    return LoadedContext(
        text=found.text,
        tokens=found.tokens,
        counted_by=found.counted_by,
        sources=[
            NumberedSource(**one.model_dump(include={*NumberedSource.model_fields}), uri=source_uri(one))
            for one in found.sources
        ],
        chosen=[
            ChosenPart(**one.model_dump(include={*ChosenPart.model_fields}), uri=part_uri(one)) for one in found.parts
        ],
        left_out=[
            LeftOutPart(**one.model_dump(include={*LeftOutPart.model_fields}), uri=part_uri(one))
            for one in found.left_out
        ],
        trace_id=found.trace_id,
    )


def part_uri(part: ContextPart | LeftOut) -> str:
    if part.path is not None:
        return digest_uri(part.knowledge_base_id, part.path)
    return chunk_uri(part.chunk_id) if part.chunk_id else ""


def source_uri(source: ContextSource) -> str:
    """Where it can be read; events and runs by their ids alone."""
    if source.kind == "chunk":
        return chunk_uri(source.source_id)
    return document_uri(source.source_id) if source.kind == "document" else f"{source.kind}:{source.source_id}"


def differences(found: Diff) -> list[Difference]:
    """Every passage that differs; a section without one that was moved, added or removed stands for itself."""
    return [one for item in found.items if item.status != "unchanged" for one in _of_section(item)]


def _of_section(item: DiffItem) -> list[Difference]:
    side = item.b or item.a
    title = " ".join(filter(None, (side.address, side.title))) if side else ""
    parts: Sequence[DiffPart] = item.parts or [DiffPart(status=item.status, a=None, b=None)]
    return [
        Difference(
            section=title,
            status=part.status,
            meaning=part.meaning,
            flags=[*part.flags],
            before=_side_of(part, "removed") if part.a else None,
            after=_side_of(part, "added") if part.b else None,
            before_chunk_id=part.a.chunk_id if part.a else None,
            after_chunk_id=part.b.chunk_id if part.b else None,
        )
        for part in parts
    ]


def _side_of(part: DiffPart, own: str) -> str:
    return "".join(run.text for run in part.words if run.op in ("equal", own))


def _path(section: Section | None) -> str:
    steps = section.path if section else []
    return " › ".join(" ".join(filter(None, (step.address, step.title))) for step in steps)
