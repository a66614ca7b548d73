"""Where a model answers, it writes the summary of a group from the statements of its documents' summaries.

What it writes is held against the passages that these cite, as an answer is; it is stored, since it is worded anew each
time. What has changed since is looked up when it is read.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from shared.answering.evidence import CHUNKS_READ
from shared.answering.writing import WrittenSentence, write_answer
from shared.domain.experiments import (
    ExperimentSummary,
    GroupField,
    SummaryField,
    WrittenGroup,
    WrittenGroupBody,
    WrittenGroupStatement,
    WrittenSource,
)
from shared.domain.knowledge import Chunk, Document, Hit
from shared.domain.scope import Identity
from shared.errors import BudgetSpent, Unavailable
from shared.lab.summaries.grouping import group_fields
from shared.lab.summaries.numbers import find_values
from shared.lab.summaries.statements import statement_id
from shared.lab.summaries.writing import QUESTIONS, SECONDS_MAX, hit_of
from shared.ports import Answerer
from shared.runtime import Runtime
from shared.store.connect import Row

TOGETHER: Final = "Say what these documents share and where they differ."


def cited_chunks(summaries: Sequence[ExperimentSummary]) -> list[UUID]:
    """The passages that the group is written from, each once."""
    return [*dict.fromkeys(one for field in group_fields(summaries) for one in _evidence(field))]


def write_group(
    runtime: Runtime,
    identity: Identity,
    model: Answerer,
    summaries: Sequence[ExperimentSummary],
    documents: Mapping[UUID, Document],
    chunks: Mapping[UUID, Chunk],
) -> tuple[WrittenGroupBody, float]:
    """What the model wrote of each field and the passages bear out, and what that cost in US dollars. A field of which
    nothing holds has no statement here: what its documents say stays beside it. Raises BudgetSpent and Unavailable
    where the model wrote nothing at all."""
    deadline, usd, body = time.monotonic() + SECONDS_MAX, 0.0, WrittenGroupBody()
    for field in group_fields(summaries):
        evidence = [chunks[one] for one in _evidence(field) if one in chunks]
        if not evidence:
            continue
        hits: list[Hit] = [hit_of(one, documents[one.document_id]) for one in evidence]
        question = f"{QUESTIONS[field.field]} {TOGETHER}"
        try:
            made = write_answer(runtime, identity, model, question, hits, {}, lambda _sentence: None, deadline)
        except (BudgetSpent, Unavailable):
            if not body.statements:
                raise
            break
        usd += made.usd
        body.statements += [_statement(field.field, one, chunks) for one in made.sentences]
    return body, usd


def show_written(row: Row, summaries: Sequence[ExperimentSummary], answering: set[UUID]) -> WrittenGroup:
    """A stored version beside the summaries as they are now. `answering`: the passages that may still be cited."""
    body, names = WrittenGroupBody.model_validate(row["body"]), {one.document_id: one.document for one in summaries}
    # An imported one may name others.
    shown = [one for one in body.statements if all(source.document_id in names for source in one.sources)]
    for statement in shown:
        statement.stale = any(one.chunk_id not in answering for one in statement.sources)
        for source in statement.sources:
            source.document = names[source.document_id]
    read_from = row["read_from"]
    changed = [one.document for one in summaries if one.stale or read_from.get(str(one.document_id)) != one.version]
    return WrittenGroup(
        statements=shown,
        changed=changed,
        **{name: row[name] for name in ("version", "newest", "engine", "usd", "author", "created_at")},
    )


def _evidence(field: GroupField) -> list[UUID]:
    """As many passages as a model is told, of the statements that come first: those of all documents in turn."""
    cited = (
        chunk_id
        for one in field.statements
        for source in one.said_by
        if not source.statement.stale
        for chunk_id in source.statement.chunk_ids
    )
    return [*dict.fromkeys(cited)][:CHUNKS_READ]


def _statement(field: SummaryField, one: WrittenSentence, chunks: Mapping[UUID, Chunk]) -> WrittenGroupStatement:
    cited = [chunks[chunk_id] for chunk_id in one.citations]
    return WrittenGroupStatement(
        id=statement_id(field, one.text),
        field=field,
        text=one.text,
        sources=[WrittenSource(document_id=c.document_id, chunk_id=c.id, page=c.first_page) for c in cited],
        values=find_values(one.text),
    )
