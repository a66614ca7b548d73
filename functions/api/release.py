"""Custom resource: the new version of the API is asked whether it can serve, before anybody else calls it."""

from typing import Any, cast

from fastapi import FastAPI

from functions.api.late_route import derive_routes
from shared.runtime import Runtime
from shared.store.self_check import check_release

PHYSICAL_ID = "release"


def is_release_check(event: dict[str, Any]) -> bool:
    """API Gateway's events have no such key, whatever a request says."""
    return "RequestType" in event


def answer_release_check(application: FastAPI, event: dict[str, Any]) -> dict[str, Any]:
    """Raises what is wrong, which stops the deployment. A roll-back asks nothing: it has to succeed, and the version
    that it goes back to has served before."""
    if event["RequestType"] != "Delete" and not _goes_back(event):
        runtime = cast(Runtime, application.state.runtime)
        check_release(runtime.database, event["ResourceProperties"]["schema"])
        runtime.blobs.exists("work/release")
        derive_routes(application.routes)  # some of which nobody may ask for until much later
    return {"PhysicalResourceId": PHYSICAL_ID}


def _goes_back(event: dict[str, Any]) -> bool:
    """Lambda numbers versions upwards, so a roll-back alone asks for a smaller number."""
    return _number(event["ResourceProperties"]) < _number(event.get("OldResourceProperties", {}))


def _number(properties: dict[str, Any]) -> int:
    return int(str(properties.get("version", ":0")).rpartition(":")[2])
