"""Where routes of `/v1` are declared, and how the route of a request is found."""

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter, Depends
from starlette.datastructures import URLPath
from starlette.routing import BaseRoute, Match, Mount, NoMatchFound, Route
from starlette.types import Receive, Scope, Send

from functions.api.caller import refuse_unstorable_text
from functions.api.late_route import LateRoute

# Two words tell apart what follows `/v1`; where a route has a parameter, any word stands.
WORDS: Final = 2
Words = tuple[str | None, ...]
_CHOSEN: Final = "autri.route"


def v1_router(tag: str, prefix: str = "") -> APIRouter:
    """Routes below `/v1` and `prefix`, complete as they stand, for `app.router.routes`: `include_router` would derive
    each of them once more for every application, at its first request."""
    return APIRouter(
        prefix=f"/v1{prefix}", tags=[tag], dependencies=[Depends(refuse_unstorable_text)], route_class=LateRoute
    )


class ByWords(BaseRoute):
    """Stands before an application's routes and finds the first of them that takes a request, among those whose path
    begins with the request's first words: three hundred, asked one after the other, take as long as a short answer.

    What none takes whole is left to the routes behind it, which say what is wrong with it.
    """

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._routes = [(_words_of(route), route) for route in routes]
        self._known = {words[:end] for words, _ in self._routes for end in range(1, WORDS + 1)}
        self._asked: dict[Words, list[BaseRoute]] = {}

    def asked(self, path: str) -> list[BaseRoute]:
        """The routes that may take the path, in their order."""
        words = (*path.split("/")[1 : WORDS + 1], *[""] * WORDS)[:WORDS]
        # Words that no route has are all the same one: what people type is not kept.
        kept = tuple(word if (*words[:at], word) in self._known else None for at, word in enumerate(words))
        if kept not in self._asked:
            self._asked[kept] = [
                route
                for wanted, route in self._routes
                if all(want is None or want == word for want, word in zip(wanted, kept, strict=True))
            ]
        return self._asked[kept]

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] == "http":
            for route in self.asked(scope["path"].removeprefix(scope.get("root_path", ""))):
                match, child = route.matches(scope)
                if match is Match.FULL:
                    return match, {**child, _CHOSEN: route}
        return Match.NONE, {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope[_CHOSEN].handle(scope, receive, send)

    def url_path_for(self, name: str, /, **path_params: object) -> URLPath:
        raise NoMatchFound(name, path_params)


def _words_of(route: BaseRoute) -> Words:
    """What the first words of a path that it takes are."""
    if not isinstance(route, Route | Mount):
        return (None,) * WORDS
    words = [None if "{" in word else word for word in route.path.split("/")[1 : WORDS + 1]]
    rest = None if isinstance(route, Mount) or ("{" in route.path and len(words) < WORDS) else ""
    return (*words, *[rest] * WORDS)[:WORDS]
