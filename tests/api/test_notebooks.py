"""Notebooks: cells that people write and pin, none of whose edits is lost; what they show, to whom, and by links."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID

import psycopg
import pytest

from functions.api.app import create_app
from functions.api.identity import development_identity
from shared.domain.ids import new_id
from shared.domain.plans import PlanSettings
from shared.domain.scope import Identity
from shared.lab.notebook.markup import element
from shared.lab.notebook.words import render_words
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.test_threads import RULE, TANK, WIDTH, begin, stranger
from tests.conftest import add_member, as_superuser
from tests.store.seeding import Passage, add_base, add_document

FUEL = Passage("A fuel tank holds 60 litres at most and is made of rubber.")
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    return add_base(runtime, identity, "notebooks").knowledge_base_ids[0]


@pytest.fixture(scope="module")
def chunk(runtime: Runtime, identity: Identity, client: Client, base: UUID) -> str:
    scope = identity.scope(base)
    document = add_document(runtime, scope, f"Rules {HOSTILE}", [RULE], embedder=runtime.embedder)
    return client.get(f"/v1/documents/{document}/chunks").json()["items"][0]["id"]


def make(client: Client, base: UUID, title: str = "Findings") -> str:
    made = client.post("/v1/notebooks", json={"knowledge_base_id": str(base), "title": title})
    assert made.status_code == 201, made.text
    return f"/v1/notebooks/{made.json()['id']}"


def words(text: str) -> dict[str, Any]:
    return {"content": {"kind": "markdown", "text": text}}


def add(client: Client, notebook: str, content: dict[str, Any], **options: Any) -> dict[str, Any]:
    made = client.post(f"{notebook}/cells", json={"content": content} | options)
    assert made.status_code == 201, made.text
    return made.json()


def write(client: Client, notebook: str, text: str, **options: Any) -> dict[str, Any]:
    return add(client, notebook, words(text)["content"], **options)


def texts(notebook: dict[str, Any]) -> list[str]:
    return [cell["body"]["text"] for cell in notebook["cells"]]


def state(value: object) -> dict[str, str]:
    return {"If-Match": f'"{value}"'}


def test_every_change_is_a_version_that_can_be_restored(client: Client, base: UUID) -> None:
    notebook = make(client, base)
    write(client, notebook, "one")
    one, two = write(client, notebook, "two")["cells"]
    third = write(client, notebook, "zero", before=one["id"])
    assert texts(third) == ["zero", "one", "two"]
    path = f"{notebook}/cells/{two['id']}"
    moved = client.post(f"{path}/move", json={"before": one["id"]}, headers=state(two["state"])).json()
    assert texts(moved) == ["zero", "two", "one"]
    edited = client.put(path, json=words("2"), headers=state(two["state"])).json()
    assert texts(edited) == ["zero", "2", "one"]
    now = next(cell for cell in edited["cells"] if cell["id"] == two["id"])["state"]
    left = client("DELETE", path, headers=state(now)).json()
    assert texts(left) == ["zero", "one"]
    renamed = client("PATCH", notebook, json={"title": "Results"}, headers=state(left["revision"])).json()
    assert renamed["title"] == "Results"
    back = client.post(f"{notebook}/restore", json={"revision": 6}, headers=state(renamed["revision"])).json()
    assert (back["title"], texts(back), back["revision"]) == ("Findings", ["zero", "2", "one"], 9)
    old = client.get(notebook, params={"revision": 4})
    assert (texts(old.json()), old.headers["etag"]) == (["zero", "one", "two"], '"4"')
    told = client.get(f"{notebook}/versions").json()["items"]
    acts = ["restore", "rename", "delete", "edit", "move", "add", "add", "add", "create"]
    assert [one["act"] for one in told] == acts
    assert [one["cells"] for one in told] == [3, 2, 2, 3, 3, 3, 2, 1, 0]
    assert told[0]["restored"] == 6
    assert all(one["author"] for one in told)


def test_a_change_that_was_decided_on_another_state_is_refused_and_nothing_is_lost(client: Client, base: UUID) -> None:
    notebook = make(client, base)
    (cell,) = write(client, notebook, "mine")["cells"]
    path = f"{notebook}/cells/{cell['id']}"
    assert client.put(path, json=words("theirs"), headers=state(cell["state"])).status_code == 200
    for method, where, body in (
        ("PUT", path, words("late")),
        ("DELETE", path, None),
        ("POST", f"{path}/move", {}),
    ):
        late = client(method, where, json=body, headers=state(cell["state"]))
        assert (late.status_code, "Read it again" in late.json()["detail"]) == (412, True), where
        assert client(method, where, json=body).status_code == 422, where
    for where, method, body in ((notebook, "PATCH", {"title": "x"}), (f"{notebook}/restore", "POST", {"revision": 1})):
        assert client(method, where, json=body, headers=state(2)).status_code == 412
        assert client(method, where, json=body).status_code == 422
    assert texts(client.get(notebook).json()) == ["theirs"]


def test_of_twenty_people_who_write_at_once_each_has_their_cell(client: Client, base: UUID) -> None:
    notebook = make(client, base)
    with ThreadPoolExecutor(5) as threads:
        made = list(threads.map(lambda at: write(client, notebook, f"cell {at}"), range(20)))
    assert sorted(texts(client.get(notebook).json())) == sorted(f"cell {at}" for at in range(20))
    assert sorted(one["revision"] for one in made)[-1] == 21
    assert [v["revision"] for v in client.get(f"{notebook}/versions").json()["items"]] == [*range(21, 0, -1)]


def test_what_is_pinned_shows_its_words_and_where_they_stand(client: Client, base: UUID, chunk: str) -> None:
    notebook = make(client, base)
    note = {"text": "The wing was measured **twice**.", "title": "Measured"}
    posted = client.post(f"/v1/knowledge-bases/{base}/notes", json=note).json()
    thread = begin(client, base, WIDTH)
    answer = client.get(f"/v1/threads/{thread}").json()["messages"][0]["answers"][0]
    add(client, notebook, {"kind": "chunk", "chunk_id": chunk, "remark": "The *rule*."})
    add(client, notebook, {"kind": "note", "document_id": posted["id"]})
    add(client, notebook, {"kind": "answer", "thread_id": thread, "answer_id": answer["id"]})
    shown = write(client, notebook, f"It is [1050 mm](chunk:{chunk}).")
    passage, noted, answered, said = shown["cells"]
    assert "<em>rule</em>" in passage["html"]
    assert "1050 mm" in passage["html"]
    assert "<strong>twice</strong>" in noted["html"]
    assert "Measured" in noted["html"]
    assert WIDTH in answered["html"]
    assert "1050 mm" in answered["html"]
    pill = '<a class="citation" href="#source-1" aria-label="'
    assert all(pill in cell["html"] for cell in (passage, answered, said))
    assert [cell["sources"] for cell in shown["cells"]] == [[1], [2], [1], [1]]
    one, two = shown["sources"]
    assert (one["chunk_id"], one["page"], one["text"]) == (chunk, 1, RULE.content)
    assert one["version"]["index"] == 1
    assert two["document_id"] == posted["id"]
    assert all(word not in answered["body"] for word in ("answer", "question"))


def test_words_of_people_and_documents_are_never_markup(client: Client, base: UUID, chunk: str) -> None:
    notebook = make(client, base, f"Title {HOSTILE}")
    hostile = (
        f"{HOSTILE}\n\n[x](javascript:alert(1)) [y](data:text/html,x) ![z](https://elsewhere.example/p.png)"
        " [w](https://elsewhere.example/ \"a\") <https://elsewhere.example/>"
    )  # fmt: skip
    write(client, notebook, hostile)
    shown = add(client, notebook, {"kind": "chunk", "chunk_id": chunk, "remark": HOSTILE})
    for cell in shown["cells"]:
        assert "<script" not in cell["html"]
        assert "<img" not in cell["html"]
        assert 'href="javascript' not in cell["html"]
        assert 'href="data' not in cell["html"]
        assert "&lt;script&gt;" in cell["html"]
    assert 'href="https://elsewhere.example/" rel="noopener noreferrer nofollow"' in shown["cells"][0]["html"]


def test_markdown_nests_and_cites_within_words() -> None:
    cited = str(new_id())
    html = str(
        render_words(f"a [**b** [c]](chunk:{cited}) | [d](https://e.example)", lambda one: element("b", str(one)))
    )
    assert f'<span class="cited"><strong>b</strong> [c]</span><b>{cited}</b>' in html
    assert html.count("</a>") == html.count("<a ") == 1


def test_what_is_not_there_is_not_pinned(client: Client, base: UUID) -> None:
    notebook, nobody = make(client, base), str(new_id())
    for content in (
        {"kind": "chunk", "chunk_id": nobody},
        {"kind": "note", "document_id": nobody},
        {"kind": "answer", "thread_id": nobody, "answer_id": nobody},
        {"kind": "markdown", "text": f"[x](chunk:{nobody})"},
    ):
        assert client.post(f"{notebook}/cells", json={"content": content}).status_code == 404, content
    assert client.post(f"{notebook}/cells", json=words("x") | {"before": nobody}).status_code == 404
    assert client.get(notebook).json()["cells"] == []


def test_an_answer_keeps_nothing_of_a_document_that_goes(
    runtime: Runtime, identity: Identity, client: Client, owner_dsn: str
) -> None:
    scope = add_base(runtime, identity, "going from a notebook")
    document = add_document(runtime, scope, "Tank rules", [FUEL], embedder=runtime.embedder)
    passage = client.get(f"/v1/documents/{document}/chunks").json()["items"][0]["id"]
    thread = begin(client, scope.knowledge_base_ids[0], TANK)
    answer = client.get(f"/v1/threads/{thread}").json()["messages"][0]["answers"][0]["id"]
    notebook = make(client, scope.knowledge_base_ids[0])
    add(client, notebook, {"kind": "answer", "thread_id": thread, "answer_id": answer})
    add(client, notebook, {"kind": "chunk", "chunk_id": passage})
    assert "60 litres" in client.get(notebook).text
    assert client.delete(f"/v1/documents/{document}").is_success
    left = client.get(notebook)
    assert not any(word in left.text for word in ("60 litres", "rubber", "Tank rules"))
    assert [cell["gone"] for cell in left.json()["cells"]] == [False, True]
    assert "no longer visible" in left.json()["cells"][0]["html"]
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        kept = connection.execute(
            "select body::text from notebook_cells where notebook_id = %s", (notebook.rpartition("/")[2],)
        ).fetchall()
    assert len(kept) == 2
    assert not any(word in str(kept) for word in ("60 litres", "rubber", "Tank rules"))


def test_whoever_may_not_see_a_passage_reads_around_it_and_viewers_change_nothing(
    runtime: Runtime, owner_dsn: str, identity: Identity, client: Client,
    client_of: Callable[[Identity], Client], base: UUID,
) -> None:  # fmt: skip
    hidden = add_base(runtime, identity, "hidden from readers")
    document = add_document(runtime, hidden, "Tank rules", [FUEL], embedder=runtime.embedder)
    passage = client.get(f"/v1/documents/{document}/chunks").json()["items"][0]["id"]
    thread = begin(client, hidden.knowledge_base_ids[0], TANK)
    answer = client.get(f"/v1/threads/{thread}").json()["messages"][0]["answers"][0]["id"]
    notebook = make(client, base)
    add(client, notebook, {"kind": "answer", "thread_id": thread, "answer_id": answer})
    add(client, notebook, {"kind": "chunk", "chunk_id": passage})
    (cell, _) = write(client, notebook, f"[said](chunk:{passage})")["cells"][:2]
    access = f"/v1/knowledge-bases/{hidden.knowledge_base_ids[0]}/access"
    assert client("PUT", access, json={"restricted": True, "members": []}).is_success
    reader = client_of(add_member(runtime, owner_dsn, "local", "viewer"))
    seen = reader.get(notebook)
    assert not any(word in seen.text for word in ("60 litres", "rubber", "Tank rules"))
    assert (seen.json()["may_write"], seen.json()["sources"]) == (False, [])
    assert "60 litres" in client.get(notebook).text
    bundle = reader.post("/v1/bundles", json={"notebook_id": notebook.rpartition("/")[2]})
    assert bundle.status_code == 200
    assert "rubber" not in bundle.text
    for method, path, body in (
        ("POST", f"{notebook}/cells", words("x")), ("PATCH", notebook, {"title": "x"}), ("DELETE", notebook, None),
        ("PUT", f"{notebook}/cells/{cell['id']}", words("x")), ("DELETE", f"{notebook}/cells/{cell['id']}", None),
        ("POST", f"{notebook}/cells/{cell['id']}/move", {}), ("POST", f"{notebook}/restore", {"revision": 1}),
        ("POST", f"{notebook}/shares", {}),
    ):  # fmt: skip
        assert reader(method, path, json=body, headers=state(cell["state"])).status_code == 403, path


def test_who_may_not_see_the_knowledge_base_finds_no_notebook_of_it(
    runtime: Runtime, owner_dsn: str, identity: Identity, client: Client, client_of: Callable[[Identity], Client]
) -> None:
    base = add_base(runtime, identity, "kept from others").knowledge_base_ids[0]
    notebook = make(client, base)
    (cell,) = write(client, notebook, "kept")["cells"]
    share = client.post(f"{notebook}/shares", json={}).json()
    assert client("PUT", f"/v1/knowledge-bases/{base}/access", json={"restricted": True, "members": []}).is_success
    other = client_of(add_member(runtime, owner_dsn, "local", "editor"))
    assert share["id"] not in other.get("/v1/shares").text
    for method, path, body in (
        ("GET", "", None), ("PATCH", "", {"title": "x"}), ("DELETE", "", None), ("GET", "/versions", None),
        ("POST", "/cells", words("x")), ("PUT", f"/cells/{cell['id']}", words("x")), ("GET", "/shares", None),
        ("DELETE", f"/cells/{cell['id']}", None), ("POST", f"/cells/{cell['id']}/move", {}),
        ("POST", "/restore", {"revision": 1}), ("POST", "/shares", {}), ("POST", f"/shares/{share['id']}/revoke", None),
    ):  # fmt: skip
        answer = other(method, f"{notebook}{path}", json=body, headers=state(cell["state"]))
        assert answer.status_code == 404, (method, path)
    assert other.get("/v1/notebooks", params={"knowledge_base_id": str(base)}).status_code == 404
    assert other.post("/v1/bundles", json={"notebook_id": notebook.rpartition("/")[2]}).status_code == 404
    assert texts(client.get(notebook).json()) == ["kept"]


def test_whoever_may_change_a_notebook_lists_and_takes_back_the_links_of_colleagues_and_nobody_else_does(
    runtime: Runtime, owner_dsn: str, client: Client, client_of: Callable[[Identity], Client], base: UUID
) -> None:
    notebook, reader = make(client, base), stranger(runtime)
    write(client, notebook, "seen")
    made = client.post(f"{notebook}/shares", json={}).json()
    path, revoke = f"/v1{made['path']}", f"{notebook}/shares/{made['id']}/revoke"
    viewer = client_of(add_member(runtime, owner_dsn, "local", "viewer"))
    assert viewer.get(f"{notebook}/shares").json()["items"] == []
    assert viewer.post(revoke).status_code == 403
    other = make(client, base)
    editor = client_of(add_member(runtime, owner_dsn, "local", "editor"))
    assert editor.get(f"{other}/shares").json()["items"] == []
    assert editor.post(f"{other}/shares/{made['id']}/revoke").status_code == 404
    assert reader.get(path).status_code == 200
    (listed,) = editor.get(f"{notebook}/shares").json()["items"]
    assert (listed["id"], listed["own"], bool(listed["author"])) == (made["id"], False, True)
    assert (listed["opened"], bool(listed["opened_at"])) == (1, True)
    (shown,) = [one for one in editor.get("/v1/shares").json()["items"] if one["id"] == made["id"]]
    assert (shown["title"], shown["notebook_id"], shown["thread_id"]) == ("Findings", notebook.rpartition("/")[2], None)
    assert (shown["knowledge_base_id"], shown["opened"], shown["own"]) == (str(base), 1, False)
    assert made["id"] not in viewer.get("/v1/shares").text
    looking = add_member(runtime, owner_dsn, "local", "editor").model_copy(update={"read_only": True})
    assert made["id"] not in client_of(looking).get("/v1/shares").text
    allowed = add_member(runtime, owner_dsn, "local", "editor")
    kept = add_base(runtime, looking, "read by some").knowledge_base_ids[0]
    hidden = client.post(f"{make(client, kept)}/shares", json={}).json()["id"]
    assert hidden in client_of(allowed).get("/v1/shares").text
    access = {"restricted": True, "members": [{"user_id": str(allowed.user_id), "may_write": False}]}
    assert client("PUT", f"/v1/knowledge-bases/{kept}/access", json=access).is_success
    assert hidden not in client_of(allowed).get("/v1/shares").text
    (own,) = client.get(f"{notebook}/shares").json()["items"]
    assert (own["own"], own["author"]) == (True, listed["author"])
    assert editor.post(revoke).json()["revoked_at"]
    assert reader.get(path).status_code == 404
    # A conversation is its asker's alone, and so are its links.
    thread = begin(client, base, "How wide is it?")
    shared = client.post(f"/v1/threads/{thread}/shares", json={}).json()
    assert editor.post(f"{notebook}/shares/{shared['id']}/revoke").status_code == 404
    assert shared["id"] not in editor.get("/v1/shares").text
    (mine,) = [one for one in client.get("/v1/shares").json()["items"] if one["id"] == shared["id"]]
    assert (mine["title"], mine["thread_id"], mine["opened"]) == ("How wide is it?", thread, 0)


def test_an_editor_who_was_let_in_to_read_changes_no_notebook_and_sees_and_ends_no_links_of_others(
    runtime: Runtime, owner_dsn: str, identity: Identity, client: Client, client_of: Callable[[Identity], Client]
) -> None:
    closed = add_base(runtime, identity, "let in to read").knowledge_base_ids[0]
    notebook = make(client, closed)
    cell = write(client, notebook, "x")["cells"][0]
    made = client.post(f"{notebook}/shares", json={}).json()
    people = {may: add_member(runtime, owner_dsn, "local", "editor") for may in (True, False)}
    members = [{"user_id": str(one.user_id), "may_write": may} for may, one in people.items()]
    access = {"restricted": True, "members": members}
    assert client("PUT", f"/v1/knowledge-bases/{closed}/access", json=access).is_success
    writer, reader = (client_of(people[may]) for may in (True, False))
    assert [one.get(notebook).json()["may_write"] for one in (client, writer, reader)] == [True, True, False]
    assert reader.get(notebook).json()["cells"][0]["html"] == cell["html"]
    assert reader.post(f"{notebook}/cells", json=words("y")).status_code == 403
    assert reader.get(f"{notebook}/shares").json()["items"] == []
    assert reader.post(f"{notebook}/shares/{made['id']}/revoke").status_code == 404
    (listed,) = writer.get(f"{notebook}/shares").json()["items"]
    assert listed["revoked_at"] is None
    assert writer.post(f"{notebook}/shares/{made['id']}/revoke").is_success


def test_a_link_shows_the_version_that_there_was_until_it_is_revoked(
    runtime: Runtime, owner_dsn: str, client: Client, client_of: Callable[[Identity], Client], base: UUID, chunk: str
) -> None:
    notebook, reader = make(client, base), stranger(runtime)
    add(client, notebook, {"kind": "chunk", "chunk_id": chunk})
    made = client.post(f"{notebook}/shares", json={"days": 2}).json()
    write(client, notebook, "written later")
    path = f"/v1{made['path']}"
    shown = reader.get(path)
    assert (shown.status_code, shown.headers["x-robots-tag"]) == (200, "noindex, nofollow")
    assert [cell["kind"] for cell in shown.json()["cells"]] == ["chunk"]
    assert [(one["number"], one["text"]) for one in shown.json()["sources"]] == [(1, RULE.content)]
    bundle = reader.get(f"{path}/bundle")
    assert (bundle.status_code, bundle.headers["x-robots-tag"]) == (200, "noindex, nofollow")
    assert "1050 mm" in bundle.text
    assert "written later" not in shown.text + bundle.text
    assert client.post(f"{notebook}/shares", json={"days": 31}).status_code == 422
    listed = client.get(f"{notebook}/shares").json()["items"]
    assert [(one["id"], one["revision"], one["revoked_at"]) for one in listed] == [(made["id"], 2, None)]
    assert made["path"].rpartition("/")[2] not in str(listed)
    assert client.post(f"{notebook}/shares/{made['id']}/revoke").json()["revoked_at"]
    assert reader.get(path).status_code == reader.get(f"{path}/bundle").status_code == 404
    acts = client.get("/v1/audit", params={"act": "share"}).json()["items"]
    told = [(one["act"], one["details"].get("what"), one["user_id"]) for one in acts if one["subject_id"] == made["id"]]
    assert [one[:2] for one in sorted(told)] == [
        ("share.create", None), ("share.open", "html"), ("share.open", "page"), ("share.revoke", None),
    ]  # fmt: skip
    # Who opened it is not known, and is not who made it.
    assert {one[2] for one in told if one[0] == "share.open"} == {None}
    assert client.delete(notebook).is_success
    assert client.get(notebook).status_code == 404


def test_a_link_ends_by_its_time_and_with_its_maker_and_shows_no_more_than_they_see(
    runtime: Runtime, owner_dsn: str, client: Client, client_of: Callable[[Identity], Client], identity: Identity,
    base: UUID,
) -> None:  # fmt: skip
    scope = add_base(runtime, identity, "shared in a notebook")
    document = add_document(runtime, scope, "Tank rules", [FUEL], embedder=runtime.embedder)
    passage = client.get(f"/v1/documents/{document}/chunks").json()["items"][0]["id"]
    member, reader = add_member(runtime, owner_dsn, "local", "editor"), stranger(runtime)
    own, notebook = client_of(member), make(client, base)
    add(own, notebook, {"kind": "chunk", "chunk_id": passage})
    path = f"/v1{own.post(f'{notebook}/shares', json={}).json()['path']}"
    assert "60 litres" in reader.get(path).text
    access = f"/v1/knowledge-bases/{scope.knowledge_base_ids[0]}/access"
    assert client("PUT", access, json={"restricted": True, "members": []}).is_success
    for form in ("", "/bundle"):
        assert reader.get(path + form).status_code == 200
        assert "60 litres" not in reader.get(path + form).text
        assert "Tank rules" not in reader.get(path + form).text
    ended = f"/v1{client.post(f'{notebook}/shares', json={'days': 30}).json()['path']}"
    assert "60 litres" in reader.get(ended).text
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        connection.execute(
            "update thread_shares set expires_at = now() where notebook_id = %s and asker_id <> %s",
            (notebook.rpartition("/")[2], member.user_id),
        )
    assert reader.get(ended).status_code == 404
    assert reader.get(path).status_code == 200
    assert client.delete(f"/v1/members/{member.user_id}").is_success
    assert reader.get(path).status_code == 404


def test_a_plan_may_deny_links_and_a_link_is_not_a_machines(runtime: Runtime, client: Client, base: UUID) -> None:
    notebook = make(client, base)
    free = replace(runtime, limits=PlanSettings(default_plan="free"))
    poor = Client(create_app(free, development_identity(free), local=True))
    assert poor.post(f"{notebook}/shares", json={}).status_code == 402
    key = client.post("/v1/keys", json={"name": "machine", "machine": True, "scope": "write"}).json()["secret"]
    made = client.post(f"{notebook}/shares", json={}, headers={"authorization": f"Bearer {key}"})
    assert made.status_code == 403


def test_a_colleague_makes_no_link_in_anothers_name_and_gives_none_its_effect_back(
    runtime: Runtime, owner_dsn: str, identity: Identity, client: Client, base: UUID
) -> None:
    notebook = make(client, base)
    made = client.post(f"{notebook}/shares", json={}).json()
    colleague = add_member(runtime, owner_dsn, "local", "editor")
    for change in (
        "insert into thread_shares"
        " (organization_id, id, notebook_id, revision, asker_id, secret_hash, base_ids, expires_at)"
        " select organization_id, gen_random_uuid(), notebook_id, revision, asker_id, 'x', base_ids, expires_at"
        " from thread_shares where id = %s",
        "update thread_shares set revoked_at = null where id = %s",
    ):
        with (
            pytest.raises(psycopg.errors.InsufficientPrivilege),
            runtime.database.transaction(colleague.scope(base)) as connection,
        ):
            connection.execute(change.encode(), (made["id"],))
    assert identity.user_id != colleague.user_id
