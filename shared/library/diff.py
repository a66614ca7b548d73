"""Compares two versions of a document: sections first, then the passages within them, then passages that moved."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from shared.access import find_document, reading
from shared.domain.diff import Diff, DiffItem, DiffSide, DiffSummary
from shared.domain.knowledge import Document
from shared.domain.scope import Identity
from shared.errors import BadInput
from shared.library.diff_align import Aligner, Match
from shared.library.diff_pairs import FLAGS, Pair, follow_moved
from shared.library.diff_sections import SectionText, parts_of
from shared.runtime import Runtime
from shared.store import diff as rows

# The most chunks per version.
CHUNKS_MAX = 20_000
# Score from which sections with different names count as the same.
SURE_SECTION = 0.4


def diff_documents(runtime: Runtime, identity: Identity, a: UUID, b: UUID) -> Diff:
    """Compares document `a` with document `b`. Deterministic.

    Raises NotFound, and BadInput for documents of two knowledge bases or with too many chunks. They need not be linked
    as versions: a suggestion is looked at before it is accepted.
    """
    with reading(runtime, identity) as connection:
        before, after = find_document(connection, a), find_document(connection, b)
        if before.knowledge_base_id != after.knowledge_base_id:
            raise BadInput(f"{before.name} and {after.name} are in different knowledge bases; compare within one.")
        counted = [rows.count_chunks(connection, document.id) for document in (before, after)]
        for document, (chunks, _) in zip((before, after), counted, strict=True):
            if chunks > CHUNKS_MAX:
                raise BadInput(f"{document.name} has {chunks} chunks; up to {CHUNKS_MAX} can be compared.")
        embedder = counted[0][1] if counted[0][1] == counted[1][1] else None
        versions = [rows.read_version(connection, document.id, embedder) for document in (before, after)]
    found = compare_parts(parts_of(versions[0]), parts_of(versions[1]))
    return Diff(
        a=_side(before),
        b=_side(after),
        vectors=bool(versions[0].vectors and versions[1].vectors),
        summary=summarize(found),
        items=found,
    )


def compare_parts(before: Sequence[SectionText], after: Sequence[SectionText]) -> list[DiffItem]:
    """Every section of either version, in the order of `after`; removed ones follow the section that preceded them."""
    matches = Aligner([p.passage for p in before], [p.passage for p in after], SURE_SECTION).align()
    pairs = _pairs(before, after, matches)
    for pair in pairs:
        pair.align()
    follow_moved(pairs)
    return [pair.item() for pair in pairs if pair.is_shown]


def _pairs(before: Sequence[SectionText], after: Sequence[SectionText], matches: Sequence[Match]) -> list[Pair]:
    by_b = {m.b: m for m in matches}
    counterparts = {m.a: m.b for m in matches}
    placed: list[tuple[float, Pair]] = []
    for n, part in enumerate(after):
        match = by_b.get(n)
        placed.append((n, Pair(before[match.a] if match else None, part, match)))
    last = -1
    for n, part in enumerate(before):
        if n in counterparts:
            last = counterparts[n]
        else:
            placed.append((last + 0.5, Pair(part, None, None)))
    return [pair for _, pair in sorted(placed, key=lambda one: one[0])]


def summarize(items: Sequence[DiffItem]) -> DiffSummary:
    statuses = Counter(item.status for item in items)
    changed = [item for item in items if item.status == "changed"]
    flags = Counter(flag for item in changed for flag in item.flags)
    return DiffSummary(
        sections_a=sum(item.a is not None for item in items),
        sections_b=sum(item.b is not None for item in items),
        unchanged=statuses["unchanged"],
        moved=statuses["moved"],
        changed=statuses["changed"],
        added=statuses["added"],
        removed=statuses["removed"],
        renumbered=sum(item.moved for item in items),
        reworded=sum(item.meaning == "same" for item in changed),
        meaning_changed=sum(item.meaning == "changed" for item in changed),
        flags={flag: flags[flag] for flag in FLAGS},
    )


def _side(document: Document) -> DiffSide:
    return DiffSide(id=document.id, name=document.name, version=document.version)
