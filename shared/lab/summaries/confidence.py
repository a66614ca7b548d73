"""How far a field of a summary can be relied upon: by what was found, and by nothing that was fitted."""

from collections.abc import Sequence
from typing import Final

from shared.domain.experiments import FieldConfidence, SummaryStatement

# Kinds of evidence that speak for a statement of their own accord; `caption` only says where it stands. Some fields are
# told in words alone.
_KINDS: Final = frozenset({"heading", "phrase", "value"})
_IN_WORDS: Final = frozenset({"objective", "limits", "confounds"})


def confidence_of(statements: Sequence[SummaryStatement]) -> FieldConfidence:
    """Of one field's statements, at least one. What a person states is its own evidence, of all kinds."""
    able = _KINDS - {"value"} if statements[0].field in _IN_WORDS else _KINDS
    kinds = [able if one.origin == "person" else able & {*one.found_by} for one in statements]
    coverage = len(frozenset[str]().union(*kinds)) / len(able)
    consistency = sum(len(found) for found in kinds) / len(able) / len(statements)
    density = min(1.0, sum(len(one.chunk_ids) for one in statements if not one.stale) / len(statements))
    value = coverage * consistency * density
    return FieldConfidence(
        value=round(value, 3), coverage=round(coverage, 3), consistency=round(consistency, 3), density=round(density, 3)
    )
