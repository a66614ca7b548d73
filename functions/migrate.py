"""Custom resource: migrates the database to this version's schema, and creates the deployment's first organization."""

import logging
from typing import Any

from functions.runtime_logging import log_event
from shared.bootstrap import application_password, owner_dsn
from shared.store.migrate import NewerSchema, migrate
from shared.store.provision import Organization, let_application_log_in, provision

logger = logging.getLogger("autri.migrate")

PHYSICAL_ID = "migrations"


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Deleting the stack leaves the database unchanged. So does an update to an older version's schema, which a
    rollback requests: a failure would break the rollback too, and leave a stack that cannot be deployed any more."""
    if event["RequestType"] == "Delete":
        return {"PhysicalResourceId": event["PhysicalResourceId"]}
    wanted, dsn = event["ResourceProperties"], owner_dsn()
    try:
        applied = migrate(dsn)
    except NewerSchema as newer:
        if event["RequestType"] != "Update":
            raise
        logger.warning("the schema stays as it is: %s", newer)
        applied = []
    let_application_log_in(dsn, application_password())
    operates = wanted.get("operates") == "true"
    provision(dsn, Organization(wanted["slug"], wanted["organization"], wanted["owner_email"], operates))
    return {"PhysicalResourceId": PHYSICAL_ID, "Data": {"Applied": ",".join(applied)}}
