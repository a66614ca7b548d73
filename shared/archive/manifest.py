"""What stands in an archive and where: the manifest, the list of members, their names, and how much may be in them.

docs/archive.md describes the format; a change of it is a new `FORMAT_VERSION`.
"""

import re
from typing import Final, Literal, NamedTuple
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from shared.contract import SOURCES_PREFIX, WORK_PREFIX

FORMAT: Final = "autri-archive"
# The second has tables in several pieces; what needs none is still of the first.
FORMAT_VERSION: Final = 1
PIECES_VERSION: Final = 2
MANIFEST: Final = "manifest.json"
MEMBERS: Final = "members.jsonl"
ENDING: Final = ".autri.zip"

ArchiveKind = Literal["knowledge base", "organization"]

_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# No part begins with a dot, so that none is `..` or what stores take for an unfinished write.
_PART = "[A-Za-z0-9_][A-Za-z0-9._-]{0,120}"
_KEY = re.compile(rf"[a-z]+(?:/{_PART}){{1,6}}")
_MEMBER = re.compile(
    rf"knowledge-bases/(?P<base>{_UUID})/"
    rf"(?:rows/(?P<table>[a-z_]{{1,63}})(?:\.(?P<piece>[2-9]|[1-9][0-9]{{1,6}}))?\.jsonl"
    rf"|objects/(?P<key>{SOURCES_PREFIX}{_UUID}/{_PART}|{WORK_PREFIX}{_UUID}(?:/{_PART}){{1,3}}))"
)


class ArchiveLimits(NamedTuple):
    """How much an archive may unpack to, so that a small file cannot fill a disk or the memory.

    JSON lines shrink to a tenth or so and page images not at all: `expansion` times the file's size is far from any
    real archive; `bytes_free` may be unpacked in any case. `line_bytes` is a row: a table's grid is the largest.
    `directory_bytes` is the list of members at the file's end, which is read at once: about a hundred bytes each.
    """

    expansion: int = 100
    bytes_free: int = 256 * 1024 * 1024
    line_bytes: int = 64 * 1024 * 1024
    manifest_bytes: int = 16 * 1024 * 1024
    directory_bytes: int = 256 * 1024 * 1024


class ArchiveMember(BaseModel):
    """A line of the list of members: bytes and SHA-256 of what is unpacked."""

    model_config = ConfigDict(extra="forbid")

    path: str
    bytes: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class ArchivedTable(BaseModel):
    """A table of a knowledge base: its columns, and how many rows there are."""

    model_config = ConfigDict(extra="forbid")

    columns: list[str]
    rows: int = Field(ge=0)


class ArchivedBase(BaseModel):
    """A knowledge base: what was in it, and what made that."""

    model_config = ConfigDict(extra="forbid")

    id: UUID
    slug: str = Field(pattern="^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)
    name: str
    embedder_version: str | None
    extractor_versions: list[str]
    tables: dict[str, ArchivedTable]
    objects: int = Field(ge=0)


class ArchivedOrganization(BaseModel):
    """Whose data it was."""

    model_config = ConfigDict(extra="forbid")

    id: UUID
    slug: str
    name: str
    trace_days: int = Field(ge=0, le=3650)
    audit_days: int = Field(ge=30, le=3650)


class Manifest(BaseModel):
    """What the archive says of itself. `members_sha256` covers the list, and thereby every member."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["autri-archive"] = FORMAT
    version: Literal[1, 2] = FORMAT_VERSION
    kind: ArchiveKind
    made_at: AwareDatetime
    schema_version: str
    tokenizer_version: str
    organization: ArchivedOrganization
    knowledge_bases: list[ArchivedBase]
    members: int = Field(ge=0)
    bytes: int = Field(ge=0)
    members_sha256: str


class Place(NamedTuple):
    """What a member is: rows of a table, of which it is the piece of that number, from 1; or an object by its key
    without organization and knowledge base."""

    base: UUID
    table: str | None
    piece: int
    key: str | None


def rows_path(base: UUID, table: str, piece: int = 1) -> str:
    return f"knowledge-bases/{base}/rows/{table}{f'.{piece}' if piece > 1 else ''}.jsonl"


def object_path(base: UUID, key: str) -> str:
    return f"knowledge-bases/{base}/objects/{key}"


def place_of(path: str) -> Place | None:
    """None for a name that no export gives."""
    found = _MEMBER.fullmatch(path)
    return Place(UUID(found["base"]), found["table"], int(found["piece"] or 1), found["key"]) if found else None


def is_key(key: object) -> bool:
    """Whether a row may name it: a key of the store without organization and knowledge base, as export writes it."""
    return isinstance(key, str) and _KEY.fullmatch(key) is not None


def full_key(organization: UUID, base: UUID, key: str) -> str:
    """`sources/X/source` → `sources/ORGANIZATION/KNOWLEDGE-BASE/X/source`."""
    area, _, rest = key.partition("/")
    return f"{area}/{organization}/{base}/{rest}"


def short_key(organization: UUID, base: UUID, key: str) -> str:
    return key.replace(f"/{organization}/{base}/", "/", 1)
