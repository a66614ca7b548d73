"""Who tries the deployed API with what is somebody else's, or not theirs any more; and beside each the same requests by
those who may, so that nothing is refused for another reason."""

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, get_args

import httpx
import pytest

from tests.api.attempts import attempts
from tests.api.test_permissions import changes, reads
from tests.api.test_tenancy import HARMLESS, ID, READING, Ids, gather_ids
from tests.aws.customer import ok, upload, wait
from tests.aws.front import Front
from tests.aws.people import Acting, Person, Way, found_organization, opened_person
from tests.aws.system import System

pytestmark = pytest.mark.aws

SECRET = "zirconium"
SERVED = {200, 201, 202, 302}
NO_ROUTE = "There is nothing at this address"
ACCESS = "/v1/knowledge-bases/{}/access"
WAYS = get_args(Way)
Open = Callable[..., Person]


@pytest.fixture(scope="module")
def open_person(system: System, front: Front) -> Iterator[Open]:
    """A person who is new to the organization that `house` founded."""
    with ExitStack() as stack:
        yield lambda email, role, house="house": stack.enter_context(opened_person(system, front, house, email, role))


@pytest.fixture(scope="module")
def master(system: System, open_person: Open) -> Person:
    """The owner of what others are after."""
    found_organization(system, "house")
    return open_person("master@house.example", "owner")


@pytest.fixture(scope="module")
def rival(system: System, open_person: Open) -> Person:
    """The owner of another organization in the same deployment."""
    found_organization(system, "rival")
    return open_person("boss@rival.example", "owner", "rival")


@pytest.fixture(scope="module")
def both(master: Person, rival: Person) -> tuple[Ids, Ids]:
    """One object of every kind, of the house and of the rival."""
    with ThreadPoolExecutor(2) as threads:
        house, other = threads.map(_furnish, (master, rival), (SECRET, "bronze"))
    return house, other


@pytest.fixture(scope="module")
def house(both: tuple[Ids, Ids]) -> Ids:
    return both[0]


def _furnish(owner: Person, word: str) -> Ids:
    client = owner.client
    base = str(ok(client.post("/v1/knowledge-bases", json={"name": word, "description": "x"}))["id"])
    made = gather_ids(client, base, word, lambda data, name: _ingest(client, base, data, name))
    exported = ok(client.post("/v1/exports", json={"knowledge_base_id": base}))
    asked = ok(client.post("/v1/imports/jobs", json={"size": 3, "sha256": "0" * 64, "name": None}))
    return made | {"export_id": exported["id"], "import_id": asked["id"]}


def _ingest(client: httpx.Client, base: str, data: bytes, name: str) -> dict[str, Any]:
    run = wait(client, upload(client, base, data, name))
    assert run["status"] == "ready", run
    return {"document_id": run["document_id"], "ingestion_id": run["id"]}


def unlike(act: Acting, requests: Iterable[tuple[str, str, Any]], wanted: set[int]) -> dict[str, int]:
    """Those that are answered by another status; one whose address leads nowhere fails the test."""
    found: dict[str, int] = {}
    for method, path, body in requests:
        answer = act(method, path, json=body)
        assert NO_ROUTE not in answer.text, path
        found[f"{method} {path}"] = answer.status_code
    assert found
    return {name: status for name, status in found.items() if status not in wanted}


def all_reads(ids: Ids) -> list[tuple[str, str, Any]]:
    base, document = ids["knowledge_base_id"], ids["document_id"]
    further = ("sections", "versions", "verify", "pages", "pages/1", "source")
    return [
        *reads(base, document),
        *(("GET", f"/v1/documents/{document}/{part}", None) for part in further),
        ("GET", f"/v1/documents?knowledge_base_id={base}", None),
        ("GET", f"/v1/ingestions/{ids['ingestion_id']}", None),
        ("GET", f"/v1/documents/{document}/figures/{ids['chunk_id']}/image", None),
    ]


def all_changes(ids: Ids, client: httpx.Client) -> list[tuple[str, str, Any]]:
    """With an edit that can be made, of a chunk that its owner names."""
    document = ids["document_id"]
    chunks = ok(client.get(f"/v1/documents/{document}/chunks"))["items"]
    chunk = next(one for one in chunks if one["chunk_type"] == "text")
    revision = ok(client.get(f"/v1/documents/{document}"))["revision"]
    edit = {"kind": "retype", "chunk_id": chunk["id"], "chunk_type": "code"}
    return changes(ids["knowledge_base_id"], document, {"revision": revision, "edit": edit})


def test_another_organizations_ids_are_unknown_in_every_place_of_every_route(
    master: Person, rival: Person, both: tuple[Ids, Ids]
) -> None:
    """From the deployment's own description of its API. Nothing is changed by it: those who may do it all still can."""
    house, own = both
    document = ok(master.client.get("/v1/openapi.json"))
    tried = list(attempts(document, own, house))
    for attempt in tried:
        answer = rival.client.request(attempt.method, attempt.path, params=attempt.query, json=attempt.body)
        assert SECRET not in answer.text, str(attempt)
        assert NO_ROUTE not in answer.text, str(attempt)
        assert attempt.place in HARMLESS or answer.status_code == 404, f"{attempt}: {answer.text}"
    assert len(tried) > 60
    reading = [a for a in attempts(document, house, house) if a.method == "GET" or a.path in READING]
    reading = [attempt for attempt in reading if attempt.place != "erasure_id"]  # read by its ticket, whoever asks
    for attempt in reading:
        answer = master.client.request(attempt.method, attempt.path, params=attempt.query, json=attempt.body)
        assert answer.status_code in SERVED, f"{attempt}: {answer.text}"
    assert len(reading) > 25


@pytest.mark.parametrize("way", WAYS)
def test_another_organization_is_told_nothing_however_it_comes(
    master: Person, rival: Person, house: Ids, way: Way
) -> None:
    requests = [*all_reads(house), *all_changes(house, master.client)]
    assert unlike(rival.ways[way], requests, {404}) == {}
    for path in ("/v1/knowledge-bases", "/v1/documents", "/v1/traces", "/v1/audit", "/v1/keys"):
        listed = rival.ways[way]("GET", path)
        assert listed.status_code == 200, path
        assert not set(house.values()) & set(ID.findall(listed.text)), path
    wish = {"X-Autri-Organization": "house"}
    assert [act.ways[way]("GET", "/v1/me", headers=wish).status_code for act in (rival, master)] == [403, 200]
    assert unlike(master.ways[way], all_reads(house), SERVED) == {}


def test_whoever_owns_it_does_what_the_others_may_not(open_person: Open, rival: Person, both: tuple[Ids, Ids]) -> None:
    """Each of the requests that are refused above and below is one that succeeds where it may."""
    writer = open_person("writer@rival.example", "admin", "rival")
    own = both[1]
    assert unlike(writer.ways["session"], [*all_reads(own), *all_changes(own, rival.client)], SERVED) == {}


def test_an_address_of_an_object_is_short_lived_and_of_ones_own_objects(
    master: Person, rival: Person, both: tuple[Ids, Ids]
) -> None:
    house, _ = both
    image = f"/v1/documents/{house['document_id']}/pages/1/image"
    answer = master.client.get(image)
    organization = ok(master.client.get("/v1/me"))["organization"]["id"]
    location = httpx.URL(answer.headers["location"])
    assert int(location.params["X-Amz-Expires"]) <= 300
    assert organization in location.path
    assert httpx.get(location).content.startswith(b"\xff\xd8")
    assert "no-store" in answer.headers["cache-control"]
    refused = rival.client.get(image)
    assert (refused.status_code, "location" in refused.headers) == (404, False)


@pytest.fixture
def members(master: Person, house: Ids, people: dict[str, Person]) -> Generator[dict[str, Person]]:
    """With the house's knowledge base restricted to the reader and the writer, who alone may write."""
    path = ACCESS.format(house["knowledge_base_id"])
    may = [{"user_id": people[name].id, "may_write": name == "writer"} for name in ("reader", "writer")]
    ok(master.client.put(path, json={"restricted": True, "members": may}))
    yield people
    ok(master.client.put(path, json={"restricted": False}))


@pytest.fixture(scope="module")
def people(master: Person, open_person: Open) -> dict[str, Person]:
    return {name: open_person(f"{name}@house.example", "editor") for name in ("outsider", "reader", "writer")}


@pytest.mark.parametrize("way", WAYS)
def test_to_a_member_without_the_right_a_restricted_knowledge_base_is_not_there(
    master: Person, members: dict[str, Person], house: Ids, way: Way
) -> None:
    outsider = members["outsider"].ways[way]
    requests = [*all_reads(house), *all_changes(house, master.client)]
    assert unlike(outsider, requests, {404}) == {}
    questions = {"search": "query", "lookup": "address", "ask": "question"}
    for name, seen in (("outsider", False), ("reader", True)):
        act = members[name].ways[way]
        assert (house["knowledge_base_id"] in act("GET", "/v1/knowledge-bases").text) == seen
        assert (house["document_id"] in act("GET", "/v1/documents").text) == seen
        for route, field in questions.items():
            answer = act("POST", f"/v1/{route}", json={field: "C1.1" if route == "lookup" else SECRET})
            assert answer.status_code == 200, answer.text
            assert (house["document_id"] in answer.text) == seen, route


@pytest.mark.parametrize("way", WAYS)
def test_who_may_only_read_it_reads_all_of_it_and_changes_nothing(
    master: Person, members: dict[str, Person], house: Ids, way: Way
) -> None:
    reader, requests = members["reader"].ways[way], all_changes(house, master.client)
    assert unlike(reader, all_reads(house), SERVED) == {}
    assert unlike(reader, requests, {403}) == {}
    mild = [one for one in requests if one[0] != "DELETE" and not one[1].endswith("/reingest")]
    assert unlike(members["writer"].ways[way], mild, SERVED) == {}


def test_a_revoked_key_opens_nothing_from_the_next_request_on(master: Person, open_person: Open, house: Ids) -> None:
    person = open_person("loser@house.example", "editor")
    requests = [*all_reads(house), *all_changes(house, master.client)]
    assert person.ways["key"]("GET", f"/v1/documents/{house['document_id']}").status_code == 200
    ok(person.client.post(f"/v1/keys/{person.key_id}/revoke"))
    assert unlike(person.ways["key"], requests, {401}) == {}
    assert person.client.get(f"/v1/documents/{house['document_id']}").status_code == 200


def test_a_removed_members_session_token_and_key_open_nothing_from_the_next_request_on(
    master: Person, open_person: Open, house: Ids
) -> None:
    person = open_person("leaving@house.example", "editor")
    requests = [*all_reads(house), *all_changes(house, master.client)]
    for way in WAYS:
        assert person.ways[way]("GET", f"/v1/documents/{house['document_id']}").status_code == 200
    ok(master.client.delete(f"/v1/members/{person.id}"))
    refused: dict[Way, int] = {"token": 403, "key": 401, "session": 403}
    for way, status in refused.items():
        assert unlike(person.ways[way], requests, {status}) == {}, way
