"""How many uploads may be open at once, over any order of beginnings and ends."""

import asyncio
from contextlib import AsyncExitStack
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.api import upload_slots
from functions.api.upload_slots import UploadSlots
from shared.errors import TooMany, Unavailable
from tests.unit.test_intake import run_jumping

USERS = [uuid4() for _ in range(3)]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_slots, "PATIENCE_S", 0.0)
    monkeypatch.setattr(upload_slots, "LOOK_S", 0.0)


@pytest.mark.usefixtures("impatient")
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(USERS), st.integers(0, 3).map(bool)), min_size=20, max_size=120))
def test_there_are_eight_places_for_a_user_and_sixteen_for_all_whatever_ended_before(
    steps: list[tuple[UUID, bool]],
) -> None:
    asyncio.run(walk(steps))


async def walk(steps: list[tuple[UUID, bool]]) -> None:
    """Each step is a user and whether an upload of theirs begins, or else the oldest one of theirs ends."""
    slots = UploadSlots()
    uploads: dict[UUID, list[AsyncExitStack]] = {user: [] for user in USERS}
    for user, begins in steps:
        own, all_open = uploads[user], sum(map(len, uploads.values()))
        if begins:
            upload = AsyncExitStack()
            try:
                await upload.enter_async_context(slots.one(user))
                own.append(upload)
                assert len(own) <= 8
                assert all_open < 16
            except TooMany:
                assert len(own) == 8
            except Unavailable:
                assert all_open == 16
        elif own:
            await own.pop(0).aclose()
    for upload in (one for own in uploads.values() for one in own):
        await upload.aclose()


@pytest.mark.parametrize(
    ("users", "next_one", "refused", "said"),
    [
        ([USERS[0]] * 8, USERS[0], TooMany, "You are sending 8 files already."),
        (USERS[:2] * 8, USERS[2], Unavailable, "Too many files"),
    ],
    ids=["own", "all"],
)
@pytest.mark.parametrize("ends_after", [1.02, 4.9, 6.0])
def test_a_place_that_becomes_free_within_five_seconds_is_taken_soon(
    monkeypatch: pytest.MonkeyPatch,
    users: list[UUID],
    next_one: UUID,
    refused: type[Exception],
    said: str,
    ends_after: float,
) -> None:
    if ends_after > 5:
        monkeypatch.setattr(upload_slots, "LOOK_S", 1 / 32)  # adds up to five seconds exactly

    async def upload(slots: UploadSlots, user: UUID, seconds: float) -> None:
        async with slots.one(user):
            await asyncio.sleep(seconds)
            if user == users[0]:
                raise ConnectionError("A sender that goes away leaves its place as well.")

    async def wait() -> None:
        slots = UploadSlots()
        others = [asyncio.create_task(upload(slots, user, ends_after)) for user in users]
        await asyncio.sleep(0)
        begun = asyncio.get_running_loop().time()
        try:
            async with slots.one(next_one):
                taken = True
        except refused as error:
            taken = str(error).startswith(said)
            assert ends_after > 5
        waited = asyncio.get_running_loop().time() - begun
        await asyncio.gather(*others, return_exceptions=True)
        assert taken
        assert waited == 5 + 1 / 32 if ends_after > 5 else ends_after <= waited < ends_after + 0.0502

    run_jumping(wait(), upload_slots, monkeypatch)
