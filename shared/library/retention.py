"""Deletes uploads that were announced and never arrived, or arrived and were never taken up. Called by maintenance."""

from datetime import timedelta

from shared.domain.scope import Scope
from shared.runtime import Runtime
from shared.store import ingestions
from shared.store.knowledge_bases import open_organization

# A presigned upload is valid for minutes; a day leaves room for a delayed event.
ABANDONED_AFTER = timedelta(days=1)
UPLOADS_AT_ONCE = 200
# Delivery of an object's event is tried for a day; after a second day no process will register the file any more.
UNTAKEN_AFTER = timedelta(days=2)
UNTAKEN = "The file arrived and its ingestion never began. Upload it again."


def forget_abandoned_uploads(runtime: Runtime, organization: Scope, age: timedelta = ABANDONED_AFTER) -> int:
    """Deletes announced uploads without a file, and the encrypted passwords that came with them; returns how many.

    The password is deleted before the row is committed: what a crash leaves behind is found again by the row.
    """
    with runtime.database.transaction(organization) as connection:
        open_organization(connection)
        found = ingestions.lock_abandoned_uploads(connection, age, UPLOADS_AT_ONCE)
        gone = [upload_id for upload_id, key in found if not runtime.blobs.exists(key)]
        for upload_id in gone:
            runtime.vault.forget(upload_id)
        ingestions.remove_uploads(connection, gone)
    return len(gone)


def end_untaken_uploads(runtime: Runtime, organization: Scope, age: timedelta = UNTAKEN_AFTER) -> int:
    """Fails uploads whose file arrived but whose event did not, and deletes file and password; returns how many."""
    with runtime.database.transaction(organization) as connection:
        open_organization(connection)
        found = ingestions.lock_abandoned_uploads(connection, age, UPLOADS_AT_ONCE)
        arrived = [(upload_id, key) for upload_id, key in found if runtime.blobs.exists(key)]
        for upload_id, key in arrived:
            runtime.vault.forget(upload_id)
            runtime.blobs.delete(key)
            ingestions.fail(connection, upload_id, UNTAKEN)
    if arrived:
        runtime.tell_webhooks()
    return len(arrived)
