"""Which documents of a knowledge base a name in a gold file means."""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import Any
from uuid import UUID

from shared.domain.evaluation import GoldInput

Row = Mapping[str, Any]


class DocumentNames:
    """Looks names up: by id, by file name or title as written, then without case, and without the file's ending.

    A name may mean several versions; each of them is right. The first way that finds anything counts, so that
    `184.pdf` never hides behind `184.txt`.
    """

    def __init__(self, documents: Iterable[Row]) -> None:
        self._ways: list[tuple[Callable[[str], str], dict[str, set[UUID]]]] = [
            (way, defaultdict(set)) for way in (_exact, _folded, _stem)
        ]
        for row in documents:
            for name in (str(row["id"]), row["name"], row["logical_name"]):
                for way, known in self._ways:
                    known[way(name)].add(row["id"])

    def find(self, name: str) -> frozenset[UUID]:
        """The ids of the documents that are meant; empty where there is none."""
        for way, known in self._ways:
            if found := known.get(way(name)):
                return frozenset(found)
        return frozenset()

    def resolve(self, question: GoldInput) -> dict[str, frozenset[UUID]]:
        """Every document that the question names, with what it means here."""
        names = [place.document for place in question.expected] + ([question.pin] if question.pin else [])
        return {name: self.find(name) for name in names}


def _exact(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _stem(name: str) -> str:
    """Without folders and the ending: `reports/184.PDF` and `184` are one. `1705.07830` has no ending to lose."""
    path = PurePath(_folded(name))
    return path.stem if path.suffix[1:].isalpha() else path.name
