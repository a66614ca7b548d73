"""What a look through a source finds: new, changed, moved, doubled and gone files."""

from dataclasses import replace
from uuid import UUID, uuid5

from shared.domain.sources import Deletions, KnownFile, ListedFile, Planner, StoredBytes, SyncPlan

SPACE = UUID(int=1)


def sha(content: str) -> str:
    return content.encode().hex().ljust(64, "0")


def doc(content: str) -> UUID:
    return uuid5(SPACE, content)


def came(path: str, content: str, document: str = "", run: str | None = "ready", *, gone: bool = False) -> KnownFile:
    """A file that came with this content and is a version of `document`."""
    stored = doc(content) if run != "waiting" else None
    return KnownFile(
        path, sha(content), stored, uuid5(SPACE, document or path), uuid5(SPACE, f"run {path}"), run, "why", gone
    )


def look(files: dict[str, str], *known: KnownFile, deletions: Deletions = "keep") -> SyncPlan:
    stored = {
        one.sha256: StoredBytes(one.document_id, one.document)
        for one in known
        if one.sha256 and one.document_id and one.document
    }
    listed = [ListedFile(path=path, sha256=sha(content)) for path, content in files.items()]
    return Planner({one.path: one for one in known}, stored, deletions).plan(listed)


def actions(plan: SyncPlan) -> dict[str, str]:
    return {item.path: item.action for item in plan.items}


def test_what_never_came_is_new_and_what_came_is_the_same() -> None:
    plan = look({"a": "one", "b": "two"}, came("a", "one"))
    assert actions(plan) == {"a": "same", "b": "new"}
    assert plan.counts == {"same": 1, "new": 1}


def test_a_file_that_became_no_document_of_its_own_is_sent_once() -> None:
    for run, action in (("ready", "same"), ("ready_with_errors", "same"), ("failed", "new"), (None, "new")):
        unpacked = replace(came("a.zip", "one", run=run), document_id=None, document=None)
        assert actions(look({"a.zip": "one"}, unpacked)) == {"a.zip": action}


def test_other_bytes_at_the_same_path_are_a_version_of_what_came_there() -> None:
    (item,) = look({"a": "two"}, came("a", "one")).items
    assert (item.action, item.document_id) == ("changed", doc("one"))


def test_the_same_bytes_at_another_path_were_moved() -> None:
    (item,) = look({"b": "one"}, came("a", "one")).items
    assert (item.action, item.before, item.document_id) == ("moved", "a", doc("one"))


def test_what_was_gone_for_a_while_is_moved_when_it_comes_back_elsewhere() -> None:
    (item,) = look({"b": "one"}, came("a", "one", gone=True)).items
    assert (item.action, item.before) == ("moved", "a")


def test_one_file_is_moved_to_one_place_only() -> None:
    plan = look({"b": "one", "c": "one"}, came("a", "one"))
    assert actions(plan) == {"b": "moved", "c": "duplicate"}


def test_a_copy_beside_its_original_is_a_duplicate_and_no_move() -> None:
    plan = look({"a": "one", "b": "one"}, came("a", "one"))
    assert actions(plan) == {"a": "same", "b": "duplicate"}
    assert plan.items[1].document_id == doc("one")


def test_of_new_files_with_the_same_bytes_one_is_sent() -> None:
    plan = look({"a": "one", "b": "one"})
    assert [(item.action, item.before) for item in plan.items] == [("new", None), ("duplicate", "a")]


def test_former_bytes_again_answer_again() -> None:
    now, former = came("a", "two", "logical"), came("former", "one", "logical", gone=True)
    stored = {sha("one"): StoredBytes(doc("one"), former.document or SPACE)}
    plan = Planner({"a": now}, stored, "keep").plan([ListedFile(path="a", sha256=sha("one"))])
    assert [(item.action, item.document_id) for item in plan.items] == [("reverted", doc("one"))]


def test_one_of_two_copies_that_changes_is_a_document_of_its_own() -> None:
    plan = look({"a": "two", "b": "one"}, came("a", "one", "logical"), came("b", "one", "logical"))
    assert actions(plan) == {"a": "new", "b": "same"}


def test_what_is_gone_is_kept_and_said_once() -> None:
    assert actions(look({}, came("a", "one"))) == {"a": "kept"}
    assert actions(look({}, came("a", "one", gone=True))) == {}


def test_what_is_gone_is_removed_where_that_is_wished_even_if_it_was_kept_before() -> None:
    gone = came("a", "one", gone=True)
    assert actions(look({}, gone, came("b", "two"), deletions="remove")) == {"a": "removed", "b": "removed"}


def test_a_document_that_another_file_stands_for_is_not_removed() -> None:
    plan = look({"a": "one"}, came("a", "one", "logical"), came("b", "one", "logical"), deletions="remove")
    assert actions(plan) == {"a": "same", "b": "kept"}


def test_a_file_whose_bytes_never_arrived_is_sent_again() -> None:
    assert actions(look({"a": "one"}, came("a", "one", run="waiting"))) == {"a": "new"}


def test_a_file_under_way_is_followed_and_a_refused_one_is_not_sent_again() -> None:
    plan = look({"a": "one", "b": "two"}, came("a", "one", run="running"), came("b", "two", run="refused"))
    assert actions(plan) == {"a": "running", "b": "refused"}
    assert plan.items[1].error == "why"


def brought(parcel: str, name: str, content: str, *, within: bool = True, gone: bool = False) -> KnownFile:
    """A file that a ZIP file has brought."""
    return replace(came(f"{parcel} › {name}", content, gone=gone), parcel=parcel, within=within)


def zipped(path: str, content: str, run: str = "ready", *, gone: bool = False) -> KnownFile:
    return replace(came(path, content, run=run, gone=gone), document_id=None, document=None)


def test_what_a_zip_file_brought_is_gone_with_it() -> None:
    known = zipped("a.zip", "zip"), brought("a.zip", "x", "one")
    assert actions(look({"a.zip": "zip"}, *known, deletions="remove")) == {"a.zip": "same"}
    assert actions(look({}, *known)) == {"a.zip": "kept", "a.zip › x": "kept"}
    plan = look({}, *known, deletions="remove")
    assert actions(plan) == {"a.zip": "removed", "a.zip › x": "removed"}
    assert plan.items[1].document_id == doc("one")


def test_what_the_next_zip_file_lacks_is_gone_when_that_one_was_taken_apart_and_not_before() -> None:
    former = brought("a.zip", "x", "one", within=False)
    for run, told in (("ready", "removed"), ("running", None), ("refused", None), ("failed", None)):
        known = zipped("a.zip", "second", run), former, brought("a.zip", "y", "two")
        assert actions(look({"a.zip": "second"}, *known, deletions="remove")).get("a.zip › x") == told
    known = zipped("a.zip", "first"), brought("a.zip", "x", "one")
    assert actions(look({"a.zip": "second"}, *known, deletions="remove")) == {"a.zip": "new"}


def test_a_zip_file_that_was_moved_takes_along_what_it_brought() -> None:
    plan = look({"b.zip": "zip"}, zipped("a.zip", "zip"), brought("a.zip", "x", "one"), deletions="remove")
    assert [(item.path, item.action, item.before) for item in plan.items] == [("b.zip", "moved", "a.zip")]


def test_a_file_that_was_taken_out_of_a_zip_file_was_moved() -> None:
    plan = look({"x": "one"}, zipped("a.zip", "zip"), brought("a.zip", "x", "one"), deletions="remove")
    assert actions(plan) == {"x": "moved", "a.zip": "removed"}


def test_what_another_zip_file_has_too_is_not_removed() -> None:
    known = zipped("a.zip", "zip"), replace(brought("a.zip", "x", "one"), document=doc("logical"))
    more = zipped("b.zip", "more"), replace(brought("b.zip", "y", "one"), document=doc("logical"))
    plan = look({"b.zip": "more"}, *known, *more, deletions="remove")
    assert actions(plan) == {"b.zip": "same", "a.zip": "removed"}
