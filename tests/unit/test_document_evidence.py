"""Which documents a query means, by the words that name some of them."""

from uuid import UUID, uuid4

import pytest

from shared.lexical.keys import slot
from shared.lexical.profiles import NamingProfile
from shared.lexical.query import Word
from shared.retrieval.documents import EVIDENCE_MAX, prefer_documents, weigh_documents

KESTREL, REPORT, VALVE = 1, 2, 3
CHUNKS = 1000
ONE, OTHER = uuid4(), uuid4()


def word(number: int, frequency: int) -> Word:
    return Word(str(number), {str(number): number}, 1, frequency, 1.0)


def profile(frequencies: dict[int, int], naming: set[int]) -> NamingProfile:
    return NamingProfile(500, {slot(n): f for n, f in frequencies.items()}, frozenset(map(slot, naming)))


PROFILES = {
    ONE: profile({KESTREL: 40, REPORT: 90, VALVE: 1}, {KESTREL, REPORT}),
    OTHER: profile({REPORT: 90, VALVE: 60}, {REPORT}),
}


def test_a_document_is_meant_when_the_query_has_a_word_that_names_it() -> None:
    evidence = weigh_documents([word(KESTREL, 40)], CHUNKS, PROFILES)
    assert evidence[ONE] > 0.3
    assert evidence[OTHER] < -1


@pytest.mark.parametrize("number", [REPORT, VALVE])
def test_words_that_name_every_document_or_none_say_nothing(number: int) -> None:
    assert weigh_documents([word(number, 100)], CHUNKS, PROFILES) == {ONE: 0.0, OTHER: 0.0}


def test_one_word_never_decides_alone() -> None:
    large = {d: NamingProfile(100_000, p.frequencies, p.names) for d, p in PROFILES.items()}
    assert weigh_documents([word(KESTREL, 40)], 200_000, large)[OTHER] == -EVIDENCE_MAX


def test_a_word_in_no_chunk_says_nothing() -> None:
    assert weigh_documents([word(KESTREL, 0)], CHUNKS, PROFILES)[ONE] == 0.0


def test_chunks_of_the_documents_that_are_meant_come_first() -> None:
    mine, theirs = uuid4(), uuid4()
    places: dict[UUID, UUID] = {mine: ONE, theirs: OTHER}
    preferred = prefer_documents({theirs: 1.0, mine: 0.9}, {ONE: 1.0, OTHER: -1.0}, places)
    assert list(preferred) == [mine, theirs]
    assert list(prefer_documents({theirs: 1.0, mine: 0.9}, {}, places)) == [theirs, mine]
