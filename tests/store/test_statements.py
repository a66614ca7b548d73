"""Every stored statement, asked about one knowledge base in the scope of two, touches and tells of that one alone.

Row-level security lets both through: what is tested here is what the statement itself says. The statements come from
the files; a new one runs here by itself, and one with a parameter that nobody has thought of fails.
"""

import re
from datetime import date
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

import shared.store
from shared.adapters.local.postgres import APPLICATION
from shared.domain.ids import new_id
from shared.store.named_queries import load_queries
from tests.store.filling import PROFILE, VECTOR, Connection, Filled, Place
from tests.store.leaks import Wish, acting, everything

FILES = sorted(path.stem for path in Path(shared.store.__file__).parent.glob("queries/*.sql"))
# Put together in Python, where tests of search reach them.
TEMPLATE = re.compile(r"{\w+}")
STATEMENT = re.compile(r"(select|insert|update|delete|with)\b(?!.*\bvalues\s*\()", re.DOTALL)
DAY = date(2024, 3, 12)
TABLE = re.compile(r"\b(?:from|update|into|join)\s+(\w+)")
# Of the whole scope by their nature: what an organization has, and what is summed over all that is searched.
OF_THE_SCOPE = {
    "declared.declared", "declared.names", "identities.keep_traces", "ingestions.claim", "ingestions.lease_owners",
    "knowledge_bases.list_knowledge_bases", "knowledge_bases.open_organization", "lexical_statistics.chunk_totals",
    "lexical_statistics.complete_word", "lexical_statistics.slot_counts", "maintenance.bases",
    "retention.abandoned_uploads", "search.newest_knowledge_bases", "selection.driver_served", "selection.driver_types",
    "selection.sizes", "traces.forget_traces", "vector_indexes.counted", "vector_search.serving",
    "search.sections_by_address", "storage.keys", "storage.wanted_uploads",
    # Of a trace over both knowledge bases, of whatever a lock's number stands for, of settings.
    "traces.list_traces", "maintenance.lock", "maintenance.unlock", "vector_search.approximate",
}  # fmt: skip
NUMBERS = ("limit", "count", "page", "page_count", "chunks", "days", "seconds", "hours", "lease", "abandoned_after",
           "measured", "total", "rank", "old", "pivot", "first", "last", "excerpt", "share", "terms", "number", "each",
           "places", "usd", "method", "size", "version_index", "score", "confidence", "latency_ms",
           "after_ordinal")  # fmt: skip
TRUE = ("superseded", "set_label", "recursive", "duplicate", "baseline", "by_date")
LISTS = ("lengths", "impacts", "hashes", "keys", "words", "word_terms", "slots", "vectors", "removed", "named", "names",
         "titles", "addresses", "sections", "content", "active", "dead", "kept", "pages", "types", "candidate_ids",
         "chunk_ids", "scores")  # fmt: skip
JSON = ("state", "former", "expected", "results", "questions", "deltas", "floors", "left_out", "versions", "parameters",
        "parts", "payload", "response", "trace", "rows")  # fmt: skip


def statements() -> dict[str, str]:
    found = {f"{file}.{name}": text for file in FILES for name, text in load_queries(file).items()}
    return {name: text for name, text in found.items() if STATEMENT.match(text) and not TEMPLATE.search(text)}


def values_of(filled: Filled, place: Place, name: str, text: str) -> dict[str, Any]:
    """The statement's parameters, about the rows of `place`; KeyError for one that nobody has thought of."""
    rows = filled.rows[place]
    main = next((table for table in TABLE.findall(text) if "id" in rows.get(table, {})), "documents")
    known: dict[str, Any] = {
        "id": rows[main]["id"], "ids": [rows[main]["id"]], "chunk_id": rows["chunks"]["id"],
        "document_id": rows["documents"]["id"], "documents": [rows["documents"]["id"]],
        "driver_documents": [rows["documents"]["id"]], "ingestion_id": rows["ingestions"]["id"],
        "logical_id": rows["logical_documents"]["id"], "logical_document_id": rows["logical_documents"]["id"],
        "current": rows["documents"]["id"], "source": rows["logical_documents"]["id"],
        "knowledge_base_id": place.knowledge_base_id, "base": place.knowledge_base_id,
        "organization_id": place.organization_id, "user_id": rows["users"]["id"],
        "knowledge_base_ids": [place.knowledge_base_id], "hash": rows["documents"]["source_hash"],
        "source_hash": rows["documents"]["source_hash"], "index_hash": rows["chunks"]["index_hash"],
        "gold": rows["eval_runs"]["gold"], "key": rows["idempotency_keys"]["key"], "version": "another/1",
        "target": None, "after": None, "after_id": None, "before": None, "nearest_id": None, "by": "Ada",
        "embedding": "[1,0]", "vector": VECTOR, "status": "queued", "stage": "parse", "baseline_id": None,
        "operator": None, "run_id": new_id(), "changed": True, "day": DAY, "made": DAY,
    }  # fmt: skip
    known |= dict.fromkeys(NUMBERS, 1) | {"limit": 100} | dict.fromkeys(TRUE, True)
    known |= {name: [] for name in LISTS} | {name: Jsonb([]) for name in JSON}
    texts = ("name", "title", "label", "error", "default", "language", "engine", "embedder_version", "source_key",
             "description", "owner", "model", "pin", "stale", "slug", "filename", "issuer", "subject", "email",
             "request_hash", "source_type", "source_version", "prefix", "example", "text")  # fmt: skip
    known |= dict.fromkeys(texts, "some text") | SPECIAL.get(name, {})
    if name.startswith("lexical_statistics."):
        known |= {"ids": [rows["documents"]["id"]], "removed": [rows["lexical_removed"]["id"]]}
    return {parameter: known[parameter] for parameter in re.findall(r"%\((\w+)\)s", text)}


# Where a parameter's name means something else than elsewhere.
SPECIAL: dict[str, dict[str, Any]] = {
    "declared.list": {"after": ""},
    "documents.set_date": {"source": "metadata"},
    "library.list_versions": {"after": 0},
    "library.list_chunks": {"after_ordinal": None, "page": None},
    "library.list_sections": {"after_ordinal": None},
    "evaluation.replace_gold": {"expected": Jsonb([{}])},
    "idempotency.complete": {"status": 200},
    "suggestions.decide": {"status": "dismissed"},
    "suggestions.settle": {"status": "dismissed"},
    "versions.add_logical_document": {"id": new_id()},
    "lexical.store_chunks": {"lengths": [1], "hashes": ["x"], "impacts": [VECTOR], "keys": ["{7}"]},
    "lexical_statistics.forget_words": {"terms": [1], "slots": [1]},
    "page_scores.page_scores": {"terms": [VECTOR]},
    "profiles.frequencies": {"slots": [16], "vectors": [PROFILE]},
}
# Its row is there already: it is for a document whose share was removed.
NOT_TWICE = {"lexical.store_share"}


def told_of(place: Place, filled: Filled, answer: Any) -> set[str]:
    """Which of the place's own ids, names and texts stand in the answer."""
    organization = set(map(str, filled.rows[place]["organizations"].values()))
    own = {str(value) for row in filled.rows[place].values() for value in row.values() if len(str(value)) > 20}
    return {value for value in own - organization if value in str(answer)}


def changed(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]], place: Place) -> set[str]:
    """Tables in which a row of the place is another one than before."""
    base = str(place.knowledge_base_id)

    def own(rows: dict[str, Any]) -> list[str]:
        return sorted(str(row) for row in rows.values() if base in (row.get("knowledge_base_id"), row.get("id")))

    return {table for table in before if own(before[table]) != own(after[table])}


@pytest.mark.parametrize("name", sorted(statements().keys() - OF_THE_SCOPE - NOT_TWICE))
def test_a_statement_about_one_knowledge_base_leaves_the_other_alone(
    filled: Filled, everywhere: Connection, name: str
) -> None:
    ours, also_ours, _, _ = filled.places
    both = Wish(ours.organization_id, (ours.knowledge_base_id, also_ours.knowledge_base_id))
    text = statements()[name]
    values = values_of(filled, ours, name, text)
    tables = [table for table in filled.columns if table in text]
    before = {table: everything(everywhere, table) for table in tables}
    with acting(everywhere, APPLICATION, both):
        answer: list[Any] = []
        try:
            result = everywhere.execute(text.encode(), values)
            answer = result.fetchall() if result.description else []
        except psycopg.errors.InsufficientPrivilege:
            pytest.skip("not for the application")
        everywhere.execute("reset role")
        after = {table: everything(everywhere, table) for table in tables}
    strangers = {value for row in values.values() for value in [str(row)]}
    assert told_of(also_ours, filled, answer) - strangers == set()
    assert changed(before, after, also_ours) == set()
