"""What a mutant is: one small change of one file, of a kind that somebody could make and nobody might notice."""

from dataclasses import dataclass
from difflib import unified_diff


@dataclass(frozen=True)
class Mutant:
    """Characters `start` to `end` of the file at `path` (relative to the checkout) become `replacement`."""

    path: str
    source: str
    start: int
    end: int
    replacement: str
    kind: str

    @property
    def line(self) -> int:
        """The line of the change, from 1."""
        return self.source.count("\n", 0, self.start) + 1

    def text(self) -> str:
        """The whole file after the change."""
        return self.source[: self.start] + self.replacement + self.source[self.end :]

    def changed_lines(self) -> tuple[str, str]:
        """The lines that the change touches, before and after, without indentation: they name a mutant in lists."""
        first = self.source.rfind("\n", 0, self.start) + 1
        last = self.source.find("\n", self.end)
        last = len(self.source) if last < 0 else last
        after = self.source[first : self.start] + self.replacement + self.source[self.end : last]
        return _joined(self.source[first:last]), _joined(after)

    def diff(self) -> str:
        lines = unified_diff(self.source.splitlines(), self.text().splitlines(), self.path, self.path, "", "", 2, "")
        return "\n".join(lines)


def _joined(text: str) -> str:
    return " ".join(text.split())
