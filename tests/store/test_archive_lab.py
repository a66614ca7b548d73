"""Datasets, plots, summaries, notebooks and digests move with their knowledge base, row for row, and go with it."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import shared.store
from shared.adapters.local.postgres import EmbeddedPostgres
from shared.answering.threads.shapes import NewShare
from shared.archive.exporting import export_knowledge_base
from shared.archive.importing import import_archive
from shared.digest.editing import edit_file
from shared.digest.events import report_event
from shared.digest.updates import keep_digest, update_digest
from shared.domain.datasets import NewDataset
from shared.domain.digest import Cited, NewEvent, StatementEdit, UpdateWish
from shared.domain.experiments import NewSummaryEdit
from shared.domain.ids import new_id
from shared.domain.notebooks import MarkdownCell, NewCell, NewNotebook
from shared.domain.plots import NewPlot, PlotSpec
from shared.domain.scope import Identity, Scope
from shared.lab.datasets.service import get_dataset, make_dataset
from shared.lab.notebook.links import create_share
from shared.lab.notebook.service import add_cell, create_notebook
from shared.lab.plots.service import add_plot
from shared.lab.summaries.service import edit_summary, make_summary
from shared.lexical.kept_words import filter_of
from shared.runtime import Runtime
from shared.store import digest, group_summaries
from shared.store.archive import LEFT_OUT, list_tables, read_rows
from shared.store.kept_words import store_words
from tests.bench.plots import FORMS, store_table
from tests.elsewhere import Elsewhere, elsewhere
from tests.erasing import erase_base
from tests.store.filling import Connection
from tests.store.seeding import Passage, add_base, add_document, section
from tests.store.test_erasure import rows_of

RESULT = "The lighter wing improved the lap time by 2.5 % over the baseline (p < 0.01, paired t-test)."
OWN = "The lighter wing is the one to take."
ROWS = 30
# Of the migration that datasets came with, and all later ones.
FROM = "0033"
MIGRATIONS = sorted((Path(shared.store.__file__).parent / "migrations").glob("*.sql"))
LATER = {
    table
    for file in MIGRATIONS
    if file.name >= FROM
    for table in re.findall(r"^create table (\w+)", file.read_text(), re.MULTILINE)
}


@pytest.fixture
def lab(runtime: Runtime, identity: Identity) -> Scope:
    """A knowledge base with something of each kind."""
    scope = add_base(runtime, identity, f"lab-{new_id().hex}")
    (base,) = scope.knowledge_base_ids
    paper = add_document(runtime, scope, "Wings", [Passage(RESULT, section=0)], [section(0, "1", "Results")])
    tables = store_table(runtime, scope, ROWS, seed=1)
    with runtime.database.transaction(scope) as connection:
        for row in connection.execute("select id from documents").fetchall():
            key = f"sources/{identity.organization_id}/{base}/{row['id']}/source"
            runtime.blobs.put(key, b"read")
            connection.execute("update documents set source_key = %s where id = %s", (key, row["id"]))
    dataset = make_dataset(runtime, identity, NewDataset(knowledge_base_id=base, name="Runs", table_ids=tables))
    spec = PlotSpec.model_validate({"form": FORMS["histogram"]})
    add_plot(runtime, identity, NewPlot(dataset_id=dataset.id, spec=spec))
    statement = next(one for field in make_summary(runtime, identity, paper).fields for one in field.statements)
    edit_summary(runtime, identity, paper, NewSummaryEdit(target=statement.id, remove=True))
    with runtime.database.transaction(scope) as connection:
        told = {"read_from": {str(paper): 1}, "body": {"statements": []}, "engine": "rules", "usd": 0.0}
        group_summaries.add_version(connection, base, [paper], told | {"author_id": None, "by": "Ida"})
        owner = {"organization_id": identity.organization_id, "knowledge_base_id": base, "document_id": paper}
        store_words(connection, owner | {"ingestion_id": new_id()}, {1: filter_of([["ORD-7", "Zug"]])})
    notebook = create_notebook(runtime, identity, NewNotebook(knowledge_base_id=base, title="Laps"))
    add_cell(runtime, identity, notebook.id, NewCell(content=MarkdownCell(kind="markdown", text="It is wide.")))
    create_share(runtime, identity, notebook.id, NewShare())
    event = NewEvent(knowledge_base_id=base, kind="race", subject="wing", at=datetime(2026, 1, 1, tzinfo=UTC))
    report_event(runtime, identity, event)
    update_digest(runtime, identity, base, UpdateWish())
    summaries = [one for one in files(runtime, scope) if one.tier == "summary"]
    file, cited = next((one, line) for one in summaries for line in one.lines if line.text == RESULT)
    edit_file(runtime, identity, base, file.id, StatementEdit(text="Ask Ida first.", uncited=True))
    own = StatementEdit(text=OWN, citations=[Cited(kind="chunk", id=cited.citations[0].source_id)])
    edit_file(runtime, identity, base, file.id, own)
    return scope


@pytest.fixture
def there(postgres: EmbeddedPostgres, test_home: Path) -> Iterator[Elsewhere]:
    with elsewhere(postgres, test_home) as made:
        yield made


def files(runtime: Runtime, scope: Scope) -> list[Any]:
    with runtime.database.transaction(scope) as connection:
        return digest.read_files(connection, scope.knowledge_base_ids[0])


def rows(runtime: Runtime, scope: Scope) -> dict[str, list[str]]:
    """Of each later table what an archive has of the knowledge base."""
    with runtime.database.transaction(scope) as connection:
        tables = [table for table in list_tables(connection) if table.name in LATER]
        return {table.name: list(read_rows(connection, table, scope.knowledge_base_ids[0])) for table in tables}


def test_everything_of_a_lab_moves_row_for_row_and_goes_on_as_it_was(
    runtime: Runtime, lab: Scope, identity: Identity, there: Elsewhere, tmp_path: Path
) -> None:
    before = rows(runtime, lab)
    assert before.keys() == LATER - LEFT_OUT.keys()
    assert [table for table, own in before.items() if not own] == []
    path = tmp_path / "lab.autri.zip"
    export_knowledge_base(runtime, identity, lab.knowledge_base_ids[0], path)
    import_archive(there.runtime, there.identity, path)
    scope = there.identity.scope(*lab.knowledge_base_ids)
    assert rows(there.runtime, scope) == before
    assert [one.content for one in files(there.runtime, scope)] == [one.content for one in files(runtime, lab)]
    assert sum(one.stale for one in files(there.runtime, scope)) == 0
    (own,) = (line for one in files(there.runtime, scope) for line in one.lines if line.text == OWN)
    with there.runtime.database.transaction(scope) as connection:
        cited = connection.execute("select content from chunks where id = %s", (own.citations[0].source_id,)).fetchall()
    assert (own.origin, own.stale, [row["content"] for row in cited]) == ("user", False, [RESULT])
    assert keep_digest(there.runtime, scope) is None
    (dataset,) = {UUID(re.findall(r'"dataset_id":"([^"]+)"', one)[0]) for one in before["plots"]}
    moved = get_dataset(there.runtime, there.identity, dataset)
    assert (moved.rows, moved.missing) == (ROWS, 0)


def test_everything_of_a_lab_goes_with_its_knowledge_base(
    runtime: Runtime, lab: Scope, identity: Identity, everywhere: Connection
) -> None:
    (base,) = lab.knowledge_base_ids
    before = rows_of(everywhere, base)
    everywhere.rollback()
    assert before.keys() >= LATER | {"thread_shares"}
    certificate = erase_base(runtime, identity, base)
    assert {table: certificate.before.rows[table] for table in LATER} == {table: before[table] for table in LATER}
    assert set(certificate.after.rows.values()) == {0}
    assert rows_of(everywhere, base).keys() == {"erasure_certificates", "audit_log"}
