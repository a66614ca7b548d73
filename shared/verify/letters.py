"""The letters of a second reading, each of which is taken once."""

from bisect import bisect_left
from collections import defaultdict


class Letters:
    """The characters of a text without white space, taken in the order in which they are asked for, or else out of
    it. What is a line of the text is taken there first: a cell with a 1 would take the 1 out of another's 14."""

    def __init__(self, text: str) -> None:
        lines = ["".join(line.split()) for line in text.splitlines()]
        self._text = "".join(lines)
        self._lines = defaultdict[str, list[int]](list)
        at = 0
        for line in lines:
            self._lines[line].append(at)
            at += len(line)
        self._at = 0
        self._gaps: list[tuple[int, int]] = []

    def take(self, text: str) -> bool:
        wanted = "".join(text.split())
        if not wanted:
            return True
        whole = self._lines.get(wanted, [])
        ahead = bisect_left(whole, self._at)
        held = (at for at in range(ahead) if self._is_left(whole[at], whole[at] + len(wanted)))
        at = ahead if ahead < len(whole) else next(held, -1)
        found = whole.pop(at) if at >= 0 else -1
        if found < 0:
            found = self._text.find(wanted, self._at)
        if found < 0:
            places = (self._text.find(wanted, begin, end) for begin, end in self._gaps)
            found = next((at for at in places if at >= 0), -1)
        if found < 0:
            return False
        self._remove(found, found + len(wanted))
        return True

    def _is_left(self, begin: int, end: int) -> bool:
        return any(first <= begin and end <= last for first, last in self._gaps)

    def _remove(self, begin: int, end: int) -> None:
        if begin >= self._at:
            if begin > self._at:
                self._gaps.append((self._at, begin))
            self._at = end
            return
        at = next(at for at, (first, last) in enumerate(self._gaps) if first <= begin and end <= last)
        first, last = self._gaps[at]
        self._gaps[at : at + 1] = [one for one in ((first, begin), (end, last)) if one[0] < one[1]]

    def left(self) -> str:
        """What has not been taken."""
        gaps = [*self._gaps, (self._at, len(self._text))]
        return " ".join(self._text[begin:end] for begin, end in gaps if begin < end)
