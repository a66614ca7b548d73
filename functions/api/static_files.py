"""The pages' static files and their address, which changes with their content so that they may be cached for ever."""

import hashlib
import mimetypes
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parent / "static"
FOR_EVER = "public, max-age=31536000, immutable"
# Python's own table has no fonts, and Lambda has no other.
mimetypes.add_type("font/woff2", ".woff2")


@cache
def static_version() -> str:
    """A hash of all static files, twelve hex digits."""
    digest = hashlib.sha256()
    for path in sorted(STATIC.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(STATIC).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def static_root() -> str:
    """The address of the static files' folder, e.g. `/static/0f3a…`."""
    return f"/static/{static_version()}"
