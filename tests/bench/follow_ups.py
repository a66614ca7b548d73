"""What follow-ups find: `python -m tests.bench.follow_ups WORKSPACE`, with northwind in it.

Printed for the questions of `follow_ups_documents.toml` on Northwind that follow upon another: of the first five
passages for the question as a person would write it out, the share that is found by what was typed, and by how it is
asked.
"""

import sys
import tomllib
from pathlib import Path
from uuid import UUID

from shared.answering.threads.ellipsis import stand_alone
from tests.bench.retrieval import hits
from tests.bench.retrieval_data import Workspace, open_workspace

PAIRS = Path(__file__).with_name("follow_ups_documents.toml")
PASSAGES = 5


def main(home: Path) -> None:
    pairs = [one for one in tomllib.loads(PAIRS.read_text())["follow_up"] if one["set"] == "northwind"]
    pairs = [one for one in pairs if "asked" in one]
    typed, asked = list[float](), list[float]()
    with open_workspace(home) as workspace:
        base, _ = workspace.knowledge_base("northwind")
        for one in pairs:
            wanted = _found(workspace, base, one["asked"])
            made = stand_alone(one["typed"], [one["before"]]) or one["typed"]
            typed.append(len(wanted & _found(workspace, base, one["typed"])) / PASSAGES)
            asked.append(len(wanted & _found(workspace, base, made)) / PASSAGES)
            print(f"{typed[-1]:.1f} {asked[-1]:.1f} {one['typed']} | {made}", flush=True)
    print(f"{len(pairs)} follow-ups: {sum(typed) / len(pairs):.2f} as typed, {sum(asked) / len(pairs):.2f} as asked")


def _found(workspace: Workspace, base: UUID, question: str) -> set[UUID]:
    return {hit.chunk.id for hit in hits(workspace, base, question, "hybrid", PASSAGES)}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
