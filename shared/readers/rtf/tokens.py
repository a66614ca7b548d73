"""From the bytes of an RTF file to its words, braces and characters (Rich Text Format 1.9.1, "RTF syntax")."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?[0-9]{1,10})? ?|\\'(?P<code>[0-9a-fA-F]{2})|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n\0]+)"
)
# The code page of a font's character set.
CODE_PAGES: Final = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip


class RtfToken(NamedTuple):
    """One of: a control word with its number, bytes of text, an escaped sign, a brace."""

    word: str = ""
    number: int | None = None
    text: bytes = b""
    sign: str = ""
    brace: str = ""


def tokens_of(data: bytes) -> Iterator[RtfToken]:
    """Binary data is passed over, as long as it says that it is."""
    at = 0
    while (found := _TOKEN.search(data, at)) is not None:
        at = found.end()
        if word := found["word"]:
            number = int(found["number"]) if found["number"] else None
            if word == b"bin":
                at += max(number or 0, 0)
            yield RtfToken(word.decode(), number)
        elif found["code"]:
            yield RtfToken(text=bytes.fromhex(found["code"].decode()))
        elif found["sign"]:
            yield RtfToken(sign=found["sign"].decode("latin-1"))
        elif found["brace"]:
            yield RtfToken(brace=found["brace"].decode())
        else:
            yield RtfToken(text=found["text"])
