import ast
import re
from pathlib import Path
from typing import get_args

import pytest

from shared.domain.verify import CHECKS, Check, VerifyFailure, VerifyReport
from tests.bench.robustness import is_bad

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


LOST = VerifyFailure(chunk_id=None, page=1, check="unread_page", expected="", actual="")


@pytest.mark.parametrize(
    ("status", "report", "bad"),
    [
        ("ready", None, False),
        ("ready", VerifyReport(chunks=2, verbatim=2), False),
        ("ready", VerifyReport(chunks=2, verbatim=1, failed=1), True),
        ("ready", VerifyReport(chunks=2, verbatim=2, unclaimed_fragments=1), True),
        ("ready", VerifyReport(chunks=2, verbatim=2, failures=[LOST]), True),
        ("ready_with_errors", VerifyReport(chunks=2, verbatim=2, failures=[LOST]), False),
        ("ready_with_errors", VerifyReport(chunks=2, verbatim=1, failed=1, failures=[LOST]), True),
        ("ready_with_errors", VerifyReport(chunks=2, failures=[LOST, LOST.model_copy(update={"check": "page"})]), True),
    ],
)
def test_a_file_whose_proof_fails_is_a_bad_one_of_the_robustness_run(
    status: str, report: VerifyReport | None, bad: bool
) -> None:
    line = {"status": status, "seconds": 1.0, "peak": 1, "proof": report.model_dump() if report else {}}
    assert is_bad(line) is bad
