"""The visible text of a page as lines in document order, each with the block that it stands in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from lxml import etree

from shared.readers.html.lists import bullets_of, numbers_of
from shared.readers.html.pictures import PictureAt

BlockKind = Literal["text", "heading", "list", "code", "table", "caption"]
# Elements that browsers never show, or whose content they show only where they cannot show the element.
_UNSEEN: Final = frozenset({
    "head", "script", "style", "template", "noscript", "title", "meta", "link", "iframe", "object", "video", "audio",
    "canvas", "noembed", "noframes", "datalist", "rp", "annotation", "annotation-xml", "desc", "param",
})  # fmt: skip
_STYLED_UNSEEN: Final = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.I)
_INLINE: Final = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img",
    "ins", "kbd", "label", "mark", "nobr", "q", "rb", "rt", "rtc", "ruby", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "input", "picture", "source", "svg", "math", "blink",
    "tspan", "path", "g", "use",
    # Of formulas (MathML Core, 2 and 3): a line of text has them whole.
    "mi", "mo", "mn", "ms", "mtext", "mspace", "mrow", "mfrac", "msqrt", "mroot", "mstyle", "merror", "mpadded",
    "mphantom", "mfenced", "menclose", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts",
    "mprescripts", "mtable", "mtr", "mtd", "maction", "semantics", "none",
})  # fmt: skip
_PICTURES: Final = ("img", "image")
_HEADINGS: Final = {f"h{depth}": depth for depth in range(1, 7)}
_LISTS: Final = frozenset({"ul", "ol", "dl", "menu", "dir"})
# A number or a bullet stands in front of their items.
_MARKED: Final = ("ul", "ol")
# A table that holds these places things on the page.
_LAID_OUT: Final = ("table", "h1", "h2", "h3", "form", "nav", "article", "section")
# What a raised number may be written with; comments are none.
_WORDS: Final = frozenset({"a", "b", "big", "em", "font", "i", "small", "span", "strong", "tt", "u"})
_NUMBER: Final = re.compile(r"\s*[-+−–]?[0-9]{1,9}\s*")
_RAISED: Final = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
_SPACE: Final = re.compile(r"[ \t\n\r\f]+")


@dataclass(eq=False)
class BlockOf:
    """The block that lines stand in; `depth` of a heading; the element of a heading or table."""

    kind: BlockKind
    depth: int = 0
    element: Any = None


@dataclass
class FlowLine:
    """A line of text from `start` on in the page's text. `main`: most of its characters are main text; `item`: the
    item of the list, `cell` the cell of the table that it stands in; `marker`: the number or bullet of the item that
    it begins."""

    text: str
    start: int
    main: bool
    block: BlockOf
    item: Any = None
    cell: Any = None
    marker: str = ""


@dataclass
class _Context:
    block: BlockOf
    item: Any = None
    cell: Any = None
    preserve: bool = False


@dataclass
class _Flow:
    """Characters are gathered to a line until something ends it."""

    main: set[Any]
    lines: list[FlowLine] = field(default_factory=list[FlowLine])
    pictures: list[PictureAt] = field(default_factory=list[PictureAt])
    at: int = 0
    pieces: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    # The numbers of the items that have begun and have no line yet, from the outermost.
    numbers: list[tuple[Any, str]] = field(default_factory=list[tuple[Any, str]])
    # Whether the line has words beside descriptions of pictures.
    written: bool = False

    def add(self, text: str | None, owner: Any, context: _Context) -> None:
        if not text:
            return
        main = owner in self.main
        self.written = self.written or not text.isspace()
        if context.preserve:
            first, *rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            self.pieces.append((first, main))
            for line in rest:
                self.end(context)
                self.pieces.append((line, main))
        else:
            self.pieces.append((_SPACE.sub(" ", text), main))

    def describe(self, picture: Any) -> None:
        """What stands in a picture's place where it is not shown: words of the line that it is in."""
        main = picture in self.main or picture.getparent() in self.main
        self.pieces.append((f" {' '.join(picture.get('alt', '').split())} ", main))

    def end(self, context: _Context) -> None:
        text = "".join(piece for piece, _ in self.pieces)
        text = text.rstrip() if context.preserve else _SPACE.sub(" ", text).strip()
        if text.strip():
            inked = sum(len(piece.split()) and len(piece.strip()) for piece, main in self.pieces if main)
            main = inked * 2 >= sum(len(piece.strip()) for piece, _ in self.pieces)
            alone = not self.written and context.block.kind == "text"
            block = BlockOf("caption") if alone else context.block
            marker = " ".join(number for _, number in self.numbers) if context.item is not None else ""
            self.numbers.clear()
            self.lines.append(FlowLine(text, self.at, main, block, context.item, context.cell, marker))
            self.at += len(text) + 1
        self.pieces, self.written = [], False


def lines_of_page(root: Any, main: set[Any]) -> list[FlowLine]:
    """The lines; in the page's text they are joined by a line feed each."""
    return read_flow(root, main)[0]


def read_flow(root: Any, main: set[Any]) -> tuple[list[FlowLine], list[PictureAt]]:
    """The lines as above, and the pictures of the main text, each in front of the line that it stands in. Raised
    numbers become so in the tree."""
    for raised in filter(_is_raised, root.iter("sup")):
        raised.text = (raised.text or "").translate(_RAISED)
        for one in raised.iterdescendants():
            one.text, one.tail = ((said or "").translate(_RAISED) for said in (one.text, one.tail))
    flow = _Flow(main)
    contexts = [_Context(BlockOf("text"))]
    numbered: dict[Any, str] = {}
    walk = etree.iterwalk(root, events=("start", "end", "comment"))
    for event, element in walk:
        if event == "comment":
            # What follows a comment belongs to the element around it.
            flow.add(element.tail, element.getparent(), contexts[-1])
        elif event == "start":
            if is_unseen(element):
                walk.skip_subtree()
                contexts.append(contexts[-1])
                continue
            context = _entered(element, contexts[-1])
            if element.tag not in _INLINE:
                flow.end(contexts[-1])
            contexts.append(context)
            if element.tag in _MARKED and context.block.kind == "list":
                numbered |= (numbers_of if element.tag == "ol" else bullets_of)(element, is_unseen)
            if element in numbered:
                flow.numbers.append((element, numbered.pop(element)))
            flow.add(element.text, element, context)
            if element.tag in _PICTURES and (element in main or element.getparent() in main):
                flow.pictures.append(PictureAt(element, flow.at))
            if element.tag == "img" and element.get("alt", "").strip():
                flow.describe(element)
        else:
            closed = contexts.pop()
            if element.tag not in _INLINE and not is_unseen(element):
                flow.end(closed)
            if flow.numbers and flow.numbers[-1][0] is element:
                flow.numbers.pop()
            if element.getparent() is not None:
                flow.add(element.tail, element.getparent(), contexts[-1])
    flow.end(contexts[-1])
    return flow.lines, flow.pictures


def _is_raised(element: Any) -> bool:
    """Whether a `sup` is a number and nothing else: 2⁶⁴ is not 264."""
    plain = all(one.tag in _WORDS for one in element.iterdescendants())
    return plain and bool(_NUMBER.fullmatch("".join(element.itertext())))


def is_unseen(element: Any) -> bool:
    return (
        element.tag in _UNSEEN
        or "hidden" in element.attrib
        or (element.tag == "dialog" and "open" not in element.attrib)
        or bool(_STYLED_UNSEEN.search(element.get("style", "")))
    )


def _entered(element: Any, outer: _Context) -> _Context:
    """The context inside of an element."""
    tag = element.tag
    in_table = outer.block.kind == "table"
    if tag in _INLINE:
        return outer
    if tag == "table":
        return outer if in_table else _table(element, outer)
    if in_table:
        if tag == "caption":
            return _Context(outer.block)
        cell = element if tag in ("td", "th") and outer.cell is None else outer.cell
        return _Context(outer.block, cell=cell, preserve=outer.preserve or tag == "pre")
    if tag in _HEADINGS:
        return _Context(BlockOf("heading", _HEADINGS[tag], element))
    if tag in ("pre", "listing", "xmp", "textarea"):
        return _Context(BlockOf("code"), preserve=True)
    if tag in ("figcaption", "caption"):
        return _Context(BlockOf("caption"))
    if outer.block.kind in ("heading", "caption", "code"):
        return outer
    if outer.block.kind == "list":
        return _Context(outer.block, item=element if tag in ("li", "dt", "dd") else outer.item)
    return _Context(BlockOf("list" if tag in _LISTS else "text"))


def _table(element: Any, outer: _Context) -> _Context:
    return _Context(BlockOf("table", element=element)) if is_data(element) else outer


def is_data(table: Any) -> bool:
    """Whether a table has data, and does not merely place things on the page."""
    if table.get("role") in ("presentation", "none") or next(table.iterdescendants(*_LAID_OUT), None) is not None:
        return False
    rows = list(table.iter("tr"))
    return len(rows) > 1 and max(sum(1 for _ in row.iterchildren("td", "th")) for row in rows) > 1


def rows_of(table: Any) -> Iterator[tuple[Any, bool]]:
    """The rows of a table that are shown, each with whether it is one of a header."""
    for row in table.iter("tr"):
        cells = list(row.iterchildren("td", "th"))
        heads = bool(cells) and (row.getparent().tag == "thead" or all(cell.tag == "th" for cell in cells))
        yield row, heads
