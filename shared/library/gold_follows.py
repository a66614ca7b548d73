"""Keeps the document names in gold questions valid when documents are renamed."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from uuid import UUID

from shared.domain.evaluation import QUESTIONS_MAX, GoldInput
from shared.library.document_names import DocumentNames
from shared.store import evaluation as rows
from shared.store.connect import Connection


@contextmanager
def gold_follows(connection: Connection, knowledge_base_id: UUID, new_names: Sequence[str]) -> Generator[None]:
    """Encloses a renaming: names in stored gold that match no document any more afterwards are replaced by the new
    name.

    A name that still matches another document is kept: it was written for both.
    """
    if not new_names:
        yield
        return
    rows.lock_gold(connection, knowledge_base_id)
    before = DocumentNames(rows.named_documents(connection, knowledge_base_id))
    yield
    after = DocumentNames(rows.named_documents(connection, knowledge_base_id))

    def renamed(name: str) -> str:
        meant = before.find(name)
        if not meant or after.find(name):
            return name
        return next((new for new in new_names if meant <= after.find(new)), name)

    _rename(connection, knowledge_base_id, renamed)


def _rename(connection: Connection, knowledge_base_id: UUID, renamed: Callable[[str], str]) -> None:
    for kept in rows.list_gold(connection, knowledge_base_id, None, QUESTIONS_MAX):
        question = GoldInput.model_validate(kept.model_dump(include=set(GoldInput.model_fields)))
        places = [place.model_copy(update={"document": renamed(place.document)}) for place in question.expected]
        pin = question.pin and renamed(question.pin)
        if places != question.expected or pin != question.pin:
            changed = question.model_copy(update={"expected": list(dict.fromkeys(places)), "pin": pin})
            rows.replace_gold(connection, knowledge_base_id, kept.id, changed)
