"""Routes that cost little until somebody asks for them."""

import threading
import warnings
from collections.abc import Callable, Coroutine, Iterable, Iterator
from functools import wraps
from inspect import iscoroutinefunction
from itertools import chain
from typing import Any, Final

from fastapi import Request, Response
from fastapi._compat import ModelField
from fastapi.datastructures import DefaultPlaceholder
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import ResponseValidationError
from fastapi.routing import APIRoute
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.routing import BaseRoute, compile_path

# Reentrant: deriving a route reads what it has derived.
_DERIVING: Final = threading.RLock()
_OF_THE_PATH: Final = frozenset({"path_regex", "path_format", "param_convertors"})
# What a route may declare of how its answer is written.
_OPTIONS: Final = ("include", "exclude", "by_alias", "exclude_unset", "exclude_defaults", "exclude_none")


class LateRoute(APIRoute):
    """A route that is found by its path and methods, and derived from its function's signature when it first has to
    answer or to be described: three hundred take longer than all that a short-lived process is asked."""

    def __init__(  # pyrefly: ignore[missing-super-call] it is called when the route is derived
        self, path: str, endpoint: Callable[..., Any], **declared: Any
    ) -> None:
        self.path, self.endpoint, self._declared = path, endpoint, declared
        self.methods = set(declared["methods"] or ("GET",))

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there yet, which is there afterwards."""
        if name in _OF_THE_PATH and "_declared" in vars(self):
            self.path_regex, self.path_format, self.param_convertors = compile_path(self.path)
            return vars(self)[name]
        with _DERIVING:
            if (declared := vars(self).pop("_declared", None)) is not None:
                super().__init__(self.path, self.endpoint, **declared)
                self._build_fields()
        return object.__getattribute__(self, name)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Called when the route is derived. What a function in a thread answers is checked and written there: FastAPI
        takes another thread to check it, and writes it where all other requests wait."""
        field, call = self.response_field, self.dependant.call
        is_plain = isinstance(self.response_class, DefaultPlaceholder) and self.status_code is None
        adds = any(one.response_param_name or one.background_tasks_param_name for one in _all_of(self.dependant))
        if field and call and is_plain and not adds and not iscoroutinefunction(call):
            options = {name: getattr(self, f"response_model_{name}") for name in _OPTIONS}
            self.dependant.call = _written(call, field, options)
        return super().get_route_handler()

    def _build_fields(self) -> None:
        """What reads bodies and parameters is built under the exception that FastAPI makes for it: it gives pydantic
        their names, which has no use for them and says so."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)
            for field in filter(None, (self.body_field, *_fields_of(self.dependant))):
                field._type_adapter.rebuild()  # noqa: SLF001 nothing else builds it and reads nothing


def derive_routes(routes: Iterable[BaseRoute]) -> None:
    """All of them, and the shapes of their answers, as their first requests would. Raises what is wrong with one."""
    for route in routes:
        if isinstance(route, LateRoute) and (answer := route.response_field) is not None:
            answer._type_adapter.rebuild()  # noqa: SLF001 as above


def _written(call: Callable[..., Any], field: ModelField, options: dict[str, Any]) -> Callable[..., Response]:
    """`call`, with its answer as JSON, written with `options`. Raises ResponseValidationError for an answer that is no
    `field`."""

    @wraps(call)
    def answer(**values: Any) -> Response:
        said = call(**values)
        if isinstance(said, Response):
            return said
        checked, errors = field.validate(said, loc=("response",))
        if errors:
            raise ResponseValidationError(errors=errors, body=said)
        return Response(field.serialize_json(checked, **options), media_type="application/json")

    return answer


def _all_of(dependant: Dependant) -> Iterator[Dependant]:
    """A function, and what it depends on."""
    yield dependant
    for one in dependant.dependencies:
        yield from _all_of(one)


def _fields_of(dependant: Dependant) -> Iterator[ModelField]:
    for one in _all_of(dependant):
        yield from chain(one.query_params, one.header_params, one.cookie_params, one.body_params)
