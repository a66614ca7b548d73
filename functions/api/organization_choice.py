"""The organization that a person has chosen in this browser: a cookie, which membership outweighs.

It says where pages begin. A page then names its organization with every call (`X-Autri-Organization`), so that one
which was opened before another was chosen never acts for that one.
"""

from starlette.requests import Request
from starlette.responses import Response

from shared.domain.scope import Identity

NAME = "autri-organization"
# As long as a session lasts at most.
KEPT_S = 30 * 24 * 3600


def _name(local: bool) -> str:
    """One machine has no TLS, which the prefix asks for (RFC 6265bis)."""
    return NAME if local else f"__Host-{NAME}"


def chosen_organization(request: Request) -> str | None:
    """The id that the cookie names; None without one. Whether it is still the person's is not said."""
    return request.cookies.get(_name(request.app.state.local)) or None


def remember_organization(request: Request, response: Response, identity: Identity) -> None:
    local = bool(request.app.state.local)
    response.set_cookie(
        _name(local), str(identity.organization_id), KEPT_S, path="/", secure=not local, httponly=True, samesite="lax"
    )
