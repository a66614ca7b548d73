"""Who wrote a message, and when, stands in its header: mails through the real stages."""

from uuid import UUID

import pytest

from shared.answering.service import ask
from shared.domain.knowledge import Answer
from shared.domain.scope import Identity
from shared.retrieval.requests import AskRequest
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, upload

DRY = "The pump of hall two runs dry."
MAILS = {
    "Pump runs dry": ("Ada Lind <ada@example.org>", "Tue, 3 Mar 2026 09:15:00 +0100", DRY),
    "Spare bearing": ("Ben Roe <ben@example.org>", "Wed, 4 Mar 2026 10:00:00 +0100", "Is a spare bearing in stock?"),
    "Canteen": ("Cy Moss <cy@example.org>", "Thu, 5 Mar 2026 11:00:00 +0100", "There is soup on Friday, and bread."),
}


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    base = make_knowledge_base(runtime, identity, "messages")
    for number, (subject, (sender, day, text)) in enumerate(MAILS.items()):
        header = f"From: {sender}\nTo: all@example.org\nDate: {day}\nSubject: {subject}"
        run_all(runtime, upload(runtime, identity, base, f"{header}\n\n{text}\n".encode(), f"{number}.eml"))
    return base


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("Who reported that the pump runs dry?", ["From: Ada Lind <ada@example.org>", DRY]),
        ("When was it reported that the pump runs dry?", ["Date: Tue, 3 Mar 2026 09:15:00 +0100", DRY]),
        ("Who asked for a spare bearing?", ["From: Ben Roe <ben@example.org>", "Is a spare bearing in stock?"]),
        ("What is there on Friday?", ["There is soup on Friday, and bread."]),
    ],
)
def test_who_wrote_and_when_is_quoted_from_the_header_of_the_message(
    runtime: Runtime, identity: Identity, base: UUID, question: str, quoted: list[str]
) -> None:
    answer = ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base]))
    assert [one.text for one in answer.sentences][: len(quoted)] == quoted
    assert all(one.text in _content(answer, one.citations[0]) for one in answer.sentences)


def test_a_header_that_was_not_found_itself_is_cited(runtime: Runtime, identity: Identity, base: UUID) -> None:
    question = "Who asked whether a spare bearing is in stock?"
    answer = ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base], k=1))
    assert [hit.chunk.content for hit in answer.hits] == ["Is a spare bearing in stock?"]
    assert answer.sentences[0].text == "From: Ben Roe <ben@example.org>"
    assert answer.sentences[0].text in _content(answer, answer.sentences[0].citations[0])


def _content(answer: Answer, chunk: UUID) -> str:
    (content,) = {hit.chunk.content for hit in answer.citations if hit.chunk.id == chunk}
    return content
