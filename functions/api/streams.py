"""A request's body for code that waits, in a thread of its own."""

from collections.abc import AsyncIterator, Iterator

import anyio.from_thread


def blocking_parts(stream: AsyncIterator[bytes]) -> Iterator[bytes]:
    """The parts of `stream` for a worker thread, which waits on the event loop for each of them."""

    async def next_part() -> bytes | None:
        return await anext(stream, None)

    while (part := anyio.from_thread.run(next_part)) is not None:
        yield part
