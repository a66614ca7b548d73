"""Builds everything in this folder from its data: `python -m samples.build [FOLDER]`.

Writes the three PDFs, `gold.jsonl` (what stands where, recorded while typesetting) and `questions.jsonl`.
"""

import json
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from samples.fonts import register_fonts
from samples.pricelist import PriceList
from samples.rulebook import RuleBook
from samples.source import EDITIONS

HERE = Path(__file__).parent
Line = dict[str, object]


def build_all(folder: Path) -> list[Path]:
    """Write every artefact into `folder`; returns the PDFs' paths."""
    register_fonts()
    folder.mkdir(parents=True, exist_ok=True)
    documents: list[RuleBook | PriceList] = [*(RuleBook(year) for year in EDITIONS), PriceList()]
    paths = [document.build(folder) for document in documents]
    gold = [line for document in documents for line in document.gold()]
    _write_lines(folder / "gold.jsonl", gold)
    _write_lines(folder / "questions.jsonl", _questions(gold))
    return paths


def _questions(gold: list[Line]) -> list[Line]:
    current = {line["address"]: line for line in gold if "2025" not in str(line["file"])}
    asked: list[dict[str, Any]] = tomllib.loads((HERE / "questions.toml").read_text("utf-8"))["question"]
    return [_question(question, current) for question in asked]


def _question(question: dict[str, Any], current: dict[object, Line]) -> Line:
    if "address" not in question:
        return {"question": question["ask"], "answer": None, "file": None, "address": None, "pages": [], "expect": None}
    line = current[question["address"]]
    found: Line = {"file": line["file"], "address": line["address"], "pages": line["pages"]}
    return {"question": question["ask"], "answer": question["answer"], **found, "expect": question["expect"]}


def _write_lines(path: Path, lines: Iterable[Line]) -> None:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")


if __name__ == "__main__":
    for built in build_all(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE):
        print(built)
