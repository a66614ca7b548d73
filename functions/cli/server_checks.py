"""What `autri doctor --url` asks of a server; the checks of `checks.py` are of the machine that the command runs on."""

from collections.abc import Callable
from typing import Any

from functions.cli.api import ApiClient
from functions.cli.checks import SystemCheck
from functions.cli.errors import ApiError
from shared import VERSION
from shared.errors import AutriError

QUOTING = "no model: questions are answered by quotations"


def check_server(api: ApiClient) -> list[SystemCheck]:
    """Its version, database, model and embedder; without what it does not tell this caller."""
    up = _tried(
        "server", lambda: api.call("GET", "/health"), _version, "Check the address, and whether the server runs there."
    )
    if not up.ok:
        return [up]
    ready = _tried("database", lambda: api.call("GET", "/ready"), lambda said: said["database"], "Try again; sign in.")
    try:
        state = api.call("GET", "/model")
    except AutriError as error:
        if not isinstance(error, ApiError) or error.status != 403:
            return [up, ready, _check("answers", str(error), "autri model show --url … says more.")]
        names = _tried("answers", lambda: list(api.items("/models")), _usual, "Ask whoever runs the server.")
        return [up, ready, names]
    named = f"{state['service']}:{state['model']}" if state["model"] else QUOTING
    further = f", or {', '.join(state['further'])}" if state.get("further") else ""
    answers = SystemCheck(
        name="answers", ok=state["problem"] is None, needed=False, of="server", found=named + further,
        remedy=state["problem"] or "",
    )  # fmt: skip
    told = {"embedder": state["embedder"], "extraction model": state["extraction_model"] or "none"}
    others = [SystemCheck(name=name, ok=True, of="server", found=found) for name, found in told.items()]
    return [up, ready, answers, *others]


def _version(said: dict[str, Any]) -> str:
    own = "" if said["version"] == VERSION else f"; this command is of {VERSION}"
    return f"version {said['version']}{own}"


def _usual(models: list[dict[str, Any]]) -> str:
    name = next(one["name"] for one in models if one["usual"])
    return QUOTING if name == "quotations" else name


def _tried(name: str, ask: Callable[[], Any], found: Callable[[Any], str], remedy: str) -> SystemCheck:
    try:
        return SystemCheck(name=name, ok=True, of="server", found=found(ask()))
    except AutriError as error:
        return _check(name, str(error), remedy)
    except (LookupError, TypeError, StopIteration):
        return _check(name, "What answers there is no server of Autri.", remedy)


def _check(name: str, found: str, remedy: str) -> SystemCheck:
    return SystemCheck(name=name, ok=False, of="server", found=found, remedy=remedy)
