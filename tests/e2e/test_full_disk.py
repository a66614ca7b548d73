"""A disk that is full, for real: a small file system of its own below the data folder."""

import hashlib
import os
import random
import string
import subprocess
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI

from functions.api.app import create_app
from functions.api.identity import development_identity
from functions.local import local_store
from shared.adapters.local.files import FileBlobStore
from shared.domain.scope import Identity
from shared.errors import StorageFull
from shared.ingestion import runner as runner_module
from shared.ingestion.uploads import get_ingestion
from shared.readers.pdf.document import open_pdf
from shared.runtime import Runtime
from shared.store import identities
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT
from tests.api.attempts import fill_path, minimal_body, operations
from tests.api.conftest import Client
from tests.api.test_tenancy import Ids, make_ids
from tests.e2e.test_ingestion import small_pdf
from tests.e2e.test_protected_files import protected_pdf
from tests.e2e.test_runner import Submit, pool, runner
from tests.patience import PATIENCE_S
from tests.pipeline import make_knowledge_base, scope_of, upload
from tests.processes import kill, postmaster, wait_until

__all__ = ["pool"]


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Generator[Path]:
    """`folder` as a file system of that size. Skips where this machine does not let us make one."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0700", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("a small file system can be mounted by root alone")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Take all that is left."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 16))
        except OSError:
            pass
    return filler


def test_files_that_find_no_room_are_told_so_and_the_ingestion_goes_on_when_there_is(
    runtime: Runtime, identity: Identity, test_home: Path, pool: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "UNAVAILABLE_WAIT_S", 0.5)
    base = make_knowledge_base(runtime, identity, "full disk")
    assert isinstance(runtime.blobs, FileBlobStore)
    with small_disk(runtime.blobs.root, 8) as disk:
        event = upload(runtime, identity, base, small_pdf("full disk"))
        filler = fill(disk)
        refused = send(Client(create_app(runtime, lambda _: identity, local=True)), str(base), small_pdf("no room"))
        assert refused.status_code == 507
        assert str(disk) in refused.json()["detail"]
        assert [path for path in disk.rglob("*") if ".part-" in str(path) and path.is_file()] == []
        with runner(runtime, pool, scope_of(identity, base)):
            time.sleep(2)
            assert get_ingestion(runtime, identity, UUID(event["upload_id"])).status in {"queued", "running"}
            filler.unlink()
            wait_for_end_of(runtime, identity, UUID(event["upload_id"]))
        assert get_ingestion(runtime, identity, UUID(event["upload_id"])).status == "ready"


def send(client: Client, base: str, data: bytes) -> httpx.Response:
    """The answer to a file's bytes, once it was announced."""
    sha256 = hashlib.sha256(data).hexdigest()
    announced = {"knowledge_base_id": base, "filename": "a.pdf", "size": len(data), "sha256": sha256}
    ticket = client.post("/v1/uploads", json=announced).json()
    return client("PUT", ticket["url"], content=data)


def wait_for_end_of(runtime: Runtime, identity: Identity, ingestion: UUID) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while get_ingestion(runtime, identity, ingestion).status in {"queued", "running"}:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def new_base(client: Client, number: int) -> httpx.Response:
    """A knowledge base whose description takes a page of the table's file."""
    body = {"name": f"n{number}", "description": "".join(random.choices(string.ascii_letters, k=1900))}
    return client.post("/v1/knowledge-bases", json=body)


def every_route(app: FastAPI, ids: Ids) -> Iterator[tuple[str, httpx.Response]]:
    """Each operation's answer; what deletes comes last. Each says that there is no room, or does its work."""
    client, described = Client(app), app.openapi()
    for method, template, operation in sorted(operations(described), key=lambda one: one[0] == "DELETE"):
        body = minimal_body(described, operation, ids)
        answer = client(method, fill_path(template, ids), **({"json": body} if body else {"content": b""}))
        name = f"{method} {template}"
        assert answer.status_code in {507, 503} or answer.status_code < 500, (name, answer.text)
        if answer.status_code == 507:
            assert "is full" in answer.json()["detail"], (name, answer.text)
        yield name, answer


def test_a_database_without_room_answers_507_and_serves_again_when_there_is(test_home: Path) -> None:
    home = test_home / "full"
    with small_disk(home, 160) as disk, local_store(home) as system:
        app = create_app(system.runtime, development_identity(system.runtime), local=True)
        client = Client(app)
        with system.runtime.database.unscoped() as connection:
            identity = identities.resolve_identity(connection, LOCAL_ISSUER, LOCAL_SUBJECT)
        assert identity is not None
        ids = make_ids(system.runtime, identity, client, "bronze")
        filler = fill(disk)
        answers = (new_base(client, number) for number in range(400))
        refused = next(answer for answer in answers if answer.status_code != 201)
        assert refused.status_code == 507
        assert refused.headers["content-type"] == "application/problem+json"
        assert f"{home} is full" in refused.json()["detail"]
        assert "Retry-After" in refused.headers
        answered = dict(every_route(app, ids))
        assert answered["GET /v1/documents/{document_id}/verify"].json()["ok"]
        filler.unlink()
        deadline = time.monotonic() + PATIENCE_S
        while (answer := new_base(client, 1000)).status_code != 201:
            assert time.monotonic() < deadline, answer.text
            time.sleep(0.5)


def test_a_database_that_a_full_disk_has_stopped_starts_again_and_is_read_from(test_home: Path) -> None:
    home = test_home / "stopped"
    with small_disk(home, 200) as disk, local_store(home) as system:
        client = Client(create_app(system.runtime, development_identity(system.runtime), local=True))
        assert new_base(client, 1).status_code == 201
        wait_until((home / "postgres.reserve").exists)
        for _ in range(2):
            filler = fill(disk)
            kill(postmaster(home))
            wait_until(lambda: client.get("/v1/knowledge-bases").status_code == 200)
            assert [base["name"] for base in client.get("/v1/knowledge-bases").json()["items"]] == ["n1"]
            assert not (home / "postgres.reserve").exists(), "it runs on what was set aside"
            filler.unlink()
            wait_until((home / "postgres.reserve").exists)
        assert new_base(client, 2).status_code == 201
    assert not any(home.iterdir())


def test_an_opened_copy_that_finds_no_room_is_no_damaged_file(tmp_path: Path) -> None:
    file = tmp_path / "protected.pdf"
    file.write_bytes(protected_pdf("room"))
    with open_pdf(file, "hush-9241") as source, small_disk(tmp_path / "small", 1) as disk:
        filler = fill(disk)
        with pytest.raises(StorageFull, match="no room"):
            source.save_opened(disk / "opened.pdf")
        filler.unlink()
        source.save_opened(disk / "opened.pdf")
        with open_pdf(disk / "opened.pdf") as opened:
            assert (opened.page_count, opened.is_protected) == (source.page_count, False)
