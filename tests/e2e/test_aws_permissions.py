"""What functions are permitted against what they use: no call without a permission, no permission without a call."""

import hashlib
import io
import json
import re
import time
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pymupdf
import pytest
from PIL import Image

from functions.auth.cookies import SESSION
from shared.contract import STORED_PREFIXES
from tests.aws.customer import (
    INGESTION_TIMEOUT_S,
    OWNER,
    announce,
    documents_bucket,
    invoke,
    ok,
    send,
    upload,
    upload_parcel,
    wait,
)  # fmt: skip
from tests.aws.front import Front
from tests.aws.iam.access import Access
from tests.aws.iam.policies import Grant, Request
from tests.aws.iam.services import service_requests
from tests.aws.login import enter
from tests.aws.system import System
from tests.e2e.test_aws_assistants import use_tool
from tests.e2e.test_aws_erasing import ended
from tests.e2e.test_aws_faults import until
from tests.e2e.test_bedrock_engine import pdf_of
from tests.e2e.test_protected_files import protected_pdf
from tests.patience import PATIENCE_S
from tests.readers.compound import compound

pytestmark = pytest.mark.aws

PASSWORD = "hush-9241"
# Permissions that no run here uses, and why they are there: holder, action, resource (as wildcards), reason.
UNUSED = (
    ("IngestionMachineRole", "lambda:InvokeFunction", "*:1", "CDK grants the version of a state; all versions are."),
    ("*Role", "lambda:InvokeFunction", "*:[*]", "CDK grants a function's versions with it; there are none."),
    ("IngestionAdmissionQueue*", "sqs:GetQueue*", "*", "CDK grants them to the rules with SendMessage."),
    ("Ingestion*", "s3:ListBucket", "*", "A missing object is a 404 that ends a run, not a 403 that is tried again."),
    ("Ingestion*", "s3:DeleteObject*", "*/work/*", "What a stage wrote of a document that is deleted meanwhile goes."),
    ("Ingestion*", "s3:ListBucketVersions", "*", "The same: what is deleted is listed first."),
    ("ApiFunctionServiceRole", "s3:DeleteObject*", "*/incoming/*", "A document goes before its file was taken."),
    ("FrontStaticFilesPolicy", "s3:GetObject", "*", "CloudFront reads the files; the emulator has no CloudFront."),
    (
        "ErasuresFunctionServiceRole",
        "s3:DeleteObject*",
        "*/exports/*",
        "An organization's archives go with it; it stays.",
    ),
    ("ErasuresFunctionServiceRole", "s3:DeleteObject*", "*/requests/*", "The same."),
    ("ApiLabServiceRole", "s3:DeleteObject*", "*/work/*", "No document went while an assistant wrote it."),
    ("ErasuresFunctionServiceRole", "s3:DeleteObject*", "*/imports/*", "The same."),
    ("ErasuresFunctionServiceRole", "s3:DeleteObject*", "*/incoming/*", "Every file was taken before it goes."),
    ("MaintenanceFunctionServiceRole", "s3:PutObject", "*/erasing/*", "No deletion was left behind."),
    ("MaintenanceFunctionServiceRole", "s3:PutObject", "*/digesting/*", "No page of a watched site went away."),
    (
        "MaintenanceFunctionServiceRole",
        "s3:PutObject",
        "*/sending/now/*",
        "It ended no run of which webhooks are told.",
    ),
    ("ImportsFunctionServiceRole", "s3:PutObject", "*/erasing/*", "No import failed behind its first row."),
    ("IdentityPoolCustomMessageCognito", "lambda:InvokeFunction", "*", "Cognito's own call, when it writes a mail."),
    ("ApiFunctionServiceRole", "secretsmanager:DeleteSecret", "*", "A run that cannot start forgets its password."),
)


@pytest.fixture(scope="module")
def used(system: System, front: Front, owner: httpx.Client) -> set[Request]:
    """What was asked while everything was done once that asks for a permission, and what AWS's services ask for."""
    made = ok(owner.post("/v1/knowledge-bases", json={"name": "Permitted", "description": "by policies"}))
    knowledge_base = str(made["id"])
    document = _ingest_and_read(owner, knowledge_base)
    _assist(system, front, owner, knowledge_base)
    _open_what_is_protected(owner, knowledge_base)
    archive = _invite_and_export(system, owner, knowledge_base)
    _read_a_picture(system, owner, knowledge_base)
    _post(owner, knowledge_base)
    _fetch(system, owner, knowledge_base)
    _give_up(system, owner, knowledge_base)
    _delete_meanwhile(system, owner, knowledge_base)
    _drop(system, knowledge_base)
    assert [run["status"] for run in upload_parcel(owner, knowledge_base, {"a/quiet.txt": "Quiet."})] == ["ready"]
    _operate(system, owner, knowledge_base)
    _sign_in_and_out(system)
    _change_the_password(system)
    _look_at_what_is_stuck(system, owner, knowledge_base)
    _maintain(system, owner, knowledge_base)
    _sweep(system, knowledge_base)
    ok(owner.delete(f"/v1/documents/{document}"))
    _bring_back(system, owner, knowledge_base, archive)
    proof = ok(owner.get(f"/v1/documents/{document}/verify"))
    assert (proof["failed"], proof["verbatim"] + proof["ocr"] > 0) == (0, True)
    access = system.guard.access()
    by_services = service_requests(access.names)
    return system.guard.allowed | {r for one in by_services for r in access.with_key_use(one)}


def _ingest_and_read(owner: httpx.Client, knowledge_base: str) -> str:
    data = pdf_of(2, "permitted")
    run = wait(owner, upload(owner, knowledge_base, data, "rules.pdf", engine="bedrock"))
    assert run["status"] == "ready", run
    assert wait(owner, upload(owner, knowledge_base, data, "again.pdf"))["duplicate"]
    document = str(run["document_id"])
    assert ok(owner.get(f"/v1/documents/{document}/verify"))["failed"] == 0
    assert owner.get(f"/v1/documents/{document}/pages/1").is_success
    image = owner.get(f"/v1/documents/{document}/pages/1/image").headers["location"]
    assert httpx.get(image).content.startswith(b"\xff\xd8")
    found = ok(owner.post("/v1/search", json={"query": "rules of the part", "knowledge_base_ids": [knowledge_base]}))
    assert found["hits"]
    again = ok(owner.post(f"/v1/documents/{document}/reingest", json={}))
    assert wait(owner, again["id"])["status"] == "ready"
    return document


def _invite_and_export(system: System, owner: httpx.Client, knowledge_base: str) -> bytes:
    """An export looks whether the source of a refused document is there."""
    ok(owner.post("/v1/invitations", json={"email": "permitted@example.com"}))
    run = wait(owner, upload(owner, knowledge_base, compound({"WordDocument": bytes(5_000)}), "old.doc"))
    assert run["status"] == "refused", run
    job = ok(owner.post("/v1/exports", json={"knowledge_base_id": knowledge_base}))
    deadline = time.monotonic() + INGESTION_TIMEOUT_S
    while (job := ok(owner.get(f"/v1/exports/{job['id']}")))["status"] == "running":
        assert time.monotonic() < deadline
        time.sleep(1)
    archive = httpx.get(job["url"]).content
    assert archive.startswith(b"PK")
    while "permitted@example.com" not in httpx.get(f"{system.emulator.url}/_ministack/ses/messages").text:
        assert time.monotonic() < deadline
        time.sleep(1)
    return archive


def _bring_back(system: System, owner: httpx.Client, knowledge_base: str, archive: bytes) -> None:
    """The knowledge base goes while a file with a password was announced and not sent, and comes back."""
    announce(owner, knowledge_base, b"never sent", "late.pdf", password=PASSWORD)
    until(ended(owner, ok(owner.delete(f"/v1/knowledge-bases/{knowledge_base}"))))
    wanted = {"size": len(archive), "sha256": hashlib.sha256(archive).hexdigest(), "name": None}
    job = ok(owner.post("/v1/imports/jobs", json=wanted))
    send(job["upload"], archive)
    deadline = time.monotonic() + INGESTION_TIMEOUT_S
    while (job := ok(owner.get(f"/v1/imports/jobs/{job['id']}")))["status"] in {"waiting", "running"}:
        assert time.monotonic() < deadline, system.guard.denied
        time.sleep(1)
    assert (job["status"], job["error"]) == ("ready", None)


def _assist(system: System, front: Front, owner: httpx.Client, knowledge_base: str) -> None:
    """A question, whose answer streams; and what an assistant does: it searches, looks at a page, and notes the same
    thing twice."""

    headers = {"Authorization": owner.headers["Authorization"]}
    # What an assistant notes is told to whoever wants to know, at once.
    told = {"knowledge_base_id": knowledge_base, "url": "https://hooks.example/autri", "events": ["document.ready"]}
    webhook = ok(owner.post("/v1/webhooks", json=told))["id"]
    with front.client() as client:
        question = {"question": "What do the rules say of the part?", "knowledge_base_ids": [knowledge_base]}
        assert client.post("/v1/ask", json=question, headers=headers, timeout=PATIENCE_S).is_success
        found = use_tool(client, headers, "search", query="rules of the part", knowledge_bases=[knowledge_base])[
            "passages"
        ]
        assert use_tool(client, headers, "get_chunk", chunk_id=found[0]["chunk_id"], page_image=True)["page_image"]
        given = {"knowledge_base": knowledge_base, "text": "Noted by an assistant."}
        noted = [use_tool(client, headers, "add_note", **given) for _ in range(2)]
    assert noted[0]["document_id"] == noted[1]["document_id"]
    ok(owner.post(f"/v1/webhooks/{webhook}/test"))
    done = invoke(system, "Sending", {"tick": True})
    assert "errorType" not in done, done
    ok(owner.delete(f"/v1/webhooks/{webhook}"))


def _open_what_is_protected(owner: httpx.Client, knowledge_base: str) -> None:
    data = protected_pdf("Quiet hours begin at ten.")
    run = wait(owner, upload(owner, knowledge_base, data, "locked.pdf", password=PASSWORD))
    assert run["status"] == "ready", run
    # From now on its opened copy is read.
    again = ok(owner.post(f"/v1/documents/{run['document_id']}/reingest", json={}))
    assert wait(owner, again["id"])["status"] == "ready"


def _read_a_picture(system: System, owner: httpx.Client, knowledge_base: str) -> None:
    system.textract.lines = [["Quiet", "hours"], ["begin", "at", "ten"]]
    picture = io.BytesIO()
    drawn = Image.new("L", (800, 1000), "white")
    for top in range(100, 900, 60):  # lines, from afar; noise would be looked through for boxes to tick, for a minute
        drawn.paste("black", (80, top, 700, top + 20))
    drawn.save(picture, "PNG")
    with pymupdf.open() as document:
        document.new_page(width=400, height=500).insert_image((0, 0, 400, 500), stream=picture.getvalue())
        data = document.tobytes()
    run = wait(owner, upload(owner, knowledge_base, data, "scan.pdf"))
    assert run["status"].startswith("ready"), run
    assert system.textract.calls > 0


def _post(owner: httpx.Client, knowledge_base: str) -> None:
    note = {"text": "Quiet hours end at seven."}
    posted = ok(owner.post(f"/v1/knowledge-bases/{knowledge_base}/notes", json=note))
    assert ok(owner.get(f"/v1/documents/{posted['id']}/verify"))["failed"] == 0


def _fetch(system: System, owner: httpx.Client, knowledge_base: str) -> None:
    """A page by its address; and a site that is watched, whose page maintenance asks for."""
    site = system.site
    for path in ("/quiet", "/watched"):
        site.put(path, f"<h1>Quiet hours</h1><p>They are the same on {path} as in every other place here.</p>")
    site.put("/sitemap.xml", f"<urlset><url><loc>{site.url}/watched</loc></url></urlset>", "application/xml")
    wanted = {"knowledge_base_id": knowledge_base, "url": f"{site.url}/quiet"}
    found = ok(owner.post("/v1/pages:fetch", json=wanted))
    assert wait(owner, found["ingestion_id"])["status"] == "ready"
    watch = ok(owner.post("/v1/watches", json={**wanted, "url": f"{site.url}/sitemap.xml"}))
    _run_maintenance(system, {})
    (item,) = ok(owner.get(f"/v1/sources/{watch['id']}/items"))["items"]
    assert wait(owner, item["ingestion_id"])["status"] == "ready"
    refused = owner.post("/v1/pages:fetch", json={**wanted, "url": "http://169.254.169.254/latest/meta-data/"})
    assert (refused.status_code, "public internet" in refused.text) == (422, True), refused.text


def _give_up(system: System, owner: httpx.Client, knowledge_base: str) -> None:
    system.bedrock.refuse_everything = True
    try:
        run = wait(owner, upload(owner, knowledge_base, pdf_of(1, "refused"), "refused.pdf"))
    finally:
        system.bedrock.refuse_everything = False
    assert run["status"] == "failed", run


def _delete_meanwhile(system: System, owner: httpx.Client, knowledge_base: str) -> None:
    """The stage that works for a document which goes takes what it wrote with it."""
    ticket = announce(owner, knowledge_base, data := pdf_of(2, "going"), "going.pdf", engine="bedrock")
    deleted: list[str] = []

    def delete() -> None:
        document = str(ok(owner.get(f"/v1/ingestions/{ticket['upload_id']}"))["document_id"])
        ok(owner.delete(f"/v1/documents/{document}"))
        deleted.append(document)

    system.bedrock.meanwhile = delete
    send(ticket, data)
    deadline = time.monotonic() + INGESTION_TIMEOUT_S
    while not deleted or _is_running(system):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    listed = system.emulator.client("s3").list_object_versions(Bucket=documents_bucket(system))
    assert [one["Key"] for one in listed.get("Versions", []) if deleted[0] in one["Key"]] == []


def _drop(system: System, knowledge_base: str) -> None:
    """A file that is taken in, one refused unread, one after it was read; and one that no ticket brought."""
    s3, bucket, prefix = system.emulator.client("s3"), documents_bucket(system), f"drop/{knowledge_base}/"
    for name, data in (
        ("good.pdf", pdf_of(1, "dropped here")),
        ("table.numbers", b"PK"),
        ("bad.pdf", b"no PDF at all"),
    ):
        s3.put_object(Bucket=bucket, Key=prefix + name, Body=data)
    ((organization,),) = system.rows("select organization_id from knowledge_bases where id = %s", knowledge_base)
    stray = f"incoming/{organization}/{knowledge_base}/{uuid4()}/source"
    s3.put_object(Bucket=bucket, Key=stray, Body=b"stray")
    left = {
        f"{prefix}{name}" for name in ("table.numbers", "bad.pdf", "table.numbers.refused.json", "bad.pdf.refused.json")
    }
    deadline = time.monotonic() + INGESTION_TIMEOUT_S
    while True:
        listed = {one["Key"] for one in s3.list_object_versions(Bucket=bucket)["Versions"]}
        if stray not in listed and {key for key in listed if key.startswith(prefix)} == left:
            return
        assert time.monotonic() < deadline
        time.sleep(0.5)


def _operate(system: System, owner: httpx.Client, knowledge_base: str) -> None:
    """Every part answers; a document that was dropped and has failed is run again; a run that fails says so beside its
    file."""
    health = ok(owner.get("/v1/ops/health"))
    assert health["status"] == "ok", health
    # Its file is gone from the drop as soon as it was taken in; its run goes on.
    deadline = time.monotonic() + INGESTION_TIMEOUT_S
    while not system.rows("select from documents where name = 'good.pdf' and status = 'ready'") or _is_running(system):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    ((document,),) = system.rows(
        "update documents set status = 'failed' where name = 'good.pdf' and knowledge_base_id = %s returning id",
        knowledge_base,
    )
    (again,) = ok(owner.post("/v1/ops/redrive", json={"documents": [str(document)]}))["items"]
    assert again["error"] is None, again
    assert wait(owner, again["ingestion_id"])["status"] == "ready"
    _fail_a_drop(system, knowledge_base)


def _fail_a_drop(system: System, knowledge_base: str) -> None:
    """Its run has ended before the file was taken in; the bucket tells nobody of this one, so no other run begins."""
    s3, bucket, key = system.emulator.client("s3"), documents_bucket(system), f"drop/{knowledge_base}/unlucky.pdf"
    s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={})
    s3.put_object(Bucket=bucket, Key=key, Body=pdf_of(1, "unlucky"))
    told: dict[str, Any] = {"EventBridgeConfiguration": {}}
    s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration=told)
    ((organization, run),) = system.rows(
        "insert into uploads (organization_id, knowledge_base_id, id, filename, size, drop_key)"
        " select organization_id, id, gen_random_uuid(), 'unlucky.pdf', 9, %s from knowledge_bases where id = %s"
        " returning organization_id, id",
        key,
        knowledge_base,
    )
    system.rows(
        "insert into ingestions (organization_id, knowledge_base_id, id, source_key, filename, engine, status)"
        " values (%s, %s, %s, %s, 'unlucky.pdf', 'layout', 'queued') returning id",
        organization,
        knowledge_base,
        run,
        key,
    )
    event = {"organization_id": str(organization), "knowledge_base_id": knowledge_base, "ingestion_id": str(run)}
    failed = invoke(system, "Markfailed", {**event, "error": {"Cause": "The database was away"}})
    assert failed == {"status": "failed"}, failed
    said = json.loads(s3.get_object(Bucket=bucket, Key=f"{key}.refused.json")["Body"].read())
    assert said["refused"].startswith("The database was away.")


def _look_at_what_is_stuck(system: System, owner: httpx.Client, knowledge_base: str) -> None:
    """A run that has a slot and no execution ends; the schedule's look and the day's redrive find nothing else."""
    announced = {"filename": "stuck.pdf", "size": 9, "sha256": "0" * 64, "knowledge_base_id": knowledge_base}
    ticket = ok(owner.post("/v1/uploads", json=announced))
    stuck = system.rows(
        "update ingestions set status = 'queued', admitted_at = now() - interval '1 hour' where id = %s returning id",
        ticket["upload_id"],
    )
    assert len(stuck) == 1
    # The schedule's own look may come between: then it has ended it, and this one finds nothing.
    assert invoke(system, "IngestionAdmission", {})["ended"] <= 1
    assert ok(owner.get(f"/v1/ingestions/{ticket['upload_id']}"))["status"] == "failed"
    assert invoke(system, "IngestionAdmission", {"redrive": True})["ended"] == 0


def _is_running(system: System) -> bool:
    machine = system.deployed.only("AWS::StepFunctions::StateMachine")
    found = system.emulator.client("stepfunctions").list_executions(stateMachineArn=machine, statusFilter="RUNNING")
    return bool(found["executions"])


def _maintain(system: System, owner: httpx.Client, knowledge_base: str) -> None:
    """An announcement of the day before yesterday whose file never came, and another embedder for the library."""
    announced = {"filename": "late.pdf", "size": 9, "sha256": "0" * 64, "knowledge_base_id": knowledge_base}
    ticket = ok(owner.post("/v1/uploads", json={**announced, "password": PASSWORD}))
    moved = system.rows(
        "update ingestions set created_at = created_at - interval '2 days' where id = %s returning id",
        ticket["upload_id"],
    )
    assert len(moved) == 1
    target = "amazon.titan-embed-text-v2:0/512"
    ok(owner.post(f"/v1/knowledge-bases/{knowledge_base}/embedder", json={"to": target}))
    _run_maintenance(system, {})
    assert owner.get(f"/v1/ingestions/{ticket['upload_id']}").status_code == 404


def _run_maintenance(system: System, event: dict[str, Any]) -> None:
    """Until it was no other run's turn, which the end of an ingestion starts, and nothing was left for another one: a
    run ends when its time is up."""
    deadline = time.monotonic() + INGESTION_TIMEOUT_S
    while (done := invoke(system, "Maintenance", event))["busy"] or done["more"]:
        assert time.monotonic() < deadline, done
        time.sleep(0.5)
    assert done == {"busy": False, "more": False}, done


def _sweep(system: System, knowledge_base: str) -> None:
    """Of what has lain there for two days, all that no row knows goes, and nothing else."""
    s3, bucket = system.emulator.client("s3"), documents_bucket(system)

    def listed() -> set[str]:
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
        return {one["Key"] for page in pages for one in page["Contents"]}

    kept = listed()
    organization = next(key.split("/")[1] for key in kept if key.split("/")[2:3] == [knowledge_base])
    for area in STORED_PREFIXES:
        left = f"{area}{organization}/{knowledge_base}/{uuid4()}/{uuid4()}/left"
        s3.put_object(Bucket=bucket, Key=left, Body=b"left")
    assert len(listed() - kept) == len(STORED_PREFIXES)
    system.guard.aged = timedelta(days=2)
    try:
        _run_maintenance(system, {"detail-type": "Scheduled Event"})
    finally:
        system.guard.aged = timedelta(0)
    assert listed() == kept


def _change_the_password(system: System) -> None:
    wanted = {"slug": "autri", "organization": "Autri", "owner_email": OWNER, "password_generation": "2"}
    event = {"RequestType": "Update", "PhysicalResourceId": "migrations", "ResourceProperties": wanted}
    done = invoke(system, "Migrations", event)
    assert "errorType" not in done, done


def _sign_in_and_out(system: System) -> None:
    """A session that is confirmed after an hour and then too old; another that is signed out everywhere."""
    table = system.deployed.only("AWS::DynamoDB::Table")
    database = system.emulator.client("dynamodb")

    def change(session: str, name: str, value: int) -> None:
        database.update_item(
            TableName=table,
            Key={"id": {"S": hashlib.sha256(session.encode()).hexdigest()}},
            UpdateExpression="set #name = :value",
            ExpressionAttributeNames={"#name": name},
            ExpressionAttributeValues={":value": {"N": str(value)}},
        )

    def sign_in(api: httpx.Client) -> str:
        began = api.get("/auth/login")
        attempt = began.headers["set-cookie"].partition(";")[0]
        returned = urlsplit(enter(began.headers["location"], OWNER))
        ended = api.get(f"{returned.path}?{returned.query}", headers={"Cookie": attempt})
        (session,) = (c for c in ended.headers.get_list("set-cookie") if c.startswith(f"{SESSION}="))
        return session.partition(";")[0].partition("=")[2]

    with system.api as api:
        first, second = sign_in(api), sign_in(api)
        change(first, "confirmed", int(time.time()) - 3600)
        assert api.get("/v1/me", headers={"Cookie": f"{SESSION}={first}"}).status_code == 200
        change(first, "created", 1)
        assert api.get("/v1/me", headers={"Cookie": f"{SESSION}={first}"}).status_code == 401
        own = {"Cookie": f"{SESSION}={second}", "Origin": system.deployed.output("Url")}
        found = re.search(r'name="csrf-token" content="([^"]+)"', api.get("/", headers=own).text)
        assert found is not None
        assert api.post("/auth/logout?everywhere=true", headers={**own, "X-CSRF-Token": found[1]}).is_success


def test_nothing_that_the_deployment_does_is_denied(system: System, used: set[Request]) -> None:
    access = system.guard.access()
    assert system.guard.denied == []
    assert access.denied(used) == []


def test_without_any_one_permission_something_is_denied(system: System, used: set[Request]) -> None:
    access = system.guard.access()
    needless = [grant for grant in access.grants if not _is_missed(access, grant, used)]
    explained = {row: [g for g in needless if _matches(row, g)] for row in UNUSED}
    unexplained = [str(g) for g in needless if not any(_matches(row, g) for row in UNUSED)]
    assert unexplained == [], "\n".join(unexplained)
    assert [row for row, grants in explained.items() if not grants] == [], "no longer unused: take the line away"


def _is_missed(access: Access, grant: Grant, used: set[Request]) -> bool:
    concerned = [request for request in used if grant.covers(request)]
    return bool(concerned) and bool(access.without(grant).denied(concerned))


def _matches(row: tuple[str, str, str, str], grant: Grant) -> bool:
    holder, action, resource, _ = row
    return (
        fnmatchcase(grant.owner, holder) and fnmatchcase(grant.action, action) and fnmatchcase(grant.resource, resource)
    )
