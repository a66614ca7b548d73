"""A digest sent back as files, and what became of it."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from shared.domain.people import StrictBody

FILES_MAX = 500
PATH_MAX = 500
# A description with its front matter and definitions.
CONTENT_MAX = 200_000
# `changed_since`: it was changed after the export. `gone`: it is not there any more. `not_a_statement`: titles,
# headings and entries follow from the statements. `refused`: it was not taken, `detail` says why. `unknown_file`: the
# digest has no such file. `unreadable`: it is no file of a digest, `detail` says what it lacks.
ConflictReason = Literal["changed_since", "gone", "not_a_statement", "refused", "unknown_file", "unreadable"]


class FileOfFolder(StrictBody):
    """A file as it was exported, with what somebody changed in it."""

    path: Annotated[str, StringConstraints(min_length=1, max_length=PATH_MAX)]
    content: Annotated[str, StringConstraints(strip_whitespace=False, max_length=CONTENT_MAX)]


class FolderImport(StrictBody):
    """Files of an exported digest; those that are not sent stay as they are. `dry_run` says what would become of
    them."""

    files: list[FileOfFolder] = Field(min_length=1, max_length=FILES_MAX)
    dry_run: bool = False


class FolderConflict(BaseModel):
    """What was not taken: the line as it was sent ("" where it is missing there), and as it stands here."""

    path: str
    reason: ConflictReason
    sent: str
    standing: str
    detail: str


class ImportedFile(BaseModel):
    """A file that was sent: how many statements were changed, added and taken out; its version afterwards."""

    path: str
    file_id: UUID
    changed: int
    added: int
    removed: int
    version: str


class FolderImported(BaseModel):
    """What became of the files: a person's edits, and what conflicts, of which nothing was changed."""

    files: list[ImportedFile]
    unchanged: int
    conflicts: list[FolderConflict]
    dry_run: bool
