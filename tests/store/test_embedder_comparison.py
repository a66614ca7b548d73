"""Two embedders measured on one knowledge base: whose vectors count, and that nothing of it is stored."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest

from shared.adapters.local.onnx_embedder import load_onnx
from shared.adapters.local.onnx_folder import read_folder
from shared.domain.evaluation import EvalRun, GoldInput, GoldPlace, Parameters, Score
from shared.domain.model_calls import Usage
from shared.domain.scope import Identity, Scope
from shared.errors import BadInput, NotFound, Unavailable
from shared.evaluation import runs
from shared.evaluation.embedder_comparison import EmbedderComparison, compare_embedders
from shared.ingestion.embed import embed_missing
from shared.library.embedder_change import embedder_state
from shared.library.traces import list_traces
from shared.ports import Embedder, Spent, Vectors, for_nothing
from shared.runtime import Runtime
from tests.adapters.onnx_folders import bundled_as_folder
from tests.store.seeding import Passage, add_base, add_document

BOTH = Parameters(indexes=["vector", "hybrid"])
PASSAGES = {
    "wings.pdf": ["The rear wing is 1050 mm wide.", "Tyres are supplied.", "Tyres are supplied."],
    "pumps.pdf": ["A pump of 15 kW.", "Paint is optional.", "Hoses are sold by the metre."],
}
TEXTS = 5  # "Tyres are supplied." twice


class Told:
    """An embedder that is told which texts mean the same: those that have a word of the same group."""

    version, dimensions = "told/1", 4

    def __init__(self, *groups: set[str]) -> None:
        self._groups = groups

    def embed_passages(self, texts: Sequence[str], spent: Spent = for_nothing) -> Vectors:
        spent(Usage(input_tokens=10 * len(texts)), 0.5 * len(texts))
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        words = text.casefold()
        place = next((i for i, group in enumerate(self._groups) if any(word in words for word in group)), 3)
        return np.eye(4, dtype=np.float32)[place]


class Lost(Told):
    """Answers queries, and passages never."""

    def embed_passages(self, texts: Sequence[str], spent: Spent = for_nothing) -> Vectors:
        raise Unavailable("The endpoint does not answer.")


# Words that stand nowhere: only vectors can find anything.
UNHEARD = {"flurble": ("wings.pdf", "1050 mm"), "gnorp": ("pumps.pdf", "15 kW")}
QUESTIONS = [
    GoldInput(question=word, expected=[GoldPlace(document=name, quote=quote)])
    for word, (name, quote) in UNHEARD.items()
]
NEGATIVE = GoldInput(question="Who invented the sextant?", kind="negative")
RIGHT = Told({"wing", "flurble"}, {"pump", "gnorp"})
SWAPPED = Told({"wing", "gnorp"}, {"pump", "flurble"})


@pytest.fixture(scope="module")
def scope(runtime: Runtime, identity: Identity) -> Scope:
    found = add_base(runtime, identity, f"compared-{uuid4().hex[:8]}")
    for name, passages in PASSAGES.items():
        document = add_document(runtime, found, name, [Passage(text) for text in passages])
        embed_missing(runtime, found, [document])
    return found


@pytest.fixture(scope="module")
def base(scope: Scope) -> UUID:
    return scope.knowledge_base_ids[0]


def compared(
    runtime: Runtime, identity: Identity, base: UUID, other: Embedder, questions: Sequence[GoldInput] = QUESTIONS
) -> EmbedderComparison:
    return compare_embedders(runtime, identity, base, other, BOTH, ("file.jsonl", questions))


def values(scores: Sequence[Score]) -> dict[str, float]:
    return {score.name: score.value for score in scores}


def stored(runtime: Runtime, identity: Identity, scope: Scope) -> list[Any]:
    """Everything that a comparison might have written."""
    counted = "select embedder_version, count(*) as n, sum(xmin::text::bigint) as written from chunk_vectors group by 1"
    with runtime.database.transaction(scope) as connection:
        rows = connection.execute(counted).fetchall()
        bases = connection.execute(
            "select xmin::text, embedder_version, embedder_target from knowledge_bases"
        ).fetchall()
    found = runs.list_runs(runtime, identity, scope.knowledge_base_ids[0], None, 50)
    state = embedder_state(runtime, identity, scope.knowledge_base_ids[0])
    return [rows, bases, found, state, len(list_traces(runtime, identity, limit=200))]


def ordinary_run(runtime: Runtime, identity: Identity, base: UUID) -> EvalRun:
    run = runs.start_run(runtime, identity, base, "file.jsonl", BOTH, QUESTIONS)
    while run.status == "running":
        run = runs.continue_run(runtime, identity, base, run.id)
    return run


def test_each_embedder_is_measured_by_its_own_vectors(runtime: Runtime, identity: Identity, base: UUID) -> None:
    right, swapped = (compared(runtime, identity, base, other) for other in (RIGHT, SWAPPED))
    for index in ("vector", "hybrid"):
        assert values(right.other.scores)[f"{index}.recall@1"] == 1
        assert values(swapped.other.scores)[f"{index}.recall@1"] == 0
    ordinary = values(ordinary_run(runtime, identity, base).scores)
    assert values(right.serving.scores) == values(swapped.serving.scores) == ordinary
    for score in right.deltas:
        assert score.value == pytest.approx(values(right.other.scores)[score.name] - ordinary[score.name])
    assert (right.gold, right.questions, right.serving.version) == ("file.jsonl", 2, runtime.embedders.default)


def test_a_change_to_the_same_model_changes_no_measure(
    runtime: Runtime, identity: Identity, base: UUID, tmp_path: Path
) -> None:
    twin = load_onnx(read_folder(bundled_as_folder(tmp_path / "twin")), threads=1)
    asked = {"How wide is the wing at the back?": ("wings.pdf", "1050 mm"), "pumping power": ("pumps.pdf", "15 kW")}
    questions = [
        GoldInput(question=text, expected=[GoldPlace(document=name, quote=quote)])
        for text, (name, quote) in asked.items()
    ]
    found = compared(runtime, identity, base, twin, questions)
    assert values(found.other.scores) == values(found.serving.scores)
    assert values(found.other.scores)["vector.recall@1"] == 1
    assert set(values(found.deltas).values()) == {0}


def test_what_a_change_embeds_and_costs_is_counted(runtime: Runtime, identity: Identity, base: UUID) -> None:
    seen: list[tuple[int, int]] = []
    found = compare_embedders(
        runtime, identity, base, RIGHT, BOTH, ("x", QUESTIONS), lambda done, total: seen.append((done, total))
    )
    assert (found.texts, found.other.texts, found.other.tokens, found.other.usd) == (TEXTS, TEXTS, 50, 2.5)
    assert seen == [(TEXTS, TEXTS)]
    assert found.change_seconds == found.other.seconds >= 0
    assert (found.other.dimensions, found.other.query_ms >= 0) == (4, True)


def test_nothing_is_stored_whether_it_ends_well_or_not(
    runtime: Runtime, identity: Identity, scope: Scope, base: UUID
) -> None:
    before = stored(runtime, identity, scope)
    compared(runtime, identity, base, RIGHT)
    with pytest.raises(Unavailable):
        compared(runtime, identity, base, Lost())
    assert stored(runtime, identity, scope) == before


def test_pins_and_superseded_versions_count_for_both(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, f"versions-{uuid4().hex[:8]}")
    old = add_document(runtime, scope, "old.pdf", [Passage("The wing weighs 9 kg.")])
    for document in (old, add_document(runtime, scope, "new.pdf", [Passage("The wing weighs 8 kg.")], version_of=old)):
        embed_missing(runtime, scope, [document])
    of_old = GoldInput(question="flurble", expected=[GoldPlace(document=str(old), page=1)])
    pinned = of_old.model_copy(update={"pin": str(old)})
    both = [
        values(compared(runtime, identity, scope.knowledge_base_ids[0], RIGHT, [question]).other.scores)[
            "vector.hit@10"
        ]
        for question in (of_old, pinned)
    ]
    assert both == [0, 1]


def test_what_cannot_be_compared_says_why(runtime: Runtime, identity: Identity, base: UUID) -> None:
    empty = add_base(runtime, identity, f"empty-{uuid4().hex[:8]}").knowledge_base_ids[0]
    with pytest.raises(BadInput, match="no vectors yet"):
        compared(runtime, identity, empty, RIGHT)
    with pytest.raises(BadInput, match="serves this knowledge base already"):
        compared(runtime, identity, base, runtime.embedder)
    with pytest.raises(BadInput, match="No question"):
        compared(runtime, identity, base, RIGHT, [NEGATIVE])
    with pytest.raises(BadInput, match="no gold questions"):
        compare_embedders(runtime, identity, base, RIGHT, BOTH)


def test_negative_questions_are_left_out(runtime: Runtime, identity: Identity, base: UUID) -> None:
    found = compared(runtime, identity, base, RIGHT, [*QUESTIONS, NEGATIVE])
    assert (found.questions, found.left_out) == (2, 1)


def test_another_tenant_sees_no_knowledge_base(runtime: Runtime, other_identity: Identity, base: UUID) -> None:
    with pytest.raises(NotFound):
        compared(runtime, other_identity, base, RIGHT)
