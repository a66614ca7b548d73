"""Requests of an organization and of each of its keys: a token bucket in Postgres, taken from in one statement.

A bucket holds a minute's requests and refills evenly (GCRA, ATM Forum TM 4.0, 4.4.2). A key has half of its
organization's, so that a program that runs wild leaves room for people.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple
from uuid import UUID

from shared.contract import PlanName
from shared.domain.plans import PLANS
from shared.domain.scope import Identity
from shared.runtime import Runtime
from shared.store import plans as rows

WINDOW_S: Final = 60
RATES: Final[Mapping[PlanName, int | None]] = MappingProxyType({n: p.requests_a_minute for n, p in PLANS.items()})


class Bucket(NamedTuple):
    """Of whom it is, how many requests it holds, how many are left, and in how many seconds it is full again."""

    name: str
    quota: int
    left: int
    full_s: int


class Decision(NamedTuple):
    """Whether the request is served; if not, after how many seconds the next one is."""

    buckets: tuple[Bucket, ...]
    retry_s: int | None


def take_request(runtime: Runtime, identity: Identity) -> Decision | None:
    """Counts a request of the identity; None where the organization has no limit.

    A deployment whose default plan has no rate asks the database nothing.
    """
    default = runtime.limits.default_plan
    if RATES[default] is None:
        return None
    taken = rows.take_request(runtime.database, identity.scope(), RATES, default)
    if taken.a_minute is None:
        return None
    quotas = [("organization", taken.a_minute, identity.organization_id, taken.whole_full_s)]
    if identity.key_id is not None:
        quotas.insert(0, ("key", taken.a_minute // 2, identity.key_id, taken.key_full_s))
    return _decide(runtime, identity, quotas)


def _decide(runtime: Runtime, identity: Identity, quotas: list[tuple[str, int, UUID, float | None]]) -> Decision:
    untouched = [subject for _, _, subject, full_s in quotas if full_s is None]
    asked = rows.full_in(runtime.database, identity.scope(), untouched) if untouched else {}
    buckets: list[Bucket] = []
    retry_s: int | None = None
    for name, quota, subject, full_s in quotas:
        held = asked.get(subject, 0.0) if full_s is None else full_s
        each = WINDOW_S / quota
        # A float's dust must not cost a request.
        left = max(0, math.floor((WINDOW_S - held) / each + 1e-6))
        if full_s is None and left == 0:
            retry_s = max(1, math.ceil(held + each - WINDOW_S))
        buckets.append(Bucket(name, quota, left, max(0, math.ceil(held))))
    return Decision(tuple(buckets), retry_s)
