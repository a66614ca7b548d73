"""Mail by way of the bucket: an object below `outbox/` is an event, and a function outside the network sends."""

import json
from dataclasses import asdict

from shared.contract import outbox_key
from shared.domain.ids import new_id
from shared.ports import BlobStore, InvitationMail


class BucketOutbox:
    """A `Mailer`. What it writes is deleted by the bucket's own rule a day later."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    def send_invitation(self, mail: InvitationMail) -> None:
        self._blobs.put(outbox_key(str(new_id())), json.dumps(asdict(mail)).encode(), "application/json")
