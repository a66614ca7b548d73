"""What an archive learns of a table from the catalogue: columns that can be written, key, and what it refers to."""

from shared.store.named_queries import load_queries
from tests.store.filling import Connection

TABLES = """
    create table kinds (
      id integer, gone integer, made integer generated always as (id + 1) stored,
      counted integer generated always as identity, note text not null, first uuid references documents (id),
      second uuid references documents (id), base uuid references knowledge_bases (id), above integer, unique (id),
      foreign key (above) references kinds (id), check (id > 0), primary key (note, id));
    alter table kinds drop column gone;
    create index on kinds (first);
    create table parted (id integer primary key) partition by range (id);
    create table part_of_parted partition of parted default;
    create view shown as select * from kinds;
    create schema elsewhere;
    create table elsewhere.hidden (id integer primary key);
"""


def test_the_catalogue_tells_what_can_be_written_of_every_kind_of_table(everywhere: Connection) -> None:
    query = load_queries("archive")["tables"]
    before = {row["name"] for row in everywhere.execute(query).fetchall()}
    everywhere.execute(TABLES)
    found = {row["name"]: row for row in everywhere.execute(query).fetchall()}
    assert found.keys() - before == {"kinds", "parted"}
    assert found["kinds"] == {
        "name": "kinds",
        "columns": ["id", "note", "first", "second", "base", "above"],
        "key": ["note", "id"],
        "refers": ["documents", "knowledge_bases"],
        "refers_to_itself": True,
    }
    parted = {"name": "parted", "columns": ["id"], "key": ["id"], "refers": [], "refers_to_itself": False}
    assert found["parted"] == parted
