"""Summaries of groups: put together when they are read, and what a model wrote of them, which is stored."""

from collections.abc import Sequence
from uuid import UUID

from shared import telemetry
from shared.access import changing, find_document, reading
from shared.answering.threads.models import pick_model
from shared.domain.experiments import ExperimentSummary, GroupMember, GroupSummary, GroupWish, WrittenGroupVersion
from shared.domain.scope import Identity
from shared.errors import BadInput, Conflict, NotFound
from shared.lab.summaries.comparing import compare as compare_cells
from shared.lab.summaries.group_writing import cited_chunks, show_written, write_group
from shared.lab.summaries.grouping import group_fields
from shared.lab.summaries.service import ROWS_MAX, read_several, who_asks
from shared.lab.summaries.statements import ENGINE
from shared.runtime import Runtime
from shared.store import group_summaries as rows
from shared.store.audit import note
from shared.store.documents import hold_documents
from shared.store.search import answering_chunks, load_chunks


def group_summary(
    runtime: Runtime,
    identity: Identity,
    document_ids: Sequence[UUID],
    metric: str = "",
    system: str = "",
    version: int | None = None,
) -> GroupSummary:
    """One summary of the documents, put together from theirs, with what a model wrote of them: the newest version, or
    number `version`. Raises NotFound for a document or a version, and where none of them is summarized yet; BadInput
    for too many."""
    found, without = read_several(runtime, identity, document_ids)
    said = put_together(found, without, metric, system)
    with reading(runtime, identity, snapshot=True) as connection:
        row = rows.get_version(connection, [*(one.document_id for one in found), *without], version)
        if row is None and version is not None:
            raise NotFound(f"No model wrote a version {version} of this group's summary. List its versions.")
        if row is not None:
            cited = {UUID(one["chunk_id"]) for told in row["body"]["statements"] for one in told["sources"]}
            said.written = show_written(row, found, answering_chunks(connection, [*cited]))
    return said


def write_summary(runtime: Runtime, identity: Identity, wish: GroupWish) -> GroupSummary:
    """Has a model write the summary of the group: a new version each time. Raises NotFound, Forbidden for a viewer,
    Conflict where no model is set up or a document has no summary, BadInput for documents of several knowledge bases,
    BudgetSpent and Unavailable where the model cannot be asked."""
    model = pick_model(runtime, wish.model)
    found, without = read_several(runtime, identity, wish.document_ids)
    if model is None:
        raise Conflict("No model is set up to write: the summary of a group is put together from its documents'.")
    if without or len(found) < 2:
        raise Conflict("Every document of a group needs its summary, and there have to be two. Make theirs first.")
    if len({one.knowledge_base_id for one in found}) > 1:
        raise BadInput("These documents are of several knowledge bases. A group's summary is kept in the one of all.")
    members, base = [one.document_id for one in found], found[0].knowledge_base_id
    with changing(runtime, identity) as connection:
        documents = {one: find_document(connection, one) for one in members}
        chunks = {one: told.chunk for one, told in load_chunks(connection, cited_chunks(found)).items()}
    with telemetry.work("sum.make", knowledge_base_id=base) as span:
        # No transaction is open while a model writes.
        body, usd = write_group(runtime, identity, model, found, documents, chunks)
        span.note(statements=len(body.statements), documents=len(members))
    with changing(runtime, identity) as connection:
        if gone := {*members} - {*hold_documents(connection, members)}:
            raise NotFound(f"{len(gone)} of the documents were deleted meanwhile. Choose others.")
        read_from = {str(one.document_id): one.version for one in found}
        made = {"read_from": read_from, "body": body.model_dump(mode="json"), "engine": f"{ENGINE}, {model.name}"}
        version = rows.add_version(
            connection, base, members, made | {"usd": usd} | who_asks(connection, identity)
        )  # fmt: skip
        note(connection, identity, "summary.group", members[0], base, version=version, documents=len(members))
    return group_summary(runtime, identity, members)


def list_group_versions(
    runtime: Runtime, identity: Identity, document_ids: Sequence[UUID]
) -> list[WrittenGroupVersion]:
    """What a model wrote of the group, oldest first. Raises NotFound for a document."""
    read_several(runtime, identity, document_ids)
    with reading(runtime, identity) as connection:
        return rows.list_versions(connection, document_ids)


def put_together(
    found: Sequence[ExperimentSummary], without: Sequence[UUID] = (), metric: str = "", system: str = ""
) -> GroupSummary:
    """One summary of these; `without` are documents that have none. Raises NotFound where there are none."""
    if not found:
        raise NotFound("None of these documents has a summary yet. Make theirs first.")
    columns, lines = compare_cells(found, metric, system)
    names = ("document_id", "document", "version", "stale")
    return GroupSummary(
        documents=[GroupMember(**{name: getattr(one, name) for name in names}) for one in found],
        without_summary=[*without],
        fields=group_fields(found),
        columns=columns,
        rows=lines[:ROWS_MAX],
        left_out=max(0, len(lines) - ROWS_MAX),
    )
