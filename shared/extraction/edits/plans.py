"""Translates the edits that people request into changes over fragments. Only here is decided what can be edited, and
how.

Every plan replaces whole operations, so that the result claims exactly the same fragments as before.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.domain.edits import Change, ClearFlags, Regroup, Retype
from shared.domain.operations import (
    ChunkType,
    EngineChunkType,
    Operation,
    RegisterChunk,
    RegisterFigure,
    RegisterSection,
    RegisterTable,
    Skip,
    SkipReason,
)
from shared.errors import BadInput
from shared.extraction.edits.replay import EditedPages, touching
from shared.extraction.references import Resolver, claimed_references
from shared.values.addresses import components, printed_address

TABLE_ADVICE = (
    "Rows, cells and the caption of a table stay with it. Turn the whole table into text (retype), or leave it out"
    " (furniture)."
)
# How many pages back the previous heading is looked for.
DEPTH_PAGES = 10
JOINS_PAGES = ("text", "list", "code", "formula")
_Group = RegisterSection | RegisterChunk | Skip


@dataclass(frozen=True)
class Target:
    """A stored chunk that an edit applies to: its type, its flags, its fragments by page in order."""

    chunk_type: ChunkType
    flags: Sequence[str]
    references: dict[int, list[str]]

    @property
    def pages(self) -> list[int]:
        return sorted(page for page, references in self.references.items() if references)


def plan_merge(edited: EditedPages, targets: Sequence[Target]) -> list[Change]:
    """Merges several chunks into one. They must be on one page or on consecutive pages."""
    by_page = _operations_of(edited, targets)
    pages = sorted(by_page)
    if pages != list(range(pages[0], pages[-1] + 1)):
        raise BadInput("Only chunks on the same page or on pages that follow each other can be merged.")
    groups = [group for page in pages for group in _editable(by_page[page])]
    first = groups[0]
    kind = "heading" if isinstance(first, RegisterSection) else first.chunk_type
    if len(pages) > 1 and kind not in JOINS_PAGES:
        raise BadInput(f"A {kind} stands on one page. Retype the first chunk to text, then merge over the page.")
    changes: list[Change] = []
    for page in pages:
        continues = None if page == pages[0] or kind == "heading" else kind
        if len(by_page[page]) > 1 or (continues and not _continues(by_page[page][0])):
            changes.append(_regroup(edited, page, [_merged(_editable(by_page[page]), continues)]))
    if not changes:
        raise BadInput("These chunks are one already.")
    return changes


def plan_split(edited: EditedPages, target: Target, reference: str) -> list[Change]:
    """Splits a chunk in two; the second begins at `reference`. What follows the first lines of a heading becomes
    text."""
    for page in target.pages:
        for operation in _editable(_operations_of(edited, [target])[page]):
            references = list(claimed_references(operation))
            if reference in references:
                at = references.index(reference)
                return [_regroup(edited, page, _parts(operation, at, begins=page == target.pages[0]))]
    raise BadInput(f"{reference} is no line of this chunk. Give one of the fragment ids of its boxes.")


def plan_retype(edited: EditedPages, target: Target, request: Retype) -> list[Change]:
    """The same fragments as another type. A table or a figure becomes text as a whole, on each of its pages
    separately."""
    if target.chunk_type in ("table_row", "structured"):
        raise BadInput(TABLE_ADVICE)
    if target.chunk_type == request.chunk_type and request.depth is None:
        raise BadInput(f"This chunk is a {request.chunk_type} already.")
    if request.chunk_type not in JOINS_PAGES and len(target.pages) > 1:
        raise BadInput(f"A {request.chunk_type} stands on one page, and this chunk on several. Split it first.")
    changes: list[Change] = []
    for page, operations in _operations_of(edited, [target]).items():
        _refuse_part_of_table(target, operations)
        new = [_retyped(edited, page, one, request) for one in operations]
        changes.append(_regroup(edited, page, [group for groups in new for group in groups]))
    return changes


def plan_furniture(edited: EditedPages, targets: Sequence[Target], reason: SkipReason) -> list[Change]:
    """Makes whole chunks skipped text, with a reason."""
    changes: list[Change] = []
    for target in targets:
        if target.chunk_type == "table_row":
            raise BadInput(TABLE_ADVICE)
    for page, operations in _operations_of(edited, targets).items():
        for target in targets:
            _refuse_part_of_table(target, [o for o in operations if _claims(o, target.references.get(page, []))])
        new: list[_Group] = [Skip(fragment_ids=list(claimed_references(one)), reason=reason) for one in operations]
        changes.append(_regroup(edited, page, new))
    return changes


def plan_restore(
    edited: EditedPages, page: int, references: Sequence[str], chunk_type: EngineChunkType
) -> list[Change]:
    """Makes skipped text a chunk; the rest of what was skipped together with it stays skipped."""
    operations = edited.operations(page)
    wanted = set(references)
    touched = [operations.operations[n] for n in touching(operations, references)]
    skips = [operation for operation in touched if isinstance(operation, Skip)]
    if not wanted or len(skips) != len(touched) or not wanted.issubset(r for s in skips for r in s.fragment_ids):
        raise BadInput(
            "These fragments are not text that was left out. Take those of a piece of `skipped` of the page."
        )
    new: list[_Group] = [RegisterChunk(fragment_ids=list(dict.fromkeys(references)), chunk_type=chunk_type)]
    for skip in skips:
        left = [reference for reference in skip.fragment_ids if reference not in wanted]
        if left:
            new.append(skip.model_copy(update={"fragment_ids": left}))
    return [_regroup(edited, page, new)]


def plan_unflag(edited: EditedPages, targets: Sequence[Target], page: int | None) -> list[Change]:
    """Clears the present flags; flags that a later run finds are shown again."""
    if (page is None) == (not targets):
        raise BadInput("Give either chunk_ids or a page to take the flags off.")
    if page is not None:
        flags = tuple(edited.operations(page).flags)
        return [_clear(edited, page, [], flags)]
    return [
        _clear(edited, one, target.references[one], tuple(target.flags))
        for target in targets
        for one in target.pages[:1]
    ]


def whole_passages(edited: EditedPages, target: Target) -> list[tuple[int, list[str]]]:
    """By page, all references claimed by the operations behind a chunk: for a table also its caption and rows."""
    found = _operations_of(edited, [target])
    return [(page, [r for one in operations for r in claimed_references(one)]) for page, operations in found.items()]


def _clear(edited: EditedPages, page: int, references: Sequence[str], flags: tuple[str, ...]) -> ClearFlags:
    if not flags:
        raise BadInput("There is no flag to take off.")
    return ClearFlags(passage=edited.passage(page, references), flags=flags)


def _operations_of(edited: EditedPages, targets: Iterable[Target]) -> dict[int, list[Operation]]:
    """The operations behind chunks, by page in order. Raises BadInput for a chunk without text."""
    wanted: dict[int, list[str]] = {}
    for target in targets:
        if not target.pages:
            raise BadInput("This chunk holds no text: there is nothing of it to edit.")
        for page in target.pages:
            wanted.setdefault(page, []).extend(target.references[page])
    found: dict[int, list[Operation]] = {}
    for page in sorted(wanted):
        operations = edited.operations(page)
        found[page] = [operations.operations[n] for n in touching(operations, wanted[page])]
    return found


def _editable(operations: Iterable[Operation]) -> list[RegisterSection | RegisterChunk]:
    """Raises BadInput if one of the operations is a table or a figure."""
    found: list[RegisterSection | RegisterChunk] = []
    for operation in operations:
        if isinstance(operation, RegisterTable):
            raise BadInput(TABLE_ADVICE)
        if not isinstance(operation, RegisterSection | RegisterChunk):
            raise BadInput("A figure cannot be merged or split. Turn it into text first (retype).")
        found.append(operation)
    return found


def _continues(operation: Operation) -> bool:
    return isinstance(operation, RegisterChunk) and operation.continues_previous_page


def _refuse_part_of_table(target: Target, operations: Iterable[Operation]) -> None:
    if target.chunk_type != "table" and any(isinstance(one, RegisterTable) for one in operations):
        raise BadInput(TABLE_ADVICE)


def _claims(operation: Operation, references: Iterable[str]) -> bool:
    return not set(references).isdisjoint(claimed_references(operation))


def _regroup(edited: EditedPages, page: int, operations: Sequence[_Group]) -> Regroup:
    claimed = [reference for operation in operations for reference in claimed_references(operation)]
    return Regroup(passage=edited.passage(page, claimed), operations=list(operations))


def _merged(groups: Sequence[RegisterSection | RegisterChunk], continues_as: EngineChunkType | None) -> _Group:
    """One operation made of several on a page; `continues_as` is the type of the chunk on the previous page that it
    continues."""
    references = [reference for group in groups for reference in claimed_references(group)]
    first = groups[0]
    if continues_as is not None:
        return RegisterChunk(fragment_ids=references, chunk_type=continues_as, continues_previous_page=True)
    if isinstance(first, RegisterSection):
        return first.model_copy(update={"title_fragment_ids": references})
    return _without_derived(first).model_copy(update={"fragment_ids": references})


def _without_derived(chunk: RegisterChunk) -> RegisterChunk:
    """The operation without values that are derived again from the present operations whenever the edit is replayed."""
    return chunk.model_copy(update={"attributes": [], "keywords": [], "confidence": 1.0})


def _parts(operation: RegisterSection | RegisterChunk, at: int, *, begins: bool) -> list[_Group]:
    references = list(claimed_references(operation))
    if at == 0:
        if begins or not isinstance(operation, RegisterChunk):
            raise BadInput("The chunk begins with this line. Choose a later one to split it there.")
        return [_without_derived(operation).model_copy(update={"continues_previous_page": False})]
    if isinstance(operation, RegisterSection):
        title = operation.model_copy(update={"title_fragment_ids": references[:at]})
        return [title, RegisterChunk(fragment_ids=references[at:], chunk_type="text")]
    first = _without_derived(operation).model_copy(update={"fragment_ids": references[:at]})
    own = {"section": None, "continues_previous_page": False, "fragment_ids": references[at:]}
    return [first, _without_derived(operation).model_copy(update=own)]


def _retyped(edited: EditedPages, page: int, operation: Operation, request: Retype) -> list[_Group]:
    if request.chunk_type == "heading":
        return [_heading(edited, page, operation, request.depth)]
    if isinstance(operation, RegisterChunk):
        return [_without_derived(operation).model_copy(update={"chunk_type": request.chunk_type})]
    captions = list(operation.caption_fragment_ids) if isinstance(operation, RegisterTable | RegisterFigure) else []
    rest = [reference for reference in claimed_references(operation) if reference not in captions]
    made: list[_Group] = []
    if captions:
        kind = "caption" if rest else request.chunk_type
        made.append(RegisterChunk(fragment_ids=captions, chunk_type=kind))
    if rest:
        made.append(RegisterChunk(fragment_ids=rest, chunk_type=request.chunk_type))
    return made


def _heading(edited: EditedPages, page: int, operation: Operation, depth: int | None) -> RegisterSection:
    if not isinstance(operation, RegisterSection | RegisterChunk):
        raise BadInput("A table or a figure can only become text. Retype it to text first.")
    references = list(claimed_references(operation))
    printed = printed_address(" ".join(part.text for part in Resolver(edited.file(page)).resolve_all(references)))
    address = printed[0] if printed else None
    if isinstance(operation, RegisterSection):
        address = operation.address
    levels = len(components(address)) if address else _depth_before(edited, page, operation)
    return RegisterSection(address=address, title_fragment_ids=references, depth=min(12, depth or levels))


def _depth_before(edited: EditedPages, page: int, operation: Operation) -> int:
    """The printed depth of the previous heading, on this page or the few before it; 1 where there is none."""
    operations = edited.operations(page).operations
    before: list[Operation] = operations[: operations.index(operation)]
    for earlier in range(page - 1, max(0, page - 1 - DEPTH_PAGES), -1):
        before = [*(edited.operations(earlier).operations if edited.has(earlier) else []), *before]
    return next((one.depth for one in reversed(before) if isinstance(one, RegisterSection)), 1)
