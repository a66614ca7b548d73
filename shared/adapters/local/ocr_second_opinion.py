"""Two engines: what the first reads without confidence, e.g. in a script it has no language for, the second tries."""

from collections.abc import Callable, Sequence
from functools import cached_property

from shared.ports import Ocr, OcrWord

# tesseract with English alone, on scans of the development corpora: .82 to .97 where the script is Latin, .19 to .59
# where it is Chinese, Korean or Arabic.
SURE = 0.75


class SecondOpinionOcr:
    """The second engine is loaded by the first page that needs it."""

    def __init__(self, first: Ocr, load_second: Callable[[], Ocr], second_version: str) -> None:
        self._first, self._load_second, self._second_version = first, load_second, second_version

    @property
    def version(self) -> str:
        return f"{self._first.version} or {self._second_version}"

    @cached_property
    def _second(self) -> Ocr:
        return self._load_second()

    def read(self, image: bytes) -> list[OcrWord]:
        """The first engine's words, unless it is unsure or finds none, and the second one is surer of its own."""
        words = self._first.read(image)
        if mean_confidence(words) >= SURE:
            return words
        others = self._second.read(image)
        return others if mean_confidence(others) > mean_confidence(words) else words


def mean_confidence(words: Sequence[OcrWord]) -> float:
    """Over characters; 0 for no words."""
    characters = sum(len(word.text) for word in words)
    return sum(word.confidence * len(word.text) for word in words) / characters if characters else 0.0
