"""What `autri login` keeps: for each server the tokens of one sign-in, in a file that its owner alone can read.

The file is `autri/credentials.json` in the folder for configuration (XDG Base Directory Specification).
"""

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from shared.errors import BadInput, Unavailable

# A token that ends within this time is replaced before it is sent.
MARGIN_S: Final = 60
TIMEOUT_S: Final = 15


class Credentials(BaseModel):
    """A sign-in at one server: `bearer` goes with requests until `expires` (seconds since 1970), `refresh_token` to the
    hosted login alone; `reading` says that the bearer is an access token to read with."""

    login_url: str
    client_id: str
    bearer: str
    refresh_token: str
    expires: float
    reading: bool


def credentials_file() -> Path:
    folder = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(folder).expanduser() / "autri" / "credentials.json"


def find_token(url: str) -> str | None:
    """The bearer token for this server, renewed where it has run out; None where nobody has signed in.

    Raises BadInput where the sign-in has ended, Unavailable where the hosted login does not answer.
    """
    known = load(url)
    if known is None:
        return None
    if known.expires - MARGIN_S > time.time():
        return known.bearer
    form = {"grant_type": "refresh_token", "refresh_token": known.refresh_token, "client_id": known.client_id}
    answer = ask_login(known.login_url, "token", form)
    if answer is None:
        forget(url)
        raise BadInput(f"The sign-in at {url} has ended. Sign in again: autri login --url {url}")
    renewed = known.model_copy(update=_bearer_of(answer, known.reading))
    store(url, renewed)
    return renewed.bearer


def made_of(answer: dict[str, Any], login_url: str, client_id: str, *, reading: bool) -> Credentials:
    """What the token endpoint has answered."""
    fixed = {"login_url": login_url, "client_id": client_id, "reading": reading}
    return Credentials(**fixed, **_bearer_of(answer, reading), refresh_token=answer["refresh_token"])


def ask_login(login_url: str, endpoint: str, form: dict[str, str]) -> dict[str, Any] | None:
    """The hosted login's answer; None where it refuses the code or token. Raises Unavailable."""
    import httpx

    try:
        answer = httpx.post(f"{login_url}/oauth2/{endpoint}", data=form, timeout=TIMEOUT_S)
    except httpx.HTTPError as error:
        raise Unavailable(f"The sign-in service {login_url} does not answer ({error}). Try again.") from error
    if answer.status_code in (400, 401, 403):
        return None
    if not answer.is_success:
        raise Unavailable(f"The sign-in service {login_url} answered {answer.status_code}. Try again.")
    return answer.json() if answer.content else {}


def load(url: str) -> Credentials | None:
    found = _read().get(_key(url))
    return Credentials.model_validate(found) if found else None


def store(url: str, credentials: Credentials) -> None:
    _write(_read() | {_key(url): credentials.model_dump()})


def forget(url: str) -> None:
    _write({known: value for known, value in _read().items() if known != _key(url)})


def _bearer_of(answer: dict[str, Any], reading: bool) -> dict[str, Any]:
    """The ID token is the person's own; an access token may what it was asked for."""
    bearer = answer["access_token" if reading else "id_token"]
    return {"bearer": bearer, "expires": time.time() + float(answer.get("expires_in", 3600))}


def _key(url: str) -> str:
    return url.rstrip("/")


def _read() -> dict[str, Any]:
    try:
        return json.loads(credentials_file().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise BadInput(f"{credentials_file()} is damaged. Delete it and sign in again.") from error


def _write(content: dict[str, Any]) -> None:
    """Never readable to others, not even while it is written; whole or not at all."""
    file = credentials_file()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = file.with_suffix(f".{os.getpid()}")
    with suppress(FileNotFoundError):
        partial.unlink()
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as output:
        json.dump(content, output, indent=1)
    partial.replace(file)
