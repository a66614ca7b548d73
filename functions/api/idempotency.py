"""`Idempotency-Key` on mutations: the first answer is stored for a day and returned again, without a second effect."""

import hashlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import Depends, Header, Request
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from functions.api.caller import Admin, Caller, Editor, Owner, Reader
from shared.errors import Busy, Conflict
from shared.store import idempotency
from shared.store.connect import Connection

REPLAYED = {"Idempotent-Replayed": "true"}
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern=r"^[\x21-\x7e]+$",
        description="A word of your own: sent again with it, the request acts once and is answered the same",
    ),
]


class Mutation:
    """A request that changes something, by an identity that may."""

    def __init__(self, request: Request, caller: Caller, key: str | None) -> None:
        self.runtime, self.identity = caller.runtime, caller.identity
        self._key = key
        self._address = f"{request.method} {request.url.path}"

    def answer(
        self,
        status: int,
        act: Callable[[], Any],
        body: BaseModel | None = None,
        kept: Callable[[Any], Any] = lambda made: made,
    ) -> JSONResponse:
        """Runs `act` once: returns its answer, or the stored one where this key has been answered before.

        `body` is the request's, so that the same key with another body is a Conflict. Errors are not stored. `kept` is
        what is stored of the answer: a secret is not.
        """
        if self._key is None:
            return JSONResponse(jsonable_encoder(act()), status)
        stored = self._claim(self._key, self._hash(body))
        if stored is not None:
            return stored
        return self._act_and_keep(self._key, status, act, kept)

    def _claim(self, key: str, request_hash: str) -> JSONResponse | None:
        with self._transaction() as connection:
            held = idempotency.claim(connection, self.identity, key, request_hash)
        if held is None:
            return None
        if held.request_hash != request_hash:
            raise Conflict("This Idempotency-Key belongs to another request. Use a new key for a new request.")
        if held.status is None:
            raise Busy("The first request with this Idempotency-Key still runs. Ask again in a few seconds.")
        return JSONResponse(held.response, held.status, REPLAYED)

    def _act_and_keep(self, key: str, status: int, act: Callable[[], Any], kept: Callable[[Any], Any]) -> JSONResponse:
        try:
            made = act()
            answer = jsonable_encoder(made)
        except BaseException:
            with self._transaction() as connection:
                idempotency.release(connection, self.identity, key)
            raise
        with self._transaction() as connection:
            idempotency.complete(connection, self.identity, key, status, jsonable_encoder(kept(made)))
        return JSONResponse(answer, status)

    def _hash(self, body: BaseModel | None) -> str:
        text = f"{self._address}\n{body.model_dump_json() if body else ''}"
        return hashlib.sha256(text.encode()).hexdigest()

    @contextmanager
    def _transaction(self) -> Generator[Connection]:
        with self.runtime.database.transaction(self.identity.scope()) as connection:
            yield connection


def _mutation(request: Request, caller: Editor, idempotency_key: Key = None) -> Mutation:
    return Mutation(request, caller, idempotency_key)


def _administration(request: Request, caller: Admin, idempotency_key: Key = None) -> Mutation:
    return Mutation(request, caller, idempotency_key)


def _ownership(request: Request, caller: Owner, idempotency_key: Key = None) -> Mutation:
    return Mutation(request, caller, idempotency_key)


def _own(request: Request, caller: Reader, idempotency_key: Key = None) -> Mutation:
    return Mutation(request, caller, idempotency_key)


# A change of what is one's own; what it changes says who may.
Own = Annotated[Mutation, Depends(_own)]
Change = Annotated[Mutation, Depends(_mutation)]
Ownership = Annotated[Mutation, Depends(_ownership)]
Administration = Annotated[Mutation, Depends(_administration)]
