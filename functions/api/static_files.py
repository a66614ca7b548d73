"""The pages' static files and their address, which changes with their content so that they may be cached for ever."""

import hashlib
import mimetypes
import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath

STATIC = Path(__file__).parent / "static"
_IMPORT = re.compile(r'^(?:import|export)\b[^;]*?"(\.[^"]+\.js)"', re.MULTILINE)
FOR_EVER = "public, max-age=31536000, immutable"
# Python's own table has no fonts, and Lambda has no other.
mimetypes.add_type("font/woff2", ".woff2")


@cache
def static_contents() -> dict[str, bytes]:
    """All static files by their path below `static/`, with slashes."""
    files = (path for path in sorted(STATIC.rglob("*")) if path.is_file())
    return {path.relative_to(STATIC).as_posix(): path.read_bytes() for path in files}


@cache
def static_version() -> str:
    """A hash of all static files, twelve hex digits."""
    digest = hashlib.sha256()
    for name, content in static_contents().items():
        digest.update(name.encode())
        digest.update(content)
    return digest.hexdigest()[:12]


def static_root() -> str:
    """The address of the static files' folder, e.g. `/static/0f3a…`."""
    return f"/static/{static_version()}"


@cache
def imported_modules(module: str) -> tuple[str, ...]:
    """The ES modules that `module`, a path below `js/`, imports directly or through others, in order of their first
    import. A browser that is told of them asks for all at once, instead of learning of each from the one above it."""
    found: dict[str, None] = {}
    waiting = [module]
    while waiting:
        one = waiting.pop(0)
        text = static_contents()[f"js/{one}"].decode()
        imported = [normpath(join(dirname(one), path)) for path in _IMPORT.findall(text)]
        waiting += [path for path in imported if path not in found]
        found |= dict.fromkeys(imported)
    found.pop(module, None)
    return tuple(found)
