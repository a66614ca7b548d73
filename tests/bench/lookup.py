"""Look-up over a section gold file: `python -m tests.bench.lookup HOME KNOWLEDGE_BASE [GOLD]`.

Per document: the share of addresses that are found, found on the right page, and found with the gold text inside what
the look-up returns. GOLD is a JSON-lines file of `{doc, section_id, text, pages_1based}`, by default OWASP ASVS.
"""

import json
import os
import re
import sys
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import Any

from functions.local import local_system
from shared.domain.knowledge import LookupResult
from shared.library.documents import list_documents
from shared.library.knowledge_bases import list_knowledge_bases
from shared.retrieval.requests import LookupRequest
from shared.retrieval.service import lookup

CORPORA = Path(os.environ.get("AUTRI_CORPORA", Path(__file__).parents[3] / "shared" / "corpora"))
GOLD = CORPORA / "regs-owasp-asvs" / "sections_gold.jsonl"
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
SHOWN = 12


def letters(text: str) -> str:
    """Letters and digits only: line breaks, hyphenation, markdown and quotes differ between gold and page."""
    plain = unicodedata.normalize("NFKC", LINK.sub(r"\1", text)).casefold()
    return "".join(c for c in plain if c.isalnum())


def judge(gold: dict[str, Any], found: LookupResult) -> tuple[bool, bool, bool]:
    """(found, right page, gold text inside)."""
    pages = {box.page for hit in found.hits for box in hit.chunk.boxes if box.kind == "page"}
    text = letters(" ".join(hit.chunk.content for hit in found.hits))
    return bool(found.hits), bool(pages & set(gold["pages_1based"])), letters(gold["text"]) in text


def main(home: Path, slug: str, gold_file: Path) -> None:
    golds = [json.loads(line) for line in gold_file.read_text().splitlines()]
    results: dict[str, list[tuple[bool, bool, bool]]] = defaultdict(list)
    missed: list[str] = []
    with local_system(home) as system:
        base = next(b for b in list_knowledge_bases(system.runtime, system.identity) if b.slug == slug)
        documents = {d.name: d.id for d in list_documents(system.runtime, system.identity, base.id)}
        for gold in golds:
            if gold["doc"] not in documents:
                continue
            request = LookupRequest(
                address=gold["section_id"], knowledge_base_ids=[base.id], documents=[documents[gold["doc"]]]
            )
            verdict = judge(gold, lookup(system.runtime, system.identity, request))
            results[gold["doc"]].append(verdict)
            if not all(verdict):
                missed.append(f"{gold['doc']} {gold['section_id']} {verdict}")
    for name, verdicts in sorted(results.items()):
        shares = [sum(v[i] for v in verdicts) / len(verdicts) for i in range(3)]
        print(f"{name}: {len(verdicts)} addresses, found {shares[0]:.3f}, page {shares[1]:.3f}, text {shares[2]:.3f}")
    for line in missed[:SHOWN]:
        print("  missed", line)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]) if len(sys.argv) > 3 else GOLD)
