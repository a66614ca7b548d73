"""Upon which rows each stored statement acts: from archives to erasure, by the names of their files."""

from psycopg.types.json import Jsonb

from tests.store.acting_cases import (
    BASE,
    ENDED,
    IN_BASE,
    OPEN,
    OTHER,
    OTHER_BASE,
    SERVED,
    VECTOR_OF,
    At,
    Case,
    Own,
    before,
    link,
)

CASES = [
    Case("archive.open_documents", OPEN | {"documents.status": ["queued", "running"]}),
    Case("archive.open_runs", OPEN | {"ingestions.status": ["waiting", "queued", "running"]}),
    Case("archive.documents", OPEN),
    Case("archive.served_documents", OPEN | SERVED),
    Case("archive.extractors", OPEN | {"documents.extractor_version": (["x"], [None])}, lambda row: True),
    Case("archive.unusable", OPEN | {"lexical_bases.pivot": ([0.5, 2e9], [1, 1e9])}, lambda row: row["pivots"]),
    Case(
        "archive.unusable",
        OPEN | {"chunk_vectors.embedder_version": (["w"], ["v"]), "%version": (["v"], ["w"]), "%dimensions": [2]},
        lambda row: row["vectors"],
    ),
    Case(
        "archive.unusable",
        {"%dimensions": ([3], [2]), "chunk_vectors.embedder_version": ["v"], "%version": ["v"]},
        lambda row: row["vectors"],
    ),
    Case("attributes.date_names", IN_BASE | {"attribute_summaries.kind": (["time"], ["number", "text"])}),
    Case(
        "declared.in_units",
        {"%units": ([Own("attribute_summaries", "unit", listed=True)], [["x"]])},
    ),
    Case(
        "attributes.date_chunks",
        IN_BASE
        | {
            "%document_ids": ([None, Own("documents", listed=True)], [[OTHER]]),
            "knowledge_bases.date_attribute": (["made"], ["signed", None]),
            "chunk_attributes.name": (["made"], ["signed"]),
            "chunk_attributes.value_time": ["2001-01-01"],
            "chunk_attributes.value_number": [None],
            "chunk_attributes.value_text": [None],
            "chunk_attributes.value_boolean": ([None], []),
            "chunk_attributes.printed_number": [None],
            "chunks.date": ([None, "2002-02-02"], ["2001-01-01"]),
        },
    ),
    Case(
        "audit.list_entries",
        before("audit_log")
        | {
            "audit_log.act": (["kb.add", "kb"], ["kbs.add", "key.add"]),
            "%act": ([None, "kb.add", "kb"], ["k", "kb.a", "key"]),
            "%user_id": ([Own("users"), None], [OTHER]),
            "audit_log.user_id": ([Own("users")], [OTHER]),
            "audit_log.created_at": (["2020-01-02 00:00Z"], []),
            "%since": ([None, "2020-01-02 00:00Z"], ["2020-01-02 00:01Z"]),
            "%until": ([None, "2020-01-02 00:01Z"], ["2020-01-02 00:00Z"]),
        }
        | {"%act": (["kb"], ["k", "kb.a", "key"])},
    ),
    Case("audit.list_entries", {"audit_log.user_id": ([Own("users"), OTHER], [])}),
    Case("audit.list_entries", {"%act": ([None, "kb.add"], ["x"]), "audit_log.act": (["kb.add"], [])}),
    Case("audit.list_entries", link("audit_log.user_id", "users"), lambda row: row["person"]),
    Case("diff.chunks", {"chunks.chunk_type": ["text", "heading"], "chunks.content": (["x"], [""])}),
    Case(
        "diff.sections",
        {"section_addresses.exact": [True]} | link("section_addresses.section_id", "sections"),
        lambda row: row["key"],
    ),
    Case("diff.vectors", {**VECTOR_OF, "%id": ([Own("documents")], [OTHER])}),
    Case(
        "documents.find_named",
        IN_BASE
        | {"%name": (["n"], ["m"]), "logical_documents.name": (["n"], ["m"])}
        | link("documents.logical_document_id", "logical_documents"),
    ),
    Case(
        "documents.revive_refused",
        {
            "documents.status": ["refused"],
            "documents.serving": [False],
            "%source_hash": ([Own("documents", "source_hash")], ["x"]),
        },
    ),
    Case("documents.claim_for_rerun", {"documents.status": ENDED, "%id": ([Own("documents")], [OTHER])}),
    Case("documents.has_chunks", {"%id": ([Own("documents")], [OTHER])}),
    Case("documents.set_date", {"documents.document_date_source": [None, "title_page", "file_name", "metadata"]}),
    Case("edits.list_edits", before("edits") | {"%document_id": ([Own("documents")], [OTHER])}),
    Case(
        "edits.active_edits", {"edits.undone_at": ([None], [At(-1)])} | {"%document_id": ([Own("documents")], [OTHER])}
    ),
    Case(
        "edits.former_rows",
        {
            "edits.former": [Jsonb([{"of": "chunks", "hash": "x", "occurrence": 1}])],
            "%document_id": ([Own("documents")], [OTHER]),
        },
    ),
    Case("edits.read_pages", {"pages.status": ["ready"], "%document_id": ([Own("documents")], [OTHER])}),
    Case(
        "edits.known_hashes",
        {**IN_BASE, **VECTOR_OF, "%hashes": ([Own("chunk_vectors", "index_hash", listed=True)], [["x"]])},
    ),
    Case(
        "embedders.adopt",
        {"knowledge_bases.embedder_version": ([None], ["v"]), "%document_id": ([Own("documents")], [OTHER])},
    ),
    Case(
        "embedders.begin_change", OPEN | {"knowledge_bases.embedder_version": (["v"], [None]), "%target": (["w"], [])}
    ),
    Case(
        "embedders.begin_change",
        OPEN
        | {
            "knowledge_bases.embedder_version": ["v"],
            "knowledge_bases.embedder_target": ["w"],
            "%target": (["v", "x"], ["w"]),
        },
    ),
    Case(
        "embedders.missing_texts",
        OPEN
        | {
            "%version": ["v"],
            "chunk_vectors.embedder_version": (["w"], ["v"]),
            "chunk_vectors.index_hash": [Own("chunks", "index_hash")],
            "chunk_vectors.chunk_id": [Own("chunks")],
        },
    ),
    Case(
        "embedders.missing_texts",
        OPEN
        | {
            "%version": (["w"], ["v"]),
            "chunk_vectors.embedder_version": (["v"], []),
            "chunk_vectors.index_hash": ([Own("chunks", "index_hash")], []),
        },
    ),
    Case(
        "embedders.missing_texts",
        {
            "%version": ["v"],
            "chunk_vectors.embedder_version": ["v"],
            "chunk_vectors.index_hash": (["x"], [Own("chunks", "index_hash")]),
        },
    ),
    Case(
        "embedders.missing_texts",
        {
            "%version": ["v"],
            "chunk_vectors.embedder_version": ["v"],
            "chunk_vectors.index_hash": [Own("chunks", "index_hash")],
            "chunk_vectors.chunk_id": ([OTHER], [Own("chunks")]),
        },
    ),
    Case("embedders.store_by_hash", OPEN | {"%index_hash": ([Own("chunks", "index_hash")], ["x"])}),
    Case(
        "embedders.switch",
        OPEN
        | {
            "knowledge_bases.embedder_target": (["v"], ["w", None]),
            "%target": (["v"], ["w"]),
            "chunk_vectors.embedder_version": (["v"], ["w"]),
            "chunk_vectors.index_hash": ([Own("chunks", "index_hash")], ["x"]),
        }
        | link("chunk_vectors.chunk_id", "chunks"),
    ),
    Case(
        "embedders.delete_others",
        OPEN
        | {
            "knowledge_bases.embedder_version": (["v"], ["w"]),
            "knowledge_bases.embedder_target": (["x", None], ["w"]),
            "chunk_vectors.embedder_version": (["w"], ["v", "x"]),
        },
    ),
    Case(
        "erasure.open_uploads",
        {"ingestions.status": ["waiting", "queued", "running"], "%base": ([BASE, None], [OTHER_BASE])},
    ),
]
