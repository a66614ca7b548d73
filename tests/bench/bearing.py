"""What it costs that a sentence has its passages' words and turns none of them: `python -m tests.bench.bearing`.

Sentences that a model wrote as answers on Northwind's documents, each held against its gold pages as if these were one
passage (which is kinder than a passage is). Prints the share that would be asked for once more, and some of them with
the words that they lack or the part that is taken for an opposite; and how many are found out when a "not" is put into
them or left out. The rules were made on one half of the sentences, "seen".
"""

import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha1
from pathlib import Path

import pypdfium2

from shared.answering.bearing import unborne_words
from shared.answering.opposites import find_opposite
from shared.answering.sentences import split_sentences
from tests.bench.retrieval_data import CORPORA

FOLDER = CORPORA / "qa-northwind-azure"


def main(shown: int) -> None:
    found = [(text, unborne_words(text, [pages], (), question)) for text, pages, question in _sentences()]
    left = [(text, words) for text, words in found if words is not None]
    print(f"{len(left)} of {len(found)} sentences, {len(left) / len(found):.3f}")
    for text, words in left[:: max(1, len(left) // max(1, shown))] if shown else ():
        print(f"- {text} [{words}]")
    lacking = {text for text, _ in left}
    borne = [(text, pages) for text, pages, _ in _sentences() if text not in lacking]
    for name, half in (("seen", 0), ("held out", 1)):
        _opposites(name, [one for one in borne if sha1(one[0].encode()).digest()[0] % 2 == half], shown)  # noqa: S324


def _opposites(name: str, sentences: list[tuple[str, str]], shown: int) -> None:
    """False alarms on sentences that are borne out, and how many are found of those that are turned."""
    alarms = [(text, part) for text, pages in sentences if (part := find_opposite(text, [pages]))]
    turned = [(other, pages) for text, pages in sentences if (other := _turn(text))]
    found = sum(find_opposite(text, [pages]) is not None for text, pages in turned)
    print(f"{name}: {len(alarms)} of {len(sentences)} taken for opposites; {found} of {len(turned)} turned ones found")
    for text, part in alarms[:shown]:
        print(f"- {text} [{part}]")


def _turn(text: str) -> str | None:
    """With its first "not" left out, or one put behind its first verb of a few; None where it has neither."""
    if _HAS_NOT.search(text):
        return _HAS_NOT.sub("", text, count=1)
    return _VERB.sub(r"\1 not", text, count=1) if _VERB.search(text) else None


_HAS_NOT = re.compile(r"\bnot |(?<=can)not\b")
_VERB = re.compile(r"\b(is|are|was|were|must|may|can|will|should)\b")


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
