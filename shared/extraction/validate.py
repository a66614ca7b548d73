"""Validates an engine's operations against their page; nothing is composed from operations that fail."""

from collections.abc import Iterator

from shared.domain.geometry import Rect, union
from shared.domain.operations import (
    MAX_COLUMNS,
    Operation,
    PageOperations,
    RegisterChunk,
    RegisterFigure,
    RegisterTable,
)
from shared.domain.page import PageFile
from shared.extraction.references import Resolver, claimed_references


def validate_operations(page: PageFile, operations: PageOperations) -> list[str]:
    """Returns everything that is wrong, one sentence each; empty where the operations can be composed.

    Every reference resolves; each character of each fragment is claimed exactly once (white space at the edges of a
    part may stay unclaimed, as at a fragment's ends); an attribute's raw value occurs in its fragments; a figure's box
    is that of images on the page; cell spans stay inside their table.
    """
    if operations.page != page.page:
        return [f"the operations are about page {operations.page}, not {page.page}"]
    resolver = Resolver(page)
    errors: list[str] = []
    taken: dict[str, list[tuple[int, int]]] = {}
    for position, operation in enumerate(operations.operations):
        where = f"operation {position} ({operation.op})"
        errors += [f"{where}: {error}" for error in _claim(operation, resolver, taken)]
        errors += [f"{where}: {error}" for error in _details(operation, page, resolver)]
    return errors + list(_uncovered(page, taken))


def unclaimed_fragments(page: PageFile, operations: PageOperations) -> list[str]:
    """Ids of the fragments with a character that no operation claims."""
    resolver = Resolver(page)
    taken: dict[str, list[tuple[int, int]]] = {}
    for operation in operations.operations:
        list(_claim(operation, resolver, taken))
    return [f.id for f in page.fragments if _missing(f.text, taken.get(f.id, []))]


def _claim(operation: Operation, resolver: Resolver, taken: dict[str, list[tuple[int, int]]]) -> Iterator[str]:
    for reference in claimed_references(operation):
        try:
            part = resolver.resolve(reference)
        except ValueError as error:
            yield str(error)
            continue
        spans = taken.setdefault(part.fragment.id, [])
        if any(part.start < end and start < part.end for start, end in spans):
            yield f"{reference}: claimed before"
        else:
            spans.append((part.start, part.end))


def _missing(text: str, spans: list[tuple[int, int]]) -> int:
    """The number of characters that none of the non-overlapping `spans` covers; white space counts only in a fragment
    of which nothing is covered."""
    left = len(text) - sum(end - start for start, end in spans)
    if not left or not spans:
        return left
    covered = {position for start, end in spans for position in range(start, end)}
    return sum(not c.isspace() for position, c in enumerate(text) if position not in covered)


def _uncovered(page: PageFile, taken: dict[str, list[tuple[int, int]]]) -> Iterator[str]:
    for fragment in page.fragments:
        missing = _missing(fragment.text, taken.get(fragment.id, []))
        if missing:
            yield f"{fragment.id}: {missing} of {len(fragment.text)} characters are claimed by no operation"


def _details(operation: Operation, page: PageFile, resolver: Resolver) -> Iterator[str]:
    match operation:
        case RegisterChunk():
            yield from _attributes(operation, resolver)
            yield from _title(operation, resolver)
        case RegisterTable():
            yield from _grid(operation)
        case RegisterFigure():
            yield from _figure(operation, page, resolver)
        case _:
            return


def _attributes(chunk: RegisterChunk, resolver: Resolver) -> Iterator[str]:
    for attribute in chunk.attributes:
        try:
            text = " ".join(part.text for part in resolver.resolve_all(attribute.value_fragment_ids))
        except ValueError as error:
            yield f"attribute {attribute.name}: {error}"
            continue
        if not attribute.raw.strip() or attribute.raw not in text:
            yield f"attribute {attribute.name}: {attribute.raw!r} does not occur in its fragments"


def _title(chunk: RegisterChunk, resolver: Resolver) -> Iterator[str]:
    """The name of what a chunk defines is a part of its own fragments."""
    title = chunk.stands.title if chunk.stands else None
    if title is None:
        return
    try:
        part = resolver.resolve(title)
    except ValueError as error:
        yield f"title: {error}"
        return
    held = [resolver.resolve(one) for one in chunk.fragment_ids]
    if not any(one.fragment == part.fragment and one.start <= part.start and part.end <= one.end for one in held):
        yield f"title: {title} is no part of the chunk"


def _grid(table: RegisterTable) -> Iterator[str]:
    if not any(cell.fragment_ids for row in table.rows for cell in row):
        yield "a table without any text"
    if table.header_rows > len(table.rows):
        yield f"{table.header_rows} header rows in a table of {len(table.rows)}"
    for index, row in enumerate(table.rows):
        if any(cell.row_span > len(table.rows) - index for cell in row):
            yield f"row {index}: a cell spans beyond the last row"
        if sum(cell.col_span for cell in row) > MAX_COLUMNS:
            yield f"row {index}: more than {MAX_COLUMNS} columns"


def _figure(figure: RegisterFigure, page: PageFile, resolver: Resolver) -> Iterator[str]:
    box = figure.box
    if figure.picture is not None:
        if box != Rect(x=0, y=0, w=1, h=1) or not any(one.id == figure.picture for one in page.pictures):
            yield "the figure is not a picture of the part"
        return
    if box.w <= 0 or box.h <= 0 or box.right > 1.00002 or box.bottom > 1.00002:
        yield "the figure's box is not on the page"
    else:
        try:
            labels = [part.box for part in resolver.resolve_all(figure.label_fragment_ids)]
        except ValueError:
            return  # reported as a claim
        if not any(union([image.box, *labels]) == box for image in page.images):
            yield "the figure's box is not that of an image of the page with its labels"
