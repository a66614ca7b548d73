"""Steps with an admin's key: a temporary knowledge base with one of our own samples, asked, proved and deleted."""

import hashlib
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from tests.smoke.door import EVIL
from tests.smoke.site import TIMEOUT_S, Failed, Site, Skipped, Step, demand, described

SAMPLE = Path(__file__).parent.parent.parent / "samples" / "kestrel-cup-2025.pdf"
NAME = "Smoke test (temporary)"
ADDRESS, RULE = "A1.1.2", "alone may interpret, amend or waive any provision"
WORDS = "interpret amend waive Regulations Council"
MEANING = "Which body may interpret, amend or waive the Regulations of the championship?"
QUESTION = "Who may interpret, amend or waive the Regulations?"
NOTE = "The smoke test posted this note about a lighthouse keeper."
FINAL = {"ready", "ready_with_errors", "refused", "failed"}
BASE, BASES = "knowledge_base", "/knowledge-bases"


def _sender(site: Site) -> str:
    me = site.ask("GET", "/me")
    demand(me["user"]["role"] in ("owner", "admin"), f"the key's role is {me['user']['role']}; this needs an admin's")
    return f"{me['organization']['name']}, as {me['user']['role']}"


def _deep_health(site: Site) -> str:
    found = site.ask("GET", "/ops/health")
    wrong = [f"{one['name']}: {one['error']}" for one in found["checks"] if not one["ok"]]
    demand(not wrong, "; ".join(wrong))
    return ", ".join(f"{one['name']} {one['milliseconds']:.0f} ms" for one in found["checks"])


def _create(site: Site) -> None:
    made = site.ask("POST", BASES, {"name": f"{NAME} {uuid4().hex[:8]}", "description": "Deleted by the script"})
    site.kept[BASE] = made["id"]


def _announce(site: Site) -> None:
    site.kept["ticket"] = _ticket(site)


def _ticket(site: Site) -> dict[str, Any]:
    data = SAMPLE.read_bytes()
    announced = {"filename": SAMPLE.name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return site.ask("POST", "/uploads", announced | {"knowledge_base_id": site.of_earlier(BASE)})


def _bucket_cors(site: Site) -> None:
    """As a browser asks before it sends; signed addresses are used by our own pages alone."""
    ticket = site.of_earlier("ticket")
    if ticket["method"] != "POST":
        raise Skipped("one machine takes uploads at its own address")
    allowed = {origin: _preflight(ticket["url"], origin) for origin in (site.origin, EVIL)}
    demand(allowed[site.origin] in (site.origin, "*"), f"our own pages may not upload: {allowed[site.origin]!r}")
    demand(allowed[EVIL] not in (EVIL, "*"), f"every site may: {allowed[EVIL]!r}")


def _preflight(url: str, origin: str) -> str | None:
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    return httpx.options(url, headers=asked, timeout=TIMEOUT_S).headers.get("access-control-allow-origin")


def _swap(site: Site) -> str:
    """Other bytes of the same size, with a ticket of their own: where they are taken, it is used."""
    data = SAMPLE.read_bytes()
    answer = _send(site, _ticket(site), data[:-1] + bytes([data[-1] ^ 1]))
    demand(400 <= answer.status_code < 500, f"taken: {answer.status_code}")
    return str(answer.status_code)


def _upload(site: Site) -> None:
    answer = _send(site, site.of_earlier("ticket"), SAMPLE.read_bytes())
    demand(answer.is_success, described(answer))


def _send(site: Site, ticket: dict[str, Any], data: bytes) -> httpx.Response:
    if ticket["method"] == "POST":
        return httpx.post(ticket["url"], data=ticket["fields"], files={"file": data}, timeout=TIMEOUT_S)
    own = {"Authorization": f"Bearer {site.token}"} if site.token else {}
    return site.client.put(ticket["url"], content=data, headers=own | ticket["headers"])


def _wait(site: Site) -> str:
    address = f"/ingestions/{site.of_earlier('ticket')['upload_id']}"
    deadline = time.monotonic() + site.ready_within_s
    while (run := site.ask("GET", address))["status"] not in FINAL:
        if time.monotonic() > deadline:
            raise Failed(f"still {run['status']} after {site.ready_within_s:.0f} s")
        time.sleep(1)
    demand(run["status"] == "ready", f"{run['status']}: {run['error']}")
    site.kept["document"] = run["document_id"]
    chunks = site.ask("GET", f"/documents/{run['document_id']}/chunks?limit=1")["items"]
    demand(chunks, "it has no chunks")
    return "ready"


def _find(site: Site, route: str, wish: dict[str, Any]) -> list[dict[str, Any]]:
    site.of_earlier("document")
    return site.ask("POST", route, {**wish, "knowledge_base_ids": [site.of_earlier(BASE)]})["hits"]


def _demand_rule(hits: list[dict[str, Any]]) -> str:
    ranks = [rank for rank, hit in enumerate(hits, 1) if RULE in hit["chunk"]["content"]]
    demand(ranks, f"the rule is not among {len(hits)} hits")
    return f"rank {ranks[0]}"


def _by_address(site: Site) -> str:
    return _demand_rule(_find(site, "/lookup", {"address": ADDRESS}))


def _by_word(site: Site) -> str:
    return _demand_rule(_find(site, "/search", {"query": WORDS, "index": "fts", "k": 5}))


def _by_meaning(site: Site) -> str:
    return _demand_rule(_find(site, "/search", {"query": MEANING, "index": "vector", "k": 20}))


def _by_attribute(site: Site) -> str:
    hits = _find(site, "/search", {"where": "mass >= 1 kg", "k": 20})
    demand(hits, "no passage with a mass")
    none = _find(site, "/search", {"where": "mass = 1000000 t", "k": 20})
    demand(not none, f"{len(none)} passages with a mass of a million tonnes")
    return f"{len(hits)} passages"


def _answer(site: Site) -> str:
    site.of_earlier("document")
    got = site.ask("POST", "/ask", {"question": QUESTION, "knowledge_base_ids": [site.of_earlier(BASE)]})
    demand(not got["insufficient_evidence"], "it finds no evidence")
    cited = {one["chunk"]["id"] for one in got["citations"]}
    demand(all(set(one["citations"]) <= cited for one in got["sentences"]), "a sentence cites what is not there")
    demand(any(RULE in one["chunk"]["content"] for one in got["citations"]), "it cites another passage")
    return f"{len(got['sentences'])} sentences"


def _page_image(site: Site) -> str:
    answer = site.send("GET", f"/documents/{site.of_earlier('document')}/pages/4/image")
    if answer.status_code == 302:
        site.kept["image"] = answer.headers["location"]
        answer = httpx.get(site.kept["image"], timeout=TIMEOUT_S)
    demand(answer.is_success and answer.content.startswith(b"\xff\xd8"), f"no JPEG: {described(answer)}")
    return f"{len(answer.content):,} bytes"


def _verify(site: Site) -> str:
    report = site.ask("GET", f"/documents/{site.of_earlier('document')}/verify?refresh=true")
    demand(report["ok"] and report["chunks"] > 100, f"{report['failed']} of {report['chunks']} chunks failed")
    return f"{report['verbatim']} of {report['chunks']} chunks verbatim, {report['boxes_exact']} boxes exact"


def _strangers(site: Site) -> None:
    """Ids of nothing here are answered as those of another organization are."""
    site.need_sender()
    unknown = str(uuid4())
    for method, path, body in (
        ("GET", f"/documents/{unknown}", None),
        ("GET", f"{BASES}/{unknown}", None),
        ("GET", f"/ingestions/{unknown}", None),
        ("POST", "/search", {"query": "rules", "knowledge_base_ids": [unknown]}),
    ):
        answer = site.send(method, path, body)
        demand(answer.status_code == 404, f"{path}: {answer.status_code}")


def _audit(site: Site) -> str:
    base = site.of_earlier(BASE)
    mine = [one for one in site.ask("GET", "/audit?limit=100")["items"] if one["knowledge_base_id"] == base]
    demand(mine, "what the script did is not in it")
    # A stage calls models for nobody's request.
    asked = [one for one in mine if one["act"] != "model.call"]
    demand(asked and all(one["request_id"] for one in asked), "an entry without a request id")
    return ", ".join(sorted({one["act"] for one in mine}))


def _rates(site: Site) -> str:
    answer = site.send("GET", "/me")
    found = {name: value for name, value in answer.headers.items() if "ratelimit" in name.lower()}
    if not found:
        raise Skipped("this version sends no rate headers")
    return ", ".join(f"{name} {value}" for name, value in found.items())


def _certified(site: Site, job: dict[str, Any]) -> Any:
    """The certificate of a deletion, when it has ended."""
    ticket, deadline = job["ticket"], time.monotonic() + site.ready_within_s
    while job["status"] == "running":
        demand(
            time.monotonic() < deadline, f"it has not ended after {site.ready_within_s:.0f} s; done: {job['progress']}"
        )
        time.sleep(1)
        answer = site.send("GET", f"/erasures/{job['id']}", **{"X-Autri-Ticket": ticket})
        demand(answer.is_success, f"GET /v1/erasures: {answer.status_code}")
        job = answer.json()
    return job["certificate"]


def _delete(site: Site) -> str:
    base = site.of_earlier(BASE)
    job = site.ask("DELETE", f"{BASES}/{base}")
    del site.kept[BASE]
    demand(site.send("GET", f"{BASES}/{base}").status_code == 404, "it is still seen behind the request to delete it")
    certificate = _certified(site, job)
    after = certificate["after"]
    left = {name: after[name] for name in ("objects", "bytes") if after.get(name)}
    left |= {name: count for name, count in after["rows"].items() if count}
    demand(not left, f"left: {left}")
    gone = [f"{BASES}/{base}", *(f"/documents/{one}" for one in [site.kept.get("document")] if one)]
    for path in gone:
        answer = site.send("GET", path)
        demand(answer.status_code == 404, f"{path}: {answer.status_code}")
    if "image" in site.kept:
        answer = httpx.get(site.kept["image"], timeout=TIMEOUT_S)
        demand(answer.status_code in (403, 404), f"the page's image is still there: {answer.status_code}")
    return f"certificate {certificate['sha256'][:12]}"


def _note(site: Site) -> str:
    """On AWS its source is the one object that the API writes as evidence, by a right that its tickets do not have."""
    base, started = site.of_earlier(BASE), time.monotonic()
    posted = site.ask("POST", f"{BASES}/{base}/notes", {"text": NOTE})
    seconds = time.monotonic() - started
    hits = site.ask("POST", "/search", {"query": NOTE, "knowledge_base_ids": [base]})["hits"]
    demand(hits and hits[0]["document"]["id"] == posted["id"], "it is not the first hit of its own words")
    proof = site.ask("GET", f"/documents/{posted['id']}/verify")
    demand(proof["failed"] == 0 and proof["chunks"] > 0, f"{proof['failed']} of {proof['chunks']} chunks not proved")
    return f"{seconds:.1f} s"


KEY = "Make a key with scope admin (autri keys create), or take one that is in force."
LOGS = "Look at the API function's log, by the request id of the answer."
STAGES = "autri ops stuck; then the runbook failed-executions.md."
JOURNEY = (
    Step("the key is an admin's", KEY, _sender),
    Step(
        "every part answers the operator",
        "autri ops health names the part; the runbook is failing-api.md.",
        _deep_health,
    ),
    Step("a knowledge base is made", LOGS, _create),
    Step("an upload is announced", LOGS, _announce),
    Step(
        "the bucket takes uploads from our own pages alone",
        "Look at the CORS rules of the documents' bucket.",
        _bucket_cors,
    ),
    Step("other bytes than the announced ones are refused", "STOP: the bucket does not compare checksums.", _swap),
    Step("the announced file is taken", "Look at the ticket's policy and the bucket's key.", _upload),
    Step("the document becomes ready", STAGES, _wait),
    Step("found by address", STAGES, _by_address),
    Step("found by words", STAGES, _by_word),
    Step("found by meaning", "Look at the embedder: autri ops costs, and the model's access in Bedrock.", _by_meaning),
    Step("found by attribute", STAGES, _by_attribute),
    Step("an answer cites the passage", LOGS, _answer),
    Step("a page's image loads", "Look at the bucket's policy, and at the clock of this machine.", _page_image),
    Step("verify proves every chunk", "autri verify says which; do not rely on the document.", _verify),
    Step("a note is found when its request is answered", LOGS, _note),
    Step("unknown and foreign ids are 404", "STOP: see docs/security.md.", _strangers),
    Step("the audit log has it, with request ids", LOGS, _audit),
    Step("limits are told", LOGS, _rates),
    Step("a deletion leaves nothing", "Look at the erase function's log; then the runbook dead-letters.md.", _delete),
)


def clear_up(site: Site) -> None:
    """Deletes the knowledge base where a failed step has left it."""
    if BASE in site.kept:
        site.send("DELETE", f"{BASES}/{site.kept.pop(BASE)}")
