"""What differs between the tiers, and nothing else does: every other module of `stacks/` reads this specification.

`shared`: many customers in one database, ours to run. `dedicated`: one customer's own stack set in our account.
`customer`: the same set in the customer's account.
"""

from dataclasses import dataclass
from typing import Final, Literal

from shared.contract import PlanName

TierName = Literal["shared", "dedicated", "customer"]


@dataclass(frozen=True)
class Tier:
    """A tier's settings. Capacities are Aurora capacity units (about 2 GiB of memory each); 0 lets the cluster pause.

    `run_slots` bounds the documents worked on at once, `map_concurrency` the page ranges of each: their product, with
    `api_concurrency`, `stream_concurrency`, `lab_concurrency` and a few, bounds the connections to the database. One
    organization has at most `run_slots_per_organization`, so that in the shared tier others find room at once.
    `endpoint_zones` is in how many of the two zones each interface endpoint stands: every one is charged by the hour,
    and with a single one the deployment stands still while that zone does (docs/decisions/0035-idle-cost.md).
    `default_plan` is what an organization has that was given none; `operates`: owners and admins of the first
    one give plans to all (0037).
    `firewall`: whether one is made where the file does not say.
    """

    name: TierName
    account_required: bool
    entra_required: bool
    google_allowed: bool
    sign_up_allowed: bool
    max_capacity: float
    auto_pause_minutes: int
    backup_days: int
    run_slots: int
    run_slots_per_organization: int
    map_concurrency: int
    endpoint_zones: int
    api_concurrency: int
    stream_concurrency: int
    lab_concurrency: int
    requests_per_second: int
    request_burst: int
    default_plan: PlanName
    operates: bool
    firewall: bool


TIERS: Final[dict[TierName, Tier]] = {
    "shared": Tier(
        name="shared",
        account_required=False,
        entra_required=False,
        google_allowed=True,
        sign_up_allowed=True,
        max_capacity=16,
        auto_pause_minutes=30,
        backup_days=14,
        endpoint_zones=2,
        run_slots=12,
        run_slots_per_organization=8,
        map_concurrency=16,
        api_concurrency=100,
        stream_concurrency=40,
        lab_concurrency=40,
        requests_per_second=100,
        request_burst=200,
        default_plan="free",
        operates=True,
        firewall=False,
    ),
    "dedicated": Tier(
        name="dedicated",
        account_required=False,
        entra_required=True,
        google_allowed=False,
        sign_up_allowed=False,
        max_capacity=8,
        auto_pause_minutes=10,
        backup_days=14,
        endpoint_zones=1,
        run_slots=6,
        run_slots_per_organization=6,
        map_concurrency=16,
        api_concurrency=50,
        stream_concurrency=20,
        lab_concurrency=20,
        requests_per_second=50,
        request_burst=100,
        default_plan="enterprise",
        operates=False,
        firewall=False,
    ),
    "customer": Tier(
        name="customer",
        account_required=True,
        entra_required=False,
        google_allowed=False,
        sign_up_allowed=False,
        max_capacity=8,
        auto_pause_minutes=10,
        backup_days=35,
        endpoint_zones=1,
        run_slots=6,
        run_slots_per_organization=6,
        map_concurrency=16,
        api_concurrency=50,
        stream_concurrency=20,
        lab_concurrency=20,
        requests_per_second=50,
        request_burst=100,
        default_plan="enterprise",
        operates=False,
        firewall=True,
    ),
}
