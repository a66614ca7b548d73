import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from shared.domain.draft import DocumentDraft
from shared.extraction.assemble import assemble
from shared.extraction.compose import CELL
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page
from shared.values.addresses import normalise

SAMPLES = Path(__file__).parents[2] / "samples"


def gold_by_file() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (SAMPLES / "gold.jsonl").read_text().splitlines():
        one = json.loads(line)
        found[one["file"]].append(one)
    return found


GOLD = gold_by_file()


@cache
def draft_of(name: str) -> DocumentDraft:
    with open_pdf(SAMPLES / name) as source:
        pages = [source.read_page(n) for n in range(1, source.page_count + 1)]
        profile = build_profile(map(sketch_page, pages), source.outline)
        return assemble((page, extract_page(page, profile)) for page in pages)


def plain(text: str) -> str:
    return " ".join(text.replace(CELL, " ").split())


def problem(draft: DocumentDraft, gold: dict[str, Any]) -> str | None:
    """What is wrong with the section that the gold describes; None if it is right."""
    key = normalise(gold["address"])
    sections = {s.index for s in draft.sections if key in (s.address_key, *s.aliases)}
    chunks = [chunk for chunk in draft.chunks if chunk.section in sections]
    pages = {box.page for chunk in chunks for box in chunk.boxes if box.kind == "page"}
    if not sections:
        return f"{gold['address']}: not found"
    if not set(gold["pages"]) <= pages:
        return f"{gold['address']}: on pages {sorted(pages)}, not {gold['pages']}"
    text = plain(" ".join(chunk.content for chunk in chunks))
    return None if plain(gold["text"]) in text else f"{gold['address']}: {gold['text'][:80]!r} is not in {text[:160]!r}"


@pytest.mark.parametrize("name", GOLD)
def test_every_address_of_the_samples_is_found_on_its_page_with_its_text(name: str) -> None:
    assert [p for one in GOLD[name] if (p := problem(draft_of(name), one))] == []


def test_rules_lie_below_their_part() -> None:
    draft = draft_of("kestrel-cup-2026.pdf")
    rule = next(s for s in draft.sections if s.address == "C7.6.2")
    path: list[str | None] = []
    while rule.parent is not None:
        rule = draft.sections[rule.parent]
        path.append(rule.address)
    assert path == ["C7.6", "C7", "Part C"]


def test_a_block_of_labels_and_values_is_text() -> None:
    chunk = next(c for c in draft_of("tarnwick-price-list-2026.pdf").chunks if c.content.startswith("MODEL: TF-7"))
    assert (chunk.chunk_type, "LEAD TIME: 3 weeks" in chunk.content) == ("text", True)


@pytest.mark.parametrize(("figure", "label"), [("Figure 1 — Flag", "session stopped"), ("Figure 8 — Course", "45 min")])
def test_rectangles_with_labels_are_a_figure_and_no_table(figure: str, label: str) -> None:
    draft = draft_of("kestrel-cup-2026.pdf")
    chunk = next(c for c in draft.chunks if c.content.startswith(figure))
    assert chunk.chunk_type == "figure"
    assert label in chunk.content
    pages = {box.page for box in chunk.boxes if box.kind == "page"}
    assert not [t for t in draft.tables if t.first_page in pages]


def test_a_number_that_wrapped_to_the_next_line_begins_no_list() -> None:
    chunk = next(c for c in draft_of("kestrel-cup-2026.pdf").chunks if c.content.startswith("B1.3.4 The"))
    assert "classification of race 2. Cars placed ninth" in plain(chunk.content)
