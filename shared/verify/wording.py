"""The separators between pieces of stored text: the join rule, implemented a second time.

Running text: one space, or nothing where both sides are of a script without spaces, where both are parts of one line
that touch, and after a drop cap. Code: a line feed. Across a page break only the script is known. Non-empty cells of a
row: ` | `. Rows, and a figure's caption and labels: a line feed.
"""

from collections.abc import Iterable, Sequence

from shared.verify.pieces import Piece

# Blocks of Chinese and Japanese with their punctuation, first and last code point; Korean has spaces.
_WITHOUT_SPACES = (
    (0x2E80, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F),
    (0xFF01, 0xFF60),
)  # fmt: skip
# A drop cap is at least this much larger than the word it begins, and nearer than this share of that word's height.
INITIAL = 1.6
NEAR = 0.6


def running(pages: Iterable[Sequence[Piece]]) -> str:
    """Running text whose pieces are on one or more pages."""
    text = ""
    for pieces in pages:
        whole = _on_a_page(pieces)
        text += (_by_script(text, whole) if text and whole else "") + whole
    return text


def code(pages: Iterable[Sequence[Piece]]) -> str:
    return "\n".join([piece.text for pieces in pages for piece in pieces])


def row(cells: Iterable[str]) -> str:
    return " | ".join([cell for cell in cells if cell])


def stacked(texts: Iterable[str]) -> str:
    return "\n".join([text for text in texts if text])


def _on_a_page(pieces: Sequence[Piece]) -> str:
    if len(pieces) == 1:
        return pieces[0].text
    found: list[str] = []
    for place, piece in enumerate(pieces):
        if place:
            found.append(_between(pieces[place - 1], piece))
        found.append(piece.text)
    return "".join(found)


def _between(one: Piece, other: Piece) -> str:
    touching = one.line is other.line and one.end == other.start
    return "" if touching or _begins_word(one, other) else _by_script(one.text, other.text)


def _begins_word(one: Piece, other: Piece) -> bool:
    letters = len(one.text) == 1 and one.text.isalpha() and other.text[0].isalpha()
    near = other.left - one.right < NEAR * (other.bottom - other.top)
    return letters and near and one.line.size >= INITIAL * other.line.size


def _by_script(before: str, after: str) -> str:
    return "" if _is_spaceless(before[-1]) and _is_spaceless(after[0]) else " "


def _is_spaceless(character: str) -> bool:
    code_point = ord(character)
    return code_point >= 0x2E80 and any(first <= code_point <= last for first, last in _WITHOUT_SPACES)
