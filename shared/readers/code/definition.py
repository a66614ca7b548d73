"""What a definition is, whatever language it is written in."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

from shared.readers.code.languages import Kind

# Deeper than people nest definitions; what is deeper stands with what is around it.
LEVELS: Final = 10
_STEP: Final = re.compile(r"operator\s*[^\s:.]+|~?[^\W\d][\w$]*|`[^`]*`|\"[^\"]*\"|\[[^\]]*\]")
_ANGLES: Final = re.compile(r"<[^<>]*>")


@dataclass(eq=False)
class Definition:
    """Characters `start` to `end` of the text are what it says; its name stands at `name_start` to `name_end`, all in
    one line. `key` is what it is called by: steps with dots between."""

    kind: Kind
    start: int
    end: int
    name_start: int
    name_end: int
    key: str
    inner: list["Definition"] = field(default_factory=list["Definition"])


def key_of(name: str) -> str:
    """The steps of a name: `Foo::bar` → `Foo.bar`, `"public"."users"` → `public.users`; a name without letters is
    itself."""
    plain = name if "operator" in name else _ANGLES.sub("", name)
    steps = [step.strip('`"[]') if step[:1] in '`"[' else step for step in _STEP.findall(plain)]
    return ".".join(filter(None, steps)) or name


def nested(found: list[Definition]) -> list[Definition]:
    """The outermost of `found`, which come by their starts, each with those within it."""
    outermost: list[Definition] = []
    around: list[Definition] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        while around and around[-1].end <= one.start:
            around.pop()
        (around[-1].inner if around else outermost).append(one)
        if len(around) < LEVELS:
            around.append(one)
    return outermost


class LineStarts:
    """The lines of a text by the offsets of their first characters."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(found.end() for found in re.finditer(r"\r\n|\n|\r", text))]
        self._length = len(text)

    def number(self, offset: int) -> int:
        """From 0."""
        return bisect_right(self.starts, offset) - 1

    def begin(self, number: int) -> int:
        return self.starts[number] if number < len(self.starts) else self._length
