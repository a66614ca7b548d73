"""Mail on one machine: it is written down, and sent nowhere."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from shared.ports import InvitationMail


@dataclass(frozen=True)
class Outbox:
    """A file with a line of JSON per mail."""

    file: Path

    def send_invitation(self, mail: InvitationMail) -> None:
        with self.file.open("a", encoding="utf-8") as outbox:
            outbox.write(json.dumps({"kind": "invitation", **asdict(mail)}, ensure_ascii=False) + "\n")
