"""Evidence cannot be swapped: every moment at which somebody could try, in a folder and in a bucket alike."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pymupdf
import pytest

from shared.adapters.aws.s3 import S3BlobStore
from shared.adapters.local.files import FileBlobStore
from shared.contract import STAGES
from shared.domain.knowledge import Document
from shared.domain.scope import Identity
from shared.errors import SourceChanged
from shared.evidence import find_change
from shared.ingestion.uploads import get_ingestion, reingest
from shared.library.documents import delete_document, get_document
from shared.library.pages import list_chunks
from shared.library.verification import verify_stored_document
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from tests.aws.bucket import BUCKET
from tests.pipeline import make_knowledge_base, run_all, run_stage, scope_of, shards, upload

PASSWORD = "hush-9241"


def one_page(word: str, protected: bool = False) -> bytes:
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 200), f"The {word} wing weighs nine kilograms.")
        keys = {"encryption": 5, "owner_pw": "owner", "user_pw": PASSWORD} if protected else {}
        return document.tobytes(**keys)


# Of the same size, so that only the bytes tell them apart.
GENUINE, FORGED = (one_page(word).ljust(1024) for word in ("genuine", "swapped"))


@dataclass(frozen=True)
class Place:
    """A store with a knowledge base, and how somebody who gets at the store's objects puts others in their place."""

    runtime: Runtime
    identity: Identity
    base: UUID
    replace_object: Callable[[str, bytes], None]
    # What is put beside a pinned version is never read; elsewhere it is found out.
    withstands: bool

    def upload(self, data: bytes = GENUINE, password: str | None = None) -> dict[str, Any]:
        return upload(self.runtime, self.identity, self.base, data, f"{uuid4()}.pdf", password=password)

    def row(self, document_id: str) -> dict[str, Any]:
        with self.runtime.database.transaction(scope_of(self.identity, self.base)) as connection:
            found = connection.execute("select * from documents where id = %s", (document_id,)).fetchone()
        assert found is not None
        return found

    def document(self, document_id: str) -> Document:
        return get_document(self.runtime, self.identity, UUID(document_id))

    def text(self, document_id: str) -> str:
        return " ".join(chunk.content for chunk in list_chunks(self.runtime, self.identity, UUID(document_id)))

    def forge(self, document_id: str) -> None:
        self.replace_object(self.row(document_id)["source_key"], FORGED)

    def prove(self, document_id: str, *, refresh: bool = False) -> tuple[bool, list[str]]:
        report = verify_stored_document(self.runtime, self.identity, UUID(document_id), refresh=refresh)
        assert report.verbatim + report.ocr + report.failed == report.chunks > 0
        return report.ok, [failure.check for failure in report.failures]

    def flags(self, document_id: str) -> tuple[str | None, set[str], set[str]]:
        """The tier, the flags of hits, and those of listed chunks."""
        hits = search(self.runtime, self.identity, SearchRequest(query="wing", knowledge_base_ids=[self.base])).hits
        assert str(hits[0].document.id) == document_id
        listed = list_chunks(self.runtime, self.identity, UUID(document_id))
        tier = self.document(document_id).tier
        return tier, {f for hit in hits for f in hit.chunk.flags}, {f for chunk in listed for f in chunk.flags}


@pytest.fixture(params=["folder", "bucket, put over it", "bucket, its versions gone"])
def place(request: pytest.FixtureRequest, runtime: Runtime, identity: Identity, tmp_path: Path) -> Place:
    base = make_knowledge_base(runtime, identity, uuid4().hex)
    if request.param == "folder":
        folder = FileBlobStore(tmp_path / "blobs")
        return Place(replace(runtime, blobs=folder), identity, base, folder.put, withstands=False)
    bucket = request.getfixturevalue("bucket")
    store = S3BlobStore(BUCKET, tmp_path / "copies")

    def put_in_its_place(key: str, data: bytes) -> None:
        if "gone" in request.param:
            store.delete_prefix(key)
        bucket.put_object(Key=key, Body=data)

    return Place(
        replace(runtime, blobs=store), identity, base, put_in_its_place, withstands="put over" in request.param
    )


def run_from(place: Place, answer: dict[str, Any], stage: str, until: str = "publish") -> None:
    """The stages behind `stage`, up to and including `until`."""
    names = [known.name for known in STAGES]
    for known in STAGES[names.index(stage) + 1 : names.index(until) + 1]:
        for work in shards(place.runtime, answer) if known.mapped else [answer]:
            run_stage(place.runtime, known.name, work)


def run_again(place: Place, document_id: str) -> dict[str, Any]:
    """The event of another run."""
    started = reingest(place.runtime, place.identity, UUID(document_id))
    row = place.row(document_id)
    ids = {name: str(row[name]) for name in ("organization_id", "knowledge_base_id")}
    return {"schema": 1, **ids, "document_id": document_id, "ingestion_id": str(started.id)}


def test_swapped_before_register_no_document_comes_of_it_and_nothing_is_kept(place: Place) -> None:
    event = place.upload()
    place.replace_object(event["key"], FORGED)
    answer = run_stage(place.runtime, "register", event)
    told = get_ingestion(place.runtime, place.identity, UUID(event["upload_id"]))
    assert (told.status, told.document_id) == ("refused", None)
    assert answer == {"outcome": "refused", "error": told.error}
    assert "arrived damaged" in (told.error or "")
    assert list(place.runtime.blobs.list("")) == []


@pytest.mark.parametrize("stage", [stage.name for stage in STAGES[:-1]])
def test_swapped_between_stages_the_second_text_is_never_served(place: Place, stage: str) -> None:
    answer = run_stage(place.runtime, "register", place.upload())
    run_from(place, answer, "register", stage)
    place.forge(answer["document_id"])
    if place.withstands:
        run_from(place, answer, stage)
    else:
        with pytest.raises(SourceChanged, match="is not the file that was uploaded"):
            run_from(place, answer, stage)
    row = place.row(answer["document_id"])
    assert (row["serving"], row["source_changed_at"] is None) == (place.withstands, place.withstands)
    assert "swapped" not in place.text(answer["document_id"])
    if place.withstands:
        assert "genuine" in place.text(answer["document_id"])
        assert place.prove(answer["document_id"]) == (True, [])


def test_swapped_after_it_is_ready_nothing_is_proved_until_the_same_file_is_sent_again(place: Place) -> None:
    document_id = run_all(place.runtime, place.upload())["document_id"]
    assert place.prove(document_id) == (True, [])
    before = place.flags(document_id)
    assert before == ("green", set(), set())
    place.forge(document_id)
    if place.withstands:
        assert place.prove(document_id, refresh=True) == (True, [])
        assert place.flags(document_id) == before
        return
    since: set[datetime] = set()
    for refresh in (False, True):
        assert place.prove(document_id, refresh=refresh) == (False, ["source"])
        since.add(place.row(document_id)["source_changed_at"])
    assert len(since) == 1, "what is known is not written again"
    assert place.flags(document_id) == ("red", {"source_changed"}, {"source_changed"})
    assert run_all(place.runtime, place.upload()) == {"outcome": "duplicate", "document_id": document_id}
    assert place.prove(document_id) == (True, [])
    assert place.flags(document_id) == before


def test_a_proof_says_which_hash_was_expected_and_which_was_found(place: Place) -> None:
    document_id = run_all(place.runtime, place.upload())["document_id"]
    place.runtime.blobs.delete_prefix(place.row(document_id)["source_key"])
    report = verify_stored_document(place.runtime, place.identity, UUID(document_id))
    (failure,) = report.failures
    assert (failure.document_id, failure.chunk_id, failure.page) == (document_id, None, None)
    assert failure.expected == f"SHA-256 {sha256(GENUINE).hexdigest()}"
    assert failure.actual == "no stored file"
    assert (report.verbatim, report.failed) == (0, report.chunks)


def test_swapped_before_a_further_run_the_run_ends_and_the_chunks_stay(place: Place) -> None:
    document_id = run_all(place.runtime, place.upload())["document_id"]
    place.forge(document_id)
    again = run_again(place, document_id)
    if place.withstands:
        run_all(place.runtime, again)
        assert place.prove(document_id) == (True, [])
    else:
        with pytest.raises(SourceChanged):
            run_all(place.runtime, again)
        assert place.flags(document_id) == ("red", {"source_changed"}, {"source_changed"})
    assert "genuine" in place.text(document_id)
    assert "swapped" not in place.text(document_id)


@pytest.mark.parametrize("until", ["register", "parse", "publish"])
def test_what_comes_under_a_used_ticket_is_removed_unread(place: Place, until: str) -> None:
    event = place.upload()
    answer = run_stage(place.runtime, "register", event)
    run_from(place, answer, "register", until)
    place.runtime.blobs.put(event["key"], FORGED)
    told_again = run_stage(place.runtime, "register", event)
    if until == "publish":
        assert told_again == {"outcome": "duplicate", "document_id": answer["document_id"]}
    else:
        assert told_again == answer
        run_from(place, answer, until)
    assert not place.runtime.blobs.exists(event["key"])
    assert "genuine" in place.text(answer["document_id"])
    assert place.prove(answer["document_id"], refresh=True) == (True, [])


def test_told_of_one_object_four_times_at_once_it_is_one_document_with_its_source(place: Place) -> None:
    event = place.upload()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: run_stage(place.runtime, "register", event), range(4)))
    assert [answer["outcome"] for answer in answers] == ["run"] * 4
    assert len({answer["document_id"] for answer in answers}) == 1
    run_from(place, answers[0], "register")
    assert place.prove(answers[0]["document_id"]) == (True, [])


class Overtaken(FileBlobStore):
    """What others do between somebody's looking for an object and reading it."""

    meanwhile: Callable[[Path], object] | None = None

    def local_copy(self, key: str, version: str | None = None) -> Path:
        path = super().local_copy(key, version)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile(path)
        return path


@pytest.fixture
def overtaken(runtime: Runtime, identity: Identity, tmp_path: Path) -> tuple[Place, Overtaken]:
    store, base = Overtaken(tmp_path / "blobs"), make_knowledge_base(runtime, identity, uuid4().hex)
    return Place(replace(runtime, blobs=store), identity, base, store.put, withstands=False), store


@pytest.mark.parametrize("look", [1, 2], ids=["before it is compared", "before it is copied"])
def test_who_is_overtaken_with_what_arrived_goes_on_with_what_the_other_has_in_custody(
    overtaken: tuple[Place, Overtaken], look: int
) -> None:
    (place, store), others = overtaken, list[dict[str, Any]]()
    event = place.upload()

    def register(_: Path) -> None:
        others.append(run_stage(place.runtime, "register", event))

    def wait(_: Path) -> None:
        store.meanwhile = register

    store.meanwhile = (register, wait)[look - 1]
    answer = run_stage(place.runtime, "register", event)
    assert (answer["outcome"], [answer]) == ("run", others)
    run_from(place, answer, "register")
    assert place.prove(answer["document_id"]) == (True, [])


def test_a_file_that_goes_while_it_is_compared_is_a_source_that_is_not_there(
    overtaken: tuple[Place, Overtaken],
) -> None:
    place, store = overtaken
    row = place.row(run_all(place.runtime, place.upload())["document_id"])
    store.meanwhile = Path.unlink
    change = find_change(place.runtime, row)
    assert change is not None
    assert change.actual == "no stored file"


def test_register_goes_on_with_the_copy_that_a_crash_left_in_custody(place: Place) -> None:
    event = place.upload()
    copy = event["key"].replace("incoming/", "sources/")
    place.runtime.blobs.copy(event["key"], place.runtime.blobs.latest_version(event["key"]), copy)
    place.runtime.blobs.put(event["key"], FORGED)
    document_id = run_all(place.runtime, event)["document_id"]
    assert place.row(document_id)["source_key"] == copy
    assert place.prove(document_id) == (True, [])


def test_a_copy_in_custody_that_is_not_what_was_announced_is_not_registered(place: Place) -> None:
    event = place.upload()
    place.runtime.blobs.put(event["key"].replace("incoming/", "sources/"), FORGED)
    with pytest.raises(SourceChanged, match="before it was registered"):
        run_stage(place.runtime, "register", event)
    assert get_ingestion(place.runtime, place.identity, UUID(event["upload_id"])).document_id is None


def test_the_opened_copy_of_a_protected_source_is_compared_too(place: Place) -> None:
    event = place.upload(one_page("genuine", protected=True), PASSWORD)
    answer = run_all(place.runtime, event)
    document_id = answer["document_id"]
    assert place.prove(document_id) == (True, [])
    place.runtime.blobs.put(place.row(document_id)["opened_key"], FORGED)
    assert place.prove(document_id) == (False, ["source"])
    assert place.flags(document_id)[0] == "red"
    with pytest.raises(SourceChanged, match="opened copy"):
        run_all(place.runtime, run_again(place, document_id))
    assert "swapped" not in place.text(document_id)


def test_a_changed_source_is_no_pages_fault(place: Place) -> None:
    answer = run_stage(place.runtime, "register", place.upload())
    place.runtime.blobs.delete_prefix(place.row(answer["document_id"])["source_key"])
    with pytest.raises(SourceChanged):
        run_stage(place.runtime, "render", {**shards(place.runtime, answer)[0], "isolated": True})
    with place.runtime.database.transaction(scope_of(place.identity, place.base)) as connection:
        failed = connection.execute(
            "select page from ingestion_pages where ingestion_id = %s", (answer["ingestion_id"],)
        ).fetchall()
    assert failed == []


def test_the_evidence_goes_with_its_document(place: Place) -> None:
    document_id = run_all(place.runtime, place.upload())["document_id"]
    place.forge(document_id)
    run_all(place.runtime, place.upload())
    assert list(place.runtime.blobs.list("sources/")) != []
    delete_document(place.runtime, place.identity, UUID(document_id))
    assert list(place.runtime.blobs.list("")) == []
