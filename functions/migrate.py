"""Custom resource: brings the database to this version's schema, and the deployment's first organization into it."""

from typing import Any

from functions.runtime_logging import log_event
from shared.bootstrap import application_password, owner_dsn
from shared.store.application_role import let_application_log_in
from shared.store.migrate import migrate
from shared.store.provision import Organization, provision

PHYSICAL_ID = "migrations"


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Deleting the stack leaves the database as it is."""
    if event["RequestType"] == "Delete":
        return {"PhysicalResourceId": event["PhysicalResourceId"]}
    wanted, dsn = event["ResourceProperties"], owner_dsn()
    applied = migrate(dsn)
    let_application_log_in(dsn, application_password())
    provision(dsn, Organization(wanted["slug"], wanted["organization"], wanted["owner_email"]))
    return {"PhysicalResourceId": PHYSICAL_ID, "Data": {"Applied": ",".join(applied)}}
