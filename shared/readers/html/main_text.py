"""Which elements of a page hold its main text, as the readability algorithm finds it."""

import copy
import logging
import re
from collections.abc import Iterable
from typing import Any, Final

from lxml import etree
from readability.readability import Document, Unparseable

# The algorithm's time grows faster than the page: of a longer one, and of one in which it finds little, everything
# but what its elements call something else is main text.
MAX_ELEMENTS: Final = 30_000
LEAST_CHARACTERS: Final = 140
# The algorithm's own measure: of a block of text at most this share of the letters are links'.
MOST_LINKED: Final = 0.33
_SECTIONS: Final = ("div", "section", "p", "dl", "table", "blockquote", "ul", "ol", "pre", "h2", "h3", "h4")
# Classes of DocBook, Texinfo, Sphinx and pandoc.
_CALLED: Final = re.compile(
    r"(?:ref)?sect(?:ion|\d)|level\d|chapter|appendix|preface|(?:chapter|(?:sub)*section)-level-extent"
)
_TITLES: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_MARK: Final = "data-element"
_BESIDE: Final = frozenset({"nav", "footer", "aside", "header", "form", "button", "select", "menu", "dialog"})
logging.getLogger("readability.readability").setLevel(logging.CRITICAL)


def main_elements(root: Any) -> set[Any]:
    """The elements whose own text is main text."""
    elements = [one for one in root.iter() if isinstance(one.tag, str)]
    if len(elements) <= MAX_ELEMENTS:
        kept = _readable(root, len(elements))
        found = {one for number, one in enumerate(elements) if number in kept}
        if sum(len(" ".join(_own_text(one).split())) for one in found) >= LEAST_CHARACTERS:
            return found | _lists_between(root, found) | _alike(root, found) | rest_of_sections(root, found)
    return _without_beside(elements)


def _lists_between(root: Any, found: set[Any]) -> set[Any]:
    """Lists that the algorithm takes for links to elsewhere, although the text that it keeps goes on around them: of
    the same element, what is before and behind them is main text itself, and nothing that only holds some."""
    holding = {one for one in found if "".join(one.itertext()).strip()}
    more: set[Any] = set()
    for one in root.iter("ul", "ol", "dl"):
        before = next((other for other in one.itersiblings(preceding=True) if isinstance(other.tag, str)), None)
        behind = any(other in holding for other in one.itersiblings())
        if behind and before is not None and before in holding:
            more.update(inner for inner in one.iter() if isinstance(inner.tag, str))
    return more


def _alike(root: Any, found: set[Any]) -> set[Any]:
    """What the algorithm leaves out beside elements of the same kind (tag and class) that it keeps, itself or most of
    what they say: further sections of a long page. What consists of links leads elsewhere."""
    kinds: dict[Any, set[tuple[str, str]]] = {}
    for one in found | mostly_kept(found):
        if one.getparent() is not None and "".join(one.itertext()).strip():
            kinds.setdefault(one.getparent(), set()).add(_kind(one))
    more: set[Any] = set()
    for parent, kept in kinds.items():
        for one in parent.iterchildren(*_SECTIONS):
            if one not in found and _kind(one) in kept and _kind(one) != ("div", "") and leads_nowhere(one):
                more |= _without_beside(one.iter())
    return more


def rest_of_sections(root: Any, found: set[Any]) -> set[Any]:
    """What the algorithm leaves out of a section of documentation that it keeps some text of: a text, an example, a
    table; and further sections beside it. What consists of links leads elsewhere."""
    more: set[Any] = set()
    holding = {around for one in found if (one.text or "").strip() for around in (one, *one.iterancestors())}
    for section in root.iter("section", "div"):
        if section in holding and _is_section(section):
            beside = (one for one in section.getparent().iterchildren("section", "div") if _is_section(one))
            others = [*(section.iterchildren(*_SECTIONS) if section not in found else ()), *beside]
            blocks = (one for one in others if one not in holding and leads_nowhere(one))
            more.update(*(_without_beside(one.iter()) for one in blocks))
    return more


def _is_section(element: Any) -> bool:
    """Whether it is called a section and nothing else, as generators of documentation call theirs, begins with a title,
    and can be referred to."""
    called = element.get("class", "").split()
    if not called or not all(map(_CALLED.fullmatch, called)) or not _is_titled(element):
        return False
    return "id" in element.attrib or any("id" in one.attrib or "name" in one.attrib for one in element.iter("a"))


def mostly_kept(found: set[Any]) -> set[Any]:
    """Of several sections of one kind beside each other, each with a title, those that have most of their text in kept
    elements: a manual's page has as many as it has subjects."""
    kept: set[Any] = set()
    around = {one.getparent() for one in found} - found
    sections = [one for one in around if one is not None and one.tag in _SECTIONS and one.get("class")]
    for parent, kind in {(one.getparent(), _kind(one)) for one in sections}:
        titled = [one for one in parent.iterchildren(kind[0]) if _kind(one) == kind and _is_titled(one)]
        if len(titled) > 1:
            kept.update(one for one in titled if one in around and 2 * _kept_letters(one, found) > _letters(one))
    return kept


def _is_titled(section: Any) -> bool:
    """Whether it begins with a title."""
    title = next(section.iter(*_TITLES), None)
    return title is not None and "".join(section.itertext()).strip().startswith("".join(title.itertext()).strip())


def _kept_letters(section: Any, found: set[Any]) -> int:
    return sum(sum(map(str.isalnum, _own_text(one))) for one in section.iter() if one in found)


def _kind(element: Any) -> tuple[str, str]:
    return element.tag, element.get("class", "")


def leads_nowhere(element: Any) -> bool:
    """Whether an element is no list of links, nor a link; signs by which pages link to titles count for nothing."""
    return sum(map(_letters, element.iter("a"))) <= MOST_LINKED * _letters(element)


def _letters(element: Any) -> int:
    return sum(map(str.isalnum, "".join(element.itertext())))


def _without_beside(elements: Iterable[Any]) -> set[Any]:
    """Of elements in document order those that are not called something else, and stand in nothing that is."""
    kept, beside = set[Any](), set[Any]()
    for one in elements:
        if isinstance(one.tag, str):
            (beside if one.tag in _BESIDE or one.getparent() in beside else kept).add(one)
    return kept


def _readable(root: Any, count: int) -> set[int]:
    """Numbers of the elements, in document order, that the algorithm keeps; none where it fails."""
    marked = copy.deepcopy(root)
    elements = [one for one in marked.iter() if isinstance(one.tag, str)]
    for number, one in enumerate(elements):
        one.set(_MARK, str(number))
    try:
        summary = Document(etree.tostring(marked, encoding="unicode", method="html")).summary()
        tree = etree.fromstring(summary, etree.HTMLParser(huge_tree=True))
    except (Unparseable, etree.LxmlError, ValueError, RecursionError):
        return set()
    numbers = () if tree is None else (one.get(_MARK, "") for one in tree.iter() if isinstance(one.tag, str))
    return {int(number) for number in numbers if number.isdecimal() and int(number) < count}


def _own_text(element: Any) -> str:
    return (element.text or "") + "".join(child.tail or "" for child in element)
