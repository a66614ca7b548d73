"""A knowledge base and then a whole organization are deleted on the emulated deployment: shut at once, by a function
that is killed in the middle, with nothing left of them and everything of the others."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from psycopg import sql

from functions.cli.main import call
from shared.adapters.local.postgres import SUPERUSER
from shared.contract import erasing_key
from tests.aws.customer import address_of, documents_bucket, ok, upload, wait
from tests.aws.people import founder_of
from tests.aws.system import System
from tests.e2e.test_aws_faults import end, handlers, until
from tests.e2e.test_bedrock_engine import pdf_of
from tests.pipeline import RULES_2025

pytestmark = pytest.mark.aws
KEPT = {"erasure_certificates"}


@pytest.fixture
def lena(system: System) -> Iterator[httpx.Client]:
    """The owner of an organization that leaves."""
    with founder_of(system, "leaving") as api:
        yield api


def objects(system: System, part: str) -> list[str]:
    """Keys with this id in them, every version of them and every mark of a deletion."""
    pages = system.emulator.client("s3").get_paginator("list_object_versions")
    found = [
        one
        for page in pages.paginate(Bucket=documents_bucket(system))
        for one in (*page.get("Versions", []), *page.get("DeleteMarkers", []))
    ]
    return sorted(one["Key"] for one in found if part in one["Key"])


def rows(system: System, part: str) -> dict[str, int]:
    """Rows by table that have this id in any column."""
    found: dict[str, int] = {}
    with psycopg.connect(system.postgres.dsn(SUPERUSER)) as connection:
        for (table,) in connection.execute("select tablename from pg_tables where schemaname = 'public'").fetchall():
            statement = sql.SQL("select count(*) from {0} where {0}::text like %s").format(sql.Identifier(table))
            row = connection.execute(statement, (f"%{part}%",)).fetchone()
            found |= {table: row[0]} if row and row[0] else {}
    return found


def make_base(api: httpx.Client, name: str) -> str:
    return str(ok(api.post("/v1/knowledge-bases", json={"name": name, "description": "x"}))["id"])


def search(api: httpx.Client, *bases: str) -> httpx.Response:
    wish = {"knowledge_base_ids": list(bases)} if bases else {}
    return api.post("/v1/search", json={"query": "rules of the part", **wish})


def outcome(api: httpx.Client, asked: dict[str, Any]) -> dict[str, Any]:
    return ok(api.get(f"/v1/erasures/{asked['id']}", headers={"X-Autri-Ticket": asked["ticket"]}))


def ended(api: httpx.Client, asked: dict[str, Any]) -> Callable[[], Any]:
    return lambda: outcome(api, asked)["certificate"]


def test_a_knowledge_base_and_then_its_organization_are_deleted_and_nobody_elses(
    system: System, owner: httpx.Client, lena: httpx.Client, tmp_path: Path
) -> None:
    organization = str(ok(lena.get("/v1/me"))["organization"]["id"])
    stays, goes, also = make_base(owner, "Untouched rules"), make_base(lena, "Goes"), make_base(lena, "Goes later")
    for api, base, count in ((owner, stays, 1), (lena, goes, 3), (lena, also, 1)):
        for number in range(count):
            data = RULES_2025.read_bytes() if number == 0 else pdf_of(2, f"{base} {number}")
            assert wait(api, upload(api, base, data, f"{number}.pdf"))["status"] == "ready"
    assert ok(search(lena, goes))["hits"]
    others = str(ok(owner.get("/v1/me"))["organization"]["id"])
    untouched = (rows(system, stays), objects(system, stays), ok(search(owner, stays))["hits"])
    before = (rows(system, goes), objects(system, goes))
    assert before[0]["documents"] == 3
    assert len(before[1]) > 10

    left = system.rows("select id from documents where knowledge_base_id = %s", also)
    # One is being read while its knowledge base goes, and the function that deletes is killed over the first document.
    upload(lena, goes, pdf_of(4, "under way"), "late.pdf")
    until(lambda: system.rows("select from ingestions where knowledge_base_id = %s and status = 'running'", goes))
    with psycopg.connect(system.postgres.dsn(SUPERUSER)) as holding:
        holding.execute("select from documents where knowledge_base_id = %s order by id for update", (goes,))
        asked = ok(lena.delete(f"/v1/knowledge-bases/{goes}"))
        assert search(lena, goes).status_code == 404
        assert {hit["document"]["id"] for hit in ok(search(lena))["hits"]} == {str(one) for (one,) in left}
        assert [base["id"] for base in ok(lena.get("/v1/knowledge-bases"))["items"]] == [also]
        assert lena.delete(f"/v1/knowledge-bases/{goes}").status_code == 404
        blocked = "select from pg_stat_activity where wait_event_type = 'Lock' and query like %s"
        until(lambda: system.rows(blocked, "delete from documents%"))
        end(handlers(system, "erase"))
    assert outcome(lena, asked)["status"] == "running"
    again(system, organization, asked["id"])
    certificate = until(ended(lena, asked))
    assert certificate["before"]["rows"]["documents"] >= 3
    assert certificate["before"]["objects"] > 10
    assert (sum(certificate["after"]["rows"].values()), certificate["after"]["objects"]) == (0, 0)
    until(lambda: not handlers(system, "parse") or not objects(system, goes))
    assert objects(system, goes) == []
    assert rows(system, goes).keys() == {"erasure_certificates", "audit_log"}
    assert [one["id"] for one in ok(lena.get("/v1/erasures"))["items"]] == [asked["id"]]

    key = str(ok(lena.post("/v1/keys", json={"name": "k", "scope": "admin"}))["secret"])
    kept = tmp_path / "gone.json"
    me, with_key = f"{address_of(system)}/v1/me", {"Authorization": f"Bearer {key}"}
    assert httpx.get(me, headers=with_key).is_success
    token = lena.headers["Authorization"].removeprefix("Bearer ")
    flags = ["--url", address_of(system), "--token", token, "--certificate", str(kept)]
    assert rows(system, organization)["documents"] == 1
    assert objects(system, organization)
    assert call(["erase", "leaving", *flags]) == 0, system.guard.denied
    gone = json.loads(kept.read_text(encoding="utf-8"))
    assert (gone["kind"], gone["before"]["rows"]["documents"]) == ("organization", 1)
    assert (sum(gone["after"]["rows"].values()), gone["after"]["objects"]) == (0, 0)
    assert rows(system, organization).keys() == KEPT
    assert objects(system, organization) == []
    assert httpx.get(me, headers=with_key).status_code == 401
    assert lena.get("/v1/me").status_code == 403

    assert (rows(system, stays), objects(system, stays), ok(search(owner, stays))["hits"])[1:] == untouched[1:]
    assert rows(system, stays).items() >= {n: c for n, c in untouched[0].items() if n != "retrieval_log"}.items()
    assert rows(system, others)["organizations"] == 1
    assert not [one for one in system.guard.denied if "Erasures" in str(one)]


def again(system: System, organization: str, erasure: str) -> None:
    """The event once more, as the Lambda service and maintenance send it."""
    key = erasing_key(organization, erasure)
    system.emulator.client("s3").put_object(Bucket=documents_bucket(system), Key=key, Body=b"{}")
