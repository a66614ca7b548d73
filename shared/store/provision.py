"""Creates organizations and their owners as the owner role, at local start and in the migrate function; and the
application's database login of a deployment: its password and its limits."""

import secrets
import string
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import sql

from shared.contract import PlanName
from shared.domain.ids import new_id
from shared.errors import Conflict

LOCAL_ISSUER = "local"
LOCAL_SUBJECT = "dev"
LOCAL_SLUG = "local"
LOCAL_EMAIL = "dev@localhost"
ROLE = "autri_app"
# Whoever runs a deployment is not held to what strangers get for nothing.
OPERATORS_PLAN: Final[PlanName] = "enterprise"
# An open connection keeps Aurora from pausing, so idle ones are closed.
IDLE_SESSION_TIMEOUT = "60s"
# A login as its secret has it: host, port, dbname, username, password, sslmode, and its generation after the first.
Login = dict[str, Any]
# As many characters as the deployment's own generator makes (`stacks/database.py`).
PASSWORD_LENGTH: Final = 48


@dataclass(frozen=True)
class Organization:
    """An organization to create, with its owner.

    The owner is invited under `owner_email`: the first sign-in with that address, verified by the identity provider,
    becomes this user. `operates`: its owners and admins operate the deployment, and give plans to all organizations;
    it begins with OPERATORS_PLAN itself. None: as it is.
    """

    slug: str
    name: str
    owner_email: str
    operates: bool | None = None


def provision(owner_dsn: str, organization: Organization) -> None:
    """Creates the organization and invites its owner where they do not exist; says whether it operates."""
    with psycopg.connect(owner_dsn) as connection:
        _ensure_owner(connection, organization, invited=True)
        if organization.operates is not None:
            _let_operate(connection, organization.slug, organization.operates, OPERATORS_PLAN)


def create_organization(owner_dsn: str, organization: Organization) -> None:
    """The same for one that must not exist yet: raises Conflict where its slug is taken. On one machine the local
    developer is the owner where nobody else is to be."""
    with psycopg.connect(owner_dsn) as connection:
        _ensure_owner(connection, organization, invited=organization.owner_email != LOCAL_EMAIL, new=True)
        if organization.owner_email == LOCAL_EMAIL:
            _bind_developer(connection, organization.slug)


def provision_local(owner_dsn: str) -> None:
    """Creates the organization `local` and its user `dev`, which development sign-in resolves to."""
    with psycopg.connect(owner_dsn) as connection:
        _ensure_owner(connection, Organization(LOCAL_SLUG, "Local", LOCAL_EMAIL), invited=False)
        _bind_developer(connection, LOCAL_SLUG)
        _let_operate(connection, LOCAL_SLUG, operates=True)


def _let_operate(connection: psycopg.Connection, slug: str, operates: bool, plan: PlanName | None = None) -> None:
    """Gives `plan` to an organization that begins to operate and has none: what it does to it later is kept."""
    connection.execute(
        "update organizations set operates = %(operates)s,"
        " plan = coalesce(plan, case when %(operates)s then %(plan)s end)"
        " where slug = %(slug)s and operates <> %(operates)s",
        {"slug": slug, "operates": operates, "plan": plan},
    )


def _bind_developer(connection: psycopg.Connection, slug: str) -> None:
    connection.execute(
        "insert into identities (organization_id, user_id, issuer, subject)"
        " select u.organization_id, u.id, %s, %s from users u join organizations o on o.id = u.organization_id"
        " where o.slug = %s and u.email = %s on conflict do nothing",
        (LOCAL_ISSUER, LOCAL_SUBJECT, slug, LOCAL_EMAIL),
    )


def _ensure_owner(connection: psycopg.Connection, wanted: Organization, *, invited: bool, new: bool = False) -> None:
    made = connection.execute(
        "insert into organizations (id, slug, name) values (%s, %s, %s) on conflict (slug) do nothing",
        (new_id(), wanted.slug, wanted.name),
    )
    if new and not made.rowcount:
        raise Conflict(f"An organization `{wanted.slug}` exists already. Choose another slug.")
    connection.execute(
        "insert into users (organization_id, id, email, role, invited_at)"
        " select id, %s, lower(%s), 'owner', case when %s then now() end from organizations where slug = %s"
        " on conflict (organization_id, email) do nothing",
        (new_id(), wanted.owner_email, invited, wanted.slug),
    )


def next_login(login: Login, generation: int) -> Login | None:
    """The login with a new password where it is of an earlier generation than is wanted; None where it is not."""
    if int(login.get("generation", 1)) >= generation:
        return None
    letters = string.ascii_letters + string.digits
    password = "".join(secrets.choice(letters) for _ in range(PASSWORD_LENGTH))
    return {**login, "password": password, "generation": generation}


def let_application_log_in(owner_dsn: str, password: str) -> None:
    """Sets the role's password. Only its SCRAM verifier is sent, so the password reaches no server log."""
    with psycopg.connect(owner_dsn) as connection:
        verifier = connection.pgconn.encrypt_password(password.encode(), ROLE.encode(), b"scram-sha-256").decode()
        role = sql.Identifier(ROLE)
        connection.execute(sql.SQL("alter role {} login password {}").format(role, sql.Literal(verifier)))
        timeout = sql.Literal(IDLE_SESSION_TIMEOUT)
        connection.execute(sql.SQL("alter role {} set idle_session_timeout = {}").format(role, timeout))
