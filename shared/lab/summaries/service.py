"""Experiment summaries as people use them: made, shown, listed, compared and edited.

Every change is a version of its own, whole; what says the same as before is no version. Whether a summary still holds
is looked up when it is read.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from shared import telemetry
from shared.access import changing, check_knowledge_base, find_document, find_place, reading
from shared.answering.threads.models import pick_model
from shared.domain.experiments import (
    FIELDS,
    ExperimentComparison,
    ExperimentSummary,
    FieldSummary,
    ListedSummary,
    NewSummaryEdit,
    Searched,
    StaleReason,
    SummaryBody,
    SummaryChanges,
    SummaryEdit,
    SummaryFilter,
    SummaryStatement,
    SummaryVersion,
)
from shared.domain.knowledge import Chunk
from shared.domain.scope import Identity
from shared.errors import BadInput, Conflict, NotFound
from shared.lab.summaries.changes import list_changes
from shared.lab.summaries.comparing import compare as compare_cells
from shared.lab.summaries.confidence import confidence_of
from shared.lab.summaries.editing import CITE, as_found, check_borne_out, lay_over
from shared.lab.summaries.restoring import restore_edits
from shared.lab.summaries.showing import read_body
from shared.lab.summaries.statements import ENGINE
from shared.lab.summaries.writing import write_fields
from shared.ports import Answerer
from shared.runtime import Runtime
from shared.store import library
from shared.store import summaries as rows
from shared.store.audit import note
from shared.store.connect import Connection, Row
from shared.store.edits import name_of
from shared.store.search import answering_chunks, load_chunks

COMPARED_MAX: Final = 20
ROWS_MAX: Final = 500
READY: Final = ("ready", "ready_with_errors")


def make_summary(
    runtime: Runtime, identity: Identity, document_id: UUID, model: str | None = None
) -> ExperimentSummary:
    """Summarizes the document as it is now. Where that says the same as before there is no new version.

    Raises NotFound, Forbidden for a viewer, Conflict for a document that is not read or is rejected, BadInput for a
    model that is not set up.
    """
    answerer = pick_model(runtime, model)
    with telemetry.work("sum.make", document_id=document_id) as span:
        number, body = _make(runtime, identity, document_id, answerer)
        span.note(version=number, statements=len(body.statements), cells=len(body.cells), written=answerer is not None)
    return get_summary(runtime, identity, document_id)


def _make(
    runtime: Runtime, identity: Identity, document_id: UUID, answerer: Answerer | None
) -> tuple[int, SummaryBody]:
    """The number of the version that says it, and what it says."""
    from shared.lab.summaries.extracting import extract

    with changing(runtime, identity) as connection:
        document = find_document(connection, document_id)
        if document.status not in READY:
            raise Conflict(f"{document.name} is {document.status}: it can be summarized once it is ready.")
        if document.review == "rejected":
            raise Conflict(f"{document.name} was rejected, and answers nothing. Approve it first.")
        chunks = _readable(connection, document_id)
        found, engine, usd = extract(chunks), ENGINE, 0.0
    if answerer is not None:
        # No transaction is open while a model writes.
        found, usd = write_fields(runtime, identity, answerer, document, found, chunks)
        engine = f"{ENGINE}, {answerer.name}"
    with changing(runtime, identity) as connection:
        place = find_document(connection, document_id)
        held = rows.hold_summary(connection, document_id)
        by_id = {chunk.id: chunk for chunk in chunks}
        body = lay_over(found, rows.list_edits(connection, document_id), by_id)
        made = {"engine": engine, "usd": usd, "revision": document.revision, "reason": "rebuilt" if held else "made"}
        number = _store(connection, identity, document_id, held, body, made)
        note(
            connection,
            identity,
            "summary.make",
            document_id,
            place.knowledge_base_id,
            version=number,
            new=number != held,
        )
    return number, body


def get_summary(
    runtime: Runtime, identity: Identity, document_id: UUID, version: int | None = None
) -> ExperimentSummary:
    """The version that is shown, or another one. Raises NotFound, also where there is no summary yet."""
    with reading(runtime, identity, snapshot=True) as connection:
        find_place(connection, document_id)
        return found_summary(connection, document_id, version)


def list_versions(runtime: Runtime, identity: Identity, document_id: UUID) -> list[SummaryVersion]:
    """Oldest first; none where there is no summary. Raises NotFound for the document."""
    with reading(runtime, identity) as connection:
        find_place(connection, document_id)
        return rows.list_versions(connection, document_id)


def list_edits(runtime: Runtime, identity: Identity, document_id: UUID) -> list[SummaryEdit]:
    """What people changed, oldest first. Raises NotFound for the document."""
    with reading(runtime, identity) as connection:
        find_place(connection, document_id)
        return rows.list_edits(connection, document_id)


def list_summaries(
    runtime: Runtime,
    identity: Identity,
    knowledge_base_id: UUID | None,
    wish: SummaryFilter,
    before: UUID | None,
    limit: int,
) -> list[ListedSummary]:
    """Those that pass, of the newest documents first, with what passed. Raises NotFound for the knowledge base."""
    with reading(runtime, identity) as connection:
        if knowledge_base_id is not None:
            check_knowledge_base(connection, knowledge_base_id)
        found = rows.list_summaries(connection, knowledge_base_id, wish, before, limit)
    return [_listed(row, wish) for row in found]


def compare(
    runtime: Runtime, identity: Identity, document_ids: Sequence[UUID], metric: str = "", system: str = ""
) -> ExperimentComparison:
    """The summaries of the documents side by side. Raises NotFound for a document, BadInput for too many."""
    found, without = read_several(runtime, identity, document_ids)
    columns, lines = compare_cells(found, metric, system)
    return ExperimentComparison(
        summaries=found,
        columns=columns,
        rows=lines[:ROWS_MAX],
        without_summary=without,
        left_out=max(0, len(lines) - ROWS_MAX),
    )


def read_several(
    runtime: Runtime, identity: Identity, document_ids: Sequence[UUID]
) -> tuple[list[ExperimentSummary], list[UUID]]:
    """The summaries, and the documents that have none; each document once, in the order given."""
    wanted = [*dict.fromkeys(document_ids)]
    if not 1 <= len(wanted) <= COMPARED_MAX:
        raise BadInput(f"From 1 to {COMPARED_MAX} documents are taken together; these are {len(wanted)}.")
    with reading(runtime, identity, snapshot=True) as connection:
        shown = rows.get_versions(connection, wanted, None)
        without = [one for one in wanted if one not in shown]
        for document_id in without:
            find_place(connection, document_id)
        return _found_summaries(connection, [shown[one] for one in wanted if one in shown]), without


def get_changes(
    runtime: Runtime, identity: Identity, document_id: UUID, former: int | None, later: int | None
) -> SummaryChanges:
    """What differs from one version to another; None: the one that is shown, and the one before it. Raises NotFound."""
    with reading(runtime, identity, snapshot=True) as connection:
        find_place(connection, document_id)
        after = _row(connection, document_id, later)
        number = after["version"] - 1 if former is None else former
        before = _row(connection, document_id, number)["body"] if number else {}
    bodies = [read_body(body) for body in (before, after["body"])]
    return list_changes(bodies[0], bodies[1], (number, after["version"]))


def restore_version(runtime: Runtime, identity: Identity, document_id: UUID, version: int) -> ExperimentSummary:
    """A version as a new one; people's changes are again those that it had. Raises NotFound, Forbidden, Conflict for
    the version that is shown."""
    with changing(runtime, identity) as connection:
        place = find_place(connection, document_id)
        past = _row(connection, document_id, version)
        held = rows.hold_summary(connection, document_id)
        if version == held:
            raise Conflict(f"Version {version} is the one that is shown: there is nothing to restore.")
        body, who = SummaryBody.model_validate(past["body"]), who_asks(connection, identity)
        restore_edits(connection, document_id, body, who)
        kept = {name: past[name] for name in ("engine", "revision")} | {"body_hash": past["hash"]}
        made = kept | {"usd": 0.0, "reason": "restored", "restored": version} | who
        rows.add_version(connection, document_id, held + 1, past["body"], made)
        note(
            connection, identity, "summary.restore", document_id, place.knowledge_base_id,
            version=held + 1, restored=version,
        )  # fmt: skip
    return get_summary(runtime, identity, document_id)


def edit_summary(runtime: Runtime, identity: Identity, document_id: UUID, wish: NewSummaryEdit) -> ExperimentSummary:
    """Adds, replaces or takes out a statement: a new version, and every later one has the change.

    Raises NotFound, also for a statement or a passage that is not there; Forbidden for a viewer; BadInput for a
    statement that cites nothing or that its passages do not bear out.
    """
    with changing(runtime, identity) as connection:
        place = find_place(connection, document_id)
        shown = _row(connection, document_id, None)
        held = rows.hold_summary(connection, document_id)
        before = SummaryBody.model_validate(shown["body"])
        target = next((one for one in before.statements if one.id == wish.target), None)
        if wish.target and target is None:
            raise NotFound(f"The summary has no statement {wish.target}. Read it again, and take an id of it.")
        chunks = {chunk.id: chunk for chunk in _readable(connection, document_id)}
        named = _cited(chunks, wish.chunk_ids) if wish.chunk_ids else []
        field = target.field if target else wish.field
        if field is None or (wish.target is None and wish.text is None):
            raise BadInput("Say what to change: `target` takes a statement out, `field` and `text` add one.")
        if wish.text is not None:
            cited = named or _cited(chunks, target.chunk_ids if target else [])
            check_borne_out(wish.text, cited, place.name)
            wish = wish.model_copy(update={"chunk_ids": [one.id for one in cited]})
        change = {"target": wish.target, "field": field, "text": wish.text}
        rows.add_edit(connection, document_id, change, wish.chunk_ids, who_asks(connection, identity))
        number = _edited(connection, identity, document_id, held, shown, chunks)
        note(connection, identity, "summary.edit", document_id, place.knowledge_base_id, version=number, field=field)
    return get_summary(runtime, identity, document_id)


def take_back(runtime: Runtime, identity: Identity, document_id: UUID, edit_id: UUID) -> ExperimentSummary:
    """Takes a person's change back: the rules' own statements are shown again. Raises NotFound, Forbidden."""
    with changing(runtime, identity) as connection:
        place = find_place(connection, document_id)
        shown = _row(connection, document_id, None)
        held = rows.hold_summary(connection, document_id)
        if not rows.remove_edit(connection, document_id, edit_id):
            raise NotFound(f"There is no edit {edit_id} of this summary. List its edits, and take an id of them.")
        chunks = {chunk.id: chunk for chunk in _readable(connection, document_id)}
        number = _edited(connection, identity, document_id, held, shown, chunks)
        note(connection, identity, "summary.unedit", document_id, place.knowledge_base_id, version=number)
    return get_summary(runtime, identity, document_id)


def _store(
    connection: Connection, identity: Identity, document_id: UUID, held: int, body: SummaryBody, made: dict[str, Any]
) -> int:
    """The number of the version that is shown: a new one where the body, or what it was read from, is another."""
    # How a text is shown is no part of what a version says.
    unshown = {"__all__": {"shown"}}
    told = body.model_dump(mode="json", exclude={"statements": unshown, "taken_out": unshown})
    digest = hashlib.sha256(json.dumps([told, made["revision"]], sort_keys=True).encode()).hexdigest()
    before = rows.get_version(connection, document_id, None) if held else None
    if before is not None and before["hash"] == digest:
        return held
    made = made | {"body_hash": digest} | who_asks(connection, identity)
    rows.add_version(connection, document_id, held + 1, told, made)
    return held + 1


def _edited(
    connection: Connection, identity: Identity, document_id: UUID, held: int, shown: Row, chunks: dict[UUID, Chunk]
) -> int:
    """Stores what was found with the edits that there are now; nothing is looked for anew."""
    found = as_found(SummaryBody.model_validate(shown["body"]), chunks)
    body = lay_over(found, rows.list_edits(connection, document_id), chunks)
    made = {"engine": shown["engine"], "usd": 0.0, "revision": shown["revision"], "reason": "edited"}
    return _store(connection, identity, document_id, held, body, made)


def who_asks(connection: Connection, identity: Identity) -> Row:
    """The author of a version, and their name now."""
    return {"author_id": identity.user_id, "by": name_of(connection, identity)}


def _readable(connection: Connection, document_id: UUID) -> list[Chunk]:
    """The document's chunks in order, without those that people rejected."""
    chunks = library.list_chunks(connection, document_id, None, None)
    answering = answering_chunks(connection, [chunk.id for chunk in chunks])
    return [chunk for chunk in chunks if chunk.id in answering]


def _cited(chunks: dict[UUID, Chunk], chunk_ids: Sequence[UUID]) -> list[Chunk]:
    if not chunk_ids:
        raise BadInput(CITE)
    for one in chunk_ids:
        if one not in chunks:
            raise NotFound(f"The document has no chunk {one}. {CITE}")
    return [chunks[one] for one in dict.fromkeys(chunk_ids)]


def _row(connection: Connection, document_id: UUID, version: int | None) -> Row:
    row = rows.get_version(connection, document_id, version)
    if row is None:
        raise NotFound(
            "There is no summary of this document yet. Make one first."
            if version is None
            else f"The summary of this document has no version {version}. List its versions."
        )
    return row


def found_summary(connection: Connection, document_id: UUID, version: int | None) -> ExperimentSummary:
    """A version, as the open scope shows it; None: the one that is shown. Raises NotFound."""
    (found,) = _found_summaries(connection, [_row(connection, document_id, version)])
    return found


def found_versions(connection: Connection, wanted: Mapping[UUID, int]) -> list[ExperimentSummary]:
    """The versions by document, in their order; those that the open scope does not show are left out."""
    found = (rows.get_version(connection, one, version) for one, version in wanted.items())
    return _found_summaries(connection, [row for row in found if row is not None])


def _found_summaries(connection: Connection, versions: Sequence[Row]) -> list[ExperimentSummary]:
    """The versions, with the passages of all of them read at once."""
    bodies = [read_body(row["body"]) for row in versions]
    cited = {one for body in bodies for statement in body.statements for one in statement.chunk_ids}
    cited |= {cell.chunk_id for body in bodies for cell in body.cells}
    chunks = {one: found.chunk for one, found in load_chunks(connection, [*cited]).items()}
    return [_shown(row, body, chunks) for row, body in zip(versions, bodies, strict=True)]


def _shown(row: Row, body: SummaryBody, chunks: dict[UUID, Chunk]) -> ExperimentSummary:
    statements = [one.model_copy(update={"stale": _is_stale(one, chunks)}) for one in body.statements]
    return ExperimentSummary(
        document=row["document_name"],
        stale=_stale(row),
        fields=[_field(field, statements, body) for field in FIELDS],
        cells=[cell for cell in body.cells if cell.chunk_id in chunks],
        created_at=row["created_at"],
        **{
            name: row[name]
            for name in ("document_id", "knowledge_base_id", "version", "newest", "reason", "engine", "usd", "author")
        },
    )


def _field(field: Any, statements: Sequence[SummaryStatement], body: SummaryBody) -> FieldSummary:
    own = [one for one in statements if one.field == field]
    return FieldSummary(
        field=field,
        state="stated" if own else "missing",
        statements=own,
        confidence=confidence_of(own) if own else None,
        searched=body.searched.get(field, Searched()),
    )


def _is_stale(statement: SummaryStatement, chunks: dict[UUID, Chunk]) -> bool:
    """A passage that it cites is gone, or has not its words any more."""
    if any(one not in chunks for one in statement.chunk_ids):
        return True
    content = chunks[statement.chunk_ids[0]].content
    return statement.start is not None and content[statement.start : statement.end] != statement.text


def _stale(row: Row) -> list[StaleReason]:
    found: dict[StaleReason, bool] = {
        "superseded": not row["is_current"],
        "changed": row["document_revision"] != row["revision"],
        "rejected": row["review"] == "rejected",
    }
    return [reason for reason, holds in found.items() if holds]


def _listed(row: Row, wish: SummaryFilter) -> ListedSummary:
    body = read_body(row["body"])
    counts = {field: sum(one.field == field for one in body.statements) for field in FIELDS}
    return ListedSummary(
        id=row["document_id"],
        document=row["document_name"],
        stale=_stale(row),
        counts=counts,
        missing=[field for field in FIELDS if not counts[field]],
        cells=len(body.cells),
        statements_found=[one for one in body.statements if _passes(one, wish)][:20],
        cells_found=[one for one in body.cells if _passes_cell(one, wish)][:50],
        **{name: row[name] for name in ("version", "engine", "author", "created_at")},
    )


def _passes(one: SummaryStatement, wish: SummaryFilter) -> bool:
    if wish.field is None and not wish.words:
        return False
    plain = one.text.lower()
    return (wish.field in (None, one.field)) and all(word in plain for word in wish.words.lower().split())


def _passes_cell(cell: Any, wish: SummaryFilter) -> bool:
    if not any((wish.metric, wish.system, wish.unit)) and wish.low is None and wish.high is None:
        return False
    number = cell.quantity.canonical_number
    return (
        (wish.metric or "").lower() in cell.metric.lower()
        and (wish.system or "").lower() in cell.system.lower()
        and (wish.low is None or number >= wish.low)
        and (wish.high is None or number <= wish.high)
        and wish.unit in (None, cell.quantity.canonical_unit)
    )
