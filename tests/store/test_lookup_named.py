"""Look-up by an address and the document that it is of: `GPL-3 section 2`; and clauses from upload to look-up."""

from uuid import UUID

import pytest

from shared.domain.scope import Identity
from shared.retrieval.requests import LookupRequest
from shared.retrieval.service import lookup
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, upload

CONTRACT = """{name} contract

1. Sale. The seller sells {name} goods.

2. Price. The buyer pays for {name} goods.

As said in a letter, that is due at once.

3. Law. The law of {name} is the law that holds.
"""


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    made = make_knowledge_base(runtime, identity, "contracts")
    for name in ("Alder", "Birch"):
        text = CONTRACT.format(name=name) + ("\n4. Ash. Of the first alone.\n" if name == "Alder" else "")
        run_all(runtime, upload(runtime, identity, made, text.encode(), f"{name}-2024.txt"))
    return made


def found(runtime: Runtime, identity: Identity, base: UUID, address: str) -> list[tuple[str, str]]:
    said = lookup(runtime, identity, LookupRequest(address=address, knowledge_base_ids=[base]))
    return [(hit.document.name, hit.chunk.content.split("\n")[0][:22]) for hit in said.hits]


@pytest.mark.parametrize("address", ["2", "Section 2", "\u00a7 2.", "what is in section 2"])
def test_a_clause_is_looked_up_with_what_follows_it(
    runtime: Runtime, identity: Identity, base: UUID, address: str
) -> None:
    passages = ["2. Price. The buyer pa", "As said in a letter, t"]
    assert sorted(found(runtime, identity, base, address)) == [
        (name, passage) for name in ("Alder-2024.txt", "Birch-2024.txt") for passage in passages
    ]


@pytest.mark.parametrize("address", ["Birch section 2", "section 2 of the Birch contract", "birch-2024, clause 2"])
def test_a_document_that_is_named_is_the_one_looked_into(
    runtime: Runtime, identity: Identity, base: UUID, address: str
) -> None:
    assert {name for name, _ in found(runtime, identity, base, address)} == {"Birch-2024.txt"}


@pytest.mark.parametrize("address", ["Birch section 4", "Birch section 9", "Birch", "section", "2 sales of Birch"])
def test_what_names_no_section_that_is_there_finds_none(
    runtime: Runtime, identity: Identity, base: UUID, address: str
) -> None:
    assert found(runtime, identity, base, address) == []
