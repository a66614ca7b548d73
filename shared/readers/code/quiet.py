"""Program text without what is no program: comments, strings and directives become blanks of the same length.

What remains has every character at its place, so that brackets and keywords can be counted without knowing a language's
grammar. One pass; what is never closed reaches to the end of its line, or of the file where the language has it so.
"""

import re
from typing import Final

_INK: Final = re.compile(r"[^\r\n]")
_DIRECTIVE: Final = re.compile(r"[ \t]*#[ \t]*(if|elif|else|endif)")


def quieted(text: str, quiet: re.Pattern[str], bracketed: bool = False) -> str:
    """As long as `text`. What `quiet` finds goes; its group `directive` is a line of the C preprocessor. `bracketed`:
    strings become a pair of brackets, where one that stands alone is a statement; then comments are a group too."""
    pieces: list[str] = []
    branches = _Branches()
    at = 0
    for found in quiet.finditer(text):
        pieces.append(branches.counted(text[at : found.start()]))
        if found.lastgroup == "directive":
            branches.meet(found[0])
        blank = _INK.sub(" ", found[0])
        pieces.append(f"({blank[1:-1]})" if bracketed and found.lastgroup != "comment" and len(blank) > 1 else blank)
        at = found.end()
    return "".join([*pieces, branches.counted(text[at:])])


class _Branches:
    """Which branches of #if … #else count. Where one leaves other brackets open than it found, the next was written in
    place of it, not beside it: the first alone counts."""

    def __init__(self) -> None:
        self._balance = 0
        self._open: list[tuple[int, bool]] = []

    def counted(self, text: str) -> str:
        """The text, blank in a branch that does not count."""
        if self._open and self._open[-1][1]:
            return _INK.sub(" ", text)
        self._balance += text.count("{") - text.count("}")
        return text

    def meet(self, directive: str) -> None:
        found = _DIRECTIVE.match(directive)
        if found is None:
            return
        if found[1] == "if":
            self._open.append((self._balance, bool(self._open) and self._open[-1][1]))
        elif found[1] == "endif":
            del self._open[-1:]
        elif self._open and not self._open[-1][1]:
            before, _ = self._open[-1]
            self._open[-1] = before, self._balance != before
