"""Words recognised in a picture: the result of every OCR engine."""

from typing import NamedTuple


class OcrWord(NamedTuple):
    """One word; its box in 0..1 of the picture it was recognised in, origin top left.

    `confidence` is 0..1 as the engine says it; engines are not calibrated against each other. Words of one `line`
    stand side by side on one base line, in the order in which they are read.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    confidence: float
    line: int
