"""Upon which rows each stored statement acts: from searching to the workload, by the names of their files."""

from psycopg.types.json import Jsonb

from tests.store.acting_cases import (
    ANSWERING,
    APPROVED,
    BASE,
    DAY,
    IN_BASE,
    OTHER,
    OTHER_BASE,
    SERVED,
    At,
    Case,
    Own,
    before,
    behind,
    link,
)

CASES = [
    Case(
        "search.sections_by_address",
        {
            "%keys": ([Own("section_addresses", "address_key", listed=True)], [["x"]]),
            "section_addresses.exact": ([True, False], []),
            **ANSWERING,
            "documents.is_current": ([True], []),
            "%superseded": ([False, True], []),
            "%documents": ([None, Own("documents", listed=True)], [[OTHER]]),
        }
        | link("section_addresses.document_id", "documents")
        | link("section_addresses.section_id", "sections")
        | link("sections.document_id", "documents"),
    ),
    Case(
        "search.sections_by_address",
        {
            "%keys": [Own("section_addresses", "address_key", listed=True)],
            **ANSWERING,
            "documents.is_current": [True],
            "%superseded": [False],
            "%documents": [None],
        },
    ),
    Case(
        "search.sections_by_address",
        {
            "%keys": [Own("section_addresses", "address_key", listed=True)],
            **ANSWERING,
            "documents.is_current": ([False], []),
            "%superseded": [True],
            "%documents": [None],
        },
    ),
    Case(
        "search.titles_of_chunks",
        {
            "%ids": ([Own("chunks", listed=True)], [[OTHER]]),
            "sections.title": (["Scope"], [""]),
            "chunks.chunk_type": (["text", "heading"], ["figure", "caption"]),
        }
        | link("chunks.section_id", "sections"),
    ),
    Case("search.answering", ANSWERING | link("chunks.document_id", "documents")),
    Case("search.answering", APPROVED),
    Case(
        "search.tables_of_rows",
        {"tables.kept_rows": ([5], [None]), "%ids": ([Own("tables", listed=True)], [[OTHER]])}
        | link("tables.document_id", "documents"),
    ),
    Case(
        "search.windows_of_tables",
        {"%ids": ([Own("tables", listed=True)], [[OTHER]]), "tables.kept_rows": ([None, 5], [])},
    ),
    Case(
        "search.tables_with_spans",
        {
            "%ids": ([Own("tables", listed=True)], [[OTHER]]),
            "tables.header_rows": ([1], [2]),
            "tables.grid": ([Jsonb([[{}], [{"row_span": 2}]])], [Jsonb([[{"row_span": 2}], [{"row_span": 1}]])]),
        },
    ),
    Case(
        "search.rows_of_tables",
        {
            "%document_ids": ([Own("documents", listed=True)], [[OTHER]]),
            "%ids": ([Own("tables", listed=True)], [[OTHER]]),
            "chunks.chunk_type": (["table_row"], ["text", "table"]),
            "tables.kept_rows": ([None], [5]),
            "%limit": [2],
        }
        | link("chunks.table_id", "tables"),
    ),
    Case("search.row_contexts", {"chunks.chunk_type": (["table_row"], ["text", "table"])}),
    Case(
        "search.on_pages",
        {
            "%pages": [[2]],
            "chunks.first_page": ([1, 2], [3]),
            "chunks.last_page": ([3, 2], [1]),
            "%document_id": ([Own("documents")], [OTHER]),
        },
    ),
    Case(
        "selection.sizes",
        {
            **ANSWERING,
            "documents.is_current": [True],
            "%superseded": ([False, True], []),
            "documents.chunk_count": [5],
            "%documents": ([None, Own("documents", listed=True)], [[OTHER]]),
        },
    ),
    Case("selection.driver_types", {"chunks.chunk_type": (["table"], ["text"]), "%types": [["table"]]}),
    Case(
        "selection.driver_served",
        ANSWERING
        | {"documents.is_current": [True], "%superseded": ([False, True], [])}
        | link("chunks.document_id", "documents"),
    ),
    Case(
        "selection.driver_served",
        ANSWERING | {"documents.is_current": ([False], []), "%superseded": [True]},
    ),
    *[
        Case(name, APPROVED | {"documents.is_current": [True], "%superseded": [False], "%documents": [None]} | more)
        for name, more in (
            ("selection.sizes", {"documents.chunk_count": [5]}),
            ("search.sections_by_address", {"%keys": [Own("section_addresses", "address_key", listed=True)]}),
        )
    ],
    Case("selection.driver_served", APPROVED | {"documents.is_current": [True], "%superseded": [False]}),
    Case(
        "storage.wanted_uploads",
        {
            "ingestions.duplicate": [False],
            "ingestions.document_id": ([Own("documents")], []),
            "ingestions.status": (["ready", "refused", "failed", "running"], []),
        },
    ),
    Case(
        "storage.wanted_uploads",
        {
            "ingestions.duplicate": [False],
            "ingestions.document_id": [None],
            "ingestions.status": ["waiting", "queued", "running"],
        },
    ),
    Case("storage.runs", {"ingestions.duplicate": [False], "ingestions.document_id": ([Own("documents")], [None])}),
    Case(
        "suggestions.first_headings",
        {
            "chunks.chunk_type": (["heading"], ["text"]),
            "chunks.first_page": ([1], [2]),
            "%id": ([Own("documents")], [OTHER]),
        },
    ),
    Case("suggestions.section_keys", {"sections.captioned": [False]}),
    Case(
        "suggestions.section_keys",
        {"sections.captioned": [False], "section_addresses.exact": [True]}
        | link("section_addresses.section_id", "sections"),
        lambda row: row["address_key"],
    ),
    Case("suggestions.contents", {"chunks.chunk_type": (["text", "heading"], ["table"])}),
    Case(
        "suggestions.without_profile",
        SERVED
        | {
            "documents.source_type": (["pdf", "some text"], ["note", "record", "mail"]),
            "version_profiles.method": ([2], []),
            "%method": ([1], []),
        },
    ),
    Case("suggestions.without_profile", IN_BASE | SERVED | {"version_profiles.method": ([2], [1]), "%method": [1]}),
    Case(
        "suggestions.without_profile",
        SERVED
        | {
            "version_profiles.method": [1],
            "%method": [1],
            "version_profiles.document_id": ([OTHER], [Own("documents")]),
        },
    ),
    Case(
        "suggestions.drop_others",
        {
            "version_suggestions.status": ["open"],
            "%document_id": ([Own("documents")], [OTHER]),
            "%kept": ([[OTHER], []], [Own("version_suggestions", "logical_document_id", listed=True)]),
        },
    ),
    Case(
        "suggestions.list_suggestions",
        behind("version_suggestions")
        | link("version_suggestions.document_id", "documents")
        | link("version_suggestions.logical_document_id", "logical_documents")
        | {
            "version_suggestions.status": (["dismissed"], ["accepted"]),
            "%status": ([None, "dismissed"], ["open"]),
            "%id": ([None, Own("version_suggestions")], [OTHER]),
            "%knowledge_base_id": ([None, BASE], [OTHER_BASE]),
        }
        | {"%status": (["dismissed"], ["open"])},
    ),
    Case(
        "suggestions.list_suggestions",
        {
            "version_suggestions.nearest_id": ([Own("documents"), None], []),
            "%id": [None],
            "version_suggestions.status": (["open"], []),
            "%status": [None],
            "%knowledge_base_id": [None],
            "documents.logical_document_id": ([OTHER], [Own("logical_documents")]),
        },
    ),
    Case(
        "traces.get_trace",
        {"%id": ([Own("retrieval_log")], [OTHER]), "%only": ([None, Own("retrieval_log", "user_id")], [OTHER])},
    ),
    Case(
        "traces.list_traces",
        before("retrieval_log")
        | {
            "retrieval_log.operator": (["search"], ["ask"]),
            "%operator": ([None, "search"], ["lookup"]),
            "%knowledge_base_id": ([None, BASE], [OTHER_BASE]),
            "%only": ([None, Own("users")], [OTHER]),
            "retrieval_log.user_id": ([Own("users")], []),
        }
        | {"%operator": (["search"], ["lookup"])},
    ),
    Case("traces.list_traces", {"retrieval_log.operator": ["search"], "%operator": [None]}),
    Case(
        "vectors.missing",
        {
            "%version": ["v"],
            "chunk_vectors.embedder_version": (["w"], ["v"]),
            "chunk_vectors.index_hash": [Own("chunks", "index_hash")],
        },
    ),
    Case(
        "vectors.missing",
        {
            "%version": ["v"],
            "chunk_vectors.embedder_version": ["v"],
            "chunk_vectors.index_hash": (["x"], [Own("chunks", "index_hash")]),
        },
    ),
    Case(
        "vectors.missing",
        {
            "%version": ["v"],
            "chunk_vectors.embedder_version": ["v"],
            "chunk_vectors.index_hash": [Own("chunks", "index_hash")],
            "chunk_vectors.chunk_id": ([OTHER], [Own("chunks")]),
        },
    ),
    Case(
        "vectors.reuse",
        {
            "%version": ["v"],
            "chunk_vectors.embedder_version": (["v"], ["w"]),
            "chunk_vectors.index_hash": ([Own("chunks", "index_hash")], ["x"]),
            "chunk_vectors.chunk_id": ([OTHER], [Own("chunks")]),
            "%document_ids": ([Own("documents", listed=True)], [[OTHER]]),
            "chunk_vectors.knowledge_base_id": ([BASE], [OTHER_BASE]),
        },
    ),
    Case(
        "versions.renumber", {"documents.version_index": ([-1, -2], [1]), "%id": ([Own("logical_documents")], [OTHER])}
    ),
    Case("versions.leave", {"documents.is_current": [True], "%id": ([Own("documents")], [OTHER])}),
    Case(
        "versions.step_down",
        {
            "documents.is_current": [True],
            "%current": ([OTHER, None], [Own("documents")]),
            "%logical_id": ([Own("logical_documents")], [OTHER]),
        },
    ),
    Case("versions.step_up", {"documents.is_current": [False]}),
    Case(
        "versions.remove_empty",
        {
            "documents.logical_document_id": ([OTHER], [Own("logical_documents")]),
            "%id": ([Own("logical_documents")], [OTHER]),
        },
    ),
    Case("workload.states", {"ingestions.finished_at": ([None, At(-DAY + 1)], [At(-DAY), At(-DAY - 1)])}),
    Case(
        "workload.overdue",
        {
            "ingestions.status": ["queued", "running"],
            "ingestions.duplicate": [False],
            "%seconds": [1],
            "ingestions.started_at": ([At(-2), None], [At(-1), At(0)]),
            "ingestions.created_at": ([At(-2)], []),
        },
    ),
    Case(
        "workload.overdue",
        {
            "ingestions.status": (["queued"], []),
            "ingestions.duplicate": [False],
            "%seconds": [1],
            "ingestions.started_at": [None],
            "ingestions.created_at": ([At(-2)], [At(-1)]),
        },
    ),
    Case(
        "workload.failed",
        {"documents.status": ["failed"], "%ids": ([None, Own("documents", listed=True)], [[OTHER]])}
        | link("documents.run_id", "ingestions"),
    ),
    Case(
        "workload.unread",
        {
            "ingestions.status": ["failed"],
            "ingestions.document_id": ([None], [Own("documents")]),
            "ingestions.finished_at": ([At(-7 * DAY + 1)], [At(-7 * DAY), None]),
        },
    ),
    *[
        Case(f"{name}", {"chunks.section_id": ([Own("sections"), None], [])})
        for name in ("search.hits", "traces.traced_chunks")
    ],
    Case("suggestions.section_keys", {"sections.captioned": [False], "section_addresses.section_id": ([OTHER], [])}),
]
