"""`python -m tests.bench.summaries [--corpora FOLDER] [--chunks FILE]`: experiment summaries against gold made by hand.

Ingests the documents of summaries_gold.toml with the CLI into a folder of its own, summarizes each by the rules,
and prints per field how many of the gold's sentences are stated (recall), how many statements are sentences of the gold
(precision), and the same of values and of cells of result tables; apart for each set of documents, and whether
confidence tells right fields from wrong ones. `--sets seen,later` leaves the others alone. `--chunks` takes what `autri
chunks --json` printed instead; `--write` writes docs/benchmarks/summaries.md.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

from shared.domain.experiments import FIELDS, ResultCell, SummaryBody, SummaryStatement
from shared.domain.knowledge import Chunk
from shared.lab.summaries.confidence import confidence_of
from shared.lab.summaries.extracting import extract
from shared.values.numbers import Style, parse_number
from shared.values.units import whole_unit

GOLD: Final = Path(__file__).with_name("summaries_gold.toml")
CORPORA: Final = Path(os.environ.get("AUTRI_CORPORA", "../../shared/corpora"))
STEPS: Final = (0.0, 0.4, 0.6, 0.8, 1.01)
HEAD: Final = "| field | sentences: recall | precision | values: recall | precision |"
PAGE: Final = Path("docs/benchmarks/summaries.md")
# By the gold's `set`.
SETS: Final = {
    "seen": "Looked at while the first rules were made",
    "unseen": "Not looked at, then and later",
    "later": "Chosen later, looked at",
    "held": "Chosen later, measured once, then looked at",
    "fresh": "Chosen last, not looked at",
    "new": "Of two further fields",
    "left": "Chosen for the rules of 0207, not looked at while they were made",
}


class Count(NamedTuple):
    """Of gold items `found` of `wanted`; of what was said `right` of `said`."""

    found: int = 0
    wanted: int = 0
    right: int = 0
    said: int = 0

    def plus(self, other: "Count") -> "Count":
        return Count(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def shown(self) -> str:
        recall = f"{self.found / self.wanted:.2f} ({self.found}/{self.wanted})" if self.wanted else "– (0/0)"
        precision = f"{self.right / self.said:.2f} ({self.right}/{self.said})" if self.said else "– (0/0)"
        return f"{recall} | {precision}"


def plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()


def is_same(item: dict[str, Any], statement: SummaryStatement) -> bool:
    """A sentence is the gold's where it has its words, on its page or, of a sentence over a page break, the next. Gold
    of documents without pages names none."""
    near = statement.page is None or abs(statement.page - item.get("p", statement.page)) <= 1
    return near and plain(item["q"]) in plain(statement.text)


def sentences(items: Sequence[dict[str, Any]], statements: Sequence[SummaryStatement]) -> Count:
    must = [item for item in items if not item.get("may")]
    found = sum(any(is_same(item, one) for one in statements) for item in must)
    right = sum(any(is_same(item, one) for item in items) for one in statements)
    return Count(found, len(must), right, len(statements))


def values(items: Sequence[dict[str, Any]], statements: Sequence[SummaryStatement]) -> Count:
    """Of the gold's values those that a statement of the gold's sentence gives; of the values of such statements those
    that the gold names, which names the essential ones alone."""
    count = Count()
    for item in items:
        wanted = [read_value(one) for one in item.get("v", [])]
        told = [v for one in statements if is_same(item, one) for v in one.values]
        found = sum(any(gives(v.quantity.number, v.quantity.unit, w) for v in told) for w in wanted)
        right = sum(any(gives(v.quantity.number, v.quantity.unit, w) for w in wanted) for v in told) if wanted else 0
        count = count.plus(
            Count(found, len(wanted) if not item.get("may") else found, right, len(told) if wanted else 0)
        )
    return count


def read_value(printed: str) -> tuple[float, str | None]:
    number, _, unit = printed.partition(" ")
    scales = {"M": 1e6, "million": 1e6}
    value = parse_number(number, Style.POINT)
    assert value is not None, printed
    known = {"per cent": "%", "seconds": "s", "years": "a"}
    found = whole_unit(known.get(unit, unit)) if unit and unit not in scales else None
    return value * scales.get(unit, 1.0), found.code if found else None


def gives(number: float, unit: str | None, wanted: tuple[float, str | None]) -> bool:
    return abs(number - wanted[0]) <= 1e-9 + 1e-6 * abs(wanted[0]) and (wanted[1] is None or unit == wanted[1])


def cells(wanted: Sequence[Sequence[str]], said: Sequence[ResultCell]) -> Count:
    """A gold's cell is found where one says its number, metric, system and dataset. Of what is said on a system and a
    metric of the gold it is right where it is the number: other cells nobody has looked at."""
    found = right = looked = 0
    for dataset, metric, system, value in wanted:
        number = read_value(value.replace(" %", ""))[0]
        same = [
            c
            for c in said
            if is_named(metric, c.metric) and is_named(system, c.system) and is_named(dataset, c.dataset)
        ]
        hit = [c for c in same if abs(c.quantity.number - number) < 1e-9]
        found += bool(hit)
        by_number = [c for c in said if abs(c.quantity.number - number) < 1e-9 and c.raw.startswith(value.split()[0])]
        looked += len(by_number[:1])
        right += bool(hit and by_number)
    return Count(found, len(wanted), right, looked)


def is_named(wanted: str, said: str) -> bool:
    return plain(wanted) in plain(said)


def chunks_of(corpora: Path, gold: Sequence[dict[str, Any]]) -> dict[str, list[Chunk]]:
    """By file, as the CLI ingests them."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(_path(corpora, one, Path(folder, "articles"))) for one in gold]
        environment = os.environ | {"AUTRI_HOME": f"{folder}/home"}
        run = lambda *words: subprocess.run(  # noqa: E731
            [Path(sys.executable).with_name("autri"), *words, "--json"], env=environment,
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        run("kb", "create", "Papers", "--description", "Experiments")
        lines = [json.loads(line) for line in run("ingest", *paths, "--kb", "Papers").splitlines()]
        names = {line["document_id"]: Path(line["path"]).name for line in lines}
        return by_file(run("chunks", "--kb", "Papers").splitlines(), names)


def _path(corpora: Path, one: dict[str, Any], folder: Path) -> Path:
    """Where the document is; of an article that the corpora have in paragraphs, those in order."""
    if not one["file"].endswith(".txt"):
        return corpora / one["folder"] / one["file"]
    stem = one["file"].removesuffix(".txt")
    parts = (corpora / one["folder"]).glob(f"*/text/{stem}-*.txt")
    texts = [part.read_text() for part in sorted(parts, key=lambda part: int(part.stem.rsplit("-", 1)[1]))]
    folder.mkdir(exist_ok=True)
    made = folder / one["file"]
    made.write_text("\n\n".join(text.strip() for text in texts) + "\n")
    return made


def by_file(lines: Iterable[str], names: dict[str, str]) -> dict[str, list[Chunk]]:
    found = defaultdict[str, list[Chunk]](list)
    for line in lines:
        chunk = Chunk.model_validate(json.loads(line))
        found[names[str(chunk.document_id)]].append(chunk)
    return found


def measure(gold: Sequence[dict[str, Any]], bodies: dict[str, SummaryBody]) -> list[str]:
    """The tables of the page, as lines of Markdown."""
    lines = list[str]()
    for name, title in SETS.items():
        some = [one for one in gold if set_of(one) == name]
        if some:
            lines += [f"## {title}: {len(some)} documents", "", *_measure(some, bodies), ""]
    return [*lines, *calibration(gold, bodies)]


def set_of(one: dict[str, Any]) -> str:
    return one.get("set", "seen")


def _measure(some: Sequence[dict[str, Any]], bodies: dict[str, SummaryBody]) -> list[str]:
    lines = [HEAD, "| --- | --- | --- | --- | --- |"]
    total, valued, table = Count(), Count(), Count()
    missing = Counter[str]()
    for field in FIELDS:
        told, given = Count(), Count()
        for one in some:
            # Of some documents only the tables were read for the gold.
            if field not in one:
                continue
            said = stated(bodies[one["file"]], field)
            told = told.plus(sentences(one[field], said))
            given = given.plus(values(one[field], said))
            if field in one.get("missing", []):
                missing["right" if not said else "wrong"] += 1
        lines.append(f"| {field} | {told.shown} | {given.shown} |")
        total, valued = total.plus(told), valued.plus(given)
    for one in some:
        table = table.plus(cells(one["cells"], bodies[one["file"]].cells))
    return [
        *lines,
        f"| **all** | {total.shown} | {valued.shown} |",
        "",
        f"Cells of result tables, recall and precision of those looked at: {table.shown.replace(' | ', ', ')}.",
        f"Fields that the document says nothing of: {missing['right']} of {missing.total()} are missing.",
    ]


def stated(body: SummaryBody, field: str) -> list[SummaryStatement]:
    return [one for one in body.statements if one.field == field]


def calibration(gold: Sequence[dict[str, Any]], bodies: dict[str, SummaryBody]) -> list[str]:
    """Of fields by their confidence: which share of the statements is right and of the gold is found. `in order`: of
    two fields whose shares of right statements differ, how often the surer one is the righter; .5 is no better than
    chance."""
    fields = list[tuple[float, Count]]()
    for one in gold:
        for field in FIELDS:
            said = stated(bodies[one["file"]], field)
            if field in one and said:
                fields.append((confidence_of(said).value, sentences(one[field], said)))
    lines = [
        "## Confidence",
        "",
        "| confidence | fields | sentences: recall | precision |",
        "| --- | --- | --- | --- |",
    ]
    for low, high in pairwise(STEPS):
        told = [count for value, count in fields if low <= value < high]
        total = Count()
        for count in told:
            total = total.plus(count)
        lines.append(f"| {low:.2f} to {min(high, 1):.2f} | {len(told)} | {total.shown} |")
    ordered = [
        0.5 if a == b else float(a > b)
        for a, right in fields
        for b, other in fields
        if right.right / right.said > other.right / other.said
    ]
    share = sum(ordered) / len(ordered) if ordered else 0.0
    return [*lines, "", f"Of pairs of fields in order: {share:.2f} of {len(ordered)}."]


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--corpora", type=Path, default=CORPORA)
    reader.add_argument("--chunks", type=Path)
    reader.add_argument("--names", type=Path)
    reader.add_argument("--show", default="")
    reader.add_argument("--sets", default=",".join(SETS), help="what is measured, by the gold's `set`")
    reader.add_argument("--write", action="store_true")
    wish = reader.parse_args()
    gold = [one for one in tomllib.loads(GOLD.read_text())["document"] if set_of(one) in wish.sets.split(",")]
    if wish.chunks:
        names = {
            line["document_id"]: Path(line["path"]).name
            for line in map(json.loads, wish.names.read_text().splitlines())
            if "path" in line
        }
        read = by_file(wish.chunks.read_text().splitlines(), names)
    else:
        read = chunks_of(wish.corpora, gold)
    bodies = {one["file"]: extract(read[one["file"]]) for one in gold}
    for one in gold:
        if wish.show and wish.show in one["file"]:
            show(one, bodies[one["file"]])
    lines = measure(gold, bodies)
    print("\n".join(lines))
    if wish.write:
        head = PAGE.read_text().partition("<!-- figures -->")[0]
        PAGE.write_text(head + "<!-- figures -->\n\n" + "\n".join(lines) + "\n")


def show(gold: dict[str, Any], body: SummaryBody) -> None:
    for field in FIELDS:
        print(f"\n=== {field}")
        said = stated(body, field)
        for one in said:
            mark = "+" if any(is_same(item, one) for item in gold.get(field, [])) else "-"
            print(
                f" {mark} p{one.page} [{one.section[:20]}] {','.join(one.found_by)} | {one.text[:170]}",
                [v.raw for v in one.values],
            )
        for item in gold.get(field, []):
            if not item.get("may") and not any(is_same(item, one) for one in said):
                print(f"   MISSED p{item.get('p', '')} {item['q']}")
    for row in gold["cells"]:
        print(" cell", row, cells([row], body.cells))
    for cell in body.cells[:40]:
        print("   ", (cell.dataset, cell.metric, cell.system, cell.raw))


if __name__ == "__main__":
    main()
