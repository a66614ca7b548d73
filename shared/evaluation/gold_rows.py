"""Parses a row of a gold file, with whatever field names it has, as a question.

Files with the same meaning use different field names, which are recognised by lists of synonyms. A row has a question
(or, in a table of sections, the section's id, to be looked up in its own document), places or documents, and maybe an
answer. Where places are named only inside the answer, as `[report.pdf#page=7]`, they are read from there.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from pydantic import ValidationError

from shared.domain.evaluation import GoldInput, GoldPlace
from shared.errors import BadInput
from shared.evaluation.claims import read_claim, write_claim

Row = Mapping[str, Any]

QUESTIONS = ("question", "query")
SECTIONS = ("section_id", "address")
DOCUMENTS = ("document", "doc", "file")
PLURALS = ("documents", "docs", "files")
PAGES = ("page", "page_1based", "pages", "pages_1based")
ANSWERS = ("answer", "truth", "answers")
PLACES = ("expected", "evidence")
CITED = re.compile(r"\[([^\[\]#]+)#page=(\d+)\]")
FINE = ("quote", "content_hash", "grade")


class NoPlace(BadInput):
    """A row that may be valid, but does not say where its answer is."""


def read_row(row: Row) -> GoldInput:
    """The question of a row. Raises NoPlace, and BadInput saying what cannot be read."""
    claim = _claim(row)
    text = claim or _first(row, QUESTIONS)
    section = _first(row, SECTIONS)
    if text is None and section is None:
        raise BadInput(
            f"it has no question: one of {', '.join(QUESTIONS)} is needed (or {SECTIONS[0]} with a document,"
            " or attribute and value)"
        )
    places = _places(row)
    negative = _is_negative(row, places)
    if not places and not negative:
        raise NoPlace("it does not say which document or page answers it")
    try:
        return GoldInput(
            question=str(section if text is None else text),
            kind="negative" if negative else "answerable",
            expected=[] if negative else places,
            pin=_pin(row, text is None, places),
            answer=None if claim else _answer(row),
            attribute=claim,
        )
    except ValidationError as error:
        raise BadInput(first_error(error)) from error


def _claim(row: Row) -> str | None:
    """`power = 15 hp` of a row with `attribute` and `value`, or with both in `attribute`."""
    name, value = row.get("attribute"), row.get("value")
    if not name:
        return None
    claim = str(name) if value in (None, "") else write_claim(str(name), str(value))
    read_claim(claim)
    return claim


def _places(row: Row) -> list[GoldPlace]:
    found = [place for part in _parts(row) for place in _place(part)]
    if not found:
        cited = CITED.findall(_answer(row) or "")
        found = [place for name, page in cited for place in _place({"document": name, "page": page})]
    return list(dict.fromkeys(found))


def _parts(row: Row) -> Iterator[Row]:
    """The row itself and the places listed in it; mere document names count as places."""
    yield row
    for name in PLACES:
        for item in _list(row.get(name)):
            yield cast(Row, item) if isinstance(item, Mapping) else {"document": item}
    for name in PLURALS:
        for document in _list(row.get(name)):
            yield {"document": document}


def _place(part: Row) -> Iterator[GoldPlace]:
    document = _first(part, DOCUMENTS)
    if document is None:
        return
    fine = {name: part[name] for name in FINE if part.get(name) is not None}
    pages: Sequence[Any] = [page for name in PAGES for page in _list(part.get(name))] or [None]
    for page in pages:
        try:
            yield GoldPlace.model_validate({"document": str(document), "page": page, **fine})
        except ValidationError as error:
            raise BadInput(first_error(error)) from error


def _is_negative(row: Row, places: Sequence[GoldPlace]) -> bool:
    """Whether the row is marked as unanswerable, or has an empty answer and no place."""
    if row.get("kind") is not None:
        return row["kind"] == "negative"
    if row.get("answerable") is not None:
        return row["answerable"] is False
    stated = any(name in row for name in ANSWERS)
    return not places and stated and not any(row.get(name) for name in ANSWERS)


def _pin(row: Row, is_section: bool, places: Sequence[GoldPlace]) -> str | None:
    """The document that is searched: one named so, or the document of a section's id."""
    pin = row.get("pin")
    if pin is None and is_section:
        expected = {place.document for place in places}
        pin = _first(row, DOCUMENTS) or (expected.pop() if len(expected) == 1 else None)
    return None if pin is None else str(pin)


def _answer(row: Row) -> str | None:
    given = [str(text) for name in ANSWERS for text in _list(row.get(name)) if str(text).strip()]
    return given[0] if given else None


def _first(row: Row, names: Sequence[str]) -> Any:
    return next((row[name] for name in names if row.get(name) not in (None, "")), None)


def _list(value: Any) -> list[Any]:
    return [] if value is None else cast(list[Any], value) if isinstance(value, list) else [value]


def first_error(error: ValidationError) -> str:
    """The first error and its place in the row."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"].removeprefix("Value error, ")
