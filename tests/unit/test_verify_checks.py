import ast
import re
from pathlib import Path
from typing import get_args

from shared.domain.verify import CHECKS, Check

ROOT = Path(__file__).parents[2]
PANEL = ROOT / "functions/api/static/js/inspector/panels.js"


def test_every_check_has_a_sentence_and_the_inspector_has_the_same() -> None:
    assert set(CHECKS) == set(get_args(Check))
    (meanings,) = re.findall(r"const MEANINGS = \{\n(.*?)\n\};", PANEL.read_text(), re.S)
    assert dict(re.findall(r'^\s*(\w+): "(.*)",$', meanings, re.M)) == CHECKS


def test_the_proof_takes_types_alone_from_the_domain() -> None:
    taken: list[str] = []
    for path in sorted((ROOT / "shared/verify").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("shared.domain"):
                taken += [f"{node.module}.{name.name}" for name in node.names]
    assert len(taken) > 10
    assert [name for name in taken if not name.rpartition(".")[2][0].isupper()] == []
