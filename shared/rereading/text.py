"""A text file as Python decodes it: its characters are the offsets that places count."""

import codecs
from pathlib import Path

from shared.domain.raw_page import SecondText
from shared.rereading.charsets import likely_charset

_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
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
