"""The layers again, for this machine: the same pinned wheels for x86-64, and what Lambda's own runtime brings.

What a layer has compressed is as it is here, in archives of the same names: each process that imports it unpacks it.
"""

import hashlib
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from stacks import assets
from tests.once import building

PLATFORM = f"{platform.machine()}-manylinux_2_28"
# In the cloud, Lambda's managed runtime holds these two.
RUNTIME_PACKAGES = ("boto3", "awslambdaric")


@dataclass(frozen=True)
class Twin:
    """An interpreter and, per layer, the folder it would find below /opt."""

    python: Path
    version: str
    layers: dict[str, Path]
    runtime: Path

    def path_of(self, layers: list[str]) -> list[str]:
        return [str(self.layers[name]) for name in layers] + [str(self.runtime)]


def build_twin() -> Twin:
    """With Lambda's Python version where this machine has it, else with the version that runs the tests."""
    with building("layers"):
        return _build_twin()


def _build_twin() -> Twin:
    python = assets.find_python()
    if python is not None:
        layers = {name: assets.build_layer(name, PLATFORM, assets.PLAIN) / "python" for name in assets.BUDGETS_MB}
        return Twin(
            python, assets.RUNTIME_VERSION, layers, _install("runtime", RUNTIME_PACKAGES, assets.RUNTIME_VERSION)
        )
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    layers = {name: _install(name, _wanted(name), version) for name in assets.BUDGETS_MB}
    return Twin(Path(sys.executable), version, layers, _install("runtime", RUNTIME_PACKAGES, version))


def _wanted(layer: str) -> tuple[str, ...]:
    lines = (assets.ROOT / "layers" / layer / "requirements.in").read_text().splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def _install(name: str, packages: tuple[str, ...], version: str) -> Path:
    """Packages at the locked versions, built once per lock."""
    locks = [assets.ROOT / "requirements.lock", assets.ROOT / "requirements-dev.lock"]
    key = hashlib.sha256(b"\0".join([*(lock.read_bytes() for lock in locks), repr(packages).encode()])).hexdigest()
    folder = assets.BUILD / f"{name}-{PLATFORM}-py{version}-{key[:16]}"
    if not folder.exists():
        constraints = [argument for lock in locks for argument in ("-c", str(lock))]
        target = ["--target", str(folder), "--python-platform", PLATFORM, "--python-version", version]
        assets.run_uv("pip", "install", "--quiet", "--only-binary", ":all:", *target, *constraints, *packages)
    return folder
