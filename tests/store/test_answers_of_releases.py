"""In which release something changed stands in the title above it: a list of changes through the real stages."""

from uuid import UUID

import pytest

from shared.answering.service import ask
from shared.domain.scope import Identity
from shared.retrieval.requests import AskRequest
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, upload

CHANGES = """# Changes

## 2.1.0 - 3 May 2020

- Drop the valve of brass
- The lid opens by itself

## 2.0.0 - 1 April 2019

### Fixed

- Seals of rubber hold in frost
"""


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    base = make_knowledge_base(runtime, identity, "releases")
    run_all(runtime, upload(runtime, identity, base, CHANGES.encode(), "changes.md"))
    return base


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("Which version dropped the valve of brass?", ["2.1.0 - 3 May 2020", "Drop the valve of brass"]),
        ("When did seals of rubber hold in frost?", ["2.0.0 - 1 April 2019", "Seals of rubber hold in frost"]),
        ("What is the lid said to open by?", ["The lid opens by itself"]),
    ],
)
def test_the_release_is_quoted_before_what_it_changed(
    runtime: Runtime, identity: Identity, base: UUID, question: str, quoted: list[str]
) -> None:
    answer = ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base]))
    assert [one.text for one in answer.sentences][: len(quoted)] == quoted
    contents = {hit.chunk.id: hit.chunk.content for hit in answer.citations}
    assert all(one.text in contents[one.citations[0]] for one in answer.sentences)
