"""Which section of one version is which of the other: ours against the controls' own ids.

`python -m tests.bench.diff_alignment --models FOLDER [CORPORA]`. SP 800-53 kept its controls' ids from revision 4 to 5
while it rewrote their texts; revision 5 is here as its high baseline. The ids are the gold and are not shown: the
numbers are withheld, or dealt out anew so that every number is another control's, and the titles are there or not.
"""

import argparse
import json
import os
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from shared.adapters.local.embedder import load_embedder
from shared.library.diff import SURE_SECTION
from shared.library.diff_align import AlignedPassage, Aligner, Matrix
from shared.library.diff_words import words

FILES = ("rev4_catalog-min.json", "NIST_SP-800-53_rev5_HIGH-baseline-resolved-profile_catalog-min.json")
SEED = 11


class Control(NamedTuple):
    key: str
    title: str
    parent: str
    text: str


def controls(node: Any, parent: str = "") -> Iterator[Control]:
    """Controls and enhancements with their statements and guidance; withdrawn ones have none."""
    for control in node.get("controls", []):
        text = " ".join(_prose(control.get("parts", [])))
        if text:
            yield Control(control["id"], control["title"].lower(), parent, re.sub(r"\{\{.*?\}\}", "defined", text))
        yield from controls(control, control["title"].lower())


def _prose(parts: list[dict[str, Any]]) -> Iterator[str]:
    for part in parts:
        if part["name"] in ("statement", "item", "guidance"):
            yield from filter(None, [part.get("prose")])
            yield from _prose(part.get("parts", []))


def read(path: Path) -> list[Control]:
    groups = json.loads(path.read_text("utf-8"))["catalog"]["groups"]
    return [control for group in groups for control in controls(group)]


def passages(
    side: list[Control], vectors: list[Matrix] | None, numbers: list[str], titles: bool
) -> list[AlignedPassage]:  # fmt: skip
    made: list[AlignedPassage] = []
    for n, control in enumerate(side):
        tokens = [word.lower() for word in words(control.text)]
        vector = None if vectors is None else vectors[n]
        title, parent = (control.title, control.parent) if titles else ("", "")
        made.append(AlignedPassage(tokens, vector, numbers[n], title, parent, " ".join(tokens)))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, nargs="?", default=os.environ.get("AUTRI_CORPORA", "../shared/corpora"))
    parser.add_argument("--models", type=Path, required=True, help="where the model file is kept")
    options = parser.parse_args()
    sides = [read(Path(options.corpora) / "regs-nist-md-oscal/sp800-53" / name) for name in FILES]
    common = {c.key for c in sides[0]} & {c.key for c in sides[1]}
    print(f"{len(sides[0])} and {len(sides[1])} controls, {len(common)} in both")
    embedder = load_embedder(options.models)
    vectors = [list(embedder.embed_passages([c.text for c in side])) for side in sides]
    keys = [[c.key for c in side] for side in sides]
    dealt = random.Random(SEED).sample(keys[1], len(keys[1]))
    for numbering, numbers in (("none", [[""] * len(k) for k in keys]), ("dealt anew", [keys[0], dealt])):
        for titles in (True, False):
            for used in (vectors, [None, None]):
                started = time.perf_counter()
                left, right = (passages(*row, titles) for row in zip(sides, used, numbers, strict=True))
                found = Aligner(left, right, SURE_SECTION).align()
                right = sum(keys[0][m.a] == keys[1][m.b] for m in found)
                print(
                    f"numbers {numbering:<11} titles {titles!s:<6} vectors {used[0] is not None!s:<6}"
                    f"precision {right / len(found):.3f} recall {right / len(common):.3f}"
                    f" of {len(found)} in {time.perf_counter() - started:.1f} s"
                )


if __name__ == "__main__":
    main()
