"""Verifies typed values: the raw text of each occurs in its chunk and in the lines that it names."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from shared.domain.verify import StoredAttribute
from shared.verify.chunks import GetPage
from shared.verify.report import Checked


def check_attributes(checked: Checked, attributes: Sequence[StoredAttribute], page: GetPage) -> None:
    """Compares without white space, as a value may extend over two lines."""
    chunk = checked.chunk
    content = _inked(chunk.content)
    pages = {r: box.page for box in chunk.boxes for r in box.fragment_ids}
    whole = {reference.partition("[")[0]: number for reference, number in pages.items()}
    first = min(pages.values(), default=None)
    for one in attributes:
        if one.elsewhere:
            _check_of_head(checked, one.raw, one.fragment_ids, page)
            continue
        if not one.raw.strip() or _inked(one.raw) not in content:
            checked.fail("attribute", first, chunk.content, one.raw)
            continue
        if not one.fragment_ids or any(r.partition("[")[0] not in whole for r in one.fragment_ids):
            checked.fail("attribute", first, " ".join(pages), " ".join(one.fragment_ids))
            continue
        text = "".join([_text(reference, whole, page) for reference in one.fragment_ids])
        if _inked(one.raw) not in _inked(text):
            checked.fail("attribute", first, text, one.raw)
    for value in _values(chunk.attrs):
        raw = str(value.get("raw", ""))
        if value.get("head"):
            _check_of_head(checked, raw, value.get("fragment_ids") or (), page)
        elif _inked(raw) not in content:
            checked.fail("attribute", first, chunk.content, raw)


def _check_of_head(checked: Checked, raw: str, references: Sequence[str], page: GetPage) -> None:
    """It stands in another passage of the document: in the lines that it names."""
    pages = {reference.partition("[")[0]: int(reference[1:].partition(".")[0]) for reference in references}
    text = "".join([_text(reference, pages, page) for reference in references])
    if not raw.strip() or _inked(raw) not in _inked(text):
        checked.fail("attribute", next(iter(pages.values()), None), text, raw)


def _text(reference: str, pages: Mapping[str, int], page: GetPage) -> str:
    try:
        return page(pages[reference.partition("[")[0]]).lines.pieces([reference])[0].text
    except ValueError:
        return ""


def _values(attrs: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for value in attrs.values():
        if isinstance(value, Mapping):
            named = cast("Mapping[str, Any]", value)
            yield named
            yield from named.get("also", ())


def _inked(text: str) -> str:
    return "".join(text.split())
