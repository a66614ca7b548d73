"""What an operator gives to organizations: plans and page packs. Payment, where there is any, comes before this."""

from shared.access import require_admin
from shared.contract import PlanName
from shared.domain.plans import OrganizationPlan
from shared.domain.scope import Identity
from shared.errors import Forbidden, NotFound
from shared.runtime import Runtime
from shared.store import plans as rows
from shared.store.audit import note
from shared.store.connect import Connection


def set_plan(runtime: Runtime, identity: Identity, slug: str, plan: PlanName | None) -> OrganizationPlan:
    """Gives the organization a plan; None: the deployment's. Raises Forbidden for who does not operate it; NotFound."""
    with runtime.database.transaction(identity.scope()) as connection:
        _check_operator(connection, identity)
        if not rows.set_plan(connection, slug, plan):
            raise _unknown(slug)
        note(connection, identity, "organization.plan", slug, plan=plan)
    return OrganizationPlan(organization=slug, plan=plan)


def add_pages(runtime: Runtime, identity: Identity, slug: str, pages: int, permanent: bool) -> OrganizationPlan:
    """Gives the organization pages beside its plan, for this month (UTC) or for every one; raises as `set_plan`."""
    with runtime.database.transaction(identity.scope()) as connection:
        _check_operator(connection, identity)
        if not rows.add_page_pack(connection, slug, pages, permanent):
            raise _unknown(slug)
        note(connection, identity, "organization.pages", slug, pages=pages, permanent=permanent)
    return OrganizationPlan(organization=slug, pages=pages, permanent=permanent)


def _check_operator(connection: Connection, identity: Identity) -> None:
    require_admin(identity)
    if not rows.is_operator(connection):
        raise Forbidden(
            "Plans are given by whoever operates this deployment: an owner or admin of the organization that it was"
            " made with. Ask them."
        )


def _unknown(slug: str) -> NotFound:
    return NotFound(f"There is no organization `{slug}`. Its members see its short name by `autri organizations list`.")
