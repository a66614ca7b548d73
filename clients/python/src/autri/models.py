"""The API's answers. Made by clients/generate.py from its OpenAPI document; not edited by hand."""

from __future__ import annotations

from datetime import date as date_aliased
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, Field

from autri.base import Model


class Aggregate(Model):
    """
    `column` is left out where rows are counted. `stderr` is that of the mean; q1 and q3 are the quartiles.
    """

    function: Literal[
        "count", "distinct", "sum", "mean", "median", "min", "max", "stddev", "stderr", "q1", "q3", "first"
    ]
    column: str | None = None
    name: Annotated[str | None, Field(description="else named after what it is made of")] = None


class AllowedValue(Model):
    """
    A value of a category, and what else is printed for it.
    """

    value: str
    synonyms: list[str] = []


class AnsweringModel(Model):
    """
    What may answer: `quotations`, or a model by its name; `usual` is what answers unless one says otherwise.
    """

    name: str
    usual: bool


class ApiKey(Model):
    """
    A key as it is listed; `prefix` is the beginning of its secret, `last_used_at` is to the hour. A machine's key
    has no `user_id`.
    """

    id: UUID
    name: str
    prefix: str
    scope: Literal["read", "write", "admin"]
    user_id: UUID | None
    knowledge_base_ids: list[UUID] | None
    created_by: UUID
    created_at: AwareDatetime
    expires_at: AwareDatetime | None
    last_used_at: AwareDatetime | None
    revoked_at: AwareDatetime | None


class AskScope(Model):
    """
    How questions are asked: from the `k` best chunks; `documents` pins versions, as for a search.
    """

    knowledge_base_ids: Annotated[list[UUID], Field(description="none: all that the caller may read")] = []
    include_superseded: bool = False
    k: int = 10
    documents: list[UUID] | None = None
    plan: Annotated[
        bool,
        Field(description="have the model search for itself first; needs one that calls tools"),
    ] = False


class AttachedFile(Model):
    """
    A file that came with a document, or in a ZIP file that did (`data.zip/list.csv`). `document_id` is the document
    that it is, null until it is registered and where it is refused unread; `error` says why it was refused or failed.
    """

    name: str
    size: int
    document_id: UUID | None
    status: str
    error: str | None


class AuditEntry(Model):
    """
    One act. `person` is empty where a machine did it, or somebody who is no member any more.
    """

    id: UUID
    at: AwareDatetime
    user_id: UUID | None
    person: str
    key_id: UUID | None
    act: str
    subject_type: str
    subject_id: str | None
    knowledge_base_id: UUID | None
    request_id: str | None
    details: dict[str, Any]


class Backfill(Model):
    """
    How far the documents that were there are read under a version. Stages that ask a model are not part of it:
    `cost_usd` is 0.
    """

    version: int
    names: list[str]
    status: Literal["running", "done", "cancelled"]
    documents: int
    chunks: int
    documents_done: int
    chunks_done: int
    found: int
    refused: int
    unread: int
    seconds: float
    error: str | None = None
    created_at: AwareDatetime
    ended_at: AwareDatetime | None = None
    cost_usd: float = 0.0


class BackfillEstimate(Model):
    """
    What a change would have to read. `seconds` is how long this took per chunk here before, or elsewhere.
    """

    names: list[str]
    documents: int
    chunks: int
    seconds: float
    cost_usd: float = 0.0


class Boost(Model):
    """
    A factor applied after fusion, with the rank before and after.
    """

    name: str
    factor: float
    from_rank: int
    to_rank: int


class By(Model):
    """
    Who deleted it.
    """

    id: UUID
    name: str


class CandidatePassage(Model):
    """
    What an answer cites, as it is read now. `page` is null for what has none.
    """

    chunk_id: UUID
    document_id: UUID
    document: str
    page: int | None
    content: str


class Carrier(Model):
    """
    A document that another one was attached to.
    """

    id: UUID
    name: str


class CellFormula(Model):
    """
    The `formula` of a cell, of this `range` in its sheet, as its program shows it: `=SUM(B2:B9)`, in braces where it
    is an array's. It is empty where the cell has one that cannot be read. `calculated` is left out where it is true:
    where it is false nobody has calculated the formula yet, and the cell has no text.

    Formulas are no text of their document: they are not indexed, and no answer quotes them.
    """

    range: str
    formula: str
    calculated: bool = True


class ChangedChunk(Model):
    """
    A chunk of this version, of the one before, or of both where one took the other's place.
    """

    change: Literal["added", "changed", "removed"]
    chunk_type: Literal[
        "text",
        "list",
        "code",
        "formula",
        "caption",
        "footnote",
        "heading",
        "table",
        "table_row",
        "figure",
        "structured",
    ]
    id: Annotated[UUID | None, Field(description="in this version")]
    page: int | None = None
    before_id: Annotated[UUID | None, Field(description="in the version before")] = None
    before_page: int | None = None


class ClaimedDomain(Model):
    """
    With the TXT record that proves it.
    """

    id: UUID
    domain: str
    role: Literal["viewer", "editor", "admin"]
    token: str
    verified_at: AwareDatetime | None
    txt_name: str
    txt_value: str


class ConnectedClient(Model):
    """
    A connected assistant as it is listed; `last_used_at` is to the hour. It ends where it is not used until
    `expires_at`.
    """

    id: UUID
    client_name: str
    client_id: str
    user_id: UUID
    scope: Literal["read", "write"]
    knowledge_base_ids: list[UUID] | None
    created_at: AwareDatetime
    last_used_at: AwareDatetime | None
    expires_at: AwareDatetime | None
    revoked_at: AwareDatetime | None


class ContentSource(Model):
    """
    A source as it is stored: `result` counts what the last look found, `error` says why it found nothing.
    """

    id: UUID
    knowledge_base_id: UUID
    kind: Literal["folder", "mailbox", "bucket", "pages", "sitemap", "feed"]
    name: str
    settings: dict[str, Any]
    created_at: AwareDatetime
    looked_at: AwareDatetime | None
    due_at: AwareDatetime | None
    result: dict[str, int] | None
    error: str | None
    files: int


class ContextSource(Model):
    """
    What `[number]` in the text stands for. `document` is its name, `page` the first page; null for events and
    evaluation runs, and where the source is gone. `standing` is anything but `current` where it is stale.
    """

    number: int
    kind: Literal["chunk", "document", "event", "run"]
    source_id: UUID
    document_id: UUID | None
    document: str | None
    version: str | None
    section: str
    page: int | None
    standing: Literal["current", "superseded", "corrected", "changed", "rejected", "deleted"] = "current"


class ContextStatement(Model):
    """
    A line of the text, with the numbers of its sources. `stale`: one of these is not current any more; `origin` is
    `user` for a person's statement, `uncited` marks one that nothing here bears out.
    """

    text: str
    sources: list[int]
    stale: bool = False
    origin: Literal["agent", "user", "system"] = "system"
    uncited: bool = False


class ConvertStep(Model):
    """
    A column in another unit (as printed or UCUM); the column keeps the formula. Without `name` in its place.
    """

    op: Literal["convert"]
    column: str
    unit: str
    name: Annotated[str | None, Field(description="else named after what it is made of")] = None


class CorrectingNote(Model):
    """
    A note that corrects what a hit says. `text` is its beginning, up to 2,000 characters.
    """

    id: UUID
    title: str
    text: str
    author: str
    of_document: Annotated[
        bool,
        Field(description="it corrects the document as a whole, and not this passage of it"),
    ]
    created_at: AwareDatetime


class Corrects(Model):
    """
    What a correction corrects: a document, or a chunk of it.
    """

    document_id: UUID
    chunk_id: UUID | None = None


class CostLine(Model):
    """
    What one stage paid one model for on one day (UTC) in one knowledge base.
    """

    day: date_aliased
    knowledge_base_id: UUID
    stage: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float


class CostReport(Model):
    """
    The lines of the last `days` days, newest first, and their sum.
    """

    days: int
    usd: float
    lines: list[CostLine]


class DatasetColumn(Model):
    """
    A column under its header as printed. `unit`: UCUM or ISO 4217; a quantity is a number that has one. `scale`:
    what the printed numbers are to be multiplied by ("in millions"). `confidence`: the share of cells that read as
    `type`, lower where the unit is guessed; 1 where a person said so. `decimals`: how many all of its numbers are
    printed with, absent where they differ; it is read with the rows, and no part of what a revision keeps.
    """

    label: str
    type: Literal["number", "integer", "text", "boolean", "date", "quantity"]
    unit: str | None = None
    scale: float = 1.0
    confidence: float = 1.0
    formula: Annotated[str | None, Field(description="what it was computed by")] = None
    decimals: int | None = None


class DatasetNote(Model):
    """
    What the rows do not show by themselves: cells that are missing because they do not read as their column's type,
    values or rows that a step left out or doubled, which columns it put together. `step` counts from 1; null: the
    tables as they are read. `count`: how many cells or rows it is about.
    """

    step: int | None
    count: int
    said: str


class DatasetSource(Model):
    """
    A document that a dataset has tables of, as it is now. `newest_id`: its current version, where that is a newer
    one.
    """

    document_id: UUID
    document: str
    version: Annotated[str, Field(description="what people call it, else its number from 1")]
    newest_id: UUID | None
    tables: Annotated[int, Field(description="of this document")]
    rows: int


class DatasetSummary(Model):
    """
    A dataset without its rows. `revision` counts changes of its columns and steps; `sha256` is that of its columns
    and steps as canonical JSON. `missing`: tables that it was made of and are gone, or hidden from you.
    """

    id: UUID
    knowledge_base_id: UUID
    name: str
    revision: int
    sha256: str
    columns: int
    steps: int
    rows: Annotated[int, Field(description="of its tables, before the steps")]
    missing: int
    may_write: bool
    created_at: AwareDatetime
    updated_at: AwareDatetime


class Decided(Model):
    """
    What was decided: the id that takes it back, and how many passages and pages it is about.
    """

    decision_id: UUID
    chunks: int
    pages: int


class DeclarationOutput(Model):
    """
    An attribute that counts. It is read from labels and headers that say its name, label or one of its synonyms.

    `unit` (UCUM, or an ISO 4217 currency) is the one in which people think of it: values of its dimension fit. With
    `bare`, numbers without a unit are in it. `values` are those that a category allows; empty: any.
    """

    name: Annotated[str, Field(description="as filters write it: `motor_power`")]
    label: str = ""
    type: Literal["number", "category", "date", "text", "boolean"]
    unit: str | None = None
    bare: bool = False
    values: Annotated[list[AllowedValue], Field(validate_default=True)] = []
    synonyms: list[str] = []
    description: str = ""


class DeclaredValues(Model):
    """
    The values of one type and one unit. `unit` is canonical (UCUM, or a currency), `printed_unit` as on the page;
    both are null for bare numbers and for what is no number. `low` and `high` are in `unit`.
    """

    type: Literal["number", "text", "time", "boolean"]
    unit: str | None = None
    printed_unit: str | None = None
    count: int
    low: float | None = None
    high: float | None = None
    first: AwareDatetime | None = None
    last: AwareDatetime | None = None
    example: str


class Deleted(Model):
    """
    How much a deletion removed. `objects` counts stored files: sources, page images, page files, operations.
    """

    id: UUID
    documents: int
    chunks: int
    objects: int


class DeriveStep(Model):
    """
    A further column `name`, computed of the others row by row: `[Output] / [Input] * 100`. Its unit is computed too;
    `unit` says another one (as printed, UCUM or a currency), and "" that it has none: the numbers stay.
    """

    op: Literal["derive"]
    name: str
    expression: str
    unit: str | None = None


class DiffSummary(Model):
    """
    How many sections; `renumbered` of all that are in both.

    Of the changed ones `reworded` are small changes of wording, `meaning_changed` are any more than that.
    """

    sections_a: int
    sections_b: int
    unchanged: int
    moved: int
    changed: int
    added: int
    removed: int
    renumbered: int
    reworded: int
    meaning_changed: int
    flags: dict[Literal["numbers", "units", "limits", "negation", "modality"], int]


class DigestCitation(Model):
    """
    What a line stands on: a chunk (its id and document), a document, an event or an evaluation run. `standing` is
    how it is now; anything but `current` makes the line stale.
    """

    kind: Literal["chunk", "document", "event", "run"]
    source_id: UUID
    document_id: UUID | None = None
    standing: Literal["current", "superseded", "corrected", "changed", "rejected", "deleted"] = "current"


class DigestDiff(Model):
    """
    What changed between two versions of a file, as a unified diff of their Markdown.
    """

    path: str
    from_number: int
    to_number: int
    diff: str
    added: int
    removed: int


class DigestEntry(Model):
    """
    A file as it is listed. `parent_id` is the index that lists it; a topic's summary and description share
    `topic_id`. `stale` and `uncited` count statements, `size` is lines of an index, else characters.
    """

    id: UUID
    tier: Literal["index", "summary", "description"]
    path: str
    title: str
    topic_id: UUID | None
    parent_id: UUID | None
    version: Annotated[str, Field(description="major.minor.patch")]
    number: Annotated[int, Field(description="which version, from 1")]
    changed_by: Literal["agent", "user", "system"]
    updated_at: AwareDatetime
    content_hash: Annotated[str, Field(description="SHA-256 of what was written")]
    size: int
    limit: int
    statements: int
    stale: int
    uncited: int
    by_people: int


class DigestLine(Model):
    """
    A line of a file. `stale`: a source of it is not current any more. A person's line (`origin` user) is kept by
    every rebuild; `uncited` marks one that nothing here bears out. `text` is empty where its source was deleted;
    `shown` is the same for people to read, words whole that the source divides at a line's end.
    """

    statement_id: UUID
    kind: Literal["title", "heading", "entry", "statement"]
    text: str
    shown: str = ""
    origin: Literal["agent", "user", "system"]
    author: str
    uncited: bool = False
    stale: bool = False
    citations: Annotated[list[DigestCitation], Field(validate_default=True)] = []


class DigestPast(Model):
    """
    A version with what it said, without what was deleted since.
    """

    number: int
    version: str
    changed_by: Literal["agent", "user", "system"]
    author: str
    change_summary: str
    previous_hash: str | None
    new_hash: str
    created_at: AwareDatetime
    content: str


class DigestStatus(Model):
    """
    How a knowledge base's digest is. `behind`: something has changed since that the next update reads. `writes`: a
    model writes its summaries, also when it keeps itself.
    """

    built: bool
    revision: int = 0
    updated_at: AwareDatetime | None = None
    checked_at: AwareDatetime | None = None
    topics: int = 0
    files: int = 0
    statements: int = 0
    stale: int = 0
    uncited: int = 0
    by_people: int = 0
    behind: bool = False
    writes: bool = False
    events: int = 0


class DigestUpdate(Model):
    """
    What an update did. `more`: its time was over before all that changed was read; call again.
    """

    revision: int
    topics: int
    files: int
    added: Annotated[list[str], Field(description="paths of new files")]
    changed: Annotated[list[str], Field(description="paths of files with a new version")]
    removed: Annotated[list[str], Field(description="paths of files that are gone")]
    units: Annotated[int, Field(description="sections that were read")]
    seconds: float
    written: Annotated[int, Field(description="summaries that a model wrote")] = 0
    more: bool = False


class DigestVersion(Model):
    """
    A version of a file, as its history lists it.
    """

    number: int
    version: str
    changed_by: Literal["agent", "user", "system"]
    author: str
    change_summary: str
    previous_hash: str | None
    new_hash: str
    created_at: AwareDatetime


class DistinctStep(Model):
    """
    One row for all that are equal, in these columns, which alone are left, or in all of them.
    """

    op: Literal["distinct"]
    columns: list[str] = []


class DocumentCost(Model):
    """
    What the runs of a document that began in the month cost.
    """

    document_id: UUID
    knowledge_base_id: UUID
    name: str
    pages: int
    seconds: float
    model_usd: float
    compute_usd: float | None


class DocumentLeft(Model):
    """
    How much of a document is left.
    """

    id: UUID
    name: str
    chunks: int
    pages: int


class DocumentRef(Model):
    """
    The document of a hit.
    """

    id: UUID
    name: str
    source_type: str


class Dropped(Model):
    """
    A candidate that is not among the hits; `kept` is the chunk that stands for it.

    `below_score`: under the request's `min_score`. `beyond_pool`: ranked too low to be read at all. `below_k`: read,
    and not among the `k` best.
    """

    chunk_id: UUID
    reason: Literal["near_duplicate", "table_of_row", "heading_of_passage", "below_score", "beyond_pool", "below_k"]
    kept: UUID | None = None


class EditPiece(Model):
    """
    What a person is shown of a chunk before or after an edit: the beginning of its text. A page has no type.
    """

    chunk_type: (
        Literal[
            "text",
            "list",
            "code",
            "formula",
            "caption",
            "footnote",
            "heading",
            "table",
            "table_row",
            "figure",
            "structured",
        ]
        | Literal["skipped", "page"]
    )
    text: str
    section: str | None = None
    flags: list[str] = []


class EditRow(Model):
    """
    An edit in a document's history. `stale` says why it no longer applies; `undone_at` is null while it counts.
    """

    id: UUID
    document_id: UUID
    kind: Literal["merge", "split", "retype", "resection", "furniture", "restore", "unflag"]
    page: int
    before: list[EditPiece]
    after: list[EditPiece]
    author_id: UUID | None
    author: str
    created_at: AwareDatetime
    undone_at: AwareDatetime | None
    undone_by: str | None
    stale: str | None


class EmbedderState(Model):
    """
    The serving embedder of a knowledge base, and the target of a change under way.
    """

    serving: str | None
    target: str | None


class Example(Model):
    """
    A value where it stands: the chunk, its page and its first box.
    """

    raw: str
    chunk_id: UUID
    document_id: UUID
    document: str
    page: int | None = None
    box: dict[str, Any] | None = None


class ExportJob(Model):
    """
    An export: `progress` is 0 to 1; `url` is good for five minutes, ask again for another one.
    """

    id: UUID
    status: Literal["running", "ready", "failed"]
    knowledge_base_id: UUID | None
    requested_at: AwareDatetime
    progress: float = 0
    error: str | None = None
    url: str | None = None
    bytes: int | None = None
    members_sha256: str | None = None


class FacetRange(Model):
    """
    The numbers or days from `low` (inclusive) to `high` (exclusive).
    """

    count: Annotated[int, Field(description="chunks of the result that have it")]
    where: str
    chosen: bool = False
    low: float | date_aliased
    high: float | date_aliased


class FacetValue(Model):
    """
    One value of a category.
    """

    count: Annotated[int, Field(description="chunks of the result that have it")]
    where: str
    chosen: bool = False
    value: str


class Feedback(Model):
    """
    What its asker says of an answer.
    """

    verdict: Literal["right", "wrong", "incomplete"]
    note: str | None
    judged_at: AwareDatetime


class FetchedPage(Model):
    """
    What came of fetching a page: `url` is what the page itself calls its address. The `same` bytes as before are not
    read again; else an ingestion has begun.
    """

    url: str
    outcome: Literal["new", "changed", "same"]
    ingestion_id: UUID | None = None
    document_id: UUID | None = None


class FieldConfidence(Model):
    """
    How far a field can be relied upon: `value` is the product of the three, each from 0 to 1.

    `coverage`: the share of the kinds of evidence for the field (heading, phrase, and value where it is told with
    values) that any statement has; `consistency`: the share that its statements have on average, which is high where
    they agree; `density`: citations that are still there for each statement, at most 1.
    """

    value: float
    coverage: float
    consistency: float
    density: float


class FillStep(Model):
    """
    What stands above, in the same table, where a cell of the column is empty: of a label that is printed once for
    several rows.
    """

    op: Literal["fill"]
    column: str


class FilterStep(Model):
    """
    Keep the rows for which `where` is true: `[Accuracy] > 0.9 and [Model] != "base"`.
    """

    op: Literal["filter"]
    where: str


class FlagLeft(Model):
    """
    How many passages with a flag are left; `alone`: without another flag.
    """

    flag: str
    chunks: int
    alone: int


class Floor(Model):
    """
    A measure that has to reach `least`; `value` is null where the run does not have it.
    """

    measure: str
    least: float
    value: float | None
    met: bool


class FolderConflict(Model):
    """
    What was not taken: the line as it was sent ("" where it is missing there), and as it stands here.
    """

    path: str
    reason: Literal["changed_since", "gone", "not_a_statement", "refused", "unknown_file", "unreadable"]
    sent: str
    standing: str
    detail: str


class FoundPlace(Model):
    """
    One of the first hits: where it stands, and whether that was expected.
    """

    chunk_id: UUID
    document: str
    document_id: UUID
    page: int | None
    right: bool


class FoundRow(Model):
    """
    A row that is kept beside part `page`, by its number in its sheet; `cells` are its texts, "" for none.
    """

    page: int
    row: int
    cells: list[str]


class FoundTable(Model):
    """
    A table that a dataset can be made of, with those that have the same header. `parts`: a long table of a
    spreadsheet is stored in several.
    """

    table_id: UUID
    document_id: UUID
    document: str
    caption: str
    first_page: int
    last_page: int
    header: list[str]
    rows: int
    parts: int
    version: Annotated[int, Field(description="of its document, from 1")]
    alike: Annotated[
        int,
        Field(description="tables of the knowledge base with the same header, this one included"),
    ]


class FoundValue(Model):
    """
    A value that was read at a place of an attribute's gold, by which route, and whether it is the right one.
    """

    raw: str
    route: str
    right: bool


class GoldCandidate(Model):
    """
    What an asker said of an answer: a gold question, once an editor confirms it. `chunk_ids` are what the answer
    cites in this knowledge base, `passages` those of them that are still there.
    """

    id: UUID
    question: str
    verdict: Literal["right", "wrong", "incomplete"]
    note: str | None
    chunk_ids: list[UUID]
    author: str
    created_at: AwareDatetime
    passages: Annotated[list[CandidatePassage], Field(validate_default=True)] = []


class GoldPlace(Model):
    """
    Where an answer stands. `document` is a file name, a title or an id; the finer fields are all that is known.

    A chunk is named by the hash of its content or by a quote from it: both survive a new reading of the document.
    `grade` is the relevance of TREC judgements.
    """

    document: str
    page: int | None = None
    quote: str | None = None
    content_hash: str | None = None
    grade: int = 1


class GoldQuestion(Model):
    """
    A stored question.
    """

    id: UUID
    question: str
    kind: Literal["answerable", "negative"]
    expected: list[GoldPlace]
    pin: str | None
    answer: str | None
    attribute: str | None = None
    source: str
    author: str
    created_at: AwareDatetime


class GroupMember(Model):
    """
    A document of a group, and the version of its summary that was read.
    """

    document_id: UUID
    document: str
    version: int
    stale: list[Literal["superseded", "changed", "rejected"]]


class GroupRole(Model):
    """
    What people are while their token names the group; their own role where that is more.
    """

    id: UUID
    group: str
    role: Literal["viewer", "editor", "admin"]


class GroupStep(Model):
    """
    One row for each combination of the values of `by`; one row in all where `by` is empty.
    """

    op: Literal["group"]
    by: list[str] = []
    aggregates: list[Aggregate]


class Health(Model):
    """
    Answer of `GET /v1/health`: the service itself answers.
    """

    service: str
    status: str
    version: str


class HealthCheck(Model):
    """
    One thing that was tried, and how long it took to answer.
    """

    name: str
    ok: bool
    milliseconds: float
    error: str | None = None


class HistogramBin(Model):
    """
    How many values lie from `low` to `high`, the last one included in the last bin.
    """

    low: float
    high: float
    count: int


class Holdings(Model):
    """
    What is there: rows by table, and stored files.
    """

    rows: dict[str, int]
    objects: int
    bytes: int


class Imported(Model):
    """
    How many of the questions are stored now; those that were here before are among them.
    """

    questions: int


class ImportedBase(Model):
    """
    A knowledge base that is here now. `embedder`: by which it is searched by meaning; where `to_embed`, vectors are
    being made of it first, because the archive's embedder is not available here.
    """

    id: UUID
    name: str
    slug: str
    description: str
    date_attribute: str | None = None
    restricted: bool = False
    approved_only: bool = False
    may_write: bool = True
    documents: int
    chunks: int
    objects: int
    embedder: str | None
    to_embed: bool


class ImportedFile(Model):
    """
    A file that was sent: how many statements were changed, added and taken out; its version afterwards.
    """

    path: str
    file_id: UUID
    changed: int
    added: int
    removed: int
    version: str


class IndexRank(Model):
    """
    Where one index ranked a hit: `rank` from 1, `score` null for look-up.
    """

    name: Literal["lookup_section", "fts_search", "vector_search", "rerank"]
    rank: int
    score: float | None


class IndexResult(Model):
    """
    What one index made of a question. `ranks`: per expected place its rank (from 1), null where it was not found;
    `document_ranks`: per expected document the first hit from it.
    """

    ranks: list[int | None]
    document_ranks: list[int | None]
    found: Annotated[list[FoundPlace], Field(validate_default=True)] = []


class Insufficiency(Model):
    """
    Why an answer has no sentence. Before anything is quoted, or a model asked: there is nothing to read
    (`nothing_there`); a name, code or year of the question is nowhere in scope (`not_named`); a year is not that of
    what comes nearest (`other_period`); nothing near gives such a value (`no_value`); no passage speaks of it
    (`not_spoken_of`); nothing is near in words or meaning (`nothing_found`). After: the model wrote nothing, or nothing
    that it wrote is borne out.

    `missing`: the words of the question that the reason is about. `searched` are knowledge bases, `nearest` chunks, the
    nearest first.
    """

    reason: Literal[
        "nothing_there",
        "not_named",
        "other_period",
        "no_value",
        "not_spoken_of",
        "nothing_found",
        "model_declined",
        "not_borne_out",
    ]
    missing: list[str] = []
    searched: list[UUID]
    nearest: list[UUID]


class JoinKey(Model):
    """
    A column here, and one of the other dataset that is equal to it.
    """

    left: str
    right: str


class JoinStep(Model):
    """
    Columns of another dataset, which is transformed by its own steps first, beside the rows with equal keys.
    """

    op: Literal["join"]
    dataset_id: UUID
    on: list[JoinKey]
    how: Literal["inner", "left"] = "inner"


class KeptWindow(Model):
    """
    Of the rows that are kept beside a part, how many there are, the numbers of the `first` and the `last` in their
    sheet, and those of the rows that are shown.
    """

    rows: int
    first: int
    last: int
    shown: list[int]


class KnowledgeBase(Model):
    """
    A knowledge base with its counts. Passages that have its `date_attribute` are as old as that says, whatever the
    date of their document is.

    `restricted`: named members alone see it, and owners and admins. `may_write`: whoever asks may change it.
    `approved_only`: only documents that somebody approved answer.
    """

    id: UUID
    name: str
    slug: str
    description: str
    date_attribute: str | None = None
    restricted: bool = False
    approved_only: bool = False
    may_write: bool = True
    documents: int
    chunks: int


class LabelsStep(Model):
    """
    A further column: the label that stands over a row's group in its table, as `Dev` alone in a row over those that
    belong to it; of groups within groups each, from the outermost. Missing where there is none, and where a row is made
    of several. With `drop` the rows that are but labels go.
    """

    op: Literal["labels"]
    name: str = "Group"
    drop: bool = True


class LeftOut(Model):
    """
    What belongs to the task too and is not in the text: where to read it, and why it is not there.
    """

    kind: Literal["index", "summary", "description", "passage"]
    knowledge_base_id: UUID
    title: str
    file_id: UUID | None = None
    path: str | None = None
    chunk_id: UUID | None = None
    statements: int
    tokens: int
    reason: Literal["budget", "covered", "deleted"]


class LimitStep(Model):
    """
    The first so many rows.
    """

    op: Literal["limit"]
    rows: int


class ListedShare(Model):
    """
    A link with what it shows; `title` is null where that is not to be seen by who lists it.
    """

    id: UUID
    revision: int | None = None
    author: Annotated[str | None, Field(description="who made it")] = None
    own: Annotated[bool, Field(description="whether you made it")] = True
    created_at: AwareDatetime
    expires_at: AwareDatetime
    revoked_at: AwareDatetime | None
    opened: Annotated[int, Field(description="how often what it shows was read")] = 0
    opened_at: Annotated[AwareDatetime | None, Field(description="when last")] = None
    title: str | None
    thread_id: UUID | None
    notebook_id: UUID | None
    knowledge_base_id: Annotated[UUID | None, Field(description="of the notebook")]


class ListedTrace(Model):
    """
    With the number of hits.
    """

    id: UUID
    operator: Literal["search", "lookup", "ask"]
    query: str
    knowledge_base_ids: list[UUID]
    latency_ms: float
    request_id: str | None = None
    created_at: AwareDatetime
    hits: int


class LogStep(Model):
    """
    The logarithm of a column; missing where that is not above 0.
    """

    op: Literal["log"]
    column: str
    base: Literal["10", "2", "e"] = "10"
    name: Annotated[str | None, Field(description="else named after what it is made of")] = None


class LogicalDocumentRef(Model):
    """
    A logical document and how many versions it has.
    """

    id: UUID
    name: str
    versions: int


class MadeConnection(Model):
    """
    Where the browser goes with the code; null where the request is sent again.
    """

    id: UUID
    redirect_to: str | None


class MadeKey(Model):
    """
    A new key with its secret, which is shown this once.
    """

    id: UUID
    name: str
    prefix: str
    scope: Literal["read", "write", "admin"]
    user_id: UUID | None
    knowledge_base_ids: list[UUID] | None
    created_by: UUID
    created_at: AwareDatetime
    expires_at: AwareDatetime | None
    last_used_at: AwareDatetime | None
    revoked_at: AwareDatetime | None
    secret: str | None


class MadeShare(Model):
    """
    A link as it is made. `path` is where the page shows it, with the secret, once; null where the request is sent
    again.
    """

    id: UUID
    revision: int | None = None
    author: Annotated[str | None, Field(description="who made it")] = None
    own: Annotated[bool, Field(description="whether you made it")] = True
    created_at: AwareDatetime
    expires_at: AwareDatetime
    revoked_at: AwareDatetime | None
    opened: Annotated[int, Field(description="how often what it shows was read")] = 0
    opened_at: Annotated[AwareDatetime | None, Field(description="when last")] = None
    path: str | None


class MadeWebhook(Model):
    """
    The answer to making one or rotating its secret: the secret is told this once, a repeated request gets null.
    """

    id: UUID
    knowledge_base_id: UUID
    url: str
    events: list[Literal["document.ready", "document.failed", "evaluation.below_floor"]]
    created_at: AwareDatetime
    delivered_at: AwareDatetime | None
    failing_since: AwareDatetime | None
    disabled_at: AwareDatetime | None
    former_secret_until: AwareDatetime | None
    waiting: int
    secret: str | None


class Marker(Model):
    """
    The number that a list shows in front of an item (`3.`, `b)`) and that nobody typed: it is no text of the source.
    `at`: before which character of the chunk's content it reads.
    """

    text: str
    at: int


class MeltStep(Model):
    """
    The reverse: a row for each of `columns`, whose label stands in `name` and whose cell in `value`.
    """

    op: Literal["melt"]
    columns: list[str]
    name: str = "variable"
    value: str = "value"


class Member(Model):
    """
    A person of the organization; `invited_at` (when the invitation was sent last) is null once they have joined.
    """

    id: UUID
    email: str
    name: str
    role: Literal["owner", "admin", "editor", "viewer"]
    created_at: AwareDatetime
    invited_at: AwareDatetime | None


class Membership(Model):
    """
    An organization that a person belongs to, or (not `joined`) is invited by. `X-Autri-Organization` chooses it by
    its slug, and accepts the invitation.
    """

    id: UUID
    slug: str
    name: str
    role: Literal["owner", "admin", "editor", "viewer"]
    joined: bool


class ModelState(Model):
    """
    Which model answers, and by whose decision: the environment's, a choice in the settings, the deployment's file.

    `fixed` names the environment variables that decide; they win over what was chosen. `key` says where the key comes
    from, never what it is. `problem`: why the model cannot be called as it is set. Prices are US dollars.
    `further`: other models, which answer in a conversation where somebody asks for another answer.
    """

    service: Literal["openai", "anthropic", "bedrock"] | None = None
    model: str | None = None
    url: str | None = None
    source: Literal["environment", "settings", "deployment", "none"]
    key: Literal["environment", "settings", "credentials", "none"] = "none"
    fixed: list[str] = []
    may_change: bool = False
    usd_per_million: str = ""
    price_known: bool = False
    problem: str | None = None
    embedder: str = ""
    embedder_fixed: bool = False
    extraction_model: str = ""
    further: list[str] = []


class NamedCell(Model):
    """
    A cell of a row: its text under its column's header ("" for none).
    """

    label: str
    value: str


class NewFeedback(Model):
    """
    What its asker says of an answer: editors of the knowledge bases that it cites are told so, with the question.
    Without a `verdict` what was said is withdrawn.
    """

    verdict: Literal["right", "wrong", "incomplete"] | None = None
    note: str | None = None


class Note(Model):
    """
    A note as it is stored: a version of a document, whose id it has. `text` is what was written.
    """

    id: UUID
    knowledge_base_id: UUID
    ingestion_id: UUID | None
    title: str
    type: Literal["prose", "code", "table", "reference", "correction"]
    tags: list[str]
    author: str
    text: str = ""
    revision: Annotated[int, Field(description="from 1")]
    is_current: bool
    status: Literal["queued", "running", "ready", "ready_with_errors", "refused", "failed"]
    corrects: Corrects | None = None
    created_at: AwareDatetime


class NoteAdvice(Model):
    """
    What a text seems to be, and tags that it might have.
    """

    type: Literal["prose", "code", "table", "reference", "correction"]
    title: str
    tags: list[str]


class NoteCorrection(Model):
    """
    A note that corrects a document: beside `chunk_id` where what it corrects is still said there.
    """

    id: UUID
    title: str
    text: str
    author: str
    chunk_id: UUID | None
    created_at: AwareDatetime


class NotebookRow(Model):
    """
    A notebook as it is listed; `revision` is the number of its latest version.
    """

    id: UUID
    knowledge_base_id: UUID
    title: str
    revision: int
    cells: int
    author: str
    created_at: AwareDatetime
    updated_at: AwareDatetime


class NotebookVersion(Model):
    """
    A version: what was done, to which cell, and by whom; how many cells there were then.
    """

    revision: int
    title: str
    act: Literal["create", "rename", "add", "edit", "move", "delete", "restore"]
    cell_id: UUID | None
    restored: Annotated[int | None, Field(description="the version whose state this one has again")]
    cells: int
    author: str
    created_at: AwareDatetime


class OrganizationPlan(Model):
    """
    What an operator has given to an organization.
    """

    organization: str
    plan: Literal["free", "personal", "pro", "enterprise", "unlimited"] | None = None
    pages: int | None = None
    permanent: bool = False


class OrganizationRef(Model):
    """
    An organization as its members see it. Traces, which hold queries, are deleted after `trace_days` days, the
    audit log after `audit_days`.
    """

    id: UUID
    slug: str
    name: str
    trace_days: int
    audit_days: int


class OriginStep(Model):
    """
    Two further columns: the document that a row comes from, and its version. Each is missing where a row is made
    of rows of several.
    """

    op: Literal["origin"]
    document: str = "Document"
    version: str = "Version"


class OtherPlace(Model):
    """
    The same passage of the same file in another knowledge base.
    """

    chunk_id: UUID
    document: DocumentRef
    knowledge_base_id: UUID
    knowledge_base: Annotated[str, Field(description="its name")]


class PagePack(Model):
    """
    Pages beside the plan: for `month` (its first day), or with null for every month.
    """

    pages: int
    month: date_aliased | None
    created_at: AwareDatetime


class PageRow(Model):
    """
    A page in the page strip. `engine` grouped it; `engine_note` says why it was not the one that was asked.

    In a source without pages a part of it, `label` is what people call it; such a part has no size and no image.
    """

    page: int
    label: str | None = None
    width_pt: float | None
    height_pt: float | None
    route: str | None
    status: Literal["queued", "rendered", "parsed", "extracted", "ready", "failed"]
    confidence: float | None
    flags: list[str]
    chunks: int
    error: str | None = None
    engine: str | None = None
    engine_note: str | None = None


class Parameters(Model):
    """
    How a run measures. `depth` is how many hits are read per question; `ask` whether answers are tried too.
    """

    indexes: list[Literal["fts", "vector", "hybrid", "lookup"]] = [
        "fts",
        "vector",
        "hybrid",
    ]
    depth: int = 40
    ask: Annotated[bool | None, Field(description="null: where the gold has negative questions")] = None
    skip_missing: Annotated[bool, Field(description="leave out what expects a document that is not here")] = False
    baseline: Annotated[bool, Field(description="later runs of this gold are compared with this one")] = False
    floors: Annotated[dict[str, float], Field(description="measure → least value", max_length=50)] = {}


class ParcelProgress(Model):
    """
    How far the files of a parcel are: how many there are, are not ended, were refused, failed.
    """

    files: int
    open: int
    refused: int
    failed: int


class PartPlaces(Model):
    """
    Where to PUT each of the wanted parts, in their order; good for a quarter of an hour.
    """

    urls: list[str]


class PermittedMember(Model):
    """
    A member who sees a restricted knowledge base; `may_write` as far as their role lets them change anything.
    """

    id: UUID
    email: str
    name: str
    role: Literal["owner", "admin", "editor", "viewer"]
    may_write: bool


class PictureArea(Model):
    """
    A part of a picture in a source without layout, in fractions (0..1) of the picture; `id` is the SHA-256 of the
    picture's bytes.
    """

    x: float
    y: float
    w: float
    h: float
    id: str


class PictureReading(Model):
    """
    What `parse` made of a picture: `shown` with nothing to recognise in it, `read`, `unread` where it may hold text
    and no engine has read it, or `damaged`. The size is in points, as that of a page would be.
    """

    outcome: Literal["shown", "read", "unread", "damaged"]
    width_pt: float = 0.0
    height_pt: float = 0.0
    engine: str = ""


class PivotStep(Model):
    """
    A column for each value of `column`, with the `value`s of each combination of `index`.
    """

    op: Literal["pivot"]
    index: list[str]
    column: str
    value: str
    function: Literal[
        "count", "distinct", "sum", "mean", "median", "min", "max", "stddev", "stderr", "q1", "q3", "first"
    ] = "first"


class PlannedFile(Model):
    """
    What is done about one file; `before` is where it stood before it was moved.
    """

    path: str
    action: Literal["same", "refused", "running", "new", "changed", "moved", "duplicate", "reverted", "kept", "removed"]
    before: str | None = None
    document_id: UUID | None = None
    ingestion_id: UUID | None = None
    error: str | None = None


class PlotChannel(Model):
    """
    What an axis, the colour or the panels show: a column by its label, or an aggregate of it; `count` needs none.
    `bins`: numbers fall into at most so many intervals. `category`: numbers are names of groups.
    """

    field: str | None = None
    aggregate: (
        Literal["count", "distinct", "sum", "mean", "median", "min", "max", "stdev", "stderr", "q1", "q3"] | None
    ) = None
    bins: int | None = None
    time_unit: Literal["year", "yearmonth", "yearmonthdate"] | None = None
    category: bool = False
    scale: Literal["linear", "log", "sqrt", "symlog"] = "linear"
    zero: Annotated[
        bool | None,
        Field(description="whether the axis begins at 0; else as the mark asks"),
    ] = None
    title: Annotated[str | None, Field(description="else the column's label with its unit")] = None


class PlotColumn(Model):
    """
    A column of the table beside a plot. `decimals`: how many its numbers are printed with, where it is the same for
    all and they are not computed.
    """

    title: str
    unit: str | None
    number: bool
    decimals: int | None = None


class PlotForm(Model):
    """
    A plot as the form declares it. `sort`: the order of categories, by their name or by the other axis' value;
    `error_bars` stand around a mean: its standard error, the standard deviation, or its 95 % confidence interval
    (Student's t); around numbers as they are printed, `error_field` is the column that says how far they reach to
    both sides. An `arc` is a pie: `x` names its slices, `y` says how large they are.
    """

    mark: Literal["bar", "line", "point", "area", "rect", "tick", "boxplot", "arc"]
    x: PlotChannel | None = None
    y: PlotChannel | None = None
    colour: PlotChannel | None = None
    facet: PlotChannel | None = None
    error_bars: Literal["stderr", "stdev", "ci"] | None = None
    error_field: str | None = None
    trend: Annotated[
        Literal["linear"] | None,
        Field(description="a straight line of least squares through points"),
    ] = None
    sort: Literal["name", "ascending", "descending"] = "name"
    title: str = ""


class PlotRow(Model):
    """
    A mark as a row: `mark` is its number in the plot, `rows` how many rows of the dataset stand behind it.
    `decimals`: with how many the number of each cell is printed, where a column's are printed with different ones.
    """

    mark: int
    rows: int
    cells: list[bool | int | float | str | None]
    decimals: list[int | None] = []


class PlotSpec(Model):
    """
    One of the two: the form, or a Vega-Lite specification by hand, without data.
    """

    form: PlotForm | None = None
    vega_lite: dict[str, Any] | None = None


class PlotTable(Model):
    """
    What a plot shows, for who cannot see it.
    """

    columns: list[PlotColumn]
    rows: list[PlotRow]


class PostedNote(Model):
    """
    The answer to a posted note: it is found by now. `duplicate`: the same note was there already. `suggested_tags`
    are tags that it does not have.
    """

    id: UUID
    knowledge_base_id: UUID
    ingestion_id: UUID | None
    title: str
    type: Literal["prose", "code", "table", "reference", "correction"]
    tags: list[str]
    author: str
    text: str = ""
    revision: Annotated[int, Field(description="from 1")]
    is_current: bool
    status: Literal["queued", "running", "ready", "ready_with_errors", "refused", "failed"]
    corrects: Corrects | None = None
    created_at: AwareDatetime
    duplicate: bool
    suggested_tags: list[str]
    seconds: float


class PostedRecord(Model):
    """
    A record that is found by now: the document that is its present version, of the document that its versions share.
    `duplicate`: it was stored with these values already.
    """

    id: UUID
    kind: str
    key: str
    title: str
    revision: int
    status: Literal["queued", "running", "ready", "ready_with_errors", "refused", "failed"]
    duplicate: bool


class PostedRecords(Model):
    """
    The answer to a batch, in its order.
    """

    records: list[PostedRecord]
    stored: int
    duplicates: int
    seconds: float


class PrintedName(Model):
    """
    A name as it is printed, normalised, that was taken for a proposed attribute.
    """

    name: str
    count: int
    documents: int
    units: Annotated[list[str], Field(description="as printed, most frequent first")]


class Quantity(Model):
    """
    A number as printed: `upper` is the end of a range that begins at `number`, `tolerance` what stands behind ±.

    `unit` is the UCUM code (or currency) of the printed unit, None for a bare number; `canonical_*` the same in the
    unit of its dimension.
    """

    number: float
    upper: float | None = None
    tolerance: float | None = None
    comparator: Literal["=", "<", "<=", ">", ">=", "~"] = "="
    unit: str | None = None
    canonical_number: float
    canonical_upper: float | None = None
    canonical_unit: str | None = None


class QuotedCell(Model):
    """
    A cell of a quoted row, as printed, under its column's header ("" for none); `hidden` as of a statement.
    """

    label: str
    value: str
    answers: Annotated[bool, Field(description="it is what was asked for")]
    hidden: list[list[Any]] = []


class RankedCandidate(Model):
    """
    A candidate in the one order that the hits are cut from: after fusion and every boost, before repetitions are
    taken out.
    """

    chunk_id: UUID
    rank: int
    score: float
    boosts: Annotated[list[Boost], Field(validate_default=True)] = []


class Readiness(Model):
    """
    Answer of `GET /v1/ready`: its database answers too.
    """

    service: str
    status: str
    version: str
    database: str


class RecordKind(Model):
    """
    A declared kind. `revision` goes up with each change; a record keeps the schema that it was posted under.
    """

    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    key_field: str | None = None
    title_field: str | None = None
    name: str
    revision: int
    updated_at: AwareDatetime


class Removed(Model):
    """
    What is no longer there.
    """

    id: UUID


class RemovedDataset(Model):
    """
    What is no longer there.
    """

    id: UUID


class RemovedEvent(Model):
    """
    What is no longer there.
    """

    id: UUID


class RemovedMember(Model):
    """
    Who was removed, or whose invitation was taken back.
    """

    id: UUID
    email: str


class RemovedNotebook(Model):
    """
    What is no longer there.
    """

    id: UUID


class RemovedThread(Model):
    """
    What is no longer there.
    """

    id: UUID


class RenameStep(Model):
    """
    Call a column something else.
    """

    op: Literal["rename"]
    column: str
    name: str


class Restarted(Model):
    """
    A document that is run again, or why it is not.
    """

    document_id: UUID
    filename: str
    ingestion_id: UUID | None = None
    error: str | None = None


class Review(Model):
    """
    What was decided about one passage of a document, or about a page (without `chunk_id`).
    """

    id: UUID
    decision_id: UUID
    page: int | None
    chunk_id: UUID | None
    verdict: Literal["accepted", "corrected", "rejected"]
    flags: list[str]
    excerpt: str
    note: str | None
    author: str
    created_at: AwareDatetime
    stale: str | None


class ReviewDecision(Model):
    """
    A decision that counts, or did: `stale` of its passages are no longer there as they were, and `reason` says why.

    `excerpt` is the beginning of its first passage.
    """

    id: UUID
    verdict: Literal["accepted", "corrected", "rejected"]
    document_id: UUID
    document_name: str
    documents: int
    page: int | None
    chunks: int
    pages: int
    excerpt: str
    note: str | None
    author: str
    created_at: AwareDatetime
    stale: int
    reason: str | None


class ReviewLeft(Model):
    """
    How much of a knowledge base is left to look at; documents with most of it first.
    """

    chunks: int
    pages: int
    flags: list[FlagLeft]
    documents: list[DocumentLeft]


class RowLineage(Model):
    """
    Where a row or a cell comes from: `rows` are `table:row`, at most 200 of them, `count` is how many in truth.
    Where one column of several counts, they are `table:row:column`.
    """

    rows: list[str]
    count: int


class RowsMeeting(Model):
    """
    How many `rows` of the `compared` ones of a table are meant, and by what: `berth: North B`, `over 20 m`.
    """

    rows: int
    compared: int
    said: list[str]


class RunVersions(Model):
    """
    The versions with which the measured index was built.
    """

    embedder: str
    tokenizer: str
    extractors: list[str]


class SchemaCandidate(Model):
    """
    Values that no filter finds, by printed name: `declared` is the attribute that they were read for, '' if none.
    """

    name: str
    declared: str
    reason: Literal["undeclared", "type", "unit", "value", "unreadable"]
    count: int
    documents: int
    kinds: list[str]
    units: list[str]
    examples: list[str]
    places: Annotated[
        list[Example],
        Field(description="where some of them stand", validate_default=True),
    ] = []


class SchemaChange(Model):
    """
    How a revision differs from the one before it. `before` and `after` are labels, types, or units; a column is
    named as it is called afterwards, and before where it is gone.
    """

    kind: Literal["added", "removed", "renamed", "type", "unit", "steps", "tables"]
    column: str | None = None
    before: str | None = None
    after: str | None = None


class SchemaVersion(Model):
    """
    Who made a version, when and why.
    """

    version: int
    attributes: list[DeclarationOutput]
    why: str
    author: str
    created_at: AwareDatetime


class Score(Model):
    """
    A measure's mean over `n` questions with its 95 % interval. `level` is null for all, each question at its own.
    """

    index: str
    level: Literal["chunk", "page", "document"] | None
    metric: str
    value: float
    low: float
    high: float
    n: int


class Searched(Model):
    """
    Where a field was looked for: the sections that its headings named, and how many sentences and captions were
    read.
    """

    sections: list[str] = []
    sentences: int = 0


class SectionStep(Model):
    """
    One level of a section's path, outermost first.
    """

    id: UUID
    address: str | None
    title: str


class SeenText(Model):
    text: str
    count: int


class SelectStep(Model):
    """
    Keep these columns, in this order.
    """

    op: Literal["select"]
    columns: list[str]


class SelectionTrace(Model):
    """
    What the filters left to be ranked: how that was decided, and the counts behind it.
    """

    plan: str
    figures: dict[str, Any] = {}


class Share(Model):
    """
    A link that shows a conversation or a notebook, as it is listed: without its secret, which nobody has but who
    made it. `revision`: of a notebook the version that it shows.
    """

    id: UUID
    revision: int | None = None
    author: Annotated[str | None, Field(description="who made it")] = None
    own: Annotated[bool, Field(description="whether you made it")] = True
    created_at: AwareDatetime
    expires_at: AwareDatetime
    revoked_at: AwareDatetime | None
    opened: Annotated[int, Field(description="how often what it shows was read")] = 0
    opened_at: Annotated[AwareDatetime | None, Field(description="when last")] = None


class ShareStep(Model):
    """
    How much of the column's total each number is, in percent; of the total of each combination of `by`.
    """

    op: Literal["share"]
    column: str
    by: list[str] = []
    name: Annotated[str | None, Field(description="else named after what it is made of")] = None


class SharedCell(Model):
    """
    A cell for whoever has the link.
    """

    kind: str
    html: str
    gone: bool


class SharedSentence(Model):
    """
    A statement of a shared answer; `citations` are chunks. Without its text where it is no longer visible.
    """

    text: str
    citations: list[UUID]
    marks: list[list[Any]]
    hidden: list[list[Any]]
    cells: list[QuotedCell]
    no_longer_visible: bool


class SharedSource(Model):
    """
    Where what a cell cites stands, and what stands there.
    """

    number: int
    document: str
    version: str | None
    section: str
    page: int | None
    text: str


class SheetBox(Model):
    """
    The cells of a chunk; `page` is the part of the source, from 1, that has them.
    """

    kind: Literal["sheet"] = "sheet"
    sheet: str
    range: str
    page: int = 1
    fragment_ids: list[str] = []


class ShownCell(Model):
    """
    A cell as whoever reads may see it now. `state` is what a change of it names by `If-Match`. `html` is safe to be
    shown as it is; `sources` are the numbers of those that it cites. `gone`: what it shows is deleted, or hidden from
    whoever reads. `about` says which version of what is shown.
    """

    id: UUID
    state: UUID
    kind: str
    body: Annotated[
        dict[str, Any],
        Field(description="what an editor changes, or the ids of what is shown"),
    ]
    html: str
    sources: list[int]
    gone: bool
    about: dict[str, Any]
    author: str
    created_at: AwareDatetime


class ShownSentence(Model):
    """
    A statement of an answer; without its text where something that it cites is gone or hidden from whoever reads.
    """

    text: str
    citations: list[UUID]
    marks: list[list[Any]] = []
    hidden: list[list[Any]] = []
    cells: Annotated[list[QuotedCell], Field(validate_default=True)] = []
    compared: int | None = None
    meeting: RowsMeeting | None = None
    listed: bool = False
    no_longer_visible: bool = False


class SignOut(Model):
    """
    Whether all sessions of the person are ended, or the one that asks.
    """

    everywhere: bool = False


class SortStep(Model):
    """
    Missing values last; rows with equal values stay in their order.
    """

    op: Literal["sort"]
    column: str
    descending: bool = False


class SourceItem(Model):
    """
    One file of a source, as it was when it came last; `mark` is what its source tells it by without sending it.
    """

    path: str
    sha256: str | None
    mark: str | None
    document_id: UUID | None
    ingestion_id: UUID | None
    status: str | None
    error: str | None
    gone_at: AwareDatetime | None
    checked_at: AwareDatetime | None


class SpreadStep(Model):
    """
    A further column of what is printed behind a column's numbers as their spread: `0.91 ± 0.02`, `0.91 (0.02)`.
    """

    op: Literal["spread"]
    column: str
    name: Annotated[str | None, Field(description="else named after what it is made of")] = None


class StackStep(Model):
    """
    Rows of another dataset, which is transformed by its own steps first, below these. Its columns go below those of
    the same name, whichever letters are large and whatever the unit, and numbers are converted to the unit above;
    `columns` says which others go together. What only one of the two has is missing in the rows of the other.
    """

    op: Literal["stack"]
    dataset_id: UUID
    columns: Annotated[list[JoinKey], Field(validate_default=True)] = []


class StageCost(Model):
    """
    What a stage took: `resource` is a model, or `compute` for its own run time. `usd` is null where run time has no
    price, on one's own machine.
    """

    stage: str
    resource: str
    calls: int
    seconds: float
    usd: float | None


class StageProgress(Model):
    """
    One stage of an ingestion; `pages_done` counts only for mapped stages.
    """

    name: str
    status: Literal["queued", "running", "done", "failed", "skipped"]
    seconds: float | None = None
    pages_done: int = 0
    pages_total: int = 0
    pages_failed: list[int] = []


class StandardiseStep(Model):
    """
    How many standard deviations (of the sample) a value is above the column's mean.
    """

    op: Literal["standardise"]
    column: str
    name: Annotated[str | None, Field(description="else named after what it is made of")] = None


class StateCount(Model):
    """
    How many ingestions are in a state, and for how many seconds the oldest has been there or under way.
    """

    status: str
    count: int
    oldest_seconds: float


class StatedIn(Model):
    """
    A file of the digest that states an event.
    """

    file_id: UUID
    path: str
    title: str
    tier: Literal["index", "summary", "description"]


class Step(Model):
    """
    A step with its wall time, and how much of it the database took.
    """

    name: str
    ms: float
    database_ms: float | None = None


class StuckRun(Model):
    """
    `overdue` has been under way for too long; `failed` is a document's last run, which `redrive` begins anew;
    `unread` failed before there was a document: the file has to be sent again.
    """

    kind: Literal["overdue", "failed", "unread"]
    ingestion_id: UUID
    knowledge_base_id: UUID
    document_id: UUID | None
    filename: str
    engine: str
    error: str | None
    age_seconds: float


class Subject(Model):
    """
    What was deleted, or whose it was.
    """

    id: UUID
    slug: str
    name: str


class SummaryEdit(Model):
    """
    A change that a person made.
    """

    id: UUID
    target: str | None
    field: Literal["objective", "setup", "dataset", "metrics", "results", "stats", "limits", "confounds"]
    text: str | None
    chunk_ids: list[UUID]
    author: str
    created_at: AwareDatetime


class SummaryValue(Model):
    """
    A value in a statement: `raw` as printed, from character `start` up to `end` of the statement's text. `quantity`
    has its number, and its unit where one is printed.
    """

    kind: Literal[
        "number", "quantity", "p_value", "confidence_interval", "deviation", "sample_size", "effect_size", "agreement"
    ]
    raw: str
    start: int
    end: int
    quantity: Quantity


class SummaryVersion(Model):
    """
    A version of a summary in a list.
    """

    version: int
    reason: Literal["made", "rebuilt", "edited", "restored"]
    restored: Annotated[int | None, Field(description="the version that it says again")]
    engine: str
    usd: float
    author: str
    statements: int
    cells: int
    created_at: AwareDatetime


class SyncPlan(Model):
    """
    What a look finds. The bytes of what is `new` or `changed` are to be sent, with the source and the path; all else
    is done by now, unless it was a dry run.
    """

    items: list[PlannedFile]
    counts: dict[str, int]


class TableColumn(Model):
    """
    A column: what is known of every hit (`document`, `date`, …), or an attribute. `unit`: that of every number.
    """

    name: str
    label: str
    unit: str | None = None
    number: bool = False


class TableRow(Model):
    """
    A hit as a row; null where it has no such attribute.
    """

    chunk_id: UUID
    document_id: UUID
    cells: list[str | float | None]


class TextBox(Model):
    """
    The characters of a chunk; `page` is the part of the source, from 1, that has them. `markers` are left out where
    there are none.
    """

    kind: Literal["text"] = "text"
    start: int
    end: int
    picture: PictureArea | None = None
    page: int = 1
    fragment_ids: list[str] = []
    markers: Annotated[list[Marker], Field(validate_default=True)] = []


class TextRange(Model):
    """
    A character range of a source without layout, in the text that its reader made of it; `end` is exclusive.

    A picture, and what was recognised in one, has no characters there: the range is empty where the picture stands, and
    `picture` says which part of it is meant. It is left out where there is none.
    """

    kind: Literal["text"] = "text"
    start: int
    end: int
    picture: PictureArea | None = None


class Thread(Model):
    """
    A conversation as it is listed; `questions` is how many there are.
    """

    id: UUID
    title: str
    scope: AskScope
    questions: int
    created_at: AwareDatetime
    updated_at: AwareDatetime


class ThreadMessage(Model):
    """
    A message of a thread: the document that it is in, and the part in which it begins there.
    """

    document_id: UUID
    document_name: str
    ordinal: int
    part: int
    message_id: str | None
    subject: str
    sender: str
    sent_at: AwareDatetime | None


class Tick(Model):
    """
    A box to tick, drawn or a field of a form, which is no text: where it stands on the page, whether it is ticked,
    and before which character of the chunk's content it reads (`at`; the content's length behind the last one).
    """

    x: float
    y: float
    w: float
    h: float
    ticked: bool
    at: int


class TracedCandidate(Model):
    """
    A chunk as one index ranked it, from 1.
    """

    chunk_id: UUID
    rank: int
    score: float | None


class TracedChunk(Model):
    """
    A chunk that a trace names, as it is now: what a person needs to recognise it.
    """

    chunk_id: UUID
    document_id: UUID
    document_name: str
    version_label: str | None
    is_current: bool
    chunk_type: str
    section_id: str | None
    page: int | None
    excerpt: str


class TracedHit(Model):
    """
    A hit with its final score and its boosts.
    """

    chunk_id: UUID
    score: float
    boosts: Annotated[list[Boost], Field(validate_default=True)] = []


class TriedModel(Model):
    """
    What came of asking a model once for an object by its schema, and once to call a tool.

    `streaming`: whether the reply came in parts. `problem` says what to do where nothing came.
    """

    ok: bool
    name: str
    took_ms: int
    usd: float = 0.0
    price_known: bool = False
    json_schema: Literal["yes", "no", "unknown"] = "unknown"
    tools: Literal["yes", "no", "unknown"] = "unknown"
    streaming: Literal["yes", "no", "unknown"] = "unknown"
    problem: str | None = None


class UploadTicket(Model):
    """
    Where to send the bytes. The ingestion will have the same id as the upload.
    """

    upload_id: UUID
    url: str
    method: str
    headers: dict[str, str]
    fields: dict[str, str]


class UsageDay(Model):
    """
    What was counted on a day (UTC); `usd` is what models cost.
    """

    day: date_aliased
    pages: int
    questions: int
    usd: float


class UsageLine(Model):
    """
    One of the things that a plan limits; `limit` null: none. `forecast` is the month's end at the pace so far, null
    for what does not begin anew each month; `runs_out_on` the day on which that pace meets the limit.
    """

    name: Literal["pages", "questions", "chunks", "knowledge_bases"]
    used: int
    limit: int | None
    forecast: int | None = None
    runs_out_on: date_aliased | None = None


class UserRef(Model):
    """
    A signed-in person, or a machine with its key, which has no address. `role` is what this request may do.
    """

    id: UUID
    email: str
    name: str
    role: Literal["owner", "admin", "editor", "viewer"]


class ValueCount(Model):
    """
    A frequent value.
    """

    value: str
    count: int


class VerifyFailure(Model):
    """
    One failed check. `chunk_id` is None where a page itself failed.
    """

    document_id: str | None = None
    chunk_id: str | None
    page: int | None
    check: Literal[
        "fragment",
        "verbatim",
        "box",
        "second_reader",
        "unread_text",
        "unclaimed",
        "claimed_twice",
        "operations",
        "table",
        "section",
        "figure",
        "attribute",
        "ocr",
        "page",
        "unread_page",
        "source",
        "tick",
        "rows",
        "older_reader",
        "formula",
    ]
    expected: str
    actual: str


class VerifyReport(Model):
    """
    Counts in chunks, except `unclaimed_fragments`; `verbatim + ocr + failed = chunks`.

    `ocr` chunks hold recognised text: they were proved against the stored page, not against the source.
    `second_reader` counts chunks under whose boxes another PDF library finds the same characters, but for ligatures,
    spacing, hyphens and order; `second_reader_differences` counts the chunks of each kind of difference, those
    included. `older_reader` counts parts that an older version of the reader divided otherwise: their words are proved,
    their division is not, until the document is reingested. `failures` and `warnings` (the second reader sees less or
    more; an older reader) hold examples, at most 100 each. `checked_at` is when the source was read for it.
    """

    documents: int = 1
    chunks: int = 0
    verbatim: int = 0
    boxes_exact: int = 0
    ocr: int = 0
    failed: int = 0
    unclaimed_fragments: int = 0
    second_reader: int = 0
    second_reader_differences: dict[
        Literal[
            "ligature",
            "spacing",
            "hyphen",
            "order",
            "unmapped",
            "invisible",
            "missing",
            "extra",
            "decoding",
            "other",
            "unreadable",
            "beyond",
        ],
        int,
    ] = {}
    older_reader: int = 0
    failures: Annotated[list[VerifyFailure], Field(validate_default=True)] = []
    warnings: Annotated[list[VerifyFailure], Field(validate_default=True)] = []
    checked_at: AwareDatetime | None = None
    ok: Annotated[bool, Field(description="Whether everything is proved; this is the verdict.")]
    state: Annotated[
        Literal["proved", "outdated", "failed"],
        Field(
            description="`failed` where a check failed or a fragment is unclaimed; else `outdated` where an older version of the\nreader has read something."
        ),
    ]


class VersionEnvelope(Model):
    """
    Which version of which logical document a hit comes from; `index` counts from 1, oldest first.
    """

    label: str | None
    index: int
    is_current: bool
    logical_document_name: str


class VersionOf(Model):
    """
    One side of a suggestion: a document version, by what people know it by.
    """

    id: UUID
    name: str
    label: str | None
    index: int


class VersionParts(Model):
    """
    How alike two documents are in each respect, 0 to 1; None where one of them has nothing to compare.
    """

    name: float | None
    title: float | None
    sections: float | None
    content: float | None


class VersionSuggestion(Model):
    """
    `document` looks like a version of `logical_document`, whose version `nearest` is most like it.

    `score` is what `parts` come to; `position` (from 1) and `label` are where and as what it would be linked. Nothing
    is linked until somebody accepts.
    """

    id: UUID
    knowledge_base_id: UUID
    document: VersionOf
    logical_document: LogicalDocumentRef
    nearest: VersionOf | None
    score: float
    parts: VersionParts
    label: str | None
    position: int
    status: Literal["open", "accepted", "dismissed"]
    created_at: AwareDatetime
    decided_at: AwareDatetime | None
    decided_by: str | None


class WaitingSignIn(Model):
    """
    Somebody signed in with an invited address that their identity provider does not vouch for.
    """

    invitation_id: UUID
    issuer: str
    subject: str
    claimed_email: str
    last_seen_at: AwareDatetime


class Webhook(Model):
    """
    A webhook as it is stored, without its secret. `failing_since`: nothing has arrived since; `disabled_at`: nothing
    is told any more, as nothing arrived for days; `waiting`: what is still to arrive. `former_secret_until`: until then
    both secrets sign.
    """

    id: UUID
    knowledge_base_id: UUID
    url: str
    events: list[Literal["document.ready", "document.failed", "evaluation.below_floor"]]
    created_at: AwareDatetime
    delivered_at: AwareDatetime | None
    failing_since: AwareDatetime | None
    disabled_at: AwareDatetime | None
    former_secret_until: AwareDatetime | None
    waiting: int


class WebhookDelivery(Model):
    """
    What is told to a webhook: `id` is its `webhook-id`, the same in every attempt. It is `waiting` until `due_at`,
    `delivered`, or `failed` where it was given up. `status` is that of the last answer; of its body nothing is kept.
    """

    id: UUID
    webhook_id: UUID
    event: str
    state: Literal["waiting", "delivered", "failed"]
    attempts: int
    created_at: AwareDatetime
    attempted_at: AwareDatetime | None
    delivered_at: AwareDatetime | None
    due_at: AwareDatetime | None
    status: int | None
    error: str | None


class Widening(Model):
    """
    A knowledge base that was not asked and seems to answer: ask again with it, if whoever asks wishes. `confidence`
    is that of an answer, by its passages.
    """

    knowledge_base_id: UUID
    slug: str
    name: str
    confidence: float


class WordRun(Model):
    """
    A run of text that both have, or only one of them.
    """

    op: Literal["equal", "removed", "added"]
    text: str


class WorkloadStatus(Model):
    """
    Ingestions under way, and those that ended within the last day.
    """

    open: list[StateCount]
    ended: list[StateCount]


class WrittenGroupVersion(Model):
    """
    A version of what a model wrote of a group, in a list.
    """

    version: int
    engine: str
    usd: float
    author: str
    statements: int
    created_at: AwareDatetime


class WrittenSource(Model):
    """
    A passage that a statement of a group cites.
    """

    document_id: UUID
    document: str = ""
    chunk_id: UUID
    page: int | None = None


class AccountProfile(Model):
    """
    Answer of `GET /v1/me`: the organization that the request acts for, and all that the person may choose.
    `groups_untold`: the identity provider left the person's groups out, so no role comes from one.
    """

    organization: OrganizationRef
    user: UserRef
    organizations: list[Membership]
    groups_untold: bool = False


class AnswerSentence(Model):
    """
    One statement of an answer with the chunks it stands on (never empty).

    `marks`: where its text holds a value of the kind that was asked for, from and up to a character. `hidden`: where it
    has what is written and not shown, the brackets and targets of Markdown's links. `cells`: of a table's row.
    `compared`: of how many rows of its table, by one column, it has the most or the least, where that is asked.
    `meeting`: where it is asked which things there are, how many rows of its table are meant, of which the first ten
    are quoted.
    `listed`: it is an item of the list that the statement before the list announces.
    """

    text: str
    citations: list[UUID]
    marks: list[list[Any]] = []
    hidden: list[list[Any]] = []
    cells: Annotated[list[QuotedCell], Field(validate_default=True)] = []
    compared: int | None = None
    meeting: RowsMeeting | None = None
    listed: bool = False


class AskedImport(Model):
    """
    The job, and how to send its archive: `method`, `url`, `headers` and the form's `fields`; or, what is larger than
    one request, `parts` of `part_bytes` each but the last.
    """

    id: UUID
    status: Literal["waiting", "running", "ready", "failed"]
    requested_at: AwareDatetime
    bytes: int
    progress: float = 0
    error: str | None = None
    knowledge_bases: Annotated[list[ImportedBase], Field(validate_default=True)] = []
    upload: dict[str, Any]


class Attached(Model):
    """
    What came with a document, and what it came with.
    """

    attachments: list[AttachedFile]
    attached_to: list[Carrier]


class AttributeChange(Model):
    """
    An attribute that is other than before; `fields` that differ, `was` what it was called before.
    """

    name: str
    kind: Literal["added", "removed", "changed", "renamed"]
    fields: list[str] = []
    was: str | None = None
    before: DeclarationOutput | None = None
    after: DeclarationOutput | None = None


class AttributeCounts(Model):
    """
    What is stored of a declared attribute, and what was refused for it, by reason.
    """

    name: str
    count: int = 0
    documents: int = 0
    values: Annotated[list[DeclaredValues], Field(validate_default=True)] = []
    refused: dict[str, int] = {}
    examples: Annotated[list[Example], Field(validate_default=True)] = []


class AttributeResult(Model):
    """
    What was read of an attribute, place by place. `disagree`: two routes read different values at one of them.
    """

    name: str
    places: Annotated[list[list[FoundValue]], Field(validate_default=True)] = []
    disagree: bool = False


class BaseAccess(Model):
    """
    Who sees a knowledge base: everybody of the organization, or (`restricted`) these members, owners and admins.
    """

    knowledge_base_id: UUID
    restricted: bool
    members: list[PermittedMember]


class Certificate(Model):
    """
    What was there and that nothing is left. `sha256` is that of the JSON without itself: keys sorted, no spaces,
    UTF-8.
    """

    format: Literal["autri-erasure-certificate"] = "autri-erasure-certificate"
    version: Literal[1] = 1
    id: UUID
    kind: Literal["knowledge base", "organization"]
    subject: Subject
    organization: Subject
    by: By
    erased_at: AwareDatetime
    before: Holdings
    passwords: int
    after: Holdings
    not_covered: list[str]
    sha256: str = ""


class ColumnProfile(Model):
    """
    Of all rows. `histogram` for numbers, `frequent` for everything else; `min` and `max` of dates are ISO text.
    `decimals`: how many all of its numbers are printed with; `min_decimals`, `max_decimals`: how many these two.
    """

    label: str
    decimals: int | None = None
    min_decimals: int | None = None
    max_decimals: int | None = None
    count: int
    missing: int
    distinct: int
    min: bool | int | float | str | None
    max: bool | int | float | str | None
    mean: float | None
    stddev: float | None
    histogram: list[HistogramBin]
    frequent: list[ValueCount]


class ConflictSide(Model):
    """
    What one of two statements says: `sentence` is its place in the answer from 0; `value` as printed, null where it
    is what the statement says as a whole. `date`: the passage's own, else its document's, else when that was added.
    """

    sentence: int
    value: str | None
    chunk_id: UUID
    document: DocumentRef
    version: VersionEnvelope | None = None
    date: AwareDatetime | None = None


class ContextPart(Model):
    """
    A part of the text: lines of a file of the digest (`file_id`, `path`, `version`), or a passage (`chunk_id`), with
    why it was chosen and the tokens that it takes.
    """

    kind: Literal["index", "summary", "description", "passage"]
    knowledge_base_id: UUID
    title: str
    file_id: UUID | None = None
    path: str | None = None
    version: str | None = None
    chunk_id: UUID | None = None
    why: str
    tokens: int
    statements: list[ContextStatement]


class Contradiction(Model):
    """
    Two statements of an answer, by their places in it from 0, that give one thing different values (`value`), or of
    which one denies the other (`polarity`).

    `between`: two versions of one document, two documents, or two places of one. `sides`: of versions the older first.
    """

    sentences: list[Any]
    kind: Literal["value", "polarity"] = "value"
    between: Literal["versions", "documents", "places"] = "documents"
    sides: Annotated[list[ConflictSide], Field(description="two", validate_default=True)] = []


class Dataset(Model):
    """
    Whole, but for its rows. `source_columns` are those of its tables, which people correct; `stored_steps` transform
    them.
    """

    id: UUID
    knowledge_base_id: UUID
    name: str
    revision: int
    sha256: str
    columns: int
    steps: int
    rows: Annotated[int, Field(description="of its tables, before the steps")]
    missing: int
    may_write: bool
    created_at: AwareDatetime
    updated_at: AwareDatetime
    source_columns: list[DatasetColumn]
    stored_steps: list[
        Annotated[
            FilterStep
            | SelectStep
            | RenameStep
            | DeriveStep
            | GroupStep
            | JoinStep
            | PivotStep
            | MeltStep
            | LogStep
            | StandardiseStep
            | ConvertStep
            | SortStep
            | LimitStep
            | OriginStep
            | LabelsStep
            | FillStep
            | StackStep
            | DistinctStep
            | ShareStep
            | SpreadStep,
            Field(discriminator="op"),
        ]
    ]
    sources: list[DatasetSource]


class DatasetProfile(Model):
    """
    Of a dataset with its steps applied.
    """

    revision: int
    rows: int
    columns: list[ColumnProfile]


class DatasetRevision(Model):
    """
    What a dataset was at a time; `changes`: since the revision before.
    """

    revision: int
    sha256: str
    source_columns: list[DatasetColumn]
    steps: list[
        Annotated[
            FilterStep
            | SelectStep
            | RenameStep
            | DeriveStep
            | GroupStep
            | JoinStep
            | PivotStep
            | MeltStep
            | LogStep
            | StandardiseStep
            | ConvertStep
            | SortStep
            | LimitStep
            | OriginStep
            | LabelsStep
            | FillStep
            | StackStep
            | DistinctStep
            | ShareStep
            | SpreadStep,
            Field(discriminator="op"),
        ]
    ]
    changes: list[SchemaChange]
    author: str
    created_at: AwareDatetime


class DatasetTable(Model):
    """
    A window of a dataset, its steps applied. Dates are ISO text; whole numbers beyond 2**53 are their digits as
    text, since readers of JSON would round them. `lineage` has an entry for each row; `made_of` says
    for each column which places of its source rows it is computed of, and `rows_of` which rows, where not all.
    `decimals`: of columns whose numbers are printed with different ones, by their labels, how many each row's is; null
    where the number is not printed so.
    """

    dataset_id: UUID
    revision: int
    sha256: Annotated[str, Field(description="of its columns and of all steps that were applied")]
    columns: list[DatasetColumn]
    rows: list[list[bool | int | float | str | None]]
    decimals: dict[str, list[int | None]] = {}
    rows_in_all: int
    offset: int
    lineage: list[RowLineage]
    notes: Annotated[
        list[DatasetNote],
        Field(description="with the first rows alone", validate_default=True),
    ] = []


class DeclaredAttribute(Model):
    """
    A name that filters may use, with how many values it has in how many documents.
    """

    name: str
    count: int
    documents: int
    values: Annotated[list[DeclaredValues], Field(description="most frequent first")]
    label: Annotated[str, Field(description="what people call it, where it is declared")] = ""
    type: Annotated[
        Literal["number", "category", "date", "text", "boolean"] | None,
        Field(description="as it is declared; null where nobody declared anything"),
    ] = None
    unit: Annotated[
        str | None,
        Field(description="in which people think of it, where it is declared"),
    ] = None
    allowed: Annotated[list[str], Field(description="the values of a declared category")] = []
    description: str = ""


class DeepHealth(Model):
    """
    `ok` when every check is.
    """

    status: Literal["ok", "degraded"]
    version: str
    checks: list[HealthCheck]


class DiffSection(Model):
    """
    A section of one side; None for what stands before the first section.
    """

    id: UUID | None
    address: str | None
    title: str
    path: list[SectionStep]
    page: int | None
    chunk_id: UUID | None


class DiffSide(Model):
    """
    One of the two versions.
    """

    id: UUID
    name: str
    version: VersionEnvelope


class DigestFile(Model):
    """
    A file whole: its Markdown, and its lines with what they cite.
    """

    id: UUID
    tier: Literal["index", "summary", "description"]
    path: str
    title: str
    topic_id: UUID | None
    parent_id: UUID | None
    version: Annotated[str, Field(description="major.minor.patch")]
    number: Annotated[int, Field(description="which version, from 1")]
    changed_by: Literal["agent", "user", "system"]
    updated_at: AwareDatetime
    content_hash: Annotated[str, Field(description="SHA-256 of what was written")]
    size: int
    limit: int
    statements: int
    stale: int
    uncited: int
    by_people: int
    content: str
    lines: list[DigestLine]


class Document(Model):
    """
    A document version as listed. `revision` counts the changes of its chunks: an edit names the one it is about.

    `source_changed_at`: since when its stored source is known not to be the file that was uploaded. Nothing of it is
    proved then: its tier is red, and its chunks bear the flag `source_changed`.

    `document_date` is what recency counts from, before `created_at`; `document_date_source` says where it was read, or
    that a person `edited` it, which may have left none.
    """

    id: UUID
    knowledge_base_id: UUID
    logical_document_id: UUID
    name: str
    source_type: str
    status: Literal["queued", "running", "ready", "ready_with_errors", "refused", "failed"]
    error: str | None
    needs_password: Annotated[bool, Field(description="it is protected, and no password has opened it")] = False
    tier: Literal["green", "yellow", "red"] | None
    confidence: float | None
    pages: int
    chunks: int
    size: int
    source_hash: str
    source_changed_at: AwareDatetime | None = None
    version: VersionEnvelope
    engine: str | None
    extractor_version: str | None
    embedder_version: str | None
    ingestion_id: UUID | None
    revision: int = 0
    document_date: Annotated[date_aliased | None, Field(description="of a month or a year its first day")] = None
    document_date_unit: Literal["day", "month", "year"] | None = None
    document_date_source: Literal["title_page", "file_name", "metadata", "edited"] | None = None
    document_date_confidence: float | None = None
    document_date_text: Annotated[str | None, Field(description="what it was read from")] = None
    review: Annotated[
        Literal["unreviewed", "approved", "rejected"],
        Field(description="a rejected document answers nothing"),
    ] = "unreviewed"
    reviewed_by: str | None = None
    reviewed_at: AwareDatetime | None = None
    review_note: str | None = None
    created_at: AwareDatetime
    published_at: AwareDatetime | None
    skipped: dict[str, int] = {}
    seconds: float | None = None
    cost_usd: float = 0.0


class DocumentBehind(Model):
    """
    A document with `rows` that are no passages.
    """

    document: DocumentRef
    version: VersionEnvelope
    rows: int


class DocumentChanges(Model):
    """
    `same` chunks say what they said before: their vectors are used again. `items` are the first of the others, as
    this version has them.
    """

    document_id: UUID
    before_id: UUID
    before: VersionEnvelope
    same: int
    added: int
    changed: int
    removed: int
    items: list[ChangedChunk]


class Drawing(Model):
    """
    A plot as it is drawn: a Vega-Lite specification with its data inside, which refers to nothing else. `spec` is
    what was asked for, or chosen where nothing was, without what is as usual. `title` says what is drawn, `alt` what is
    to be seen; `themes` are the configurations of both; `notices` say what is not shown, or shown otherwise.
    """

    spec: dict[str, Any]
    vega_lite: dict[str, Any]
    themes: dict[Literal["light", "dark"], dict[str, Any]]
    title: str
    alt: str
    tables: list[PlotTable]
    notices: list[str]
    dataset_id: UUID
    dataset_revision: int
    dataset_sha256: str


class Erasure(Model):
    """
    A deletion: what was there is shut at once, and goes in slices. `progress` is 0 to 1; `stalled` where nothing was
    done for a while: maintenance goes on with it. In the end there is the certificate, which says when.
    """

    id: UUID
    kind: Literal["knowledge base", "organization"]
    subject: Subject
    status: Literal["running", "ready"]
    requested_at: AwareDatetime | None = None
    progress: float
    stalled: bool = False
    documents: int = 0
    chunks: int = 0
    certificate: Certificate | None = None


class EvalRun(Model):
    """
    A run. `deltas` are differences to the baseline over the questions that both have.
    """

    id: UUID
    knowledge_base_id: UUID
    gold: str
    status: Literal["running", "done"]
    parameters: Parameters
    versions: RunVersions
    total: int
    measured: int
    scores: list[Score]
    deltas: list[Score]
    floors: list[Floor]
    left_out: dict[str, int]
    baseline: bool
    baseline_id: UUID | None
    seconds: float
    author: str
    created_at: AwareDatetime
    finished_at: AwareDatetime | None


class Facet(Model):
    """
    One attribute in one unit. `rest` is the filter without its conditions, `narrowed` whether it has any; `written`
    is its name as filters have it.
    """

    name: str
    written: str
    kind: Literal["category", "boolean", "number", "date"]
    unit: Annotated[
        str | None,
        Field(description="as filters take it; ranges, `low` and `high` are in it"),
    ] = None
    chunks: Annotated[int, Field(description="of the result that have it")]
    values: Annotated[
        list[FacetValue],
        Field(description="most frequent first", validate_default=True),
    ] = []
    further: Annotated[int, Field(description="values that are not listed")] = 0
    ranges: Annotated[list[FacetRange], Field(validate_default=True)] = []
    low: float | date_aliased | None = None
    high: float | date_aliased | None = None
    rest: str = ""
    narrowed: bool = False


class Facets(Model):
    """
    Of `chunks` chunks: all that pass the filters (`matches`), or those that a query ranked (`candidates`).
    """

    counted: Literal["matches", "candidates"]
    chunks: int
    attributes: list[Facet]


class FolderImported(Model):
    """
    What became of the files: a person's edits, and what conflicts, of which nothing was changed.
    """

    files: list[ImportedFile]
    unchanged: int
    conflicts: list[FolderConflict]
    dry_run: bool


class ImportJob(Model):
    """
    An import: it waits for its archive, and runs once that was sent; `progress` is 0 to 1.
    """

    id: UUID
    status: Literal["waiting", "running", "ready", "failed"]
    requested_at: AwareDatetime
    bytes: int
    progress: float = 0
    error: str | None = None
    knowledge_bases: Annotated[list[ImportedBase], Field(validate_default=True)] = []


class IndexTrace(Model):
    """
    One index: how it was read, its weight in the fusion (null where nothing is fused), what it found.
    """

    name: Literal["lookup_section", "fts_search", "vector_search", "rerank"]
    plan: str
    exact: bool = True
    figures: dict[str, Any] = {}
    weight: float | None = None
    candidates: list[TracedCandidate]


class Ingestion(Model):
    """
    An ingestion with its progress; `status` is the document's. `eta_seconds` is None while unknown.

    `needs_password`: the file is protected, and no password has opened it. `parcel` is there for a ZIP file of files,
    which is no document: it is `ready` when all of them are unpacked. They have ingestions of their own, with its id as
    `parcel_id`.
    """

    id: UUID
    knowledge_base_id: UUID
    document_id: UUID | None
    filename: str
    status: Literal["queued", "running", "ready", "ready_with_errors", "refused", "failed"] | Literal["waiting"]
    duplicate: bool = False
    engine: str
    error: str | None = None
    needs_password: bool = False
    stages: list[StageProgress]
    pages: int | None = None
    eta_seconds: float | None = None
    cost_usd: float = 0.0
    parcel_id: UUID | None = None
    parcel: ParcelProgress | None = None
    created_at: AwareDatetime
    finished_at: AwareDatetime | None = None


class Invitation(Model):
    """
    An invitation that nobody has accepted so far, and who may be meant by it.
    """

    id: UUID
    email: str
    name: str
    role: Literal["owner", "admin", "editor", "viewer"]
    created_at: AwareDatetime
    invited_at: AwareDatetime | None
    waiting: list[WaitingSignIn]


class KeptRow(Model):
    """
    A row of a long table that is no passage, with those of its cells that have text. `row` is its number in its
    sheet, `range` its cells there (`A652:D652`), `page` its part of the document; `flags` as of a passage: whether its
    source hides it.
    """

    page: int
    row: int
    sheet: str
    range: str
    cells: list[NamedCell]
    flags: list[str] = []


class MonthCosts(Model):
    """
    Answer of `GET /v1/usage/costs`. The sums and stages are the organization's, deleted documents included;
    `documents` are those that are there, the dearest first. `prices_of` says whose prices the run time has.
    """

    month: date_aliased
    model_usd: float
    compute_usd: float | None
    prices_of: str | None
    stages: list[StageCost]
    documents: list[DocumentCost]


class PageBox(Model):
    """
    The part of a chunk that stands on one page, in one column. `ticks` are left out where there are none.
    """

    x: float
    y: float
    w: float
    h: float
    kind: Literal["page"] = "page"
    page: int
    fragment_ids: list[str] = []
    ticks: Annotated[list[Tick], Field(validate_default=True)] = []


class PartPicture(Model):
    """
    A picture in a source without pages. `id` is the SHA-256 of its bytes, `name` what the file calls it; `place` is
    where it stands in the text. The size is in pixels, 0 where it is `unread`; `share` is how much of a page it covers
    as it is drawn, 0..1.
    """

    id: str
    name: str
    place: TextRange
    width: int = 0
    height: int = 0
    bytes: int = 0
    share: float = 0.0
    unread: Literal["vector", "unknown", "too_large", "damaged"] | None = None
    reading: PictureReading | None = None


class PlanUsage(Model):
    """
    Answer of `GET /v1/usage`: this month against the plan. `limit` of pages has the packs in it. `operator`: whether
    whoever asks gives plans to all organizations.
    """

    plan: Literal["free", "personal", "pro", "enterprise", "unlimited"]
    month: date_aliased
    resets_on: date_aliased
    mcp: bool
    mcp_calls: Annotated[int, Field(description="calls of assistants this month")]
    requests_a_minute: int | None
    lines: list[UsageLine]
    packs: list[PagePack]
    days: list[UsageDay]
    model_usd_today: float
    model_usd_per_day: float | None
    operator: bool


class Plot(Model):
    """
    A plot as it is stored. `sha256` is that of its specification as canonical JSON; `dataset_revision` and
    `dataset_sha256` are what the dataset was when it was drawn, `dataset_changed` says that it is another one now.
    """

    id: UUID
    knowledge_base_id: UUID
    dataset_id: UUID
    dataset: str
    name: str
    spec: PlotSpec
    sha256: str
    dataset_revision: int
    dataset_sha256: str
    dataset_changed: bool
    may_write: bool
    created_at: AwareDatetime
    updated_at: AwareDatetime


class Proposed(Model):
    """
    A declaration that what was read suggests. `recommended`: it is frequent enough to be accepted unseen.

    `conflicts` say what does not fit together. `maybe` are printed names that may mean the same and were not merged.
    """

    declaration: DeclarationOutput
    recommended: bool
    count: int
    documents: int
    coverage: Annotated[float, Field(description="of the documents that have any attribute")]
    low: Annotated[float | None, Field(description="in the canonical unit")] = None
    high: float | None = None
    distinct: Annotated[int, Field(description="different texts, of those counted")] = 0
    texts: Annotated[list[SeenText], Field(validate_default=True)] = []
    names: list[PrintedName]
    conflicts: list[str] = []
    maybe: list[str] = []
    examples: Annotated[list[Example], Field(validate_default=True)] = []


class QuestionResult(Model):
    """
    One question, measured.

    `missing` are documents of its gold that the knowledge base does not have; `skipped` means that no other place was
    left to find, and that the run leaves out such questions.
    """

    key: str
    question: str
    kind: Literal["answerable", "negative"]
    level: Literal["chunk", "page", "document"]
    pin: str | None = None
    expected: list[str] = []
    grades: list[int] = []
    missing: list[str] = []
    skipped: bool = False
    indexes: Annotated[
        dict[Literal["fts", "vector", "hybrid", "lookup"], IndexResult],
        Field(validate_default=True),
    ] = {}
    attribute: AttributeResult | None = None
    refused: bool | None = None
    confidence: float | None = None


class RedriveReport(Model):
    """
    What was started, and whether more failed documents are left.
    """

    items: list[Restarted]
    more: bool


class ReportedEvent(Model):
    """
    An event as it is stored. `duplicate`: it was there before; `files`: those of the digest that state it now.
    """

    id: UUID
    knowledge_base_id: UUID
    kind: str
    subject: str
    at: AwareDatetime
    values: dict[str, Any]
    key: str
    reporter: str
    created_at: AwareDatetime
    duplicate: bool = False
    files: Annotated[list[StatedIn], Field(validate_default=True)] = []


class ResultCell(Model):
    """
    A cell of a result table. `dataset`, `metric` and `system` are read from its headers, its row and its caption, as
    printed; "" for what none of them says. `row` and `column` count from 0 in the table's grid.
    """

    dataset: str
    metric: str
    system: str
    raw: str
    quantity: Quantity
    chunk_id: Annotated[UUID, Field(description="of its row, or of the table where that has none")]
    table_id: UUID
    row: int
    column: int
    caption: str = ""
    page: int | None = None
    boxes: Annotated[
        list[Annotated[PageBox | SheetBox | TextBox, Field(discriminator="kind")]],
        Field(validate_default=True),
    ] = []


class ResultTable(Model):
    """
    The hits as a table, in their order.
    """

    columns: list[TableColumn]
    rows: list[TableRow]


class ReviewItem(Model):
    """
    Something to look at: a flagged passage, or a page that is yellow or red. A page has no chunk, type or boxes.
    """

    kind: Literal["chunk", "page"]
    document_id: UUID
    document_name: str
    page: int | None
    chunk_id: UUID | None
    chunk_type: (
        Literal[
            "text",
            "list",
            "code",
            "formula",
            "caption",
            "footnote",
            "heading",
            "table",
            "table_row",
            "figure",
            "structured",
        ]
        | None
    )
    section: str | None
    content: str
    boxes: list[Annotated[PageBox | SheetBox | TextBox, Field(discriminator="kind")]]
    flags: list[str]
    confidence: float
    worst: Annotated[
        float,
        Field(description="what the list is sorted by: the lower one of its page's confidence and its own"),
    ]
    ordinal: int


class RowBehind(Model):
    """
    A row of a long table that is no passage, as a search lists it. An answer cites it by its `id`; `words` are those
    of the query that stand in it.
    """

    page: int
    row: int
    sheet: str
    range: str
    cells: list[NamedCell]
    flags: list[str] = []
    id: UUID
    knowledge_base_id: UUID
    table_id: UUID
    document: DocumentRef
    version: VersionEnvelope
    words: list[str]


class RowsBehind(Model):
    """
    The rows of long tables in scope that are no passages: `rows` of them, in `document_count` documents, of which
    those with the most are listed. They are not ranked, and meaning does not find them: words do.

    `sought` are the words of the query that were looked for; none where an index or a filter was asked for that such
    rows have no part in. `hits`: the first rows that have all of those that some block has, then those with a code
    among them. `before_hits`: the first of them has all words of the query, or all its codes, and no ranked passage
    does, so that it is shown above these. `absent`: words that none has. `more`: others may have them too. `unread`:
    rows of which nothing is known until their document is reingested.
    """

    rows: int
    document_count: int
    documents: list[DocumentBehind]
    sought: list[str] = []
    absent: list[str] = []
    hits: Annotated[list[RowBehind], Field(validate_default=True)] = []
    before_hits: bool = False
    more: bool = False
    unread: int = 0


class SchemaDiff(Model):
    """
    From one version to another, by attribute.
    """

    before: int
    after: int
    changes: list[AttributeChange]
    estimate: BackfillEstimate | None = None


class SchemaState(Model):
    """
    The schema that holds. `open`: nobody has declared anything, and every attribute that is read counts.
    """

    knowledge_base_id: UUID
    version: int
    open: bool
    attributes: list[DeclarationOutput]
    counts: list[AttributeCounts]
    documents: int
    backfill: Backfill | None = None


class Section(Model):
    """
    A section with its path from the document's top down to itself; `depth` from 1.
    """

    id: UUID
    address: str | None
    title: str
    path: list[SectionStep]
    depth: int


class SharedCitation(Model):
    """
    Where a statement stands, and what stands there.
    """

    chunk_id: UUID
    document: str
    version: str | None
    section: Annotated[str, Field(description="its path, from the top; empty: none")]
    page: int | None
    text: str
    kept_row: Annotated[KeptRow | None, Field(description="of a row of a long table that is no passage")] = None


class SharedNotebook(Model):
    """
    A notebook as it was when it was shared, as far as who shares it may see it now.
    """

    title: str
    shared_at: AwareDatetime
    expires_at: AwareDatetime
    cells: list[SharedCell]
    sources: list[SharedSource]


class SkippedDraft(Model):
    """
    Text left out of the chunks, with its reason: shown in the inspector on demand.
    """

    page: int
    reason: Literal[
        "header",
        "footer",
        "page_number",
        "watermark",
        "repeated_table_header",
        "contents",
        "decoration",
        "invisible",
        "quoted",
        "signature",
        "boilerplate",
    ]
    text: str
    box: Annotated[PageBox | SheetBox | TextBox, Field(discriminator="kind")]


class SourceCell(Model):
    """
    A printed cell: its text, the passage to cite it by (null where its row is none), and its box.
    """

    id: str
    table_id: UUID
    row: int
    column: int
    text: str
    chunk_id: UUID | None
    document_id: UUID
    knowledge_base_id: UUID
    document: str
    version: Annotated[str, Field(description="what people call it, else its number from 1")]
    page: int | None
    box: PageBox | SheetBox | TextBox | None


class SummaryStatement(Model):
    """
    A statement of one field. `id` is the same in every version that states it.

    `origin` extracted: verbatim, characters `start` up to `end` of its one chunk; written: by a model, from the chunks
    that it cites; person: by `author`, verbatim where it has `start` and `end`. `found_by` names what spoke for it:
    heading, phrase, value, caption. `boxes` are those of the chunks that it cites; `tests` the statistical tests that
    it names. `shown` is the text as people read it: a word that a line's end divides is one.
    """

    id: str
    field: Literal["objective", "setup", "dataset", "metrics", "results", "stats", "limits", "confounds"]
    text: str
    shown: str = ""
    chunk_ids: list[UUID]
    start: int | None = None
    end: int | None = None
    page: int | None = None
    boxes: Annotated[
        list[Annotated[PageBox | SheetBox | TextBox, Field(discriminator="kind")]],
        Field(validate_default=True),
    ] = []
    origin: Literal["extracted", "written", "person"] = "extracted"
    found_by: list[str] = []
    section: str = ""
    values: Annotated[list[SummaryValue], Field(validate_default=True)] = []
    tests: list[str] = []
    edit_id: UUID | None = None
    author: str | None = None
    stale: Annotated[bool, Field(description="a passage that it cites is not there any more")] = False


class TableCell(Model):
    """
    A cell of a table: its verbatim text, and where it stands (on two pages where a page break divides its row).

    `formula` is there where the cell of a spreadsheet has one, "" where it cannot be read; `calculated` where it is
    false: nobody has calculated the formula, and the cell has no text.
    """

    text: str
    boxes: list[Annotated[PageBox | SheetBox | TextBox, Field(discriminator="kind")]]
    row_span: int = 1
    col_span: int = 1
    formula: str | None = None
    calculated: bool = True
    fragment_ids: list[str]


class TableGrid(Model):
    """
    A table, whole; the first `header_rows` rows are its header. A row lists the cells that begin in it, from the
    left: a cell above that reaches into it takes its place, as in HTML.
    """

    id: UUID
    caption: str
    header_rows: int
    first_page: int
    last_page: int
    rows: list[list[TableCell]]


class Trace(Model):
    """
    A stored trace, whole. `parameters` is the request: sending it again replays the call.
    """

    id: UUID
    operator: Literal["search", "lookup", "ask"]
    query: str
    knowledge_base_ids: list[UUID]
    latency_ms: float
    request_id: str | None = None
    created_at: AwareDatetime
    steps: Annotated[list[Step], Field(validate_default=True)] = []
    selection: SelectionTrace | None = None
    embedder_version: str | None = None
    indexes: Annotated[list[IndexTrace], Field(validate_default=True)] = []
    ranking: Annotated[list[RankedCandidate], Field(validate_default=True)] = []
    dropped: Annotated[list[Dropped], Field(validate_default=True)] = []
    hits: Annotated[list[TracedHit], Field(validate_default=True)] = []
    notes: Annotated[dict[str, Any], Field(description="decisions with the figures behind them")] = {}
    parameters: dict[str, Any]


class Versions(Model):
    """
    All versions of a logical document, oldest first.
    """

    logical_document: LogicalDocumentRef
    items: list[Document]


class WrittenGroupStatement(Model):
    """
    A statement that a model wrote of a group; its passages bear it out.
    """

    id: str
    field: Literal["objective", "setup", "dataset", "metrics", "results", "stats", "limits", "confounds"]
    text: str
    sources: list[WrittenSource]
    values: Annotated[list[SummaryValue], Field(validate_default=True)] = []
    stale: Annotated[bool, Field(description="a passage that it cites is not there any more")] = False


class AskedErasure(Model):
    """
    `ticket`: the secret by which whoever asked reads what became of it, after an organization is gone too.
    """

    id: UUID
    kind: Literal["knowledge base", "organization"]
    subject: Subject
    status: Literal["running", "ready"]
    requested_at: AwareDatetime | None = None
    progress: float
    stalled: bool = False
    documents: int = 0
    chunks: int = 0
    certificate: Certificate | None = None
    ticket: str


class CellSources(Model):
    """
    The printed cells that a cell of a result is made of, those that you may see: `cells` of at most 200 rows.
    `rows` is how many rows it is made of in truth.
    """

    label: str
    value: bool | int | float | str | None
    rows: int
    cells: list[SourceCell]


class Chunk(Model):
    """
    A chunk, whole. `content` is verbatim; `section_id` is the printed address of its section.

    `table_id` and `row` (from 0, header rows counted) say which row of which table a `table_row` is; `table` is the
    grid, on a chunk of type `table` in a document's list of chunks. `labelled`: a row of a table with each cell after
    its column's header (`Class: S | Minimum mass (kg): 372`); null where that says nothing more.
    `formulas` are there where cells of a spreadsheet that the chunk stands in have some, but for a whole table, whose
    grid has them.
    """

    id: UUID
    document_id: UUID
    knowledge_base_id: UUID
    ordinal: int
    chunk_type: Literal[
        "text",
        "list",
        "code",
        "formula",
        "caption",
        "footnote",
        "heading",
        "table",
        "table_row",
        "figure",
        "structured",
    ]
    content: str
    section_id: str | None
    section: Section | None
    boxes: list[Annotated[PageBox | SheetBox | TextBox, Field(discriminator="kind")]]
    attrs: dict[str, Any] = {}
    keywords: list[str] = []
    date: AwareDatetime | None = None
    confidence: float
    flags: list[str] = []
    ocr: bool = False
    table_id: UUID | None = None
    row: int | None = None
    labelled: str | None = None
    table: TableGrid | None = None
    formulas: list[CellFormula] | None = None
    marked: Annotated[
        str | None,
        Field(
            description="The content with ☒ and ☐ where the page draws boxes to tick, and with the numbers that lists show and nobody\ntyped; None where there are none."
        ),
    ]


class ComparedCell(Model):
    """
    One value in a comparison, with the document that states it.
    """

    document_id: UUID
    document: str
    cell: ResultCell


class ComparedRow(Model):
    """
    A row of a comparison: by place in `columns`, the cells that give this metric on this dataset. Where a table
    names no dataset its `caption` says what it is of, and no other table has part in the row.
    """

    dataset: str
    caption: str = ""
    metric: str
    unit: str | None
    cells: list[list[ComparedCell]]
    disagree: Annotated[
        list[bool],
        Field(description="by place in `columns`: documents give different values"),
    ]
    printed_of: Annotated[
        list[int],
        Field(description="what its shares are printed of: 1, 100 or, in different tables, both; compared as one"),
    ] = []


class Context(Model):
    """
    `text` is what to give to a model: `tokens` of it, as `counted_by` counts (`estimate` is never below). `[1]` in
    it is a number of `sources`. `left_out` lists the first 100 of `left_out_count`. `digests` counts those of the
    knowledge bases asked that have one.
    """

    task: str
    budget_tokens: int
    tokens: int
    counted_by: str
    text: str
    parts: list[ContextPart]
    sources: list[ContextSource]
    left_out: list[LeftOut]
    left_out_count: int
    digests: int
    knowledge_bases: int
    trace_id: UUID


class DiffChunk(Model):
    """
    A chunk of one side, and where to look at it.
    """

    chunk_id: UUID
    chunk_type: Literal[
        "text",
        "list",
        "code",
        "formula",
        "caption",
        "footnote",
        "heading",
        "table",
        "table_row",
        "figure",
        "structured",
    ]
    page: int | None
    boxes: list[Annotated[PageBox | SheetBox | TextBox, Field(discriminator="kind")]]


class DiffPart(Model):
    """
    A passage of a section in both versions, or in one of them.

    `words` are the whole text with what was taken out and put in; empty where nothing differs. `meaning` and `flags`
    are about a changed passage: `same` for a small change of wording (`diff_wording.is_small`), `changed` for any more
    than that. `similarity` is of its words, `cosine` of the stored vectors; None without a counterpart, or without
    vectors of one embedder.
    """

    status: Literal["unchanged", "moved", "changed", "added", "removed"]
    meaning: Literal["same", "changed"] | None = None
    flags: list[Literal["numbers", "units", "limits", "negation", "modality"]] = []
    similarity: float | None = None
    cosine: float | None = None
    words: Annotated[list[WordRun], Field(validate_default=True)] = []
    a: DiffChunk | None
    b: DiffChunk | None


class DigestAsset(Model):
    """
    A figure or table that a file's statements cite, by a row of it or by its number. `path` is where an exported
    folder has it; `caption` is as printed. Of a table `rows` are its first ones, header rows first, of `row_count`.
    """

    kind: Literal["figure", "table"]
    path: str
    caption: str
    page: int | None
    rows: list[list[str]] = []
    row_count: int = 0
    header_rows: int = 0
    chunk: Chunk
    document: DocumentRef
    version: VersionEnvelope


class DigestSource(Model):
    """
    What `number` stands for in the file. A passage has its chunk, document and version; those are null where it is
    gone, and of other kinds, of which `label` says what it is.
    """

    number: int
    kind: Literal["chunk", "document", "event", "run"]
    source_id: UUID
    standing: Literal["current", "superseded", "corrected", "changed", "rejected", "deleted"]
    label: str
    chunk: Chunk | None = None
    document: DocumentRef | None = None
    version: VersionEnvelope | None = None


class DigestSources(Model):
    """
    In the order of their numbers; `assets` are the figures and tables that are cited.
    """

    items: list[DigestSource]
    assets: Annotated[list[DigestAsset], Field(validate_default=True)] = []


class DrawnPlot(Model):
    """
    A stored plot with its drawing, of the dataset as it is now.
    """

    plot: Plot
    drawing: Drawing


class EditResult(Model):
    """
    Answer of an edit or its undoing: the document's revision, the chunks there are now where it changed something,
    and the ids of those that are no more.
    """

    edit: EditRow
    revision: int
    chunks: list[Chunk]
    removed: list[UUID]


class FieldSummary(Model):
    """
    A field: its statements in the document's order, or `missing`, with where it was looked for.
    """

    field: Literal["objective", "setup", "dataset", "metrics", "results", "stats", "limits", "confounds"]
    state: Literal["stated", "missing"]
    statements: Annotated[list[SummaryStatement], Field(validate_default=True)] = []
    confidence: FieldConfidence | None = None
    searched: Searched


class FoundSection(Model):
    """
    A section that an address resolved to. `exact`: printed so, and not only an alias, as one without its letter.

    `told_by` is the section of its document with the same address that has the text, where this one has none (as an
    entry of a list): its chunks are then not among the hits.
    """

    section: Section
    document: DocumentRef
    version: VersionEnvelope | None
    exact: bool = True
    told_by: UUID | None = None


class GroupSource(Model):
    """
    A document that says a statement of the group, as it says it there.
    """

    document_id: UUID
    document: str
    statement: SummaryStatement


class GroupStatement(Model):
    """
    A statement of a group, in the words of the first document that says it; `said_by` has every one, by order.
    """

    id: str
    field: Literal["objective", "setup", "dataset", "metrics", "results", "stats", "limits", "confounds"]
    text: str
    said_by: list[GroupSource]


class Hit(Model):
    """
    A chunk that a query found, with every index that found it; a file that lies in several knowledge bases gives one
    hit, with its `other_places`. `corrected_by`: what was written since against it, oldest first.

    `kept_row`: the hit of an answer is this row of a long table, which is no passage. The id of its chunk names the row
    in its table as long as that holds the same rows; there is no chunk to be read by it.
    """

    chunk: Chunk
    document: DocumentRef
    score: float
    indexes: list[IndexRank]
    boosts: Annotated[list[Boost], Field(validate_default=True)] = []
    version: VersionEnvelope | None = None
    other_places: Annotated[list[OtherPlace], Field(validate_default=True)] = []
    corrected_by: Annotated[list[CorrectingNote], Field(validate_default=True)] = []
    kept_row: KeptRow | None = None


class InspectedPage(Model):
    """
    One page with its chunks, what was skipped, and where its image is.

    `provisional`: the document is still being read and `items` are drafts; ids, sections and what goes over several
    pages follow with the stored chunks.
    `fragments` (the page file) and `operations` are there when asked for with `?include=fragments,operations`.
    `kept` is there for a part with rows that are no passages, when asked for with `?row=`: those around that row are
    then among the fragments, and below the part's table in the operations, as if they were stored there.
    `formulas` are those of a sheet's cells, and `uncalculated` is how many nobody has calculated, so that they have no
    value; `pictures` are those of a part without pages, and `left_out` how many are left out, by reason: told where
    fragments are asked for.
    """

    page: int
    label: str | None = None
    width_pt: float | None
    height_pt: float | None
    route: str | None
    status: Literal["queued", "rendered", "parsed", "extracted", "ready", "failed"]
    confidence: float | None
    flags: list[str]
    chunks: int
    error: str | None = None
    engine: str | None = None
    engine_note: str | None = None
    document_id: UUID
    image_url: str | None
    thumbnail_url: str | None
    items: list[Chunk]
    provisional: bool = False
    skipped: list[SkippedDraft]
    unclaimed: int
    fragments: list[dict[str, Any]] | None = None
    operations: list[dict[str, Any]] | None = None
    kept: KeptWindow | None = None
    formulas: Annotated[list[CellFormula], Field(validate_default=True)] = []
    uncalculated: int = 0
    pictures: Annotated[list[PartPicture], Field(validate_default=True)] = []
    left_out: dict[Literal["small", "repeated", "beyond", "remote"], int] = {}


class ListedSummary(Model):
    """
    A summary in a list: how many statements each field has, which fields are missing, and which statements and cells
    passed the filter.
    """

    id: Annotated[UUID, Field(description="of its document")]
    document: str
    version: int
    engine: str
    author: str
    created_at: AwareDatetime
    stale: list[Literal["superseded", "changed", "rejected"]] = []
    counts: dict[Literal["objective", "setup", "dataset", "metrics", "results", "stats", "limits", "confounds"], int]
    missing: list[Literal["objective", "setup", "dataset", "metrics", "results", "stats", "limits", "confounds"]]
    cells: int
    statements_found: Annotated[list[SummaryStatement], Field(validate_default=True)] = []
    cells_found: Annotated[list[ResultCell], Field(validate_default=True)] = []


class LookupResult(Model):
    """
    Answer of `lookup`: the sections, and their chunks in document order.
    """

    query: str
    trace_id: UUID
    latency_ms: float
    sections: list[FoundSection]
    hits: list[Hit]


class MarkSource(Model):
    """
    What stands behind a mark: `rows` of the dataset, and the printed cells of at most 200 of them, as far as you may
    see them.
    """

    mark: int
    title: str
    rows: int
    cells: list[SourceCell]


class NotebookSource(Model):
    """
    What cells cite: a passage, its document and version, and where it stands there.
    """

    number: int
    chunk_id: UUID
    chunk_type: str
    document_id: UUID
    document: str
    source_hash: str
    version: VersionEnvelope
    section: Annotated[str, Field(description="its path, from the top; empty: none")]
    page: int | None
    boxes: list[Annotated[PageBox | SheetBox | TextBox, Field(discriminator="kind")]]
    text: str
    corrected_by: Annotated[list[CorrectingNote], Field(validate_default=True)] = []
    kept_row: Annotated[
        int | None,
        Field(description="its number in its sheet, where it is a row of a long table and no passage"),
    ] = None


class Proposal(Model):
    """
    Most covering first. `version` is that of the schema beside which it stands: what is declared is not proposed.
    """

    version: int
    documents: int
    proposed: list[Proposed]


class SearchResult(Model):
    """
    Answer of `search`. `corrections` maps misspelt words of the query to those that were looked for instead;
    `facets` and `table` are there where they were asked for; `rows_behind` where documents in scope have rows that are
    no passages.
    """

    query: str
    trace_id: UUID
    latency_ms: float
    hits: list[Hit]
    corrections: dict[str, str] = {}
    facets: Facets | None = None
    table: ResultTable | None = None
    rows_behind: RowsBehind | None = None


class SharedAnswer(Model):
    """
    An answer for whoever has the link, as far as who shares it may see it now.
    """

    answer: str
    mode: Literal["quotations", "answer"]
    model: str | None
    insufficient_evidence: bool
    sentences: list[SharedSentence]
    citations: list[SharedCitation]
    contradictions: list[Contradiction]
    created_at: AwareDatetime


class SharedMessage(Model):
    """
    A question of a shared conversation, with its answers.
    """

    question: str
    asked_as: str | None
    answers: list[SharedAnswer]


class SharedThread(Model):
    """
    A conversation as it was when it was shared.
    """

    title: str
    shared_at: AwareDatetime
    expires_at: AwareDatetime
    messages: list[SharedMessage]


class ShownAnswer(Model):
    """
    An answer as it was given, as far as whoever reads may see now what it cites. `no_longer_visible` are the chunks
    that it cited and that are gone or hidden from them. `hits` are those that it cites; the trace has all.
    """

    answer: str
    sentences: list[ShownSentence]
    citations: list[Hit]
    hits: list[Hit]
    insufficient_evidence: bool
    contradictions: Annotated[list[Contradiction], Field(validate_default=True)] = []
    confidence: float
    trace_id: UUID
    corrections: dict[str, str] = {}
    mode: Literal["quotations", "answer"] = "quotations"
    model: str | None = None
    usd: float = 0.0
    insufficiency: Insufficiency | None = None
    widening: Annotated[
        list[Widening],
        Field(
            description="where nothing answers: also search these? Nothing of them is in the answer",
            validate_default=True,
        ),
    ] = []
    rows_behind: Annotated[
        RowsBehind | None,
        Field(description="rows that are no passages and have words of the question: none is in the answer"),
    ] = None
    no_longer_visible: list[UUID] = []


class SummaryChange(Model):
    """
    A statement that one version has and the other has not. `changed`: `after` stands in the place of `before`.
    """

    kind: Literal["added", "removed", "changed"]
    field: Literal["objective", "setup", "dataset", "metrics", "results", "stats", "limits", "confounds"]
    before: SummaryStatement | None = None
    after: SummaryStatement | None = None


class SummaryChanges(Model):
    """
    What differs from version `former` to version `later`: statements in the order of fields, and how many result
    cells only one of them has.
    """

    former: int
    later: int
    changes: list[SummaryChange]
    cells_added: int
    cells_removed: int


class ThreadAnswer(Model):
    """
    One answer to a question of a conversation.
    """

    id: UUID
    answer: ShownAnswer
    feedback: Feedback | None
    created_at: AwareDatetime


class WholeNotebook(Model):
    """
    A version of a notebook, the latest one unless another was asked for; `sources` in the order of their numbers.
    """

    id: UUID
    knowledge_base_id: UUID
    title: str
    revision: int
    latest: Annotated[int, Field(description="the number of the latest version")]
    may_write: bool
    author: Annotated[str, Field(description="who made this version")]
    created_at: AwareDatetime
    updated_at: Annotated[AwareDatetime, Field(description="when this version was made")]
    cells: list[ShownCell]
    sources: list[NotebookSource]


class WrittenGroup(Model):
    """
    What a model wrote of a group, in its version `version`. `changed`: documents whose summary is another one now,
    or does not hold any more; while there are any, it may not hold either.
    """

    statements: Annotated[list[WrittenGroupStatement], Field(validate_default=True)] = []
    version: int
    newest: int
    engine: str
    usd: float
    author: str
    created_at: AwareDatetime
    changed: list[str]


class Answer(Model):
    """
    Answer of `ask`. Where nothing answers there are no sentences, and `answer` says so.

    `mode` quotations: statements quoted word for word, the best first; answer: sentences that `model` wrote, each borne
    out by what it cites, for `usd` US dollars.

    `hits` is everything that the search behind it found; `citations` are those that the answer stands on.
    `confidence` is the estimated probability that the documents answer the question; it does not speak of a single
    statement. `corrections` maps misspelt words of the question to those that were looked for instead.
    """

    answer: str
    sentences: list[AnswerSentence]
    citations: list[Hit]
    hits: list[Hit]
    insufficient_evidence: bool
    contradictions: Annotated[list[Contradiction], Field(validate_default=True)] = []
    confidence: float
    trace_id: UUID
    corrections: dict[str, str] = {}
    mode: Literal["quotations", "answer"] = "quotations"
    model: str | None = None
    usd: float = 0.0
    insufficiency: Insufficiency | None = None
    widening: Annotated[
        list[Widening],
        Field(
            description="where nothing answers: also search these? Nothing of them is in the answer",
            validate_default=True,
        ),
    ] = []
    rows_behind: Annotated[
        RowsBehind | None,
        Field(description="rows that are no passages and have words of the question: none is in the answer"),
    ] = None


class AskedMessage(Model):
    """
    A question as it was typed, and as it was asked where that is another text; its answers, the first one first:
    none where it could not be answered.
    """

    id: UUID
    question: str
    asked_as: str | None
    scope: AskScope
    answers: list[ThreadAnswer]
    created_at: AwareDatetime


class DiffItem(Model):
    """
    A section in both versions, or in one of them.

    `moved`: it has another number, or stands below another section, than before; a changed section may be moved too.
    `parts` are its passages that differ; unchanged ones are only counted, in `unchanged_parts`.
    """

    status: Literal["unchanged", "moved", "changed", "added", "removed"]
    moved: bool
    meaning: Literal["same", "changed"] | None
    flags: list[Literal["numbers", "units", "limits", "negation", "modality"]]
    similarity: float | None
    a: DiffSection | None
    b: DiffSection | None
    parts: list[DiffPart]
    unchanged_parts: int


class ExperimentSummary(Model):
    """
    The summary of a document, in its version `version`. `stale` says why it may not hold any more.
    """

    document_id: UUID
    knowledge_base_id: UUID
    document: str
    version: int
    newest: Annotated[int, Field(description="the version that is shown")]
    reason: Literal["made", "rebuilt", "edited", "restored"]
    engine: str
    usd: float = 0.0
    author: str
    created_at: AwareDatetime
    stale: list[Literal["superseded", "changed", "rejected"]] = []
    fields: list[FieldSummary]
    cells: list[ResultCell]


class GroupField(Model):
    """
    A field over a group. `coverage` is the share of its documents that state it; `confidence` is the mean of the
    documents' own, 0 for one that does not state it. `missing_in` names those.
    """

    field: Literal["objective", "setup", "dataset", "metrics", "results", "stats", "limits", "confounds"]
    state: Literal["stated", "missing"]
    statements: list[GroupStatement]
    coverage: float
    confidence: float
    missing_in: list[str]


class GroupSummary(Model):
    """
    One summary of several documents. It is put together from theirs when it is read: what people changed there is
    in it, and it is as stale as they are. Values are never averaged; `left_out` counts rows. `written` is what a model
    wrote of them, where it was asked to.
    """

    documents: list[GroupMember]
    without_summary: Annotated[
        list[UUID],
        Field(description="documents that have none yet, and count for nothing here"),
    ]
    fields: list[GroupField]
    columns: list[str]
    rows: list[ComparedRow]
    left_out: int = 0
    written: WrittenGroup | None = None


class WholeThread(Model):
    """
    A conversation with its messages, oldest first.
    """

    id: UUID
    title: str
    scope: AskScope
    questions: int
    created_at: AwareDatetime
    updated_at: AwareDatetime
    messages: list[AskedMessage]


class Diff(Model):
    """
    From version `a` to version `b`: every section, in the order of `b`, removed ones behind what preceded them.

    `vectors`: whether passages could be compared by meaning too (both versions have vectors of one embedder).
    """

    a: DiffSide
    b: DiffSide
    vectors: bool
    summary: DiffSummary
    items: list[DiffItem]


class ExperimentComparison(Model):
    """
    Summaries side by side: what each states of each field, and the metrics by system. Which values are better is
    not known, so none is marked. `left_out`: rows that `limit` left out.
    """

    summaries: list[ExperimentSummary]
    columns: list[str]
    rows: list[ComparedRow]
    without_summary: Annotated[list[UUID], Field(description="documents that have none yet")]
    left_out: int = 0
