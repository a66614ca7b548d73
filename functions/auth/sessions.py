"""Sessions of people in browsers, in DynamoDB: what a cookie stands for.

The cookie holds a random id; the table holds its SHA-256, so nobody can sign in with what the table says. A session
ends IDLE_S after its last request and SESSION_S after the sign-in, whichever is first.
"""

import hashlib
import secrets
import time
from dataclasses import dataclass, replace
from typing import Any

from functions.auth.provider import Person
from shared.adapters.aws.clients import make_client
from shared.contract import SESSION_S

IDLE_S = 24 * 3600
NAME_DIGITS = 16
# How often a session's last request is written down.
SEEN_EVERY_S = 300
# How often the provider is asked whether the person may still sign in: the lifetime of its tokens.
CONFIRM_EVERY_S = 3300
# Where the provider does not answer, a session goes on for so long.
UNCONFIRMED_S = 4 * 3600


@dataclass(frozen=True)
class Session:
    """`key` is the table's; times are seconds since 1970. `csrf` is what unsafe requests of the session name."""

    key: str
    person: Person
    refresh_token: str
    csrf: str
    created: int
    seen: int
    confirmed: int

    @property
    def name(self) -> str:
        """What the audit log calls it; nobody signs in with it."""
        return self.key[:NAME_DIGITS]

    @property
    def ends(self) -> int:
        return min(self.created + SESSION_S, self.seen + IDLE_S)


class Sessions:
    """The table's sessions."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._database = make_client("dynamodb", attempts=3, read_timeout_s=3)

    def start(self, person: Person, refresh_token: str) -> tuple[str, Session]:
        """A new session and the id for its cookie, of 256 random bits."""
        session_id, now = secrets.token_urlsafe(32), int(time.time())
        session = Session(_key(session_id), person, refresh_token, secrets.token_urlsafe(32), now, now, now)
        self._database.put_item(TableName=self._table, Item=_item(session))
        return session_id, session

    def find(self, session_id: str) -> Session | None:
        """None where there is none, where it has ended, or where the person has signed out everywhere since."""
        item = self._get(_key(session_id))
        if item is None:
            return None
        session = _read(item)
        if session.ends <= time.time() or session.created <= self._signed_out_everywhere(session.person):
            self.end(session)
            return None
        return session

    def touch(self, session: Session) -> Session | None:
        """Counts a request, at most every SEEN_EVERY_S; None where the session was ended meanwhile."""
        now = int(time.time())
        return session if now - session.seen < SEEN_EVERY_S else self._change(replace(session, seen=now))

    def confirm(self, session: Session, person: Person) -> Session | None:
        """What the provider says of the person now; None where the session was ended meanwhile."""
        now = int(time.time())
        return self._change(replace(session, person=person, seen=now, confirmed=now))

    def end(self, session: Session) -> None:
        self._database.delete_item(TableName=self._table, Key={"id": {"S": session.key}})

    def end_everywhere(self, person: Person) -> None:
        """All sessions of the person that there are now."""
        now = int(time.time())
        item = {"id": {"S": _mark(person)}, "created": _number(now), "expires": _number(now + SESSION_S)}
        self._database.put_item(TableName=self._table, Item=item)

    def _signed_out_everywhere(self, person: Person) -> int:
        item = self._get(_mark(person))
        return int(item["created"]["N"]) if item else 0

    def _get(self, key: str) -> dict[str, Any] | None:
        return self._database.get_item(TableName=self._table, Key={"id": {"S": key}}, ConsistentRead=True).get("Item")

    def _change(self, session: Session) -> Session | None:
        """A session that was ended meanwhile stays ended."""
        condition = "attribute_exists(id)"
        try:
            self._database.put_item(TableName=self._table, Item=_item(session), ConditionExpression=condition)
        except self._database.exceptions.ConditionalCheckFailedException:
            return None
        return session


def _key(session_id: str) -> str:
    return hashlib.sha256(session_id.encode()).hexdigest()


def _mark(person: Person) -> str:
    return f"everywhere#{person.issuer}#{person.subject}"


def _number(value: int) -> dict[str, str]:
    return {"N": str(value)}


def _item(session: Session) -> dict[str, Any]:
    """`expires` is DynamoDB's own time to live, which deletes within days."""
    person = session.person
    texts = {
        "id": session.key,
        "issuer": person.issuer,
        "subject": person.subject,
        "email": person.email,
        "refresh_token": session.refresh_token,
        "csrf": session.csrf,
        "groups": " ".join(person.groups),
    }
    times = {"created": session.created, "seen": session.seen, "confirmed": session.confirmed, "expires": session.ends}
    return {
        **{name: {"S": value} for name, value in texts.items()},
        **{name: _number(value) for name, value in times.items()},
        "email_verified": {"BOOL": person.email_verified},
        "groups_untold": {"BOOL": person.groups_untold},
    }


def _read(item: dict[str, Any]) -> Session:
    text = {name: str(value.get("S", "")) for name, value in item.items()}
    groups = tuple(text.get("groups", "").split())
    verified, untold = bool(item["email_verified"]["BOOL"]), bool(item.get("groups_untold", {}).get("BOOL"))
    person = Person(text["issuer"], text["subject"], text["email"], verified, groups, untold)
    created, seen, confirmed = (int(item[name]["N"]) for name in ("created", "seen", "confirmed"))
    return Session(text["id"], person, text["refresh_token"], text["csrf"], created, seen, confirmed)
