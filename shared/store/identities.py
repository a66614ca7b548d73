"""Resolves an identity provider's subject to a user of an organization."""

from uuid import UUID

from shared.domain.account import AccountProfile, OrganizationRef, UserRef
from shared.domain.scope import Identity
from shared.store.connect import Connection
from shared.store.named_queries import load_queries

_SQL = load_queries("identities")


def resolve_identity(connection: Connection, issuer: str, subject: str) -> Identity | None:
    """The user that this subject is bound to; None where there is none."""
    row = connection.execute(_SQL["resolve_identity"], {"issuer": issuer, "subject": subject}).fetchone()
    return Identity.model_validate(row) if row else None


def accept_invitation(connection: Connection, issuer: str, subject: str, email: str) -> Identity | None:
    """Binds the subject to the one user invited under `email`, an address that the provider has verified."""
    values = {"issuer": issuer, "subject": subject, "email": email}
    row = connection.execute(_SQL["accept_invitation"], values).fetchone()
    return Identity.model_validate(row) if row else None


def get_profile(connection: Connection, user_id: UUID) -> AccountProfile | None:
    """The user and the organization, within the open scope."""
    row = connection.execute(_SQL["get_profile"], {"user_id": user_id}).fetchone()
    if row is None:
        return None
    organization = OrganizationRef(
        id=row["organization_id"],
        slug=row["organization_slug"],
        name=row["organization_name"],
        trace_days=row["trace_days"],
    )
    return AccountProfile(
        organization=organization,
        user=UserRef(id=row["user_id"], email=row["email"], name=row["user_name"], role=row["role"]),
    )


def keep_traces(connection: Connection, days: int) -> None:
    """Sets for how many days traces are kept, for the organization of the open scope."""
    connection.execute(_SQL["keep_traces"], {"days": days})
