"""What a head says holds for the passages below it, up to the next head that begins."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from shared.domain.attributes import own_names
from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.domain.edits import Edit
from shared.domain.ids import new_id
from shared.domain.operations import PageOperations, RegisterChunk
from shared.extraction.attributes import heads
from shared.extraction.edits import plans
from shared.extraction.edits.replay import replay
from shared.extraction.structure import operations_of_structure
from shared.readers.mail.document import open_mail
from tests.unit.test_attributes import attached, page_of


def told(draft: DocumentDraft, role: str | None) -> list[list[str]]:
    """Of each passage what it has of its own, or in this role, as printed."""
    return [[one.raw for one in chunk.attributes if one.role == role] for chunk in draft.chunks]


def of_lines(*lines: tuple[str, str | None]) -> DocumentDraft:
    """A passage of each line, with its mark as a head."""
    page = page_of([text for text, _ in lines])
    marked = [
        RegisterChunk.model_validate(
            {"fragment_ids": [one.id], "chunk_type": "list" if head else "text", "head": head}
        )
        for one, (_, head) in zip(page.fragments, lines, strict=True)
    ]  # fmt: skip
    return attached(page, *marked)


def test_a_head_holds_up_to_the_next_one_that_begins_with_what_goes_on_of_it() -> None:
    draft = of_lines(
        ("Weight: 90 kg", "begins"), ("Length: 4 m", "goes_on"), ("The crane is blue.", None),
        ("Weight: 70 kg", "begins"), ("The winch is red.", None),
    )  # fmt: skip
    assert told(draft, None) == [["90 kg"], ["4 m"], [], ["70 kg"], []]
    assert told(draft, "head") == [["4 m"], ["90 kg"], ["90 kg", "4 m"], [], ["70 kg"]]


def test_a_head_holds_for_so_many_passages_and_the_others_say_that_it_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(heads, "VALUES_MAX", 3)
    lines = [("Weight: 90 kg", "begins"), ("Length: 4 m", None), ("It is blue.", None), ("It is old.", None)]
    draft = of_lines(*lines, ("It is ours.", None), ("Weight: 70 kg", "begins"), ("It is red.", None))
    assert told(draft, "head") == [[], ["90 kg"], ["90 kg"], ["90 kg"], [], [], []]
    assert [chunk.flags for chunk in draft.chunks] == [[], [], [], [], ["head_left_out"], [], ["head_left_out"]]


def test_behind_a_passage_without_its_head_none_has_some_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "VALUES_MAX", 5)
    head, blue = [("Weight: 90 kg", "begins"), ("Length: 4 m", "goes_on")], ("It is blue.", None)
    draft = of_lines(*head, blue, blue, ("Weight: 70 kg", None))
    assert told(draft, "head") == [["4 m"], ["90 kg"], ["90 kg", "4 m"], [], []]
    assert [chunk.flags for chunk in draft.chunks[3:]] == [["head_left_out"], ["head_left_out"]]


def test_what_stands_above_the_first_head_has_none_of_it() -> None:
    draft = of_lines(("The crane is blue.", None), ("Weight: 90 kg", "begins"), ("The winch is red.", None))
    assert told(draft, "head") == [[], [], ["90 kg"]]


def test_what_a_head_mentions_in_a_sentence_holds_for_the_head_alone() -> None:
    draft = of_lines(
        ("Weight: 90 kg", "begins"), ("The crane of 2019 draws 5 kW.", "goes_on"), ("It is blue.", None)
    )  # fmt: skip
    assert told(draft, None) == [["90 kg"], ["5 kW"], []]
    assert told(draft, "head") == [[], ["90 kg"], ["90 kg"]]


def test_a_passage_s_own_names_are_without_those_of_its_head() -> None:
    draft = of_lines(("Weight: 90 kg", "begins"), ("Length: 4 m", None))
    assert [own_names(chunk.attrs) for chunk in draft.chunks] == [["weight"], ["length"]]
    assert set(draft.chunks[1].attrs) == {"weight", "length"}


def test_a_head_that_a_person_divides_or_joins_holds_as_before() -> None:
    page = page_of(["Weight: 90 kg", "Length: 4 m", "The crane is blue."])
    head = RegisterChunk(fragment_ids=["p1.f1", "p1.f2"], chunk_type="list", head="begins")
    body = RegisterChunk(fragment_ids=["p1.f3"], chunk_type="text")
    operations = PageOperations(page=1, operations=[head, body], engine="test", engine_version="1")
    pages = {1: (page, operations)}
    one = plans.Target("list", [], {1: ["p1.f1", "p1.f2"]})
    whole = replay(pages.__getitem__, []).edited_pages
    divided = Edit(id=new_id(), kind="split", changes=plans.plan_split(whole, one, "p1.f2"))
    edited = replay(pages.__getitem__, [divided]).edited_pages
    draft = attached(page, *edited.operations(1).operations)
    assert told(draft, None) == [["90 kg"], ["4 m"], []]
    assert told(draft, "head")[-1] == ["90 kg", "4 m"]
    both = [plans.Target("list", [], {1: [f"p1.f{at}"]}) for at in (1, 2)]
    joined = Edit(id=new_id(), kind="merge", changes=plans.plan_merge(edited, both))
    again = replay(pages.__getitem__, [divided, joined]).edited_pages.operations(1).operations
    assert [one.head for one in again if isinstance(one, RegisterChunk)] == ["begins", None]


def letter(path: Path, sender: str, receivers: int) -> list[ChunkDraft]:
    """The passages of a mail that says when it was sent, and that something is blue."""
    message = EmailMessage()
    message["From"] = sender
    message["To"] = ", ".join(f"buyer.number.{at}@harbour.example" for at in range(receivers))
    message["Date"] = "Wed, 01 Apr 2026 09:30:00 +0200"
    message.set_content("It is blue.")
    path.write_bytes(bytes(message))
    page = open_mail(path, None).read_page(1)
    draft = attached(page, *operations_of_structure(page).operations)
    assert draft.chunks[-1].content == "It is blue."
    return draft.chunks


def test_a_mailbox_is_shown_once_and_found_by_its_name_and_its_address_too(tmp_path: Path) -> None:
    body = letter(tmp_path / "one.eml", "Ines Roth <ines@example.org>", 1)[-1]
    assert [(one.raw, one.role) for one in body.attributes if one.name == "from"] == [
        ("Ines Roth <ines@example.org>", "head"), ("Ines Roth", "alias"), ("ines@example.org", "alias"),
    ]  # fmt: skip
    assert body.attrs["from"]["raw"] == "Ines Roth <ines@example.org>"
    assert "also" not in body.attrs["from"]


def test_the_headers_of_a_mail_that_are_too_long_for_a_passage_go_on_in_the_next(tmp_path: Path) -> None:
    first, second, body = letter(tmp_path / "one.eml", "ines@example.org", 60)
    assert "Date: Wed" in second.content
    assert "From: ines" in first.content
    assert {"from", "date"} <= {one.name for one in body.attributes if one.role == "head"}
