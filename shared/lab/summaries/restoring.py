"""People's changes of a summary, set back to those that an older version had."""

from uuid import UUID

from shared.domain.experiments import SummaryBody
from shared.store import summaries as rows
from shared.store.connect import Connection, Row


def restore_edits(connection: Connection, document_id: UUID, body: SummaryBody, who: Row) -> None:
    """Edits that `body` does not have are removed; those that it has and are gone are made again, under their ids, so
    that later rebuilds keep them. A statement that is taken out again is taken out by `who` restores."""
    edits = rows.list_edits(connection, document_id)
    own = {one.edit_id: one for one in body.statements if one.edit_id is not None}
    gone = {one.id for one in body.taken_out}
    kept = [one for one in edits if one.id in own or (one.text is None and one.target in gone)]
    for edit in edits:
        if edit not in kept:
            rows.remove_edit(connection, document_id, edit.id)
    there = {one.id for one in kept}
    for edit_id, one in own.items():
        if edit_id not in there:
            wish = {"target": None, "field": one.field, "text": one.text}
            by = {"author_id": None, "by": one.author}
            rows.add_edit(connection, document_id, wish, one.chunk_ids, by, edit_id)
    targets = {one.target for one in kept}
    for one in body.taken_out:
        if one.id not in targets:
            wish = {"target": one.id, "field": one.field, "text": None}
            rows.add_edit(connection, document_id, wish, [], who)
