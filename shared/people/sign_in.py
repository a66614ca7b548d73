"""Who signs in, and for which organization: the client may ask for one, membership decides."""

from dataclasses import dataclass
from typing import cast

from shared.domain.scope import ROLES, Identity, Role
from shared.errors import BelongsNowhere, Forbidden
from shared.runtime import Runtime
from shared.store import identities, joining
from shared.store.audit import note
from shared.store.connect import Connection, set_scope

CHOOSE = "X-Autri-Organization"


class SeveralInvitations(Forbidden):
    """The person belongs to nothing so far and has to say which invitation they accept; `slugs` are the inviting
    organizations'."""

    def __init__(self, slugs: list[str]) -> None:
        super().__init__(f"Several organizations have invited you: {', '.join(slugs)}. Choose one with {CHOOSE}.")
        self.slugs = slugs


@dataclass(frozen=True)
class SignInClaims:
    """What a verified token says. `email` is an address that the provider vouches for only where `verified`;
    `organization` is the slug or id that the client asks for; None for the one that the person has `chosen` before, as
    long as it is theirs, else the one that they joined first. `groups` are those of the identity provider that the
    person is in now; `groups_untold` where it has left them out."""

    issuer: str
    subject: str
    email: str | None = None
    verified: bool = False
    organization: str | None = None
    chosen: str | None = None
    groups: tuple[str, ...] = ()
    groups_untold: bool = False


def sign_in(runtime: Runtime, wanted: SignInClaims) -> Identity:
    """The user that the token's subject is; accepts an invitation that the organization asked for, or the only one,
    has sent to the verified address.

    Raises Forbidden where no organization, or not the one that was asked for, knows the subject. An unverified address
    joins nothing: its sign-in waits for an administrator of an organization that has invited it.
    """
    with runtime.database.unscoped() as connection:
        who = (wanted.issuer, wanted.subject)
        found = identities.resolve_identity(connection, *who, wanted.organization, wanted.chosen)
        if found is None and wanted.email and wanted.verified:
            found = _accept(connection, wanted) or _join(connection, wanted)
        if found is not None:
            told = found.model_copy(update={"groups_untold": wanted.groups_untold})
            return _raised(connection, told, wanted.groups)
        if wanted.email and not wanted.verified:
            identities.note_waiting(connection, *who, wanted.email)
        refusal = _refusal(connection, wanted)
    raise refusal


def _accept(connection: Connection, wanted: SignInClaims) -> Identity | None:
    open_ones = identities.list_invitations(connection, wanted.email or "")
    if wanted.organization is not None:
        chosen = [i for slug, i in open_ones.items() if wanted.organization in (slug, str(i))]
    else:
        chosen = list(open_ones.values())
    if len(chosen) != 1:
        return None
    who = (wanted.issuer, wanted.subject, wanted.email or "")
    return _joined(connection, identities.accept_invitation(connection, *who, chosen[0]), "invitation")


def _join(connection: Connection, wanted: SignInClaims) -> Identity | None:
    """By the domain of the address; not past an invitation, which says more of the person."""
    if wanted.organization is None and identities.list_invitations(connection, wanted.email or ""):
        return None
    who = (wanted.issuer, wanted.subject, wanted.email or "")
    return _joined(connection, joining.join_by_domain(connection, *who, wanted.organization), "domain")


def _raised(connection: Connection, found: Identity, groups: tuple[str, ...]) -> Identity:
    """With the highest role that the person's groups give, where it is more than their own. It is stored nowhere: who
    leaves the group has lost it with the next token."""
    if not groups:
        return found
    set_scope(connection, found.scope())
    given = cast(list[Role], joining.roles_of_groups(connection, groups))
    return found.model_copy(update={"role": max([found.role, *given], key=ROLES.index)})


def _joined(connection: Connection, found: Identity | None, by: str) -> Identity | None:
    """Noted in the transaction that makes the person a member."""
    if found is not None:
        set_scope(connection, found.scope())
        note(connection, found, "member.join", found.user_id, by=by, role=found.role)
    return found


def _refusal(connection: Connection, wanted: SignInClaims) -> Forbidden:
    if wanted.organization is not None:
        return Forbidden(
            f"You do not belong to an organization `{wanted.organization}`, and it has not invited you."
            f" `GET /v1/me` without {CHOOSE} lists yours."
        )
    if wanted.email and wanted.verified and (invited := identities.list_invitations(connection, wanted.email)):
        return SeveralInvitations(list(invited))
    if wanted.email and not wanted.verified:
        return Forbidden(
            "You are signed in, but your identity provider does not vouch for your address."
            " Ask an administrator of the organization that has invited you to let this sign-in join."
        )
    return BelongsNowhere("You are signed in, but no organization has invited you. Ask its owner for an invitation.")
