"""Lists of questions and answers: what stands behind a question answers it, in whatever words."""

from uuid import UUID

import pytest

from shared.answering.service import ask
from shared.domain.scope import Identity
from shared.retrieval.requests import AskRequest
from shared.runtime import Runtime
from shared.store.search import answers_of_questions
from tests.pipeline import make_knowledge_base, run_all, scope_of, upload

TEXT = """Ferry

Q:  May I take my dog on board?

A:  Pets travel on the car deck only, and stay in the vehicle.

Q:  Where do bicycles stand?

A:  By the ramp, as long as there is room for one more.

Is a seat kept for me? Come half an hour early, then there is always one free.

The bar sells soup, coffee and newspapers from nine to five on all days.

Dogs may visit the bar. Cats are not seen there, nor are other animals.
"""


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    base = make_knowledge_base(runtime, identity, "questions")
    run_all(runtime, upload(runtime, identity, base, TEXT.encode(), "ferry.txt"))
    return base


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("May I take a dog on board?", "Pets travel on the car deck"),
        ("Where do bicycles stand?", "By the ramp"),
        ("Is a seat kept for me?", "Come half an hour early"),
    ],
)
def test_what_stands_behind_the_question_is_quoted_first(
    runtime: Runtime, identity: Identity, base: UUID, question: str, said: str
) -> None:
    found = ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base]))
    assert said in found.sentences[0].text


def test_an_answer_is_known_by_its_question_and_found_by_it(runtime: Runtime, identity: Identity, base: UUID) -> None:
    with runtime.database.transaction(scope_of(identity, base)) as connection:
        rows = connection.execute("select id, content from chunks order by ordinal").fetchall()
        asked, answered = (next(r["id"] for r in rows if said in r["content"]) for said in ("my dog", "Pets travel"))
        bar = next(row["id"] for row in rows if "The bar sells" in row["content"])
        for given in (asked, answered):
            assert answers_of_questions(connection, [given]) == {answered: "Q:  May I take my dog on board?"}
        assert answers_of_questions(connection, [bar]) == {}
