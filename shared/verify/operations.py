"""Verifies that the stored rows of a page agree with its operations: the same pieces, types and order."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from shared.domain.operations import (
    Operation,
    PageOperations,
    RegisterChunk,
    RegisterFigure,
    RegisterSection,
    RegisterTable,
    Skip,
)
from shared.domain.verify import StoredSkip
from shared.verify.claims import Held, Row
from shared.verify.page import Wrong
from shared.verify.pieces import Lines

Said = tuple[str, tuple[str, ...], tuple[str, ...], tuple[Row, ...], int]
Named = Callable[[Iterable[str]], tuple[str, ...]]
Skips = Counter[tuple[str, tuple[str, ...]]]


def operation_failures(
    page: int, lines: Lines, operations: PageOperations | None, held: Sequence[Held], skipped: Sequence[StoredSkip]
) -> Iterator[Wrong]:
    """The first difference, if there is one."""
    if operations is None:
        yield Wrong("operations", f"operations of page {page}", "none are stored")
        return
    if operations.page != page:
        yield Wrong("operations", f"operations of page {page}", f"operations of page {operations.page}")
        return
    left: Skips = Counter((skip.reason, tuple(skip.box.fragment_ids)) for skip in skipped)
    continued = [_stored(one) for one in held if not one.begins]
    begun = [_stored(one) for one in held if one.begins]
    said: list[Said] = []
    for operation in operations.operations:
        said += _kept(list(_said(operation, lines.canonical)), continued, left)
    if continued:
        yield Wrong("operations", "nothing that goes on from the page before", _told(continued[0]))
    for place in range(max(len(said), len(begun))):
        one, other = said[place : place + 1], begun[place : place + 1]
        if one != other:
            yield Wrong("operations", _told(*one), _told(*other))
            return
    if +left:
        reason, references = next(iter(+left))
        yield Wrong("operations", "no such text left out", f"{reason}: {' '.join(references)}")


def _kept(said: list[Said], continued: list[Said], left: Skips) -> list[Said]:
    """The operations without skipped text and without the continuation of the previous page's chunk."""
    found: list[Said] = []
    for one in said:
        kind, references, _, rows, _ = one
        reason = kind.removeprefix("skip ") if kind.startswith("skip ") else "header" if kind == "heading" else ""
        if reason and left[reason, references] > 0:
            left[reason, references] -= 1
            continue
        rest = _without_repeated_header(one, left) if rows else one
        match = next((other for other in continued if _goes_on(rest, other)), None)
        if match:
            continued.remove(match)
        else:
            found.append(one)
    return found


def _without_repeated_header(one: Said, left: Skips) -> Said:
    kind, references, labels, rows, header = one
    for count in range(1, len(rows) + 1):
        key = "repeated_table_header", _of(rows[:count])
        if left[key] > 0:
            left[key] -= 1
            return kind, _of(rows[count:]), labels, rows[count:], 0
    return kind, references, labels, rows, header


def _goes_on(said: Said, stored: Said) -> bool:
    """Whether the operation continues the stored chunk: a table by rows; text by text, whatever type the engine gave
    the second part."""
    if said[0] == "table" or stored[0] == "table":
        return said[0] == stored[0] and said[3] == stored[3]
    return said[1] == stored[1] and (said[0] == "code") == (stored[0] == "code")


def _stored(one: Held) -> Said:
    header = one.header_rows if one.begins else 0
    return one.kind, one.references, one.labels, one.rows, header


def _said(operation: Operation, named: Named) -> Iterator[Said]:
    match operation:
        case RegisterSection():
            yield "heading", named(operation.title_fragment_ids), (), (), 0
        case RegisterChunk():
            yield operation.chunk_type, named(operation.fragment_ids), (), (), 0
        case Skip():
            yield f"skip {operation.reason}", named(operation.fragment_ids), (), (), 0
        case RegisterFigure():
            yield "figure", named(operation.caption_fragment_ids), named(operation.label_fragment_ids), (), 0
        case RegisterTable():
            if operation.caption_fragment_ids:
                yield "caption", named(operation.caption_fragment_ids), (), (), 0
            rows, header = _rows(operation, named)
            yield "table", _of(rows), (), rows, header
        case _:
            return


def _rows(table: RegisterTable, named: Named) -> tuple[tuple[Row, ...], int]:
    """(rows with text, with spans reduced accordingly; how many of them are the header)."""
    inked = [number for number, row in enumerate(table.rows) if any(cell.fragment_ids for cell in row)]
    rows: list[Row] = []
    for number in inked:
        cells = table.rows[number]
        spans = [sum(number <= other < number + cell.row_span for other in inked) for cell in cells]
        rows.append(
            tuple((named(cell.fragment_ids), span, cell.col_span) for cell, span in zip(cells, spans, strict=True))
        )
    return tuple(rows), sum(number < table.header_rows for number in inked)


def _of(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(reference for row in rows for references, _, _ in row for reference in references)


def _told(*found: Said) -> str:
    if not found:
        return "nothing"
    kind, references, labels, rows, header = found[0]
    shape = f", {len(rows)} rows, {header} of them header" if rows else ""
    return f"{kind}{shape}: {' '.join([*references, *labels])}"
