"""Typed attributes against gold, through the real reader: MeasEval's paragraphs, EPA's vehicles, the sample's prices.

`python -m tests.bench.attributes [CORPORA] [--only measeval|vehicles|prices] [--wrong]`. The paragraphs and the
vehicles are set as PDFs here; precision and recall are per route. MeasEval's quantities without a unit (`six`,
`7.01`) can not be typed; recall is given with and without them.
"""

import argparse
import csv
import gzip
import html
import json
import os
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pymupdf

from samples.pricelist import PriceList
from shared.domain.attributes import Attribute
from shared.domain.draft import DocumentDraft
from shared.extraction.assemble import assemble
from shared.extraction.attributes.document import AttributePass
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page

SPLITS: Final = ("trial", "train", "eval")
SEED: Final = 20261122
NUMERIC: Final = frozenset({"id", "year", "cyl", "displ", "hwy", "cty"})
SPELLED: Final = "one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
SAMPLES: Final = Path(__file__).parents[2] / "samples"
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:\s?[×x]\s?10[-−]\d+)?")


class Gold(NamedTuple):
    """A quantity as annotated."""

    text: str
    unit: str


def draft_of(path: Path) -> DocumentDraft:
    """The document with its attributes, as finalize makes it."""
    with open_pdf(path) as source:
        pages = [source.read_page(n) for n in range(1, source.page_count + 1)]
        profile = build_profile([sketch_page(page) for page in pages], source.outline)
    attributes = AttributePass()
    draft = assemble(attributes.watch((page, extract_page(page, profile)) for page in pages))
    attributes.attach(draft)
    return draft


def rates(right: int, found: int, gold: int) -> dict[str, Any]:
    return {
        "found": found, "right": right, "gold": gold,
        "precision": round(right / found, 4) if found else None, "recall": round(right / gold, 4) if gold else None,
    }  # fmt: skip


def measure_measeval(corpora: Path, show: bool) -> dict[str, Any]:
    """Quantities in running text. Right: it lies in an annotated one, with its number and its unit."""
    result: dict[str, Any] = {}
    for split in SPLITS:
        folder = corpora / "attrs-measeval" / split
        names = sorted(path.stem for path in (folder / "tsv").glob("*.tsv"))
        texts = [(folder / "text" / f"{name}.txt").read_text(encoding="utf-8") for name in names]
        golds = [list(quantities(folder / "tsv" / f"{name}.tsv")) for name in names]
        others = [_other_spans(folder / "tsv" / f"{name}.tsv") for name in names]
        with tempfile.TemporaryDirectory() as place:
            draft = draft_of(set_paragraphs(texts, Path(place) / "paragraphs.pdf"))
        result[split] = _score_paragraphs(draft, golds, others, show)
    return result


def _other_spans(path: Path) -> str:
    """Everything else that is annotated: quantities that only qualify another one stand in there."""
    with path.open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return "\n".join(_squeezed(row["text"]) for row in rows if row["annotType"] != "Quantity")


def quantities(path: Path) -> Iterator[Gold]:
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["annotType"] == "Quantity":
                yield Gold(row["text"], json.loads(row["other"] or "{}").get("unit", ""))


def set_paragraphs(texts: Sequence[str], path: Path) -> Path:
    """A page for each."""
    with pymupdf.open() as document:
        for text in texts:
            page = document.new_page()
            page.insert_htmlbox(pymupdf.Rect(60, 60, 535, 782), f"<p style='font-size:9pt'>{html.escape(text)}</p>")
        document.save(path)
    return path


def _score_paragraphs(
    draft: DocumentDraft, golds: Sequence[Sequence[Gold]], others: Sequence[str], show: bool
) -> dict[str, Any]:
    left = {page: list(gold) for page, gold in enumerate(golds, 1)}
    used: dict[int, list[Gold]] = {page: [] for page in left}
    counts: Counter[str] = Counter()
    for chunk in draft.chunks:
        page = next(box.page for box in chunk.boxes if box.kind == "page")
        for attribute in chunk.attributes:
            if attribute.quantity is None or attribute.quantity.unit is None or attribute.name == "money":
                continue
            verdict, gold = _judge(attribute, left[page], used[page], others[page - 1])
            counts[verdict] += 1
            if show and verdict not in ("right", "listed"):
                at = chunk.content.find(attribute.raw)
                around = chunk.content[max(0, at - 40) : at + 60]
                print(f"{verdict}: {attribute.raw!r} {attribute.quantity.unit} gold {gold!r} in {around!r}")
    missed = [gold for rest in left.values() for gold in rest]
    if show:
        print("missed:", [gold for gold in missed if gold.unit][:400])
    found = counts.total()
    counts["right in all"] = counts["right"] + counts["listed"]
    with_unit = [gold for page in golds for gold in page if gold.unit]
    hit = sum(map(len, used.values())) - counts["unit"] - counts["number"]
    return {
        "precision": round(counts["right in all"] / found, 4),
        "precision where annotated": round(
            counts["right in all"] / (found - counts["not annotated"] - counts["in a qualifier"]), 4
        ),
        "recall with a unit": round(hit / len(with_unit), 4),
        "recall": round(hit / sum(map(len, golds)), 4),
        "found": found,
        "verdicts": dict(counts),
    }


def _judge(attribute: Attribute, left: list[Gold], used: list[Gold], other: str) -> tuple[str, str]:
    quantity, own = attribute.quantity, _squeezed(attribute.raw)
    assert quantity is not None
    inside = [g for g in left if own.lstrip("<>~≤≥") in _squeezed(g.text) or _squeezed(g.text) in own]
    same = [g for g in inside if _numbers(g.text) & _numbers(attribute.raw)]
    for gold in same[:1]:
        left.remove(gold)
        used.append(gold)
        if not own.endswith(_squeezed(gold.unit)):
            return "unit", gold.text
        return ("right" if quantity.number in _numbers(gold.text) else "number"), gold.text
    listed = next((g for g in used if own in _squeezed(g.text)), None)
    if listed:
        return "listed", listed.text
    return ("in a qualifier" if own in other else "not annotated"), ""


def _squeezed(text: str) -> str:
    for sign in "∼˜":
        text = text.replace(sign, "~")
    return re.sub(r"\s", "", text).lower()


def _numbers(text: str) -> set[float]:
    found = {float(at) for at, word in enumerate(SPELLED, 1) if re.search(rf"\b{word}\b", text.lower())}
    for match in _NUMBER.findall(text):
        plain = re.sub(r"\s?[×x]\s?10", "e", match).replace("−", "-").replace(",", "")
        found |= {float(plain), -float(plain)} if plain.count(".") < 2 else set()
    return found


def measure_vehicles(corpora: Path, show: bool, rows: int = 400) -> dict[str, Any]:
    """Cells of tables. Right: the header's name, the number or the text of the record."""
    with gzip.open(corpora / "attrs-fueleconomy" / "vehicles.csv.gz", "rt", encoding="utf-8") as file:
        records = random.Random(SEED).sample(list(csv.DictReader(file)), rows)
    for record in records:
        for name, value in record.items():
            shown = re.sub(r"^(\d+)\.0$", r"\1", value) if name != "displ" else value
            record[name] = " ".join(shown.split())
    with tempfile.TemporaryDirectory() as place:
        draft = draft_of(_set_table(records, Path(place) / "vehicles.pdf"))
    found = {
        chunk.attributes[0].raw: chunk.attributes
        for chunk in draft.chunks
        if chunk.chunk_type == "table_row" and chunk.attributes
    }
    return score_records(
        [
            (found.get(record["id"], []), {n: typed(n, v) for n, v in record.items() if v not in ("", "NA")})
            for record in records
        ],
        show,
    )


def typed(name: str, text: str) -> float | str:
    return float(text) if name in NUMERIC else text


def score_records(pairs: Iterable[tuple[Sequence[Attribute], dict[str, Any]]], show: bool) -> dict[str, Any]:
    """Attributes of a record against its names and values (a value may be (number, unit)), per type of value."""
    right: Counter[str] = Counter()
    found: Counter[str] = Counter()
    gold: Counter[str] = Counter()
    for attributes, record in pairs:
        gold.update("text" if isinstance(value, str) else "number" for value in record.values())
        seen: Counter[str] = Counter()
        for one in attributes:
            kind = "number" if one.quantity else "text"
            unit = one.quantity.unit if one.quantity else None
            name = f"{one.name} {seen[one.name]}" if seen[one.name] else one.name
            seen[one.name] += 1
            is_right = record.get(name) in (one.value, (one.value, unit))
            found[kind] += 1
            right[kind] += is_right
            if show and not is_right:
                print(f"wrong: {name} = {one.value!r} {unit}, is {record.get(name)!r}")
    return {kind: rates(right[kind], found[kind], gold[kind]) for kind in sorted(gold)} | {
        "all": rates(right.total(), found.total(), gold.total())
    }


def _set_table(records: Sequence[dict[str, str]], path: Path) -> Path:
    """Thirty rows a page, the header once on each."""
    names = list(records[0])
    step = [0.0, 40, 105, 225, 255, 375, 460, 590, 615, 650, 715, 745]
    with pymupdf.open() as document:
        for first in range(0, len(records), 30):
            page = document.new_page(width=842, height=595)
            rows = [{name: name for name in names}, *records[first : first + 30]]
            for line, record in enumerate(rows):
                for name, x in zip(names, step, strict=True):
                    font = "hebo" if line == 0 else "helv"
                    text = record[name] if record[name] != "NA" else ""
                    if text:
                        page.insert_text((36 + x, 50 + 16 * line), text, fontsize=8, fontname=font)
            page.draw_line((36, 54), (800, 54))
        document.save(path)
    return path


def measure_prices(_: Path, show: bool) -> dict[str, Any]:
    """The sample's price list against the data that it was set from: the cells of its products, and the labelled lines
    of the machines on its first page."""
    prices = PriceList()
    draft = draft_of(SAMPLES / prices.data["file"])
    rows = {c.attributes[0].raw: c.attributes for c in draft.chunks if c.chunk_type == "table_row" and c.attributes}
    cells = [(rows.get(row[0], []), dict(_printed(row))) for row in prices.rows]
    forms = [[a for a in c.attributes if a.route == "label"] for c in draft.chunks]
    lines = [dict(line.split(": ", 1) for line in featured["lines"]) for featured in prices.data["featured"]]
    pairs = [(found, _specified(line)) for found, line in zip([f for f in forms if f], lines, strict=True)]
    return {"table": score_records(cells, show), "label": score_records(pairs, show)}


def _printed(row: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """A product's record: what its cells say, in the units of their headers."""
    units = {
        "hp": "[HP]",
        "kw": "kW",
        "cfm": "[cft_i]/min",
        "psi": "[psi]",
        "bar": "bar",
        "db_a": "dB{A}",
        "price": "EUR",
    }
    names = ["model", "type", "lubrication", *units, "lead_time"]
    for name, text in zip(names, row, strict=True):
        weeks = re.fullmatch(r"(\d+) weeks?", text)
        if name in units:
            yield name, (float(text.replace(",", "")), units[name])
        else:
            yield name, (float(weeks[1]), "wk") if weeks else text


def _specified(lines: dict[str, str]) -> dict[str, Any]:
    """A featured machine's record; of `10 hp (7.5 kW)` both values."""
    units = {"hp": "[HP]", "kW": "kW", "SCFM": "[cft_i]{standard}/min", "psi": "[psi]", "bar": "bar", "dB(A)": "dB{A}"}
    units |= {"weeks": "wk", "EUR": "EUR"}
    record: dict[str, Any] = {}
    for label, text in lines.items():
        name = label.lower().replace(". ", "_").replace(" ", "_")
        found = re.findall(r"(EUR) ([\d,]+)|([\d.]+) (hp|kW|SCFM|psi|bar|dB\(A\)|weeks)", text)
        values = [(float((b or c).replace(",", "")), units[a or d]) for a, b, c, d in found]
        record |= {(name if at == 0 else f"{name} {at}"): value for at, value in enumerate(values)} or {name: text}
    return record


BENCHES: Final[dict[str, Callable[[Path, bool], dict[str, Any]]]] = {
    "measeval": measure_measeval,
    "vehicles": measure_vehicles,
    "prices": measure_prices,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("AUTRI_CORPORA", Path(__file__).parents[3] / "shared" / "corpora")
    parser.add_argument("corpora", nargs="?", type=Path, default=Path(default))
    parser.add_argument("--only", choices=sorted(BENCHES))
    parser.add_argument("--wrong", action="store_true", help="print what is wrong or missed")
    asked = parser.parse_args()
    chosen = [asked.only] if asked.only else list(BENCHES)
    print(json.dumps({name: BENCHES[name](asked.corpora, asked.wrong) for name in chosen}, indent=2))


if __name__ == "__main__":
    main()
