"""What a topic may be called, without a model: headings of its documents, which no other topic has."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from shared.digest.extracting import title_of
from shared.digest.topics import Topic
from shared.digest.units import DigestUnit


def own_name(topic: Topic, sizes: Mapping[UUID | None, int], dimensions: int, taken: Collection[str]) -> str:
    """The best of its names that is not `taken`, else a heading of one of its other sections; the best where all are
    taken. `sizes`: how many units each document has."""
    further = () if topic.special else _further(topic, dimensions)
    names = list(dict.fromkeys(title_of(one) for one in [*_names(topic, sizes, dimensions), *further]))
    return next((one for one in names if one not in taken), names[0])


def _names(topic: Topic, sizes: Mapping[UUID | None, int], dimensions: int) -> Sequence[str]:
    """The best first."""
    units = topic.units
    common = _common([unit.titles for unit in units])
    if topic.special:
        return [units[0].titles[0], units[0].title]
    middle = topic.centroid(dimensions)
    central = max(units, key=lambda unit: float(unit.centroid @ middle))
    if len(common) > 1:
        # Of several topics below one heading the most central section tells what this is about.
        return [common[-1], *central.titles[:0:-1]]
    if common and _is_whole(units, sizes):
        # A document as a whole is called after its first heading: its name may be a file's.
        first = units[0]
        return [first.titles[1] if len(first.titles) > 1 + first.ranged else common[0], common[0]]
    if _is_whole([unit for unit in units if unit.document_id == central.document_id], sizes):
        return central.titles
    return [*central.titles[1:], central.titles[0]]


def _further(topic: Topic, dimensions: int) -> Sequence[str]:
    """The headings right above its sections, the most central section's first."""
    middle = topic.centroid(dimensions)
    nearest = sorted(topic.units, key=lambda unit: -float(unit.centroid @ middle))
    return [unit.titles[-1] for unit in nearest if len(unit.titles) > 1]


def _common(paths: Sequence[Sequence[str]]) -> Sequence[str]:
    """The path that all begin with."""
    shared = next((at for at, steps in enumerate(zip(*paths, strict=False)) if len(set(steps)) > 1), None)
    return paths[0][: min(map(len, paths)) if shared is None else shared]


def _is_whole(units: Sequence[DigestUnit], sizes: Mapping[UUID | None, int]) -> bool:
    """Whether these units of one document are all of it."""
    return len(units) == sizes[units[0].document_id]
