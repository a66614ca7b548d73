"""XML as libxml2 reads it: attributes and the text of elements with their names, in the order of the file. What it does
not take is text."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lxml import etree

from shared.domain.raw_page import SecondField, SecondText
from shared.rereading.data import DEEPEST, MOST, Fields, Pairs, fields_of, fields_or_text
from shared.rereading.text import reread_text


def reread_xml(path: Path) -> SecondText:
    def read(text: str) -> Fields:
        if re.search(r"<[\w:/][^<>]{100000}", text):
            raise ValueError("a tag is too long")
        root = _parsed(_without_entities(text).encode("utf-8", "replace"))
        _check(root)
        if root.tag == "plist":
            attributes = [SecondField(_local(name), said) for name, said in root.attrib.items()]
            return [*attributes, *(field for one in _elements(root) for field in fields_of(one.tag, _of_plist(one)))]
        return [*_of_element(root)]

    return fields_or_text(_declared(path) or reread_text(path), read)


def _parsed(data: bytes) -> Any:
    """The outermost element. An identifier that is none by the rules of xml:id breaks nothing."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, encoding="utf-8", recover=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(str(error)) from None
    errors = [one for one in parser.error_log.filter_from_errors() if one.type_name != "DTD_XMLID_VALUE"]
    if root is None or errors:
        raise ValueError(f"broken: {errors[:1]}")
    return root


def _check(root: Any) -> None:
    depth = count = 0
    for event, one in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        count += 1 + len(one.attrib) if event == "start" else 0
        if depth > DEEPEST or count > MOST:
            raise ValueError("too deep, or too many")


def _without_entities(text: str) -> str:
    """The text in which entities that XML does not know are text that says their names."""
    kept = re.split(r"(<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z))", text, flags=re.S)
    return "".join(one if at % 2 else re.sub("&(?!(?:amp|lt|gt|quot|apos);|#)", "&amp;", one)
                   for at, one in enumerate(kept))  # fmt: skip


def _declared(path: Path) -> SecondText | None:
    """The text in the characters that it says it is in; None where it does not say so, or it cannot be."""
    data = path.read_bytes()
    said = re.match(rb"<\?xml[^>]*encoding\s*=\s*[\"']([\w.:-]+)", data)
    wide = {
        "iso-8859-1": "windows-1252", "us-ascii": "windows-1252", "gb2312": "gb18030", "gbk": "gb18030",
        "shift_jis": "cp932", "euc-kr": "cp949", "big5": "big5hkscs", "tis-620": "cp874", "iso-8859-9": "windows-1254",
    }  # fmt: skip
    name = said[1].decode("ascii").lower() if said else "utf-8"
    try:
        return None if name.startswith(("utf", "ucs")) else SecondText(data.decode(wide.get(name, name)), offsets=True)
    except (LookupError, UnicodeDecodeError):
        return None


def _of_element(node: Any, *, bare: bool = False, named: bool = True) -> Iterator[SecondField]:
    """Attributes, then the text with all that is in it where it has words of its own, else the elements. Neighbours of
    one name that are groups are named once."""
    name, inner = _local(node.tag), _elements(node)
    own = _own_text(node)
    reads = any(map(str.isalnum, own)) or not inner
    if named and (node.attrib or not reads):
        yield SecondField(name, None)
    yield from (SecondField(_local(key), said) for key, said in node.attrib.items())
    if reads:
        said = "".join(_reading(node))
        if said.strip() or not node.attrib:
            yield SecondField("text" if node.attrib else name, said, bare and not node.attrib)
        within = (one for one in node.iterdescendants() if isinstance(one.tag, str))
        yield from (SecondField(_local(key), said) for one in within for key, said in one.attrib.items())
        return
    around = _around_groups(inner) - {"text", *map(_local, node.attrib)}
    before = ""
    for one in inner:
        yield from _of_element(one, bare=_local(one.tag) in around, named=_local(one.tag) != before)
        before = _local(one.tag) if _is_group(one) else ""
    if own.strip():
        yield SecondField("text", own)


def _own_text(node: Any) -> str:
    """The text without that of the elements in it."""
    entities = (one.text for one in node if one.tag is etree.Entity)
    return "".join([node.text or "", *entities, *(one.tail or "" for one in node)])


def _is_group(node: Any) -> bool:
    return bool(node.attrib) or (len(_elements(node)) > 0 and not any(map(str.isalnum, _own_text(node))))


def _elements(node: Any) -> list[Any]:
    return [one for one in node if isinstance(one.tag, str)]


def _around_groups(elements: Sequence[Any]) -> set[str]:
    """The names of elements before and behind one that holds something."""
    holding = [at for at, one in enumerate(elements) if len(one) or one.attrib]
    names = [_local(one.tag) for one in elements]
    if not holding:
        return set()
    return {*names[: holding[-1]]} & {*names[holding[0] + 1 :]}


def _reading(node: Any) -> Iterator[str]:
    for event, one in etree.iterwalk(node, events=("start", "end", "comment", "pi")):
        if event == "start":
            yield one.text or ""
        elif one is not node:
            yield one.tail or ""


def _of_plist(node: Any) -> Any:
    """The value that an element of a property list says."""
    inner = _elements(node)
    if node.tag in ("true", "false"):
        return node.tag
    if node.tag == "array":
        return [_of_plist(one) for one in inner]
    if node.tag != "dict":
        return "".join(_reading(node))
    if len(inner) % 2 or any(one.tag != "key" for one in inner[::2]):
        raise ValueError("names without values")
    return Pairs(("".join(_reading(key)), _of_plist(one)) for key, one in zip(inner[::2], inner[1::2], strict=True))


def _local(tag: Any) -> str:
    return re.sub(r"^\{.*\}|^.*:", "", str(tag))
