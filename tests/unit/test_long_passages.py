"""Passages that are longer than an embedder reads at once."""

from itertools import pairwise

import pytest

from shared.domain.geometry import CellRange, TextRange
from shared.domain.operations import RegisterChunk
from shared.domain.page import Fragment
from shared.readers.blocks import Block, PassageBlock, PlacedLine
from shared.readers.parts import parts_of

MOST = 1_200
SENTENCE = "The crane at berth 4 was greased again before noon. "


def placed(text: str, start: int = 7) -> PlacedLine:
    return PlacedLine(text, TextRange(start=start, end=start + len(text)))


def read(*blocks: Block) -> tuple[list[list[Fragment]], list[RegisterChunk]]:
    """The fragments of each chunk, and the chunks."""
    parts = parts_of(blocks, "test")
    there = {fragment.id: fragment for part in parts for fragment in part.fragments}
    chunks = [one for part in parts for one in part.structure or [] if isinstance(one, RegisterChunk)]
    return [[there[identifier] for identifier in chunk.fragment_ids] for chunk in chunks], chunks


def test_a_long_line_is_divided_where_sentences_end() -> None:
    text = (SENTENCE * 200).strip()
    found, _ = read(PassageBlock("text", [placed(text)]))
    (pieces,) = zip(*found, strict=True)
    assert " ".join(piece.text for piece in pieces) == text
    assert all(piece.text.endswith("noon.") and MOST // 2 < len(piece.text) <= MOST for piece in pieces)
    for piece in pieces:
        assert isinstance(piece.place, TextRange)
        assert text[piece.place.start - 7 : piece.place.end - 7] == piece.text


@pytest.mark.parametrize("text", ["crane " * 900, "港" * 5_000, "起重机已上油。" * 700, "x" * 4_001])
def test_without_ends_of_sentences_it_is_divided_between_words_or_anywhere(text: str) -> None:
    found, _ = read(PassageBlock("text", [placed(text.strip())]))
    pieces = [piece.text for (piece,) in found]
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(len(piece) <= MOST for piece in pieces)
    assert all(piece.endswith(("crane", "港", "。", "x")) for piece in pieces)


def test_many_lines_are_divided_between_lines_and_the_first_piece_has_the_address() -> None:
    lines = [placed(f"{number} {SENTENCE}".strip(), 100 * number) for number in range(60)]
    found, chunks = read(PassageBlock("list", lines, "4.2"))
    assert [fragment.text for piece in found for fragment in piece] == [line.text for line in lines]
    assert [chunk.section for chunk in chunks] == ["4.2", None, None]


@pytest.mark.parametrize(
    "block",
    [
        PassageBlock("text", [placed(SENTENCE * 23)]),
        PassageBlock("code", [placed(SENTENCE * 100)]),
        PassageBlock("text", [PlacedLine(SENTENCE * 100, CellRange(sheet="S", range="A1"))]),
        PassageBlock("text", [PlacedLine(SENTENCE * 100, TextRange(start=0, end=9))]),
    ],
)
def test_what_stays_whole(block: PassageBlock) -> None:
    found, _ = read(block)
    assert [len(piece) for piece in found] == [1]


def test_pieces_follow_each_other_in_parts_of_a_readable_size() -> None:
    parts = parts_of([PassageBlock("text", [placed(SENTENCE * 400)])], "test")
    starts = [one.place.start for part in parts for one in part.fragments if isinstance(one.place, TextRange)]
    assert len(parts) > 3
    assert all(before < after for before, after in pairwise(starts))
    assert all(sum(len(one.text) for one in part.fragments) <= 3_000 + MOST for part in parts)
