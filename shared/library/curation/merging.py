"""Which printed names mean one attribute.

Names that stand side by side in one passage are two columns of one table, and two attributes: they are never merged,
unless their values are the same ones in two units (hp beside kW). Others are merged where their words are the same, or
say nothing but the dimension, or where their texts are the same ones; and where one has all words of the other and both
state the same figures: statements print a figure again, under a longer name (`current_assets_inventories`).
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Final

from shared.library.curation.words import TOTALS, core_words, is_plain, qualifiers
from shared.store.observed import Figure, Kind, Observed, PlacedValue
from shared.values.unit_names import unit_name

# A part of a name is taken for an attribute of its own from this share and number of its numbers on.
SPLIT_SHARE: Final = 0.15
SPLIT_COUNT: Final = 2
# Of one value in two units, printed rounded.
SAME: Final = 0.06
SAME_SHARE: Final = 0.8
# Categories with at least so many texts, most of them the same, are one.
SAME_TEXTS: Final = 2
SAME_TEXTS_SHARE: Final = 0.6
CATEGORY_MAX: Final = 60
# So many figures in common, each of so many digits, are no chance.
SAME_FIGURES: Final = 3
FIGURE_DIGITS: Final = 3


@dataclass
class MergedPart:
    """A printed name as far as its values are of one type and dimension."""

    seen: Observed
    kinds: list[Kind]
    split: bool = False

    @property
    def name(self) -> str:
        return self.seen.name

    @property
    def type(self) -> str:
        return max(self.kinds, key=lambda kind: kind.count).type

    @property
    def unit(self) -> str:
        """The canonical unit of most; numbers without one go with those that have one."""
        numbers = [kind for kind in self.kinds if kind.type == "number"]
        units = [kind for kind in numbers if kind.unit] or numbers
        return max(units, key=lambda kind: kind.count).unit if units else ""

    @property
    def count(self) -> int:
        return sum(kind.count for kind in self.kinds)


@dataclass
class Group:
    """Parts that mean one attribute, the most frequent first; `maybe` are names that may belong to it."""

    parts: list[MergedPart]
    maybe: set[str] = field(default_factory=set[str])


def split_names(seen: Iterable[Observed]) -> list[MergedPart]:
    """Each name, in parts where its numbers are of several dimensions."""
    parts: list[MergedPart] = []
    for one in seen:
        measured = [kind for kind in one.kinds.values() if kind.type == "number" and kind.unit]
        numbers = sum(kind.count for kind in measured)
        own = [kind for kind in measured if kind.count >= max(SPLIT_COUNT, SPLIT_SHARE * numbers)]
        if len(own) < 2:
            parts.append(MergedPart(one, list(one.kinds.values())))
            continue
        first = max(own, key=lambda kind: kind.count)
        rest = [kind for kind in one.kinds.values() if kind not in own or kind is first]
        parts.append(MergedPart(one, rest))
        parts += [MergedPart(one, [kind], split=True) for kind in own if kind is not first]
    return parts


def merge_parts(
    parts: Sequence[MergedPart],
    chunks: Iterable[Sequence[PlacedValue]],
    figures: Mapping[str, Collection[Figure]] | None = None,
) -> list[Group]:
    """Groups of one attribute each, the most frequent first. `figures` are those of the names of `longer_names`."""
    apart, same = _side_by_side(chunks)
    said = {name: {one for one in own if _digits(one[2]) >= FIGURE_DIGITS} for name, own in (figures or {}).items()}
    groups = _Union(parts, apart)
    for left, right in _likely_pairs(parts, same):
        key = frozenset((left.name, right.name))
        if left.name == right.name or not _alike(left, right):
            continue
        if key in same or (key not in apart and _mean_the_same(left, right)):
            groups.join(left, right)
    _join_plain(parts, groups)
    for left, right in longer_names(parts):
        if _same_figures(said.get(left.name, set()), said.get(right.name, set())):
            groups.join(left, right)
    return groups.result()


def longer_names(parts: Sequence[MergedPart]) -> list[tuple[MergedPart, MergedPart]]:
    """Numbers whose names have all words of each other's, or more; such may be one attribute."""
    numbers = [(part, _telling(part.name)) for part in parts if part.type == "number" and not part.split]
    having: dict[str, set[int]] = defaultdict(set)
    for place, (_, words) in enumerate(numbers):
        for word in words:
            having[word].add(place)
    found: list[tuple[MergedPart, MergedPart]] = []
    for place, (part, words) in enumerate(numbers):
        longer = set[int].intersection(*(having[word] for word in words)) - {place} if words else set[int]()
        found += [(part, numbers[other][0]) for other in sorted(longer) if _alike(part, numbers[other][0])]
    return found


def _telling(name: str) -> frozenset[str]:
    """The words that say what is counted: a total is of something."""
    return frozenset(core_words(name)) - TOTALS


def _same_figures(own: Collection[Figure], other: Collection[Figure]) -> bool:
    """Whether what stands under one name stands under the other too, in the documents that have both."""
    shared = {document for document, _, _ in own} & {document for document, _, _ in other}
    left, right = ({one for one in said if one[0] in shared} for said in (own, other))
    met = len(left & right)
    return met >= SAME_FIGURES and met >= SAME_SHARE * min(len(left), len(right))


def _digits(number: float) -> int:
    """The digits that a number is printed with, without zeros around them."""
    return len(f"{abs(number):.15g}".partition("e")[0].replace(".", "").strip("0"))


def _likely_pairs(parts: Sequence[MergedPart], same: set[frozenset[str]]) -> list[tuple[MergedPart, MergedPart]]:
    """All that share what could make them one, in the order of the parts: of thousands of names few are compared."""
    sharing: dict[Hashable, list[int]] = defaultdict(list)
    for place, part in enumerate(parts):
        sharing["name", part.name].append(place)
        sharing["words", core_words(part.name)].append(place)
        if part.type == "number" and part.unit:
            sharing[part.unit, qualifiers(part.name, part.unit)].append(place)
        if part.type == "text" and len(part.seen.texts) >= SAME_TEXTS:
            for text in {text.lower() for text in part.seen.texts}:
                sharing["text", text].append(place)
    pairs = {pair for places in sharing.values() for pair in combinations(places, 2)}
    for left, right in map(sorted, same):
        pairs |= {(min(pair), max(pair)) for pair in product(sharing["name", left], sharing["name", right])}
    return [(parts[left], parts[right]) for left, right in sorted(pairs)]


def _alike(left: MergedPart, right: MergedPart) -> bool:
    """Whether one declaration could hold both."""
    if left.type != right.type:
        return False
    return left.type != "number" or left.unit == right.unit or not (left.unit and right.unit)


def _mean_the_same(left: MergedPart, right: MergedPart) -> bool:
    if core_words(left.name) == core_words(right.name):
        return True
    if left.type == "number":
        own, other = qualifiers(left.name, left.unit), qualifiers(right.name, right.unit)
        return bool(left.unit and right.unit) and own == other
    return left.type == "text" and _same_texts(left, right)


def _same_texts(left: MergedPart, right: MergedPart) -> bool:
    own, other = (({text.lower() for text in part.seen.texts}) for part in (left, right))
    fewer = min(len(own), len(other))
    return SAME_TEXTS <= fewer <= CATEGORY_MAX and len(own & other) >= SAME_TEXTS_SHARE * fewer


def _join_plain(parts: Sequence[MergedPart], groups: "_Union") -> None:
    """A plain name (`hp`) goes with the one qualified name of its dimension (`motor_power`) where there is one alone,
    and may go with any of several."""
    for part in parts:
        if part.type != "number" or not part.unit or not is_plain(part.name, part.unit):
            continue
        others = [
            other for other in parts
            if other.unit == part.unit and other.type == "number" and not is_plain(other.name, other.unit)
        ]  # fmt: skip
        kinds = {qualifiers(other.name, other.unit) for other in others}
        if len(kinds) == 1:
            for other in others:
                groups.join(part, other)
        for other in others:
            groups.note_maybe(part, other)


def _side_by_side(chunks: Iterable[Sequence[PlacedValue]]) -> tuple[set[frozenset[str]], set[frozenset[str]]]:
    """Pairs of names that stand in one passage; those that are apart, and those that are one value in two units."""
    met: dict[frozenset[str], list[bool]] = defaultdict(list)
    for placed in chunks:
        named: dict[str, PlacedValue] = {one.name: one for one in placed}
        for left, right in combinations(named.values(), 2):
            met[frozenset((left.name, right.name))].append(_equal(left, right))
    same = {pair for pair, found in met.items() if len(found) > 1 and sum(found) >= SAME_SHARE * len(found)}
    return met.keys() - same, same


def _equal(left: PlacedValue, right: PlacedValue) -> bool:
    """Whether one is the other in another unit: equal numbers in one unit are two columns that happen to agree."""
    if left.number is None or right.number is None or not left.unit or left.unit != right.unit:
        return False
    if not left.printed or not right.printed or unit_name(left.printed) == unit_name(right.printed):
        return False
    return abs(left.number - right.number) <= SAME * max(abs(left.number), abs(right.number))


class _Union:
    """Groups that grow together; no two names that stand side by side get into one."""

    def __init__(self, parts: Sequence[MergedPart], apart: set[frozenset[str]]) -> None:
        self._apart = apart
        self._of = {id(part): Group([part]) for part in parts}

    def join(self, left: MergedPart, right: MergedPart) -> None:
        own, other = self._of[id(left)], self._of[id(right)]
        if own is other:
            return
        pairs = ((a.name, b.name) for a in own.parts for b in other.parts)
        if any(a == b or frozenset((a, b)) in self._apart for a, b in pairs):
            self.note_maybe(left, right)
            return
        own.parts += other.parts
        own.maybe |= other.maybe
        for part in other.parts:
            self._of[id(part)] = own

    def note_maybe(self, left: MergedPart, right: MergedPart) -> None:
        own, other = self._of[id(left)], self._of[id(right)]
        if own is not other and frozenset((left.name, right.name)) not in self._apart:
            own.maybe.add(right.name)
            other.maybe.add(left.name)

    def result(self) -> list[Group]:
        found = list({id(group): group for group in self._of.values()}.values())
        for group in found:
            group.parts.sort(key=lambda part: (-part.count, part.name))
        return sorted(found, key=lambda group: -sum(part.count for part in group.parts))
