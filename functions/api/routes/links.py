"""All links that one may take back, whatever they show."""

from functools import partial

from functions.api.caller import Reader
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.answering import sharing
from shared.answering.threads.shapes import ListedShare

router = v1_router("conversations", "/shares")


@router.get("")
def list_all_shares(caller: Reader, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> PageOf[ListedShare]:
    """Those that you made, and those of notebooks that you may change; ended ones too, oldest first. Take one back
    where it was made."""
    return listed("shares", cursor, limit, partial(sharing.list_all_shares, caller.runtime, caller.identity))
