"""A ZIP file becomes as many documents as it has files, and what it holds else has a reason."""

import io
import zipfile
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from shared.domain.scope import Identity
from shared.errors import BadInput, NotFound
from shared.ingestion import uploads
from shared.ingestion.arrival import parcels
from shared.library.documents import list_documents
from shared.library.verification import verify_stored_document
from shared.readers import parcel
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, run_stage, scope_of, upload


def packed(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


FILES = {
    "rules/a/Intro.txt": b"Boats are weighed before the race.",
    "rules/b/Intro.txt": b"Boats are measured after the race.",
    "rules/same.txt": b"Boats are weighed before the race.",
    "rules/song.mp3": b"la la",
    "rules/../../out.txt": b"out",
    "rules/empty.txt": b"",
}
Send = Callable[[dict[str, bytes]], dict[str, Any]]


@pytest.fixture
def base(runtime: Runtime, identity: Identity, request: pytest.FixtureRequest) -> UUID:
    return make_knowledge_base(runtime, identity, request.node.name[-60:])


@pytest.fixture
def send(runtime: Runtime, identity: Identity, base: UUID) -> Send:
    return lambda files: upload(runtime, identity, base, packed(files), "rules.zip")


def files_of(runtime: Runtime, identity: Identity, event: dict[str, Any]) -> list[Any]:
    return uploads.list_parcel(runtime, identity, UUID(event["upload_id"]), None, 500)


def run_files(runtime: Runtime, identity: Identity, base: UUID, event: dict[str, Any]) -> None:
    for one in files_of(runtime, identity, event):
        if one.status == "queued":
            key = f"incoming/{identity.organization_id}/{base}/{one.id}/source"
            run_all(runtime, {"key": key, "upload_id": str(one.id)})


def test_every_file_is_a_document_called_by_its_path(
    runtime: Runtime, identity: Identity, base: UUID, send: Send
) -> None:
    event = send(FILES)
    run_all(runtime, event)
    run_files(runtime, identity, base, event)
    assert {(one.name, one.status) for one in list_documents(runtime, identity, base)} == {
        ("rules/a/Intro.txt", "ready"),
        ("rules/b/Intro.txt", "ready"),
    }
    told = [(one.filename, one.status, one.duplicate) for one in files_of(runtime, identity, event)]
    assert told[:3] == [
        ("rules/a/Intro.txt", "ready", False),
        ("rules/b/Intro.txt", "ready", False),
        ("rules/same.txt", "ready", True),
    ]
    reasons = [(one.filename, one.error.split(".")[0]) for one in files_of(runtime, identity, event)[3:]]
    assert [status for _, status, _ in told[3:]] == ["refused"] * 3
    assert reasons[1:] == [
        ("rules/../../out.txt", "Its path leads out of its folder; give it one below"),
        ("rules/empty.txt", "It is empty (0 bytes)"),
    ]
    assert reasons[0][0] == "rules/song.mp3"
    for document in list_documents(runtime, identity, base):
        assert verify_stored_document(runtime, identity, document.id).failed == 0


def test_files_of_a_zip_file_in_a_zip_file_are_documents_by_their_paths_through_it(
    runtime: Runtime, identity: Identity, base: UUID, send: Send
) -> None:
    third = packed({"deep.txt": b"Boats are launched by hand.", "deepest.zip": packed({"x.txt": b"Nobody sees this."})})
    second = packed({"third.zip": third, "b.txt": b"Boats are measured after the race."})
    files = {"a/second.zip": second, "a/a.txt": b"Boats are weighed before the race.", "broken.zip": b"PK but no more"}
    event = send(files)
    run_all(runtime, event)
    run_files(runtime, identity, base, event)
    assert {(one.name, one.status) for one in list_documents(runtime, identity, base)} == {
        ("a/a.txt", "ready"),
        ("a/second.zip/b.txt", "ready"),
        ("a/second.zip/third.zip/deep.txt", "ready"),
    }
    refused = [(one.filename, one.error) for one in files_of(runtime, identity, event) if one.status == "refused"]
    assert [name for name, _ in refused] == ["a/second.zip/third.zip/deepest.zip", "broken.zip"]
    assert "It lies in 3 ZIP files" in refused[0][1]


def test_many_files_in_many_zip_files_are_counted_together(
    runtime: Runtime, identity: Identity, base: UUID, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parcel, "MAX_FILES", 30)
    inner = packed({f"{n}.txt": b"Boats." for n in range(8)})
    event = send({f"{n}.zip": inner for n in range(4)})
    run_all(runtime, event)
    told = uploads.get_ingestion(runtime, identity, UUID(event["upload_id"]))
    assert (told.status, "more than 30 files" in (told.error or "")) == ("refused", True)
    assert list(runtime.blobs.list(f"incoming/{identity.organization_id}/{base}/")) == []


def test_the_parcel_itself_is_no_document_and_is_not_kept(
    runtime: Runtime, identity: Identity, base: UUID, send: Send
) -> None:
    event = send(FILES)
    run_all(runtime, event)
    told = uploads.get_ingestion(runtime, identity, UUID(event["upload_id"]))
    assert (told.status, told.document_id) == ("ready", None)
    assert told.parcel is not None
    assert told.parcel.model_dump() == {"files": 6, "open": 3, "refused": 3, "failed": 0}
    kept = list(runtime.blobs.list(f"sources/{identity.organization_id}/{base}/"))
    arrived = list(runtime.blobs.list(f"incoming/{identity.organization_id}/{base}/"))
    assert (kept, len(arrived)) == ([], 3)


def test_the_same_parcel_again_brings_nothing_new(runtime: Runtime, identity: Identity, base: UUID, send: Send) -> None:
    for event in (send(FILES), send(FILES)):
        run_all(runtime, event)
        run_files(runtime, identity, base, event)
    assert len(list_documents(runtime, identity, base)) == 2
    again = files_of(runtime, identity, event)
    assert [one.duplicate for one in again[:3]] == [True] * 3


def test_registering_twice_queues_each_file_once(runtime: Runtime, identity: Identity, base: UUID, send: Send) -> None:
    event = send(FILES)
    run_stage(runtime, "register", event)
    run_stage(runtime, "register", event)
    assert len(files_of(runtime, identity, event)) == len(FILES)


def test_what_was_interrupted_goes_on_where_it_stopped(
    runtime: Runtime, identity: Identity, base: UUID, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    event, unpack_one, calls = send(FILES), parcels._unpack_one, list[str]()  # noqa: SLF001

    def crashing(*given: Any) -> None:
        calls.append(given[4]["path"])
        if len(calls) == 2:
            raise OSError("killed")
        unpack_one(*given)

    monkeypatch.setattr(parcels, "_unpack_one", crashing)
    with pytest.raises(OSError, match="killed"):
        run_stage(runtime, "register", event)
    run_stage(runtime, "register", event)
    assert calls == ["rules/a/Intro.txt", "rules/b/Intro.txt", "rules/b/Intro.txt", "rules/same.txt"]
    assert [one.status for one in files_of(runtime, identity, event)] == ["queued"] * 3 + ["refused"] * 3


def test_a_bomb_is_refused_whole_and_leaves_nothing(
    runtime: Runtime, identity: Identity, base: UUID, send: Send
) -> None:
    event = send({f"{n}.txt": b"x" for n in range(2001)})
    assert "2,001 files in the ZIP file" in run_stage(runtime, "register", event)["error"]
    told = uploads.get_ingestion(runtime, identity, UUID(event["upload_id"]))
    assert (told.status, told.parcel) == ("refused", None)
    assert list(runtime.blobs.list(f"sources/{identity.organization_id}/{base}/")) == []


def test_a_parcel_is_no_version_of_a_document(runtime: Runtime, identity: Identity, base: UUID, send: Send) -> None:
    event = send({"a.txt": b"One."})
    run_all(runtime, event)
    run_files(runtime, identity, base, event)
    (document,) = list_documents(runtime, identity, base)
    with pytest.raises(BadInput, match="no version of a document"):
        upload(runtime, identity, base, packed({"a.txt": b"Two."}), "a.zip", version_of=document.id)


def test_nobody_else_sees_the_files(runtime: Runtime, other_identity: Identity, send: Send) -> None:
    event = send(FILES)
    run_stage(runtime, "register", event)
    with pytest.raises(NotFound):
        uploads.list_parcel(runtime, other_identity, UUID(event["upload_id"]), None, 500)


def test_a_file_of_a_folder_is_called_by_its_path(runtime: Runtime, identity: Identity, base: UUID) -> None:
    assert scope_of(identity, base)
    request = {"filename": "x.txt", "size": 4, "sha256": "0" * 64, "knowledge_base_id": base}
    ticket = uploads.create_upload(runtime, identity, uploads.UploadRequest(**request, path="./a/b/x.txt"))
    assert uploads.get_ingestion(runtime, identity, ticket.upload_id).filename == "a/b/x.txt"
    with pytest.raises(BadInput, match="leads out"):
        uploads.create_upload(runtime, identity, uploads.UploadRequest(**request, path="../x.txt"))
