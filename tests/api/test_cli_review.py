"""`autri review`: against a server, as everything else of the CLI."""

import json
from uuid import UUID

import pytest
from fastapi import FastAPI

from functions.cli.main import call
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.live import serving
from tests.pipeline import make_knowledge_base, run_all, scope_of, upload


def test_what_is_left_is_listed_decided_and_taken_back(
    runtime: Runtime, identity: Identity, app: FastAPI, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    base = make_knowledge_base(runtime, identity, new_id().hex)
    document = run_all(runtime, upload(runtime, identity, base, three_pages("[/gold]"), "gold.pdf"))["document_id"]
    with runtime.database.transaction(scope_of(identity, base)) as connection:
        connection.execute(
            "update chunks set flags = '{odd_spacing}', confidence = .5 where document_id = %s and first_page = 1",
            (UUID(document),),
        )
    with serving(app) as url:

        def run(*arguments: str) -> str:
            assert call(["review", *arguments, "--url", url]) == 0
            return capsys.readouterr().out

        def found() -> set[str]:
            body = {"query": "gold colour race", "k": 50, "knowledge_base_ids": [str(base)]}
            return {hit["chunk"]["id"] for hit in client.post("/v1/search", json=body).json()["hits"]}

        kb = ("--kb", str(base))
        left = json.loads(run("list", *kb, "--json"))
        assert [(one["page"], one["flags"]) for one in left] == [(1, ["odd_spacing"])] * 4
        chunk = next(one["chunk_id"] for one in left if one["chunk_id"] in found())
        rejected = json.loads(run("reject", "--chunk", chunk, *kb, "--note", "[/not] ours", "--json"))
        assert chunk not in found()
        assert "3 passages" in run("approve", "--flag", "odd_spacing", *kb)
        assert "Nothing is left" in run("list", *kb)
        listed = json.loads(run("decisions", *kb, "--json"))
        assert [(one["verdict"], one["chunks"]) for one in listed] == [("accepted", 3), ("rejected", 1)]
        assert "rejected" in run("decisions", *kb)
        assert "taken back" in run("take-back", "--decision", rejected["decision_id"], *kb)
        assert chunk in found()
        assert "gold.pdf is rejected" in run("reject", document)
        assert found() == set()
        assert "gold.pdf is unreviewed" in run("take-back", document)
        assert chunk in found()
        assert call(["kb", "rename", str(base), "--approved-only", "--url", url]) == 0
        assert found() == set()
        assert "gold.pdf is approved" in run("approve", document)
        assert chunk in found()
        capsys.readouterr()
        assert call(["review", "approve", "--url", url]) == 2
        assert "Name a document" in capsys.readouterr().err
        assert call(["review", "reject", "--chunk", chunk, "--url", url]) == 2
        assert "--kb" in capsys.readouterr().err
