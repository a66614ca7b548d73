"""Resolves an identity provider's subject to a user of an organization."""

from uuid import UUID

from shared.domain.account import AccountProfile, Membership, OrganizationRef, UserRef
from shared.domain.scope import Identity
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("identities")


def list_identities(connection: Connection, issuer: str, subject: str) -> dict[str, Identity]:
    """As whom this subject may act, by the organization's slug; the organization first that it joined first."""
    rows = connection.execute(_SQL["resolve_identity"], {"issuer": issuer, "subject": subject}).fetchall()
    return {row["slug"]: Identity.model_validate(row) for row in rows}


def resolve_identity(
    connection: Connection, issuer: str, subject: str, organization: str | None = None, chosen: str | None = None
) -> Identity | None:
    """The user that this subject is in `organization` (a slug or an id); None where there is none.

    Where none is asked for, the one that was `chosen` before counts if it is one of the subject's, else the first that
    it joined.
    """
    found = list_identities(connection, issuer, subject)

    def named(wish: str | None) -> Identity | None:
        return next((i for slug, i in found.items() if wish in (slug, str(i.organization_id))), None)

    if organization is not None:
        return named(organization)
    return named(chosen) or next(iter(found.values()), None)


def list_invitations(connection: Connection, email: str) -> dict[str, UUID]:
    """The organizations that have invited `email`, an address that the provider has verified: their ids by slug."""
    rows = connection.execute(_SQL["open_invitations"], {"email": email}).fetchall()
    return {row["slug"]: row["organization_id"] for row in rows}


def accept_invitation(
    connection: Connection, issuer: str, subject: str, email: str, organization_id: UUID
) -> Identity | None:
    """Binds the subject to the user that the organization has invited under `email`, an address that the provider has
    verified; None where there is no such invitation."""
    values = {"issuer": issuer, "subject": subject, "email": email, "organization_id": organization_id}
    row = connection.execute(_SQL["accept_invitation"], values).fetchone()
    return Identity.model_validate(row) if row else None


def note_waiting(connection: Connection, issuer: str, subject: str, email: str) -> None:
    """Remembers a sign-in with an unverified address for the administrators who have invited that address."""
    connection.execute(_SQL["note_waiting"], {"issuer": issuer, "subject": subject, "email": email})


def list_own_organizations(connection: Connection) -> list[Membership]:
    """Those that the person of the open scope belongs to or is invited by."""
    return [Membership.model_validate(row) for row in connection.execute(_SQL["own_organizations"]).fetchall()]


def get_profile(connection: Connection, user_id: UUID) -> AccountProfile | None:
    """The user (a machine's key is its own) and the organization, within the open scope."""
    row = connection.execute(_SQL["get_profile"], {"user_id": user_id}).fetchone()
    if row is None:
        return None
    organization = OrganizationRef(
        id=row["organization_id"],
        slug=row["organization_slug"],
        name=row["organization_name"],
        trace_days=row["trace_days"],
        audit_days=row["audit_days"],
    )
    return AccountProfile(
        organization=organization,
        user=UserRef(id=row["user_id"], email=row["email"], name=row["user_name"], role=row["role"]),
        organizations=list_own_organizations(connection),
    )


def rename_organization(connection: Connection, name: str) -> None:
    """Another name for the organization of the open scope; its short name stays."""
    connection.execute(_SQL["rename_organization"], {"name": name})


def keep_traces(connection: Connection, days: int) -> None:
    """Sets for how many days traces are kept, for the organization of the open scope."""
    connection.execute(_SQL["keep_traces"], {"days": days})
