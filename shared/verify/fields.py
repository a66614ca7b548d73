"""Compares the parts of a file of data with its names and values as a second reader has them.

How parts are laid out is not asked. Each value must be said once: as a line behind its name, in a cell below it, or,
where lists and groups stand in one line and values in several, one behind the other as in the file.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import groupby
from typing import Final, NamedTuple

from shared.domain.geometry import Place
from shared.domain.operations import RegisterChunk, RegisterSection, RegisterTable, Skip
from shared.domain.page import PageFile
from shared.domain.raw_page import SecondField

UNSAID: Final = "nothing that says so"
# Of the places where something was said already so many are looked at.
PLACES_MAX: Final = 200
# Names and values are sorted by so many characters.
_SORTED_BY: Final = 100
# What stands between names, values and members of lists in one line; one that no space follows belongs to a value.
_BETWEEN: Final = re.compile(r"(?<![:,;])(?:[:,;]++(?:\s++|\Z)|(?!))++")
_SIGNS: Final = ":,;"
_END: Final = "\0"


class _Said(NamedTuple):
    """A line, or a cell with the text above it; `ids` are its fragments."""

    ids: Sequence[str]
    text: str
    name: str = ""


class _Range(NamedTuple):
    """Where a field stands in the stream: its name begins, its value begins, it ends."""

    begin: int
    value: int
    end: int


class _Starts:
    """Where names begin in a stream, or values that may be said without one: sorted by what stands there, so that each
    is found at once. Those that are seen to be covered are passed over from then on."""

    def __init__(self, stream: str, covered: bytearray, begins: Sequence[int]) -> None:
        self._stream, self._covered, self.begins = stream, covered, frozenset(begins)
        self._sorted = sorted(begins, key=lambda at: stream[at : at + _SORTED_BY])
        self._skip = [*range(len(begins) + 1)]

    def place(self, sought: str, fits: Callable[[int], bool]) -> int | None:
        """A place that fits and where nothing of what is sought is covered, else not all of it."""
        head = sought[:_SORTED_BY]

        def begin_of(at: int) -> str:
            return self._stream[at : at + len(head)]

        low, high = bisect_left(self._sorted, head, key=begin_of), bisect_right(self._sorted, head, key=begin_of)
        number = self._uncovered(low)
        while number < high:
            at = self._sorted[number]
            if self._covered[at]:
                self._skip[number] = number + 1
            elif fits(at):
                return at
            number = self._uncovered(number + 1)
        begun = self._sorted[low : min(high, low + PLACES_MAX)]
        return next((at for at in begun if fits(at) and self._covered.find(0, at, at + len(sought)) >= 0), None)

    def _uncovered(self, number: int) -> int:
        """The first of the sorted places from this one that is not passed over."""
        found = number
        while self._skip[found] != found:
            found = self._skip[found]
        while self._skip[number] != found:
            self._skip[number], number = found, self._skip[number]
        return found


class FieldProof:
    """Fields are used up part by part: what is left at the last one is what no part says.

    The stream holds names and values in the order of the file, each ended by _END."""

    def __init__(self, fields: Sequence[SecondField]) -> None:
        self._fields = fields
        self._names = {_bare(one.name) for one in fields}
        self._titles = self._names | {_bare(one.value) for one in fields if one.value is not None}
        self._open = defaultdict[str, deque[int]](deque)
        self._ranges: list[_Range] = []
        self._bounds = set[int]()
        pieces: list[str] = []
        starts: dict[bool, list[int]] = {True: [], False: []}
        length = 0
        for one in fields:
            bounds = [length]
            for is_name, said in ((True, [one.name]), (False, one.items or [one.value or ""])):
                for piece in filter(None, map(_loose, said)):
                    self._bounds.add(length)
                    if is_name or one.bare or not one.name:
                        starts[is_name].append(length)
                    pieces.append(piece + _END)
                    length += len(piece) + 1
                bounds.append(length)
            self._ranges.append(_Range(*bounds))
        for at in sorted(range(len(fields)), key=lambda at: fields[at].bare):
            for key in _keys(fields[at]):
                self._open[key].append(at)
        self._stream = "".join(pieces)
        self._bounds.add(length)
        self._covered = bytearray(one == _END for one in self._stream)
        self._said = bytearray(len(fields))
        self._starts = {is_name: _Starts(self._stream, self._covered, found) for is_name, found in starts.items()}
        self._at = 0
        self._columns = set[str]()
        self._last: tuple[Place | None, str] = None, ""

    def differences(self, file: PageFile, names: Set[str]) -> dict[str, str]:
        """What the file has instead of the fragments with these names, by the names of those that it does not have."""
        texts = {one.id: one.text for one in file.fragments}
        places = {one.id: one.place for one in file.fragments}
        wrong: list[str] = []
        lines: list[str] = []
        for operation in file.structure or ():
            match operation:
                case RegisterChunk() | Skip():
                    lines += operation.fragment_ids
                case RegisterSection():
                    title = _bare(" ".join(texts[one] for one in operation.title_fragment_ids))
                    wrong += operation.title_fragment_ids if title not in self._titles else ()
                case RegisterTable():
                    wrong += self._wrong_lines(lines, texts, places, names)
                    lines = []
                    header, cells = _cells_of(operation, texts)
                    wrong += (name for one in header if not self._take_column(one.text) for name in one.ids)
                    wrong += self._wrong(cells, names)
                case _:
                    pass
        wrong += self._wrong_lines(lines, texts, places, names)
        return {name: UNSAID for name in wrong if name in names}

    def _wrong_lines(
        self, lines: Sequence[str], texts: Mapping[str, str], places: Mapping[str, Place | None], names: Set[str]
    ) -> Iterator[str]:
        last = lines[-1:]
        for place, ids in groupby(lines, key=places.__getitem__):
            said = [_Said([one], texts[one]) for one in ids]
            yield from self._wrong_of_value(place, said, names, is_cut=said[-1].ids == last)

    def left(self) -> str:
        """What is in the file and no part says."""
        fields = ((at, one) for at, one in enumerate(self._fields) if not _says_nothing(one))
        missing = (one for at, one in fields if one.value is not None and not self._is_said(at))
        return "; ".join(_key(one) for one in missing)

    def _is_said(self, at: int) -> bool:
        """Whether parts say the field with this number: by itself, among others, or in several lines."""
        field = self._fields[at]
        return (
            self._said[at] == 1
            or self._is_covered(at)
            or (not (field.value or "").strip() and _bare(field.name) in self._columns)
        )

    def _is_covered(self, at: int) -> bool:
        return self._covered.find(0, *self._needed(at)) < 0

    def _is_taken(self, at: int) -> bool:
        """Whether parts say it; of what has no letters, by itself."""
        begin, end = self._needed(at)
        return self._said[at] == 1 or (end > begin and self._is_covered(at))

    def _needed(self, at: int) -> tuple[int, int]:
        """The letters of a field that parts must have."""
        begin, value, end = self._ranges[at]
        return (value if self._fields[at].bare else begin), end

    def _wrong_of_value(
        self, place: Place | None, lines: Sequence[_Said], names: Set[str], *, is_cut: bool
    ) -> Iterator[str]:
        """Lines at one place are a value, which may begin in the part before, or values of one element. `is_cut`: it
        may go on in the part behind."""
        key = "".join(_bare(one.text) for one in lines)
        goes_on = place == self._last[0]
        key = self._last[1] + key if goes_on else key
        self._last = place, key
        is_asked = all(names >= {*one.ids} for one in lines)
        is_next = is_asked and len(lines) == 1 and not goes_on and self._take_next(_loose(lines[0].text))
        if not is_next and not (is_asked and self._take_field(key)):
            yield from self._wrong(lines, names, goes_on=goes_on, is_cut=is_cut)

    def _wrong(
        self, said: Sequence[_Said], names: Set[str], *, goes_on: bool = False, is_cut: bool = False
    ) -> Iterator[str]:
        for at, one in enumerate(said):
            cut = not one.name and (is_cut or at < len(said) - 1)
            if names >= {*one.ids} and not self._take(one, goes_on=not one.name and (goes_on or at > 0), is_cut=cut):
                yield from one.ids

    def _take(self, said: _Said, *, goes_on: bool, is_cut: bool) -> bool:
        """`goes_on`: it stands at the place of what was taken last; `is_cut`: what follows may stand at its own."""
        text = _loose(said.text)
        rest = text.lstrip(_SIGNS)
        if goes_on and self._ends_well(self._at, rest, is_cut=is_cut):
            return self._cover(self._at, self._at + len(rest))
        names = [*_names_of(said.name)] if said.name else [""]
        if any(self._take_field(_named(name, said.text)) for name in names):
            return True
        return any(self._take_letters(f"{_loose(name)}{_END}{text}".strip(_END), is_cut=is_cut) for name in names)

    def _take_field(self, key: str) -> bool:
        """Uses up the first field with this key that no part has said."""
        waiting = self._open.get(key, deque[int]())
        while waiting and self._is_taken(waiting[0]):
            waiting.popleft()
        if not waiting:
            return False
        at = waiting.popleft()
        self._said[at] = 1
        begin, _, self._at = self._ranges[at]
        self._covered[begin : self._at] = b"\1" * (self._at - begin)
        return True

    def _take_letters(self, letters: str, *, is_cut: bool) -> bool:
        """Uses up letters that stand one behind the other in the file, beginning as a name or a value does, where not
        all of them have been said. What is not cut and says one thing says no name. Parts mostly have the order of the
        file."""
        if not letters or self._take_next(letters, is_cut=is_cut):
            return True
        sought = letters if is_cut else letters + _END
        places = (
            one.place(sought, lambda at: self._ends_well(at, letters, is_cut=is_cut))
            for one in self._starts_of(letters, is_cut=is_cut)
        )
        at = next((at for at in places if at is not None), None)
        return at is not None and self._cover(at, at + len(letters))

    def _starts_of(self, letters: str, *, is_cut: bool) -> list[_Starts]:
        return [self._starts[is_name] for is_name in ((True, False) if is_cut or _END in letters else (False,))]

    def _take_next(self, letters: str, *, is_cut: bool = False) -> bool:
        """Uses up letters that stand behind what was taken last."""
        at = self._at
        begins = any(at in one.begins for one in self._starts_of(letters, is_cut=is_cut))
        follows = begins and self._ends_well(at, letters, is_cut=is_cut) and self._is_new(at, letters)
        return follows and self._cover(at, at + len(letters))

    def _is_new(self, at: int, letters: str) -> bool:
        return self._covered.find(0, at, at + len(letters)) >= 0

    def _ends_well(self, at: int, letters: str, *, is_cut: bool) -> bool:
        """Whether letters stand here and end as a name or a value does, if they must."""
        end = at + len(letters) + 1
        return self._stream.startswith(letters, at) and (
            is_cut or (self._stream[end - 1 : end] == _END and end in self._bounds)
        )

    def _cover(self, begin: int, end: int) -> bool:
        """A field that was said before and stands here too is another one with this key, if there is one more."""
        length = len(self._stream)
        while end < length and self._stream[end] in _SIGNS:
            end += 1
        behind = end + (end < length and self._stream[end] == _END)
        first = bisect_left(self._ranges, begin, key=lambda one: one.begin)
        within = range(first, bisect_right(self._ranges, behind, lo=first, key=lambda one: one.end))
        before = [at for at in within if self._ranges[at].end > self._ranges[at].begin and self._is_taken(at)]
        self._covered[begin:end] = b"\1" * (end - begin)
        for at in before:
            self._said[at] = 0
            for key in _keys(self._fields[at]):
                if self._take_field(key):
                    break
        self._at = behind
        return True

    def _take_column(self, text: str) -> bool:
        """Notes what the text above a column may say, and whether the file has such names."""
        names = [_bare(one) for one in _names_of(text)]
        self._columns.update(names)
        return any(
            one in self._names and _bare(text).removesuffix(one).rstrip(".") in {"", *self._names} for one in names
        )


def _cells_of(table: RegisterTable, texts: dict[str, str]) -> tuple[list[_Said], list[_Said]]:
    """The cells of the header, and those below it, each with the name above it."""
    rows = [
        [_Said(cell.fragment_ids, " ".join(texts[one] for one in cell.fragment_ids)) for cell in row]
        for row in table.rows
    ]
    header = rows[0] if table.header_rows else []
    below = [one._replace(name=top.text) for row in rows[1:] for top, one in zip(header, row, strict=True) if one.ids]
    return header, below


def _names_of(column: str) -> Iterator[str]:
    """What the text above a column may say: a name, or two with a dot, of which the second is the value's."""
    yield column
    for at, sign in enumerate(column):
        if sign == ".":
            yield column[at + 1 :]


def _says_nothing(field: SecondField) -> bool:
    """An empty list or group without a name, and what is empty and may be read without its name."""
    return field.value in ("[]", "{}") if not field.name else field.bare and not (field.value or "").strip()


def _keys(field: SecondField) -> Iterator[str]:
    """The lines that say a field by itself, without spaces."""
    if field.value is not None:
        yield _key(field)
        if field.bare:
            yield _bare(field.value)


def _key(field: SecondField) -> str:
    return _named(field.name, field.value or "")


def _named(name: str, value: str) -> str:
    return f"{_bare(name)}:{_bare(value)}" if name else _bare(value)


def _bare(text: str) -> str:
    return "".join(text.split())


def _loose(text: str) -> str:
    """The letters, with one sign for what divides them in a line."""
    return _bare(_BETWEEN.sub(_END, text)).strip(_END)
