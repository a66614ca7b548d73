"""What an update works with: the units that there are, what they say, and what people confirmed."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from shared.digest.datasets import describe_tables
from shared.digest.extracting import UnitText, heading_of, read_statements, shown
from shared.digest.indexing import SYSTEM
from shared.digest.lines import CitedSource, FileLine
from shared.digest.units import DigestUnit, normalised, read_units
from shared.domain.digest import CITATIONS_MAX
from shared.ports import Vectors
from shared.store.connect import Connection, Row
from shared.store.digest_sources import confirmed_questions, current_documents, passages, table_chunks

METHOD: Final = "digest/2"


@dataclass
class Material:
    """Units by id in the order of reading; `texts` has those that were read."""

    units: dict[UUID, DigestUnit]
    documents: dict[UUID, Row]
    questions: dict[str, list[Row]]
    embedder: str
    dimensions: int = 1
    texts: dict[UUID, UnitText] = field(default_factory=dict[UUID, UnitText])
    _passages: dict[UUID, Row] = field(default_factory=dict[UUID, Row])

    @classmethod
    def load(cls, connection: Connection, base: UUID, embedder: str) -> "Material":
        """Units without their vectors, and the hashes of those that bear out confirmed answers with the questions."""
        questions = defaultdict[str, list[Row]](list)
        for row in confirmed_questions(connection, base):
            for place in row["expected"]:
                if place.get("content_hash"):
                    questions[place["content_hash"]].append(row)
        units = {unit.id: _asked(unit, questions) for unit in read_units(connection, base)}
        documents = {row["id"]: row for row in current_documents(connection, base)}
        return cls(units, documents, questions, embedder)

    def add_reported(self, reported: Sequence[UnitText]) -> None:
        for one in reported:
            self.units[one.unit.id] = one.unit
            self.texts[one.unit.id] = one

    def forget(self, documents: Collection[UUID]) -> None:
        """They are gone by now."""
        self.units = {key: unit for key, unit in self.units.items() if unit.document_id not in documents}

    def read_vectors(self, connection: Connection, units: Sequence[DigestUnit]) -> None:
        """The centroids of these, from the vectors that are stored."""
        self._load(connection, units)
        seen = [row["embedding"] for row in self._passages.values() if row["embedding"] is not None]
        if seen and self.dimensions == 1:
            self.dimensions = len(seen[0].to_numpy())
        for unit in units:
            if unit.document_id is not None:
                unit.centroid = normalised(self._vectors(unit), self.dimensions)

    def read_texts(self, connection: Connection, units: Sequence[DigestUnit]) -> None:
        """What these say."""
        missing = [unit for unit in units if unit.id not in self.texts]
        self._load(connection, missing)
        for unit in missing:
            if unit.tables:
                self.texts[unit.id] = self._with_remarks(self._data(connection, unit), {})
                continue
            own = {one: self._passages[one] for one in unit.chunk_ids if one in self._passages}
            asked = [one for one, row in own.items() if row["content_hash"] in self.questions]
            text = read_statements(unit, own, asked)
            self.texts[unit.id] = self._with_remarks(text, own)

    def _load(self, connection: Connection, units: Sequence[DigestUnit]) -> None:
        wanted = [key for unit in units for key in unit.sampled if key not in self._passages]
        if wanted:
            self._passages |= passages(connection, wanted, self.embedder)

    def _data(self, connection: Connection, unit: DigestUnit) -> UnitText:
        """A long table by its columns, whose windows are cited as wholes."""
        cited = table_chunks(connection, unit.tables[:CITATIONS_MAX])
        rows = [cited[one] for one in unit.tables if one in cited]
        sources = tuple(CitedSource("chunk", row["id"], row["document_id"], row["content_hash"]) for row in rows)
        said = describe_tables(connection, unit.title, unit.tables, len(unit.chunk_ids)) if sources else []
        lines = [FileLine("statement", shown(text), sources, "system", SYSTEM.name) for _, text in said]
        return UnitText(unit, heading_of(unit), lines, sorted(range(len(lines)), key=lambda at: said[at][0]))

    def _vectors(self, unit: DigestUnit) -> list[Vectors]:
        rows = (self._passages.get(key) for key in unit.chunk_ids)
        return [row["embedding"].to_numpy() for row in rows if row and row["embedding"] is not None]

    def _with_remarks(self, text: UnitText, own: Mapping[UUID, Row]) -> UnitText:
        """With the version that its document is, where it replaces another, and the questions that it answers."""
        remarks = list[FileLine]()
        document = self.documents.get(text.unit.document_id) if text.unit.document_id else None
        if document and document["version_index"] > 1 and _begins(text.unit, self.units):
            label = f" ({document['version_label']})" if document["version_label"] else ""
            said = f"{document['called']}: version {document['version_index']}{label} is the current one"
            remarks.append(_remark(said, CitedSource("document", document["id"], document["id"])))
        for key, row in own.items():
            source = CitedSource("chunk", key, row["document_id"], row["content_hash"])
            for asked in self.questions.get(row["content_hash"], []):
                remarks.append(_remark(f"Asked, and confirmed to be answered here: {asked['question']}", source))
        statements = [*remarks, *text.statements]
        ranked = [place + len(remarks) for place in text.ranked] + list(range(len(remarks)))
        return UnitText(text.unit, text.heading, statements, ranked, text.whole)


def _begins(unit: DigestUnit, units: Mapping[UUID, DigestUnit]) -> bool:
    return next(one.id for one in units.values() if one.document_id == unit.document_id) == unit.id


def _asked(unit: DigestUnit, questions: Mapping[str, list[Row]]) -> DigestUnit:
    asked = [str(row["id"]) for key in unit.chunk_hashes for row in questions.get(key, [])]
    if not asked:
        return unit
    return replace(unit, content_hash=hashlib.sha256("\n".join([unit.content_hash, *asked]).encode()).hexdigest())


def _remark(text: str, source: CitedSource) -> FileLine:
    return FileLine("statement", shown(text), (source,), "system", SYSTEM.name)
