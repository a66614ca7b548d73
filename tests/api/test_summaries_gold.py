"""Experiment summaries of real papers: every statement is in its passage, and most are the gold's."""

import os
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from shared.domain.experiments import FIELDS
from shared.lab.summaries.extracting import extract
from tests.bench.summaries import GOLD, Count, cells, chunks_of, sentences, set_of


@pytest.mark.corpora
def test_statements_of_real_papers_are_verbatim_and_most_are_the_golds() -> None:
    corpora = Path(os.environ.get("AUTRI_CORPORA", Path(__file__).parents[2].parent / "shared/corpora"))
    if not corpora.is_dir():
        pytest.skip("the development corpora are not beside the checkout")
    everything = tomllib.loads(GOLD.read_text())["document"]
    sets = {"seen": 7, "unseen": 3, "later": 4, "held": 5, "fresh": 3, "new": 2, "left": 2}
    assert Counter(map(set_of, everything)) == sets
    gold = [one for one in everything if set_of(one) in ("seen", "unseen")]
    told, table = Count(), Count()
    for name, chunks in chunks_of(corpora, gold).items():
        body, by_id = extract(chunks), {chunk.id: chunk for chunk in chunks}
        assert len(body.statements) > 5
        for one in body.statements:
            cited = by_id[one.chunk_ids[0]]
            assert cited.content[one.start : one.end] == one.text
            assert one.boxes == cited.boxes != []
        for cell in body.cells:
            assert cell.raw in " ".join(by_id[cell.chunk_id].content.split())
            assert cell.boxes != []
        wanted = next(one for one in gold if one["file"] == name)
        for field in FIELDS:
            told = told.plus(sentences(wanted[field], [s for s in body.statements if s.field == field]))
        table = table.plus(cells(wanted["cells"], body.cells))
    assert told.found / told.wanted >= 0.65
    assert told.right / told.said >= 0.70
    assert table.found / table.wanted >= 0.6
