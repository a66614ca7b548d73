"""Opens web pages that a browser saved whole (RFC 2557): the page itself, as any other page; its pictures are not
read."""

from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from pathlib import Path
from typing import Final

from shared.errors import RefusedFile
from shared.readers.html.document import read_html
from shared.readers.html.tree import decode_page
from shared.readers.mail.messages import bytes_of
from shared.readers.parted import PartedSource

EXTRACTOR_VERSION: Final = "mhtml-10"
MAX_BYTES: Final = 200_000_000
_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})
_UTF8: Final = b"\xef\xbb\xbf"
_NO_PAGE: Final = "There is no web page in the file; open the page in a browser, save it again and upload that."


def open_mhtml(path: Path, _password: str | None) -> PartedSource:
    """Raises RefusedFile for a file without a page in it, or beyond a bound."""
    if path.stat().st_size > MAX_BYTES:
        raise RefusedFile(f"The file is larger than {MAX_BYTES // 10**6} MB; save the page alone, as HTML.")
    try:
        message = BytesParser(policy=compat32).parsebytes(path.read_bytes())
        page = next((one for one in message.walk() if one.get_content_type() in _PAGES), None)
    except RecursionError:
        raise RefusedFile(_NO_PAGE) from None
    if page is None:
        raise RefusedFile(_NO_PAGE)
    return read_html(_bytes(page), EXTRACTOR_VERSION)


def _bytes(page: Message) -> bytes:
    """The page in UTF-8: what its header says of its characters counts before what it says itself."""
    data = bytes_of(page)
    charset = page.get_content_charset() or ""
    try:
        return _UTF8 + data.decode(charset or "ascii").encode("utf-8", "replace")
    except (LookupError, ValueError):
        return _UTF8 + decode_page(data).encode("utf-8", "replace")
