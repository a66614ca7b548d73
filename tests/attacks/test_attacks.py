"""Documents that give orders, and a model that obeys every one: nothing comes of it but what a document says, cited."""

from pathlib import Path

import pytest

from shared.adapters.local.postgres import EmbeddedPostgres
from shared.domain.scope import Identity
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from tests.attacks.trial import Attack, World, corpus

ATTACKS = [*corpus("corpus"), *corpus("held_out")]
# Every second one, and all that are no questions; `make attacks` runs them all.
TRIED = [one for at, one in enumerate(ATTACKS) if at % 2 == 0 or "asks" in one or one["id"] == "held-record-title"]


@pytest.fixture(scope="module")
def world(
    runtime: Runtime, identity: Identity, other_identity: Identity, owner_dsn: str, postgres: EmbeddedPostgres
) -> World:
    return World(runtime, identity, other_identity, owner_dsn, Path(postgres.data) / "server.log")


def test_there_are_sixty_attacks_and_more_each_its_own() -> None:
    assert len({one["payload"] for one in ATTACKS}) == len({one["id"] for one in ATTACKS}) == len(ATTACKS) >= 60
    assert len(corpus("held_out")) * 3 >= len(ATTACKS)


def test_the_database_tells_of_a_secret_that_is_seen(world: World) -> None:
    before = world.rows_seen()
    assert search(world.runtime, world.identity, SearchRequest(query="vault code")).hits
    assert world.rows_seen() > before


@pytest.mark.parametrize("attack", TRIED, ids=[one["id"] for one in TRIED])
def test_an_attack_comes_to_nothing(world: World, attack: Attack) -> None:
    filled = world.filled(attack)
    outcome = world.run(filled, world.ingest(filled))
    assert not outcome.succeeded, outcome.succeeded
    assert outcome.rows_outside == 0
    assert not outcome.foreign
    assert not outcome.outward
