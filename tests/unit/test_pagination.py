"""Cursors: what a list gives out is taken back by that list, and nothing else is."""

import base64
import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.api.pagination import (
    DEFAULT_LIMIT,
    MAX_LIMIT,
    listed,
    number_cursor,
    ordinal_cursor,
    page_of,
    text_cursor,
)
from shared.errors import BadInput

ID = UUID("01900000-0000-7000-8000-00000000000a")


@dataclass(frozen=True)
class Item:
    id: UUID


ITEMS = [Item(UUID(int=number)) for number in range(1, 8)]


def cursor(*position: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(position, separators=(",", ":")).encode()).decode().rstrip("=")


def test_a_list_has_a_hundred_items_a_page_unless_asked_and_never_more_than_five_hundred() -> None:
    assert (DEFAULT_LIMIT, MAX_LIMIT) == (100, 500)


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 8])
def test_following_the_cursors_gives_every_item_once(limit: int) -> None:
    asked: list[tuple[UUID | None, int]] = []

    def read(behind: UUID | None, count: int) -> list[Item]:
        asked.append((behind, count))
        return [item for item in ITEMS if behind is None or item.id > behind][:count]

    found: list[Item] = []
    behind = None
    while True:
        page = listed("things", behind, limit, read)
        found += page.items
        behind = page.next_cursor
        if behind is None:
            break
        assert len(page.items) == limit
    assert found == ITEMS
    assert len(asked) == -(-len(ITEMS) // limit)
    assert {count for _, count in asked} == {limit + 1}


@pytest.mark.parametrize(("found", "next_position"), [(2, None), (3, None), (4, ["things", 3])])
def test_a_list_goes_on_where_more_was_found_than_is_shown(found: int, next_position: list[Any] | None) -> None:
    page = page_of("things", list(range(1, found + 1)), 3, lambda item: [item])
    assert page.items == [1, 2, 3][:found]
    assert page.next_cursor == (next_position and cursor(*next_position))


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_a_text_comes_back_as_it_was(text: str) -> None:
    given_out = page_of("things", [text, ""], 1, lambda item: [item]).next_cursor
    assert given_out is not None
    assert not set(given_out) & set("+/=")
    assert text_cursor("things", given_out) == text


def test_without_a_cursor_a_list_begins() -> None:
    assert (text_cursor("things", None), number_cursor("things", None), ordinal_cursor("things", None)) == ("", 0, None)


@pytest.mark.parametrize("number", [0, 1, 2**31 - 1])
def test_a_number_comes_back_as_it_was(number: int) -> None:
    assert number_cursor("things", cursor("things", number)) == number
    assert ordinal_cursor("things", cursor("things", number, str(ID))) == (number, ID)


@pytest.mark.parametrize("number", [-1, 2**31, 1.0, True, "1", None, [1]])
def test_no_number_that_the_database_would_refuse_is_taken(number: Any) -> None:
    with pytest.raises(BadInput, match="next_cursor"):
        number_cursor("things", cursor("things", number))
    with pytest.raises(BadInput):
        ordinal_cursor("things", cursor("things", number, str(ID)))


@pytest.mark.parametrize("text", ["a\0b", "\ud800", 7, None, ["a"]])
def test_no_text_that_the_database_would_refuse_is_taken(text: Any) -> None:
    with pytest.raises(BadInput, match="next_cursor"):
        text_cursor("things", cursor("things", text))


@pytest.mark.parametrize(
    "wrong",
    [
        cursor("others", "a"),
        cursor("things"),
        cursor("things", "a", "b"),
        cursor("things", "a") + "!",
        cursor("things", "a")[:-1],
        "",
        "a",
        "é",
        base64.urlsafe_b64encode(b"{}").decode(),
        base64.urlsafe_b64encode(b"7").decode(),
        base64.urlsafe_b64encode(b"[" * 900).decode(),
    ],
)
def test_what_is_no_cursor_of_this_list_is_refused(wrong: str) -> None:
    with pytest.raises(BadInput, match="next_cursor"):
        text_cursor("things", wrong)


def test_a_cursor_needs_no_quoting_in_an_address() -> None:
    given_out = page_of("things", ["?~>>", ""], 1, lambda item: [item]).next_cursor
    assert given_out == "WyJ0aGluZ3MiLCI_fj4-Il0"
    assert text_cursor("things", given_out) == "?~>>"


@pytest.mark.parametrize("wrong", ["no id", 7, None])
def test_what_is_no_id_is_refused(wrong: Any) -> None:
    with pytest.raises(BadInput, match="next_cursor"):
        listed("things", cursor("things", wrong), 1, lambda _behind, _count: ITEMS)
    with pytest.raises(BadInput, match="next_cursor"):
        ordinal_cursor("things", cursor("things", 1, wrong))
