"""What it costs that a sentence's words stand in its passages: `python -m tests.bench.bearing`.

Sentences that a model wrote as answers on Northwind's documents, each held against its gold pages as if these were one
passage (which is kinder than a passage is). Prints the share that would be asked for once more, and some of them with
the words that they lack.
"""

import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pypdfium2

from shared.answering.bearing import unborne_words
from shared.answering.sentences import split_sentences
from tests.bench.retrieval_data import CORPORA

FOLDER = CORPORA / "qa-northwind-azure"


def main(shown: int) -> None:
    found = [(text, unborne_words(text, [pages], (), question)) for text, pages, question in _sentences()]
    left = [(text, words) for text, words in found if words is not None]
    print(f"{len(left)} of {len(found)} sentences, {len(left) / len(found):.3f}")
    for text, words in left[:: max(1, len(left) // shown)]:
        print(f"- {text} [{words}]")


def _sentences() -> Iterator[tuple[str, str, str]]:
    """A sentence, the text of its pages, its question."""
    for line in (FOLDER / "questions.jsonl").read_text().splitlines():
        row = json.loads(line)
        pages = [_page(FOLDER / "docs" / one["doc"], one["page_1based"]) for one in row["evidence"]]
        for text in split_sentences(row["answer"]) if pages else ():
            yield text, "\n".join(pages), row["question"]


@cache
def _page(file: Path, number: int) -> str:
    return pypdfium2.PdfDocument(file)[number - 1].get_textpage().get_text_bounded()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
