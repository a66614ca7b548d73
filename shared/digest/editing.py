"""What people change in a digest: single statements, which every later update keeps, and whole files back to a version
that was."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from shared.access import changing
from shared.digest.lines import CitedSource, FileLine, hash_of, line_of, total_size
from shared.digest.saving import Author, DigestWriter, StoredFile
from shared.digest.service import find_file
from shared.domain.digest import TITLE_MAX, Cited, DigestFile, RestoreWish, StatementEdit, Tier, limit_of
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import BadInput, Conflict, NotFound
from shared.runtime import Runtime
from shared.store import digest as reads
from shared.store import digest_writes as rows
from shared.store.audit import note
from shared.store.connect import Connection, tried_again
from shared.store.digest_sources import chunk_texts
from shared.store.documents import hold_documents
from shared.store.edits import name_of
from shared.store.events import events_there, runs_there


@tried_again
def edit_file(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, file_id: UUID, edit: StatementEdit
) -> DigestFile:
    """Changes, adds or takes out one statement. Raises NotFound, Forbidden, BadInput (nothing cited, a source that is
    not there, too long) and Conflict, where `if_number` is not the file's."""
    with changing(runtime, identity, [knowledge_base_id]) as connection:
        writer, file = _hold(connection, identity, knowledge_base_id, file_id)
        if edit.if_number is not None and edit.if_number != file.row["number"]:
            raise Conflict(
                f"The file is at version {file.row['number']} by now, not {edit.if_number}. Read it, and edit that."
            )
        author = Author("user", name_of(connection, identity), identity.user_id)
        lines = _edited(connection, file, edit, author)
        _save(writer, file, lines, author, _told(edit))
        _end(connection, identity, knowledge_base_id, file_id, "digest.edit")
        return find_file(connection, knowledge_base_id, file_id)


@tried_again
def restore_version(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, file_id: UUID, wish: RestoreWish
) -> DigestFile:
    """What the file said in that version, as a new one. What differs from today becomes the person's own, so that
    the next update keeps it; what was deleted since stays so. Raises NotFound, Forbidden and BadInput, of an index."""
    with changing(runtime, identity, [knowledge_base_id]) as connection:
        writer, file = _hold(connection, identity, knowledge_base_id, file_id)
        if file.row["tier"] == "index":
            raise BadInput("An index lists the topics that there are; restore the files of a topic.")
        if reads.get_version(connection, knowledge_base_id, file_id, wish.number) is None:
            raise NotFound(f"There is no version {wish.number} of this file. Its history lists those there are.")
        author = Author("user", name_of(connection, identity), identity.user_id)
        past = [line_of(row) for row in reads.lines_of_version(connection, knowledge_base_id, file_id, wish.number)]
        lines = _restored(file, past, author)
        _save(writer, file, lines, author, f"version {wish.number} restored")
        _end(connection, identity, knowledge_base_id, file_id, "digest.restore")
        return find_file(connection, knowledge_base_id, file_id)


def _hold(connection: Connection, identity: Identity, base: UUID, file_id: UUID) -> tuple[DigestWriter, StoredFile]:
    find_file(connection, base, file_id)
    rows.lock_digest(connection, identity.organization_id, base)
    writer = DigestWriter(connection, identity.organization_id, base, file_id)
    if file_id not in writer.files:
        raise NotFound(f"The file {file_id} is gone: an update has just removed it.")
    return writer, writer.files[file_id]


def _end(connection: Connection, identity: Identity, base: UUID, file_id: UUID, act: str) -> None:
    rows.note_change(connection, base)
    note(connection, identity, act, file_id, base)


def _save(writer: DigestWriter, file: StoredFile, lines: Sequence[FileLine], author: Author, summary: str) -> None:
    tier: Tier = file.row["tier"]
    own = [line for line in lines if line.origin == "user" and line.kind == "statement"]
    title = replace(lines[0], text="x" * TITLE_MAX)
    if total_size([title, *own]) > limit_of(tier):
        raise BadInput(
            f"What people wrote in this file would pass its {limit_of(tier):,} characters. Shorten a statement, take"
            " one out, or put it into the topic's description."
        )
    row = file.row
    writer.save(
        file, tier, _fitting(tier, lines), author, path=row["path"], topic_id=row["topic_id"],
        parent_id=row["parent_id"], summary=summary,
    )  # fmt: skip


def _fitting(tier: Tier, lines: Sequence[FileLine]) -> list[FileLine]:
    """Without as many of the agent's last statements as a person's take the room of."""
    fitting = list(lines)
    while total_size(fitting) > limit_of(tier):
        places = [place for place, one in enumerate(fitting) if one.kind == "statement" and one.origin != "user"]
        del fitting[places[-1]]
    return fitting


def _edited(connection: Connection, file: StoredFile, edit: StatementEdit, author: Author) -> list[FileLine]:
    if file.row["tier"] == "index":
        raise BadInput("An index lists the topics that there are; edit the files of a topic.")
    at = _place(file, edit.statement_id) if edit.statement_id else None
    behind = _place(file, edit.after) + 1 if edit.after else len(file.lines)
    former = file.lines[at] if at is not None else None
    if former is not None and (former.kind == "heading" or (former.kind == "title" and file.row["tier"] != "summary")):
        raise BadInput("Headings are the documents' own; a topic's title is changed in its summary.")
    if edit.remove:
        if former is None or at is None or former.kind == "title":
            raise BadInput("Say which statement is to be taken out: `statement_id`.")
        gone = replace(former, text="", origin="user", author=author.name, removed=True, uncited=False)
        kept = replace(gone, instead_of=_instead(file, former))
        return [*file.lines[:at], *([kept] if kept.instead_of else []), *file.lines[at + 1 :]]
    if edit.text is None:
        raise BadInput("Say what is to stand there: `text`, or `remove` with a `statement_id`.")
    line = _stated(connection, edit, former, author)
    if former is not None and at is not None:
        line = replace(line, kind=former.kind, statement_id=former.statement_id, instead_of=_instead(file, former))
        return [*file.lines[:at], line, *file.lines[at + 1 :]]
    return [*file.lines[:behind], replace(line, statement_id=new_id()), *file.lines[behind:]]


def _stated(connection: Connection, edit: StatementEdit, former: FileLine | None, author: Author) -> FileLine:
    """A person's line; without citations of its own it has those of what it changes."""
    text = " ".join((edit.text or "").split())
    if former is not None and former.kind == "title":
        if len(text) > TITLE_MAX:
            raise BadInput(f"A title has at most {TITLE_MAX} characters.")
        return FileLine("title", text.replace("|", "/"), (), "user", author.name)
    if edit.citations is not None:
        sources = _sources(connection, edit.citations)
    else:
        sources = former.sources if former is not None and not edit.uncited else ()
    if not sources and not edit.uncited:
        raise BadInput(
            "Cite what this stands on (`citations`, in a command `--cite`), or say that nothing here bears it out"
            " (`uncited: true`, `--uncited`)."
        )
    if sources and edit.uncited:
        raise BadInput("A statement that is `uncited` has no citations: leave one of both out.")
    return FileLine("statement", text, sources, "user", author.name, uncited=not sources)


def _sources(connection: Connection, cited: Sequence[Cited]) -> tuple[CitedSource, ...]:
    """Raises BadInput for what is not there, or not in this knowledge base."""
    chunks = chunk_texts(connection, [one.id for one in cited if one.kind == "chunk"])
    documents = [one.id for one in cited if one.kind == "document"]
    held = hold_documents(connection, {*documents, *(row["document_id"] for row in chunks.values())})
    there = {
        "event": events_there(connection, [one.id for one in cited if one.kind == "event"]),
        "run": runs_there(connection, [one.id for one in cited if one.kind == "run"]),
        "document": held,
        "chunk": {key for key, row in chunks.items() if row["document_id"] in held},
    }
    if missing := next((one for one in cited if one.id not in there[one.kind]), None):
        raise BadInput(f"There is no {missing.kind} {missing.id} in this knowledge base to be cited.")
    return tuple(
        CitedSource("chunk", one.id, chunks[one.id]["document_id"], chunks[one.id]["content_hash"])
        if one.kind == "chunk"
        else CitedSource(one.kind, one.id, one.id if one.kind == "document" else None)
        for one in dict.fromkeys((c.kind, c.id) for c in cited)
        for one in [Cited(kind=one[0], id=one[1])]
    )


def _restored(file: StoredFile, past: Sequence[FileLine], author: Author) -> list[FileLine]:
    now = {one.key for one in file.lines}
    lines = [
        one if one.key in now or not one.text or one.kind != "statement"
        else replace(one, origin="user", author=author.name, uncited=not one.sources, row_id=None)
        for one in past if one.text
    ]  # fmt: skip
    kept = {one.key for one in lines}
    gone = [one for one in file.lines if one.kind == "statement" and one.key not in kept]
    dropped = [
        replace(one, text="", origin="user", author=author.name, removed=True, uncited=False,
                instead_of=instead)
        for one in gone if (instead := one.instead_of if one.removed else _instead(file, one))
    ]  # fmt: skip
    return [file.title, *(one for one in lines if one.kind != "title"), *dropped]


def _instead(file: StoredFile, former: FileLine) -> str | None:
    """By which the agent's statement is known that a person's stands instead of; None where it stands for itself."""
    if former.origin == "user":
        return former.instead_of
    return hash_of(file.row["tier"], former.text)


def _place(file: StoredFile, statement_id: UUID) -> int:
    for place, one in enumerate(file.lines):
        if one.statement_id == statement_id and not one.removed:
            return place
    raise NotFound(f"There is no statement {statement_id} in this file. Read it: an update may have changed it.")


def _told(edit: StatementEdit) -> str:
    what = "taken out" if edit.remove else "changed" if edit.statement_id else "added"
    return f"1 statement {what} by hand"
