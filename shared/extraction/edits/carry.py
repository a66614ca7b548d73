"""Finds what people edited again in another version of their document, by its text.

A passage is the same where the same lines stand at the same distances from each other, on whichever page; of lines that
stand there several times each is its own, where both versions have them equally often.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from shared.domain.edits import Edit, Passage, Placement
from shared.domain.page import PageFile

# The page files of a version in order, all or those of some pages.
PageFiles = Callable[[Collection[int] | None], Iterator[PageFile]]
_REFERENCE: Final = re.compile(r"(p[0-9]+\.f[0-9]+)(\[[0-9]+:[0-9]+\])?")


class _Lines(NamedTuple):
    """The texts of a passage's lines, and how far each stands from the first one; without distances a whole page."""

    texts: tuple[str, ...]
    distances: tuple[int, ...]


class _Place(NamedTuple):
    page: int
    ids: tuple[str, ...]


_Found = Mapping[_Lines, Sequence[_Place]]


def carry_edits(edits: Sequence[Edit], before: PageFiles, after: PageFiles) -> list[Edit]:
    """The edits of the version `before` as they refer to the version `after`. One whose passages are not all found
    refers to lines that are nowhere, so that it is stale, and applies to no other line of the same text."""
    passages = [passage for edit in edits for change in edit.changes for passage in _passages(change)]
    lines = {passage: read for file in before({p.page for p in passages}) for passage, read in _read(file, passages)}
    wanted = set(lines.values())
    then, now = _places(before(None), wanted), _places(after(None), wanted)
    places = {passage: _same(passage, read, then, now) for passage, read in lines.items()}
    return [_carried(edit, places) for edit in edits]


def _passages(change: Any) -> list[Passage]:
    section = change.section if isinstance(change, Placement) else None
    return [change.passage, section] if section is not None else [change.passage]


def _read(file: PageFile, passages: Sequence[Passage]) -> Iterator[tuple[Passage, _Lines]]:
    at = {fragment.id: number for number, fragment in enumerate(file.fragments)}
    for passage in passages:
        ids = _whole_ids(passage)
        if passage.page != file.page or any(one not in at for one in ids):
            continue
        numbers = [at[one] for one in ids]
        read = [file.fragments[number].text for number in numbers] or [one.text for one in file.fragments]
        yield passage, _Lines(tuple(read), tuple(number - numbers[0] for number in numbers))


def _places(files: Iterator[PageFile], wanted: set[_Lines]) -> _Found:
    found: dict[_Lines, list[_Place]] = {}
    for file in files:
        texts = [fragment.text for fragment in file.fragments]
        starts: dict[str, list[int]] = {}
        for number, text in enumerate(texts):
            starts.setdefault(text, []).append(number)
        for lines in wanted:
            if not lines.distances:
                if tuple(texts) == lines.texts:
                    found.setdefault(lines, []).append(_Place(file.page, ()))
                continue
            for start in starts.get(lines.texts[0], ()):
                numbers = [start + distance for distance in lines.distances]
                inside = min(numbers) >= 0 and max(numbers) < len(texts)
                if inside and all(texts[n] == text for n, text in zip(numbers, lines.texts, strict=True)):
                    place = _Place(file.page, tuple(file.fragments[number].id for number in numbers))
                    found.setdefault(lines, []).append(place)
    return found


def _same(passage: Passage, lines: _Lines, then: _Found, now: _Found) -> _Place | None:
    were, are = then.get(lines, []), now.get(lines, [])
    own = _Place(passage.page, _whole_ids(passage))
    return are[were.index(own)] if len(were) == len(are) and own in were else None


def _carried(edit: Edit, places: Mapping[Passage, _Place | None]) -> Edit:
    changes = [_moved(change, places) for change in edit.changes]
    if None in changes:
        changes = [_lost(change) for change in edit.changes]
    return Edit.model_validate({"id": edit.id, "kind": edit.kind, "changes": changes})


def _lost(change: Any) -> dict[str, Any]:
    """With lines that no page has: they are numbered from 1."""
    names = {one: f"p{p.page}.f{'0' * n}" for p in _passages(change) for n, one in enumerate(_whole_ids(p), start=1)}
    return _renamed(change.model_dump(mode="json"), names)


def _moved(change: Any, places: Mapping[Passage, _Place | None]) -> dict[str, Any] | None:
    said = change.model_dump(mode="json")
    names: dict[str, str] = {}
    for key, passage in zip(("passage", "section"), _passages(change), strict=False):
        place = places.get(passage)
        if place is None:
            return None
        names |= dict(zip(_whole_ids(passage), place.ids, strict=True))
        said[key]["page"] = place.page
    return _renamed(said, names)


def _whole_ids(passage: Passage) -> tuple[str, ...]:
    """The ids of its lines, each once, also of those of which it has a part."""
    return tuple(dict.fromkeys(reference.partition("[")[0] for reference in passage.fragment_ids))


def _renamed(said: Any, names: Mapping[str, str]) -> Any:
    """The same with every reference to a line by its new name."""
    if isinstance(said, dict):
        return {key: _renamed(value, names) for key, value in said.items()}
    if isinstance(said, list):
        return [_renamed(value, names) for value in said]
    found = _REFERENCE.fullmatch(said) if isinstance(said, str) else None
    return f"{names.get(found[1], found[1])}{found[2] or ''}" if found else said
