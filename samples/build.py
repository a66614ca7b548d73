"""Builds everything in this folder from its data: `python -m samples.build [FOLDER]`.

Writes the three PDFs, `gold.jsonl` (what stands where, recorded while typesetting) and `questions.jsonl`, whose
places are looked up in the PDFs: docs/decisions/0092-places-of-gold.md.
"""

import json
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pymupdf

from samples.fonts import register_fonts
from samples.pricelist import PriceList
from samples.rulebook import RuleBook
from samples.source import EDITIONS

HERE = Path(__file__).parent
Line = dict[str, object]
# The pages' texts of the current documents, by file name.
Texts = dict[str, list[str]]


def build_all(folder: Path) -> list[Path]:
    """Write every artefact into `folder`; returns the PDFs' paths."""
    register_fonts()
    folder.mkdir(parents=True, exist_ok=True)
    documents: list[RuleBook | PriceList] = [*(RuleBook(year) for year in EDITIONS), PriceList()]
    paths = [document.build(folder) for document in documents]
    gold = [line for document in documents for line in document.gold()]
    _write_lines(folder / "gold.jsonl", gold)
    asked: list[dict[str, Any]] = tomllib.loads((HERE / "questions.toml").read_text("utf-8"))["question"]
    _write_lines(folder / "questions.jsonl", write_questions(asked, gold, paths))
    return paths


def write_questions(asked: list[dict[str, Any]], gold: list[Line], paths: list[Path]) -> list[Line]:
    """The lines of `questions.jsonl`; raises ValueError for a place that does not hold."""
    texts = {path.name: _page_texts(path) for path in paths if EDITIONS[0] not in path.name}
    pages = {line["address"]: line["pages"] for line in gold if line["file"] in texts}
    return [_question(question, pages, texts) for question in asked]


def _page_texts(path: Path) -> list[str]:
    with pymupdf.open(path) as document:
        return [" ".join(str(page.get_text()).split()) for page in document]


def _question(question: dict[str, Any], pages: dict[object, Any], texts: Texts) -> Line:
    if "address" not in question:
        return {"question": question["ask"], "answer": None, "address": None, "expect": [], "expected": []}
    places = [_place(words, question["expect"], texts) for words in question["says"]]
    if places[0]["page"] not in pages[question["address"]]:
        raise ValueError(f"`{places[0]['quote']}` does not stand at {question['address']}. Put the provision first.")
    said: Line = {"question": question["ask"], "answer": question["answer"], "address": question["address"]}
    return {**said, "expect": question["expect"], "expected": places}


def _place(words: str, expect: list[str], texts: Texts) -> dict[str, object]:
    """Where `words` stand, on one page of one document; they hold one of the wordings in `expect`."""
    if not any(wording in words for wording in expect):
        raise ValueError(f"`{words}` has none of {expect}: it does not answer.")
    found = [(name, number) for name, text in texts.items() for number, page in enumerate(text, 1) if words in page]
    if len(found) != 1:
        raise ValueError(f"`{words}` stands on {len(found)} pages of the current documents, not on one.")
    return {"document": found[0][0], "page": found[0][1], "quote": words}


def _write_lines(path: Path, lines: Iterable[Line]) -> None:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")


if __name__ == "__main__":
    for built in build_all(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE):
        print(built)
