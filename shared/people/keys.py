"""API keys: a secret that acts as its member or as a machine, within a scope. Only its hash is stored.

`autri_`, 27 letters and digits that hold 160 random bits, and 6 that hold their CRC-32: a mistyped key is known as one
without asking the database, and a leaked one is found by its form.
"""

import hashlib
import re
import secrets
import string
import zlib
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from shared.access import require_admin, require_writing
from shared.contract import API_KEY_PREFIX as PREFIX
from shared.domain.ids import new_id
from shared.domain.people import ApiKey, KeyScope, MadeKey, NewKey
from shared.domain.scope import ROLES, Identity, Role
from shared.errors import BadInput, Forbidden, NotFound
from shared.runtime import Runtime
from shared.store import keys as rows
from shared.store.audit import note
from shared.store.connect import Connection
from shared.store.knowledge_bases import known_knowledge_bases

ALPHABET: Final = string.digits + string.ascii_letters
RANDOM_BITS: Final = 160
RANDOM_CHARACTERS: Final = 27  # 62 ** 27 > 2 ** 160
CHECK_CHARACTERS: Final = 6  # 62 ** 6 > 2 ** 32
SHOWN: Final = len(PREFIX) + 6
FORM: Final = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{RANDOM_CHARACTERS + CHECK_CHARACTERS}}}")
# What a key may do at most. Nothing that is for owners alone is done by a key.
MOST: Final[dict[KeyScope, Role]] = {"read": "viewer", "write": "editor", "admin": "admin"}


def make_secret() -> str:
    text = _digits(secrets.randbits(RANDOM_BITS), RANDOM_CHARACTERS)
    return PREFIX + text + _checksum(text)


def is_well_formed(presented: str) -> bool:
    """Whether this could be a key: its form and its checksum are right."""
    if not FORM.fullmatch(presented):
        return False
    text = presented.removeprefix(PREFIX)
    return _checksum(text[:RANDOM_CHARACTERS]) == text[RANDOM_CHARACTERS:]


def identity_of_key(runtime: Runtime, presented: str, organization: str | None = None) -> Identity | None:
    """Whom the key acts as, its role narrowed to the key's scope; None for a key that is not in force.

    Raises Forbidden where the client asks for another `organization` (a slug or an id) than the key's.
    """
    if not is_well_formed(presented):
        return None
    with runtime.database.alone() as connection:
        row = rows.identity_of_key(connection, hash_secret(presented))
    if row is None:
        return None
    if organization not in (None, row["slug"], str(row["organization_id"])):
        raise Forbidden(f"This key is of the organization {row['slug']}. Leave X-Autri-Organization out, or say so.")
    most = MOST[row["scope"]]
    role = min(row["role"] or most, most, key=ROLES.index)
    who = {"organization_id": row["organization_id"], "user_id": row["user_id"], "key_id": row["key_id"]}
    return Identity(**who, role=role, read_only=row["scope"] == "read")


def create_key(runtime: Runtime, identity: Identity, wanted: NewKey) -> MadeKey:
    """Raises Forbidden for a key that may more than its maker, for a machine's below admin, and where a key asks;
    NotFound for a knowledge base that the maker does not see."""
    _check_maker(identity, wanted)
    secret, key_id = make_secret(), new_id()
    expires = None if wanted.expires_days is None else datetime.now(UTC) + timedelta(days=wanted.expires_days)
    with runtime.database.transaction(identity.scope()) as connection:
        check_bases(connection, wanted.knowledge_base_ids)
        row = {
            "organization_id": identity.organization_id,
            "id": key_id,
            "user_id": None if wanted.machine else identity.user_id,
            "name": wanted.name,
            "prefix": secret[:SHOWN],
            "hash": hash_secret(secret),
            "scope": wanted.scope,
            "only_bases": wanted.knowledge_base_ids,
            "created_by": identity.user_id,
            "expires_at": expires,
            "connected": False,
        }
        rows.add_key(connection, row)
        note(connection, identity, "key.create", key_id, scope=wanted.scope, machine=wanted.machine)
        return MadeKey(**_find(connection, identity, key_id).model_dump(), secret=secret)


def list_keys(runtime: Runtime, identity: Identity, after: UUID | None = None, limit: int = 100) -> list[ApiKey]:
    """One's own; for owners and admins all of the organization, oldest first, from behind `after`."""
    own = None if identity.role in ("owner", "admin") else identity.user_id
    with runtime.database.transaction(identity.scope()) as connection:
        return rows.list_keys(connection, own, after, limit)


def revoke_key(runtime: Runtime, identity: Identity, key_id: UUID) -> ApiKey:
    """From the next request on it is refused. Raises NotFound, the same for one of somebody else, below admin;
    Forbidden for what was made to read."""
    require_writing(identity)
    with runtime.database.transaction(identity.scope()) as connection:
        _find(connection, identity, key_id)
        rows.revoke_key(connection, key_id)
        note(connection, identity, "key.revoke", key_id)
        return _find(connection, identity, key_id)


def _check_maker(identity: Identity, wanted: NewKey) -> None:
    if identity.key_id is not None:
        raise Forbidden("A key makes no keys. Sign in yourself.")
    require_writing(identity)
    if wanted.machine:
        require_admin(identity)
        if wanted.scope == "admin":
            raise BadInput(
                "A machine's key reads or writes. What is for admins is done by a person, or a person's key."
            )
    if ROLES.index(MOST[wanted.scope]) > ROLES.index(identity.role):
        raise Forbidden(f"Your role is {identity.role}: a key of yours cannot have the scope {wanted.scope}.")


def check_bases(connection: Connection, wanted: list[UUID] | None) -> None:
    """Raises NotFound for a knowledge base that whoever asks does not see."""
    known = known_knowledge_bases(connection, wanted or ())
    for base in wanted or ():
        if base not in known:
            raise NotFound(f"There is no knowledge base {base}.")


def _find(connection: Connection, identity: Identity, key_id: UUID) -> ApiKey:
    found = rows.get_key(connection, key_id)
    mine = found is not None and found.user_id == identity.user_id
    if found is None or not (mine or identity.role in ("owner", "admin")):
        raise NotFound(f"There is no key {key_id}. List yours, and take an id of them.")
    return found


def hash_secret(secret: str) -> str:
    """Without salt or stretching: 160 random bits are guessed by nobody."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _checksum(text: str) -> str:
    return _digits(zlib.crc32(text.encode()), CHECK_CHARACTERS)


def _digits(number: int, length: int) -> str:
    """`number` with the alphabet's digits, the highest first."""
    text = ""
    for _ in range(length):
        number, digit = divmod(number, len(ALPHABET))
        text = ALPHABET[digit] + text
    return text
