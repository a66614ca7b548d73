"""From definitions to passages: each definition is one, as long as it fits, and opens the section of its name."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from shared.domain.geometry import TextRange
from shared.readers.blocks import Defined, PassageBlock, PlacedLine
from shared.readers.code.braces import BraceReader
from shared.readers.code.definition import Definition, LineStarts, nested
from shared.readers.code.languages import Language
from shared.readers.code.lines import ended, indented, stated
from shared.readers.code.quiet import quieted
from shared.readers.text.plain import CODE_CHARACTERS, indented_lines

# A passage that has to be cut ends behind at least this share of what it may have.
LEAST: Final = 0.5
_CLOSES: Final = ("}", ")", "]", "end", "else", "elif", "except", "finally", "fi", "done", "esac")
# Lines of ends that are looked at behind a definition.
MOST_ENDS: Final = 50
# A line that only ends what is around it.
_ENDS: Final = re.compile(r"[\s})\];,]*+(?:end\b[\s})\];,]*)?")


def blocks_of(text: str, language: Language) -> Iterator[PassageBlock]:
    """The passages of a file in their order; each line that is not blank is in one."""
    bare = quieted(text, language.quiet, language.shape == "indents")
    return _Passages(text, bare, language).blocks()


def definitions(text: str, bare: str, language: Language) -> list[Definition]:
    """The outermost definitions with those within them."""
    match language.shape:
        case "braces":
            found = BraceReader(text, bare, language).read()
        case "indents":
            found = indented(text, bare, language)
        case "ends":
            found = ended(text, bare, language)
        case "statements":
            found = stated(text, bare, language)
    return nested(found)


class _Passages:
    def __init__(self, text: str, bare: str, language: Language) -> None:
        self._text, self._bare = text, bare
        self._outermost = definitions(text, bare, language)
        self._has_directives = "directive" in language.quiet.groupindex
        self._lines = LineStarts(text)
        self._placed: dict[int, PlacedLine] = {}
        for line in indented_lines(text):
            if isinstance(line.place, TextRange):
                self._placed[self._lines.number(line.place.start)] = line

    def blocks(self) -> Iterator[PassageBlock]:
        yield from self._between(0, len(self._lines.starts), self._outermost, 0)

    def _between(
        self, first: int, end: int, inner: Sequence[Definition], depth: int, opens: Definition | None = None
    ) -> Iterator[PassageBlock]:
        """The lines `first` to `end` (exclusive) of the section at `depth`, which the first passage may open; of the
        definitions within, those that begin and end in lines of their own are sections below."""
        at = first
        for one in inner:
            begin, behind = self._extent(one, at)
            behind = self._past_ends(behind, end)
            name = self._lines.number(one.name_start)
            if begin < at or name < begin or behind > end or (opens and begin <= self._lines.number(opens.name_start)):
                continue
            yield from self._run(at, begin, depth, opens)
            opens = None
            yield from self._definition(one, begin, behind, depth + 1)
            at = behind
        yield from self._run(at, end, depth, opens)

    def _definition(self, one: Definition, begin: int, behind: int, depth: int) -> Iterator[PassageBlock]:
        fits = sum(len(line.text) for line in self._held(begin, behind)) <= CODE_CHARACTERS
        inner = () if one.kind != "holder" and fits else one.inner
        yield from self._between(begin, behind, inner, depth, one)

    def _extent(self, one: Definition, least: int) -> tuple[int, int]:
        """The lines of a definition: with the comments directly above it, from the line `least` on."""
        begin = self._lines.number(one.start)
        behind = self._lines.number(max(one.end - 1, one.start)) + 1
        while begin > least and self._is_comment(begin - 1):
            begin -= 1
        return begin, behind

    def _past_ends(self, behind: int, end: int) -> int:
        """`end` where nothing but ends of what is around stands before it: a brace alone says nothing."""
        if not behind <= end <= behind + MOST_ENDS:
            return behind
        numbers = (number for number in range(behind, end) if number in self._placed)
        return end if all(_ENDS.fullmatch(self._placed[number].text) for number in numbers) else behind

    def _is_comment(self, line: int) -> bool:
        begin, end = self._lines.begin(line), self._lines.begin(line + 1)
        if line not in self._placed or not self._bare[begin:end].isspace():
            return False
        return not (self._has_directives and self._placed[line].text.lstrip().startswith("#"))

    def _held(self, first: int, end: int) -> list[PlacedLine]:
        return [self._placed[number] for number in range(first, end) if number in self._placed]

    def _run(self, first: int, end: int, depth: int, opens: Definition | None) -> Iterator[PassageBlock]:
        """The lines as passages, cut where it disturbs least, and not before the name of what they define."""
        lines = [number for number in range(first, end) if number in self._placed]
        left = sum(len(self._placed[number].text) for number in lines)
        at = 0
        while at < len(lines):
            stop, length = self._cut(lines, at, left)
            if opens and lines[stop - 1] < (name := self._lines.number(opens.name_start)):
                stop = bisect_right(lines, name)
                length = sum(len(self._placed[number].text) for number in lines[at:stop])
            yield PassageBlock("code", self._held(lines[at], lines[stop - 1] + 1), defines=self._name(opens, depth))
            opens, at, left = None, stop, left - length

    def _cut(self, lines: Sequence[int], at: int, left: int) -> tuple[int, int]:
        """(index behind the last line of the next passage, its characters). Of the lines that could begin the passage
        after it the one that is least indented, then one behind a blank line, then the last."""
        if left <= CODE_CHARACTERS:
            return len(lines), left
        least = LEAST * left / -(-left // CODE_CHARACTERS)
        best: tuple[tuple[int, bool, int], int, int] | None = None
        length = 0
        for index in range(at, len(lines)):
            said = self._placed[lines[index]].text
            bare = said.lstrip()
            if index > at and length >= least and not bare.startswith(_CLOSES):
                rank = len(said) - len(bare), lines[index - 1] == lines[index] - 1, -index
                best = min(best, (rank, index, length)) if best else (rank, index, length)
            if length + len(said) > CODE_CHARACTERS and index > at:
                return best[1:] if best else (index, length)
            length += len(said)
        return len(lines), length

    def _name(self, opens: Definition | None, depth: int) -> Defined:
        """A passage that opens nothing says only how deep it stands."""
        if opens is None:
            return Defined(depth)
        place = TextRange(start=opens.name_start, end=opens.name_end)
        return Defined(depth, PlacedLine(self._text[place.start : place.end], place), opens.key)
