"""Which proposed attributes are worth a person's look, and in which order they come."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from shared.library.curation.merging import Group
from shared.library.curation.words import TOTALS, core_words

# Recommended is what this share of the documents has under a label, and at least two of them where there are several.
COVERAGE: Final = 0.2
# What at least this share has, most documents have.
MOST: Final = 0.5
# In one or two documents, what has so many values.
FEW_DOCUMENTS, FEW_VALUES = 2, 5
# A form of two pages has ninety fields.
RECOMMENDED_MAX: Final = 100
_IDENTIFIER = re.compile(r"(?:^|_)(?:id|no|nr|number|row|index|item|line|ref)$")


def ranked(groups: Sequence[Group], documents: int) -> list[tuple[Group, bool]]:
    """The recommended groups first, and of these what most documents have. What less than most have is recommended with
    all that equally many have, or not at all: nothing says which of them count."""
    known = {id(group): _labelled(group) for group in groups}
    worth = [group for group in groups if _is_frequent(group, documents) and not _is_identifier(group)]
    equal = Counter(known[id(group)] for group in worth)
    worth.sort(key=lambda group: (-known[id(group)], -_count(group), group.parts[0].name))
    recommended: list[Group] = []
    for group in worth:
        having = known[id(group)]
        whole = having < MOST * documents
        if RECOMMENDED_MAX - len(recommended) >= (equal[having] if whole else 1):
            recommended.append(group)
            equal[having] -= 1
    chosen = {id(group) for group in recommended}
    rest = [group for group in groups if id(group) not in chosen]
    rest.sort(key=lambda group: (-_holding(group), -_count(group), group.parts[0].name))
    return [(group, id(group) in chosen) for group in (*recommended, *rest)]


def _labelled(group: Group) -> int:
    """The documents in which one of its names is a label or a header, and not only said in sentences."""
    return len({document for part in group.parts for document in part.seen.labelled})


def _holding(group: Group) -> int:
    return len({document for part in group.parts for document in part.seen.documents})


def _count(group: Group) -> int:
    return sum(part.count for part in group.parts)


def _is_frequent(group: Group, documents: int) -> bool:
    """Whether it is in many documents, under a label that says what it is."""
    labelled = _labelled(group)
    if not labelled or all(set(core_words(part.name)) <= TOTALS for part in group.parts):
        return False
    if documents <= FEW_DOCUMENTS and _count(group) >= FEW_VALUES:
        return True
    return labelled >= max(2, COVERAGE * documents)


def _is_identifier(group: Group) -> bool:
    """Numbers that count rows, or name them."""
    part = group.parts[0]
    return part.type in ("number", "text") and not part.unit and _IDENTIFIER.search(part.name) is not None
