"""Summaries that a model writes, and names that it gives, from the passages that a topic's files cite, under the same
checks as an answer. No digest is held while it writes: what was changed meanwhile is left as it is."""

import time
from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from shared.answering.composing import unfound_hit
from shared.answering.evidence import CHUNKS_READ
from shared.answering.writing import WrittenSentence, write_answer
from shared.digest.lines import EXTRACTED, CitedSource, FileLine, size_in_file, total_size
from shared.digest.model_names import ask_name, rename
from shared.digest.saving import Author, DigestWriter, StoredFile
from shared.domain.digest import CHARACTERS, CITATIONS_MAX, STATEMENT_MAX
from shared.domain.knowledge import Hit
from shared.domain.scope import Identity, Scope
from shared.errors import BudgetSpent, Unavailable
from shared.ports import Answerer
from shared.runtime import Runtime
from shared.store import digest as reads
from shared.store import digest_writes as rows
from shared.store.connect import Connection, Row, tried_again
from shared.store.digest_sources import chunk_texts
from shared.store.documents import hold_documents
from shared.store.search import answering_chunks, load_chunks, row_contexts

# Topics that one update has a model write: the rest is written by the next ones.
TOPICS_AT_ONCE: Final = 12
SECONDS: Final = 120.0


class _Asked(NamedTuple):
    """A summary that is to be written, as it was read."""

    file_id: UUID
    content_hash: str
    title: str
    hits: Sequence[Hit]
    rows: dict[UUID, str]
    headings: Sequence[str]
    taken: Sequence[str]


def write_summaries(runtime: Runtime, scope: Scope) -> int:
    """Has the model write what it was not asked for yet, where somebody wanted that; returns how many summaries it
    wrote. It stops where the day's budget is spent, or the model does not answer: quotations stand there until then."""
    written, deadline = 0, time.monotonic() + SECONDS
    counted = Identity(organization_id=scope.organization_id, user_id=scope.organization_id, role="viewer")
    for _ in range(TOPICS_AT_ONCE):
        if time.monotonic() >= deadline or (asked := _next(runtime, scope)) is None:
            break
        if (model := runtime.answerer) is None:
            break
        question = f"What is there to be known about {asked.title}?"
        try:
            made = write_answer(runtime, counted, model, question, asked.hits, asked.rows, lambda _: None, deadline)
        except (BudgetSpent, Unavailable):
            break
        name = _name_of(runtime, counted, model, asked, deadline)
        written += _store(runtime, scope, asked, made.sentences, model.name, name)
    return written


def _name_of(runtime: Runtime, counted: Identity, model: Answerer, asked: _Asked, deadline: float) -> str | None:
    passages = [asked.rows.get(hit.chunk.id, hit.chunk.content) for hit in asked.hits]
    try:
        return ask_name(runtime, counted, model, asked.headings, passages, asked.taken, deadline)
    except (BudgetSpent, Unavailable):
        # The summary is paid for, and stands under the heading.
        return None


def _next(runtime: Runtime, scope: Scope) -> _Asked | None:
    base = scope.knowledge_base_ids[0]
    with runtime.database.transaction(scope) as connection:
        state = reads.get_state(connection, base)
        if state is None or not state["writes"]:
            return None
        files = reads.file_rows(connection, base)
        return next(filter(None, (_asked(connection, base, row, files) for row in files)), None)


def _asked(connection: Connection, base: UUID, row: Row, files: Sequence[Row]) -> _Asked | None:
    if row["tier"] != "summary" or row["tried_hash"] == row["content_hash"]:
        return None
    topic = [file.id for file in reads.list_files(connection, base, topics=[row["topic_id"]])]
    lines = reads.list_lines(connection, base, topic)
    lines.sort(key=lambda line: line["file_id"] != row["id"])
    cited = dict.fromkeys(
        UUID(one["source_id"])
        for line in lines
        for one in line["citations"]
        if one["kind"] == "chunk" and one["standing"] == "current"
    )
    quoted = any(one["author"] == EXTRACTED and one["kind"] == "statement" for one in lines)
    there = answering_chunks(connection, [*cited])
    chosen = [key for key in cited if key in there][:CHUNKS_READ]
    if not chosen or not quoted:
        return None
    found = load_chunks(connection, chosen)
    read, _ = row_contexts(connection, chosen)
    hits = [unfound_hit(found[key]) for key in chosen if key in found]
    headings = [*dict.fromkeys(one["text"] for one in lines if one["kind"] == "heading" and one["text"])]
    taken = [one["title"] for one in files if one["tier"] == "summary" and one["id"] != row["id"]]
    return _Asked(row["id"], row["content_hash"], row["title"], hits, read, headings, taken)


@tried_again
def _store(
    runtime: Runtime, scope: Scope, asked: _Asked, said: Sequence[WrittenSentence], model: str, name: str | None
) -> int:
    base = scope.knowledge_base_ids[0]
    with runtime.database.transaction(scope) as connection:
        rows.lock_digest(connection, scope.organization_id, base)
        # A new name stands in three files.
        writer = DigestWriter(connection, scope.organization_id, base, None if name else asked.file_id)
        file = writer.files.get(asked.file_id)
        if file is None or file.row["content_hash"] != asked.content_hash:
            return 0
        lines = _lines(connection, writer, file, said, model)
        if written := any(line.author == model for line in lines):
            row = file.row
            writer.save(
                file, "summary", lines, Author("agent", model), path=row["path"], topic_id=row["topic_id"],
                parent_id=row["parent_id"], summary=f"written by {model}",
            )  # fmt: skip
            rows.note_change(connection, base)
        named = file.title.origin != "user" and name is not None and _name(connection, writer, file, asked, model, name)
        if named and not written:
            rows.note_change(connection, base)
        rows.note_tried(connection, base, file.id)
        return int(written)


def _name(connection: Connection, writer: DigestWriter, file: StoredFile, asked: _Asked, model: str, name: str) -> bool:
    """Names the topic, unless another has that name by now; the documents that it was read in are cited."""
    titles = {one.title.text.casefold() for one in writer.of_tier("summary") if one.id != file.id}
    documents = dict.fromkeys(hit.chunk.document_id for hit in asked.hits)
    held = hold_documents(connection, documents)
    sources = tuple(CitedSource("document", one, one) for one in documents if one in held)[:CITATIONS_MAX]
    if name.casefold() in titles or not sources:
        return False
    rename(writer, file.row["topic_id"], FileLine("title", name, sources, "agent", model))
    return True


def _lines(
    connection: Connection, writer: DigestWriter, file: StoredFile, said: Sequence[WrittenSentence], model: str
) -> list[FileLine]:
    """The title, what was said as far as there is room, and what people wrote; nothing again of what one of these
    changed or took out, and nothing that its sources do not bear out by now."""
    cited = chunk_texts(connection, {key for one in said for key in one.citations})
    hold_documents(connection, {row["document_id"] for row in cited.values()})
    # Read again: what was deleted before it was held is gone.
    chunks = chunk_texts(connection, [*cited])
    settled = [frozenset(s.key for s in one.sources) for one in file.people if one.instead_of]
    left = CHARACTERS["summary"] - total_size([file.title, *file.people])
    stated: list[FileLine] = []
    for one in said:
        if len(one.text) > STATEMENT_MAX or any(key not in chunks for key in one.citations):
            continue
        own = {key: chunks[key] for key in one.citations}
        sources = tuple(CitedSource("chunk", key, row["document_id"], row["content_hash"]) for key, row in own.items())
        stated.append(FileLine("statement", one.text, sources, "agent", model))
    unborne = [line for line, _ in writer.unborne(stated)]
    lines = [file.title]
    for line in stated:
        if line in unborne or frozenset(s.key for s in line.sources) in settled:
            continue
        if (size := size_in_file(line)) <= left:
            lines.append(line)
            left -= size
    return [*lines, *file.people]
