"""Headings of plain text that a number in front of them tells."""

from collections.abc import Iterator, Sequence

from shared.readers.blocks import Block, HeadingBlock, PassageBlock, lines_of_block
from shared.values.addresses import bare_label, components, normalise, printed_address
from shared.values.clauses import NumberedText, find_clauses, read_clause


def titled(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks of a text without type; titles of clauses, and of the rules below their numbers, that have a line of
    their own are headings below the underlined ones."""
    parted = [_parted(block) for block in blocks]
    paragraphs = [_as_text(piece) for pieces in parted for piece in pieces]
    clauses = find_clauses(paragraphs)
    chapters = [*(one.address for one in paragraphs if one.address), *(one.address for one in clauses.values())]
    numbers = {bare_label(address) or normalise(address) for address in chapters}
    last = {said.text: at for at, said in enumerate(paragraphs)}  # before that in the contents
    above = max((block.depth for block in blocks if isinstance(block, HeadingBlock) and not _number(block)), default=0)
    at = 0
    for block, pieces in zip(blocks, parted, strict=True):
        clause = clauses.get(at) or (read_clause(paragraphs[at].text) if paragraphs[at].opens else None)
        steps = components(clause.address) if clause else ()
        is_title = clause is not None and clause.alone and last[paragraphs[at].text] == at
        is_title = is_title and (at in clauses or (len(steps) > 1 and steps[0] in numbers))
        if is_title and isinstance(block, PassageBlock) and len(lines_of_block(pieces[0])) == 1:
            yield HeadingBlock(block.lines[:1], above + len(steps))
            yield from pieces[1:]
        else:
            yield block
        at += len(pieces)


def _parted(block: Block) -> list[Block]:
    """A passage whose first line may be a title, and that line's length is no reason to end it, in two."""
    if not isinstance(block, PassageBlock) or len(block.lines) < 2:
        return [block]
    first, second = block.lines[:2]
    clause = read_clause(first.text)
    fits = len(first.text) + 1 + len(second.text.split()[0]) <= max(len(line.text) for line in block.lines)
    if clause is None or not clause.alone or not fits or second.text[:1].islower():
        return [block]
    return [block._replace(lines=[first]), block._replace(lines=block.lines[1:])]


def _as_text(block: Block) -> NumberedText:
    text = " ".join(line.text for line in lines_of_block(block))
    return NumberedText(text, isinstance(block, PassageBlock), _number(block))


def _number(block: Block) -> str | None:
    """The number that a heading begins with."""
    printed = printed_address(block.lines[0].text) if isinstance(block, HeadingBlock) else None
    return printed[0] if printed else None
