"""How far a field of a summary can be relied upon: by what was found, and by nothing that was fitted."""

from collections.abc import Mapping, Sequence
from typing import Final

from shared.domain.experiments import FieldConfidence, SummaryField, SummaryStatement

_PLACE: Final = frozenset({"heading"})
_WORDS: Final = frozenset({"phrase", "step", "follows"})
_VALUE: Final = frozenset({"value"})
# What a field's statements need to speak for them, any one sign of each set. What limits, confuses or tests an
# experiment is said in words that say nothing else, wherever they stand; what was done and found is told in any words.
_NEEDED: Final[Mapping[SummaryField, tuple[frozenset[str], ...]]] = {
    "objective": (_PLACE, _WORDS),
    "setup": (_PLACE, _WORDS, _VALUE),
    "dataset": (_PLACE, _WORDS, _VALUE),
    "metrics": (_PLACE | _VALUE, _WORDS),
    "results": (_PLACE, _WORDS, _VALUE),
    "stats": (_WORDS | _VALUE,),
    "limits": (_WORDS,),
    "confounds": (_WORDS,),
}


def confidence_of(statements: Sequence[SummaryStatement]) -> FieldConfidence:
    """Of one field's statements, at least one. What a person states is its own evidence, of all kinds."""
    needed = _NEEDED[statements[0].field]
    shown = [[one.origin == "person" or bool(signs & {*one.found_by}) for signs in needed] for one in statements]
    coverage = sum(map(any, zip(*shown, strict=True))) / len(needed)
    consistency = sum(map(sum, shown)) / len(needed) / len(statements)
    density = min(1.0, sum(len(one.chunk_ids) for one in statements if not one.stale) / len(statements))
    value = coverage * consistency * density
    return FieldConfidence(
        value=round(value, 3), coverage=round(coverage, 3), consistency=round(consistency, 3), density=round(density, 3)
    )
