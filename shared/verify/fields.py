"""Compares the parts of a file of data with its names and values as a second reader has them.

How parts are laid out is not asked. Each value must be said once: as a line behind its name, in a cell below it, or,
where lists and groups stand in one line and values in several, one behind the other as in the file.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from itertools import accumulate, groupby, islice
from typing import Final, NamedTuple

from shared.domain.geometry import Place
from shared.domain.operations import RegisterChunk, RegisterSection, RegisterTable, Skip
from shared.domain.page import PageFile
from shared.domain.raw_page import SecondField

# Of the places where a line stands so many are looked at.
PLACES_MAX: Final = 200
UNSAID: Final = "nothing that says so"
# What stands between the values of a list or a group in one line.
_SIGNS: Final = str.maketrans("", "", ":,;{}[]")


class _Said(NamedTuple):
    """A line, or a cell with the text above it; `ids` are its fragments."""

    ids: Sequence[str]
    text: str
    name: str = ""


class FieldProof:
    """Fields are used up part by part: what is left at the last one is what no part says."""

    def __init__(self, fields: Sequence[SecondField]) -> None:
        self._fields = fields
        self._open = Counter(_key(one) for one in fields if one.value is not None)
        self._bare = defaultdict[str, list[str]](list)
        for one in fields:
            if one.bare and one.value is not None:
                self._bare[_bare(one.value)].append(_key(one))
        self._names = {_bare(one.name) for one in fields}
        self._titles = self._names | {_bare(one.value) for one in fields if one.value is not None}
        pieces = [piece for one in fields for piece in (_loose(one.name), _loose(one.value or ""))]
        self._stream, self._ends = "".join(pieces), [*accumulate(map(len, pieces))]
        self._bounds = {0, *self._ends}
        self._covered = bytearray(len(self._stream))
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
                    header, cells = _cells_of(operation, texts)
                    wrong += (name for one in header if not self._is_column(one.text) for name in one.ids)
                    wrong += self._wrong(cells, names)
                case _:
                    pass
        for place, ids in groupby(lines, key=places.__getitem__):
            wrong += self._wrong_of_value(place, [_Said([one], texts[one]) for one in ids], names)
        return {name: UNSAID for name in wrong if name in names}

    def left(self) -> str:
        """What is in the file and no part says. Of fields that are alike, one that is said among others stands for all:
        which one it is cannot always be told."""
        among = {
            _key(one) for at, one in enumerate(self._fields) if one.value is not None and self._is_covered(at, one)
        }
        missing = [key for key, count in self._open.items() for _ in range(count) if key not in among]
        return "; ".join(missing)

    def _is_covered(self, at: int, field: SecondField) -> bool:
        """Whether parts say the field at this place in the order of the file among others, or in several lines."""
        begin = self._ends[2 * at - 1] if at else 0
        name, end = self._ends[2 * at], self._ends[2 * at + 1]
        return 0 not in self._covered[name if field.bare else begin : end] or (
            not (field.value or "").strip() and _bare(field.name) in self._columns
        )

    def _wrong_of_value(self, place: Place | None, lines: Sequence[_Said], names: Set[str]) -> Iterator[str]:
        """Lines at one place are a value, which may begin in the part before, or values of one element."""
        key = "".join(_bare(one.text) for one in lines)
        goes_on = place == self._last[0]
        key = self._last[1] + key if goes_on else key
        self._last = place, key
        if self._open[key] > 0 and all(names >= {*one.ids} for one in lines):
            self._open[key] -= 1
        else:
            yield from self._wrong(lines, names, goes_on=goes_on)

    def _wrong(self, said: Sequence[_Said], names: Set[str], *, goes_on: bool = False) -> Iterator[str]:
        for at, one in enumerate(said):
            if names >= {*one.ids} and not self._take(one, goes_on=not one.name and (goes_on or at > 0)):
                yield from one.ids

    def _take(self, said: _Said, *, goes_on: bool) -> bool:
        """`goes_on`: it stands at the place of what was taken last."""
        names = [*_names_of(said.name)] if said.name else [""]
        if goes_on and self._stream.startswith(_loose(said.text), self._at):
            return self._cover(self._at, _loose(said.text))
        for name in names:
            key = f"{_bare(name)}:{_bare(said.text)}" if name else _bare(said.text)
            if self._open[key] > 0:
                self._open[key] -= 1
                return True
        if not said.name and (keys := self._bare.get(_bare(said.text))):
            self._open[keys.pop()] -= 1
            return True
        return any(self._stands(_loose(name) + _loose(said.text)) for name in names)

    def _stands(self, letters: str) -> bool:
        """Whether letters stand one behind the other in the file. Of several places where they do so, the first that no
        part has said yet counts, and rather one that begins and ends as fields do."""
        places = [*islice(self._places(letters), PLACES_MAX)]
        return bool(places) and self._cover(max(places, key=lambda at: self._suits(at, at + len(letters))), letters)

    def _cover(self, at: int, letters: str) -> bool:
        self._at = at + len(letters)
        self._covered[at : self._at] = b"\1" * len(letters)
        return True

    def _places(self, letters: str) -> Iterator[int]:
        """Parts mostly have the order of the file."""
        for begin, end in ((self._at, len(self._stream)), (0, self._at + len(letters))):
            at = self._stream.find(letters, begin, end)
            while at >= 0:
                yield at
                at = self._stream.find(letters, at + 1, end)

    def _suits(self, begin: int, end: int) -> tuple[bool, bool, bool]:
        return 1 not in self._covered[begin:end], begin in self._bounds, end in self._bounds

    def _is_column(self, text: str) -> bool:
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


def _key(field: SecondField) -> str:
    return f"{_bare(field.name)}:{_bare(field.value or '')}" if field.name else _bare(field.value or "")


def _bare(text: str) -> str:
    return "".join(text.split())


def _loose(text: str) -> str:
    return _bare(text).translate(_SIGNS)
