"""Stored statements with parameters about one row of every table, and what became of the rows of others."""

import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from pgvector import HalfVector
from psycopg.types.json import Json, Jsonb

import shared.store
from shared.domain.ids import new_id
from shared.store.named_queries import load_queries
from tests.store.filling import PROFILE, VECTOR, Filled, Place

FILES = sorted(path.stem for path in Path(shared.store.__file__).parent.glob("queries/*.sql"))
# Put together in Python, where tests of search reach them.
TEMPLATE = re.compile(r"{\w+}")
# Neither what inserts values that its caller names, nor whole rows.
STATEMENT = re.compile(
    r"(select|insert|update|delete|with)\b(?!.*\bvalues\s*\(|.*\bjson_\w+_recordset\([^%]*%\(rows\)s)", re.DOTALL
)
TABLE = re.compile(r"\b(?:from|update|into|join)\s+(\w+)")
NUMBERS = ("limit", "count", "page", "page_count", "chunks", "days", "seconds", "hours", "lease", "abandoned_after",
           "measured", "total", "rank", "old", "pivot", "first", "last", "excerpt", "share", "terms", "number", "each",
           "places", "usd", "method", "size", "version_index", "score", "confidence", "latency_ms",
           "after_ordinal", "dimensions", "green", "traces", "objects", "passwords", "idle_s",
           "most", "schema_version", "document_count", "found", "refused", "unread", "revision")  # fmt: skip
TRUE = ("superseded", "set_label", "recursive", "duplicate", "baseline", "by_date", "may_write", "restricted",
        "is_admin", "is_machine", "is_open")  # fmt: skip
LISTS = ("lengths", "impacts", "hashes", "keys", "words", "word_terms", "slots", "firsts", "vectors", "removed",
         "named", "names", "titles", "addresses", "sections", "content", "active", "dead", "kept", "pages",
         "types", "candidate_ids", "chunk_ids", "scores", "affected", "numbers", "patterns", "states", "groups",
         "new_ids", "record_kinds", "record_keys")  # fmt: skip
JSON = ("state", "former", "expected", "results", "questions", "deltas", "floors", "left_out", "versions", "parameters",
        "parts", "scope", "payload", "response", "trace", "rows", "attributes", "texts", "examples")  # fmt: skip


def statements() -> dict[str, str]:
    found = {f"{file}.{name}": text for file in FILES for name, text in load_queries(file).items()}
    return {name: text for name, text in found.items() if _stands_alone(text)}


# The texts are asked for anew each time, by which `make mutants` knows who asks; what they are is known once.
@cache
def _stands_alone(text: str) -> bool:
    return bool(STATEMENT.match(text)) and not TEMPLATE.search(text)


def values_of(filled: Filled, place: Place, name: str, text: str) -> dict[str, Any]:
    """The statement's parameters, about the rows of `place`; KeyError for one that nobody has thought of."""
    rows = filled.rows[place]
    main = next((table for table in TABLE.findall(text) if "id" in rows.get(table, {})), "documents")
    # `document_id = %(id)s`: the id is another table's.
    if of_other := re.search(r"\b(document|logical_document|section|run|ingestion)_id = %\(id\)s", text):
        main = {"run": "ingestions"}.get(of_other[1], f"{of_other[1]}s")
    known: dict[str, Any] = {
        "id": rows[main]["id"], "ids": [rows[main]["id"]], "chunk_id": rows["chunks"]["id"],
        "document_id": rows["documents"]["id"], "documents": [rows["documents"]["id"]],
        "document_ids": [rows["documents"]["id"]], "run_ids": [rows["ingestions"]["id"]],
        "driver_documents": [rows["documents"]["id"]], "ingestion_id": rows["ingestions"]["id"],
        "logical_id": rows["logical_documents"]["id"], "logical_document_id": rows["logical_documents"]["id"],
        "current": rows["documents"]["id"], "source": rows["logical_documents"]["id"],
        "knowledge_base_id": place.knowledge_base_id, "base": place.knowledge_base_id,
        "organization_id": place.organization_id, "user_id": rows[main].get("user_id", rows["users"]["id"]),
        "knowledge_base_ids": [place.knowledge_base_id], "hash": rows["documents"]["source_hash"],
        "source_hash": rows["documents"]["source_hash"], "index_hash": rows["chunks"]["index_hash"],
        "gold": rows["eval_runs"]["gold"], "key": rows["idempotency_keys"]["key"], "version": "another/1",
        "target": None, "after": None, "after_id": None, "before": None, "nearest_id": None, "by": "Ada",
        "embedding": "[1,0]", "vector": VECTOR, "status": "queued", "stage": "parse", "baseline_id": None,
        "operator": None, "month": "2020-01-01", "rates": Jsonb({}), "permanent": True, "plan": "pro",
        "resource": "compute", "key_id": None, "subject_id": place.organization_id, "run_id": new_id(), "changed": True,
        "day": "2024-02-29", "made": "2024-02-29", "decision_id": rows["reviews"]["decision_id"], "author_id": None,
        "bases": [place.knowledge_base_id], "ticket_hash": new_id().hex, "former_version": None, "parcel_id": None,
        "chunks_max": None, "source_id": rows["sources"]["id"], "kind": "folder",
        "new_id": new_id(), "carried_id": rows["edits"]["id"], "job_id": rows["archive_jobs"]["id"],
        "table_id": rows["tables"]["id"],
        "access_expires_at": "now", "refresh_expires_at": "now", "role": "viewer", "act": None, "since": None,
        "until": None, "only": None,
        "webhook_id": rows["webhooks"]["id"], "delivery_id": new_id(), "event": "webhook.test", "body": Json({}),
        "now": datetime.now(UTC), "due_at": None,
        "took": Jsonb({"register": 1.0}), "subjects": [place.organization_id], "what": place.knowledge_base_id,
    }  # fmt: skip
    known |= {
        "thread_id": rows["threads"]["id"], "message_id": rows["thread_messages"]["id"],
        "answer_id": rows["thread_answers"]["id"], "share_id": rows["thread_shares"]["id"],
        "asker_id": rows["users"]["id"], "until_id": rows["thread_answers"]["id"], "before_at": None, "before_id": None,
        "verdict": "right", "expires_at": "now",
        "wanted": None, "field": None, "metric": None, "system": None, "low": None, "high": None, "unit": None,
        "body_hash": "x", "reason": "made", "body": Jsonb({}), "revision": 1, "edit_id": rows["summary_edits"]["id"],
        "notebook_id": rows["notebooks"]["id"], "shown_id": rows["threads"]["id"], "before_revision": None,
        "cell_id": new_id(), "restored": None, "contents": [rows["notebook_cells"]["id"]], "gone": [],
    }  # fmt: skip
    known |= dict.fromkeys(NUMBERS, 1) | {"limit": 100} | dict.fromkeys(TRUE, True)
    known |= {"way": " › ", "before_path": "some text"}
    known |= {name: [] for name in LISTS} | {name: Jsonb([]) for name in JSON}
    texts = ("name", "title", "label", "error", "default", "language", "engine", "embedder_version", "source_key",
             "description", "owner", "model", "pin", "stale", "slug", "filename", "issuer", "subject", "email",
             "request_hash", "text", "source_type", "source_version", "prefix", "example",
             "sha256", "folder", "drop_key", "drop_version", "domain", "token", "group", "wish", "note",
             "question", "asked_as", "why", "author", "path", "code", "client_id", "redirect_uri", "challenge",
             "access", "family", "refresh", "spent", "secret")  # fmt: skip
    known |= dict.fromkeys(texts, "some text") | SPECIAL.get(name, {})
    if name in OF_DOCUMENT:
        row = {"document_id": str(rows["documents"]["id"]), "language": "en", "named": [16]}
        known |= dict.fromkeys(("shares", "profiles"), Jsonb([row | {"words": [], "word_terms": []}]))
        known |= {"chunk_ids": [rows["chunks"]["id"]], "index_hashes": ["x"], "embeddings": [EMBEDDING]}
    if name.startswith("datasets."):
        own, tables = rows["datasets"]["id"], [rows["tables"]["id"]]
        known |= {"id": own, "table_ids": tables, "ids": tables, "tables": tables, "rows": [1], "revision": 1}
        known |= {"tables_of": 1, "made_of": 1}
    if name.startswith("group_summaries."):
        known |= {"group_key": rows["group_summaries"]["group_key"], "read_from": Jsonb({})}
    if name.startswith("plots."):
        known |= {"dataset_id": rows["datasets"]["id"], "spec": Jsonb({}), "dataset_revision": 1} | dict.fromkeys(
            ("data_sha256", "dataset_sha256"), "x"
        )
    if name.startswith("digest"):
        file, line = rows["digest_files"]["id"], rows["digest_statements"]["id"]
        known |= {"file_id": file, "files": [file], "parent_id": None, "counted": ["statement"], "without": []}
        known |= {"head": 400, "row_type": "table_row"}
        known |= {"writes": True, "tiers": None, "topics": None, "content": "x", "content_hash": "x"}
        known |= {"changed_by": "system", "tier": "index", "ids": [line], "source": rows["gold_questions"]["source"]}
        known |= {"base": None} if name == "digest_context.list_among" else {}
        known |= {"ids": [rows["chunks"]["id"]]} if name in OF_CHUNKS else {}
        known |= {"ids": [rows["tables"]["id"]]} if name == "digest_sources.table_chunks" else {}
        known |= {"ids": [rows["digest_units"]["id"]]} if name == "digest_writes.remove_units" else {}
        known |= {"ids": [file]} if name in ("digest_writes.remove_files", "digest_writes.confirm_lines") else {}
    if name == "threads.visible":
        known |= {"chunk_ids": [rows["chunks"]["id"]]}
    if name.startswith("lexical_statistics."):
        known |= {"ids": [rows["documents"]["id"]], "removed": [rows["lexical_removed"]["id"]]}
    return {parameter: known[parameter] for parameter in re.findall(r"%\((\w+)\)[sb]", text)}


OF_CHUNKS = {
    "digest.illustrations",
    "digest_context.topics_of_chunks",
    "digest_sources.passages",
    "digest_sources.hashes",
}
# They take rows about documents.
OF_DOCUMENT = {"lexical.store_shares", "profiles.store_profiles", "vectors.store"}
EMBEDDING = HalfVector([1.0, *[0.0] * 383])
# Where a parameter's name means something else than elsewhere.
SPECIAL: dict[str, dict[str, Any]] = {
    "summaries.add_version": {"number": 9, "restored": None},
    "digest.list_files": {"path": None},
    "digest.list_lines": {"removed": False},
    "digest_writes.set_file": {"path": "summaries/x.md"},
    "summaries.add_edit": {"field": "results"},
    "notebooks.add_version": {"act": "edit", "revision": 2},
    "notebooks.add_content": {"kind": "markdown"},
    "shares.add_share": {"notebook_id": None, "revision": None},
    "webhooks.delivered": {"attempts": 0, "status": 204},
    "webhooks.not_delivered": {"attempts": 0, "status": 500},
    "records.put_kind": {"schema": Json({}), "key_field": None, "title_field": None},
    "suggestions.without_profile": {"uncompared": ["note", "record", "mail"]},
    "sources.known_page": {"kinds": ["pages", "sitemap", "feed"]},
    "archive_jobs.add_archive_job": {"kind": "export", "state": Json({}), "upload": None},
    "archive_jobs.add_archive_members": {"first": 700, "members": Jsonb([{}])},
    "archive_jobs.keep_archive_job": {"state": Json({}), "parts": [], "tail": b"", "progress": 0.5},
    "plans.add_page_pack": {"pages": 1},
    "audit.keep_audit": {"days": 30},
    "audit.list_entries": {"user_id": None},
    "declared.in_units": {"units": ["kg"], "limit": 9},
    "declared.list": {"after": "", "names": None},
    "attribute_schema.list_versions": {"former_version": 0},
    "attribute_schema.add_version": {"schema_version": 2},
    "attribute_schema.add_backfill": {"schema_version": 2, "document_count": 1},
    "attribute_schema.set_status": {"status": "done", "states": ["running"]},
    "observed.sums": {"name": None},
    "lexical_statistics.words_near": {"prefixes": [], "after": [], "lengths": [], "exact": []},
    "documents.set_date": {"source": "metadata", "unit": "day"},
    "joining.found_organization": {"organization_id": new_id(), "user_id": new_id()},
    "library.list_versions": {"after": 0},
    "library.list_chunks": {"after_ordinal": None, "page": None},
    "library.list_sections": {"after_ordinal": None},
    "knowledge_bases.set_approved_only": {"wish": True},
    "reviews.chunks_of_page": {"verdict": "rejected"},
    "reviews.decide_chunks": {"verdict": "rejected"},
    "reviews.decide_page": {"verdict": "rejected", "decision_id": new_id(), "id": new_id()},
    "reviews.review_document": {"state": "approved"},
    "erasure.note_before": {"before": Jsonb({})},
    "evaluation.replace_gold": {"expected": Jsonb([{}])},
    "idempotency.complete": {"status": 200},
    "suggestions.decide": {"status": "dismissed"},
    "suggestions.settle": {"status": "dismissed"},
    "versions.add_logical_document": {"id": new_id()},
    "sources.note_look": {"result": Jsonb({}), "due_at": None},
    "lexical.store_chunks": {"lengths": [1], "hashes": ["x"], "impacts": [VECTOR], "keys": ["{7}"]},
    "lexical_statistics.forget_words": {"terms": [1], "slots": [160]},
    "page_scores.page_scores": {"terms": [VECTOR]},
    "profiles.frequencies": {"slots": [16], "vectors": [PROFILE]},
}


def told_of(place: Place, filled: Filled, answer: Any) -> set[str]:
    """Which of the place's own ids, names and texts stand in the answer."""
    organization = set(map(str, filled.rows[place]["organizations"].values()))
    own = {str(value) for row in filled.rows[place].values() for value in row.values() if _tells(value)}
    return {value for value in own - organization if value in str(answer)}


def _tells(value: Any) -> bool:
    """Whether it can tell whose row it is: vectors are the same everywhere."""
    return len(str(value)) > 20 and not isinstance(value, HalfVector)
