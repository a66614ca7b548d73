"""Proposes a schema from what was read: names merged, types and units chosen, with examples and what conflicts."""

from collections import Counter
from itertools import zip_longest
from typing import Final
from uuid import UUID

from shared.access import check_knowledge_base, reading
from shared.domain.attribute_schema import AllowedValue, Declaration, DeclaredType, Example
from shared.domain.proposals import PrintedName, Proposal, Proposed, SeenText
from shared.domain.scope import Identity
from shared.extraction.attributes.declared import printed_names
from shared.library.curation.merging import Group, longer_names, merge_parts, split_names
from shared.library.curation.recommending import ranked
from shared.runtime import Runtime
from shared.store import observed as rows
from shared.store.attribute_schema import load_schema
from shared.store.connect import Connection
from shared.values.measures import read_measure
from shared.values.names import name_of
from shared.values.unit_names import unit_name

EXAMPLES: Final = 4
CATEGORY_MAX: Final = 50
CATEGORY_WORDS: Final = 5
CONFLICT_SHARE: Final = 0.02
_TYPES: Final[dict[str, DeclaredType]] = {"number": "number", "time": "date", "boolean": "boolean"}


def propose(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> Proposal:
    """Of everything that was read and that nobody declared. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return _propose(connection, knowledge_base_id)


def propose_one(connection: Connection, knowledge_base_id: UUID, name: str) -> Declaration | None:
    """As the values under one printed name suggest; None where nothing was read under it."""
    plain = name_of(name)
    found = rows.load_observed(connection, knowledge_base_id, is_open=False, name=plain) if plain else []
    parts = split_names(found)
    return _declaration(Group([parts[0]])) if parts else None


def _propose(connection: Connection, knowledge_base_id: UUID) -> Proposal:
    schema = load_schema(connection, knowledge_base_id)
    seen = rows.load_observed(connection, knowledge_base_id, is_open=schema.is_open)
    names = [one.name for one in seen]
    together = rows.load_together(connection, knowledge_base_id, names) if schema.is_open else []
    documents = rows.count_documents(connection, knowledge_base_id)
    parts = split_names(seen)
    longer = {part.name for pair in longer_names(parts) for part in pair} if schema.is_open else set[str]()
    figures = rows.load_figures(connection, knowledge_base_id, sorted(longer))
    groups = merge_parts(parts, together, figures)
    proposed = [_proposed(group, documents, recommended) for group, recommended in ranked(groups, documents)]
    known = {name for one in schema.attributes for name in printed_names(one)}
    proposed = _renamed(proposed, {one.name for one in schema.attributes} | known)
    examples = rows.load_examples(connection, knowledge_base_id, names, is_open=schema.is_open)
    for one in proposed:
        one.examples = _first_of_each([examples.get(printed.name, []) for printed in one.names])
    return Proposal(version=schema.version, documents=documents, proposed=proposed)


def _first_of_each(lists: list[list[Example]]) -> list[Example]:
    """The first of every printed name, then the second; none that says what another one says."""
    found: dict[str, Example] = {}
    for turn in zip_longest(*lists):
        for one in turn:
            if one is not None:
                found.setdefault(one.raw, one)
    return list(found.values())[:EXAMPLES]


def _proposed(group: Group, documents: int, recommended: bool) -> Proposed:
    declaration = _declaration(group)
    holding = {document for part in group.parts for document in part.seen.documents}
    kinds = [kind for part in group.parts for kind in part.kinds]
    texts = _texts(group)
    numbers = [kind for kind in kinds if kind.type == "number" and kind.low is not None]
    return Proposed(
        declaration=declaration,
        recommended=recommended,
        count=sum(kind.count for kind in kinds),
        documents=len(holding),
        coverage=round(len(holding) / documents, 4) if documents else 0.0,
        low=min((kind.low for kind in numbers if kind.low is not None), default=None),
        high=max((kind.high for kind in numbers if kind.high is not None), default=None),
        distinct=len(texts),
        texts=[SeenText(text=text, count=count) for text, count in texts.most_common(CATEGORY_MAX)],
        names=[
            PrintedName(
                name=part.name, count=part.count, documents=len(part.seen.documents), units=_printed(part.kinds)
            )
            for part in group.parts
        ],
        conflicts=_conflicts(group, declaration),
        maybe=sorted(group.maybe),
    )


def _declaration(group: Group) -> Declaration:
    first = group.parts[0]
    kind, unit = _type(group), None
    if kind == "number":
        unit = next((one for one in _printed([k for p in group.parts for k in p.kinds if k.unit]) if one), None)
        unit = unit if unit is None or read_measure(unit) else None
    name = first.name
    if first.split:
        measure = read_measure(unit) if unit else None
        name = f"{name}_{(name_of(measure.dimension) if measure else None) or 'other'}"[:60]
    synonyms = tuple(dict.fromkeys(part.name for part in group.parts if part.name != name))
    values = tuple(AllowedValue(value=text) for text, _ in _texts(group).most_common()) if kind == "category" else ()
    return Declaration(name=name, label=_label(name), type=kind, unit=unit, values=values, synonyms=synonyms)


def _type(group: Group) -> DeclaredType:
    counts: Counter[str] = Counter()
    for part in group.parts:
        for kind in part.kinds:
            counts[kind.type] += kind.count
    most = counts.most_common(1)[0][0]
    if most in _TYPES:
        return _TYPES[most]
    texts = _texts(group)
    short = all(len(text.split()) <= CATEGORY_WORDS for text in texts)
    # A text that comes back is one of a few values.
    repeated = counts["text"] >= 2 * len(texts)
    return "category" if short and repeated and len(texts) <= CATEGORY_MAX else "text"


def _texts(group: Group) -> Counter[str]:
    """Counted without case, each as it is printed first."""
    found: Counter[str] = Counter()
    printed: dict[str, str] = {}
    for part in group.parts:
        for text, count in part.seen.texts.items():
            found[printed.setdefault(text.lower(), text)] += count
    return found


def _printed(kinds: list[rows.Kind]) -> list[str]:
    """Printed units, most frequent first."""
    units: Counter[str] = Counter()
    for kind in kinds:
        units.update(kind.printed)
    return [unit_name(unit) for unit, _ in units.most_common() if unit]


def _label(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _conflicts(group: Group, declared: Declaration) -> list[str]:
    counts: Counter[str] = Counter()
    for part in group.parts:
        for kind in part.kinds:
            what = f"numbers in {kind.unit}" if kind.unit else "numbers without a unit"
            counts[what if kind.type == "number" else _PLURAL[kind.type]] += kind.count
    total = sum(counts.values())
    found = [f"{count:,} {what}" for what, count in counts.most_common()[1:] if count >= CONFLICT_SHARE * total]
    split = next((part.name for part in group.parts if part.split), None)
    if split:
        found.append(f"`{split}` is printed for values of other dimensions too")
    if declared.type == "number" and declared.unit is None and sum("numbers in" in what for what in counts):
        found.append("no unit that holds for all")
    return found


_PLURAL: Final = {"text": "texts", "time": "dates", "boolean": "yes or no"}


def _renamed(proposed: list[Proposed], taken: set[str]) -> list[Proposed]:
    """No two of one name, and none of a name that is declared."""
    kept: list[Proposed] = []
    used = set(taken)
    for one in proposed:
        name, number = one.declaration.name, 2
        while name in used:
            name, number = f"{one.declaration.name[:56]}_{number}", number + 1
        used.add(name)
        if name != one.declaration.name:
            synonyms = (one.names[0].name, *one.declaration.synonyms)
            changed = {"name": name, "synonyms": tuple(dict.fromkeys(synonyms))}
            one.declaration = one.declaration.model_copy(update=changed)
        kept.append(one)
    return kept
