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


@cache
def imported_modules(module: str) -> tuple[str, ...]:
    """The ES modules that `module`, a path below `js/`, imports directly or through others, in order of their first
    import. A browser that is told of them asks for all at once, instead of learning of each from the one above it."""
    found: dict[str, None] = {}
    waiting = [module]
    while waiting:
        one = waiting.pop(0)
        text = (STATIC / "js" / one).read_text(encoding="utf-8")
        imported = [normpath(join(dirname(one), path)) for path in _IMPORT.findall(text)]
        waiting += [path for path in imported if path not in found]
        found |= dict.fromkeys(imported)
    found.pop(module, None)
    return tuple(found)
