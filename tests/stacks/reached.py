"""What a handler's code may import, read from the source: deferred imports too, which no start of a function meets."""

import ast
import sys
from functools import cache
from pathlib import Path

from stacks.assets import ROOT

OURS = ("functions", "shared")
# Chosen on one machine alone.
ONE_MACHINE = "shared.adapters.local"


def reached_packages(module: str) -> set[str]:
    """Top-level names of what is neither ours nor Python's own."""
    seen, left, packages = {module}, [module], set[str]()
    while left:
        for name in _imported(left.pop()):
            top = name.partition(".")[0]
            if top not in OURS:
                packages |= {top} - sys.stdlib_module_names
            elif name not in seen and not name.startswith(ONE_MACHINE):
                seen.add(name)
                left.append(name)
    return packages


@cache
def _imported(module: str) -> frozenset[str]:
    file = file_of(module)
    assert file is not None, module
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{one.name}" for one in node.names}
            found |= {node.module, *(name for name in inner if file_of(name))}
    return frozenset(found)


def file_of(module: str) -> Path | None:
    path = ROOT.joinpath(*module.split("."))
    return next((one for one in (path.with_suffix(".py"), path / "__init__.py") if one.exists()), None)
