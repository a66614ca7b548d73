"""What the head of a document says of all that stands under it: the headers of a mail, the fields of a record.

Each passage gets these values too, marked as the head's, so that a filter finds what a document says as a whole beside
what the passage says itself. Rows of a list stay apart from each other.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from shared.domain.attributes import Attribute
from shared.domain.draft import ChunkDraft

_MAILBOX: Final = re.compile(r"(?P<name>[^<>@]{1,200}?)\s*<(?P<address>[^<>@\s]{1,64}@[^<>@\s]{1,255})>")

# Titles stand in the index text of what is under them, and a table's rows have its values.
WITHOUT: Final = frozenset({"heading", "table"})
# As many values are written below the heads of a document, at most: 20 headers of a mail hold for 5,000 passages.
VALUES_MAX: Final = 100_000
LEFT_OUT: Final = "head_left_out"
# By the first fragment of a chunk.
Heads = Mapping[str, Literal["begins", "goes_on"]]


def values_of_heads(chunks: Sequence[ChunkDraft], heads: Heads) -> Iterator[tuple[ChunkDraft, list[Attribute]]]:
    """The chunks under a head, each with the labelled values of the head that it does not state itself.

    What it has behind a label or in a row is its own, and counts in place of the head's; what its sentences mention is
    beside it. Beyond VALUES_MAX a chunk gets none, and LEFT_OUT among its flags.
    """
    left = VALUES_MAX
    for span in _spans(chunks, heads):
        said = [
            one.model_copy(update={"role": "head"})
            for chunk in span if _mark(chunk, heads)
            for one in chunk.attributes if one.route == "label" and one.role is None
        ]  # fmt: skip
        names = {one.name for one in said}
        for chunk in span:
            own = {one.name for one in chunk.attributes if one.route != "text"}
            if names <= own or chunk.chunk_type in WITHOUT:
                continue
            values = [one for one in said if one.name not in own] if left > 0 else []
            if 0 < len(values) <= left:
                left -= len(values)
                yield chunk, values
            else:
                chunk.flags.append(LEFT_OUT)
                left = 0


def _spans(chunks: Sequence[ChunkDraft], heads: Heads) -> Iterator[list[ChunkDraft]]:
    """What stands under each head, with the head itself."""
    span: list[ChunkDraft] = []
    for chunk in chunks:
        if _mark(chunk, heads) == "begins":
            if span:
                yield span
            span = [chunk]
        elif span:
            span.append(chunk)
    if span:
        yield span


def _mark(chunk: ChunkDraft, heads: Heads) -> Literal["begins", "goes_on"] | None:
    first = next((reference for box in chunk.boxes for reference in box.fragment_ids), "")
    return heads.get(first)


def with_aliases(attributes: Sequence[Attribute]) -> list[Attribute]:
    """The values, each mailbox (`Ines Roth <ines@example.org>`) followed by its name and its address, by which filters
    find it too."""
    found: list[Attribute] = []
    for one in attributes:
        found.append(one)
        mailbox = _MAILBOX.fullmatch(one.text) if one.text else None
        if mailbox:
            name, address = mailbox["name"].strip(" \"'"), mailbox["address"]
            found += [
                one.model_copy(update={"raw": said, "text": said, "role": "alias"}) for said in (name, address) if said
            ]
    return found
