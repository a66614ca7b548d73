"""A knowledge base follows a folder, a mailbox or a bucket, by whichever machine it is sent."""

import hashlib
from typing import Any

import pytest

from shared.domain.scope import Identity
from shared.domain.sources import ListedFile, NewSource, SourceLook
from shared.errors import BadInput, NotFound
from shared.ingestion import uploads
from shared.library import sources
from shared.library.documents import delete_document, list_documents
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all


class Folder:
    """A folder that is looked through and sent as `autri sync` does."""

    def __init__(self, runtime: Runtime, identity: Identity, name: str) -> None:
        self.runtime, self.identity = runtime, identity
        self.base = make_knowledge_base(runtime, identity, name)
        wanted = NewSource(knowledge_base_id=self.base, kind="folder", name="handbook")
        self.source = sources.put_source(runtime, identity, wanted)
        self.files: dict[str, str] = {}

    def look(self, **wish: Any) -> dict[str, str]:
        listed = [ListedFile(path=path, sha256=_sha(text)) for path, text in self.files.items()]
        plan = sources.look_through(self.runtime, self.identity, self.source.id, SourceLook(files=listed, **wish))
        return {item.path: item.action for item in plan.items}

    def sync(self, **wish: Any) -> dict[str, str]:
        told = self.look(**wish)
        for path in [path for path, action in told.items() if action in ("new", "changed")]:
            self.send(path)
        return told

    def send(self, path: str) -> None:
        data = self.files[path].encode()
        ticket = self.announce(path)
        uploads.receive_upload(self.runtime, self.identity, ticket.upload_id, [data])
        key = f"incoming/{self.identity.organization_id}/{self.base}/{ticket.upload_id}/source"
        run_all(self.runtime, {"key": key})

    def announce(self, path: str) -> uploads.UploadTicket:
        data = self.files[path].encode()
        request = uploads.UploadRequest(
            filename=path.rpartition("/")[2],
            path=path,
            size=len(data),
            sha256=_sha(self.files[path]),
            knowledge_base_id=self.base,
            source_id=self.source.id,
        )
        return uploads.create_upload(self.runtime, self.identity, request)

    def documents(self) -> list[tuple[str, int, bool]]:
        found = list_documents(self.runtime, self.identity, self.base)
        return sorted((one.name, one.version.index, one.version.is_current) for one in found if one.version)


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def folder(runtime: Runtime, identity: Identity, request: pytest.FixtureRequest) -> Folder:
    return Folder(runtime, identity, request.node.name[-60:])


def test_a_second_look_finds_nothing_to_do(folder: Folder) -> None:
    folder.files = {"a.txt": "Boats are weighed.", "b/a.txt": "Boats are measured."}
    assert folder.sync() == {"a.txt": "new", "b/a.txt": "new"}
    assert folder.look() == {"a.txt": "same", "b/a.txt": "same"}
    assert folder.documents() == [("a.txt", 1, True), ("b/a.txt", 1, True)]


def test_a_changed_file_is_the_next_version_and_changed_back_the_former_one_answers(folder: Folder) -> None:
    folder.files = {"a.txt": "Boats are weighed."}
    folder.sync()
    folder.files["a.txt"] = "Boats are weighed twice."
    assert folder.sync() == {"a.txt": "changed"}
    assert folder.documents() == [("a.txt", 1, False), ("a.txt", 2, True)]
    folder.files["a.txt"] = "Boats are weighed."
    assert folder.sync() == {"a.txt": "reverted"}
    assert folder.documents() == [("a.txt", 1, True), ("a.txt", 2, False)]
    assert folder.look() == {"a.txt": "same"}


def test_a_moved_file_is_called_otherwise_and_not_read_again(folder: Folder) -> None:
    folder.files = {"old/a.txt": "Boats are weighed."}
    folder.sync()
    (before,) = list_documents(folder.runtime, folder.identity, folder.base)
    folder.files = {"new/b.txt": "Boats are weighed."}
    assert folder.sync() == {"new/b.txt": "moved"}
    (after,) = list_documents(folder.runtime, folder.identity, folder.base)
    assert (after.id, after.name) == (before.id, "new/b.txt")
    assert len(uploads.list_ingestions(folder.runtime, folder.identity, folder.base)) == 1
    assert folder.look() == {"new/b.txt": "same"}


def test_what_is_gone_stays_unless_it_is_to_be_removed_with_all_its_versions(folder: Folder) -> None:
    folder.files = {"a.txt": "Boats are weighed.", "b.txt": "Boats are measured."}
    folder.sync()
    folder.files["a.txt"] = "Boats are weighed twice."
    folder.sync()
    del folder.files["a.txt"]
    assert folder.sync() == {"b.txt": "same", "a.txt": "kept"}
    assert len(folder.documents()) == 3
    assert folder.sync(deletions="remove")["a.txt"] == "removed"
    assert folder.documents() == [("b.txt", 1, True)]


def test_an_empty_folder_deletes_nothing_unless_it_is_said_to_be_empty(folder: Folder) -> None:
    folder.files = {"a.txt": "Boats are weighed."}
    folder.sync()
    folder.files = {}
    with pytest.raises(BadInput, match="may not be mounted"):
        folder.look(deletions="remove")
    assert len(folder.documents()) == 1
    assert folder.look(deletions="remove", empty=True) == {"a.txt": "removed"}
    assert folder.documents() == []


def test_a_dry_run_changes_nothing(folder: Folder) -> None:
    folder.files = {"a.txt": "Boats are weighed."}
    folder.sync()
    folder.files = {"b.txt": "Boats are weighed."}
    assert folder.look(dry_run=True, deletions="remove") == {"b.txt": "moved"}
    assert folder.documents() == [("a.txt", 1, True)]


def test_a_file_that_was_announced_and_never_sent_is_sent_again(folder: Folder) -> None:
    folder.files = {"a.txt": "Boats are weighed."}
    folder.look()
    folder.announce("a.txt")
    assert folder.sync() == {"a.txt": "new"}
    assert folder.look() == {"a.txt": "same"}
    assert len(folder.documents()) == 1


def test_copies_are_one_document(folder: Folder) -> None:
    folder.files = {"a.txt": "Boats are weighed.", "copy.txt": "Boats are weighed."}
    assert folder.sync() == {"a.txt": "new", "copy.txt": "duplicate"}
    assert folder.look() == {"a.txt": "same", "copy.txt": "duplicate"}
    assert folder.look() == {"a.txt": "same", "copy.txt": "same"}
    del folder.files["a.txt"]
    assert folder.sync(deletions="remove")["copy.txt"] == "same"
    assert len(folder.documents()) == 1


def test_a_deleted_document_comes_back_with_the_next_look(folder: Folder) -> None:
    folder.files = {"a.txt": "Boats are weighed."}
    folder.sync()
    (document,) = list_documents(folder.runtime, folder.identity, folder.base)
    delete_document(folder.runtime, folder.identity, document.id)
    assert folder.sync() == {"a.txt": "new"}
    assert len(folder.documents()) == 1


def test_the_same_name_is_the_same_source_wherever_it_is_sent_from(folder: Folder) -> None:
    wanted = NewSource(knowledge_base_id=folder.base, kind="folder", name="handbook")
    assert sources.put_source(folder.runtime, folder.identity, wanted).id == folder.source.id
    listed = sources.list_sources(folder.runtime, folder.identity, folder.base, None, 10)
    assert [one.id for one in listed] == [folder.source.id]


def test_a_path_out_of_the_folder_is_refused(folder: Folder) -> None:
    for path in ("../a.txt", "/a.txt", "a//b.txt"):
        folder.files = {path: "x"}
        with pytest.raises(BadInput):
            folder.look()


def test_nobody_else_sees_or_changes_a_source(folder: Folder, other_identity: Identity) -> None:
    with pytest.raises(NotFound):
        sources.get_source(folder.runtime, other_identity, folder.source.id)
    with pytest.raises(NotFound):
        sources.look_through(folder.runtime, other_identity, folder.source.id, SourceLook(files=[]))
    with pytest.raises(NotFound):
        sources.list_items(folder.runtime, other_identity, folder.source.id, "", 10)
    with pytest.raises(NotFound):
        sources.remove_source(folder.runtime, other_identity, folder.source.id)


def test_a_file_of_a_source_of_another_knowledge_base_is_refused(
    folder: Folder, runtime: Runtime, identity: Identity
) -> None:
    folder.files = {"a.txt": "x"}
    folder.base = make_knowledge_base(runtime, identity, "another one")
    with pytest.raises(NotFound, match="no source"):
        folder.announce("a.txt")


def test_removing_a_source_leaves_its_documents(folder: Folder) -> None:
    folder.files = {"a.txt": "Boats are weighed."}
    folder.sync()
    sources.remove_source(folder.runtime, folder.identity, folder.source.id)
    assert folder.documents() == [("a.txt", 1, True)]
    with pytest.raises(NotFound):
        sources.get_source(folder.runtime, folder.identity, folder.source.id)
