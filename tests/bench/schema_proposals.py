"""Proposed schemas against schemas that people made: `python -m tests.bench.schema_proposals CORPORA [--only NAME]`.

Three collections to develop with: EPA's vehicles (one .csv), price lists of compressors as six makers would head them
(made here), and ten quarterly reports (PDF). Four to report with: `apart`, two further reports and three annual ones by
the same gold; accidents (forms of one kind), messages, and chapters that have no attribute. `schema_gold.toml` was
written before the proposal was run on any of them. Right is a
recommended attribute whose printed names are of one attribute of the gold and of no other. Recall is of those
attributes of the gold that occur, that is, one of whose names was read at all; `whole` has all names that occur merged.
"""

import argparse
import csv
import gzip
import io
import json
import random
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from shared.contract import OUTCOME_RUN, STAGES
from shared.domain.draft import DocumentDraft
from shared.domain.proposals import Proposal, Proposed
from shared.domain.scope import Identity, Scope
from shared.library.curation.proposal import propose
from shared.runtime import Runtime
from shared.store.draft import commit_draft
from shared.values.measures import read_measure
from tests.bench.attributes import draft_of
from tests.bench.facets import own_runtime
from tests.pipeline import run_stage, shards, upload
from tests.store.seeding import Passage, add_base, add_document

GOLD: Final = Path(__file__).with_name("schema_gold.toml")
SEED: Final = 14
ROWS: Final = 24
VEHICLES: Final = 1500
# What six makers print above the same columns; some are of no interest to a buyer, and nobody declares them.
MAKERS: Final[dict[str, str]] = {
    "atlas": "Model|HP|CFM|Max. pressure (psi)|Lubrication|Weight (lb)|Noise (dB)|List price (USD)|Length (in)",
    "boreal": "Type designation|Rated power [kW]|Free air delivery [m³/min]|Max. working pressure [bar]|"
    "Lubrication type|Net weight [kg]|Sound pressure level [dB]|Price ex works (EUR)|Connection",
    "ciro": "Model No|Horsepower|Capacity (cfm)|Maximum pressure (psig)|Lube|Wt. (lbs)|Sound level (dB)|Price|Tank (L)",
    "delta": "Unit model|Motor power (hp)|FAD (l/s)|Pressure max. (bar)|Lubrication|Mass (kg)|Noise level (dB)|"
    "List (EUR)|Receiver volume (L)|Supply voltage (V)",
    "ebro": "Model|Power (kW)|Air flow (m³/h)|Max. pressure (bar)|Compressor type|Weight (kg)|Noise (dB)|Price (EUR)|"
    "Voltage (V)|Colour",
    "fells": "Model|kW|Flow (m³/min)|Max. pressure (bar)|Lubrication|Weight (kg)|List price (EUR)|Receiver (L)|Remarks",
}
WORDS: Final = {
    "lub": ("Oilless", "Oil-flooded", "Water-injected"), "compressor type": ("Oilless", "Oil-flooded"),
    "connection": ("G 1/2", "G 3/4", "G 1"), "colour": ("blue", "grey"), "remarks": ("new", "while stocks last", "-"),
}  # fmt: skip
SPANS: Final = {
    "power": (3, 55), "hp": (4, 75), "horse": (4, 75), "kw": (3, 55), "cfm": (10, 300), "flow": (20, 500),
    "fad": (5, 140), "free": (1, 9), "capacity": (10, 300), "pressure": (7, 13), "psi": (100, 190),
    "weight": (60, 900), "wt": (130, 1900), "mass": (60, 900), "noise": (60, 78), "sound": (60, 78),
    "price": (2000, 60000), "list": (2000, 60000), "tank": (50, 900), "receiver": (50, 900), "length": (30, 90),
}  # fmt: skip


def price_list(maker: str) -> bytes:
    rng = random.Random(f"{SEED} {maker}")
    columns = MAKERS[maker].split("|")
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_value(rng, column.lower(), maker, at) for column in columns] for at in range(ROWS))
    return text.getvalue().encode()


def _value(rng: random.Random, column: str, maker: str, at: int) -> str:
    if "model" in column or "designation" in column:
        return f"{maker[:2].upper()}-{at + 7}{rng.choice('ABX')}"
    if "voltage" in column:
        return rng.choice(("230", "400"))
    texts = next((texts for word, texts in WORDS.items() if word in column), None)
    if texts:
        return rng.choice(texts)
    most = max((word for word in SPANS if word in column), key=len)
    low, high = SPANS["psi" if "psi" in column else most]
    return f"{rng.uniform(low, high):.0f}" if high > 20 else f"{rng.uniform(low, high):.1f}"


def store_file(runtime: Runtime, identity: Identity, scope: Scope, name: str, data: bytes) -> None:
    """All stages but the last two: a proposal needs no vectors. None of what is refused."""
    answer = run_stage(runtime, STAGES[0].name, upload(runtime, identity, scope.knowledge_base_ids[0], data, name=name))
    for stage in STAGES[1:] if answer["outcome"] == OUTCOME_RUN else ():
        if stage.name not in ("embed", "publish"):
            for work in shards(runtime, answer) if stage.mapped else [answer]:
                run_stage(runtime, stage.name, work)


def store_draft(runtime: Runtime, scope: Scope, name: str, draft: DocumentDraft) -> None:
    document = add_document(runtime, scope, name, [Passage("nothing yet")])
    with runtime.database.transaction(scope) as connection:
        commit_draft(connection, scope, document, draft, name, "bench")


def fill(runtime: Runtime, identity: Identity, scope: Scope, name: str, corpora: Path, documents: int) -> None:
    if name == "vehicles":
        with gzip.open(corpora / "attrs-fueleconomy" / "vehicles.csv.gz", "rt", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        text = io.StringIO()
        csv.writer(text).writerows([rows[0], *rows[1 :: len(rows) // VEHICLES]])
        store_file(runtime, identity, scope, "vehicles.csv", text.getvalue().encode())
    elif name == "compressors":
        for maker in MAKERS:
            store_file(runtime, identity, scope, f"{maker}.csv", price_list(maker))
    else:
        for path in FILES[name](corpora)[:documents]:
            started = time.perf_counter()
            if path.suffix == ".pdf":
                store_draft(runtime, scope, path.name, draft_of(path))
            else:
                store_file(runtime, identity, scope, f"{path.stem}{SUFFIXES[name]}", path.read_bytes())
            print(f"{path.name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)


def _reports(corpora: Path) -> list[Path]:
    return sorted((corpora / "qa-sec10q-docugami" / "docs").glob("*.pdf"))


# The files of each collection that is not made here.
FILES: Final[dict[str, Callable[[Path], list[Path]]]] = {
    "10q": lambda corpora: _reports(corpora)[:10],
    "apart": lambda corpora: [
        *_reports(corpora)[10:],
        *(corpora / "qa-uda" / "docs" / f"{name}.pdf" for name in ("ABMD_2012", "ADI_2009", "inpixon_2019")),
    ],
    "accidents": lambda corpora: sorted((corpora / "pdf-ntsb-nih-docugami").glob("ntsb*/*.pdf")),
    "mail": lambda corpora: sorted((corpora / "email" / "cpython").glob("msg_*.txt")),
    "prose": lambda corpora: sorted((corpora / "markdown-rust-book").glob("current/ch*.md"))[:40],
}  # fmt: skip
SUFFIXES: Final = {"mail": ".eml", "prose": ".md"}


def score(proposal: Proposal, gold: dict[str, dict[str, Any]], *, shown: bool) -> dict[str, Any]:
    owner = {name: attribute for attribute, one in gold.items() for name in one["names"]}
    read = {name.name for one in proposal.proposed for name in one.names}
    occur = {attribute for name, attribute in owner.items() if name in read}
    recommended = [one for one in proposal.proposed if one.recommended]
    right = [(one, found) for one in recommended if (found := _owner(one, owner)) is not None]
    found = {attribute for _, attribute in right}
    whole = {attribute for one, attribute in right if set(gold[attribute]["names"]) & read <= _names(one)}
    typed = [one for one, attribute in right if _fits(one, gold[attribute])]
    if shown:
        _show(recommended, occur - found, owner)
    return {
        "documents": proposal.documents, "printed names": len(read), "recommended": len(recommended),
        "right": len(right), "gold": len(gold), "occur": len(occur), "found": len(found),
        "precision": _share(len(right), len(recommended)), "recall": _share(len(found), len(occur)),
        "recall of all": _share(len(found), len(gold)), "whole": _share(len(whole), len(found)),
        "type and unit right": _share(len(typed), len(right)),
    }  # fmt: skip


def _names(one: Proposed) -> set[str]:
    return {printed.name for printed in one.names}


def _owners(one: Proposed, owner: dict[str, str]) -> set[str | None]:
    """The attributes of the gold that its names are of; None for a name of none."""
    return {owner.get(name) for name in _names(one)}


def _owner(one: Proposed, owner: dict[str, str]) -> str | None:
    """The attribute that all of its names are of."""
    owners = _owners(one, owner)
    return owners.pop() if len(owners) == 1 else None


def _fits(one: Proposed, gold: dict[str, Any]) -> bool:
    texts = {"category", "text"}
    alike = one.declaration.type == gold["type"] or {one.declaration.type, gold["type"]} == texts
    if "unit" not in gold:
        return alike
    measure = read_measure(one.declaration.unit) if one.declaration.unit else None
    return alike and measure is not None and measure.canonical == gold["unit"]


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def _show(recommended: Iterable[Proposed], missed: Iterable[str], owner: dict[str, str]) -> None:
    for one in recommended:
        names = ", ".join(sorted(_names(one)))
        print("right" if _owner(one, owner) else "wrong", one.declaration.type,
              one.declaration.unit, names, sep="\t", file=sys.stderr)  # fmt: skip
    print("missed", sorted(missed), file=sys.stderr)


def measure(corpora: Path, names: Sequence[str], documents: int, *, shown: bool, qualified: bool) -> dict[str, Any]:
    written = tomllib.loads(GOLD.read_text())
    gold, said = written["collections"], dict[str, Any]()
    for attribute, more in written["qualified"]["10q"].items() if qualified else ():
        gold["10q"][attribute]["names"] += more
    gold["apart"] = gold["10q"]
    with own_runtime() as (runtime, identity):
        for name in names:
            scope = add_base(runtime, identity, name)
            fill(runtime, identity, scope, name, corpora, documents)
            started = time.perf_counter()
            proposal = propose(runtime, identity, UUID(str(scope.knowledge_base_ids[0])))
            seconds = round(time.perf_counter() - started, 2)
            said[name] = {**score(proposal, gold[name], shown=shown), "seconds": seconds}
            print(json.dumps({name: said[name]}), file=sys.stderr, flush=True)
    return said


def main() -> None:
    names = [*tomllib.loads(GOLD.read_text())["collections"], "apart"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--only", choices=names, action="append")
    parser.add_argument("--documents", type=int, default=60, help="of each collection at most")
    parser.add_argument("--show", action="store_true", help="what was right, wrong and missed")
    parser.add_argument("--rows-alone", action="store_true", help="without the names that have their group's")
    asked = parser.parse_args()
    settings = {"shown": asked.show, "qualified": not asked.rows_alone}
    json.dump(measure(asked.corpora, asked.only or names, asked.documents, **settings), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
