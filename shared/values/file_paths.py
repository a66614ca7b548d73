"""Paths of files below a folder, as documents are called by them."""

import re
import unicodedata
from typing import Final

from shared.errors import BadInput

# In UTF-8: what an index of the database takes.
MAX_BYTES: Final = 1_000
MAX_PART: Final = 255
# Hidden files and folders, and what systems and office programs leave beside people's files: `~$Report.docx` stands
# there while somebody has the report open.
_LITTER: Final = re.compile(r"(^|/)(\.[^/.][^/]*|__MACOSX|Thumbs\.db|desktop\.ini|~\$[^/]*)(/|$)", re.I)


def is_litter(path: str) -> bool:
    """Whether a file below a folder is none that somebody put there to be read."""
    return _LITTER.search(path) is not None


def clean_path(path: str) -> str:
    """The path in one spelling: composed characters, no `./`. Raises BadInput for one that leads out of its folder, or
    is no name for a file."""
    path = unicodedata.normalize("NFC", path).removeprefix("./")
    parts = path.split("/")
    if path.startswith("/") or ".." in parts or path[1:2] == ":":
        raise BadInput("Its path leads out of its folder; give it one below.")
    if any(part in ("", ".") or part != part.strip() for part in parts):
        raise BadInput("Its path has an empty name, or one that begins or ends with a space; rename it.")
    if not path.isprintable() or "\\" in path:
        raise BadInput("Its path has control characters or a backslash; rename it.")
    if len(path.encode()) > MAX_BYTES or any(len(part) > MAX_PART for part in parts):
        raise BadInput(f"Its path is longer than {MAX_BYTES} bytes, or a name in it than {MAX_PART} characters.")
    return path
