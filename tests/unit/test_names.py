"""A name says one thing: who searches for a class finds one."""

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_public_class_name_is_used_once_in_the_product() -> None:
    files = [path for package in ("shared", "functions", "stacks") for path in (ROOT / package).rglob("*.py")]
    names = Counter(
        node.name
        for path in files
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert len(names) > 400
    assert [name for name, count in names.items() if count > 1] == []
