"""Resolves a document's name in a gold file to documents of a knowledge base."""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import Any
from uuid import UUID

from shared.domain.evaluation import GoldInput

Row = Mapping[str, Any]


class DocumentNames:
    """Finds documents by name: by id, by file name or title as written, then ignoring case, then ignoring the file
    extension.

    A name may match several versions, each of which is right. The first of these ways that finds anything counts, so
    that `184.pdf` never matches `184.txt` if it exists.
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
        """The ids of the matching documents; empty where there are none."""
        for way, known in self._ways:
            if found := known.get(way(name)):
                return frozenset(found)
        return frozenset()

    def resolve(self, question: GoldInput) -> dict[str, frozenset[UUID]]:
        """Every document name of the question, with the ids of the documents that it matches."""
        names = [place.document for place in question.expected] + ([question.pin] if question.pin else [])
        return {name: self.find(name) for name in names}


def _exact(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _stem(name: str) -> str:
    """The name without folders and extension: `reports/184.PDF` and `184` are equal. `1705.07830` has no extension."""
    path = PurePath(_folded(name))
    return path.stem if path.suffix[1:].isalpha() else path.name
