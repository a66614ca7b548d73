"""Routes that cost little until somebody asks for them."""

import threading
import warnings
from collections.abc import Callable
from typing import Any, Final

from fastapi.routing import APIRoute
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.routing import compile_path

# Reentrant: deriving a route reads what it has derived.
_DERIVING: Final = threading.RLock()


class LateRoute(APIRoute):
    """A route that is found by its path and methods, and derived from its function's signature when it first has to
    answer or to be described: three hundred take longer than all that a short-lived process is asked."""

    def __init__(  # pyrefly: ignore[missing-super-call] it is called when the route is derived
        self, path: str, endpoint: Callable[..., Any], **declared: Any
    ) -> None:
        self.path, self.endpoint, self._declared = path, endpoint, declared
        self.methods = set(declared["methods"] or ("GET",))
        self.path_regex, self.path_format, self.param_convertors = compile_path(path)

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there yet, which is there afterwards."""
        with _DERIVING:
            if (declared := vars(self).pop("_declared", None)) is not None:
                super().__init__(self.path, self.endpoint, **declared)
                self._build_bodies()
        return object.__getattribute__(self, name)

    def _build_bodies(self) -> None:
        """What reads a body is built under the exception that FastAPI makes for it: it gives pydantic the body's name,
        which has no use for it and says so."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)
            for field in filter(None, (self.body_field, *self.dependant.body_params)):
                field._type_adapter.rebuild()  # noqa: SLF001 nothing else builds it and reads nothing
