"""The deployed system as its owner uses it: over the HTTP API, and by calling a function where a test has to."""

import hashlib
import io
import json
import time
import zipfile
from typing import Any

import httpx

from tests.aws.system import System
from tests.patience import PATIENCE_S

OWNER = "owner@example.com"
INGESTION_TIMEOUT_S = 600
FINAL = {"ready", "ready_with_errors", "refused", "failed"}


def address_of(system: System) -> str:
    """The deployment's without CloudFront before it, as the emulator serves it."""
    api = system.deployed.only("AWS::ApiGatewayV2::Api")
    return f"{system.emulator.url}/_aws/execute-api/{api}/$default"


def callback(system: System) -> str:
    """Where the hosted login may send people back to."""
    return f"{system.deployed.output('Url')}/auth/callback"


def web_client(system: System) -> str:
    """The pages' own client of the user pool."""
    return system.deployed.output("IdentityClientId")


def upload(
    owner: httpx.Client, knowledge_base_id: str, data: bytes, name: str, engine: str = "layout", **more: str
) -> str:
    """Announce a file and send it as a browser does; `more` are further fields of the announcement."""
    ticket = announce(owner, knowledge_base_id, data, name, engine, **more)
    send(ticket, data)
    return str(ticket["upload_id"])


def announce(
    owner: httpx.Client, knowledge_base_id: str, data: bytes, name: str, engine: str = "layout", **more: str
) -> dict[str, Any]:
    """The ticket for a file."""
    announced = {
        "filename": name,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "knowledge_base_id": knowledge_base_id,
        "engine": engine,
        **more,
    }
    ticket = ok(owner.post("/v1/uploads", json=announced))
    assert ticket["method"] == "POST"
    return ticket


def send(ticket: dict[str, Any], data: bytes) -> None:
    sent = httpx.post(ticket["url"], data=ticket["fields"], files={"file": data}, timeout=PATIENCE_S)
    assert sent.is_success, sent.text


def wait(owner: httpx.Client, upload_id: str) -> dict[str, Any]:
    deadline = time.monotonic() + INGESTION_TIMEOUT_S
    while True:
        ingestion = ok(owner.get(f"/v1/ingestions/{upload_id}"))
        if ingestion["status"] in FINAL:
            return ingestion
        assert time.monotonic() < deadline, json.dumps(ingestion)
        time.sleep(0.5)


def upload_parcel(owner: httpx.Client, knowledge_base_id: str, files: dict[str, str]) -> list[dict[str, Any]]:
    """The runs of the files in a ZIP file, when all have ended."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    parcel = wait(owner, upload(owner, knowledge_base_id, packed.getvalue(), "parcel.zip"))
    inside = ok(owner.get(f"/v1/ingestions/{parcel['id']}/files"))["items"]
    return [wait(owner, one["id"]) for one in inside]


def invoke(system: System, stage: str, event: dict[str, Any]) -> dict[str, Any]:
    """The deployed function's own answer, or its error."""
    (name,) = (
        physical
        for logical, physical in system.deployed.physical_ids.items()
        if logical.startswith((f"Ingestion{stage.capitalize()}Function", f"{stage}Function"))
        and system.deployed.types[logical] == "AWS::Lambda::Function"
    )
    answer = system.emulator.client("lambda").invoke(FunctionName=name, Payload=json.dumps(event).encode())
    return json.loads(answer["Payload"].read())


def ok(answer: httpx.Response) -> dict[str, Any]:
    assert answer.is_success, f"{answer.status_code} {answer.text}"
    return answer.json()


def documents_bucket(system: System) -> str:
    return bucket_of(system, "Documents")


def bucket_of(system: System, part: str) -> str:
    """The bucket whose name in the template has this part."""
    (bucket,) = [
        physical
        for name, physical in system.deployed.physical_ids.items()
        if system.deployed.types[name] == "AWS::S3::Bucket" and part in name
    ]
    return bucket
