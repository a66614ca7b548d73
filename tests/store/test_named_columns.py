"""Where a value of a part is asked for, the row that is named as the value and the column that is named as the part."""

from uuid import UUID

import pytest

from shared.answering.service import ask
from shared.domain.scope import Identity
from shared.retrieval.requests import AskRequest
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, upload

REPORT = """# Northfield report

## Income

| | 2024 | 2023 |
| --- | --- | --- |
| Revenue | $ 3,624 | $ 2,625 |
| Cost of revenue | $ 1,102 | $ 1,001 |
| Operating income | $ 410 | $ 388 |

## Results by segment

| | Graphics | Networks | All other |
| --- | --- | --- | --- |
| Revenue | $ 1,200 | $ 2,300 | $ 124 |
| Operating income | $ 210 | $ 188 | $ 12 |

## Regions

| | Revenue | Operating income |
| --- | --- | --- |
| Coast | $ 900 | $ 31 |
| Inland | $ 2,724 | $ 379 |
"""


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    base = make_knowledge_base(runtime, identity, "named columns")
    run_all(runtime, upload(runtime, identity, base, REPORT.encode(), "report.md"))
    return base


@pytest.mark.parametrize(
    ("question", "row", "value"),
    [
        ("What was the revenue of the Graphics segment?", "Revenue | $ 1,200 | $ 2,300 | $ 124", "$ 1,200"),
        ("What was the operating income of the Networks segment?", "Operating income | $ 210 | $ 188 | $ 12", "$ 188"),
        ("How high was the revenue of the Networks segment?", "Revenue | $ 1,200 | $ 2,300 | $ 124", "$ 2,300"),
        ("What was the operating income of Inland?", "Inland | $ 2,724 | $ 379", "$ 379"),
        ("What was the revenue of Coast?", "Coast | $ 900 | $ 31", "$ 900"),
    ],
)
def test_the_cell_where_both_meet_answers_first(
    runtime: Runtime, identity: Identity, base: UUID, question: str, row: str, value: str
) -> None:
    found = ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base]))
    assert found.sentences[0].text == row, [one.text for one in found.sentences]
    assert [cell.value for cell in found.sentences[0].cells if cell.answers] == [value]
