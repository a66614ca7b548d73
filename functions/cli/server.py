"""Finds the server of this machine's data folder: `autri serve` writes its address there, and commands use it."""

import json
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from shared.contract import HOME_DEFAULT, Env
from shared.processes import is_dead, own_name

FILE = "server.json"
CONNECT_S = 1.0


@contextmanager
def announced(home: Path, host: str, port: int) -> Generator[None]:
    """Announces this process as the server of `home` while the context lasts."""
    local = "127.0.0.1" if host in ("", "0.0.0.0") else host  # noqa: S104 what it listens on, not what is asked
    said = json.dumps({"url": f"http://{f'[{local}]' if ':' in local else local}:{port}", "process": own_name()})
    file = home / FILE
    file.write_text(said)
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            if file.read_text() == said:
                file.unlink()


def running_server() -> str | None:
    """The URL of a running server of this machine's data folder; None where there is none."""
    try:
        said = json.loads((Path(os.environ.get(Env.HOME) or HOME_DEFAULT) / FILE).read_text())
        url, process = str(said["url"]), str(said["process"])
        parts = urlsplit(url)
        if is_dead(process):
            return None
        with socket.create_connection((parts.hostname or "", parts.port or 0), CONNECT_S):
            return url
    except (OSError, ValueError, KeyError, TypeError):
        return None
