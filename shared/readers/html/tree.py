"""From the bytes of a web page to its tree of elements."""

import codecs
import re
from typing import Any, Final

from lxml import etree

from shared.errors import RefusedFile
from shared.readers.text.decode import decode

MAX_BYTES: Final = 20_000_000
MAX_NODES: Final = 400_000
# Browsers stop nesting at 512 levels.
MAX_DEPTH: Final = 512
# A charset is declared among these first bytes (HTML, 13.2.3.2).
_DECLARED_IN: Final = 4096
_DECLARED: Final = re.compile(
    rb"<\?xml[^>]*encoding\s*=\s*[\"']([\w.:-]+)|<meta[^>]*charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I
)
# What browsers read for a name (WHATWG Encoding, 4.2): the larger set of characters that contains the named one.
_SUPERSETS: Final = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "gb2312": "gb18030",
    "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs", "tis-620": "cp874",
}  # fmt: skip
_EMPTY: Final = re.compile(
    r"<((?!(?:br|hr|img|input|meta|link|col|area|base|embed|source|track|wbr)\b)[a-z][\w:-]*)([^<>]*)/>", re.I
)


def parse(data: bytes, xhtml: bool = False) -> Any:
    """The root element; `xhtml` where a page is that without saying so. Raises RefusedFile for what is no text, or
    beyond a bound."""
    if len(data) > MAX_BYTES:
        raise RefusedFile(f"The page is larger than {MAX_BYTES // 10**6} MB; split it and upload its pieces.")
    text = decode_page(data).replace("\x00", "")
    if xhtml or text.lstrip().startswith("<?xml"):
        # In XHTML any element can be closed where it is opened; HTML would take what follows for its content.
        text = _EMPTY.sub(r"<\1\2></\1>", text)
    parser = etree.HTMLParser(encoding="utf-8", remove_pis=True, no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        raise RefusedFile("The page has no content that can be read; open it in a browser and save it again.")
    _check(root)
    return root


def decode_page(data: bytes) -> str:
    """The text of a page by its byte order mark, else the charset that it declares, else as any text file."""
    declared = None if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")) else _declared(data)
    if declared is not None:
        try:
            return data.decode(declared)
        except UnicodeDecodeError:
            pass
    return decode(data)


def _declared(data: bytes) -> str | None:
    found = _DECLARED.search(data[:_DECLARED_IN])
    if found is None:
        return None
    try:
        name = codecs.lookup((found[1] or found[2]).decode("ascii")).name
    except (LookupError, UnicodeDecodeError):
        return None
    # A page whose declaration could be read in ASCII is not in UTF-16, whatever it says.
    return None if name.startswith(("utf-16", "utf-32", "utf-8")) else _SUPERSETS.get(name, name)


def _check(root: Any) -> None:
    depth = nodes = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        nodes += event == "start"
        if depth > MAX_DEPTH or nodes > MAX_NODES:
            raise RefusedFile(
                f"The page has more than {MAX_NODES:,} elements, or nests them more than {MAX_DEPTH} deep; export it as"
                " PDF and upload that."
            )
