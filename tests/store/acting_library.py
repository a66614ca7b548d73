"""Upon which rows each stored statement acts: from the library to the profiles, by the names of their files."""

from tests.store.acting_cases import (
    ANSWERING,
    APPROVED,
    BASE,
    FIRST,
    LAST,
    OTHER,
    OTHER_BASE,
    At,
    Case,
    Own,
    before,
    behind,
    link,
)

CASES = [
    Case(
        "library.list_documents",
        before("documents")
        | {"%knowledge_base_id": ([None, BASE], [OTHER_BASE])}
        | link("documents.logical_document_id", "logical_documents"),
    ),
    Case(
        "library.list_versions",
        {"documents.version_index": ([2, 3], [1]), "%after": [1], "%id": ([Own("documents")], [OTHER])},
    ),
    Case(
        "library.list_pages",
        {"pages.page": ([2, 3], [1]), "%after": [1], "%document_id": ([Own("documents")], [OTHER])},
    ),
    *[
        Case(
            f"library.{name}",
            {"pages.page": ([3, 4], []), "chunks.first_page": ([2, 3], [5]), "chunks.last_page": ([4, 5], [2])}
            | more
            | link("chunks.document_id", "documents"),
            lambda row: row["chunks"],
        )
        for name, more in (("list_pages", {"%after": [1]}),)
    ],
    Case(
        "library.get_page",
        {"pages.page": [3], "%page": [3], "chunks.first_page": ([2, 3], [4]), "chunks.last_page": ([4, 3], [2])}
        | link("chunks.document_id", "documents"),
        lambda row: row["chunks"],
    ),
    Case("library.get_page", {"pages.page": ([3], [2, 4]), "%page": [3]}),
    Case(
        "library.has_page", {"pages.page": ([3], [2, 4]), "%page": [3], "%document_id": ([Own("documents")], [OTHER])}
    ),
    Case(
        "library.find_figure",
        {"%document_id": ([Own("documents")], [OTHER]), "%chunk_id": ([Own("figures", "chunk_id")], [OTHER])},
        lambda row: True,
    ),
    Case(
        "library.list_chunks",
        {"documents.source_changed_at": ([At(0)], [None])},
        lambda row: "source_changed" in row["flags"],
    ),
    Case(
        "library.kept_blocks",
        {"tables.kept_rows": ([5], [None]), "%document_id": ([Own("documents")], [OTHER])},
    ),
    Case(
        "kept_words.blocks",
        {
            "tables.kept_rows": ([5], [None]),
            **ANSWERING,
            "documents.is_current": ([True], []),
            "%superseded": ([False, True], []),
            "%documents": ([None, Own("documents", listed=True)], [[OTHER]]),
        }
        | link("tables.document_id", "documents")
        | link("documents.logical_document_id", "logical_documents"),
    ),
    Case(
        "kept_words.blocks",
        {
            "tables.kept_rows": [5],
            **ANSWERING,
            "documents.is_current": ([False], []),
            "%superseded": ([True], [False]),
            "%documents": [None],
        },
    ),
    Case(
        "kept_words.blocks",
        APPROVED
        | {"tables.kept_rows": [5], "documents.is_current": [True], "%documents": [None], "%superseded": [False]},
    ),
    Case(
        "kept_words.blocks",
        {
            "%numbers": [[1]],
            "%superseded": [False],
            "tables.kept_rows": [5],
            "tables.first_page": ([4], [5]),
            "kept_words.page": ([4], [5]),
            "documents.is_current": [True],
            "%documents": [None],
        }
        | ANSWERING
        | link("kept_words.document_id", "documents")
        | link("kept_words.ingestion_id", "documents", "ingestion_id"),
        lambda row: row["lines"],
    ),
    Case("kept_words.forget_words", link("kept_words.document_id", "documents")),
    Case(
        "library.chunks_of_rows",
        {
            "chunks.chunk_type": (["table_row"], ["text"]),
            "%document_id": ([Own("documents")], [OTHER]),
            "%table_id": ([Own("tables")], [OTHER]),
        }
        | link("chunks.table_id", "tables"),
    ),
    Case("library.list_chunks", link("chunks.section_id", "sections"), lambda row: row["s_id"]),
    Case(
        "library.list_chunks",
        {"chunks.chunk_type": ["table"]} | link("chunks.table_id", "tables") | link("tables.document_id", "documents"),
        lambda row: row["table"],
    ),
    Case(
        "library.list_chunks",
        {"chunks.ordinal": ([2, 3], [1]), "%after_ordinal": ([1, None], [3]), "%after_id": [LAST], "%page": [None]},
    ),
    Case(
        "library.list_chunks",
        {"chunks.ordinal": [1], "%after_ordinal": [1], "%after_id": ([FIRST], [Own("chunks"), LAST])},
    ),
    Case(
        "library.list_chunks",
        {"chunks.first_page": ([1, 2], [3]), "chunks.last_page": ([3, 2], [1]), "%page": ([2, None], [])},
    ),
    Case(
        "library.list_sections",
        {"sections.ordinal": ([2, 3], [1]), "%after_ordinal": ([1, None], [3]), "%after_id": [LAST]},
    ),
    Case(
        "library.list_sections",
        {"sections.ordinal": [1], "%after_ordinal": [1], "%after_id": ([FIRST], [Own("sections"), LAST])},
    ),
    Case(
        "library.remove_uploads",
        link("ingestions.document_id", "documents") | {"%document_id": ([Own("documents")], [OTHER])},
    ),
    Case(
        "library.remove_uploads",
        link("ingestions.document_id", "documents")
        | {"%document_id": [Own("documents")], "uploads.id": [FIRST]}
        | {"uploads.parcel_id": ([Own("ingestions")], [OTHER])},
    ),
    Case("members.list_members", behind("users")),
    Case("members.list_invited", behind("users") | {"users.invited_at": ([At(-1)], [None])}),
    Case("members.list_waiting", {"%ids": ([Own("waiting_sign_ins", "user_id", listed=True)], [[OTHER]])}),
    Case("joining.list_domains", behind("domains")),
    Case("joining.list_group_roles", behind("group_roles")),
    Case("members.end_waiting", {"%id": ([Own("users")], [OTHER])}),
    Case(
        "permissions.list_permitted",
        {"%base": ([Own("base_members", "base_id")], [OTHER])} | link("base_members.user_id", "users"),
    ),
    Case(
        "profiles.beginnings",
        {"chunks.chunk_type": ["text", "heading"], "chunks.content": ["x"]} | link("chunks.document_id", "documents"),
        lambda row: row["beginning"],
    ),
    Case(
        "proof.sections",
        {"section_addresses.exact": [True]} | link("section_addresses.section_id", "sections"),
        lambda row: row["keys"],
    ),
    Case("library.list_chunks", {"chunks.section_id": ([Own("sections"), None], [])}),
    Case(
        "members.count_invitations",
        {
            "audit_log.act": (["member.invite", "member.resend"], ["member.role", "key.add"]),
            "audit_log.created_at": ([At(-3599), At(0)], [At(-3600)]),
        },
    ),
]
