"""Where routes of `/v1` are declared."""

from fastapi import APIRouter, Depends

from functions.api.caller import refuse_unstorable_text


def v1_router(tag: str, prefix: str = "") -> APIRouter:
    """Routes below `/v1` and `prefix`, complete as they stand, for `app.router.routes`: `include_router` would derive
    each of them once more for every application, at its first request."""
    return APIRouter(prefix=f"/v1{prefix}", tags=[tag], dependencies=[Depends(refuse_unstorable_text)])
