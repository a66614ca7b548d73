"""Records the examples of the API's document from real calls over the samples: `make examples`.

`functions/api/examples.json` has one per operation, which the document shows and `tests/api/test_examples.py` holds
against its schemas. An operation that no call below reaches fails there. Ids are numbered, times are one time, and long
lists and texts are cut, so that a new recording differs where answers do.
"""

import asyncio
import hashlib
import io
import json
import os
import re
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import httpx

from functions.api.app import create_app
from functions.api.examples import EXAMPLES
from functions.api.identity import development_identity
from functions.local import local_system
from functions.samples import FOLDER

ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME: Final = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")
# The rest of a key's secret, of a webhook's and a link's, and of a ticket.
SECRET: Final = re.compile(
    r'(?<=autri_)[0-9A-Za-z]{20,}|(?<=whsec_)[^"]+|(?<="path": "/shared/)[^"]+|(?<="secret": ")(?!whsec_)[^"]+'
    r'|(?<="ticket": ")[^"]+'
)
AT: Final = "2026-03-02T09:30:00Z"
ITEMS, CHARACTERS = 2, 300
BASE: Final = "http://127.0.0.1:8000"
RULES: Final = "Technical and sporting regulations of the Kestrel Cup"
MASS: Final = "What is the minimum mass of a class S car?"
PRICED: Final = {
    "type": "object",
    "properties": {"sku": {"type": "string"}, "name": {"type": "string"}, "mass": {"type": "number"}},
    "required": ["sku", "name"],
}

SOME: Final = "01950000-0000-7000-8000-0000000000"
SHA: Final = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
WATCH: Final = {"url": "https://rules.example/sitemap.xml", "kind": "sitemap"}
WATCHED: Final = {
    "id": f"{SOME}71", "knowledge_base_id": f"{SOME}72", "kind": "sitemap", "name": WATCH["url"],
    "settings": {"every_hours": 24}, "created_at": AT, "looked_at": None, "due_at": AT, "result": None, "error": None,
    "files": 0,
}  # fmt: skip
IMPORTED: Final = {"id": f"{SOME}73", "status": "waiting", "requested_at": AT, "bytes": 7340032, "progress": 0.0}
EXPORT: Final = {"id": f"{SOME}74", "status": "running", "knowledge_base_id": f"{SOME}72", "requested_at": AT}
ASSISTANT: Final = "https://assistant.example/client.json"
# What one machine without a network does not answer: other sites, domains, assistants, and what is on AWS alone.
WRITTEN: Final[dict[str, dict[str, Any]]] = {
    "POST /v1/pages:fetch": {
        "body": {"knowledge_base_id": f"{SOME}72", "url": "https://rules.example/2026"}, "status": 202,
        "answer": {"url": "https://rules.example/2026", "outcome": "new", "ingestion_id": f"{SOME}75",
                   "document_id": None},
    },
    "POST /v1/watches": {"body": {"knowledge_base_id": f"{SOME}72", **WATCH}, "status": 201, "answer": WATCHED},
    "POST /v1/watches/{source_id}/look": {"path": {"source_id": f"{SOME}71"}, "status": 202, "answer": WATCHED},
    "POST /v1/invitations/{user_id}/bind": {
        "path": {"user_id": f"{SOME}76"}, "body": {"issuer": "https://login.example", "subject": "4711"}, "status": 200,
        "answer": {"id": f"{SOME}76", "email": "ada@kestrel.example", "name": "", "role": "viewer", "created_at": AT,
                   "invited_at": None},
    },
    "POST /v1/domains/{domain_id}/verify": {
        "path": {"domain_id": f"{SOME}77"}, "status": 200,
        "answer": {"id": f"{SOME}77", "domain": "kestrel.example", "role": "viewer", "token": "k3st", "verified_at": AT,
                   "txt_name": "_autri.kestrel.example", "txt_value": "autri-verification=k3st"},
    },
    "POST /v1/connections": {
        "body": {"client_id": ASSISTANT, "redirect_uri": "http://127.0.0.1:33418/callback", "scope": "read",
                 "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "state": "xyz"},
        "status": 201, "answer": {"id": f"{SOME}78", "redirect_to": "http://127.0.0.1:33418/callback?code=…&state=xyz"},
    },
    "POST /v1/connections/{connection_id}/end": {
        "path": {"connection_id": f"{SOME}78"}, "status": 200,
        "answer": {"id": f"{SOME}78", "client_name": "Assistant", "client_id": ASSISTANT, "user_id": f"{SOME}76",
                   "scope": "read", "knowledge_base_ids": None, "created_at": AT, "last_used_at": AT, "expires_at": AT,
                   "revoked_at": AT},
    },
    "POST /v1/version-suggestions/{suggestion_id}/dismiss": {
        "path": {"suggestion_id": f"{SOME}79"}, "status": 200,
        "answer": {
            "id": f"{SOME}79", "knowledge_base_id": f"{SOME}72", "score": 0.41, "label": None, "position": 2,
            "document": {"id": f"{SOME}80", "name": "notes.pdf", "label": None, "index": 1}, "nearest": None,
            "logical_document": {"id": f"{SOME}81", "name": "Kestrel Cup", "versions": 1}, "status": "dismissed",
            "parts": {"name": 0.3, "title": 0.5, "sections": 0.4, "content": 0.4}, "created_at": AT, "decided_at": AT,
            "decided_by": "ada@kestrel.example",
        },
    },
    "POST /v1/model/test": {
        "body": {"service": "openai", "model": "qwen3", "url": "http://127.0.0.1:11434/v1"}, "status": 200,
        "answer": {"ok": True, "name": "openai:qwen3", "took_ms": 840, "usd": 0.0, "price_known": True,
                   "json_schema": "yes", "tools": "yes", "streaming": "yes", "problem": None},
    },
    "POST /v1/model/check": {
        "status": 200,
        "answer": {
            "items": [
                {"ok": True, "name": "bedrock:eu.anthropic.claude-haiku-5-5", "took_ms": 640, "usd": 0.0004,
                 "price_known": True, "json_schema": "yes", "tools": "yes", "streaming": "yes", "problem": None},
                {"ok": False, "name": "bedrock:anthropic.claude-haiku-5-5", "took_ms": 120, "usd": 0.0,
                 "price_known": False, "json_schema": "unknown", "tools": "unknown", "streaming": "unknown",
                 "problem": "Open the model in the Bedrock console of this region (Model access)."},
            ],
            "next_cursor": None,
        },
    },
    "POST /v1/summaries/group": {
        "body": {"document_ids": [f"{SOME}86", f"{SOME}87"], "model": None}, "status": 201,
        "answer": {
            "documents": [
                {"document_id": f"{SOME}86", "document": "wing.pdf", "version": 1, "stale": []},
                {"document_id": f"{SOME}87", "document": "keel.pdf", "version": 2, "stale": []},
            ],
            "without_summary": [], "fields": [], "columns": [], "rows": [], "left_out": 0,
            "written": {
                "statements": [{
                    "id": "4f1c", "field": "results", "text": "The wing improved the lap time.", "stale": False,
                    "sources": [
                        {"document_id": f"{SOME}86", "document": "wing.pdf", "chunk_id": f"{SOME}88", "page": 3}
                    ],
                    "values": [],
                }],
                "version": 1, "newest": 1, "engine": "summary-rules-4, openai:qwen3", "usd": 0.0, "author": "Ada",
                "created_at": AT, "changed": [],
            },
        },
    },
    "GET /v1/ask/{event_id}": {"path": {"event_id": f"{SOME}85-3"}, "status": 200},
    "DELETE /v1/ask/{event_id}": {"path": {"event_id": f"{SOME}85-3"}, "status": 204},
    "POST /v1/webhooks/{webhook_id}/deliveries/{delivery_id}/again": {
        "path": {"webhook_id": f"{SOME}83", "delivery_id": f"{SOME}84"}, "status": 202,
        "answer": {"id": f"{SOME}84", "webhook_id": f"{SOME}83", "event": "document.ready", "state": "waiting",
                   "attempts": 8, "created_at": AT, "attempted_at": AT, "delivered_at": None, "due_at": AT,
                   "status": 503, "error": None},
    },
    "POST /v1/organizations": {
        "body": {"slug": "kestrel", "name": "Kestrel Racing"}, "status": 201,
        "answer": {
            "organization": {"id": f"{SOME}82", "slug": "kestrel", "name": "Kestrel Racing",
                             "trace_days": 30, "audit_days": 365},
            "user": {"id": f"{SOME}76", "email": "ada@kestrel.example", "name": "Ada", "role": "owner"},
            "organizations": [],
        },
    },
    "GET /v1/knowledge-bases/{knowledge_base_id}/export": {"path": {"knowledge_base_id": f"{SOME}72"}, "status": 200},
    "POST /v1/imports": {
        "status": 201,
        "answer": {"export_id": f"{SOME}74", "organization_slug": "kestrel", "knowledge_bases": []},
    },
    "POST /v1/exports": {"body": {"knowledge_base_id": f"{SOME}72"}, "status": 202, "answer": EXPORT},
    "GET /v1/exports/{export_id}": {
        "path": {"export_id": f"{SOME}74"}, "status": 200,
        "answer": EXPORT | {"status": "ready", "progress": 1.0, "url": "https://storage.example/…", "bytes": 7340032},
    },
    "POST /v1/imports/jobs": {
        "body": {"size": 7340032, "sha256": SHA, "name": "rules.autri.zip"}, "status": 202,
        "answer": IMPORTED | {"upload": {"method": "POST", "url": "https://storage.example/", "fields": {}}},
    },
    "GET /v1/imports/jobs": {"status": 200, "answer": {"items": [IMPORTED], "next_cursor": None}},
    "GET /v1/imports/jobs/{import_id}": {"path": {"import_id": f"{SOME}73"}, "status": 200, "answer": IMPORTED},
    "POST /v1/imports/jobs/{import_id}/parts": {
        "path": {"import_id": f"{SOME}73"}, "body": {"numbers": [1]}, "status": 200,
        "answer": {"urls": ["https://storage.example/…?partNumber=1"]},
    },
    "POST /v1/imports/jobs/{import_id}/sent": {
        "path": {"import_id": f"{SOME}73"}, "body": {"tags": ["9bb58f26192e4ba00f01e2e7b136bbd8"]}, "status": 202,
        "answer": IMPORTED,
    },
}  # fmt: skip


class Recorder:
    """Calls operations of an application, and keeps what each of them was asked and answered first."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.kept: dict[str, dict[str, Any]] = {}

    def __call__(
        self, method: str, template: str, body: Any = None, query: dict[str, Any] | None = None, keep: bool = True,
        content: bytes | None = None, headers: dict[str, str] | None = None, **path: Any,
    ) -> Any:  # fmt: skip
        more = {"json": body, "params": query, "headers": headers} | ({"content": content} if content else {})
        answer = asyncio.run(self._send(method, template.format(**path), more))
        if not answer.is_success:
            raise LookupError(f"{method} {template}: {answer.text}")
        typed = answer.headers.get("content-type", "")
        told: Any = answer.json() if typed.startswith("application/json") else None
        if typed.startswith("text/csv"):
            told = "".join(answer.text.splitlines(keepends=True)[:3])
        example = {"path": path, "query": query, "body": body, "status": answer.status_code, "answer": shortened(told)}
        if keep:
            found = {name: value for name, value in example.items() if value not in (None, {})}
            self.kept.setdefault(f"{method} {template}", found)
        return answer.content if told is None else told

    async def _send(self, method: str, path: str, more: dict[str, Any]) -> httpx.Response:
        transport = httpx.ASGITransport(app=self._app, client=("127.0.0.1", 40000))
        async with httpx.AsyncClient(transport=transport, base_url=BASE, timeout=120) as client:
            return await client.request(method, path, **more)


def main() -> None:
    with tempfile.TemporaryDirectory(dir=os.environ.get("AUTRI_TEST")) as folder, local_system(Path(folder)) as system:
        recorder = Recorder(create_app(system.runtime, development_identity(system.runtime), local=True))
        failed = list(followed_tour(recorder))
    kept = (json.loads(EXAMPLES.read_text()) if EXAMPLES.exists() else {}) | WRITTEN | recorder.kept
    EXAMPLES.write_text(json.dumps(numbered(dict(sorted(kept.items()))), indent=1, ensure_ascii=False) + "\n")
    sys.exit("\n".join(failed) or None)


def shortened(told: Any) -> Any:
    """The same with two items of each list, and texts that end at 300 characters."""
    if isinstance(told, dict):
        return {name: shortened(value) for name, value in told.items()}
    if isinstance(told, list):
        return [shortened(value) for value in told[:ITEMS]]
    return told[:CHARACTERS] + "…" if isinstance(told, str) and len(told) > CHARACTERS and " " in told else told


def numbered(kept: dict[str, Any]) -> dict[str, Any]:
    ids: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        return ids.setdefault(match[0], f"01950000-0000-7000-8000-{len(ids) + 1:012d}")

    return json.loads(SECRET.sub("…", TIME.sub(AT, ID.sub(number, json.dumps(kept, ensure_ascii=False)))))


def sent(call: Recorder, base: str, name: str, **more: Any) -> str:
    """Uploads a sample and waits for its document."""
    data = (FOLDER / name).read_bytes()
    body = {"filename": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "knowledge_base_id": base}
    ticket = call("POST", "/v1/uploads", body | more)
    call("PUT", "/v1/uploads/{upload_id}/content", content=data, upload_id=ticket["upload_id"])
    return followed(call, ticket["upload_id"])


def followed(call: Recorder, run: str) -> str:
    while True:
        found = call("GET", "/v1/ingestions/{ingestion_id}", keep=False, ingestion_id=run)
        if found["status"] in ("ready", "failed", "refused"):
            if found["status"] != "ready":
                raise LookupError(f"{found['filename']} is {found['status']}: {found['error']}")
            return found["document_id"]
        time.sleep(0.5)


def followed_tour(call: Recorder) -> Iterator[str]:
    """Every operation that one machine serves, in an order in which each has what it needs; yields what failed."""
    yield from tried(system, call)
    base = call("POST", "/v1/knowledge-bases", {"name": "Kestrel Cup rule book", "description": RULES})["id"]
    former = sent(call, base, "kestrel-cup-2025.pdf", title="Kestrel Cup 2025", label="2025")
    rules = sent(call, base, "kestrel-cup-2026.pdf", title="Kestrel Cup 2026", label="2026")
    yield from tried(bases, call, base)
    yield from tried(versions, call, base, former, rules)
    yield from tried(documents, call, base, rules)
    yield from tried(questions, call, base)
    yield from tried(conversations, call, base)
    yield from tried(notebooks, call, base, rules)
    yield from tried(told_elsewhere, call, base)
    yield from tried(reviewing, call, base, rules)
    yield from tried(summarizing, call, base, rules)
    yield from tried(datasets_and_plots, call, base)
    yield from tried(digest, call, base)
    yield from tried(notes_and_records, call, base)
    yield from tried(schema, call, base)
    yield from tried(evaluation, call, base)
    yield from tried(sources, call, base)
    yield from tried(people, call)
    yield from tried(ending, call, base, former)


def tried(part: Callable[..., Iterator[object]], *given: Any) -> Iterator[str]:
    """Does the steps of a part; where one fails, the others of the part are left out and what failed is yielded."""
    try:
        for _ in part(*given):
            continue
    except (LookupError, TypeError) as error:
        yield f"{part.__name__}: {error!r}"


def system(call: Recorder) -> Iterator[object]:
    for path in ("/v1/health", "/v1/ready", "/v1/me", "/v1/usage", "/v1/ops/health", "/v1/ops/status"):
        yield call("GET", path)
    yield call("GET", "/v1/usage/costs", query={"month": "2026-03"})
    yield call("GET", "/v1/ops/costs", query={"days": 7})
    yield call("GET", "/v1/ops/stuck", query={"minutes": 60})
    yield call("POST", "/v1/organization/choose")
    yield call("PATCH", "/v1/organization", {"name": "Kestrel Racing", "trace_days": 30})
    model = {"service": "openai", "model": "qwen3", "url": "http://127.0.0.1:11434/v1"}
    yield call("PUT", "/v1/model", model)
    yield call("GET", "/v1/model")
    yield call("DELETE", "/v1/model")
    yield call("POST", "/v1/sign-out", {"everywhere": False})


def bases(call: Recorder, base: str) -> Iterator[object]:
    one = "/v1/knowledge-bases/{knowledge_base_id}"
    yield call("GET", "/v1/knowledge-bases", query={"limit": 100})
    yield call("GET", one, knowledge_base_id=base)
    yield call("PATCH", one, {"description": RULES + ", 2025 and 2026"}, knowledge_base_id=base)
    for part in ("attributes", "embedder", "access"):
        yield call("GET", f"{one}/{part}", knowledge_base_id=base)
    yield call("PUT", f"{one}/access", {"restricted": False}, knowledge_base_id=base)
    yield call("GET", "/v1/ingestions", query={"knowledge_base_id": base, "limit": 2})
    found = call("GET", "/v1/ingestions", query={"knowledge_base_id": base}, keep=False)["items"][0]["id"]
    yield call("GET", "/v1/ingestions/{ingestion_id}", ingestion_id=found)
    yield call("GET", "/v1/ingestions/{ingestion_id}/files", ingestion_id=found)


def versions(call: Recorder, base: str, former: str, rules: str) -> Iterator[object]:
    suggested = "/v1/knowledge-bases/{knowledge_base_id}/version-suggestions"
    found = call("GET", suggested, knowledge_base_id=base)["items"]
    if found:
        one = found[0]["id"]
        yield call("POST", "/v1/version-suggestions/{suggestion_id}/accept", {"label": "2026"}, suggestion_id=one)
        yield call("POST", "/v1/documents/{document_id}/unlink", document_id=rules)
    yield call("POST", "/v1/documents/{document_id}/link", {"version_of": former, "label": "2026"}, document_id=rules)
    yield call("POST", "/v1/documents/{document_id}/current", document_id=former)
    yield call("POST", "/v1/documents/{document_id}/current", document_id=rules)
    yield call("GET", "/v1/documents/{document_id}/versions", document_id=rules)
    yield call("GET", "/v1/documents/{document_id}/changes", document_id=rules)
    yield call("GET", "/v1/documents/{document_id}/diff/{other_id}", document_id=former, other_id=rules)
    yield call("PATCH", "/v1/documents/{document_id}", {"document_date": "2026-01-15"}, document_id=rules)


def documents(call: Recorder, base: str, rules: str) -> Iterator[object]:
    one = "/v1/documents/{document_id}"
    yield call("GET", "/v1/documents", query={"knowledge_base_id": base, "limit": 2})
    for part in ("", "/source", "/attachments", "/thread", "/verify", "/pages", "/corrections", "/review"):
        yield call("GET", one + part, document_id=rules)
    for part in ("/chunks", "/sections"):
        yield call("GET", one + part, query={"limit": 2}, document_id=rules)
    yield call("GET", one + "/pages/{page}", document_id=rules, page=16)
    yield call("GET", one + "/pages/{page}/image", query={"size": "thumb"}, document_id=rules, page=16)
    yield call("GET", one + "/rows", query={"words": "wing"}, document_id=rules)
    chunks = call("GET", one + "/chunks", query={"limit": 500}, keep=False, document_id=rules)["items"]
    figure = next((chunk for chunk in chunks if chunk["chunk_type"] == "figure"), None)
    if figure is not None:
        yield call("GET", one + "/figures/{chunk_id}/image", document_id=rules, chunk_id=figure["id"])
    texts = [chunk for chunk in chunks if chunk["chunk_type"] == "text"]
    revision = call("GET", one, keep=False, document_id=rules)["revision"]
    edit = {"kind": "furniture", "chunk_ids": [texts[0]["id"]], "reason": "footer"}
    made = call("POST", one + "/edits", {"revision": revision, "edit": edit}, document_id=rules)
    listed = call("GET", one + "/edits", document_id=rules)["items"]
    undone = {"revision": made["revision"]}
    yield call("POST", one + "/edits/{edit_id}/undo", undone, document_id=rules, edit_id=listed[0]["id"])


def questions(call: Recorder, base: str) -> Iterator[object]:
    scope = {"knowledge_base_ids": [base]}
    yield call("POST", "/v1/search", scope | {"query": "how wide may the rear wing be", "k": 5})
    yield call("POST", "/v1/search:export", scope | {"query": "minimum mass", "columns": ["document", "minimum_mass"]})
    yield call("POST", "/v1/lookup", scope | {"address": "C7.4.1"})
    yield call("POST", "/v1/context", scope | {"task": "Check the rear wing of a class S car", "budget_tokens": 600})
    traced = call("POST", "/v1/ask", scope | {"question": MASS})["trace_id"]
    yield call("GET", "/v1/traces", query={"operator": "ask"})
    yield call("GET", "/v1/traces/{trace_id}", trace_id=traced)
    yield call("GET", "/v1/traces/{trace_id}/chunks", trace_id=traced)


def conversations(call: Recorder, base: str) -> Iterator[object]:
    one, candidates = "/v1/threads/{thread_id}", "/v1/knowledge-bases/{knowledge_base_id}/evaluation/candidates"
    yield call("GET", "/v1/models")
    thread = {"thread_id": call("POST", "/v1/threads", {"scope": {"knowledge_base_ids": [base]}})["id"]}
    answers = list[str]()
    for question in (MASS, "And of class E?"):
        asked = call("POST", f"{one}/ask", {"question": question}, **thread)
        answers.append(asked["answers"][0]["id"])
    yield call("POST", f"{one}/messages/{{message_id}}/answers", {"model": None}, message_id=asked["id"], **thread)
    yield call("GET", "/v1/threads", query={"words": "mass"})
    yield call("GET", one, **thread)
    yield call("GET", f"{one}/export", query={"form": "markdown"}, **thread)
    yield call("PATCH", one, {"title": "Masses of 2026"}, **thread)
    for answer in answers:
        said = {"verdict": "right", "note": "as printed"}
        yield call("PUT", f"{one}/answers/{{answer_id}}/feedback", said, answer_id=answer, **thread)
    first, second = (
        {"knowledge_base_id": base, "candidate_id": found["id"]}
        for found in call("GET", candidates, knowledge_base_id=base)["items"]
    )
    yield call("POST", f"{candidates}/{{candidate_id}}/confirm", {"kind": "answerable"}, **first)
    yield call("DELETE", f"{candidates}/{{candidate_id}}", **second)
    share = call("POST", f"{one}/shares", {"days": 7}, **thread)
    yield call("GET", "/v1/shared/{secret}", secret=share["path"].rpartition("/")[2])
    yield call("GET", f"{one}/shares", **thread)
    yield call("POST", f"{one}/shares/{{share_id}}/revoke", share_id=share["id"], **thread)
    yield call("DELETE", one, **thread)


def notebooks(call: Recorder, base: str, rules: str) -> Iterator[object]:
    one = "/v1/notebooks/{notebook_id}"
    made = call("POST", "/v1/notebooks", {"knowledge_base_id": base, "title": "Masses"})
    yield made
    named = {"notebook_id": made["id"]}
    chunk = call("GET", "/v1/documents/{document_id}/chunks", query={"limit": 1}, keep=False, document_id=rules)
    passage = {"kind": "chunk", "chunk_id": chunk["items"][0]["id"], "remark": "To begin with."}
    yield call("POST", f"{one}/cells", {"content": passage}, **named)
    cell = call("POST", f"{one}/cells", {"content": {"kind": "markdown", "text": "Weighed *twice*."}}, **named)
    at = {"cell_id": cell["cells"][-1]["id"]}
    state = {"If-Match": cell["cells"][-1]["state"]}
    words = {"content": {"kind": "markdown", "text": "Weighed **once**."}}
    changed = call("PUT", f"{one}/cells/{{cell_id}}", words, headers=state, **named, **at)
    yield changed
    state = {"If-Match": changed["cells"][-1]["state"]}
    before = {"before": changed["cells"][0]["id"]}
    yield call("POST", f"{one}/cells/{{cell_id}}/move", before, headers=state, **named, **at)
    yield call("DELETE", f"{one}/cells/{{cell_id}}", headers=state, **named, **at)
    latest = call("GET", one, **named)
    renamed = call("PATCH", one, {"title": "Masses of 2026"}, headers={"If-Match": str(latest["revision"])}, **named)
    restoring = {"If-Match": str(renamed["revision"])}
    yield call("POST", f"{one}/restore", {"revision": 3}, headers=restoring, **named)
    yield call("GET", "/v1/notebooks", query={"knowledge_base_id": base})
    yield call("GET", f"{one}/versions", query={"limit": 2}, **named)
    yield call("POST", "/v1/bundles", {"notebook_id": made["id"], "form": "pdf"})
    share = call("POST", f"{one}/shares", {"days": 7}, **named)
    yield call("GET", "/v1/shared/{secret}/bundle", query={"form": "crate"}, secret=share["path"].rpartition("/")[2])
    yield call("GET", f"{one}/shares", **named)
    yield call("GET", "/v1/shares")
    yield call("POST", f"{one}/shares/{{share_id}}/revoke", share_id=share["id"], **named)
    yield call("DELETE", one, **named)


def told_elsewhere(call: Recorder, base: str) -> Iterator[object]:
    one = "/v1/webhooks/{webhook_id}"
    wanted = {"knowledge_base_id": base, "url": "https://hooks.example/autri", "events": ["document.ready"]}
    webhook = {"webhook_id": call("POST", "/v1/webhooks", wanted)["id"]}
    yield call("GET", "/v1/webhooks", query={"knowledge_base_id": base})
    yield call("GET", one, **webhook)
    yield call("POST", f"{one}/rotate", {"overlap_hours": 24}, **webhook)
    yield call("POST", f"{one}/test", **webhook)
    yield call("GET", f"{one}/deliveries", **webhook)
    yield call("POST", f"{one}/enable", **webhook)
    yield call("DELETE", one, **webhook)


def reviewing(call: Recorder, base: str, rules: str) -> Iterator[object]:
    one = "/v1/knowledge-bases/{knowledge_base_id}/review"
    page = {"document_id": rules, "page": 3}
    yield call("GET", one, knowledge_base_id=base)
    yield call("GET", one + "/left", knowledge_base_id=base)
    yield call("POST", one, {"verdict": "accepted", "pages": [page], "note": "read and right"}, knowledge_base_id=base)
    listed = call("GET", one + "/decisions", knowledge_base_id=base)["items"]
    named = {"knowledge_base_id": base, "decision_id": listed[0]["id"]}
    yield call("DELETE", one + "/decisions/{decision_id}", **named)
    yield call("PUT", "/v1/documents/{document_id}/review", {"state": "approved"}, document_id=rules)


def summarizing(call: Recorder, base: str, rules: str) -> Iterator[object]:
    one = "/v1/documents/{document_id}/summary"
    yield call("POST", one, {"model": "quotations"}, document_id=rules)
    chunks = call("GET", "/v1/documents/{document_id}/chunks", keep=False, document_id=rules)["items"]
    text = next(chunk for chunk in chunks if chunk["chunk_type"] == "text")
    added = {"field": "limits", "text": text["content"][:300], "chunk_ids": [text["id"]]}
    yield call("POST", one + "/edits", added, document_id=rules)
    listed = call("GET", one + "/edits", document_id=rules)
    yield call("GET", one, document_id=rules)
    yield call("GET", "/v1/summaries", query={"knowledge_base_id": base, "field": "limits"})
    other = next(
        one["id"]
        for one in call("GET", "/v1/documents", query={"knowledge_base_id": base}, keep=False)["items"]
        if one["id"] != rules
    )
    yield call("GET", "/v1/summaries/compare", query={"document_id": [rules]})
    yield call("GET", "/v1/summaries/group", query={"document_id": [rules, other]})
    yield call("GET", "/v1/summaries/group/versions", query={"document_id": [rules, other]})
    yield call("GET", one + "/changes", document_id=rules)
    yield call("DELETE", one + "/edits/{summary_edit_id}", document_id=rules, summary_edit_id=listed[0]["id"])
    yield call("POST", one + "/restore", {"version": 2}, document_id=rules)
    yield call("GET", one + "/versions", document_id=rules)


def datasets_and_plots(call: Recorder, base: str) -> Iterator[object]:
    tables = "/v1/knowledge-bases/{knowledge_base_id}/tables"
    yield call("GET", tables, query={"limit": 2}, knowledge_base_id=base)
    found = call("GET", tables, query={"limit": 500}, keep=False, knowledge_base_id=base)["items"]
    table = next(one for one in found if "Torque (N m)" in one["header"])
    wanted = {"knowledge_base_id": base, "name": "Torques", "table_ids": [table["table_id"]]}
    one, dataset = "/v1/datasets/{dataset_id}", call("POST", "/v1/datasets", wanted)["id"]
    named = {"dataset_id": dataset}
    yield call("GET", "/v1/datasets", query={"knowledge_base_id": base})
    yield call("GET", one, **named)
    kept = {"op": "filter", "where": "[Torque (N m)] > 10"}
    sorted_by = {"op": "sort", "column": "Torque (N m)", "descending": True}
    yield call("POST", f"{one}/preview", {"steps": [kept, sorted_by], "limit": 10}, **named)
    yield call("PATCH", one, {"steps": [kept], "revision": 1}, **named)
    yield call("GET", f"{one}/revisions", **named)
    yield call("GET", f"{one}/rows", query={"limit": 2}, **named)
    yield call("POST", f"{one}/sources", {"row": 0, "column": 1}, **named)
    yield call("GET", f"{one}/profile", **named)
    yield call("GET", f"{one}/export", query={"format": "csv"}, **named)
    yield call("GET", "/v1/exports/tables.{format}", query={"knowledge_base_id": base}, format="csv")
    yield from plots(call, dataset)
    yield call("DELETE", one, **named)


def plots(call: Recorder, dataset: str) -> Iterator[object]:
    means = {"mark": "bar", "x": {"field": "Class"}, "y": {"field": "Torque (N m)", "aggregate": "mean"}}
    drawn = {"dataset_id": dataset, "spec": {"form": means | {"error_bars": "ci"}}}
    yield call("POST", "/v1/plots/preview", drawn)
    yield call("POST", "/v1/plots/preview/cells", drawn | {"mark": 1})
    yield call("GET", "/v1/plots/preview.{form}", query={"dataset_id": dataset, "theme": "dark"}, form="json")
    plot = call("POST", "/v1/plots", drawn | {"name": "Torque by class"})["id"]
    yield call("GET", "/v1/plots", query={"dataset_id": dataset})
    one = "/v1/plots/{plot_id}"
    yield call("GET", one, plot_id=plot)
    yield call("GET", one + "/drawing", plot_id=plot)
    yield call("GET", one + "/marks/{mark}", plot_id=plot, mark=1)
    yield call("GET", one + ".{form}", query={"theme": "dark", "locale": "de"}, plot_id=plot, form="json")
    yield call("PATCH", one, {"redraw": True}, plot_id=plot)
    yield call("DELETE", one, plot_id=plot)


def digest(call: Recorder, base: str) -> Iterator[object]:
    one, here = "/v1/knowledge-bases/{knowledge_base_id}/digest", dict[str, Any](knowledge_base_id=base)
    told = {"kind": "homologation", "subject": "Rear wing RW-900", "at": AT, "values": {"mass": 4.2}, "key": "h-17"}
    reported = call("POST", "/v1/events", here | told)["id"]
    yield call("GET", "/v1/events", query=here | {"kind": "homologation"})
    while call("POST", f"{one}:update", {"write": False}, **here)["more"]:
        continue
    yield call("GET", one, **here)
    topics = call("GET", f"{one}/files", query={"tier": "summary"}, **here)["items"]
    smallest = min(topics, key=lambda topic: topic["size"] if topic["statements"] else topic["limit"])
    file = here | {"file_id": smallest["id"]}
    shown = call("GET", f"{one}/files/{{file_id}}", **file)
    statement = next(line for line in shown["lines"] if line["kind"] == "statement")
    yield call("GET", f"{one}/files/{{file_id}}/sources", **file)
    edit = {"text": "The scales are calibrated before each event.", "after": statement["statement_id"], "uncited": True}
    yield call("POST", f"{one}/files/{{file_id}}/edits", edit, **file)
    yield call("GET", f"{one}/files/{{file_id}}/versions", **file)
    yield call("GET", f"{one}/files/{{file_id}}/versions/{{number}}", number=1, **file)
    yield call("GET", f"{one}/files/{{file_id}}/diff", query={"former": 1, "later": 2}, **file)
    with zipfile.ZipFile(io.BytesIO(call("GET", f"{one}:export", **here))) as folder:
        content = folder.read(smallest["path"]).decode().replace("before each event", "on the day before each event")
    sent_back = {"files": [{"path": smallest["path"], "content": content}], "dry_run": True}
    yield call("POST", f"{one}:import", sent_back, **here)
    yield call("POST", f"{one}/files/{{file_id}}/restore", {"number": 1}, **file)
    yield call("DELETE", "/v1/events/{event_id}", event_id=reported)


def notes_and_records(call: Recorder, base: str) -> Iterator[object]:
    one = "/v1/knowledge-bases/{knowledge_base_id}"
    text = "Scrutineering opens at 07:30 on both days; bring the mass sheet."
    yield call("POST", one + "/notes", {"text": text, "title": "Opening hours"}, knowledge_base_id=base)
    listed = call("GET", one + "/notes", knowledge_base_id=base)["items"]
    yield call("GET", "/v1/documents/{document_id}/note", document_id=listed[0]["id"])
    yield call("POST", one + "/notes:advise", {"text": text}, knowledge_base_id=base)
    kind = {"schema": PRICED, "key_field": "sku", "title_field": "name"}
    yield call("PUT", one + "/record-kinds/{kind}", kind, knowledge_base_id=base, kind="part")
    yield call("GET", one + "/record-kinds", knowledge_base_id=base)
    values = {"sku": "RW-900", "name": "Rear wing, 900 mm", "mass": 4.2}
    yield call("POST", one + "/records", {"kind": "part", "values": values}, knowledge_base_id=base)
    more = [{"kind": "part", "values": values | {"sku": f"RW-{width}"}} for width in (850, 880)]
    yield call("POST", one + "/records:batch", {"records": more}, knowledge_base_id=base)
    yield call("DELETE", one + "/record-kinds/{kind}", knowledge_base_id=base, kind="part")


def schema(call: Recorder, base: str) -> Iterator[object]:
    one = "/v1/knowledge-bases/{knowledge_base_id}/schema"
    mass = {"name": "minimum_mass", "label": "Minimum mass", "type": "number", "unit": "kg"}
    yield call("GET", one + "/proposal", knowledge_base_id=base)
    yield call("POST", one + "/preview", {"version": 0, "attributes": [mass]}, knowledge_base_id=base)
    wanted = {"version": 0, "attributes": [mass], "why": "what scrutineers ask for"}
    yield call("PUT", one, wanted, knowledge_base_id=base)
    yield call("GET", one, knowledge_base_id=base)
    waiting = call("GET", one + "/backfill", knowledge_base_id=base)
    if waiting and waiting["status"] in ("queued", "running"):
        yield call("POST", one + "/backfill/cancel", knowledge_base_id=base)
        yield call("POST", one + "/backfill/resume", knowledge_base_id=base)
    yield call("POST", one + "/backfill/continue", knowledge_base_id=base)
    found = call("GET", one + "/candidates", query={"limit": 2}, knowledge_base_id=base)
    named = {"name": found[0]["name"], "why": "asked for daily"}
    yield call("POST", one + "/promote", named, knowledge_base_id=base)
    yield call("POST", one + "/demote", {"name": "minimum_mass", "why": "named otherwise"}, knowledge_base_id=base)
    yield call("GET", one + "/versions", knowledge_base_id=base)
    yield call("GET", one + "/diff", query={"before": 1, "after": 2}, knowledge_base_id=base)


def evaluation(call: Recorder, base: str) -> Iterator[object]:
    one = "/v1/knowledge-bases/{knowledge_base_id}"
    place = {"document": "kestrel-cup-2026.pdf", "page": 16, "quote": "S 372 42.0 20 77"}
    made = call("POST", one + "/gold", {"question": MASS, "expected": [place]}, knowledge_base_id=base)
    gone = {"question": "What does a rear wing cost?", "kind": "negative"}
    yield call("POST", one + "/gold/import", {"source": "scrutineers", "questions": [gone]}, knowledge_base_id=base)
    yield call("GET", one + "/gold", knowledge_base_id=base)
    run = call("POST", one + "/evaluations", {"indexes": ["hybrid"], "ask": False}, knowledge_base_id=base)["id"]
    named = {"knowledge_base_id": base, "run_id": run}
    yield call("POST", one + "/evaluations/{run_id}/continue", **named)
    yield call("GET", one + "/evaluations", knowledge_base_id=base)
    yield call("GET", one + "/evaluations/{run_id}", **named)
    yield call("GET", one + "/evaluations/{run_id}/results", **named)
    yield call("DELETE", one + "/gold/{gold_id}", knowledge_base_id=base, gold_id=made["id"])
    asked = {"gold": "questions.jsonl", "questions": [{"question": MASS, "expected": [place]}]}
    further = call(
        "POST", one + "/evaluations", {"indexes": ["fts"], "ask": False} | asked, keep=False, knowledge_base_id=base
    )
    more = {"questions": [{"question": "Who may protest a result?", "expected": [place | {"page": 12, "quote": None}]}]}
    yield call("POST", one + "/evaluations/{run_id}/questions", more, knowledge_base_id=base, run_id=further["id"])


def sources(call: Recorder, base: str) -> Iterator[object]:
    made = call("POST", "/v1/sources", {"knowledge_base_id": base, "kind": "folder", "name": "/srv/regulations"})
    one = {"source_id": made["id"]}
    yield call("GET", "/v1/sources", query={"knowledge_base_id": base})
    yield call("GET", "/v1/sources/{source_id}", **one)
    look = {"files": [{"path": "2026/rules.pdf", "sha256": "0" * 63 + "1"}], "dry_run": True}
    yield call("POST", "/v1/sources/{source_id}/look", look, **one)
    yield call("GET", "/v1/sources/{source_id}/items", **one)
    yield call("DELETE", "/v1/sources/{source_id}", **one)


def people(call: Recorder) -> Iterator[object]:
    yield call("GET", "/v1/members")
    guest = call("POST", "/v1/invitations", {"email": "ada@kestrel.example", "role": "viewer"})
    yield call("GET", "/v1/invitations")
    yield call("POST", "/v1/invitations/{user_id}/resend", user_id=guest["id"])
    yield call("PATCH", "/v1/members/{user_id}", {"role": "editor"}, user_id=guest["id"])
    yield call("DELETE", "/v1/members/{user_id}", user_id=guest["id"])
    domain = call("POST", "/v1/domains", {"domain": "kestrel.example", "role": "viewer"})["id"]
    yield call("GET", "/v1/domains")
    yield call("DELETE", "/v1/domains/{domain_id}", domain_id=domain)
    group = call("POST", "/v1/group-roles", {"group": "scrutineers", "role": "editor"})["id"]
    yield call("GET", "/v1/group-roles")
    yield call("DELETE", "/v1/group-roles/{group_role_id}", group_role_id=group)
    key = call("POST", "/v1/keys", {"name": "timing computer", "scope": "read", "expires_days": 90})["id"]
    yield call("GET", "/v1/keys")
    yield call("POST", "/v1/keys/{key_id}/revoke", key_id=key)
    yield call("GET", "/v1/connections")
    yield call("GET", "/v1/audit", query={"limit": 2})
    yield call("PUT", "/v1/ops/plans", {"organization": "local", "plan": "pro"})
    yield call("POST", "/v1/ops/packs", {"organization": "local", "pages": 500})
    yield call("POST", "/v1/ops/redrive", {"limit": 10})


def ending(call: Recorder, base: str, former: str) -> Iterator[object]:
    again = call("POST", "/v1/documents/{document_id}/reingest", {"engine": "layout"}, document_id=former)["id"]
    followed(call, again)
    yield call("DELETE", "/v1/documents/{document_id}", document_id=former)
    yield call("POST", "/v1/knowledge-bases/{knowledge_base_id}/embedder", {"to": None}, knowledge_base_id=base)
    gone = call("DELETE", "/v1/knowledge-bases/{knowledge_base_id}", knowledge_base_id=base)
    yield call("GET", "/v1/erasures")
    yield deleted(call, gone)
    yield deleted(call, call("POST", "/v1/organization/erase", {"slug": "local"}))


def deleted(call: Recorder, asked: dict[str, Any]) -> Any:
    """Waits for the end of a deletion, which goes on in the background: the database is stopped behind the tour."""
    named: dict[str, Any] = {"headers": {"X-Autri-Ticket": asked["ticket"]}, "erasure_id": asked["id"]}
    while (found := call("GET", "/v1/erasures/{erasure_id}", **named))["status"] != "ready":
        time.sleep(0.2)
    return found


if __name__ == "__main__":
    main()
