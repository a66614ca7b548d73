"""A proxy that leads one name to a port of this machine, for programs that resolve names by themselves."""

import selectors
import socket
from collections.abc import Generator
from contextlib import contextmanager

from tests.aws.serving import Silent, serving

BUFFER = 65536


@contextmanager
def running_tunnel(host: str, port: int) -> Generator[str]:
    """The URL for HTTPS_PROXY: `https://host` is what listens on `port`, and there is no way to anywhere else."""

    class Tunnel(Silent):
        def do_CONNECT(self) -> None:  # noqa: N802 a name that http.server looks for
            if self.path != f"{host}:443":
                self.send_error(403, f"This proxy leads to {host} alone")
                return
            with socket.create_connection(("127.0.0.1", port)) as there:
                self.send_response(200)
                self.end_headers()
                _pass_on(self.connection, there)
            self.close_connection = True

    with serving(Tunnel) as url:
        yield url


def _pass_on(here: socket.socket, there: socket.socket) -> None:
    """Bytes both ways, until one side ends."""
    other = {here: there, there: here}
    with selectors.DefaultSelector() as waiting:
        for end in other:
            waiting.register(end, selectors.EVENT_READ)
        while True:
            for ready, _ in waiting.select():
                end = here if ready.fileobj is here else there
                try:
                    data = end.recv(BUFFER)
                    if not data:
                        return
                    other[end].sendall(data)
                except OSError:
                    return
