"""The words and numbers of a chart's part in the order in which its table would have them: title, names of the series,
then category by category, the titles of axes at last."""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element


def chart_words(data: bytes) -> list[str]:
    if b"<!DOCTYPE" in data[:4096]:
        return []
    # Expat bounds what entities expand to; no part with a document type comes here.
    root = ElementTree.fromstring(data)  # noqa: S314
    whole = next(_all(root, "chart"), root)
    own = [one for one in whole if _name(one) == "title"]
    series = [dict[str, Element]((_name(inner), inner) for inner in one) for one in _all(root, "ser")]
    found = [word for one in own for word in _words(one)]
    found += [word for one in series if "tx" in one for word in _words(one["tx"])]
    categories = (_grouped(one.get("cat", one.get("xVal"))) for one in series)
    columns = [*next((one for one in categories if any(one)), [])]
    columns += [_cached(one.get("val", one.get("yVal"))) for one in series]
    found += [one[at] for at in sorted(set().union(*columns)) for one in columns if at in one]
    return found + [word for one in _all(root, "title") if one not in own for word in _words(one)]


def _grouped(element: Element | None) -> list[dict[int, str]]:
    """Categories, and the groups that they are in."""
    groups = [] if element is None else [_cached(one) for one in _all(element, "lvl")]
    return groups or [_cached(element)]


def _cached(element: Element | None) -> dict[int, str]:
    points = () if element is None else _all(element, "pt")
    return {int(one.get("idx", "0")): "".join(_words(one)) for one in points}


def _words(element: Element) -> list[str]:
    return [one.text or "" for one in element.iter() if _name(one) in ("t", "v")]


def _all(element: Element, name: str) -> "filter[Element]":
    return filter(lambda one: _name(one) == name, element.iter())


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]
