"""Answers: verbatim, cited, or none."""

import json
from uuid import UUID

import pytest

from shared.answering.events import AskEvent
from shared.answering.service import ask
from shared.domain.scope import Identity
from shared.errors import BadInput, NotFound
from shared.library.traces import get_trace
from shared.retrieval.requests import AskRequest
from shared.runtime import Runtime
from tests.store.seeding import Passage, add_base, add_document, section

PASSAGES = [
    Passage("Rear wings", chunk_type="heading"),
    Passage("The rear wing must not be wider than 1050 mm. It is measured with the car at rest."),
    Passage("Tyres are supplied by the organiser before the first practice session."),
    Passage("Every car carries a fire extinguisher of at least two kilograms."),
]


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    scope = add_base(runtime, identity, "answers")
    add_document(runtime, scope, "Kestrel rules", PASSAGES, embedder=runtime.embedder)
    return scope.knowledge_base_ids[0]


def question(base: UUID, text: str) -> AskRequest:
    return AskRequest(question=text, knowledge_base_ids=[base])


def test_an_answer_is_made_of_verbatim_sentences_that_cite_their_chunks(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    answer = ask(runtime, identity, question(base, "How wide may the rear wing be?"))
    assert answer.sentences[0].text == "The rear wing must not be wider than 1050 mm."
    assert [answer.sentences[0].text[a:b] for a, b in answer.sentences[0].marks] == ["1050 mm"]
    assert not answer.insufficient_evidence
    cited = {hit.chunk.id: hit.chunk.content for hit in answer.citations}
    for sentence in answer.sentences:
        assert all(sentence.text in cited[chunk] for chunk in sentence.citations)
    assert answer.answer == " ".join(s.text for s in answer.sentences)


@pytest.mark.parametrize(
    ("text", "reason", "missing", "said"),
    [
        ("Who won the football world cup?", "not_spoken_of", ["football world cup"], "no passage speaks of this"),
        ("Who wrote about rear wings in Hamlet?", "not_named", ["Hamlet"], "no passage names Hamlet."),
        ("How wide was the rear wing in 2019?", "not_named", ["2019"], "no passage names 2019."),
        ("How heavy may the rear wing be?", "no_value", ["mass"], "gives such a value (mass)."),
        ("Is there tea?", "nothing_found", [], "none comes near its meaning."),
    ],
)
def test_what_the_documents_do_not_say_is_not_answered_and_why_is_said(
    runtime: Runtime, identity: Identity, base: UUID, text: str, reason: str, missing: list[str], said: str
) -> None:
    answer = ask(runtime, identity, question(base, text))
    assert answer.insufficient_evidence
    assert (answer.sentences, answer.citations) == ([], [])
    assert answer.answer.startswith("Found nothing that answers: ")
    assert said in answer.answer
    lacking = answer.insufficiency
    assert lacking is not None
    assert (lacking.reason, lacking.missing, lacking.searched) == (reason, missing, [base])
    assert lacking.nearest[:1] == [hit.chunk.id for hit in answer.hits[:1]]
    assert answer.confidence < 0.3


@pytest.mark.parametrize(
    "text",
    [
        "How wide may the rear wing be?",
        "What does every car carry?",
        "Who supplies the tyres?",
        "When is the wing measured?",
        "How heavy is the fire extinguisher?",
        "What is the car at rest like?",
        "How many practice sessions are there?",
        "Who measures the tyres?",
        "Which wings are forbidden?",
        "Who won the football world cup?",
    ],
)
def test_what_is_quoted_is_what_the_evidence_allows_and_is_cited(
    runtime: Runtime, identity: Identity, base: UUID, text: str
) -> None:
    answer = ask(runtime, identity, question(base, text))
    evidence = get_trace(runtime, identity, answer.trace_id).notes["evidence"]
    assert answer.confidence == pytest.approx(evidence["confidence"], abs=6e-4)
    assert answer.insufficient_evidence == (not evidence["enough"])
    assert bool(answer.sentences) == bool(answer.citations) == (not answer.insufficient_evidence)
    assert len(answer.sentences) <= 3
    cited = {chunk for sentence in answer.sentences for chunk in sentence.citations}
    assert {hit.chunk.id for hit in answer.citations} == cited <= {hit.chunk.id for hit in answer.hits}


def test_the_evidence_is_in_the_trace(runtime: Runtime, identity: Identity, base: UUID) -> None:
    answer = ask(runtime, identity, question(base, "How wide may the rear wing be?"))
    trace = get_trace(runtime, identity, answer.trace_id)
    assert trace.operator == "ask"
    evidence = trace.notes["evidence"]
    nearest = [c.score or 0.0 for i in trace.indexes if i.name == "vector_search" for c in i.candidates]
    assert evidence["nearest"] == pytest.approx(max(nearest), abs=1e-6)
    assert (evidence["enough"], evidence["kinds"], evidence["codes"]) == (True, ["length"], [])
    assert {"fts_search", "vector_search", "weigh_sentences"} <= {s.name for s in trace.steps}


def test_an_empty_question_and_an_unknown_knowledge_base_are_refused(
    runtime: Runtime, identity: Identity, other_identity: Identity, base: UUID
) -> None:
    with pytest.raises(BadInput):
        ask(runtime, identity, question(base, " "))
    with pytest.raises(NotFound):
        ask(runtime, other_identity, question(base, "How wide may the rear wing be?"))


def test_a_knowledge_base_without_documents_has_insufficient_evidence(runtime: Runtime, identity: Identity) -> None:
    empty = add_base(runtime, identity, "empty").knowledge_base_ids[0]
    for text in ("How wide may the rear wing be?", "Who wrote Hamlet?", "Is there tea?"):
        answer = ask(runtime, identity, question(empty, text))
        assert answer.insufficiency is not None
        assert (answer.insufficiency.reason, answer.insufficiency.searched) == ("nothing_there", [empty])
        assert "none was added, or none is ready" in answer.answer


def test_a_short_row_is_read_with_its_columns_and_cited_with_its_table(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "masses")
    rows = ["S | 372 kg", "T | 410 kg"]
    header = "Class | Minimum mass"
    passages = [
        Passage("The minimum mass is checked before and after each race.", section=0),
        Passage("\n".join([header, *rows]), section=0, chunk_type="table", table=0),
        *(Passage(row, section=0, chunk_type="table_row", table=0, context=header) for row in rows),
    ]
    add_document(runtime, scope, "Kestrel rules", passages, [section(0, "C2", "Masses")], embedder=runtime.embedder)
    answer = ask(runtime, identity, question(scope.knowledge_base_ids[0], "What is the minimum mass of class S?"))
    told = {s.text: s.citations for s in answer.sentences}
    assert "S | 372 kg" in told
    cells = next(s.cells for s in answer.sentences if s.text == "S | 372 kg")
    assert [(c.label, c.value, c.answers) for c in cells] == [("", "S", False), ("", "372 kg", True)]
    cited = {hit.chunk.id: hit.chunk for hit in answer.citations}
    assert [cited[c].chunk_type for c in told["S | 372 kg"]] == ["table_row", "table"]
    assert len(answer.citations) == len(cited)
    assert all("S | 372 kg" in cited[c].content for c in told["S | 372 kg"])


@pytest.mark.parametrize(
    ("source_type", "shown"),
    [
        ("markdown", "A verifier must limit failed attempts to 100, see Section 5.2.2."),
        ("pdf", "A verifier must limit failed attempts to 100, see [Section 5.2.2](#throttle-33)."),
    ],
)
def test_targets_of_links_are_quoted_as_written_and_said_to_be_hidden(
    runtime: Runtime, identity: Identity, source_type: str, shown: str
) -> None:
    scope = add_base(runtime, identity, f"links in {source_type}")
    text = "A verifier must limit failed attempts to 100, see [Section 5.2.2](#throttle-33)."
    add_document(runtime, scope, "Rules", [Passage(text)], embedder=runtime.embedder, source_type=source_type)
    answer = ask(runtime, identity, question(scope.knowledge_base_ids[0], "How many failed attempts are there?"))
    (said,) = answer.sentences
    assert said.text == text
    hidden = {at for start, end in said.hidden for at in range(start, end)}
    assert "".join(letter for at, letter in enumerate(text) if at not in hidden) == shown
    assert all(hidden.isdisjoint(range(*mark)) for mark in said.marks)


def test_documents_may_be_chosen_and_versions_that_differ_are_shown_to_differ(
    runtime: Runtime, identity: Identity
) -> None:
    scope = add_base(runtime, identity, "limits")
    for year, limit in (("2025", 60), ("2026", 50)):
        text = f"The speed limit in the pit lane is {limit} km/h throughout the event."
        add_document(runtime, scope, f"rules {year}", [Passage(text)], embedder=runtime.embedder)
    wish = question(scope.knowledge_base_ids[0], "What is the speed limit in the pit lane?")
    both = ask(runtime, identity, wish)
    assert [c.sentences for c in both.contradictions] == [(0, 1)]
    (pair,) = both.contradictions
    assert (pair.kind, pair.between) == ("value", "documents")
    assert {(side.document.name, side.value) for side in pair.sides} == {
        ("rules 2025", "60 km/h"), ("rules 2026", "50 km/h")
    }  # fmt: skip
    assert all(side.date and side.chunk_id in both.sentences[side.sentence].citations for side in pair.sides)
    assert {s.text[a:b] for s in both.sentences for a, b in s.marks} == {"60 km/h", "50 km/h"}
    newer = next(hit.document for hit in both.hits if hit.document.name == "rules 2026")
    one = ask(runtime, identity, wish.model_copy(update={"documents": [newer.id]}))
    assert ([s.text for s in one.sentences], one.contradictions) == (
        ["The speed limit in the pit lane is 50 km/h throughout the event."], [],
    )  # fmt: skip


def test_versions_of_a_document_that_differ_stand_side_by_side_the_older_first(
    runtime: Runtime, identity: Identity
) -> None:
    scope, versions = add_base(runtime, identity, "wings"), list[UUID]()
    for width in ("900 mm", "1.05 m", "1050 mm"):
        passages = [Passage(f"The rear wing must not be wider than {width}.")]
        before = versions[-1] if versions else None
        versions.append(
            add_document(runtime, scope, "wing rules", passages, version_of=before, embedder=runtime.embedder)
        )
    wish = question(scope.knowledge_base_ids[0], "How wide may the rear wing be?")
    assert ask(runtime, identity, wish).contradictions == []
    answer = ask(runtime, identity, wish.model_copy(update={"include_superseded": True}))
    between = {(pair.between, tuple(side.value for side in pair.sides)) for pair in answer.contradictions}
    # The same width in metres is none.
    assert between <= {("versions", ("900 mm", "1.05 m")), ("versions", ("900 mm", "1050 mm"))}
    assert between


def test_a_question_that_names_a_section_is_answered_from_it(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "controls")
    sections = [section(0, "AC-2(3)", "Disable accounts"), section(1, "AC-2(4)", "Audit"), section(2, "AC-7", "Tries")]
    sections.append(section(3, "AC-8", "Locks"))
    passages = [
        Passage("Inactive accounts are disabled after ninety days without use.", section=0),
        Passage("The system records creation and removal without delay.", section=1),
        Passage("AC-2 accounts: what AC-2(4) and the control say of accounts is repeated here.", section=2),
        Passage("The third try locks it. AC-8 says what control AC-8 says.", section=3),
    ]
    add_document(runtime, scope, "Controls", passages, sections, embedder=runtime.embedder)
    base = scope.knowledge_base_ids[0]
    for asked, told in {
        "What does control AC-2 (4) say of accounts?": passages[1],
        "Are accounts in AC-2(3) what AC-7 says?": None,
        "What is in AC-7 of accounts?": passages[2],
    }.items():
        answer = ask(runtime, identity, question(base, asked))
        if told:
            assert answer.answer == told.content
        else:
            assert {s.text for s in answer.sentences} <= {passages[0].content, passages[2].content}
        evidence = get_trace(runtime, identity, answer.trace_id).notes["evidence"]
        assert evidence["enough"] != answer.insufficient_evidence
    # From its beginning, where nothing more is asked.
    told = [s.text for s in ask(runtime, identity, question(base, "What does control AC-8 say?")).sentences]
    assert told == ["The third try locks it.", "AC-8 says what control AC-8 says."]


def test_of_sections_of_one_address_that_is_quoted_whose_document_is_named(
    runtime: Runtime, identity: Identity
) -> None:
    scope = add_base(runtime, identity, "editions of one address")
    for name, said in {"Handbook": "Keep the lathe dry.", "Policy": "Section 3.9 of the handbook says it all."}.items():
        add_document(
            runtime, scope, name, [Passage(said, section=0)], [section(0, "3.9", "T")], embedder=runtime.embedder
        )
    answer = ask(runtime, identity, question(scope.knowledge_base_ids[0], "What does section 3.9 of the Handbook say?"))
    assert [s.text for s in answer.sentences] == ["Keep the lathe dry."]


def test_where_a_measure_is_asked_for_what_gives_none_is_not_quoted(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "measured")
    passages = [
        Passage("A synopsis should be how long it should be and no longer than that."),
        Passage("The long form has 300 words, the synopsis fewer than 80 characters of text."),
    ]
    add_document(runtime, scope, "Guide", passages, embedder=runtime.embedder)
    answer = ask(runtime, identity, question(scope.knowledge_base_ids[0], "How long should a synopsis be?"))
    assert [s.text for s in answer.sentences] == [passages[1].content]


def test_another_knowledge_base_is_suggested_where_it_would_answer_and_nothing_of_it_is_in_the_answer(
    runtime: Runtime, identity: Identity, other_identity: Identity
) -> None:
    mascot = "The mascot of the Gullwing trophy is a heron called Balthazar."
    asked, elsewhere = add_base(runtime, identity, "gardening"), add_base(runtime, identity, "mascots")
    foreign = add_base(runtime, other_identity, "foreign mascots")
    add_document(runtime, asked, "Soil", [Passage("Compost is turned twice a year.")], embedder=runtime.embedder)
    for scope in (elsewhere, foreign):
        add_document(runtime, scope, "Trophies", [Passage(mascot)], embedder=runtime.embedder)
    wish = question(asked.knowledge_base_ids[0], "What is the mascot of the Gullwing trophy?")
    events = list[AskEvent]()
    answer = ask(runtime, identity, wish, events.append)
    assert answer.insufficient_evidence
    (other,) = answer.widening
    assert (other.name, other.slug, other.knowledge_base_id) == ("mascots", "mascots", elsewhere.knowledge_base_ids[0])
    assert "Balthazar" not in json.dumps([event.data for event in events])
    assert [event.name for event in events][-2:] == ["widening", "final"]
    confirmed = wish.model_copy(update={"knowledge_base_ids": [*wish.knowledge_base_ids, other.knowledge_base_id]})
    found = ask(runtime, identity, confirmed)
    assert ("Balthazar" in found.answer, found.widening) == (True, [])
    narrowed = identity.model_copy(update={"within": asked.knowledge_base_ids})
    assert ask(runtime, narrowed, wish).widening == []
    nowhere = question(asked.knowledge_base_ids[0], "Who composed the anthem of Quixland?")
    assert ask(runtime, identity, nowhere).widening == []


def test_a_knowledge_base_in_which_the_same_checks_refuse_is_not_suggested(
    runtime: Runtime, identity: Identity
) -> None:
    mascot = Passage("The mascot of the Gullwing trophy is a heron called Balthazar.")
    bases = {name: add_base(runtime, identity, name) for name in ("trophies", "copies", "weights", "ships")}
    for name in ("trophies", "copies"):
        add_document(runtime, bases[name], "Trophies", [mascot], embedder=runtime.embedder)
    heavy = Passage("The mascot of the Gullwing trophy weighs 40 kg.")
    add_document(runtime, bases["weights"], "Trophies", [heavy], embedder=runtime.embedder)
    # The name is in the scope of the search, but not beside the mascot.
    add_document(runtime, bases["ships"], "Contoso", [Passage("Contoso builds a trophy.")], embedder=runtime.embedder)

    def suggested(asked: str) -> list[str]:
        answer = ask(runtime, identity, question(bases["trophies"].knowledge_base_ids[0], asked))
        assert answer.insufficient_evidence
        return [one.name for one in answer.widening]

    assert suggested("How heavy is the mascot of the Gullwing trophy?") == ["weights"]
    assert suggested("Which heron called Balthazar is the mascot of the Gullwing trophy of Contoso?") == []
