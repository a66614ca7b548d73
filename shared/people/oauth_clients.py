"""Who an assistant says it is: by the address of a document about it, or by what it was registered with.

A client's id is the address of its metadata document (draft-ietf-oauth-client-id-metadata-document), or, for older
clients that register themselves (RFC 7591), what they registered, written into the id: anybody may register anything,
so there is nothing to keep and nothing to sign.
"""

import base64
import binascii
import json
import tempfile
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlsplit

from shared.domain.connections import OAuthClient
from shared.errors import BadInput
from shared.runtime import Runtime

REGISTERED: Final = "registered."
DOCUMENT_BYTES: Final = 5 * 1024
NAME_MAX: Final = 100
URIS_MAX: Final = 10
URI_MAX: Final = 400
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
# Schemes that a browser runs or reads itself, instead of handing them to a program.
UNFIT: Final = frozenset({"javascript", "data", "file", "blob", "about", "vbscript", "ftp", "ws", "wss", "view-source"})


def register_client(wanted: Any) -> OAuthClient:
    """The client of a registration's body. Raises BadInput."""
    if not isinstance(wanted, dict):
        raise BadInput("Send a JSON object with redirect_uris.")
    name, uris = _read(cast(dict[str, Any], wanted))
    kept = json.dumps({"n": name, "r": uris}, separators=(",", ":"), ensure_ascii=False).encode()
    return OAuthClient(REGISTERED + base64.urlsafe_b64encode(kept).decode().rstrip("="), name, uris)


def find_client(runtime: Runtime, client_id: str) -> OAuthClient:
    """Raises BadInput for an id that is none, and where its document does not fit; Unavailable where that is not
    answered."""
    if client_id.startswith(REGISTERED):
        return _registered(client_id)
    try:
        parts = urlsplit(client_id)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme != "https" or not parts.hostname or len(parts.path) < 2 or parts.fragment or parts.username:
        raise BadInput("The assistant's client_id is neither registered here nor the https address of a document.")
    return _of_document(client_id, _fetch(runtime, client_id))


def permits(client: OAuthClient, redirect_uri: str) -> bool:
    """Whether the client may be answered there: word for word, but for the port of a program on the person's own
    machine (RFC 8252, 7.3)."""
    return redirect_uri in client.redirect_uris or any(
        _is_loopback(one) and _without_port(one) == _without_port(redirect_uri) for one in client.redirect_uris
    )


def _registered(client_id: str) -> OAuthClient:
    try:
        text = client_id.removeprefix(REGISTERED)
        kept = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        name, uris = _read({"client_name": kept["n"], "redirect_uris": kept["r"]})
    except (binascii.Error, ValueError, TypeError, KeyError, RecursionError):
        raise BadInput("This client_id was not made here. Let the assistant register anew.") from None
    return OAuthClient(client_id, name, uris)


def _fetch(runtime: Runtime, url: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "client.json"
        found = runtime.fetch(url, target, limit=DOCUMENT_BYTES)
        if found.status != 200 or found.url != url:
            raise BadInput(f"{url} does not answer with the document about the assistant ({found.status}).")
        try:
            return json.loads(target.read_bytes())
        except (ValueError, RecursionError):
            raise BadInput(f"{url} is no JSON document about an assistant.") from None


def _of_document(client_id: str, document: Any) -> OAuthClient:
    if not isinstance(document, dict) or document.get("client_id") != client_id:
        raise BadInput(f"The document at {client_id} is about another client.")
    name, uris = _read(cast(dict[str, Any], document))
    return OAuthClient(client_id, name, uris)


def _read(said: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    uris = said.get("redirect_uris")
    if not isinstance(uris, list) or not 0 < len(uris) <= URIS_MAX:
        raise BadInput(f"redirect_uris has to be a list of one to {URIS_MAX} addresses.")
    for uri in uris:
        if not isinstance(uri, str) or not _is_fit(uri):
            raise BadInput(
                "A redirect_uri has to be https, http on 127.0.0.1 or localhost, or of the program's own scheme;"
                " without a fragment."
            )
    name = said.get("client_name")
    if name is not None and not isinstance(name, str):
        raise BadInput("client_name has to be text.")
    shown = "".join(one for one in name or "" if one.isprintable()).strip()[:NAME_MAX]
    return shown or "An assistant without a name", tuple(uris)


def _is_fit(uri: str) -> bool:
    try:
        parts = urlsplit(uri)
    except ValueError:
        return False
    if len(uri) > URI_MAX or "#" in uri or not uri.isascii() or not uri.isprintable() or not parts.scheme:
        return False
    if parts.scheme == "https":
        return bool(parts.hostname) and parts.username is None
    return _is_loopback(uri) if parts.scheme == "http" else parts.scheme not in UNFIT


def _is_loopback(uri: str) -> bool:
    parts = urlsplit(uri)
    return parts.scheme == "http" and parts.hostname in LOOPBACK and parts.username is None


def _without_port(uri: str) -> tuple[str, str | None, str, str]:
    try:
        parts = urlsplit(uri)
        return parts.scheme, parts.hostname if parts.username is None else None, parts.path, parts.query
    except ValueError:
        return "", None, "", ""
