"""Terms and impact levels as numbers: the keys by which the lexical index of a large knowledge base is read."""

from collections.abc import Iterable
from hashlib import md5
from uuid import UUID

LEVELS = 16
IMPACT_MAX = 2.2  # k1 + 1: what a term's impact approaches as it occurs ever more often
LEVEL_WIDTH = IMPACT_MAX / LEVELS
_TERM_BITS = (1 << 28) - 1
_OFFSET = 1 << 31


def level_of(impact: float) -> int:
    """The impact's level, 0 (weakest) to 15."""
    return min(LEVELS - 1, int(impact / LEVEL_WIDTH))


def bound_below(level: int) -> float:
    """No impact of a level below `level` is greater."""
    return level * LEVEL_WIDTH


def slot(term: int, level: int = 0) -> int:
    """A term's number (0 to 1e9) and a level as an int4; a term's slots follow each other."""
    return (term & _TERM_BITS) * LEVELS + level - _OFFSET


def term_of(slot: int) -> int:
    """The lower 28 bits of the term's number whose slot it is."""
    return (slot + _OFFSET) // LEVELS


def base_number(knowledge_base_id: UUID) -> int:
    """The knowledge base's number, an int4: its slots xor this are its keys."""
    digest = md5(str(knowledge_base_id).encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[:4], signed=True)


def keys_of(number: int, impacts: Iterable[tuple[int, float]]) -> list[int]:
    """A chunk's keys from its (term, impact) pairs, in the knowledge base `number`."""
    return [slot(term, level_of(impact)) ^ number for term, impact in impacts]
