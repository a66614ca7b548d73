"""Who looks at a page: what its frame offers depends on it. The page's data asks for itself, at `/v1`."""

from typing import cast

from starlette.requests import Request

from functions.api.errors import NotSignedIn
from functions.api.identity import sent_by
from functions.api.rate_limit import identify_sender
from shared.domain.account import AccountProfile
from shared.errors import Forbidden
from shared.library.account import get_profile
from shared.runtime import Runtime

# Longer than a connection takes where the database is awake (under 1 s), and no longer than a person waits unsettled.
PATIENCE_S = 3.0


def account_of(request: Request) -> AccountProfile | None:
    """The person and the organization that a page is for; None where one machine's page is opened by somebody whom it
    does not know: the frame alone tells nothing.

    Raises NotSignedIn (before the database is asked) and Forbidden where people sign in; DatabaseAway soon, so that a
    page which says so is there before anybody wonders.
    """
    state = request.app.state
    if not state.local and not sent_by(request):
        raise NotSignedIn("Sign in first.")
    runtime = cast(Runtime, state.runtime)
    runtime.database.check(PATIENCE_S)
    try:
        return get_profile(runtime, identify_sender(request))
    except (Forbidden, NotSignedIn):
        if state.local:
            return None
        raise
