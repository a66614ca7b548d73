"""The certificate of a deletion: what was there, and that nothing is left."""

import hashlib
import json
from typing import Final, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel

Kind = Literal["knowledge base", "organization"]

# What a deletion does not reach, and says so.
NOT_COVERED: Final = (
    "Backups and snapshots of the database, until they expire as the deployment's owner has set.",
    "Accounts at the identity provider, and archives and answers that people have downloaded.",
    "Logs of the deployment, which hold ids and no content.",
    "On AWS, pages of the web as they were fetched and their addresses, which name no organization: four days at most.",
    "After a knowledge base, its organization's audit log: who did what to which id, kept for the time chosen there.",
)


class Subject(BaseModel):
    """What was deleted, or whose it was."""

    id: UUID
    slug: str
    name: str


class By(BaseModel):
    """Who deleted it."""

    id: UUID
    name: str


class Holdings(BaseModel):
    """What is there: rows by table, and stored files."""

    rows: dict[str, int]
    objects: int
    bytes: int


class Certificate(BaseModel):
    """What was there and that nothing is left. `sha256` is that of the JSON without itself: keys sorted, no spaces,
    UTF-8."""

    format: Literal["autri-erasure-certificate"] = "autri-erasure-certificate"
    version: Literal[1] = 1
    id: UUID
    kind: Kind
    subject: Subject
    organization: Subject
    by: By
    erased_at: AwareDatetime
    before: Holdings
    passwords: int
    after: Holdings
    not_covered: list[str]
    sha256: str = ""


def digest_of(certificate: Certificate) -> str:
    """The SHA-256 that the certificate has to have."""
    content = certificate.model_dump(mode="json", exclude={"sha256"})
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
