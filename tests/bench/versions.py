"""Version suggestions: which pairs of development documents are found, which are suggested wrongly.

`python -m tests.bench.versions WORKSPACE [CORPORA]`. Profiles are kept in WORKSPACE; delete it to make them anew. Each
pair is scored twice: as it is, and with the file names withheld, as if everything were called `scan.pdf`.
"""

import argparse
import json
import os
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from shared.domain.version_profile import (
    HEADINGS,
    METHOD,
    THRESHOLD,
    VersionParts,
    VersionProfile,
    compare,
    make_profile,
    score_of,
)
from shared.readers.pdf.document import open_pdf
from tests.bench.headings import draft_of
from tests.bench.versions_made import make_pdfs

FOLDERS = (
    "regs-owasp-asvs",
    "qa-sec10q-docugami/docs",
    "qa-northwind-azure",
    "pdf-ntsb-nih-docugami",
    "qa-uda/docs",
)
COMPANIES = ("AAPL", "AMZN", "NVDA")


class Pair(NamedTuple):
    """Two documents, whether they are versions of one, and how they score."""

    score: float
    parts: VersionParts
    right: bool
    names: tuple[str, str]


def group_of(path: Path) -> str:
    """What a development file is a version of; itself where it has no other version."""
    company = next((c for c in COMPANIES if path.stem.endswith(c)), None)
    if company:
        return company
    return (
        path.stem.replace("3.0.1", "").replace("4.0.3", "").replace("5.0.0", "") if "asvs" in path.stem else path.stem
    )


def profile_of(path: Path) -> VersionProfile:
    """As the publish stage makes it."""
    with open_pdf(path) as source:
        draft, title = draft_of(source), source.title
    first = [
        c for c in draft.chunks if c.chunk_type == "heading" and any(b.kind == "page" and b.page == 1 for b in c.boxes)
    ]
    return make_profile(
        path.name,
        title,
        [c.content for c in first[:HEADINGS]],
        [s.address_key for s in draft.sections if s.address_key and not s.captioned],
        [s.title for s in draft.sections if not s.captioned],
        (c.content for c in draft.chunks if c.chunk_type != "table"),
    )


def profiles(workspace: Path, files: Iterable[tuple[Path, str]]) -> Iterator[tuple[VersionProfile, str]]:
    for path, group in files:
        kept = workspace / f"{path.stem}.{METHOD}.json"
        if not kept.exists():
            kept.write_text(profile_of(path).model_dump_json(), encoding="utf-8")
        yield VersionProfile.model_validate_json(kept.read_text(encoding="utf-8")), group


def pairs_of(known: list[tuple[VersionProfile, str]]) -> list[Pair]:
    made = ((compare(a, b), ga == gb, (a.name, b.name)) for (a, ga), (b, gb) in combinations(known, 2))
    pairs = (Pair(score_of(parts), parts, right, names) for parts, right, names in made)
    return sorted(pairs, key=lambda pair: (-pair.score, pair.names))


def report(title: str, pairs: list[Pair], shown: int) -> dict[str, float]:
    suggested = [p for p in pairs if p.score >= THRESHOLD]
    right = sum(p.right for p in pairs)
    found = sum(p.right for p in suggested)
    print(f"\n{title}: {len(pairs)} pairs, {right} right; {len(suggested)} suggested, {found} of them right")
    print(f"precision {found / max(1, len(suggested)):.3f}, recall {found / max(1, right):.3f}, threshold {THRESHOLD}")
    lowest = [p for p in pairs if p.right][-shown:]
    print("lowest right pairs")
    _table(lowest)
    print("highest wrong pairs")
    _table([p for p in pairs if not p.right][:shown])
    return {"precision": found / max(1, len(suggested)), "recall": found / max(1, right)}


def _table(pairs: Iterable[Pair]) -> None:
    for pair in pairs:
        parts = " ".join("   –" if v is None else f"{v:4.2f}" for v in pair.parts.model_dump().values())
        print(f"  {pair.score:.3f}  {parts}  {pair.names[0]} | {pair.names[1]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument(
        "corpora", nargs="?", type=Path, default=Path(os.environ.get("AUTRI_CORPORA", "../shared/corpora"))
    )
    parser.add_argument("--shown", type=int, default=12)
    arguments = parser.parse_args()
    arguments.workspace.mkdir(parents=True, exist_ok=True)
    files = [(p, group_of(p)) for f in FOLDERS for p in sorted((arguments.corpora / f).rglob("*.pdf"))]
    files += make_pdfs(arguments.corpora, arguments.workspace / "made")
    known = list(profiles(arguments.workspace, files))
    nameless = [(p.model_copy(update={"name": "scan.pdf"}), group) for p, group in known]
    results = {
        "as they are": report("names as they are", pairs_of(known), arguments.shown),
        "names withheld": report("names withheld", pairs_of(nameless), arguments.shown),
    }
    print(json.dumps(results))


if __name__ == "__main__":
    main()
