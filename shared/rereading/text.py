"""A text file as Python decodes it: its characters are the offsets that places count."""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from shared.domain.raw_page import SecondText
from shared.rereading.charsets import likely_charset

_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_BULLET = "\u2022"
_ITEM = re.compile(r"(?:(\d+[.)])|[-+*])(?=\s|$)")
_LINE_END = re.compile(r"\r\n|[\r\n]")
_TAG = re.compile(r"<!--.*?-->|</?[a-z][^<>]*>", re.I)
_WIDE = {codecs.BOM_UTF32_LE: "utf-32-le", codecs.BOM_UTF32_BE: "utf-32-be"}


def reread_text(path: Path) -> SecondText:
    data = path.read_bytes()
    for mark, encoding in {**_WIDE, **_MARKS}.items():
        if data.startswith(mark):
            return SecondText(data[len(mark) :].decode(encoding, "replace"), offsets=True)
    if b"\0" in data:
        both = (data.decode("utf-16-le", "replace"), data.decode("utf-16-be", "replace"))
        return SecondText(max(both, key=lambda text: sum(map(str.isascii, text))), offsets=True)
    try:
        return SecondText(data.decode("utf-8"), offsets=True)
    except UnicodeDecodeError:
        return SecondText(data.decode(likely_charset(data), "replace"), offsets=True)


def reread_markdown(path: Path) -> SecondText:
    """With the numbers and bullets in front of items."""
    read = reread_text(path)
    return read._replace(numbers=list(numbers_of_markdown(read.text)))


def numbers_of_markdown(text: str) -> Iterator[tuple[str, str]]:
    """Whatever looks like the mark of an item at the beginning of a line, with what follows it, as it is written and
    without tags; more than the lists have."""
    for line in _LINE_END.split(text):
        shown, rest = "", line.strip()
        while found := _ITEM.match(rest):
            shown, rest = f"{shown} {found[1] or _BULLET}".strip(), rest[found.end() :].lstrip()
            yield shown, rest
            yield shown, _TAG.sub("", rest)
