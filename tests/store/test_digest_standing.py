"""What a digest says holds as long as what it cites does: whatever ends that shows at once, and goes with the next
update; taken back, it stands there again. A person's lines stay through all of it, marked."""

from typing import Any
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from shared.digest.editing import edit_file
from shared.digest.events import delete_event, report_event
from shared.digest.updates import keep_digest, update_digest
from shared.digest.updating import OF_PEOPLE, is_due, update_files
from shared.domain.digest import Cited, DigestFile, DigestLine, NewEvent, StatementEdit, UpdateWish
from shared.domain.evaluation import NewGold
from shared.domain.ids import new_id
from shared.domain.review import DocumentReview, NewDecision
from shared.domain.scope import Identity, Scope
from shared.domain.versions import LinkRequest
from shared.evaluation.gold import add_gold
from shared.library.documents import delete_document
from shared.library.reviews import decide, review_document, take_back
from shared.library.versions import link
from shared.runtime import Runtime
from shared.store.digest_sources import FROM_FEEDBACK
from tests.adapters.chat_server import Said, Told, running_chat
from tests.store.seeding import Passage, add_document, section
from tests.store.test_digest import ByTheme, add_book, check, make_base, read, update
from tests.store.test_written_answers import answering, saying

PADS = "Brake pads of the Marigold are replaced below 3 mm of what is left on them."
FLUID = "The fluid of the brakes is exchanged every two years, whatever the mileage is."
EVENT: dict[str, Any] = {"kind": "recall", "subject": "pads", "at": "2026-01-01T00:00:00Z"}


@pytest.fixture
def scope(runtime: Runtime, identity: Identity) -> Scope:
    return make_base(runtime, identity)


@pytest.fixture
def manual(runtime: Runtime, identity: Identity, scope: Scope) -> UUID:
    made = add_document(
        runtime,
        scope,
        "Manual",
        [Passage(PADS, section=0), Passage(FLUID, section=0)],
        [section(0, "1", "Brakes")],
        embedder=ByTheme(),
    )
    update(runtime, identity, scope.knowledge_base_ids[0])
    return made


def summary(runtime: Runtime, scope: Scope, words: str = "") -> DigestFile:
    return next(file for file in read(runtime, scope) if file.tier == "summary" and words in file.content)


def lines(runtime: Runtime, scope: Scope, text: str) -> list[DigestLine]:
    """Wherever it stands."""
    return [line for file in read(runtime, scope) for line in file.lines if line.text == text]


def standing(runtime: Runtime, scope: Scope, text: str) -> set[str]:
    found = lines(runtime, scope, text)
    assert all(line.stale == (line.citations[0].standing != "current") for line in found)
    return {line.citations[0].standing for line in found}


def test_a_rejected_passage_is_stale_at_once_gone_with_the_update_and_back_when_that_is_taken_back(
    runtime: Runtime, identity: Identity, scope: Scope, manual: UUID
) -> None:
    (base,) = scope.knowledge_base_ids
    chunk = lines(runtime, scope, PADS)[0].citations[0].source_id
    decided = decide(runtime, identity, base, NewDecision(verdict="rejected", chunk_ids=[chunk]))
    assert (standing(runtime, scope, PADS), standing(runtime, scope, FLUID)) == ({"rejected"}, {"current"})
    assert keep_digest(runtime, scope) is not None
    assert lines(runtime, scope, PADS) == []
    assert standing(runtime, scope, FLUID) == {"current"}
    take_back(runtime, identity, base, decided.decision_id)
    assert keep_digest(runtime, scope) is not None
    assert standing(runtime, scope, PADS) == {"current"}


def test_a_passage_that_was_edited_or_read_anew_is_changed_at_once(
    runtime: Runtime, scope: Scope, manual: UUID
) -> None:
    chunk = lines(runtime, scope, PADS)[0].citations[0].source_id
    with runtime.database.transaction(scope) as connection:
        connection.execute("update chunks set content_hash = repeat('0', 64) where id = %s", (chunk,))
    assert (standing(runtime, scope, PADS), standing(runtime, scope, FLUID)) == ({"changed"}, {"current"})
    with runtime.database.transaction(scope) as connection:
        connection.execute("delete from chunks where id = %s", (chunk,))
    assert (standing(runtime, scope, PADS), standing(runtime, scope, FLUID)) == ({"changed"}, {"current"})


def test_what_a_person_put_in_other_words_is_stale_too_when_its_passage_changes(
    runtime: Runtime, identity: Identity, scope: Scope, manual: UUID
) -> None:
    words = "Pads thinner than 3 mm are replaced."
    base, file = scope.knowledge_base_ids[0], summary(runtime, scope)
    line = next(one for one in file.lines if one.text == PADS)
    edit_file(runtime, identity, base, file.id, StatementEdit(statement_id=line.statement_id, text=words))
    keep_digest(runtime, scope)
    assert standing(runtime, scope, words) == {"current"}
    with runtime.database.transaction(scope) as connection:
        connection.execute(
            "update chunks set content_hash = repeat('0', 64) where id = %s", (line.citations[0].source_id,)
        )
    assert standing(runtime, scope, words) == {"changed"}


def test_a_rejected_document_is_stale_at_once_gone_with_the_update_and_back_when_it_is_approved(
    runtime: Runtime, identity: Identity, scope: Scope, manual: UUID
) -> None:
    review_document(runtime, identity, manual, DocumentReview(state="rejected"))
    assert standing(runtime, scope, PADS) == standing(runtime, scope, FLUID) == {"rejected"}
    assert keep_digest(runtime, scope) is not None
    assert [file.tier for file in read(runtime, scope)] == ["index"]
    review_document(runtime, identity, manual, DocumentReview(state="approved"))
    assert keep_digest(runtime, scope) is not None
    assert standing(runtime, scope, PADS) == {"current"}


def test_a_note_that_corrects_a_document_as_a_whole_makes_stale_what_was_read_before_it(
    runtime: Runtime, identity: Identity, scope: Scope, manual: UUID
) -> None:
    note = add_document(runtime, scope, "Erratum", [Passage("The manual is of another car, all of it.")])
    with runtime.database.transaction(scope) as connection:
        connection.execute(
            "insert into notes (organization_id, knowledge_base_id, document_id, note_type, author,"
            " corrects_document_id) values (%s, %s, %s, 'correction', 'Ada', %s)",
            (scope.organization_id, scope.knowledge_base_ids[0], note, manual),
        )
    assert standing(runtime, scope, PADS) == standing(runtime, scope, FLUID) == {"corrected"}
    assert keep_digest(runtime, scope) is not None
    assert sum(file.stale for file in read(runtime, scope)) == 0


def test_a_note_that_corrects_a_passage_holds_for_the_same_words_in_another_version(
    runtime: Runtime, identity: Identity, scope: Scope, manual: UUID
) -> None:
    former = lines(runtime, scope, PADS)[0].citations[0].source_id
    said = [Passage(PADS, section=0), Passage(FLUID, section=0), Passage("And more of it.", section=0)]
    add_document(runtime, scope, "Manual", said, [section(0, "1", "Brakes")], version_of=manual, embedder=ByTheme())
    update(runtime, identity, scope.knowledge_base_ids[0])
    assert standing(runtime, scope, PADS) == {"current"}
    assert lines(runtime, scope, PADS)[0].citations[0].source_id != former
    note = add_document(runtime, scope, "Erratum", [Passage("It is 4 mm by now.")])
    with runtime.database.transaction(scope) as connection:
        connection.execute(
            "insert into notes (organization_id, knowledge_base_id, document_id, note_type, author,"
            " corrects_document_id, corrects_chunk_id, corrects_hash) select organization_id, knowledge_base_id, %s,"
            " 'correction', 'Ada', document_id, id, content_hash from chunks where id = %s",
            (note, former),
        )
    assert (standing(runtime, scope, PADS), standing(runtime, scope, FLUID)) == ({"corrected"}, {"current"})


def test_what_a_person_says_of_an_event_or_a_run_stays_when_that_is_deleted_and_is_stale(
    runtime: Runtime, identity: Identity, scope: Scope, manual: UUID
) -> None:
    (base,) = scope.knowledge_base_ids
    event = report_event(runtime, identity, NewEvent.model_validate(EVENT | {"knowledge_base_id": base}))
    run = add_run(runtime, scope)
    said = {"Ada saw it.": Cited(kind="event", id=event.id), "Ada ran it.": Cited(kind="run", id=run)}
    for text, cited in said.items():
        edit_file(runtime, identity, base, summary(runtime, scope).id, StatementEdit(text=text, citations=[cited]))
    assert [standing(runtime, scope, text) for text in said] == [{"current"}, {"current"}]
    delete_event(runtime, identity, event.id)
    with runtime.database.transaction(scope) as connection:
        connection.execute("delete from eval_runs where id = %s", (run,))
    assert [standing(runtime, scope, text) for text in said] == [{"deleted"}, {"deleted"}]
    update(runtime, identity, base)
    assert [standing(runtime, scope, text) for text in said] == [{"deleted"}, {"deleted"}]


def test_a_new_event_and_a_finished_run_make_an_update_due(
    runtime: Runtime, identity: Identity, scope: Scope, manual: UUID
) -> None:
    (base,) = scope.knowledge_base_ids
    assert keep_digest(runtime, scope) is None
    report_event(runtime, identity, NewEvent.model_validate(EVENT | {"knowledge_base_id": base}))
    assert keep_digest(runtime, scope) is not None
    assert "recall pads" in summary(runtime, scope, "Events").content
    run = add_run(runtime, scope)
    keep_digest(runtime, scope)
    assert keep_digest(runtime, scope) is None
    with runtime.database.transaction(scope) as connection:
        connection.execute("update eval_runs set finished_at = now(), status = 'done' where id = %s", (run,))
    assert keep_digest(runtime, scope) is not None
    assert any(line.citations[0].source_id == run for line in summary(runtime, scope, "Evaluations").lines[1:])


def test_of_many_events_the_latest_and_the_first_are_told_with_the_number_between(
    runtime: Runtime, identity: Identity, scope: Scope, manual: UUID
) -> None:
    (base,) = scope.knowledge_base_ids
    told = [EVENT | {"at": f"2026-03-{day:02}T00:00:00Z"} for day in range(1, 32)]
    told += [EVENT | {"at": f"2026-04-{day:02}T00:00:00Z"} for day in range(1, 15)]
    for event in [*told, EVENT | {"kind": "repair"}]:
        report_event(runtime, identity, NewEvent.model_validate(event | {"knowledge_base_id": base}))
    update(runtime, identity, base)
    said = {text for file in read(runtime, scope) for text in file.content.splitlines() if "recall pads" in text}
    assert {text[text.index("2026") :][:10] for text in said} == {
        f"{event['at']:.10}" for event in [told[0], *told[5:]]
    }
    (between,) = {line.text for file in read(runtime, scope) for line in file.lines if "between these" in line.text}
    assert between == "4 more of recall between these and the first"


def test_an_answer_that_people_confirmed_makes_an_update_due(
    runtime: Runtime, identity: Identity, scope: Scope, manual: UUID
) -> None:
    chunk = lines(runtime, scope, FLUID)[0].citations[0].source_id
    assert keep_digest(runtime, scope) is None
    new = NewGold(question="When is the fluid exchanged?", chunk_ids=[chunk])
    add_gold(runtime, identity, scope.knowledge_base_ids[0], new, FROM_FEEDBACK)
    assert keep_digest(runtime, scope) is not None


def test_an_update_in_parts_is_due_until_everything_is_read(runtime: Runtime, identity: Identity, scope: Scope) -> None:
    book = add_book(runtime, scope, "book", "sails", 5)
    assert read_in_parts(runtime, scope) == [2, 2, 1]
    told = {line.text for file in check(runtime, scope) for line in file.lines if line.kind == "heading"}
    assert told == {f"Sails book {number}" for number in range(1, 6)}
    with runtime.database.transaction(scope) as connection:
        first = "select distinct on (section_id) id from chunks where document_id = %s"
        chunks = [row["id"] for row in connection.execute(first, (book,)).fetchall()]
    decide(runtime, identity, scope.knowledge_base_ids[0], NewDecision(verdict="rejected", chunk_ids=chunks))
    assert read_in_parts(runtime, scope) == [2, 2, 1]


def read_in_parts(runtime: Runtime, scope: Scope) -> list[int]:
    """How many units each of the updates read, two at most."""
    (base,) = scope.knowledge_base_ids
    found = list[int]()
    while True:
        with runtime.database.transaction(scope) as connection:
            done = update_files(connection, scope.organization_id, base, units=2)
            assert is_due(connection, base) == done.more
        found.append(done.units)
        if not done.more:
            return found


def test_a_persons_title_and_the_place_of_their_line_outlive_a_new_version_of_the_document(
    runtime: Runtime, identity: Identity, scope: Scope, manual: UUID
) -> None:
    (base,) = scope.knowledge_base_ids
    file = summary(runtime, scope)
    title, first = file.lines[0], file.lines[1]
    edit_file(runtime, identity, base, file.id, StatementEdit(statement_id=title.statement_id, text="Stopping"))
    added = StatementEdit(text="Ask Ida.", uncited=True, after=first.statement_id)
    edit_file(runtime, identity, base, file.id, added)
    more = "The hand brake of the Marigold acts upon both of its rear wheels, and on no other."
    said = [Passage(text, section=0) for text in (PADS, FLUID, more)]
    add_document(runtime, scope, "Manual", said, [section(0, "1", "Brakes")], version_of=manual, embedder=ByTheme())
    update(runtime, identity, base)
    told = [line.text for line in summary(runtime, scope).lines]
    assert told[0] == "Stopping"
    assert told.index("Ask Ida.") == told.index(first.text) + 1 < told.index(more)
    assert {file.title for file in check(runtime, scope) if file.topic_id} == {"Stopping"}


@pytest.mark.parametrize("cited", [True, False], ids=["cited", "uncited"])
def test_what_a_person_wrote_goes_where_the_version_stands_that_is_linked_later(
    runtime: Runtime, identity: Identity, scope: Scope, manual: UUID, cited: bool
) -> None:
    (base,) = scope.knowledge_base_ids
    file = summary(runtime, scope)
    first = file.lines[1]
    changed = StatementEdit(statement_id=first.statement_id, text="Pads: below 3 mm.", uncited=not cited)
    edit_file(runtime, identity, base, file.id, changed)
    rails = [Passage(f"{text} So it is with rails, rails and rails.", section=0) for text in (PADS, FLUID)]
    newer = add_document(runtime, scope, "Handbook", rails, [section(0, "1", "Rails")], embedder=ByTheme())
    other = add_book(runtime, scope, "Hives", "bees", 3)
    update(runtime, identity, base)
    wish = StatementEdit(text="Of bees alone.", uncited=True)
    edit_file(runtime, identity, base, summary(runtime, scope, "Bees").id, wish)
    (before,) = {one.id for one in read(runtime, scope) for line in one.lines if line.text == "Pads: below 3 mm."}
    link(runtime, identity, newer, LinkRequest(version_of=manual))
    update(runtime, identity, base)
    (line,) = lines(runtime, scope, "Pads: below 3 mm.")
    (now,) = [one for one in check(runtime, scope) if line in one.lines]
    assert (line.origin, now.id == before) == ("user", False)
    assert any(line.text.startswith("The fluid") for line in now.lines)
    assert any(one.topic_id == now.topic_id and "rails" in one.content for one in read(runtime, scope))
    assert not any(one.title == OF_PEOPLE for one in read(runtime, scope))
    (kept,) = [one for one in read(runtime, scope) for line in one.lines if line.text == "Of bees alone."]
    assert "Bees" in kept.content
    delete_document(runtime, identity, other)
    update(runtime, identity, base)
    assert any(one.title == OF_PEOPLE and "Of bees alone." in one.content for one in read(runtime, scope))


def test_of_a_topic_that_others_stand_in_only_what_cites_the_version_goes_with_it(
    runtime: Runtime, identity: Identity, scope: Scope
) -> None:
    (base,) = scope.knowledge_base_ids
    add_book(runtime, scope, "Kestrel", "brakes", 3)
    add_book(runtime, scope, "Hives", "bees", 3)
    update(runtime, identity, base)
    said = [Passage(f"{text} Brakes are brakes.", section=0) for text in (PADS, FLUID)]
    manual = add_document(runtime, scope, "Manual", said, [section(0, "1", "Brakes")], embedder=ByTheme())
    rails = [Passage("Rails of the line carry wagons, and other rails carry more of them.", section=0)]
    newer = add_document(runtime, scope, "Handbook", rails, [section(0, "1", "Rails")], embedder=ByTheme())
    update(runtime, identity, base)
    (file,) = [one for one in read(runtime, scope) if one.tier == "description" and PADS in one.content]
    assert "Brakes Kestrel 1" in file.content
    (pads,) = [line for line in file.lines if line.text == PADS]
    edit_file(runtime, identity, base, file.id, StatementEdit(statement_id=pads.statement_id, text="Pads: 3 mm."))
    edit_file(runtime, identity, base, file.id, StatementEdit(text="Ask Ida.", uncited=True))
    link(runtime, identity, newer, LinkRequest(version_of=manual))
    update(runtime, identity, base)
    files = [one for one in check(runtime, scope) if one.tier == "description"]
    where = {line.text: one.id for one in files for line in one.lines}
    assert where["Ask Ida."] == file.id == where["Brakes Kestrel 1"]
    assert where["Pads: 3 mm."] != file.id


def test_what_a_person_changes_while_a_model_writes_is_left_as_it_is(
    runtime: Runtime, identity: Identity, scope: Scope, manual: UUID
) -> None:
    (base,) = scope.knowledge_base_ids
    edited = list[DigestFile]()

    def meanwhile(told: Told) -> Said:
        if not edited:
            wish = StatementEdit(text="Ask Ida.", uncited=True)
            edited.append(edit_file(runtime, identity, base, summary(runtime, scope).id, wish))
        return saying((PADS, "Brake pads"))(told)

    with running_chat() as server, answering(runtime, server) as with_model:
        server.mind = meanwhile
        assert update_digest(with_model, identity, base, UpdateWish(write=True)).written == 1
        # What it wrote first was of a file that had gone on: it was asked again, of that one.
        assert sum("<passages>" in told.turns[0][1] for told in server.told) == 2
    assert [(line.text, line.origin) for line in summary(runtime, scope).lines[1:]] == [
        (PADS, "agent"),
        ("Ask Ida.", "user"),
    ]


def test_of_what_a_model_writes_stands_there_what_has_room(runtime: Runtime, identity: Identity, scope: Scope) -> None:
    (base,) = scope.knowledge_base_ids
    said = [f"Rail {place} of the line carries {'wagons and ' * 24}wagons." for place in range(40)]
    passages = [Passage(f"{text} So it goes on.", section=0) for text in said]
    add_document(runtime, scope, "Rails", passages, [section(0, "1", "Rails")])
    with running_chat() as server, answering(runtime, server) as with_model:
        server.mind = saying(
            *((text.replace("carries", "carries, so it goes,"), f"Rail {place} ") for place, text in enumerate(said))
        )
        assert update_digest(with_model, identity, base, UpdateWish(write=True)).written == 1
    (file,) = [one for one in check(runtime, scope) if one.tier == "summary"]
    told = [line.text for line in file.lines if line.kind == "statement"]
    assert all("carries, so it goes," in text for text in told)
    assert 2_000 - len(said[0]) - 40 < file.size <= 2_000


def add_run(runtime: Runtime, scope: Scope) -> UUID:
    made = new_id()
    with runtime.database.transaction(scope) as connection:
        connection.execute(
            "insert into eval_runs (organization_id, knowledge_base_id, id, gold, parameters, versions, author)"
            " values (%s, %s, %s, 'own', %s, %s, 'Ada')",
            (scope.organization_id, scope.knowledge_base_ids[0], made, Jsonb({}), Jsonb({})),
        )
    return made
