"""What links show, for whoever has them: nobody signs in."""

from typing import Annotated

from fastapi import Query, Request, Response

from functions.api.caller import in_language
from functions.api.head import asked_method
from functions.api.rate_limit import count_request
from functions.api.routes.notebooks import FILES, bundle_response
from functions.api.routing import v1_router
from shared.answering.sharing import NO_SHARE, find_share, note_opening
from shared.answering.threads import sharing
from shared.answering.threads.shapes import SharedThread
from shared.domain.notebooks import BundleForm, SharedNotebook
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.lab.bundles import service as bundles
from shared.lab.notebook import links
from shared.store.connect import Row

router = v1_router("conversations", "/shared/{secret}")
UNSEEN = {"X-Robots-Tag": "noindex, nofollow"}


@router.get("")
def read_share(secret: str, request: Request, response: Response) -> SharedThread | SharedNotebook:
    """What a link shows, a conversation or a notebook, for whoever has it: nobody signs in. It takes from the rate of
    who made it."""
    identity, share = _found(request, secret)
    response.headers.update(UNSEEN)
    runtime = request.app.state.runtime
    read = links.read_share if share["notebook_id"] else sharing.read_share
    shown = read(runtime, identity, share)
    _note_opening(request, share, identity, "page")
    return shown


@router.get("/bundle", response_class=Response, responses=FILES)
def read_shared_bundle(secret: str, request: Request, form: Annotated[BundleForm, Query()] = "html") -> Response:
    """The bundle of the notebook that a link shows; of a conversation there is none."""
    identity, share = _found(request, secret)
    if not share["notebook_id"]:
        raise NotFound(NO_SHARE)
    answer = bundle_response(bundles.bundle_of_share(request.app.state.runtime, identity, share, form))
    _note_opening(request, share, identity, form)
    answer.headers.update(UNSEEN)
    return answer


def _note_opening(request: Request, share: Row, identity: Identity, what: str) -> None:
    """Who asks for the head alone was shown nothing: programs that look whether a link leads anywhere."""
    if asked_method(request.scope) != "HEAD":
        note_opening(request.app.state.runtime, share, identity, what)


def _found(request: Request, secret: str) -> tuple[Identity, Row]:
    identity, share = find_share(request.app.state.runtime, secret)
    # A link has a bucket of its own, as a key has.
    count_request(request, identity.model_copy(update={"key_id": share["id"]}))
    return in_language(request, identity), share
