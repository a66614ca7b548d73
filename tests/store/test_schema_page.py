"""`docs/schema.md` says what there is."""

import re

from tests.store.schema_page import PAGE, page, sentences


def test_the_page_of_the_schema_is_not_stale(owner_dsn: str) -> None:
    assert page(owner_dsn) == PAGE.read_text(), "run `make schema`"


def test_of_every_table_and_column_something_is_said() -> None:
    text = PAGE.read_text()
    assert re.findall(r"^\| .* \|  \|$", text, re.MULTILINE) == []
    assert re.findall(r"^## (?!Functions).*\n\n\|", text, re.MULTILINE) == []
    assert len(re.findall(r"^## ", text, re.MULTILINE)) > 30


def test_what_is_said_stands_above_or_behind() -> None:
    text = """
-- Of nobody.

-- What flies,
-- and what does not.
create table birds (
  id uuid primary key,
  wings integer not null,  -- Two.
  -- In metres.
  span double precision,
  primary key (id)
);
-- By span.
create index birds_by_span on birds (span);
-- Since when.
alter table birds add column since date;
"""
    said = {name: text for name, text in sentences([text]).items() if text}
    assert said == {
        "birds": "What flies, and what does not.",
        "birds.wings": "Two.",
        "birds.span": "In metres.",
        "birds_by_span": "By span.",
        "birds.since": "Since when.",
    }
