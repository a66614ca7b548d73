"""Routes that cost little until somebody asks for them."""

import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, Final

from fastapi._compat import ModelField
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.routing import BaseRoute, compile_path

# Reentrant: deriving a route reads what it has derived.
_DERIVING: Final = threading.RLock()
_OF_THE_PATH: Final = frozenset({"path_regex", "path_format", "param_convertors"})


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


def _fields_of(dependant: Dependant) -> Iterator[ModelField]:
    """Of a function, and of what it depends on."""
    yield from chain(dependant.query_params, dependant.header_params, dependant.cookie_params, dependant.body_params)
    for one in dependant.dependencies:
        yield from _fields_of(one)
