"""Opens the sections of clauses, which only a whole document tells from the items of a list."""

from collections.abc import Iterator, Mapping
from typing import Final

from shared.domain.draft import ChunkDraft, DocumentDraft, SectionDraft
from shared.domain.geometry import with_ticks
from shared.extraction.titles.tree import SectionTree, section_context
from shared.values.addresses import aliases, is_below, normalise
from shared.values.clauses import Clause, NumberedText, find_clauses, is_in_capitals, label_of

_BODY: Final = frozenset({"text", "list"})


def open_clauses(draft: DocumentDraft) -> None:
    """Gives the draft's clauses sections of their own. Each has what follows it up to the next clause, heading or
    line in capitals, and below it the sections of the rules, tables and figures there."""
    first = _first_chunks(draft)
    found = find_clauses([*_paragraphs(draft, first)])
    if found:
        _Rebuilt(draft, first, found).write()


def _first_chunks(draft: DocumentDraft) -> dict[int, int]:
    """The place of the first chunk of each section."""
    first: dict[int, int] = {}
    for at, chunk in enumerate(draft.chunks):
        if chunk.section is not None:
            first.setdefault(chunk.section, at)
    return first


def _paragraphs(draft: DocumentDraft, first: Mapping[int, int]) -> Iterator[NumberedText]:
    for at, chunk in enumerate(draft.chunks):
        begins = chunk.section is not None and first[chunk.section] == at
        heads = begins and chunk.chunk_type in {"heading", *_BODY}
        address = draft.sections[chunk.section].address if heads and chunk.section is not None else None
        text = with_ticks(chunk.content, chunk.boxes)  # with the numbers that nobody typed
        yield NumberedText(text, chunk.chunk_type in _BODY and not begins, address)


class _Rebuilt:
    """The sections of a draft with its clauses among them, in the order in which they begin."""

    def __init__(self, draft: DocumentDraft, first: Mapping[int, int], found: Mapping[int, Clause]) -> None:
        self._draft, self._first, self._found = draft, first, found
        self._heads = {chunk.section for chunk in draft.chunks if chunk.chunk_type == "heading"}
        self._clause_at = [*self._open_clauses()]
        self._sections: list[SectionDraft] = []
        self._moved: dict[int, int] = {}
        self._clauses: dict[int, int] = {}

    def _open_clauses(self) -> Iterator[int | None]:
        """For each chunk the place of the clause that it is in."""
        clause: int | None = None
        for at, chunk in enumerate(self._draft.chunks):
            if at in self._found:
                clause = at
            elif clause is not None and self._ends(chunk, self._found[clause]):
                clause = None
            yield clause

    def _ends(self, chunk: ChunkDraft, clause: Clause) -> bool:
        if chunk.chunk_type == "heading":
            address = self._draft.sections[chunk.section].address if chunk.section is not None else None
            return not is_below(address or "", clause.address)
        return chunk.chunk_type in _BODY and is_in_capitals(chunk.content)

    def write(self) -> None:
        waiting = sorted(self._found)
        for section in self._draft.sections:
            while waiting and waiting[0] < self._first.get(section.index, -1):
                self._open(waiting.pop(0))
            self._keep(section)
        for at in waiting:
            self._open(at)
        before, after = _tree_of(self._draft.sections), _tree_of(self._sections)
        for at, chunk in enumerate(self._draft.chunks):
            self._place(at, chunk, before, after)
        self._draft.sections = self._sections

    def _open(self, at: int) -> None:
        chunk, clause = self._draft.chunks[at], self._found[at]
        above = self._heading_of(chunk.section, clause.address)
        self._clauses[at] = len(self._sections)
        steps = [one.address for one in _tree_of(self._sections).path(above) if one.address]
        self._add(
            SectionDraft(
                index=0, parent=above, address=clause.address, address_key=normalise(clause.address),
                aliases=aliases(clause.address, steps), title=clause.title, depth=1, page=chunk.boxes[0].page,
            )
        )  # fmt: skip

    def _keep(self, section: SectionDraft) -> None:
        """A section that a clause's text opens lies below the clause, or below the one that lies there."""
        parent = self._within(section.parent, self._clause_of(section.index))
        self._moved[section.index] = len(self._sections)
        self._add(section.model_copy(update={"parent": parent}))

    def _within(self, section: int | None, clause: int | None) -> int | None:
        """The new place of a section, if it begins in the clause, else that of the clause; outside clauses that of the
        nearest section above that begins in none."""
        while clause is None and section is not None and self._clause_of(section) is not None:
            section = self._draft.sections[section].parent
        if clause is not None and (section is None or self._clause_of(section) != clause):
            return self._clauses[clause]
        return self._moved[section] if section is not None else None

    def _add(self, section: SectionDraft) -> None:
        depth = self._sections[section.parent].depth + 1 if section.parent is not None else 1
        self._sections.append(section.model_copy(update={"index": len(self._sections), "depth": depth}))

    def _heading_of(self, section: int | None, address: str) -> int | None:
        """The nearest heading above that is none of the clause's sequence, by its new place."""
        sections, label = self._draft.sections, label_of(address)
        while section is not None and (
            section not in self._heads or label_of(sections[section].address or "") == label
        ):
            section = sections[section].parent
        return self._moved[section] if section is not None else None

    def _clause_of(self, section: int) -> int | None:
        """The place of the clause in which a section begins."""
        return self._clause_at[self._first[section]] if section in self._first else None

    def _place(self, at: int, chunk: ChunkDraft, before: SectionTree, after: SectionTree) -> None:
        old, clause = chunk.section, self._clause_at[at]
        chunk.section = self._within(old, clause)
        if clause is None and section_context(before, old) == section_context(after, chunk.section):
            return
        path, *rest = chunk.context.split("\n")
        if path == section_context(before, old):
            own = at in self._found
        elif path == section_context(before, old, own=True):
            own = True
        else:
            path, rest, own = "", [path, *rest], at in self._found
        chunk.context = "\n".join(line for line in (section_context(after, chunk.section, own), *rest) if line)


def _tree_of(sections: list[SectionDraft]) -> SectionTree:
    tree = SectionTree()
    tree.sections = sections
    return tree
