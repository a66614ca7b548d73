"""What the rules for follow-ups make of conversations: `python -m tests.bench.conversations [dev|held] [WORKSPACE]`.

Printed for each conversation of `conversations.toml` that is not as its gold, and the shares, by kind: of the last
turns that follow, those asked exactly as a person would write them out, those left as typed and those asked otherwise;
of those to be left (a change of topic, chat, what may mean several things), those left. With a workspace that has
`rules` and `northwind`, also the share of the last turns whose first passage by their gold is among the first three by
how they are asked, and by what was typed.
"""

import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from shared.answering.threads.ellipsis import may_follow, stand_alone
from tests.bench.retrieval import hits
from tests.bench.retrieval_data import Workspace, open_workspace

CONVERSATIONS: Final = Path(__file__).with_name("conversations.toml")
PASSAGES: Final = 3


def conversations(held: bool) -> list[dict[str, Any]]:
    """Those that were left out, or the others."""
    found = tomllib.loads(CONVERSATIONS.read_text(encoding="utf-8"))["conversation"]
    return [one for one in found if one.get("held", False) is held]


def last_asked(turns: list[str]) -> str | None:
    """How the last turn is asked, each after those before as they were asked; None: as it was typed."""
    former, made = list[str](), None
    for turn in turns:
        made = stand_alone(turn, former) if former and may_follow(turn) else None
        former.append(made or turn)
    return made


def main(half: str, home: Path | None) -> None:
    cases = conversations(half == "held")
    told = Counter[str]()
    for one in cases:
        made = last_asked(one["turns"])
        kind = "follows" if "asked" in one else one["kind"]
        outcome = "right" if made == one.get("asked") else "left" if made is None else "otherwise"
        told[f"{kind}: {outcome}"] += 1
        if outcome != "right":
            print(f"{outcome}: {' | '.join(one['turns'])} -> {made} ({one.get('asked')})")
    print(", ".join(f"{what} {count}" for what, count in sorted(told.items())))
    if home is not None:
        with open_workspace(home) as workspace:
            _retrieved(workspace, [one for one in cases if "asked" in one])


def _retrieved(workspace: Workspace, cases: list[dict[str, Any]]) -> None:
    typed = asked = 0
    for one in cases:
        base, _ = workspace.knowledge_base(one["set"])
        wanted = hits(workspace, base, one["asked"], "hybrid", 1)[0].chunk.id
        last = one["turns"][-1]
        typed += wanted in _found(workspace, base, last)
        asked += wanted in _found(workspace, base, last_asked(one["turns"]) or last)
    print(f"{len(cases)} follow: the right passage for {typed} as typed, for {asked} as asked")


def _found(workspace: Workspace, base: UUID, question: str) -> set[UUID]:
    return {hit.chunk.id for hit in hits(workspace, base, question, "hybrid", PASSAGES)}


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else None)
