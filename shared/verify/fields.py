"""Compares the parts of a file of data with its names and values as a second reader has them.

How parts are laid out is not asked. Each value must be said once: as a line behind its name, in a cell below it, or,
where lists and groups stand in one line and values in several, one behind the other as in the file.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from typing import Final, NamedTuple

from shared.domain.operations import RegisterChunk, RegisterSection, RegisterTable, Skip
from shared.domain.page import PageFile
from shared.domain.raw_page import SecondField
from shared.verify.letters import Letters

LONGEST: Final = 10_000
UNSAID: Final = "nothing that says so"
# What stands between the values of a list or a group in one line.
_SIGNS: Final = str.maketrans("", "", ":,;{}[]")
_DOT: Final = str.maketrans("", "", ".")


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
        self._stream = "".join(_loose(one.name) + _loose(one.value or "") for one in fields)
        self._at = 0
        self._columns = set[str]()
        self._rest: list[str] = []

    def differences(self, file: PageFile, names: Set[str]) -> dict[str, str]:
        """What the file has instead of the fragments with these names, by the names of those that it does not have."""
        texts = {one.id: one.text for one in file.fragments}
        wrong: list[str] = []
        for operation in file.structure or ():
            match operation:
                case RegisterSection():
                    title = _bare(" ".join(texts[one] for one in operation.title_fragment_ids))
                    wrong += operation.title_fragment_ids if title not in self._titles else ()
                case RegisterChunk() | Skip():
                    wrong += self._wrong([_Said([one], texts[one]) for one in operation.fragment_ids], names)
                case RegisterTable():
                    header, cells = _cells_of(operation, texts)
                    wrong += (name for one in header if not self._is_column(one.text) for name in one.ids)
                    wrong += self._wrong(cells, names)
                case _:
                    pass
        return {name: UNSAID for name in wrong if name in names}

    def left(self) -> str:
        """What is in the file and no part says, and what parts say and is not in the file."""
        rest = Letters("\n".join(self._rest))
        unsaid: list[str] = []
        for one in self._fields:
            if one.value is None or self._open[_key(one)] <= 0:
                continue
            self._open[_key(one)] -= 1
            name, value = _loose(one.name), _loose(one.value)
            known = not one.value.strip() and _bare(one.name) in self._columns
            said = (name + value, name.translate(_DOT) + value, *((value,) if one.bare else ()))
            if not known and not any(map(rest.take, said)):
                unsaid.append(f"{one.name}: {one.value}")
        names = {_loose(name).translate(_DOT) for name in self._names}
        return "; ".join([*unsaid, *(one for one in rest.left().split(" ") if not _consists_of(one, names))])

    def _wrong(self, said: Sequence[_Said], names: Set[str]) -> Iterator[str]:
        for one in said:
            if names >= {*one.ids} and not self._take(one):
                yield from one.ids

    def _take(self, said: _Said) -> bool:
        names = [*_names_of(said.name)] if said.name else [""]
        for name in names:
            key = f"{_bare(name)}:{_bare(said.text)}" if name else _bare(said.text)
            if self._open[key] > 0:
                self._open[key] -= 1
                return True
        if not said.name and (keys := self._bare.get(_bare(said.text))):
            self._open[keys.pop()] -= 1
            return True
        if not any(self._stands(_loose(name) + _loose(said.text)) for name in names):
            return False
        self._rest.append(_loose(said.name).translate(_DOT) + _loose(said.text))
        return True

    def _stands(self, letters: str) -> bool:
        """Whether letters stand one behind the other in the file; they mostly do so in its order."""
        found = self._stream.find(letters, self._at)
        if found < 0:
            found = self._stream.find(letters)
        self._at = max(found, 0) or self._at
        return found >= 0

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


def _consists_of(text: str, names: Set[str]) -> bool:
    """Whether a text is names, one behind the other."""
    longest = max(map(len, names), default=0) if len(text) <= LONGEST else 0
    ends = {0}
    for end in range(1, len(text) + 1):
        if any(text[begin:end] in names for begin in range(max(0, end - longest), end) if begin in ends):
            ends.add(end)
    return len(text) in ends


def _key(field: SecondField) -> str:
    return f"{_bare(field.name)}:{_bare(field.value or '')}" if field.name else _bare(field.value or "")


def _bare(text: str) -> str:
    return "".join(text.split())


def _loose(text: str) -> str:
    return _bare(text).translate(_SIGNS)
