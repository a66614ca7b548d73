"""Terms and impact levels as integers: the keys of the posting lists that the lexical index of a large knowledge base
is read by."""

from collections.abc import Iterable
from hashlib import md5
from uuid import UUID

LEVELS = 16
IMPACT_MAX = 2.2  # k1 + 1: the limit of a term's impact as its count grows
LEVEL_WIDTH = IMPACT_MAX / LEVELS
_TERM_BITS = (1 << 28) - 1
_OFFSET = 1 << 31


def level_of(impact: float) -> int:
    """The impact quantised to a level from 0 (weakest) to 15."""
    return min(LEVELS - 1, int(impact / LEVEL_WIDTH))


def bound_below(level: int) -> float:
    """An upper bound on the impacts of all levels below `level`."""
    return level * LEVEL_WIDTH


def slot(term: int, level: int = 0) -> int:
    """A term's number (0 to 1e9) and a level packed into an int4; the slots of a term are consecutive."""
    return (term & _TERM_BITS) * LEVELS + level - _OFFSET


def term_of(slot: int) -> int:
    """The lower 28 bits of the term number in a slot."""
    return (slot + _OFFSET) // LEVELS


def base_number(knowledge_base_id: UUID) -> int:
    """The knowledge base's number, an int4; a key is a slot xor this number."""
    digest = md5(str(knowledge_base_id).encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[:4], signed=True)


def keys_of(number: int, impacts: Iterable[tuple[int, float]]) -> list[int]:
    """A chunk's keys for its (term number, impact) pairs, in the knowledge base with the given `number`."""
    return [slot(term, level_of(impact)) ^ number for term, impact in impacts]
