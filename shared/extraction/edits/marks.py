"""Marks on an assembled document: the section a person moved a chunk to, and the flags a person cleared.

Both concern chunks, not operations: a mark applies to the chunk that begins in the mark's passage.
"""

from collections.abc import Iterable, Mapping
from uuid import UUID

from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.domain.edits import ClearFlags
from shared.extraction.edits.replay import Mark
from shared.extraction.titles.tree import SectionTree, section_context


def section_openers(draft: DocumentDraft) -> dict[str, int]:
    """Maps the first fragment of the chunk that opened each section to the section's index. For a draft without
    marks."""
    found: dict[str, int] = {}
    opened: set[int] = set()
    for chunk in draft.chunks:
        start = first_reference(chunk)
        if chunk.section is not None and chunk.section not in opened and start:
            opened.add(chunk.section)
            found[start] = chunk.section
    return found


def apply_marks(draft: DocumentDraft, marks: Iterable[tuple[UUID, Mark]]) -> dict[UUID, str]:
    """Changes the draft's sections and flags as marked, later marks over earlier ones.

    Returns, by mark id, why a mark does not apply.
    """
    openers = section_openers(draft)
    places: dict[str, int | None] = {}
    flags: dict[str, set[str]] = {}
    stale: dict[UUID, str] = {}
    for edit, mark in marks:
        if isinstance(mark, ClearFlags):
            for reference in mark.passage.fragment_ids:
                flags.setdefault(reference, set()).update(mark.flags)
            continue
        target = openers.get(mark.section.fragment_ids[0]) if mark.section else None
        if mark.section and target is None:
            stale[edit] = "the section that it names is no longer there"
            continue
        places |= dict.fromkeys(mark.passage.fragment_ids, target)
    _place(draft, places, openers)
    for chunk in draft.chunks:
        cleared = flags.get(first_reference(chunk) or "", set())
        chunk.flags = [flag for flag in chunk.flags if flag not in cleared]
    return stale


def first_reference(chunk: ChunkDraft) -> str | None:
    """The reference to the first fragment of a chunk; None for a figure without text."""
    return next((r for box in chunk.boxes for r in box.fragment_ids), None)


def _place(draft: DocumentDraft, places: Mapping[str, int | None], openers: Mapping[str, int]) -> None:
    tree = SectionTree()
    tree.sections = draft.sections
    for chunk in draft.chunks:
        start = first_reference(chunk) or ""
        target = places.get(start)
        if target is None or openers.get(start) == chunk.section:
            continue
        lines = chunk.context.split("\n") if chunk.context else []
        rest = lines[1:] if section_context(tree, chunk.section) else lines
        chunk.section = target
        chunk.context = "\n".join(line for line in (section_context(tree, target), *rest) if line)
