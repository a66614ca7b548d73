"""Upon which rows each stored statement acts: digests, what they stand on, and events."""

from typing import Any

from tests.store.acting_cases import ANSWERING, FIRST, IN_BASE, LAST, OTHER, At, Case, Own, link

STANDS: dict[str, Any] = {"digest_statements.last_version": ([None], [2])}
COUNTED: dict[str, Any] = (
    IN_BASE
    | STANDS
    | link("digest_statements.file_id", "digest_files")
    | {"digest_statements.kind": ["statement"], "digest_statements.removed": [False], "%counted": [["statement"]]}
)
DAYS = [f"2026-03-0{day} 00:00+00" for day in (1, 2, 3)]
OF_LINE = link("digest_citations.line_id", "digest_statements")
# A line that cites a run: it stands as long as the run is there.
OF_RUN: dict[str, Any] = {"digest_citations.kind": (["run"], []), "digest_statements.text": ["x"]}
STALE = OF_RUN | OF_LINE | {"digest_citations.source_id": ([OTHER], [Own("eval_runs")])}
EMPTY = OF_RUN | {"digest_citations.source_id": [Own("eval_runs")], "digest_statements.text": ([""], ["x"])}
DOCUMENTS: dict[str, Any] = {"%document_ids": ([Own("documents", listed=True)], [[OTHER]])}
OURS: dict[str, Any] = {"digest_statements.origin": ["agent", "system"]}
TOPIC: dict[str, Any] = {"digest_files.topic_id": ([OTHER], [None])}
# A passage that says what it said when it was cited, and that nobody corrects.
CITED: dict[str, Any] = {
    "digest_citations.kind": (["chunk"], []),
    "digest_citations.document_id": ([Own("documents")], [OTHER]),
    "digest_citations.source_id": ([Own("chunks")], [OTHER]),
    "digest_citations.content_hash": (["said"], ["else"]),
    "chunks.content_hash": ["said"],
    "documents.is_current": [True],
    "notes.corrects_document_id": [None],
    "reviews.chunk_id": [None],
    "digest_statements.last_version": [None],
    "%files": [None],
}
NOTED: dict[str, Any] = {
    "documents.serving": ([True], []),
    "documents.is_current": ([True], []),
    "%without": [["heading"]],
    "chunks.chunk_type": (["text"], ["heading"]),
    "chunks.content_hash": ["said"],
    "reviews.chunk_id": [None],
}


def is_current(row: Any) -> bool:
    return row["citations"][0]["standing"] == "current"


CASES = [
    Case(
        "digest.illustrations",
        {
            "tables.kept_rows": ([None], [5]),
            "figures.document_id": [OTHER],
            "chunks.chunk_type": (["table"], ["heading"]),
            "%ids": ([Own("chunks", listed=True)], [[OTHER]]),
            "%without": [["heading"]],
            "%limit": [99],
        }
        | link("chunks.table_id", "tables")
        | link("chunks.document_id", "documents")
        | link("tables.document_id", "documents"),
        lambda row: row["box"] is None,
    ),
    Case(
        "digest.list_files",
        IN_BASE
        | {
            "digest_files.tier": (["summary"], []),
            "%tiers": ([None, ["summary"]], [["index"]]),
            "%file_id": ([None, Own("digest_files")], [OTHER]),
            "%path": ([None, Own("digest_files", "path")], ["x"]),
            "digest_files.topic_id": [OTHER],
            "%topics": ([None, [OTHER]], [[FIRST]]),
        },
    ),
    Case("digest.list_files", COUNTED, lambda row: row["statements"]),
    Case("digest.list_files", COUNTED | {"digest_statements.uncited": [True]}, lambda row: row["uncited"]),
    Case("digest.list_files", COUNTED | {"digest_statements.origin": ["user"]}, lambda row: row["by_people"]),
    Case("digest.list_files", COUNTED | STALE, lambda row: row["stale"]),
    Case("digest.list_files", COUNTED | EMPTY, lambda row: row["stale"]),
    Case(
        "digest.list_lines",
        IN_BASE
        | STANDS
        | {
            "%files": ([None, Own("digest_files", listed=True)], [[OTHER]]),
            "%removed": [False],
            "digest_statements.removed": [False],
        },
    ),
    Case(
        "digest.list_lines", IN_BASE | {"%removed": [True], "digest_statements.removed": ([True, False], [])} | STANDS
    ),
    Case("digest.list_lines", IN_BASE | CITED | ANSWERING, is_current),
    Case(
        "digest.list_versions",
        IN_BASE
        | link("digest_versions.file_id", "digest_files")
        | {
            "digest_versions.number": [2],
            "%before": ([None, 3], [2]),
            "%number": ([None, 2], [1, 3]),
            "%file_id": ([Own("digest_files")], [OTHER]),
        },
    ),
    Case(
        "digest_context.topics_of_chunks",
        STANDS
        | OF_LINE
        | TOPIC
        | {
            "%ids": ([Own("chunks", listed=True)], [[OTHER]]),
            "digest_citations.document_id": ([Own("documents")], [OTHER]),
            "digest_citations.kind": ["chunk"],
            "digest_citations.source_id": ([Own("chunks")], [OTHER]),
        }
        | link("digest_statements.file_id", "digest_files")
        | link("chunks.document_id", "documents"),
    ),
    Case("digest_sources.documents", IN_BASE | ANSWERING | {"documents.is_current": [True]}),
    Case("digest_sources.sections", DOCUMENTS | {"sections.captioned": [False]}),
    Case(
        "digest_sources.parts",
        DOCUMENTS | NOTED | {"notes.corrects_document_id": [None]} | link("chunks.document_id", "documents"),
    ),
    Case(
        "digest_sources.parts",
        NOTED
        | {
            "%document_ids": [Own("documents", listed=True)],
            "documents.review": (["unreviewed"], []),
            "notes.corrects_document_id": ([None], [Own("documents")]),
            "notes.corrects_chunk_id": [Own("chunks")],
            "notes.corrects_hash": [None],
        },
    ),
    Case(
        "digest_sources.parts",
        NOTED
        | {
            "%document_ids": [Own("documents", listed=True)],
            "documents.review": (["unreviewed"], []),
            "notes.corrects_document_id": [Own("documents")],
            "notes.corrects_chunk_id": ([OTHER], [Own("chunks")]),
            "notes.corrects_hash": (["else"], ["said"]),
        },
    ),
    Case("digest_sources.runs", IN_BASE | {"eval_runs.finished_at": ([At(-5)], [None])}),
    Case(
        "digest_writes.confirm_lines",
        IN_BASE
        | STANDS
        | OURS
        | OF_LINE
        | {
            "%ids": ([Own("digest_files", listed=True)], [[OTHER]]),
            "digest_citations.kind": ["chunk"],
            "digest_citations.source_id": ([Own("chunks")], [OTHER]),
        }
        | link("digest_statements.file_id", "digest_files"),
    ),
    Case("digest_writes.instead_of", IN_BASE | STANDS | {"digest_statements.instead_of": (["x"], [None])}),
    Case("digest_writes.stale_topics", IN_BASE | STANDS | OURS | TOPIC | STALE),
    Case("digest_writes.stale_topics", IN_BASE | STANDS | OURS | TOPIC | EMPTY),
    Case(
        "events.stated_in",
        STANDS
        | OF_LINE
        | {
            "%ids": ([Own("events", listed=True)], [[OTHER]]),
            "digest_citations.kind": (["event"], []),
            "digest_citations.source_id": ([Own("events")], [OTHER]),
        }
        | link("digest_statements.file_id", "digest_files"),
    ),
    Case(
        "events.list_events",
        IN_BASE
        | {
            "events.kind": ["sold"],
            "%only": ([None, "sold"], ["bought"]),
            "%before": ([None, LAST], [Own("events"), FIRST]),
            "events.at": [DAYS[1]],
            "%since": ([None, *DAYS[:2]], [DAYS[2]]),
            "%until": ([None, DAYS[2]], DAYS[:2]),
        },
    ),
]
