"""Operations of who looks after an organization: who belongs to it and sees what, keys, models, exports and erasures,
what was done and what it took."""

from datetime import datetime
from typing import Final, Literal

from autri import models
from autri.operations import Id, Ids
from autri.uploads import Flow, Pause
from autri.wire import Listing, Operation, given, json_of

Role = Literal["owner", "admin", "editor", "viewer"]
Joining = Literal["admin", "editor", "viewer"]
# Until it is asked again how far an export is.
EXPORT_S: Final = 3.0


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


def bind_invitation(member: Id, issuer: str, subject: str) -> Operation[models.Member]:
    """Takes a waiting sign-in (`waiting` of its invitation) for the invited person: ask them first."""
    body = {"issuer": issuer, "subject": subject}
    return Operation("POST", f"/invitations/{member}/bind", json_of(models.Member), body=body)


def change_organization(
    *, name: str | None = None, trace_days: int | None = None, audit_days: int | None = None
) -> Operation[models.AccountProfile]:
    """Gives the organization another name, or says for how many days traces and the audit log are kept."""
    body = given(name=name, trace_days=trace_days, audit_days=audit_days)
    return Operation("PATCH", "/organization", json_of(models.AccountProfile), body=body)


def erase_organization(slug: str) -> Operation[models.AskedErasure]:
    """Deletes the caller's whole organization for good; `slug` is its short name.
    `erasure(id, ticket)` of the answer says how far that is, although nobody is a member any more."""
    return Operation("POST", "/organization/erase", json_of(models.AskedErasure), body={"slug": slug})


def erasures() -> Listing[models.Erasure]:
    """Deletions of knowledge bases that are under way."""
    return Listing("/erasures", models.Erasure)


def erasure(erasure: Id, ticket: str) -> Operation[models.Erasure]:
    """How far a deletion is, with its certificate once all is gone; `id` and `ticket` are those of the answer to its
    request. Raises NotFound for another ticket."""
    return Operation("GET", f"/erasures/{erasure}", json_of(models.Erasure), headers={"X-Autri-Ticket": ticket})


def domains() -> Listing[models.ClaimedDomain]:
    """Domains whose people join by signing in, each with the TXT record that proves it."""
    return Listing("/domains", models.ClaimedDomain)


def claim_domain(domain: str, role: Joining = "viewer") -> Operation[models.ClaimedDomain]:
    """Claims a domain; what its people join as. It holds once its record is found."""
    return Operation("POST", "/domains", json_of(models.ClaimedDomain), body={"domain": domain, "role": role})


def verify_domain(domain: Id) -> Operation[models.ClaimedDomain]:
    """Looks for the domain's record now. Raises InvalidRequest where it is not there."""
    return Operation("POST", f"/domains/{domain}/verify", json_of(models.ClaimedDomain))


def remove_domain(domain: Id) -> Operation[models.ClaimedDomain]:
    """Lets nobody of the domain join any more; who has joined stays."""
    return Operation("DELETE", f"/domains/{domain}", json_of(models.ClaimedDomain))


def group_roles() -> Listing[models.GroupRole]:
    """What people are while their sign-in names a group."""
    return Listing("/group-roles", models.GroupRole)


def add_group_role(group: str, role: Joining) -> Operation[models.GroupRole]:
    """Gives a group of the identity provider a role."""
    return Operation("POST", "/group-roles", json_of(models.GroupRole), body={"group": group, "role": role})


def remove_group_role(group_role: Id) -> Operation[models.GroupRole]:
    """Takes a group's role away."""
    return Operation("DELETE", f"/group-roles/{group_role}", json_of(models.GroupRole))


def access(knowledge_base: Id) -> Operation[models.BaseAccess]:
    """Who sees a knowledge base."""
    return Operation("GET", f"/knowledge-bases/{knowledge_base}/access", json_of(models.BaseAccess))


def set_access(
    knowledge_base: Id, restricted: bool, *, readers: Ids = (), writers: Ids = ()
) -> Operation[models.BaseAccess]:
    """Lets everybody see a knowledge base, or (`restricted`) these members, owners and admins alone; `writers` as far
    as their role lets them change anything."""
    people = [(one, False) for one in readers] + [(one, True) for one in writers]
    members = [{"user_id": one, "may_write": writes} for one, writes in people]
    body = {"restricted": restricted, "members": members}
    return Operation("PUT", f"/knowledge-bases/{knowledge_base}/access", json_of(models.BaseAccess), body=body)


def connections() -> Listing[models.ConnectedClient]:
    """Connected assistants."""
    return Listing("/connections", models.ConnectedClient)


def end_connection(connection: Id) -> Operation[models.ConnectedClient]:
    """Disconnects an assistant."""
    return Operation("POST", f"/connections/{connection}/end", json_of(models.ConnectedClient))


def model() -> Operation[models.ModelState]:
    """Which model answers, and by whose decision."""
    return Operation("GET", "/model", json_of(models.ModelState))


def check_models() -> Operation[list[models.TriedModel]]:
    """Calls each model, and says what came of it."""
    tried = Listing("/model/check", models.TriedModel)
    return Operation("POST", tried.path, lambda answer: tried.read(answer)[0], repeatable=False)


def export_archive(knowledge_base: Id | None = None) -> Flow[models.ExportJob]:
    """Exports a knowledge base, or the whole organization, on a server on AWS, and returns the job when it is done:
    `url` is the archive's for five minutes, `error` says why there is none."""
    job = yield Operation("POST", "/exports", json_of(models.ExportJob), body={"knowledge_base_id": knowledge_base})
    while job.status == "running":
        yield Pause(EXPORT_S)
        job = yield Operation("GET", f"/exports/{job.id}", json_of(models.ExportJob))
    return job


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
