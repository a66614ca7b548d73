"""One system: the state machine's handlers leave in Postgres what a local run leaves, and only tokens open it."""

import hashlib
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from functions.cli.main import call
from shared.contract import ISOLATED_FIELD, work_prefix
from shared.domain.scope import Identity
from shared.ingestion.embed import BATCH as EMBED_BATCH
from shared.runtime import Runtime
from tests.aws.account import fake_account
from tests.aws.customer import OWNER, announce, callback, documents_bucket, send, web_client
from tests.aws.customer import invoke as _invoke
from tests.aws.customer import ok as _ok
from tests.aws.customer import upload as _upload
from tests.aws.customer import wait as _wait
from tests.aws.emulator import ACCOUNT
from tests.aws.localize import ATTACHMENT, DROPPED
from tests.aws.login import Tokens, create_person, sign_in
from tests.aws.system import STACK, THROTTLE_EVERY, System
from tests.e2e.test_bedrock_engine import INJECTION, pdf_of
from tests.patience import PATIENCE_S
from tests.pipeline import PRICES, RULES_2025, chunk_rows, make_knowledge_base, run_all, scope_of, upload

pytestmark = pytest.mark.aws
# For so long the model refuses every call.
BUSY_S = 20


@dataclass
class Ingested:
    """A document that went through the deployment."""

    knowledge_base_id: str
    document_id: str
    ingestion: dict[str, Any]
    seconds: float
    execution: dict[str, Any] = field(default_factory=dict[str, Any])


@pytest.fixture(scope="module")
def ingested(system: System, owner: httpx.Client) -> Ingested:
    knowledge_base = _ok(owner.post("/v1/knowledge-bases", json={"name": "Rules", "description": "of the cup"}))
    started = time.monotonic()
    upload_id = _upload(owner, knowledge_base["id"], RULES_2025.read_bytes(), "rules.pdf")
    ingestion = _wait(owner, upload_id)
    execution = _executions(system)[0]
    return Ingested(knowledge_base["id"], ingestion["document_id"], ingestion, time.monotonic() - started, execution)


def test_the_deployment_leaves_out_the_named_types_and_no_other(system: System) -> None:
    assert system.deployed.dropped == DROPPED | {ATTACHMENT}


def test_an_upload_runs_the_state_machine_to_its_end(system: System, ingested: Ingested) -> None:
    assert ingested.ingestion["status"] == "ready", ingested.ingestion
    assert ingested.execution["status"] == "SUCCEEDED"
    print(f"\ndeployed in {system.deployed.seconds:.1f} s, ingested in {ingested.seconds:.1f} s")


def test_the_state_machine_leaves_the_chunks_that_a_local_run_leaves(
    system: System, ingested: Ingested, runtime: Runtime, identity: Identity
) -> None:
    knowledge_base_id = make_knowledge_base(runtime, identity, "Rules")
    event = upload(runtime, identity, knowledge_base_id, RULES_2025.read_bytes())
    document_id = run_all(runtime, event, until="finalize")["document_id"]
    local = chunk_rows(runtime, scope_of(identity, knowledge_base_id), document_id)
    cloud = system.rows(
        "select chunk_type, content, boxes from chunks where document_id = %s order by ordinal", ingested.document_id
    )
    assert len(local) > 100
    assert [(row["chunk_type"], row["content"], row["boxes"]) for row in local] == cloud


def test_every_chunk_was_embedded_through_a_model_that_throttles(system: System, ingested: Ingested) -> None:
    ((chunks, vectors, dimensions),) = system.rows(
        "select (select count(*) from chunks where document_id = %s), count(*), min(vector_dims(embedding))"
        " from chunk_vectors where document_id = %s and embedder_version like 'amazon.titan%%'",
        ingested.document_id,
        ingested.document_id,
    )
    assert (chunks, dimensions) == (vectors, 1024)
    assert system.bedrock.throttled >= vectors // THROTTLE_EVERY > 0


def test_the_owner_reads_the_chunks_and_finds_one_through_the_api(owner: httpx.Client, ingested: Ingested) -> None:
    listed = _ok(owner.get(f"/v1/documents/{ingested.document_id}/chunks", params={"limit": 60}))["items"]
    assert [chunk["document_id"] for chunk in listed] == [ingested.document_id] * 60
    wanted = next(chunk for chunk in listed if chunk["chunk_type"] != "heading" and len(chunk["content"]) > 40)
    query = {"query": wanted["content"][:200], "knowledge_base_ids": [ingested.knowledge_base_id], "k": 5}
    hits = _ok(owner.post("/v1/search", json=query))["hits"]
    assert wanted["id"] in [hit["chunk"]["id"] for hit in hits]
    assert {index["name"] for hit in hits for index in hit["indexes"]} >= {"fts_search", "vector_search"}


def test_a_page_image_is_served_by_a_short_lived_url(owner: httpx.Client, ingested: Ingested) -> None:
    answer = owner.get(f"/v1/documents/{ingested.document_id}/pages/1/image")
    assert answer.status_code == 302
    assert "X-Amz-Expires=300" in answer.headers["location"]
    assert httpx.get(answer.headers["location"]).content.startswith(b"\xff\xd8")


def test_the_same_bytes_again_are_a_duplicate(owner: httpx.Client, ingested: Ingested) -> None:
    again = _wait(owner, _upload(owner, ingested.knowledge_base_id, RULES_2025.read_bytes(), "again.pdf"))
    assert (again["document_id"], again["duplicate"]) == (ingested.document_id, True)


def test_a_file_that_is_not_what_its_name_says_is_refused_and_the_execution_still_succeeds(
    system: System, owner: httpx.Client, ingested: Ingested
) -> None:
    refused = _wait(owner, _upload(owner, ingested.knowledge_base_id, b"just text, no PDF", "notes.pdf"))
    assert refused["status"] == "refused"
    assert "called .pdf but looks like plain text" in refused["error"]
    assert _executions(system)[0]["status"] == "SUCCEEDED"


def test_reingesting_runs_the_machine_again_and_keeps_the_chunks_ids(
    system: System, owner: httpx.Client, ingested: Ingested
) -> None:
    query = "select id, content from chunks where document_id = %s order by ordinal"
    before, executions = system.rows(query, ingested.document_id), len(_executions(system))
    again = _ok(owner.post(f"/v1/documents/{ingested.document_id}/reingest", json={}))
    assert _wait(owner, again["id"])["status"] == "ready"
    assert len(_executions(system)) == executions + 1
    assert system.rows(query, ingested.document_id) == before


def test_a_poison_page_alone_is_marked_failed_when_its_shard_goes_page_by_page(
    system: System, ingested: Ingested
) -> None:
    ((organization, ingestion),) = system.rows(
        "select organization_id, ingestion_id from documents where id = %s", ingested.document_id
    )
    prefix = work_prefix(str(organization), ingested.knowledge_base_id, ingested.document_id, str(ingestion))
    s3, bucket = system.emulator.client("s3"), documents_bucket(system)
    plan = json.loads(s3.get_object(Bucket=bucket, Key=f"{prefix}plan.json")["Body"].read())
    shard = {**plan[0], "first_page": 2, "last_page": 3}
    s3.put_object(Bucket=bucket, Key=f"{prefix}pages/3.json", Body=b"poison")
    system.rows("delete from ingestion_pages where ingestion_id = %s and stage = 'extract' returning page", ingestion)
    together = _invoke(system, "extract", shard)
    alone = _invoke(system, "extract", {**shard, ISOLATED_FIELD: True})
    assert together["errorType"] == "ValidationError"
    assert (alone["pages"], alone["failed"]) == (2, [3])
    recorded = system.rows(
        "select page, error is null from ingestion_pages where ingestion_id = %s and stage = 'extract' order by page",
        ingestion,
    )
    assert recorded == [(2, True), (3, False)]


def test_a_stage_that_gives_up_marks_the_document_failed_and_says_why(
    system: System, owner: httpx.Client, ingested: Ingested
) -> None:
    system.bedrock.refuse_everything = True
    calls = system.bedrock.calls
    try:
        failed = _wait(owner, _upload(owner, ingested.knowledge_base_id, PRICES.read_bytes(), "prices.pdf"))
    finally:
        system.bedrock.refuse_everything = False
    assert failed["status"] == "failed"
    assert "refuses a text" in failed["error"]
    # A refusal is final: the stage ran once, and its batch of texts went to the model once.
    assert 0 < system.bedrock.calls - calls <= EMBED_BATCH
    assert _executions(system)[0]["status"] == "FAILED"


def test_pages_go_to_the_model_with_its_throttling_and_their_cost_is_recorded(
    system: System, owner: httpx.Client, ingested: Ingested
) -> None:
    converse = system.bedrock.converse
    before = len(converse.requests)
    converse.script = ["throttle", "group", "writes_text", "group"]
    data = pdf_of(2, "cloud")
    run = _wait(owner, _upload(owner, ingested.knowledge_base_id, data, "grouped.pdf", engine="bedrock"))
    assert run["status"] == "ready", run
    assert len(converse.requests) - before == 4
    pages = system.rows("select engine, engine_note from pages where document_id = %s", run["document_id"])
    assert pages == [("bedrock", None)] * 2
    costs = system.rows("select page, calls, usd from costs where ingestion_id = %s order by calls, page", run["id"])
    assert sorted((page > 0, calls) for page, calls, _ in costs) == [(False, 1), (True, 1), (True, 2)]
    assert all(usd > 0 for _, _, usd in costs)
    document = _ok(owner.get(f"/v1/documents/{run['document_id']}"))
    # Sums of floats, which the database may add in another order.
    whole = pytest.approx(sum(usd for _, _, usd in costs))
    assert (document["cost_usd"], run["cost_usd"]) == (whole, whole)
    chunks = _ok(owner.get(f"/v1/documents/{run['document_id']}/chunks"))["items"]
    assert {INJECTION} <= {chunk["content"] for chunk in chunks}
    assert _ok(owner.get(f"/v1/documents/{run['document_id']}/verify"))["failed"] == 0


def test_an_object_that_nobody_announced_leaves_no_document(system: System, ingested: Ingested) -> None:
    before, documents = len(_executions(system)), system.rows("select id from documents order by id")
    (organization,) = system.rows(
        "select organization_id from knowledge_bases where id = %s", ingested.knowledge_base_id
    )[0]
    key = f"incoming/{organization}/{ingested.knowledge_base_id}/{ingested.document_id}/source"
    system.emulator.client("s3").put_object(Bucket=documents_bucket(system), Key=key, Body=RULES_2025.read_bytes())
    _wait_until(lambda: not _listed(system, key))
    assert system.rows("select id from documents order by id") == documents
    assert len(_executions(system)) == before


def test_a_second_file_under_the_same_ticket_is_removed_unread(
    system: System, owner: httpx.Client, ingested: Ingested
) -> None:
    data = pdf_of(1, "ticket")
    ticket = announce(owner, ingested.knowledge_base_id, data, "ticket.pdf")
    send(ticket, data)
    document = _wait(owner, str(ticket["upload_id"]))["document_id"]
    row = "select source_key, source_version, source_hash from documents where id = %s"
    ((key, version, source_hash),) = system.rows(row, document)
    assert key.startswith("sources/")
    assert source_hash == hashlib.sha256(data).hexdigest()
    # The emulator does not compare a form's checksum with its file, as S3 does: so the forgery gets this far.
    send(ticket, data[:-1] + b"!")
    _wait_until(lambda: not _listed(system, f"incoming/{key.split('/', 1)[1]}"))
    s3, bucket = system.emulator.client("s3"), documents_bucket(system)
    assert system.rows(row, document) == [(key, version, source_hash)]
    assert s3.get_object(Bucket=bucket, Key=key, VersionId=version)["Body"].read() == data
    assert _ok(owner.get(f"/v1/documents/{document}/verify", params={"refresh": True}))["ok"]


def test_a_model_that_is_busy_for_long_is_waited_for_and_fails_no_document(
    system: System, owner: httpx.Client, ingested: Ingested
) -> None:
    system.bedrock.busy_for = BUSY_S
    throttled, began = system.bedrock.throttled, time.monotonic()
    run = _wait(owner, _upload(owner, ingested.knowledge_base_id, pdf_of(1, "patience"), "patience.pdf"))
    assert run["status"] == "ready", run
    assert system.bedrock.throttled >= throttled + 3, "the model was busy for several calls"
    assert time.monotonic() - began >= BUSY_S, "it was not ready before the model was"
    assert run["error"] is None
    client, execution = system.emulator.client("stepfunctions"), _executions(system)[0]
    assert execution["name"] == run["id"]
    history = client.get_execution_history(executionArn=execution["executionArn"], maxResults=1000)["events"]
    errors = [one[field]["error"] for one in history for field in one if field.endswith("FailedEventDetails")]
    # The client waits by itself for up to a minute, by chance; where it gives up, the stage is tried again. An attempt
    # of the stage costs nothing of the three that it has for errors of its own.
    assert set(errors) <= {"Unavailable"}
    ((chunks, vectors),) = system.rows(
        "select count(*), count(v.chunk_id) from chunks c left join chunk_vectors v on v.chunk_id = c.id"
        " where c.document_id = %s",
        run["document_id"],
    )
    assert chunks == vectors > 0


def test_a_dropped_file_becomes_the_version_that_its_folder_and_name_say(
    system: System, owner: httpx.Client, ingested: Ingested
) -> None:
    s3, bucket = system.emulator.client("s3"), documents_bucket(system)
    data, prefix = pdf_of(1, "dropped"), f"drop/{ingested.knowledge_base_id}/"
    s3.put_object(Bucket=bucket, Key=f"{prefix}Handbook/2026.pdf", Body=data)
    _wait_until(lambda: _named(system, "2026.pdf", "ready"))
    ((document, key),) = system.rows(
        "select d.id, d.source_key from documents d join ingestions i on i.document_id = d.id"
        " where i.filename = '2026.pdf'"
    )
    found = _ok(owner.get(f"/v1/documents/{document}"))
    assert (found["version"]["label"], found["version"]["logical_document_name"]) == ("2026", "Handbook")
    assert _listed(system, prefix) == []
    assert s3.get_object(Bucket=bucket, Key=key)["Body"].read() == data
    s3.put_object(Bucket=bucket, Key=f"{prefix}twice.pdf", Body=data)
    _wait_until(lambda: _named(system, "twice.pdf", "ready"))
    assert system.rows("select duplicate, document_id from ingestions where filename = 'twice.pdf'") == [
        (True, document)
    ]
    # The row says that it is there already, and then the file goes.
    _wait_until(lambda: _listed(system, prefix) == [])


def test_a_dropped_file_that_is_refused_stays_with_the_reason_beside_it(system: System, ingested: Ingested) -> None:
    s3, bucket, base = system.emulator.client("s3"), documents_bucket(system), ingested.knowledge_base_id
    bad = {
        f"drop/{base}/text.pdf": "looks like plain text",
        f"drop/{base}/a/b/c.pdf": "drop/",
        "drop/nobody/a.pdf": "knowledge base",
    }
    for key in bad:
        s3.put_object(Bucket=bucket, Key=key, Body=b"just text, no PDF")
    for key, reason in bad.items():
        _wait_until(lambda key=key: _listed(system, f"{key}.refused.json"))
        said = json.loads(s3.get_object(Bucket=bucket, Key=f"{key}.refused.json")["Body"].read())
        assert (said["file"], reason in said["refused"]) == (key, True)
        assert _listed(system, key) == [key, f"{key}.refused.json"]


def test_dead_letters_are_given_again_by_the_operators_command(
    system: System, ingested: Ingested, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Letters as the event bus leaves them: of a file whose event was not delivered, and what nobody understands."""
    s3, sqs, bucket = system.emulator.client("s3"), system.emulator.client("sqs"), documents_bucket(system)
    letters = _queue(system, "IngestionAdmissionUndelivered")
    key, data = f"drop/{ingested.knowledge_base_id}/missed.pdf", pdf_of(1, "missed")
    s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={})
    s3.put_object(Bucket=bucket, Key=key, Body=data)
    s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={"EventBridgeConfiguration": {}})
    event = {"detail-type": "Object Created", "detail": {"object": {"key": key, "size": len(data)}}}
    why = {"ERROR_CODE": {"DataType": "String", "StringValue": "NO_PERMISSIONS"}}
    sqs.send_message(QueueUrl=letters, MessageBody=json.dumps(event), MessageAttributes=why)
    sqs.send_message(QueueUrl=letters, MessageBody="poison")
    assert system.rows("select 1 from ingestions where filename = 'missed.pdf'") == []

    def command(*more: str) -> tuple[int, dict[str | None, dict[str, Any]]]:
        code = call(["ops", "letters", "--stack", STACK, "--json", *more])
        return code, {row["kind"]: row for row in json.loads(capsys.readouterr().out)}

    try:
        with fake_account(monkeypatch, all=system.emulator.url), monkeypatch.context() as patched:
            patched.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
            code, seen = command()
            assert (code, set(seen)) == (1, {"Object Created", None})
            assert seen["Object Created"] | {"moved": 0} == {
                "kind": "Object Created", "about": key, "why": "NO_PERMISSIONS", "moved": 0
            }  # fmt: skip
            code, moved = command("--move")
        assert (code, {kind: row["moved"] for kind, row in moved.items()}) == (1, {"Object Created": True, None: False})
        _wait_until(lambda: _named(system, "missed.pdf", "ready"))
        assert _waiting(sqs, letters) == 1, "what nobody understands stays"
    finally:
        sqs.purge_queue(QueueUrl=letters)


def test_a_message_that_fails_every_time_goes_to_the_dead_letters(system: System) -> None:
    sqs = system.emulator.client("sqs")
    queue, letters = (_queue(system, name) for name in ("IngestionAdmissionQueue", "IngestionAdmissionUndelivered"))
    attributes = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
    policy = json.loads(attributes["RedrivePolicy"])
    hurried = {"VisibilityTimeout": "1", "RedrivePolicy": json.dumps(policy | {"maxReceiveCount": 2})}
    sqs.set_queue_attributes(QueueUrl=queue, Attributes=hurried)
    try:
        sqs.send_message(QueueUrl=queue, MessageBody="poison")
        _wait_until(lambda: (_waiting(sqs, letters), _waiting(sqs, queue)) == (1, 0))
        (letter,) = sqs.receive_message(QueueUrl=letters)["Messages"]
        assert letter["Body"] == "poison"
    finally:
        former = {name: attributes[name] for name in hurried}
        sqs.set_queue_attributes(QueueUrl=queue, Attributes=former)
        sqs.purge_queue(QueueUrl=letters)


@pytest.mark.parametrize("forgery", ["no token", "wrong key", "expired", "other audience", "alg none"])
def test_a_forged_token_gets_nothing(system: System, tokens: Tokens, ingested: Ingested, forgery: str) -> None:
    claims: dict[str, Any] = jwt.decode(tokens.id_token, options={"verify_signature": False})
    kid = jwt.get_unverified_header(tokens.id_token)["kid"]
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    access: dict[str, Any] = jwt.decode(tokens.access_token, options={"verify_signature": False})
    assert (access["token_use"], access["client_id"]) == ("access", claims["aud"])
    forged = {
        "no token": None,
        "wrong key": jwt.encode(claims, key, "RS256", {"kid": kid}),
        "expired": jwt.encode({**claims, "exp": int(time.time()) - 60}, key, "RS256", {"kid": kid}),
        "other audience": _token_of_another_client(system),
        "alg none": jwt.encode(claims, "", "none"),
    }[forgery]
    headers = {"Authorization": f"Bearer {forged}"} if forged else {}
    with system.api as api:
        answer = api.get(f"/v1/documents/{ingested.document_id}/chunks", headers=headers)
    assert answer.status_code == 401
    assert "items" not in answer.text


def test_a_person_whom_nobody_invited_sees_nothing(system: System, ingested: Ingested) -> None:
    assert _status_of(system, "stranger@example.com", ingested) == 403


def test_an_unverified_address_does_not_accept_an_invitation(system: System, ingested: Ingested) -> None:
    system.rows(
        "insert into users (organization_id, id, email, role, invited_at)"
        " select organization_id, gen_random_uuid(), 'claimed@example.com', 'admin', now() from users"
        " where email = %s returning id",
        OWNER,
    )
    assert _status_of(system, "claimed@example.com", ingested, verified=False) == 403


def _status_of(system: System, email: str, ingested: Ingested, verified: bool = True) -> int:
    create_person(system.emulator, system.deployed.only("AWS::Cognito::UserPool"), email, verified)
    client = web_client(system)
    token = sign_in(system.emulator, client, callback(system), email).id_token
    with system.api as api:
        return api.get(
            f"/v1/documents/{ingested.document_id}/chunks", headers={"Authorization": f"Bearer {token}"}
        ).status_code


def _token_of_another_client(system: System) -> str:
    """Signed by the same pool for the same person, but meant for another application."""
    pool = system.deployed.only("AWS::Cognito::UserPool")
    client = system.emulator.client("cognito-idp").create_user_pool_client(
        UserPoolId=pool,
        ClientName="other",
        SupportedIdentityProviders=["COGNITO"],
        CallbackURLs=[callback(system)],
        AllowedOAuthFlows=["code"],
        AllowedOAuthScopes=["openid", "email", "profile"],
        AllowedOAuthFlowsUserPoolClient=True,
    )["UserPoolClient"]["ClientId"]
    return sign_in(system.emulator, client, callback(system), OWNER).id_token


def _named(system: System, filename: str, status: str) -> bool:
    """Whether the run of this file has that status; a failed one ends the test."""
    found = [status for (status,) in system.rows("select status from ingestions where filename = %s", filename)]
    assert not {"failed", "refused"} & set(found), found
    return found == [status]


def _queue(system: System, name: str) -> str:
    """The address of the queue whose name in the template begins so."""
    (url,) = (
        u for logical, u in system.deployed.physical_ids.items() if re.fullmatch(rf"{name}[0-9A-F]{{8}}", logical)
    )
    return url


def _waiting(sqs: Any, queue: str) -> int:
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    return sum(map(int, sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=names)["Attributes"].values()))


def _wait_until(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.3)


def _listed(system: System, prefix: str) -> list[str]:
    """Keys of all versions below the prefix."""
    found = system.emulator.client("s3").list_object_versions(Bucket=documents_bucket(system), Prefix=prefix)
    return [version["Key"] for version in found.get("Versions", [])]


def _executions(system: System) -> list[dict[str, Any]]:
    """Newest first."""
    machine = system.deployed.only("AWS::StepFunctions::StateMachine")
    client = system.emulator.client("stepfunctions")
    found = client.list_executions(stateMachineArn=machine)["executions"]
    return sorted(found, key=lambda execution: execution["startDate"], reverse=True)
