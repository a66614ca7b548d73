"""Upon which rows each stored statement about notes and records acts."""

from tests.store.acting_cases import ANSWERING, FIRST, IN_BASE, LAST, OTHER, Case, Own, link

CURRENT = {"documents.is_current": [True]}

CASES = [
    Case("notes.list_notes", IN_BASE | CURRENT | link("notes.document_id", "documents")
         | {"%before": ([None, LAST], [Own("notes", "document_id"), FIRST])}),
    Case("notes.list_tags", IN_BASE | CURRENT | {"notes.tags": ([["x"]], [[]])}),
    Case("notes.list_corrections", CURRENT | ANSWERING | {
        "%id": ([Own("documents")], [OTHER]), "notes.corrects_document_id": ([Own("documents")], [None]),
    }),
]  # fmt: skip
