"""Upon which rows each stored statement about notes, records and sources acts."""

from tests.store.acting_cases import ANSWERING, FIRST, IN_BASE, LAST, OTHER, At, Case, Own, behind, link

CURRENT = {"documents.is_current": [True]}

CASES = [
    Case("sources.find_source", {"%id": ([Own("sources")], [OTHER])}),
    Case("sources.find_source", {"%id": [Own("sources")], "source_items.source_id": ([Own("sources")], [OTHER]),
         "source_items.gone_at": ([None], [At(-1)]),
         "source_items.parcel": ([None], ["a.zip"])}, lambda row: row["files"]),
    Case("sources.source_named", IN_BASE | {"sources.kind": (["folder"], ["mailbox"]), "%kind": (["folder"], ["feed"]),
         "sources.name": (["some text"], ["x"])}),
    Case("sources.source_named", IN_BASE | {"sources.kind": (["folder"], []), "sources.name": ["some text"]}
         | {"source_items.source_id": ([Own("sources")], [OTHER]), "source_items.gone_at": ([None], [At(-1)]),
         "source_items.parcel": ([None], ["a.zip"])},
         lambda row: row["files"]),
    Case("sources.list_sources", IN_BASE | behind("sources")),
    Case("sources.known_page", IN_BASE | {"sources.kind": (["sitemap", "feed"], ["folder"]),
         "%kinds": [["sitemap", "feed"]], "%path": [Own("source_items", "path")],
         "source_items.source_id": [Own("sources")], "source_items.ingestion_id": ([Own("ingestions")], [None]),
         "source_items.document_id": [None]}),
    Case("sources.known_page", IN_BASE | {"sources.kind": ["feed"], "%kinds": ([["feed"]], [["sitemap"]]),
         "%path": [Own("source_items", "path")], "source_items.source_id": [Own("sources")],
         "source_items.ingestion_id": [None], "source_items.document_id": ([Own("documents")], [None])}),
    Case("suggestions.is_alone", {"sources.kind": (["folder", "mailbox", "bucket"], ["pages", "sitemap", "feed"])},
         lambda row: row["alone"]),
    Case("sources.relist_items", {"%source_id": [Own("sources")], "%names": [["some text"]],
         "source_items.source_id": ([Own("sources")], [OTHER]), "source_items.path": (["some text"], ["x"]),
         "source_items.gone_at": ([At(-1)], [None]), "source_items.error": ([None], ["some text"])}),
    Case("sources.due_sources", {"sources.due_at": ([At(-1), At(0)], [At(60), None])}),
    Case("sources.list_sources", IN_BASE | {"source_items.source_id": ([Own("sources")], [OTHER]),
         "source_items.gone_at": ([None], [At(-1)]),
         "source_items.parcel": ([None], ["a.zip"])}, lambda row: row["files"]),
    Case("notes.list_notes", IN_BASE | CURRENT | link("notes.document_id", "documents")
         | {"%before": ([None, LAST], [Own("notes", "document_id"), FIRST])}),
    Case("notes.list_tags", IN_BASE | CURRENT | {"notes.tags": ([["x"]], [[]])}),
    Case("notes.list_corrections", CURRENT | ANSWERING | {
        "%id": ([Own("documents")], [OTHER]), "notes.corrects_document_id": ([Own("documents")], [None]),
    }),
    Case("notes.corrections_of_chunks", CURRENT | ANSWERING | {
        "notes.corrects_document_id": ([Own("documents")], [None]), "notes.corrects_chunk_id": ([None], [OTHER]),
        "notes.corrects_hash": [None],
    }),
    Case("notes.corrections_of_chunks", CURRENT | ANSWERING | {
        "notes.corrects_document_id": [Own("documents")], "notes.corrects_chunk_id": ([Own("chunks")], [OTHER]),
        "notes.corrects_hash": [None],
    }),
]  # fmt: skip
