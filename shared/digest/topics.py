"""Which units are one topic: new ones go to the nearest topic or begin one with their document, a topic that is too
long is divided by theme, and one that has shrunk goes to what it resembles."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import numpy as np

from shared.digest.units import DigestUnit, normalised
from shared.domain.ids import new_id
from shared.ports import Vectors

# How far two topics that are alike lie above what any two units here have in common: a share of what is left to 1.
ALIKE: Final = 0.25
ROUNDS: Final = 8


@dataclass
class Topic:
    """`special` topics are of events or evaluation runs, or of data alone, and take part in nothing here. `former`:
    vectors of units that have just gone, whose place others may take."""

    id: UUID
    units: list[DigestUnit] = field(default_factory=list[DigestUnit])
    former: list[Vectors] = field(default_factory=list[Vectors])

    @property
    def special(self) -> bool:
        return any(unit.document_id is None for unit in self.units) or (
            bool(self.units) and all(unit.tables for unit in self.units)
        )

    def centroid(self, dimensions: int) -> Vectors:
        return normalised([unit.centroid for unit in self.units if unit.centroid.any()], dimensions)

    def attracts(self, dimensions: int) -> Vectors:
        """Where it is, with what has just gone."""
        seen = [unit.centroid for unit in self.units if unit.centroid.any()]
        return normalised([*seen, *self.former], dimensions)


def likeness_least(units: Sequence[DigestUnit], dimensions: int) -> float:
    """From which cosine on two things of this knowledge base are alike: vectors of one embedder all point about the
    same way, and so do the documents of one field."""
    seen = [unit.centroid for unit in units if unit.centroid.any()]
    if not seen:
        return 1.0
    common = float(np.linalg.norm(np.mean(np.stack(seen), axis=0)) ** 2)
    return common + ALIKE * (1 - common)


def assign(
    new: Sequence[DigestUnit], topics: list[Topic], least: float, dimensions: int, former: Mapping[UUID, UUID]
) -> set[UUID]:
    """Puts each unit into a topic, new ones among them; returns the ids of those that got one.

    A unit goes to a topic that it is nearer to than to its own document, so that a new version's sections come to where
    the former one's were; else to where its document is already. `former` has the topic of a document's former version,
    if there is one.
    """
    touched = set[UUID]()
    by_document = defaultdict[UUID | None, list[DigestUnit]](list)
    for unit in new:
        by_document[unit.document_id].append(unit)
    for document, units in by_document.items():
        known = [topic for topic in topics if not topic.special and (topic.units or topic.former)]
        middles = np.stack([topic.attracts(dimensions) for topic in known]) if known else None
        own = normalised([unit.centroid for unit in units if unit.centroid.any()], dimensions)
        begun = next((one for one in topics if any(unit.document_id == document for unit in one.units)), None)
        if begun is None and document in former:
            begun = next((one for one in topics if one.id == former[document]), None)
        data = all(unit.tables for unit in units)
        for unit in units:
            bar = max(least, float(unit.centroid @ own) if len(units) > 1 else least)
            near = middles @ unit.centroid if middles is not None and not data else np.zeros(0)
            if near.size and float(near.max()) >= bar:
                topic = known[int(near.argmax())]
            else:
                topic = begun = begun or Topic(new_id())
                if topic not in topics:
                    topics.append(topic)
            topic.units.append(unit)
            touched.add(topic.id)
    return touched


def divide(units: Sequence[DigestUnit]) -> tuple[list[DigestUnit], list[DigestUnit]]:
    """Two themes: by 2-means of the units' vectors, begun with the two that are least alike; in halves in the order of
    reading where vectors tell nothing. Neither is empty; needs two units."""
    seen = np.stack([unit.centroid for unit in units])
    likeness = seen @ seen.T
    first, second = np.unravel_index(int(likeness.argmin()), likeness.shape)
    sides = np.zeros(len(units), bool)
    middles = np.stack([seen[first], seen[second]])
    for _ in range(ROUNDS):
        near = seen @ middles.T
        now = near[:, 1] > near[:, 0]
        if now.all() or not now.any() or (now == sides).all():
            break
        sides = now
        middles = np.stack([seen[~sides].mean(axis=0), seen[sides].mean(axis=0)])
    if sides.all() or not sides.any():
        sides = np.arange(len(units)) >= (len(units) + 1) // 2
    left = [unit for unit, side in zip(units, sides, strict=True) if not side]
    right = [unit for unit, side in zip(units, sides, strict=True) if side]
    return (left, right) if len(left) >= len(right) else (right, left)


def nearest(topic: Topic, others: Iterable[Topic], least: float, dimensions: int) -> Topic | None:
    """The topic that it resembles most, where it resembles any."""
    own = topic.centroid(dimensions)
    alike = [
        (float(own @ other.centroid(dimensions)), other)
        for other in others
        if other.id != topic.id and not other.special and other.units
    ]
    best = max(alike, key=lambda one: one[0], default=None)
    return best[1] if best and best[0] >= least else None
