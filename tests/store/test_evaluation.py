"""Runs over gold questions: what they find, what is counted as a miss, how they compare, and whose they are."""

from dataclasses import replace
from threading import Thread
from typing import Any
from uuid import UUID, uuid4

import pytest

from shared.adapters.local.postgres import EmbeddedPostgres
from shared.domain.evaluation import EvalRun, GoldInput, GoldPlace, NewGold, Parameters, Score
from shared.domain.scope import Identity
from shared.domain.versions import DocumentChange
from shared.errors import BadInput, Conflict, Forbidden, NotFound
from shared.evaluation import gold, runs
from shared.library.traces import list_traces
from shared.library.versions import change_document
from shared.ports import Embedder
from shared.runtime import Embedders, Runtime
from tests.store.filling import superuser
from tests.store.seeding import Passage, add_base, add_document, index_document, replace_passages, section

WINGS = [Passage("The zirconium wing weighs nine kilograms.", page=3), Passage("Its colour is free.", page=4)]
PUMPS = [Passage("The diesel pump delivers seven litres a minute.", page=1)]


class Tried:
    """A knowledge base of two documents, and runs over it."""

    def __init__(self, runtime: Runtime, identity: Identity) -> None:
        self.runtime, self.identity = runtime, identity
        self.scope = add_base(runtime, identity, f"measured-{uuid4().hex[:8]}")
        self.base: UUID = self.scope.knowledge_base_ids[0]
        self.wings = add_document(runtime, self.scope, "wings.pdf", WINGS, embedder=runtime.embedder)
        add_document(runtime, self.scope, "pumps.pdf", PUMPS, embedder=runtime.embedder)

    def run(self, *questions: GoldInput, **wanted: Any) -> EvalRun:
        parameters = Parameters.model_validate({"indexes": ["fts"]} | wanted)
        started = runs.start_run(
            self.runtime, self.identity, self.base, "file.jsonl", parameters, questions if questions else None
        )
        return self.finish(started)

    def finish(self, started: EvalRun) -> EvalRun:
        while started.status == "running":
            started = runs.continue_run(self.runtime, self.identity, self.base, started.id, 0)
        return started


@pytest.fixture(scope="module")
def tried(runtime: Runtime, identity: Identity) -> Tried:
    return Tried(runtime, identity)


def asked(text: str, *places: GoldPlace, **more: Any) -> GoldInput:
    return GoldInput(question=text, expected=list(places), **more)


def value(scores: list[Score], name: str) -> float:
    return next(s.value for s in scores if s.name == name)


ON_PAGE = asked("zirconium wing", GoldPlace(document="wings.pdf", page=3))
ON_WRONG_PAGE = asked("wing weighs", GoldPlace(document="wings.pdf", page=9))
QUOTED = asked("diesel pump", GoldPlace(document="PUMPS", quote="delivers SEVEN litres"))
ELSEWHERE = asked("zirconium wing mass", GoldPlace(document="lost.pdf", page=1))
NEGATIVE = GoldInput(question="Who invented the sextant?", kind="negative")


def test_a_run_scores_each_question_at_the_level_that_its_gold_names(tried: Tried) -> None:
    done = tried.run(ON_PAGE, ON_WRONG_PAGE, QUOTED, asked("colour free", GoldPlace(document="wings")))
    assert (done.status, done.measured, done.total) == ("done", 4, 4)
    assert value(done.scores, "fts.recall@5") == 0.75
    assert value(done.scores, "fts.page.recall@5") == 0.5
    assert value(done.scores, "fts.chunk.mrr") == 1
    assert value(done.scores, "fts.document.hit@1") == 1
    assert {s.n for s in done.scores if s.level == "page"} == {2}
    assert done.versions.embedder == tried.runtime.embedder.version
    assert done.versions.tokenizer


def test_what_was_found_and_expected_is_kept_worst_first(tried: Tried) -> None:
    done = tried.run(ON_PAGE, ON_WRONG_PAGE, indexes=["fts", "vector", "hybrid"])
    worst, best = runs.list_results(tried.runtime, tried.identity, tried.base, done.id)
    assert worst.question == ON_WRONG_PAGE.question
    assert worst.expected == ["wings.pdf, page 9"]
    assert set(best.indexes) == {"fts", "vector", "hybrid"}
    found = best.indexes["fts"].found[0]
    assert (found.document, found.page, found.right) == ("wings.pdf", 3, True)
    assert best.indexes["fts"].ranks == [1]


def test_a_document_that_is_not_here_is_a_miss_unless_it_is_skipped(tried: Tried) -> None:
    counted = tried.run(ON_PAGE, ELSEWHERE)
    assert value(counted.scores, "fts.recall@5") == 0.5
    assert counted.left_out == {"document_missing": 1}
    skipped = tried.run(ON_PAGE, ELSEWHERE, skip_missing=True)
    assert value(skipped.scores, "fts.recall@5") == 1
    assert skipped.left_out == {"document_missing": 1, "left_out": 1}


def test_a_question_is_asked_of_the_document_that_it_pins(tried: Tried) -> None:
    place = GoldPlace(document="wings.pdf", page=3)
    pinned = asked("zirconium wing", place, pin="pumps.pdf")
    assert value(tried.run(pinned).scores, "fts.hit@10") == 0
    assert value(tried.run(asked("zirconium wing", place, pin="wings.pdf")).scores, "fts.hit@10") == 1
    assert value(tried.run(asked("zirconium wing", place, pin="lost.pdf")).scores, "fts.hit@10") == 0


def test_places_that_are_one_at_the_level_counted_count_once_with_the_highest_grade(tried: Tried) -> None:
    pages = [GoldPlace(document="wings.pdf", page=page, grade=page) for page in (1, 2, 3)]
    by_document = tried.run(asked("zirconium wing", *pages, GoldPlace(document="pumps.pdf")))
    assert value(by_document.scores, "fts.recall@5") == 0.5
    [result] = runs.list_results(tried.runtime, tried.identity, tried.base, by_document.id)
    assert (result.grades, result.expected) == ([3, 1], ["wings.pdf, page 3", "pumps.pdf"])
    other_name = GoldPlace(document="Wings", page=3)
    by_page = tried.run(asked("zirconium wing", pages[2], other_name, GoldPlace(document="pumps.pdf", page=1)))
    assert value(by_page.scores, "fts.recall@5") == 0.5
    assert value(by_page.scores, "fts.document_recall@5") == 0.5


def test_searches_and_look_ups_of_a_run_are_cut_at_its_depth_and_leave_no_trace(
    runtime: Runtime, identity: Identity
) -> None:
    tried = Tried(runtime, identity)
    passages = [Passage(f"Clause {page} of the deck.", page=page, section=0) for page in (1, 2, 3)]
    add_document(runtime, tried.scope, "decks.pdf", passages, [section(0, "C7", "Decks")])
    question = asked("C7", *(GoldPlace(document="decks.pdf", page=page) for page in (1, 2, 3)))
    done = tried.run(question, indexes=["lookup", "fts"], depth=2)
    [result] = runs.list_results(runtime, identity, tried.base, done.id)
    assert result.indexes["lookup"].ranks == [1, 2, None]
    assert list_traces(runtime, identity, knowledge_base_id=tried.base) == []


def test_negative_questions_are_answered_by_refusing_them(tried: Tried) -> None:
    done = tried.run(NEGATIVE, asked("What does the zirconium wing weigh?", GoldPlace(document="wings.pdf")))
    scores = {s.name: (s.value, s.n) for s in done.scores if s.index == "ask"}
    assert scores["ask.refused"] == (1, 1)
    assert scores["ask.answered"][1] == 1
    unasked = tried.run(NEGATIVE, ON_PAGE, ask=False)
    assert [s for s in unasked.scores if s.index == "ask"] == []


def test_a_later_run_is_compared_with_the_baseline_question_by_question(tried: Tried) -> None:
    first = tried.run(ON_PAGE, QUOTED, ON_WRONG_PAGE, baseline=True)
    same = tried.run(ON_PAGE, QUOTED, ON_WRONG_PAGE)
    assert same.baseline_id == first.id
    assert {s.value for s in same.deltas} == {0}
    assert same.scores == first.scores
    again = tried.run(ON_WRONG_PAGE, ELSEWHERE, baseline=True)
    assert {s.n for s in again.deltas} == {1}
    newest = runs.list_runs(tried.runtime, tried.identity, tried.base, None, 3)
    assert [(r.id, r.baseline) for r in newest] == [(again.id, True), (same.id, False), (first.id, False)]
    assert [runs.get_run(tried.runtime, tried.identity, tried.base, one.id) for one in newest] == newest


def test_a_run_that_stopped_a_day_ago_goes_when_its_own_knowledge_base_runs_again(
    tried: Tried, runtime: Runtime, identity: Identity, postgres: EmbeddedPostgres, database_name: str
) -> None:
    other = Tried(runtime, identity)
    left = [
        runs.start_run(runtime, identity, one.base, "file.jsonl", Parameters(indexes=["fts"]), [ON_PAGE])
        for one in (tried, other)
    ]
    with superuser(postgres, database_name) as connection:
        connection.execute(
            "update eval_runs set created_at = now() - interval '25 hours' where id = any (%s)", [[r.id for r in left]]
        )
        connection.commit()
    tried.run(ON_PAGE)
    with pytest.raises(NotFound):
        runs.get_run(runtime, identity, tried.base, left[0].id)
    assert runs.get_run(runtime, identity, other.base, left[1].id).status == "running"


def test_floors_are_met_or_not_and_unknown_measures_refused(tried: Tried) -> None:
    done = tried.run(ON_PAGE, ON_WRONG_PAGE, floors={"fts.recall@5": 0.5, "fts.mrr": 0.6, "fts.chunk.mrr": 0})
    assert {f.measure: f.met for f in done.floors} == {"fts.recall@5": True, "fts.mrr": False, "fts.chunk.mrr": False}
    for wrong in ("vector.recall@5", "fts.recall@7", "recall@5", "fts.line.mrr"):
        with pytest.raises(BadInput, match=wrong):
            tried.run(ON_PAGE, floors={wrong: 0.5})


def test_gold_survives_a_new_reading_of_its_document(tried: Tried) -> None:
    with tried.runtime.database.transaction(tried.scope) as connection:
        statement = "select id from chunks where document_id = %s and first_page = 3"
        row = connection.execute(statement, (tried.wings,)).fetchone()
    assert row is not None
    kept = gold.add_gold(
        tried.runtime, tried.identity, tried.base, NewGold(question="zirconium wing", chunk_ids=[row["id"]]), "added"
    )
    assert (kept.expected[0].document, kept.expected[0].page) == ("wings.pdf", 3)
    moved = [Passage("Preface to it all.", page=1), Passage("The zirconium wing weighs nine kilo-\ngrams.", page=3)]
    replace_passages(tried.runtime, tried.scope, tried.wings, "wings.pdf", moved)
    index_document(tried.runtime, tried.scope, tried.wings, tried.runtime.embedder)
    try:
        assert value(tried.run().scores, "fts.hit@1") == 1
    finally:
        replace_passages(tried.runtime, tried.scope, tried.wings, "wings.pdf", WINGS)
        index_document(tried.runtime, tried.scope, tried.wings, tried.runtime.embedder)
        gold.delete_gold(tried.runtime, tried.identity, tried.base, kept.id)


def test_gold_survives_a_new_name_of_its_document(runtime: Runtime, identity: Identity) -> None:
    tried = Tried(runtime, identity)
    who = (runtime, identity, tried.base)
    place = GoldPlace(document="WINGS", page=3)
    both = asked("zirconium wing", place, GoldPlace(document="pumps.pdf"))
    gold.import_gold(*who, [asked("zirconium", place, pin="wings.pdf"), both], "file.jsonl")
    assert value(tried.run().scores, "fts.hit@1") == 1
    change_document(runtime, identity, tried.wings, DocumentChange(label="old"))
    change_document(runtime, identity, tried.wings, DocumentChange(name="deck.pdf", logical_document_name="Deck"))
    pinned, plain = gold.list_gold(*who, None, 10)
    assert (pinned.pin, pinned.expected) == ("deck.pdf", [GoldPlace(document="deck.pdf", page=3)])
    assert [place.document for place in plain.expected] == ["deck.pdf", "pumps.pdf"]
    assert value(tried.run().scores, "fts.hit@1") == 1
    change_document(runtime, identity, tried.wings, DocumentChange(name="1.pdf", logical_document_name="One"))
    gold.import_gold(*who, [asked("zirconium", place, pin="1.pdf")], "file.jsonl")
    assert len(gold.list_gold(*who, None, 10)) == 2
    assert [question.id for question in gold.list_gold(*who, pinned.id, 10)] == [plain.id]


def test_a_name_that_still_means_another_version_stays_in_the_gold(runtime: Runtime, identity: Identity) -> None:
    tried = Tried(runtime, identity)
    who = (runtime, identity, tried.base)
    newer = add_document(runtime, tried.scope, "wings.pdf", WINGS, version_of=tried.wings)
    gold.import_gold(*who, [ON_PAGE], "file.jsonl")
    change_document(runtime, identity, tried.wings, DocumentChange(name="2019.pdf", logical_document_name="Wings"))
    assert gold.list_gold(*who, None, 1)[0].expected == ON_PAGE.expected
    change_document(runtime, identity, newer, DocumentChange(name="2026.pdf", logical_document_name="All"))
    assert gold.list_gold(*who, None, 1)[0].expected == [GoldPlace(document="2026.pdf", page=3)]


def test_a_knowledge_base_keeps_only_so_many_questions(tried: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gold, "QUESTIONS_MAX", 1)
    who = (tried.runtime, tried.identity, tried.base)
    kept = gold.add_gold(*who, NewGold(question="Who?", kind="negative"), "added")
    assert gold.add_gold(*who, NewGold(question="who?", kind="negative"), "added").id == kept.id
    with pytest.raises(BadInput, match="1 gold questions at most"):
        gold.add_gold(*who, NewGold(question="Whose?", kind="negative"), "added")
    assert [question.id for question in gold.list_gold(*who, None, 10)] == [kept.id]
    gold.delete_gold(*who, kept.id)


def test_imported_questions_stay_in_the_order_of_their_file(tried: Tried) -> None:
    who = (tried.runtime, tried.identity, tried.base)
    file = [GoldInput(question=f"Question {number}?", kind="negative") for number in range(30)]
    gold.import_gold(*who, file, "file.jsonl")
    kept = gold.list_gold(*who, None, 50)
    assert [question.question for question in kept] == [question.question for question in file]
    for question in kept:
        gold.delete_gold(*who, question.id)


def test_two_who_add_one_new_question_at_once_both_have_their_places_kept(
    tried: Tried, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = (tried.runtime, tried.identity, tried.base)
    put = gold.rows.put_gold

    def add(document: str) -> None:
        gold.add_gold(*who, NewGold(question="Which?", expected=[GoldPlace(document=document)]), "added")

    other = Thread(target=add, args=("pumps.pdf",))

    def overtaken(*args: Any) -> Any:
        monkeypatch.setattr(gold.rows, "put_gold", put)
        other.start()
        other.join(0.5)
        return put(*args)

    monkeypatch.setattr(gold.rows, "put_gold", overtaken)
    add("wings.pdf")
    other.join()
    [kept] = gold.list_gold(*who, None, 10)
    assert [place.document for place in kept.expected] == ["wings.pdf", "pumps.pdf"]
    gold.delete_gold(*who, kept.id)


def test_the_same_question_takes_further_places_and_is_kept_once(tried: Tried) -> None:
    who = (tried.runtime, tried.identity, tried.base)
    gold.import_gold(*who, [ON_PAGE, NEGATIVE], "file.jsonl")
    gold.import_gold(*who, [asked("Zirconium  WING", GoldPlace(document="pumps.pdf"))], "file.jsonl")
    gold.import_gold(*who, [ON_PAGE], "file.jsonl")
    kept = gold.list_gold(*who, None, 10)
    assert [q.question for q in kept] == [ON_PAGE.question, NEGATIVE.question]
    assert [p.document for p in kept[0].expected] == ["wings.pdf", "pumps.pdf"]
    with pytest.raises(Conflict, match="negative"):
        gold.import_gold(*who, [asked(NEGATIVE.question, GoldPlace(document="pumps.pdf"))], "file.jsonl")
    assert tried.run().gold == "stored"
    for question in kept:
        gold.delete_gold(*who, question.id)
    with pytest.raises(BadInput, match="no gold questions"):
        tried.run()


def test_a_run_names_the_embedder_that_serves_its_knowledge_base_and_loads_none_to_start(
    runtime: Runtime, identity: Identity
) -> None:
    def refuse(version: str) -> Embedder:
        raise BadInput(f"{version} is not to be had.")

    tried = Tried(runtime, identity)
    tried.runtime = replace(runtime, embedders=Embedders(lambda: "default/1", refuse))
    who = (tried.runtime, identity, tried.base, "file.jsonl", Parameters(indexes=["fts"]), [ON_PAGE])
    assert runs.start_run(*who).versions.embedder == "default/1"
    with runtime.database.transaction(tried.scope) as connection:
        connection.execute("update knowledge_bases set embedder_version = 'own/1' where id = %s", (tried.base,))
    assert runs.start_run(*who).versions.embedder == "own/1"


def test_questions_added_while_the_first_are_measured_are_measured_too(
    tried: Tried, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = (tried.runtime, tried.identity, tried.base)
    started = runs.start_run(*who, "file.jsonl", Parameters(indexes=["fts"]), [ON_PAGE])
    measure = runs._measure  # noqa: SLF001

    def joined(*args: Any) -> Any:
        monkeypatch.setattr(runs, "_measure", measure)
        runs.add_questions(*who, started.id, [QUOTED])
        return measure(*args)

    monkeypatch.setattr(runs, "_measure", joined)
    with pytest.raises(Conflict, match="adds questions"):
        runs.continue_run(*who, started.id, 0)
    done = tried.finish(runs.get_run(*who, started.id))
    assert (done.measured, done.total) == (2, 2)


def test_two_who_continue_one_run_at_once_do_not_measure_twice(tried: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    who = (tried.runtime, tried.identity, tried.base)
    started = runs.start_run(*who, "file.jsonl", Parameters(indexes=["fts"]), [ON_PAGE, QUOTED])
    measure = runs._measure  # noqa: SLF001

    def overtaken(*args: Any) -> Any:
        monkeypatch.setattr(runs, "_measure", measure)
        runs.continue_run(*who, started.id, 0)
        return measure(*args)

    monkeypatch.setattr(runs, "_measure", overtaken)
    with pytest.raises(Conflict, match="Somebody else"):
        runs.continue_run(*who, started.id, 0)
    with pytest.raises(Conflict, match="measures already"):
        runs.add_questions(*who, started.id, [ON_PAGE])
    assert tried.finish(runs.get_run(*who, started.id)).measured == 2


def test_viewers_read_and_strangers_find_nothing(
    tried: Tried, viewer: Identity, other_identity: Identity, runtime: Runtime
) -> None:
    done = tried.run(ON_PAGE)
    assert runs.get_run(runtime, viewer, tried.base, done.id) == done
    with pytest.raises(Forbidden):
        runs.continue_run(runtime, viewer, tried.base, done.id)
    with pytest.raises(Forbidden):
        gold.import_gold(runtime, viewer, tried.base, [ON_PAGE], "file.jsonl")
    with pytest.raises(NotFound, match=str(tried.base)):
        runs.get_run(runtime, other_identity, tried.base, done.id)
    with pytest.raises(NotFound, match=str(tried.base)):
        gold.list_gold(runtime, other_identity, tried.base, None, 1)
