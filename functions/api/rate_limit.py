"""How often somebody may ask: every request with an identity takes one from its buckets, and its answer says what is
left.

`RateLimit` and `RateLimit-Policy` as draft-ietf-httpapi-ratelimit-headers-10 has them: `"key";q=150;w=60` is 150
requests in 60 seconds, `"key";r=149;t=1` that 149 are left and all are back in a second.
"""

from typing import cast

from starlette.requests import Request

from functions.api.envelope import RATE_LIMIT
from functions.api.errors import RateLimited
from functions.api.identity import Identify
from shared.domain.scope import Identity
from shared.plans.rates import WINDOW_S, Decision, take_request
from shared.runtime import Runtime


def identify_sender(request: Request) -> Identity:
    """The request's identity. Raises RateLimited where it has no request left, besides what identifying raises."""
    found = cast(Identify, request.app.state.identify)(request)
    count_request(request, found)
    return found


def count_request(request: Request, identity: Identity) -> None:
    """Takes a request from the buckets of the organization and of the key. Raises RateLimited."""
    decision = take_request(cast(Runtime, request.app.state.runtime), identity)
    if decision is not None:
        request.scope.setdefault("state", {})[RATE_LIMIT] = headers_of(decision)
        if decision.retry_s is not None:
            raise _refusal(decision, decision.retry_s)


def headers_of(decision: Decision) -> dict[str, str]:
    """What the answer says of the buckets."""
    return {
        "RateLimit-Policy": ", ".join(f'"{one.name}";q={one.quota};w={WINDOW_S}' for one in decision.buckets),
        "RateLimit": ", ".join(f'"{one.name}";r={one.left};t={one.full_s}' for one in decision.buckets),
    }


def _refusal(decision: Decision, retry_s: int) -> RateLimited:
    empty = next(one for one in decision.buckets if one.left == 0)
    whose = "This key" if empty.name == "key" else "Your organization"
    seconds = f"{retry_s} second{'' if retry_s == 1 else 's'}"
    return RateLimited(f"{whose} has sent {empty.quota:,} requests within a minute. Go on in {seconds}.", retry_s)
