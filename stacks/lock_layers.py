"""Pin each layer's requirements, with hashes, to the versions of `requirements.lock`: `python -m stacks.lock_layers`.

A later layer leaves out what an earlier one that always rides with it already holds.
"""

from typing import Final

from stacks.assets import BUDGETS_MB, ROOT, RUNTIME_VERSION, TARGET_PLATFORM, pinned, run_uv

# Never ride together.
APART: Final = {"lab": {"signin"}}


def lock_layers() -> None:
    pins: dict[str, set[str]] = {}
    for name in BUDGETS_MB:
        held = {one for other in pins.keys() - APART.get(name, set()) for one in pins[other]}
        folder = ROOT / "layers" / name
        output = folder / "requirements.txt"
        output.unlink(missing_ok=True)
        run_uv(
            *("pip", "compile", "--quiet", "--generate-hashes", "--no-annotate", "--only-binary", ":all:"),
            *("--python-version", RUNTIME_VERSION, "--python-platform", TARGET_PLATFORM),
            *("--custom-compile-command", "python -m stacks.lock_layers", "-c", "requirements.lock"),
            *(part for package in sorted(held) for part in ("--no-emit-package", package)),
            *(str((folder / "requirements.in").relative_to(ROOT)), "-o", str(output.relative_to(ROOT))),
        )
        pins[name] = set(pinned(output))


if __name__ == "__main__":
    lock_layers()
