from typing import Any
from uuid import UUID

import pytest

from shared.domain.draft import CellDraft, ChunkDraft, DocumentDraft, SectionDraft, TableDraft
from shared.domain.geometry import PageBox
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.runtime import Runtime
from shared.store import documents, library
from shared.store.draft import commit_draft, index_text
from tests.pipeline import make_knowledge_base, scope_of

BOX = PageBox(page=1, x=0.1, y=0.1, w=0.5, h=0.1, fragment_ids=("p1.f1",))


def chunk(content: str, section: int | None = None) -> ChunkDraft:
    return ChunkDraft(section=section, chunk_type="text", content=content, boxes=[BOX])


def section(index: int, title: str, parent: int | None = None, address: str | None = None) -> SectionDraft:
    key = address.lower() if address else None
    return SectionDraft(
        index=index,
        parent=parent,
        address=address,
        address_key=key,
        title=title,
        depth=1 if parent is None else 2,
        page=1,
    )


def draft(*chunks: ChunkDraft, sections: tuple[SectionDraft, ...] = ()) -> DocumentDraft:
    return DocumentDraft(sections=list(sections), chunks=list(chunks), confidence=1.0)


class Document:
    def __init__(self, runtime: Runtime, identity: Identity) -> None:
        self.runtime = runtime
        self.scope: Scope = scope_of(identity, make_knowledge_base(runtime, identity, f"kb {new_id().hex}"))
        self.id: UUID = new_id()
        row: dict[str, Any] = {
            "id": self.id, "name": "a.pdf", "title": "a",
            "source_type": "pdf", "source_hash": new_id().hex, "source_key": "k",
            "size": 1, "status": "running", "error": None, "label": None, "version_of": None,
            "ingestion_id": new_id(), "engine": "layout", "page_count": 1,
        }  # fmt: skip
        with runtime.database.transaction(self.scope) as connection:
            documents.insert_document(connection, self.scope, row)

    def commit(self, made: DocumentDraft) -> list[dict[str, Any]]:
        with self.runtime.database.transaction(self.scope) as connection:
            commit_draft(connection, self.scope, self.id, made, "a", "test-1")
            return connection.execute(
                "select * from chunks where document_id = %s order by ordinal",
                (self.id,),
            ).fetchall()


@pytest.fixture
def document(runtime: Runtime, identity: Identity) -> Document:
    return Document(runtime, identity)


def test_a_second_commit_of_the_same_draft_keeps_every_id(document: Document) -> None:
    made = draft(chunk("one", 0), chunk("two", 1), sections=(section(0, "A"), section(1, "B", parent=0)))
    assert document.commit(made) == document.commit(made)


def test_equal_contents_are_told_apart_by_their_occurrence(document: Document) -> None:
    rows = document.commit(draft(chunk("same"), chunk("other"), chunk("same")))
    assert [(r["content"], r["occurrence"]) for r in rows] == [("same", 0), ("other", 0), ("same", 1)]


def test_what_is_gone_is_deleted_and_what_stays_keeps_its_id_in_its_new_place(document: Document) -> None:
    first = document.commit(draft(chunk("one"), chunk("two"), chunk("three")))
    second = document.commit(draft(chunk("three"), chunk("new"), chunk("one")))
    ids = {row["content"]: row["id"] for row in first}
    assert [row["content"] for row in second] == ["three", "new", "one"]
    assert second[0]["id"] == ids["three"]
    assert second[2]["id"] == ids["one"]
    assert second[1]["id"] not in ids.values()


def test_a_section_that_disappears_takes_no_chunk_with_it(document: Document) -> None:
    document.commit(draft(chunk("one", 0), sections=(section(0, "A", address="C1"),)))
    rows = document.commit(draft(chunk("one")))
    assert [(row["content"], row["section_id"]) for row in rows] == [("one", None)]


def test_a_word_divided_at_the_end_of_a_line_is_whole_in_the_index_and_verbatim_in_the_content(
    document: Document,
) -> None:
    rows = document.commit(draft(chunk("the inter- national rule"), chunk("An international body.")))
    assert rows[0]["content"] == "the inter- national rule"
    assert "the international rule" in rows[0]["index_text"]


def test_index_text_puts_the_name_and_the_context_before_the_content() -> None:
    row = chunk("Oilless | 31.2").model_copy(update={"context": "A Compressors › A1 Small\nModel | Capacity"})
    assert index_text("prices", row) == "prices\nA Compressors › A1 Small\nModel | Capacity\nOilless | 31.2"


def test_a_table_is_read_back_whole_with_the_fragments_of_its_cells_and_its_rows_name_their_place(
    document: Document,
) -> None:
    grid = TableDraft(
        header_rows=1,
        rows=[[CellDraft(text="Item", boxes=[BOX], col_span=2)], [CellDraft(text="Brake", boxes=[BOX])]],
        caption="Table 1",
        first_page=1,
        last_page=1,
    )
    whole = chunk("Item\nBrake").model_copy(update={"chunk_type": "table", "table": 0})
    row = chunk("Brake").model_copy(update={"chunk_type": "table_row", "table": 0, "row": 1})
    document.commit(DocumentDraft(sections=[], chunks=[whole, row], tables=[grid], confidence=1.0))
    with document.runtime.database.transaction(document.scope) as connection:
        found = library.list_chunks(connection, document.id, None, None)
    table = found[0].table
    assert table is not None
    assert (table.id, table.caption, table.header_rows) == (found[0].table_id, "Table 1", 1)
    assert [[(c.text, c.col_span, c.fragment_ids) for c in r] for r in table.rows] == [
        [("Item", 2, ["p1.f1"])],
        [("Brake", 1, ["p1.f1"])],
    ]
    assert (found[1].table, found[1].table_id, found[1].row) == (None, table.id, 1)
