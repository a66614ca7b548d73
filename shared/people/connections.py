"""Assistants connected by OAuth 2.1: a person allows one, it exchanges a code for tokens and refreshes them, the person
or the assistant ends it. docs/decisions/0102-assistants-by-oauth.md"""

import base64
import hashlib
import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlencode, urlsplit, urlunsplit
from uuid import UUID

from shared.access import require_editor, require_writing
from shared.contract import READ_SCOPE, WRITE_SCOPE
from shared.domain.connections import ConnectedClient, ConnectionScope, IssuedTokens, MadeConnection, NewConnection
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.errors import BadInput, Forbidden, NotFound
from shared.people.keys import SHOWN, check_bases, hash_secret, make_secret
from shared.people.oauth_clients import find_client, permits
from shared.runtime import Runtime
from shared.store import connections as rows
from shared.store import keys
from shared.store.audit import note
from shared.store.connect import Connection, Row

CODE_S: Final = 60
ACCESS_S: Final = 3600
# Of an assistant that is not used for so long nothing is left to steal.
REFRESH_S: Final = 30 * 24 * 3600
CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")
SCOPES: Final[dict[ConnectionScope, str]] = {"read": READ_SCOPE, "write": f"{READ_SCOPE} {WRITE_SCOPE}"}


class InvalidGrant(BadInput):
    """The code or refresh token is not in force, or not this client's."""


def make_connection(runtime: Runtime, identity: Identity, wanted: NewConnection, issuer: str) -> MadeConnection:
    """The person's consent. Raises Forbidden where a key asks, and for a wish to write below editor; BadInput for a
    client that does not fit; NotFound for a knowledge base that the person does not see."""
    if identity.key_id is not None:
        raise Forbidden("A key connects no assistants. Sign in yourself.")
    require_writing(identity)
    if wanted.scope == "write":
        require_editor(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        check_bases(connection, wanted.knowledge_base_ids)
    if not CHALLENGE.fullmatch(wanted.code_challenge):
        raise BadInput("The code_challenge is none of the method S256. Let the assistant begin anew.")
    client = find_client(runtime, wanted.client_id)
    if not permits(client, wanted.redirect_uri):
        raise BadInput(f"{client.name} did not say that it is answered at {wanted.redirect_uri}.")
    code, connection_id, key_id, now = secrets.token_urlsafe(32), new_id(), new_id(), datetime.now(UTC)
    # Nobody has this secret, and it has expired: the code's exchange puts the first access token in its place.
    unused = make_secret()
    with runtime.database.transaction(identity.scope()) as connection:
        key: Row = {
            "organization_id": identity.organization_id,
            "id": key_id,
            "user_id": identity.user_id,
            "name": client.name,
            "prefix": unused[:SHOWN],
            "hash": hash_secret(unused),
            "scope": wanted.scope,
            "only_bases": wanted.knowledge_base_ids,
            "created_by": identity.user_id,
            "expires_at": now,
            "connected": True,
        }
        keys.add_key(connection, key)
        row: Row = {
            "organization_id": identity.organization_id,
            "id": connection_id,
            "user_id": identity.user_id,
            "key_id": key_id,
            "client_id": client.client_id,
            "client_name": client.name,
            "redirect_uri": wanted.redirect_uri,
            "code_hash": hash_secret(code),
            "code_challenge": wanted.code_challenge,
            "code_expires_at": now + timedelta(seconds=CODE_S),
        }
        rows.add_connection(connection, row)
        note(connection, identity, "connection.allow", connection_id, client=client.name, scope=wanted.scope)
    said = {"code": code, "iss": issuer} | ({"state": wanted.state} if wanted.state is not None else {})
    return MadeConnection(id=connection_id, redirect_to=with_query(wanted.redirect_uri, said))


def exchange_code(runtime: Runtime, code: str, client_id: str, redirect_uri: str, verifier: str) -> IssuedTokens:
    """The first tokens. Raises InvalidGrant; a code that is sent twice ends what it was exchanged for."""
    if not VERIFIER.fullmatch(verifier):
        raise InvalidGrant("The code_verifier is none.")
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    family = secrets.token_urlsafe(32)
    tokens, values = _new_tokens(family)
    values |= {"code": hash_secret(code), "client_id": client_id, "redirect_uri": redirect_uri, "challenge": challenge}
    with runtime.database.alone() as connection:
        found = rows.exchange_code(connection, values)
    return _issued(runtime, found, tokens)


def refresh_tokens(runtime: Runtime, refresh_token: str, client_id: str) -> IssuedTokens:
    """New tokens; the old ones are void. Raises InvalidGrant; a token that was spent before ends the connection, as
    either its sender or whoever spent it has stolen it."""
    family, _, _ = refresh_token.partition(".")
    tokens, values = _new_tokens(family)
    values |= {"spent": hash_secret(refresh_token), "client_id": client_id}
    with runtime.database.alone() as connection:
        found = rows.refresh_connection(connection, values)
    return _issued(runtime, found, tokens)


def revoke_token(runtime: Runtime, token: str) -> None:
    """Ends the connection of an access or refresh token (RFC 7009); any other text is no error."""
    family, _, _ = token.partition(".")
    with runtime.database.alone() as connection:
        found = rows.revoke_token(connection, hash_secret(token), hash_secret(family))
    if found is not None:
        _note_end(runtime, found, "by the assistant")


def list_connections(
    runtime: Runtime, identity: Identity, after: UUID | None = None, limit: int = 100
) -> list[ConnectedClient]:
    """One's own; for owners and admins all of the organization, oldest first, from behind `after`."""
    own = None if identity.role in ("owner", "admin") else identity.user_id
    with runtime.database.transaction(identity.scope()) as connection:
        return rows.list_connections(connection, own, after, limit)


def end_connection(runtime: Runtime, identity: Identity, connection_id: UUID) -> ConnectedClient:
    """From its next request on the assistant is refused. Raises NotFound, the same for one of somebody else, below
    admin; Forbidden for what was made to read."""
    require_writing(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        _find(connection, identity, connection_id)
        rows.end_connection(connection, connection_id)
        note(connection, identity, "connection.end", connection_id)
        return _find(connection, identity, connection_id)


def with_query(uri: str, said: dict[str, str]) -> str:
    """The address with these parameters behind those it has."""
    parts = urlsplit(uri)
    return urlunsplit(parts._replace(query="&".join(filter(None, (parts.query, urlencode(said))))))


def _find(connection: Connection, identity: Identity, connection_id: UUID) -> ConnectedClient:
    found = rows.get_connection(connection, connection_id)
    mine = found is not None and found.user_id == identity.user_id
    if found is None or not (mine or identity.role in ("owner", "admin")):
        raise NotFound(f"There is no connected assistant {connection_id}. List yours, and take an id of them.")
    return found


def _new_tokens(family: str) -> tuple[IssuedTokens, Row]:
    """New tokens of a family, and what is stored of them."""
    access, refresh, now = make_secret(), f"{family}.{secrets.token_urlsafe(32)}", datetime.now(UTC)
    tokens = IssuedTokens(access_token=access, expires_in=ACCESS_S, refresh_token=refresh, scope="")
    return tokens, {
        "access": hash_secret(access),
        "prefix": access[:SHOWN],
        "access_expires_at": now + timedelta(seconds=ACCESS_S),
        "family": hash_secret(family),
        "refresh": hash_secret(refresh),
        "refresh_expires_at": now + timedelta(seconds=REFRESH_S),
    }


def _issued(runtime: Runtime, found: Row | None, tokens: IssuedTokens) -> IssuedTokens:
    if found is not None and found["outcome"] == "replayed":
        _note_end(runtime, found, "a code or token was sent twice")
    if found is None or found["outcome"] != "done":
        raise InvalidGrant("This code or token is not in force. Connect the assistant anew.")
    return tokens.model_copy(update={"scope": SCOPES[found["scope"]]})


def _note_end(runtime: Runtime, found: Row, why: str) -> None:
    who = Identity(organization_id=found["organization_id"], user_id=found["user_id"], role="viewer")
    scope = Scope(organization_id=who.organization_id, user_id=who.user_id)
    with runtime.database.transaction(scope) as connection:
        note(connection, who, "connection.end", found["connection_id"], why=why)
