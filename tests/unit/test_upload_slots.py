"""How many uploads may be open at once, over any order of beginnings and ends."""

import asyncio
from contextlib import AsyncExitStack
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.api import upload_slots
from functions.api.errors import TooMany
from functions.api.upload_slots import UploadSlots
from shared.errors import Unavailable

USERS = [uuid4() for _ in range(3)]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_slots, "PATIENCE_S", 0.0)
    monkeypatch.setattr(upload_slots, "LOOK_S", 0.0)


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
