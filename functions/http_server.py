"""The web server of one machine: uvicorn, with time limits for connections that never complete a request."""

import asyncio
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

# Longer than clients keep an idle connection: if the server closed it first, it could lose the client's next request.
KEEP_ALIVE_S = 75
# Time limit for a request's head, from the opening of the connection or the first byte of its next request.
HEAD_S = 10.0
MAX_HEAD_BYTES = 32 * 1024
# Far below the number of files that a process may have open (1,024 by default).
MAX_CONNECTIONS = 400


class PatientProtocol(H11Protocol):
    """uvicorn waits for ever for the head of a request; this one waits for `HEAD_S` seconds."""

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._expect_head()
        else:
            self._forget_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_head()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_S, self._give_up)

    def _forget_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        self._head_timer = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


def server_config(app: Any, host: str, port: int) -> uvicorn.Config:
    """How `app` is served; quiet, since an access log would hold queries."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=PatientProtocol,
        ws="none",
        log_level="warning",
        access_log=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        limit_concurrency=MAX_CONNECTIONS,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
    )
