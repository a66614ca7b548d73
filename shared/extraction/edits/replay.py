"""Replays people's edits over an engine's operations; both pass the same checks.

An engine's operations are never changed. Replaying the edits over them yields the effective operations; an edit whose
fragments no longer exist, have other text or are grouped differently is stale, with a reason.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal
from uuid import UUID

from shared.domain.edits import ClearFlags, Edit, Passage, Placement, Regroup
from shared.domain.operations import (
    AttributeClaim,
    Operation,
    PageOperations,
    RegisterChunk,
    RegisterFigure,
    RegisterSection,
    RegisterTable,
    Skip,
    Standing,
)
from shared.domain.page import PageFile
from shared.extraction.references import Resolver, claimed_references
from shared.extraction.validate import validate_operations

LoadPage = Callable[[int], tuple[PageFile, PageOperations]]
Mark = Placement | ClearFlags


class Stale(Exception):
    """The edit does not fit the page any more; the message says why."""


class EditedPages:
    """The pages that edits touch: the page file of each, and its operations with the edits so far."""

    def __init__(self, load: LoadPage) -> None:
        self._load = load
        self._pages: dict[int, tuple[PageFile, PageOperations]] = {}
        self.edited: dict[int, PageOperations] = {}

    def file(self, page: int) -> PageFile:
        return self._page(page)[0]

    def has(self, page: int) -> bool:
        """Whether the page could be read."""
        try:
            self._page(page)
        except Stale:
            return False
        return True

    def operations(self, page: int) -> PageOperations:
        return self.edited.get(page) or self._page(page)[1]

    def passage(self, page: int, references: Iterable[str]) -> Passage:
        """The passage with the hash of its text. Raises Stale where a fragment does not exist."""
        ids = tuple(references)
        return Passage(page=page, fragment_ids=ids, text_hash=self._hash(page, ids))

    def check(self, passage: Passage) -> None:
        """Raises Stale unless the passage's text is unchanged."""
        if self._hash(passage.page, passage.fragment_ids) != passage.text_hash:
            raise Stale(f"the text of page {passage.page} is not the same any more")

    def apply(self, change: Regroup) -> None:
        """Applies a change, or raises Stale and changes nothing where it does not fit."""
        page = change.passage.page
        self.check(change.passage)
        edited = regrouped(self.file(page), self.operations(page), change)
        errors = validate_operations(self.file(page), edited)
        if errors:
            raise Stale(f"page {page}: {errors[0]}")
        self.edited[page] = edited

    def _page(self, page: int) -> tuple[PageFile, PageOperations]:
        if page not in self._pages:
            try:
                self._pages[page] = self._load(page)
            except KeyError as error:
                raise Stale(f"page {page} could not be read") from error
        return self._pages[page]

    def _hash(self, page: int, references: Sequence[str]) -> str:
        resolver = Resolver(self.file(page))
        try:
            parts = resolver.resolve_all(references or [fragment.id for fragment in self.file(page).fragments])
        except ValueError as error:
            raise Stale(f"page {page} is read in another way now ({error})") from error
        return sha256("\0".join(part.text for part in parts).encode()).hexdigest()


@dataclass
class Replay:
    """The result of replaying edits: the operations of changed pages, the marks for the assembled document, and by edit
    why it did not apply."""

    edited_pages: EditedPages
    marks: list[tuple[UUID, Mark]] = field(default_factory=list[tuple[UUID, Mark]])
    stale: dict[UUID, str] = field(default_factory=dict[UUID, str])


def replay(load: LoadPage, edits: Iterable[Edit]) -> Replay:
    """Replays `edits`, oldest first; each applies completely or not at all.

    `load` raises KeyError for a page that could not be read.
    """
    result = Replay(EditedPages(load))
    for edit in edits:
        before = dict(result.edited_pages.edited)
        try:
            result.marks += [(edit.id, mark) for mark in _apply(result.edited_pages, edit)]
        except Stale as reason:
            result.edited_pages.edited = before
            result.stale[edit.id] = str(reason)
    return result


def edited_page(load: LoadPage, page: int, edits: Iterable[Edit]) -> PageOperations:
    """Returns one page's operations with edits that were found to apply before; raises Stale where one does not."""
    edited = EditedPages(load)
    for edit in edits:
        for change in edit.changes:
            if change.passage.page == page and not isinstance(change, Placement):
                _apply_change(edited, change)
    return edited.operations(page)


def regrouped(file: PageFile, operations: PageOperations, change: Regroup) -> PageOperations:
    """Returns the page's operations with those of a passage replaced.

    Raises Stale where the change replaces other operations than those that claim the passage's fragments.
    """
    old = operations.operations
    touched = touching(operations, change.passage.fragment_ids)
    claimed = {reference for index in touched for reference in claimed_references(old[index])}
    if claimed != set(change.passage.fragment_ids):
        raise Stale(f"the lines are grouped in another way on page {file.page}")
    replaced = [old[index] for index in touched]
    new = [_with_carried_values(operation, replaced) for operation in change.operations]
    at = _insertion_index(file, old, touched, new)
    kept = [(index, operation) for index, operation in enumerate(old) if index not in touched]
    before = [operation for index, operation in kept if index < at]
    after = [operation for index, operation in kept if index >= at]
    return operations.model_copy(update={"operations": [*before, *new, *after]})


def touching(operations: PageOperations, references: Iterable[str]) -> list[int]:
    """Indexes of the operations that claim any of `references`."""
    wanted = set(references)
    return [n for n, one in enumerate(operations.operations) if not wanted.isdisjoint(claimed_references(one))]


def _apply(edited: EditedPages, edit: Edit) -> list[Mark]:
    return [mark for change in edit.changes if (mark := _apply_change(edited, change))]


def _apply_change(edited: EditedPages, change: Regroup | Mark) -> Mark | None:
    if isinstance(change, Regroup):
        edited.apply(change)
        return None
    edited.check(change.passage)
    if isinstance(change, Placement):
        if change.section is not None:
            edited.check(change.section)
    elif not change.passage.fragment_ids:
        page = edited.operations(change.passage.page)
        left = [flag for flag in page.flags if flag not in change.flags]
        edited.edited[page.page] = page.model_copy(update={"flags": left})
        return None
    return change


def _insertion_index(file: PageFile, old: Sequence[Operation], touched: Sequence[int], new: Sequence[Operation]) -> int:
    """The index at which the new operations are inserted: that of the first replaced one; for restored text, by reading
    order."""
    if not all(isinstance(old[index], Skip) for index in touched):
        return touched[0]
    order = {fragment.id: number for number, fragment in enumerate(file.fragments)}
    first = _first(order, new[0])
    content = (n for n, one in enumerate(old) if isinstance(one, RegisterSection | RegisterChunk | RegisterTable))
    return next((n for n in content if _first(order, old[n]) > first), len(old))


def _first(order: dict[str, int], operation: Operation) -> int:
    return min(order[reference.partition("[")[0]] for reference in claimed_references(operation))


def _head_of(chunk: RegisterChunk, own: Set[str]) -> Literal["begins", "goes_on"] | None:
    """What a piece of a chunk that is a head is: the one with its first line begins as that does, the others go on."""
    return chunk.head if chunk.fragment_ids[0] in own else "goes_on"


def _with_carried_values(operation: Operation, replaced: Sequence[Operation]) -> Operation:
    """The operation with the values that the replaced operations found in its fragments."""
    if not isinstance(operation, RegisterChunk):
        return operation
    own = set(operation.fragment_ids)
    sources = [r for r in replaced if not own.isdisjoint(claimed_references(r))]
    chunks = [source for source in sources if isinstance(source, RegisterChunk)]
    attributes: list[AttributeClaim] = [a for c in chunks for a in c.attributes if own.issuperset(a.value_fragment_ids)]
    trusted = [s.confidence for s in sources if isinstance(s, RegisterChunk | RegisterTable | RegisterFigure)]
    return operation.model_copy(
        update={
            "attributes": attributes,
            "head": next((_head_of(chunk, own) for chunk in chunks if chunk.head), None),
            "stands": _standing(operation, chunks),
            "keywords": list(dict.fromkeys(word for chunk in chunks for word in chunk.keywords)),
            "confidence": min(trusted, default=1.0),
        }
    )


def _standing(operation: RegisterChunk, sources: Sequence[RegisterChunk]) -> Standing | None:
    """Where the first of its sources stands; it opens that section where it has the name."""
    stands = next((chunk.stands for chunk in sources if chunk.stands), None)
    if stands is None or stands.title is None:
        return stands
    lines = {reference.partition("[")[0] for reference in operation.fragment_ids}
    return stands if stands.title.partition("[")[0] in lines else Standing(depth=stands.depth)
