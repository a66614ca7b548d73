"""What a command costs before it does anything: `python -m tests.bench.cli HOME`, a line per command.

CPU seconds of the whole process (user and system), median and range of seven runs, beside a server on HOME. The bare
interpreter is measured in turn with the commands: on a busy machine the ratio to it says more than the seconds.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from tests.processes import free_port

RUNS = 7
START_TIMEOUT_S = 120.0
AUTRI = str(Path(sys.executable).parent / "autri")
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "autri --help": [AUTRI, "--help"],
    "autri kb list": [AUTRI, "kb", "list"],
}


def cpu_seconds(command: list[str], environment: dict[str, str]) -> float:
    """User and system time of the process and those that it waited for."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}.")
    return usage.ru_utime + usage.ru_stime


def measure(home: Path) -> dict[str, list[float]]:
    environment = {**os.environ, "AUTRI_HOME": str(home)}
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with subprocess.Popen(
        [AUTRI, "serve", "--port", str(free_port())],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            until = time.monotonic() + START_TIMEOUT_S
            while not (home / "server.json").exists() and time.monotonic() < until:
                time.sleep(0.2)
            for _ in range(RUNS):
                for name, command in COMMANDS.items():
                    seconds[name].append(cpu_seconds(command, environment))
        finally:
            server.terminate()
    return seconds


def main() -> None:
    for name, runs in measure(Path(sys.argv[1])).items():
        print(f"{name}: {statistics.median(runs):.2f} s CPU ({min(runs):.2f} to {max(runs):.2f})")


if __name__ == "__main__":
    main()
