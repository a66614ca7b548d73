"""Custom resource: migrates the database to this version's schema, gives the application's login the password of the
wanted generation, and creates the deployment's first organization."""

from typing import Any

from functions.runtime_logging import log_event
from shared.bootstrap import application_login, owner_dsn, store_application_login
from shared.store.migrate import migrate, schema_version
from shared.store.provision import Organization, let_application_log_in, next_login, provision

PHYSICAL_ID = "migrations"


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Deleting leaves the database unchanged: that of the stack, and that of the resource which a deployment or its
    roll-back takes away. Everything else may be repeated."""
    if event["RequestType"] == "Delete":
        return {"PhysicalResourceId": event["PhysicalResourceId"]}
    wanted, dsn = event["ResourceProperties"], owner_dsn()
    applied = migrate(dsn)
    login = next_login(application_login(), int(wanted.get("password_generation", 1)))
    if login is not None:
        # The secret first: whoever is refused with its newest password tries the one before.
        store_application_login(login)
    let_application_log_in(dsn, application_login()["password"])
    # An operator who calls this by hand need not say it; only a deployment takes it away.
    operates = {"true": True, "false": False}.get(wanted.get("operates", ""))
    provision(dsn, Organization(wanted["slug"], wanted["organization"], wanted["owner_email"], operates))
    data = {"Applied": ",".join(applied), "Schema": schema_version(dsn)}
    return {"PhysicalResourceId": PHYSICAL_ID, "Data": data}
