"""Verifies that the lines of a stored page are in its source: each fragment is matched with its characters, none used
twice.

A fragment is a whole line of the text layer, a part of one between gaps, a stack of lines set character by character
(vertical script), or, in right-to-left script, characters of one row in another order than in the file.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from shared.domain.page import Fragment, PageFile
from shared.domain.raw_page import RawLine, RawPage
from shared.verify.ground import (
    UPRIGHT,
    Frame,
    GroundLine,
    Ink,
    around,
    character_edges,
    is_box,
    line_box,
    line_size,
    part_box,
    part_size,
    reaching,
)

ROUNDING = 1e-5
COUNTED_BLANKS = tuple(f"pdf-{number}/" for number in range(1, 8))
# Characters for part of a ligature have no width.
THIN = 1e-5
# The same character this near (type sizes) is the same one, drawn again.
AGAIN_EM = 0.1
# Of fonts that misstate their size: so large it is at most, and how much wider most characters are. In type sizes of
# the fragment: how near baselines are that are one, from what white on characters are apart, and to what together.
STATED_MAX, WIDER_EM = 3.0, 1.5
BASELINE_EM = 0.1
APART_EM, TOGETHER_EM = 0.1, 0.3
_LEFT_TO_RIGHT = re.compile("[A-Za-z\u00c0-\u024f]+")


class Proven:
    """A fragment whose characters were found; `line` is their source line where they are in one."""

    def __init__(self, fragment: Fragment, size: float, line: GroundLine | None, characters: list[Ink]) -> None:
        self.fragment, self.size, self.characters = fragment, round(size, 2), characters
        self._line = line

    @property
    def is_drawn(self) -> bool:
        return self.characters[0].span.drawn

    def edges(self, frame: Frame) -> tuple[float, ...]:
        """The horizontal edges of its characters; empty for characters that are not upright in one line."""
        if self._line is None or not frame.is_upright(self._line.raw):
            return ()
        return character_edges(frame, self.characters, self.size)


@dataclass
class FragmentReading:
    """The result of matching: fragments found, fragments not found (with the source's text there), source text that no
    fragment has."""

    proven: dict[str, Proven] = field(default_factory=dict[str, Proven])
    unfounded: dict[str, str] = field(default_factory=dict[str, str])
    unread: list[str] = field(default_factory=list[str])
    characters: int = 0


def match(file: PageFile, raw: RawPage) -> FragmentReading:
    """Matches all fragments except those of OCR text."""
    return _Matching(file, raw).result


class _Drawn:
    """Characters by where they are drawn: a line that is drawn a second time there, whole or in part, says no more."""

    def __init__(self, characters: Sequence[Ink]) -> None:
        self._places: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for one in characters:
            self._places[one.text].append(one.raw.box[:2])

    def __contains__(self, one: Ink) -> bool:
        x, y = one.raw.box[:2]
        near = AGAIN_EM * one.span.size
        return any(abs(x - left) <= near and abs(y - top) <= near for left, top in self._places.get(one.text, ()))


class _Matching:
    def __init__(self, file: PageFile, raw: RawPage) -> None:
        self.result = FragmentReading()
        self._frame = Frame(raw)
        # Earlier readers counted blanks for a line's main type, except in a line that they made anew.
        self._blanks = (True, False) if file.extractor_version.startswith(COUNTED_BLANKS) else (False,)
        self._places: dict[GroundLine, list[tuple[float, float]]] = {}
        self._waiting: dict[str, list[Fragment]] = defaultdict(list)
        for fragment in file.fragments:
            if not fragment.ocr:
                self._waiting[fragment.text].append(fragment)
        lines = [line for line in map(GroundLine, raw.lines) if line.text]
        self.result.characters = sum([len(line.text) - line.text.count(" ") for line in lines])
        begun = self._take_baselines(lines) if _misstates_sizes(lines) else set[GroundLine]()
        left = [line for line in lines if line in begun or not self._take_whole(line)]
        self._take_stacks(left)
        for line in left:
            self._take_runs(line)
        self._take_rows(left)
        self._conclude(left)

    @property
    def _left(self) -> list[Fragment]:
        return [fragment for fragments in self._waiting.values() for fragment in fragments]

    def _take_whole(self, line: GroundLine) -> bool:
        candidates = self._waiting.get(line.text)
        if not candidates:
            return False
        for blanks in self._blanks:
            box, size = self._frame.exact(line_box(line, blanks)), line_size(line, blanks)
            found = next((one for one in candidates if is_box(one.box, box)), None)
            if found and (not blanks or found.size == round(size, 2)):
                self._prove(Proven(found, size, line, line.characters))
                return True
        return False

    def _take_runs(self, line: GroundLine) -> None:
        """Matches consecutive fragments of a line."""
        place = 0
        while place < len(line.characters):
            found = self._run_at(line, place) if line.free[place] else None
            if found is None:
                place += 1
                continue
            end = place + len(found.text)
            run = line.characters[place:end]
            self._prove(Proven(found, part_size(run), line, run))
            line.free[place:end] = [False] * len(run)
            place = end

    def _run_at(self, line: GroundLine, place: int) -> Fragment | None:
        """The longest fragment that begins at `place` and has the box of its characters; None where there is none."""
        fits = [one for one in self._left if line.text.startswith(one.text, place)]
        for one in sorted(fits, key=lambda one: -len(one.text)):
            runs = line.with_blanks(place, place + len(one.text))
            if any(is_box(one.box, self._frame.exact(part_box(line.raw, run))) for run in runs):
                return one
        return None

    def _take_stacks(self, lines: Sequence[GroundLine]) -> None:
        for fragment in [one for one in self._left if one.direction == "ttb"]:
            stack = next((s for s in _stacks(lines, fragment.text) if self._bounds(fragment, s)), None)
            if stack:
                characters = [one for line in stack for one in line.characters]
                self._prove(Proven(fragment, line_size(stack[0]), None, characters))
                for line in stack:
                    line.free[:] = [False] * len(line.free)

    def _bounds(self, fragment: Fragment, stack: Sequence[GroundLine]) -> bool:
        return is_box(fragment.box, self._frame.exact(around([line_box(line) for line in stack])))

    def _take_rows(self, lines: Sequence[GroundLine]) -> None:
        """Matches right-to-left text: the characters inside the fragment's box, in whatever order the file has them.

        Characters matched by one fragment are not available to others whose boxes overlap.
        """
        left = [one for one in self._left if _is_right_to_left(one.text)]
        while found := [one for one in left if self._take_row(one, lines)]:
            left = [one for one in left if one not in found]

    def _take_row(self, fragment: Fragment, lines: Sequence[GroundLine]) -> bool:
        held = [(line, place) for line in lines for place in self._held(fragment, line) if line.free[place]]
        inked = [line.characters[place] for line, place in held]
        if (
            Counter([one.text for one in inked]) != Counter("".join(fragment.text.split()))
            or not is_box(fragment.box, self._frame.exact(part_box(held[0][0].raw, inked)))
            or not self._reads_from_the_right(fragment.text, inked)
        ):
            return False
        self._prove(Proven(fragment, part_size(inked), None, inked))
        for line, place in held:
            line.free[place] = False
        return True

    def _take_baselines(self, lines: Sequence[GroundLine]) -> set[GroundLine]:
        """Matches text whose fonts misstate their size, so that the library saw blanks and ends of lines anywhere: the
        characters on one baseline inside the fragment's box, from the left to the right, with blanks where they are
        apart. The size is the reader's. Returns the lines of which characters were matched."""
        upright, found = [line for line in lines if line.raw.direction[0] > UPRIGHT], set[GroundLine]()
        placed = sorted(
            [(y, n, place) for n, line in enumerate(upright) for place, (_, y) in enumerate(self._middles(line))]
        )
        for fragment in self._left:
            top, bottom = fragment.box.y - ROUNDING, fragment.box.y + fragment.box.h + ROUNDING
            near = placed[bisect_left(placed, (top,)) : bisect_right(placed, (bottom, len(upright)))]
            inside = [(upright[n], place) for _, n, place in near if upright[n].free[place]]
            held = [(line, place) for line, place in inside if self._is_within(fragment, line, place)]
            for row in _on_baselines(held, BASELINE_EM * fragment.size):
                inked = sorted([line.characters[place] for line, place in row], key=lambda one: one.raw.box[0])
                if self._is_set(fragment, inked, row[0][0].raw):
                    self._prove(Proven(fragment, fragment.size, None, inked))
                    for line, place in row:
                        line.free[place] = False
                        found.add(line)
                    break
        return found

    def _is_set(self, fragment: Fragment, inked: Sequence[Ink], line: RawLine) -> bool:
        """Whether the characters spell the fragment, stand apart where it has blanks and nowhere else, and have its
        box."""
        if "".join([one.text for one in inked]) != "".join(fragment.text.split()):
            return False
        blank = [text[:1].isspace() for text in re.findall(r"\s*\S", fragment.text)][1:]
        gaps = [after.raw.box[0] - before.raw.box[2] for before, after in pairwise(inked)]
        if any(
            gap < APART_EM * fragment.size if b else gap > TOGETHER_EM * fragment.size
            for b, gap in zip(blank, gaps, strict=True)
        ):
            return False
        drawn = around([one.raw.box for one in inked])
        return any(
            is_box(fragment.box, self._frame.exact(reaching(drawn, line, baseline, fragment.size)))
            for baseline in {one.raw.baseline for one in inked}
        )

    def _reads_from_the_right(self, text: str, inked: Sequence[Ink]) -> bool:
        """Whether right-to-left letters, ordered from right to left by position, follow each other in the text: all of
        them, or those of each run in a left-to-right line. Combining marks and parts of a ligature have no position."""
        boxes = [(self._frame.exact(one.raw.box), one.text) for one in inked if _is_right_to_left(one.text)]
        placed = sorted([(-(box.left + box.right), letter) for box, letter in boxes if box.right - box.left > THIN])
        letters = Counter([letter for _, letter in placed])
        for stretches in ([text], _LEFT_TO_RIGHT.split(text)):
            read = [c for c in text if c in letters]
            seen: list[str] = []
            rest = [letter for _, letter in placed]
            for stretch in reversed(stretches):
                size = len([c for c in stretch if c in letters])
                seen, rest = [*rest[:size], *seen], rest[size:]
            if len(read) != len(seen) or read == seen:
                return True
        return False

    def _held(self, fragment: Fragment, line: GroundLine) -> list[int]:
        """Indexes in `line` of the characters whose centres are in the fragment's box."""
        box = fragment.box
        left, right = box.x - ROUNDING, box.x + box.w + ROUNDING
        top, bottom = box.y - ROUNDING, box.y + box.h + ROUNDING
        return [n for n, (x, y) in enumerate(self._middles(line)) if left <= x <= right and top <= y <= bottom]

    def _is_within(self, fragment: Fragment, line: GroundLine, place: int) -> bool:
        """Whether the centre of a character is between the sides of the fragment's box."""
        x, _ = self._middles(line)[place]
        return fragment.box.x - ROUNDING <= x <= fragment.box.x + fragment.box.w + ROUNDING

    def _middles(self, line: GroundLine) -> list[tuple[float, float]]:
        if line not in self._places:
            boxes = [self._frame.exact(one.raw.box) for one in line.characters]
            self._places[line] = [((box.left + box.right) / 2, (box.top + box.bottom) / 2) for box in boxes]
        return self._places[line]

    def _prove(self, proven: Proven) -> None:
        waiting = self._waiting[proven.fragment.text]
        del waiting[next(place for place, one in enumerate(waiting) if one is proven.fragment)]
        self.result.proven[proven.fragment.id] = proven

    def _conclude(self, lines: Sequence[GroundLine]) -> None:
        """`lines` are those that no fragment matches as a whole."""
        left = [[one for one, free in zip(line.characters, line.free, strict=True) if free] for line in lines]
        if any(left):
            read = _Drawn([one for proven in self.result.proven.values() for one in proven.characters])
            left = [line if any(one not in read for one in line) else [] for line in left]
        self.result.unread = ["".join([one.text for one in line]) for line in left if line]
        for fragment in self._left:
            there = ["".join([line.characters[n].text for n in self._held(fragment, line)]) for line in lines]
            self.result.unfounded[fragment.id] = " ".join([text for text in there if text])


def _on_baselines(held: Sequence[tuple[GroundLine, int]], near: float) -> Iterator[list[tuple[GroundLine, int]]]:
    """The characters from each of the baselines on to those that are so far below it."""
    placed = sorted([(line.characters[place].raw.baseline, n) for n, (line, place) in enumerate(held)])
    for baseline in sorted({baseline for baseline, _ in placed}):
        found = placed[bisect_left(placed, (baseline,)) : bisect_right(placed, (baseline + near, len(held)))]
        yield [held[n] for _, n in found]


def _misstates_sizes(lines: Sequence[GroundLine]) -> bool:
    """Whether most characters are wider than any letter of the size that their font states."""
    if not any(span.size < STATED_MAX for line in lines for span in line.raw.spans):
        return False
    inked = [one for line in lines for one in line.characters if not one.text.isspace()]
    wide = [one for one in inked if one.raw.box[2] - one.raw.box[0] > WIDER_EM * one.span.size]
    return 2 * len(wide) > len(inked)


def _is_right_to_left(text: str) -> bool:
    return not text.isascii() and any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)


def _stacks(lines: Sequence[GroundLine], text: str) -> Iterator[list[GroundLine]]:
    """Sequences of lines, in the file's order, that spell `text`."""
    for start in range(len(lines)):
        stack: list[GroundLine] = []
        rest = text
        for line in lines[start:]:
            if not rest or not rest.startswith(line.text) or not all(line.free):
                break
            stack.append(line)
            rest = rest[len(line.text) :]
        if stack and not rest:
            yield stack
