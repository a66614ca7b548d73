"""In which release something changed, and when: the entry of a list of changes says what, and the title above it in
which release and on which day."""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from shared.domain.knowledge import Hit
from shared.values.dates import find_dates

_ASKS_RELEASE: Final = re.compile(r"\b(?:which|what)(?: [\w.+-]+){0,3}? (?:versions?|releases?)\b(?! v?\d)", re.I)
_ASKS_WHEN: Final = re.compile(r"\W*(?:since )?when (?:did|was|were|has|have)\b", re.I)
# "1.33.0 - 2026-10-27", "v9.19.1 (2026-10-13)", "[3.2.1] - 3 May 2020", "Notmuch 0.37 (2022-08-21)".
_RELEASE: Final = re.compile(
    r"\W*(?:[^\W\d_][\w.@/-]*\s+)?\W{0,2}v?\d{1,4}(?:\.\d+){1,3}(?:[-.+]?[a-z]+[.\d]*)?(?=\W|\Z)", re.I
)
# Marks that some generators of pages read: {: #v1.33.0 }.
_BRACES: Final = re.compile(r"\{[^{}]*\}")
_WORD: Final = re.compile(r"[^\W\d_]{3}")


def asks_release(question: str) -> bool:
    """Whether a release answers, or the day of one: which version dropped it, when did it come."""
    return bool(_ASKS_RELEASE.search(question) or _ASKS_WHEN.match(question))


def release_of(question: str, hit: Hit) -> UUID | None:
    """The innermost section around a hit whose title is a release, with its day where it is asked when; None for a hit
    of no release."""
    path = hit.chunk.section.path if hit.chunk.section else []
    dated = not _ASKS_RELEASE.search(question)
    return next((step.id for step in reversed(path) if _is_release(f"{step.address or ''} {step.title}", dated)), None)


def _is_release(title: str, dated: bool) -> bool:
    """Whether it is a release and nothing more, so that a numbered section (`5.1 Scope`) is none."""
    found = _RELEASE.match(title.strip())
    if found is None:
        return False
    rest = _BRACES.sub("", title.strip()[found.end() :])
    days = [(start, end) for start, end, _day in find_dates(rest)]
    for start, end in reversed(days):
        rest = rest[:start] + rest[end:]
    return not _WORD.search(rest) and (bool(days) or not dated)


def releases_of(question: str, hits: Sequence[Hit]) -> Mapping[UUID, UUID]:
    """By chunk the release that it is of, where a release is asked for."""
    if not asks_release(question):
        return {}
    found = {hit.chunk.id: release_of(question, hit) for hit in hits}
    return {chunk: release for chunk, release in found.items() if release}
