"""Upon which rows a stored statement acts: on those in the states that its case lists, for each state that there is.

A case names columns (`pages.status`) and parameters (`%before`) with the values for which the statement does or tells
something and those for which it does not; where only the first are listed, the others are the column's other words,
truth values. Everything else stays as in the case's first values. A statement that asks for a state has a case.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from psycopg import sql

from shared.adapters.local.postgres import EmbeddedPostgres
from tests.store import (
    acting_digest,
    acting_early,
    acting_ingesting,
    acting_library,
    acting_notebooks,
    acting_operating,
    acting_posting,
    acting_reviewing,
    acting_searching,
    acting_webhooks,
)
from tests.store.acting_cases import BASE, OTHER_BASE, At, Case, Own
from tests.store.filling import Connection, Filled, Place, superuser
from tests.store.leaks import Wish
from tests.store.neighbours import WORDS, settle
from tests.store.statements import statements, values_of
from tests.store.test_statements_among import alone, done

PARTS = (
    acting_digest,
    acting_early,
    acting_ingesting,
    acting_library,
    acting_notebooks,
    acting_operating,
    acting_posting,
    acting_reviewing,
    acting_searching,
    acting_webhooks,
)
CASES = [case for part in PARTS for case in part.CASES]


# A condition about a state: a literal, nothing, or a column that is true or false.
ASKS = re.compile(
    r"(?<!set )\b\w+ (?:=|<>|in|is distinct from) \(?'|(?<!\)s)(?<!uuid) is (?:not )?null"
    r"|\b(?:and|not|where) (?:not )?\w*\.?(?:serving|duplicate|folded|baseline|is_current|captioned|restricted)\b"
)
# They ask it of rows beside their own, of columns that they write or answer, or of the catalogue: tests of what uses
# them say what for.
OTHERWISE = {
    # What is read under which schema: tests/api/test_attribute_schema.py.
    "attribute_schema.affected", "attribute_schema.behind", "attribute_schema.candidates",
    "attribute_schema.end_running", "attribute_schema.next_behind", "attribute_schema.places",
    "attribute_schema.refused", "attribute_schema.set_status", "declared.declared", "declared.list", "declared.names",
    "observed.examples", "observed.figures", "observed.labelled", "observed.sums", "observed.texts",
    "observed.together",
    "archive.tables", "documents.edit_date", "documents.make_newest_current", "documents.restart_pages",
    "documents.supersede_older", "health.invalid_indexes",
    "identities.get_profile", "ingestions.depth_of", "ingestions.follow", "lexical_statistics.chunk_totals",
    "lexical_statistics.mark_folded",
    "lexical_statistics.slot_counts", "page_scores.page_scores",
    "permissions.narrow_to_writable", "plans.take", "proof.pages", "self_check.unprotected",
    "suggestions.store_suggestion",
    # Of pairs of versions: tests/store/test_previous.py.
    "search.earlier_versions", "search.known_versions",
    # Of a passage and the one before: tests/store/test_answers_of_questions.py.
    "search.answered",
    # By their parameters alone: tests/api/test_threads.py, tests/store/test_planning_tools.py.
    "knowledge_bases.named",
    "threads.judge_answer", "threads.list_threads",
    # Of all that a digest depends on: tests/api/test_digest.py.
    "digest_sources.fingerprint",
    # Of what came in what: tests/e2e/test_attachments.py.
    "messages.attached_to", "messages.attachments", "messages.attachments_alone", "messages.forget_waiting",
    "messages.brought",
    # Of ZIP files with what they have brought: tests/api/test_cli_sync.py.
    "sources.former_members", "sources.known_files", "sources.move_parcel", "sources.note_members",
    # tests/api/test_summaries.py.
    "summaries.list_summaries",
}  # fmt: skip


@pytest.fixture(scope="module")
def settled(postgres: EmbeddedPostgres, database_name: str, filled: Filled) -> list[Place]:
    with superuser(postgres, database_name) as connection:
        return settle(connection, filled, filled.places[0], range(1, 2))


def meant(filled: Filled, place: Place, value: Any) -> Any:
    """The value, or which one of the place's own is meant."""
    if isinstance(value, Own):
        own = filled.rows[place][value.table][value.column]
        return [own] if value.listed else own
    if value is BASE or value is OTHER_BASE:
        return filled.places[value is OTHER_BASE].knowledge_base_id
    return value


def put(connection: Connection, filled: Filled, place: Place, table: str, chosen: dict[str, Any]) -> None:
    """Set columns of the place's own row, past keys and triggers."""
    own = filled.rows[place][table]
    key = next(
        k
        for k in (
            "id",
            "line_id",
            "file_id",
            "chunk_id",
            "document_id",
            "ingestion_id",
            "knowledge_base_id",
            "base_id",
            "user_id",
        )
        if k in own
    )
    shown, given = list[sql.Composed](), list[Any]()
    for name, value in chosen.items():
        form = "{} = now() + make_interval(secs => %s)" if isinstance(value, At) else "{} = %s"
        shown.append(sql.SQL(form).format(sql.Identifier(name)))
        given.append(value.seconds if isinstance(value, At) else meant(filled, place, value))
    if not chosen:
        return
    statement = sql.SQL("update {} set {} where {} = %s").format(
        sql.Identifier(table), sql.SQL(", ").join(shown), sql.Identifier(key)
    )
    assert connection.execute(statement, [*given, own[key]]).rowcount, f"no row of {table}"


def acts(connection: Connection, filled: Filled, place: Place, case: Case, chosen: dict[str, Any]) -> bool:
    """Whether the statement does or tells anything with these values of columns and parameters."""
    text = statements()[case.statement]
    tables = [table for table in filled.columns if table in text]
    values = values_of(filled, place, case.statement, text)
    values |= {name[1:]: meant(filled, place, value) for name, value in chosen.items() if name[0] == "%"}
    columns = {name: value for name, value in chosen.items() if name[0] != "%"}
    with connection.transaction(force_rollback=True), alone(connection, filled, place, tables, in_base=False):
        connection.execute("set local session_replication_role = replica")
        for table in dict.fromkeys(name.partition(".")[0] for name in columns):
            of_table = {name.partition(".")[2]: v for name, v in columns.items() if name.startswith(f"{table}.")}
            put(connection, filled, place, table, of_table)
        connection.execute("set local session_replication_role = origin")
        ours, also_ours, _, _ = filled.places
        user = filled.rows[place]["users"]["id"]
        both = Wish(ours.organization_id, (ours.knowledge_base_id, also_ours.knowledge_base_id), user)
        answer, changes = done(connection, both, tables, text, values, raw=True)
    if case.told:
        return bool(answer) and bool(case.told(answer[0]))
    return bool(changes) or any(value for row in answer for value in row.values())


def others(filled: Filled, words: dict[tuple[str, str], Any], column: str, yes: list[Any]) -> Iterator[Any]:
    """What else the column can hold, by the catalogue; nothing of a parameter or where it does not say."""
    if column[0] == "%":
        return
    table, name = column.split(".")
    kind = next(c["type"] for c in filled.columns[table] if c["name"] == name)
    known = words.get((table, name)) or ((True, False) if kind == "boolean" else ())
    yield from (value for value in known if value not in yes)


def check(connection: Connection, filled: Filled, place: Place, case: Case) -> None:
    words = {(r["table"], r["name"]): r["words"] for r in connection.execute(WORDS).fetchall()}
    values = {
        name: said if isinstance(said, tuple) else (said, list(others(filled, words, name, said)))
        for name, said in case.values.items()
    }
    base = {name: yes[0] for name, (yes, _) in values.items()}
    for name, (yes, no) in values.items():
        for value in yes:
            assert acts(connection, filled, place, case, base | {name: value}), f"on {name} {value}"
        for value in no:
            assert not acts(connection, filled, place, case, base | {name: value}), f"not on {name} {value}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.statement)
def test_a_statement_acts_upon_the_listed_states_and_no_others(
    filled: Filled, settled: list[Place], everywhere: Connection, case: Case
) -> None:
    check(everywhere, filled, settled[0], case)


def test_every_statement_that_asks_for_a_state_has_a_case() -> None:
    asking = {name for name, text in statements().items() if ASKS.search(text)}
    assert asking - {case.statement for case in CASES} == OTHERWISE
