"""Compares a version with the one before by what its chunks say, without looking at a single word of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Final
from uuid import UUID

from shared.access import find_place, reading
from shared.domain.changes import ChangedChunk, DocumentChanges
from shared.domain.scope import Identity
from shared.runtime import Runtime
from shared.store import diff as rows
from shared.store import library
from shared.store.diff import HashedChunk

ITEMS_MAX: Final = 200
# Above so many chunks that are not the same at both ends, they are compared as sets: added and removed alone.
ALIGNED_MAX: Final = 4_000


def find_changes(runtime: Runtime, identity: Identity, document_id: UUID) -> DocumentChanges | None:
    """None for a first version. Raises NotFound."""
    with reading(runtime, identity) as connection:
        find_place(connection, document_id)
        versions = library.list_versions(connection, document_id, 0, 10_000)
        at = next(number for number, one in enumerate(versions) if one.id == document_id)
        if at == 0:
            return None
        before = versions[at - 1]
        old, new = (rows.hashed_chunks(connection, one) for one in (before.id, document_id))
    items = list(changes_of(old, new))
    found = Counter(item.change for item in items)
    return DocumentChanges(
        document_id=document_id,
        before_id=before.id,
        before=before.version,
        same=len(new) - found["added"] - found["changed"],
        added=found["added"],
        changed=found["changed"],
        removed=found["removed"],
        items=items[:ITEMS_MAX],
    )


def changes_of(old: Sequence[HashedChunk], new: Sequence[HashedChunk]) -> Iterator[ChangedChunk]:
    """In the order of `new`. What stands between the same neighbours and says something else has changed; a chunk that
    is elsewhere now is the same."""
    kept = Counter(one.content_hash for one in old) & Counter(one.content_hash for one in new)
    left, right = _without(old, Counter(kept)), _without(new, Counter(kept))
    if len(left) + len(right) > ALIGNED_MAX:
        yield from (_change(None, one) for one in right)
        yield from (_change(one, None) for one in left)
        return
    matcher = SequenceMatcher(None, _places(old, left), _places(new, right), autojunk=False)
    for _, a, b, c, d in matcher.get_opcodes():
        yield from (_change(*pair) for pair in zip_longest(left[a:b], right[c:d]))


def _without(chunks: Sequence[HashedChunk], kept: Counter[str]) -> list[HashedChunk]:
    """The chunks whose equals the other version has not."""
    others: list[HashedChunk] = []
    for one in chunks:
        if kept[one.content_hash]:
            kept[one.content_hash] -= 1
        else:
            others.append(one)
    return others


def _places(chunks: Sequence[HashedChunk], others: Sequence[HashedChunk]) -> list[tuple[str, str]]:
    """Where each of `others` stands: behind which chunk that stayed, and what it is."""
    changed = {one.id for one in others}
    place, places = "", list[tuple[str, str]]()
    for one in chunks:
        if one.id in changed:
            places.append((place, one.chunk_type))
        else:
            place = one.content_hash
    return places


def _change(before: HashedChunk | None, after: HashedChunk | None) -> ChangedChunk:
    shown = after or before
    if shown is None:
        raise ValueError("a change is of something")
    return ChangedChunk(
        change="changed" if before and after else "added" if after else "removed",
        chunk_type=shown.chunk_type,
        id=after.id if after else None,
        page=after.page if after else None,
        before_id=before.id if before else None,
        before_page=before.page if before else None,
    )
