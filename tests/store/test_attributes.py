from datetime import datetime
from typing import Any

import psycopg
import pytest

from shared.domain.attributes import Attribute, AttributeCandidate, Quantity
from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.domain.geometry import PageBox
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import BadFilter
from shared.filters.declared import list_attributes, refuse_unknown
from shared.runtime import Runtime
from shared.store import documents
from shared.store.attributes import date_chunks, list_candidates
from shared.store.draft import commit_draft
from tests.pipeline import make_knowledge_base, scope_of

BOX = PageBox(page=1, x=0.1, y=0.1, w=0.5, h=0.1, fragment_ids=("p1.f1",))
POWER = Attribute(
    name="power", raw="10 hp", fragment_ids=("p1.f1",), route="label",
    quantity=Quantity(number=10.0, unit="[HP]", canonical_number=7456.99871582, canonical_unit="W"),
)  # fmt: skip
ALSO = POWER.model_copy(
    update={"raw": "7.5 kW", "quantity": Quantity(number=7.5, unit="kW", canonical_number=7500.0, canonical_unit="W")}
)
MODEL = Attribute(name="model", raw="K-7", fragment_ids=("p1.f1",), route="label", text="K-7")


def draft(*attributes: Attribute, candidates: tuple[str, ...] = ()) -> DocumentDraft:
    chunk = ChunkDraft(section=None, chunk_type="text", content="one", boxes=[BOX], attributes=list(attributes))
    proposed = [AttributeCandidate(name="noise", raw=raw) for raw in candidates]
    return DocumentDraft(sections=[], chunks=[chunk], candidates=proposed, confidence=1.0)


class Document:
    def __init__(self, runtime: Runtime, identity: Identity) -> None:
        self.runtime, self.id = runtime, new_id()
        self.scope = scope_of(identity, make_knowledge_base(runtime, identity, f"kb {new_id().hex}"))
        row: dict[str, Any] = {
            "id": self.id, "name": "a.pdf", "title": "a", "source_type": "pdf", "source_hash": new_id().hex,
            "source_key": "k", "size": 1, "status": "running", "error": None, "label": None, "version_of": None,
            "ingestion_id": new_id(), "engine": "layout", "page_count": 1,
        }  # fmt: skip
        with runtime.database.transaction(self.scope) as connection:
            documents.insert_document(connection, self.scope, row)

    def commit(self, made: DocumentDraft) -> list[dict[str, Any]]:
        with self.runtime.database.transaction(self.scope) as connection:
            commit_draft(connection, self.scope, self.id, made, "a", "test-1")
            return connection.execute("select * from chunk_attributes order by name, ordinal").fetchall()


@pytest.fixture
def document(runtime: Runtime, identity: Identity) -> Document:
    return Document(runtime, identity)


def test_values_are_stored_in_their_canonical_unit_beside_what_is_printed(document: Document) -> None:
    rows = document.commit(draft(MODEL, POWER, ALSO))
    found = [(r["name"], r["ordinal"], r["value_number"], r["unit"], r["printed_unit"], r["value_text"]) for r in rows]
    assert found == [
        ("model", 0, None, None, None, "K-7"),
        ("power", 0, 7456.99871582, "W", "[HP]", None),
        ("power", 1, 7500.0, "W", "kW", None),
    ]
    assert rows[1]["fragment_ids"] == ["p1.f1"]


def test_a_second_run_replaces_what_the_first_stored(document: Document) -> None:
    first = document.commit(draft(MODEL, POWER, candidates=("loud", "quiet")))
    assert document.commit(draft(MODEL, POWER, candidates=("loud", "quiet"))) == first
    assert [row["name"] for row in document.commit(draft(MODEL))] == ["model"]


def test_candidates_are_counted_per_knowledge_base(document: Document) -> None:
    document.commit(draft(candidates=("loud", "quiet")))
    with document.runtime.database.transaction(document.scope) as connection:
        found = list_candidates(connection, document.scope.knowledge_base_ids[0], 10)
    assert found == [{"name": "noise", "count": 2, "example": "loud"}]


def test_an_attribute_of_two_knowledge_bases_is_listed_once(document: Document, identity: Identity) -> None:
    second = Document(document.runtime, identity)
    for one in (document, second):
        one.commit(draft(POWER, MODEL))
    bases = (*document.scope.knowledge_base_ids, *second.scope.knowledge_base_ids)
    with (
        document.runtime.database.transaction(document.scope.model_copy(update={"knowledge_base_ids": bases})) as both,
        pytest.raises(BadFilter, match=r"Declared are: model, power\.$"),
    ):
        refuse_unknown(both, "colour", "colour")


def test_attributes_are_listed_by_name_from_behind_one(document: Document) -> None:
    document.commit(draft(MODEL, POWER, POWER.model_copy(update={"name": "weight"})))
    (base,) = document.scope.knowledge_base_ids
    with document.runtime.database.transaction(document.scope) as connection:
        pages = [list_attributes(connection, base, after, 2) for after in ("", "model", "power", "weight")]
    assert [[one.name for one in page] for page in pages] == [["model", "power"], ["power", "weight"], ["weight"], []]


def test_the_kinds_of_values_come_most_frequent_first_and_equal_ones_by_type_and_unit(document: Document) -> None:
    horses, words = POWER, POWER.model_copy(update={"quantity": None, "text": "low"})
    kilos = POWER.model_copy(
        update={"quantity": Quantity(number=1.0, unit="kg", canonical_number=1.0, canonical_unit="kg")}
    )
    document.commit(
        draft(words, words, kilos, horses, words, kilos, words.model_copy(update={"name": "other"}), horses)
    )
    (base,) = document.scope.knowledge_base_ids
    with document.runtime.database.transaction(document.scope) as connection:
        power = list_attributes(connection, base, "other", 1)[0]
    assert [(one.type, one.unit, one.count) for one in power.values] == [
        ("text", None, 3), ("number", "W", 2), ("number", "kg", 2),
    ]  # fmt: skip


def test_a_chunk_has_the_latest_of_its_own_dates_and_none_of_anothers(document: Document) -> None:
    days = [
        Attribute(
            name="seen",
            raw=day,
            fragment_ids=("p1.f1",),
            route="label",
            time=datetime.fromisoformat(f"{day}T00:00+00:00"),
        )
        for day in ("2024-03-01", "2024-05-01", "2023-01-01")
    ]
    owned = {"both": days[:2], "one": days[2:], "none": []}
    chunks = [
        ChunkDraft(section=None, chunk_type="text", content=content, boxes=[BOX], attributes=list(attributes))
        for content, attributes in owned.items()
    ]
    document.commit(DocumentDraft(sections=[], chunks=chunks, candidates=[], confidence=1.0))
    (base,) = document.scope.knowledge_base_ids
    with document.runtime.database.transaction(document.scope) as connection:
        connection.execute("update knowledge_bases set date_attribute = 'seen' where id = %s", (base,))
        date_chunks(connection, base)
        rows = connection.execute("select content, date::date::text as date from chunks").fetchall()
    assert {row["content"]: row["date"] for row in rows} == {"both": "2024-05-01", "one": "2023-01-01", "none": None}


def test_another_organization_sees_no_value_and_no_candidate(document: Document, other_identity: Identity) -> None:
    document.commit(draft(POWER, candidates=("loud",)))
    other = scope_of(other_identity, document.scope.knowledge_base_ids[0])
    with document.runtime.database.transaction(other) as connection:
        assert connection.execute("select 1 from chunk_attributes").fetchall() == []
        assert connection.execute("select 1 from attribute_candidates").fetchall() == []


def test_a_range_of_values_is_read_from_the_index_under_the_policy(document: Document, owner_dsn: str) -> None:
    document.commit(draft(POWER))
    with psycopg.connect(owner_dsn, autocommit=True) as owner:
        owner.execute("analyze chunk_attributes")
    with document.runtime.database.transaction(document.scope) as connection:
        connection.execute("set local enable_seqscan = off")
        plan = connection.execute(
            "explain select chunk_id from chunk_attributes where knowledge_base_id = %s and name = 'power'"
            " and not inexact and unit = 'W' and value_number between 7000 and 8000",
            (document.scope.knowledge_base_ids[0],),
        ).fetchall()
    text = "\n".join(next(iter(row.values())) for row in plan)
    condition = next(line for line in text.splitlines() if "Index Cond" in line)
    assert "chunk_attributes_by_number" in text
    assert "value_number" in condition
