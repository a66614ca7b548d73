"""Questions for the newest of several documents: "Apple's gross margin in the latest 10-Q".

Documents have dates, and a passage does not say that a later report exists. A document is older if another that was
found is named by at least the same words of the query and has a later date: so a newer document of another kind, or of
another company, makes none older.
"""

import re
from collections.abc import Mapping
from datetime import date
from uuid import UUID

from shared.retrieval.documents import EVIDENCE_MAX, Evidence, Named

_NEWEST = re.compile(
    r"\b(?:latest|newest|most[ -]recent(?:ly)?|most up[ -]to[ -]date"
    r"|(?:current|last) (?:edition|version|revision|release|issue))\b",
    re.IGNORECASE,
)
# Who compares with earlier ones asks for these too.
_EARLIER = re.compile(r"\b(?:previous(?:ly)?|prior|earlier|older|preceding|past|historical(?:ly)?)\b", re.IGNORECASE)


def asks_for_newest(text: str) -> bool:
    """Whether the query asks for the newest document alone, in English words."""
    return bool(_NEWEST.search(text)) and not _EARLIER.search(text)


def lower_older(evidence: Evidence, naming: Named, dates: Mapping[UUID, date]) -> Evidence:
    """Takes from every older document as much evidence as one word can give. `naming`: which documents each word
    names; a document without a date is neither older nor newer."""
    words = {d: {word for word, named in naming.items() if d in named} for d in dates}
    older = {d for d in dates if any(dates[o] > dates[d] and words[o] >= words[d] for o in dates)}
    return {d: value - EVIDENCE_MAX * (d in older) for d, value in evidence.items()}
