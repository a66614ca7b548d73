"""MiniStack in a process of its own, for as long as a test needs it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import httpx
from botocore.config import Config

from tests.patience import PATIENCE_S
from tests.processes import free_port

REGION = "eu-central-1"
ACCOUNT = "111111111111"
# Waits of the state machine (retries) run at this fraction of their time.
WAIT_SCALE = "0.05"
# MiniStack ends a function that takes over 10 s to start, as Lambda does, and starts it again with the function's own
# limit: on a busy machine all of them. A test that stops one while it starts waits for this. It has no setting for
# that, nor one against the 40 ms that each event and answer of a function waits by Nagle's algorithm for the receipt of
# its head.
PATIENT = """
from socketserver import StreamRequestHandler
StreamRequestHandler.disable_nagle_algorithm = True
from ministack.core import lambda_runtime
assert lambda_runtime._PROVIDED_INIT_TIMEOUT
lambda_runtime._PROVIDED_INIT_TIMEOUT = 40.0
from ministack.app import main
main()
"""


@dataclass(frozen=True)
class Emulator:
    """A running emulator."""

    url: str

    def client(self, service: str) -> Any:
        create: Any = boto3.client  # typed for each service by its name alone
        return create(
            service,
            endpoint_url=self.url,
            region_name=REGION,
            aws_access_key_id=ACCOUNT,
            aws_secret_access_key="emulated",
            config=Config(
                s3={"addressing_style": "path"},
                read_timeout=PATIENCE_S,
                retries={"total_max_attempts": 1, "mode": "standard"},
            ),
        )


@contextmanager
def running_emulator(folder: Path) -> Generator[Emulator]:
    """Started on the loopback interface alone; ends with every process that it started, its functions included."""
    port = free_port()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "AUTRI_"))},
        "BIND_HOST": "127.0.0.1",
        "MINISTACK_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "IOT_MTLS_PORT": "0",
        "SFN_WAIT_SCALE": WAIT_SCALE,
        "MINISTACK_REGION": REGION,
        "MINISTACK_ACCOUNT_ID": ACCOUNT,
        "AWS_DEFAULT_REGION": REGION,
        "TMPDIR": str(folder),
        "LAMBDA_EXECUTOR": "local",
    }
    command = [sys.executable, "-c", PATIENT]
    with (folder / "emulator.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log, start_new_session=True)
        try:
            _wait_until_ready(f"http://127.0.0.1:{port}", process, folder / "emulator.log")
            yield Emulator(f"http://127.0.0.1:{port}")
        finally:
            _end_session(process)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            if httpx.get(f"{url}/_ministack/health").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise RuntimeError(f"The emulator did not start: {log.read_text(errors='replace')[-2000:]}")


def _end_session(process: subprocess.Popen[bytes]) -> None:
    """The emulator leaves its functions' processes behind; all of them are in the session that we gave it."""
    members = [pid for pid in _processes() if _session_of(pid) == process.pid]
    for pid in members:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait(timeout=PATIENCE_S)


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None
