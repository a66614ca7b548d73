import time
from typing import Any

import pytest

from tests.api.conftest import Client
from tests.patience import PATIENCE_S

KB = "/v1/knowledge-bases"


def make(client: Client, name: str, **fields: Any) -> dict[str, Any]:
    answer = client.post(KB, json={"name": name, **fields})
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_new_knowledge_base_has_a_slug_and_no_documents(client: Client) -> None:
    made = make(client, "Räng Rules (2026)", description="Numbered rules of the season.")
    assert made["slug"] == "rang-rules-2026"
    assert (made["documents"], made["chunks"]) == (0, 0)
    assert client.get(f"{KB}/{made['id']}").json() == made
    assert made in client.get(KB, params={"limit": 100}).json()["items"]


def test_a_name_without_latin_letters_gets_a_slug_too(client: Client) -> None:
    assert make(client, "規則")["slug"].startswith("kb-")


def test_the_same_name_again_is_a_conflict_that_names_the_slug(client: Client) -> None:
    make(client, "Twice")
    answer = client.post(KB, json={"name": "twice!"})
    assert answer.status_code == 409
    assert "`twice`" in answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "  "},
        {"name": "a\nb"},
        {"name": "x" * 121},
        {"name": "a", "surprise": 1},
        {"name": "a\x00b"},
        [],
        "x",
    ],
)
def test_a_body_that_cannot_be_a_knowledge_base_is_refused(client: Client, body: Any) -> None:
    answer = client.post(KB, json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


def test_name_and_description_change_and_the_slug_stays(client: Client) -> None:
    made = make(client, "Before", description="old")
    changed = client("PATCH", f"{KB}/{made['id']}", json={"name": "After"}).json()
    assert changed == made | {"name": "After"}
    changed = client("PATCH", f"{KB}/{made['id']}", json={"description": "new"}).json()
    assert changed == made | {"name": "After", "description": "new"}


def test_a_deleted_knowledge_base_is_gone(client: Client) -> None:
    made = make(client, "Short-lived")
    answer = client.delete(f"{KB}/{made['id']}")
    asked = answer.json()
    assert (answer.status_code, asked["status"], asked["subject"]["id"]) == (202, "running", made["id"])
    assert client.get(f"{KB}/{made['id']}").status_code == 404
    address, ticket = f"/v1/erasures/{asked['id']}", {"X-Autri-Ticket": asked["ticket"]}
    deadline = time.monotonic() + PATIENCE_S
    while (job := client.get(address, headers=ticket).json())["status"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert job["certificate"]["before"]["rows"]["knowledge_bases"] == 1
    assert job["certificate"]["id"] == asked["id"]
    for headers in ({}, {"X-Autri-Ticket": "another"}):
        assert client.get(address, headers=headers).status_code == 404
    assert client.get("/v1/erasures").json()["items"][0] == job
    assert client.delete(f"{KB}/{made['id']}").status_code == 404


def test_lists_go_on_with_their_cursor_until_it_is_null(client: Client) -> None:
    wanted = {make(client, f"Listed {n}")["id"] for n in range(5)}
    seen: list[str] = []
    cursor = ""
    while True:
        page = client.get(f"{KB}?limit=2{cursor}").json()
        assert len(page["items"]) <= 2
        seen += [item["id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert wanted <= set(seen)
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("cursor", ["x", "====", "WyJkb2N1bWVudHMiLCJhIl0", "é", "W10", "bnVsbA"])
def test_a_cursor_that_is_not_of_this_list_is_refused(client: Client, cursor: str) -> None:
    assert client.get(KB, params={"cursor": cursor}).status_code == 422
