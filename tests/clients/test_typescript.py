"""The TypeScript client, built as it is published, against a running server under Node."""

import json
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest

from clients.generate import TYPESCRIPT, api_document, build_typescript

SCRIPT = """
import { ApiError, Autri } from %s;
const autri = new Autri({ url: %s });
const found = await autri.search("What does the TA-37V cost?", { k: 3 });
const answer = await autri.ask("What does the TA-37V cost?");
const names = [];
for await (const document of autri.documents()) names.push(document.name);
const first = await autri.documents().next();
let chunks = 0;
for await (const chunk of autri.chunks(first.value.id)) chunks += typeof chunk.content === "string" ? 1 : 0;
let refused;
try { await autri.search("x", { k: 1000 }); } catch (error) { refused = [error instanceof ApiError, error.status]; }
const of = first.value.chunks;
console.log(JSON.stringify({ hits: found.hits.length, answer: answer.answer, names, of, chunks, refused }));
"""


LOGIN = """
import { Autri } from %s;
const told = [];
const fetch = async (request) => {
  told.push([request.url, request.headers.get("Authorization")]);
  return new Response('{"hits": []}', { headers: { "Content-Type": "application/json" } });
};
const login = "http://ann:p%%40ss%%3A%%C3%%A9@host:81/kb/";
for (const url of [login, "http://ann@host", "http://host/a@b", "http://ann:5%%off@host"]) {
  await new Autri({ url, token: "t", fetch }).search("x");
}
console.log(JSON.stringify(told));
"""


@pytest.fixture(scope="module")
def built() -> Path:
    """Type-checked on the way: the compiler fails on what the API does not say."""
    build_typescript(api_document())
    return TYPESCRIPT / "dist" / "index.js"


def test_it_searches_asks_lists_and_tells_errors(built: Path, live_server: str) -> None:
    script = SCRIPT % (json.dumps(built.as_uri()), json.dumps(live_server))
    node = ["node", "--input-type=module", "--eval", script]
    said = json.loads(subprocess.run(node, check=True, capture_output=True, text=True).stdout)
    assert said["hits"] == 3
    assert "27,950" in said["answer"]
    assert len(said["names"]) > 1
    assert said["chunks"] == said["of"] > 0
    assert said["refused"] == [True, 422]


def test_a_login_in_the_address_is_sent_as_one(built: Path) -> None:
    node = ["node", "--input-type=module", "--eval", LOGIN % json.dumps(built.as_uri())]
    said = json.loads(subprocess.run(node, check=True, capture_output=True, text=True).stdout)
    logins = [b64encode(one.encode()).decode() for one in ("ann:p@ss:é", "ann:", "ann:5%off")]
    assert said == [
        ["http://host:81/kb/v1/search", f"Basic {logins[0]}"],
        ["http://host/v1/search", f"Basic {logins[1]}"],
        ["http://host/a@b/v1/search", "Bearer t"],
        ["http://host/v1/search", f"Basic {logins[2]}"],
    ]
