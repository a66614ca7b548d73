"""`autri edits`: against a server, as everything else of the CLI."""

import json
from pathlib import Path

import pytest
from fastapi import FastAPI

from functions.cli.main import call
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.live import serving
from tests.pipeline import make_knowledge_base, run_all, upload


def test_edits_are_applied_from_a_file_listed_and_undone(
    runtime: Runtime, identity: Identity, app: FastAPI, client: Client, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    base = make_knowledge_base(runtime, identity, new_id().hex)
    document = run_all(runtime, upload(runtime, identity, base, three_pages("[/gold]"), "gold.pdf"))["document_id"]
    chunks = client.get(f"/v1/documents/{document}/chunks").json()["items"]
    texts = [chunk["id"] for chunk in chunks if chunk["chunk_type"] == "text"]
    edits = [
        {"kind": "retype", "chunk_id": texts[0], "chunk_type": "footnote"},
        {"kind": "furniture", "chunk_ids": [texts[1]], "reason": "decoration"},
    ]
    file = tmp_path / "edits.json"
    file.write_text(json.dumps(edits))
    with serving(app) as url:

        def run(*arguments: str) -> str:
            assert call(["edits", *arguments, "--url", url]) == 0
            return capsys.readouterr().out

        made = [json.loads(line) for line in run("apply", document, str(file), "--json").splitlines()]
        assert [one["edit"]["kind"] for one in made] == ["retype", "furniture"]
        listed = json.loads(run("list", document, "--json"))
        assert [one["id"] for one in listed] == [one["edit"]["id"] for one in reversed(made)]
        assert "counts" in run("list", document)
        for one in listed:
            assert "Undone" in run("undo", document, one["id"])
        assert "undone by" in run("list", document)
        file.write_text("[{")
        assert call(["edits", "apply", document, str(file), "--url", url]) == 1
    assert client.get(f"/v1/documents/{document}/chunks").json()["items"] == chunks
