"""Operations of who looks after an organization: members and invitations, keys, what was done and what it took."""

from datetime import datetime
from typing import Literal

from autri import models
from autri.operations import Id, Ids
from autri.wire import Listing, Operation, given, json_of

Role = Literal["owner", "admin", "editor", "viewer"]


def account() -> Operation[models.AccountProfile]:
    """Who asks, and for which organization."""
    return Operation("GET", "/me", json_of(models.AccountProfile))


def members() -> Listing[models.Member]:
    """The people of the organization."""
    return Listing("/members", models.Member)


def change_role(member: Id, role: Role) -> Operation[models.Member]:
    """Gives a member another role."""
    return Operation("PATCH", f"/members/{member}", json_of(models.Member), body={"role": role})


def remove_member(member: Id) -> Operation[models.RemovedMember]:
    """Removes a member, or takes an invitation back."""
    return Operation("DELETE", f"/members/{member}", json_of(models.RemovedMember))


def invitations() -> Listing[models.Invitation]:
    """Those that nobody has accepted yet, and who may be meant."""
    return Listing("/invitations", models.Invitation)


def invite(email: str, role: Role = "viewer") -> Operation[models.Member]:
    """Invites a person by mail."""
    return Operation("POST", "/invitations", json_of(models.Member), body={"email": email, "role": role})


def resend_invitation(member: Id) -> Operation[models.Member]:
    """Sends an invitation again."""
    return Operation("POST", f"/invitations/{member}/resend", json_of(models.Member))


def api_keys() -> Listing[models.ApiKey]:
    """Keys without their secrets."""
    return Listing("/keys", models.ApiKey)


def create_api_key(
    name: str,
    scope: Literal["read", "write", "admin"] = "read",
    *,
    knowledge_bases: Ids | None = None,
    expires_days: int | None = None,
    machine: bool = False,
) -> Operation[models.MadeKey]:
    """Makes a key of yours, or of a `machine`, of some knowledge bases or all. `secret` is answered this once."""
    body = given(name=name, scope=scope, knowledge_base_ids=knowledge_bases, expires_days=expires_days, machine=machine)
    return Operation("POST", "/keys", json_of(models.MadeKey), body=body)


def revoke_api_key(key: Id) -> Operation[models.ApiKey]:
    """Ends a key; the next request with it is refused."""
    return Operation("POST", f"/keys/{key}/revoke", json_of(models.ApiKey))


def audit(
    *, act: str | None = None, member: Id | None = None, since: datetime | None = None, until: datetime | None = None
) -> Listing[models.AuditEntry]:
    """Who did what, the latest first: an `act` (`document.delete`) or all of a kind (`document`)."""
    return Listing("/audit", models.AuditEntry, given(act=act, person_id=member, since=since, until=until))


def usage() -> Operation[models.PlanUsage]:
    """This month against the plan."""
    return Operation("GET", "/usage", json_of(models.PlanUsage))


def costs(month: str | None = None) -> Operation[models.MonthCosts]:
    """What a month (`2026-11`, or the present one) cost, by stage and document."""
    return Operation("GET", "/usage/costs", json_of(models.MonthCosts), given(month=month))
