"""Who looks at a page: what its frame offers depends on it. The page's data asks for itself, at `/v1`."""

import logging
from typing import cast

from starlette.requests import Request

from functions.api.errors import NotSignedIn
from functions.api.identity import Identify, sent_by
from functions.api.rate_limit import identify_sender
from shared.domain.account import AccountProfile
from shared.errors import AutriError, Forbidden
from shared.library.account import get_profile
from shared.runtime import Runtime

# Longer than a connection takes where the database is awake (under 1 s), and no longer than a person waits unsettled.
PATIENCE_S = 3.0
logger = logging.getLogger("autri.api")


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


def account_if_known(request: Request) -> AccountProfile | None:
    """The same for the frame of an error's page: None where nobody has signed in, and where it cannot be told.

    It takes nothing from the sender's rate, which may be what the page is about, and raises nothing: the page says what
    happened first.
    """
    state = request.app.state
    if not state.local and not sent_by(request):
        return None
    runtime = cast(Runtime, state.runtime)
    try:
        runtime.database.check(PATIENCE_S)
        return get_profile(runtime, cast(Identify, state.identify)(request))
    except AutriError:
        return None
    except Exception as error:  # noqa: BLE001 whatever failed before may fail again, and still needs its page
        logger.error("the frame of an error's page has no account: %s", type(error).__name__)
        return None
