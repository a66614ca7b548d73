"""From the bytes of a message or a mailbox to headers, texts and attachments. Broken MIME is read as far as it goes."""

import base64
import codecs
import re
from collections.abc import Iterator
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from typing import NamedTuple

from shared.errors import RefusedFile
from shared.readers.mail.html_text import html_lines
from shared.readers.mail.quotes import BodyLine, kinds_of
from shared.readers.text.charsets import BROKEN, guess

MAX_MESSAGES = 5_000
# Messages inside messages that are read; deeper ones are named only.
MAX_DEPTH = 3
MAX_PIECES = 20_000
# A longer header is not decoded: its encoded words stay as they stand.
MAX_HEADER = 20_000
# Where the plain text says less than this share of what the HTML says, it is a stub, and the HTML is read.
STUB = 0.5
SHOWN = ("From", "To", "Cc", "Reply-To", "Date", "Subject", "Message-ID", "In-Reply-To")
_KIND = re.compile(r"[!-.0-~]+/[!-~]*")
_ID = re.compile(r"<[^<>\s]{1,900}>")
_SEPARATOR = re.compile(rb"From \S.*\d\d:\d\d.*")
_ESCAPED = re.compile(rb"^>(>*From )", re.M)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_ADDRESS = ("@", "://", "www.", "mailto:")
# What claims to be of these is as often UTF-8, or Windows-1252.
_SINGLE_BYTE = frozenset({"ascii", "iso8859-1", "cp1252"})


class Text(NamedTuple):
    """A piece of a message's text."""

    text: str
    html: bool


class Attachment(NamedTuple):
    """A file in a message: its name, its media type, its size in bytes (None of what is a message of its own).

    `shown`: a picture that the text shows by its id, and no file that somebody attached.
    """

    name: str
    media_type: str
    size: int | None
    piece: Message | None = None
    shown: bool = False

    @property
    def data(self) -> bytes:
        return b"" if self.piece is None else bytes_of(self.piece)


class Mail(NamedTuple):
    """A message: those of its headers that are SHOWN, in that order, and what it holds, in its order. `answers` are the
    ids of the messages before it in its thread, the one that it answers last."""

    headers: list[tuple[str, str]]
    content: "list[Text | Attachment | Mail]"
    answers: tuple[str, ...] = ()

    def header(self, name: str) -> str:
        return next((value for one, value in self.headers if one == name), "")


def read_messages(data: bytes) -> list[Mail]:
    """The messages of a mailbox, or the one that a file is. Raises RefusedFile for too many, or nested too deep."""
    messages = [data] if not data.startswith(b"From ") else list(_divided(data))
    if len(messages) > MAX_MESSAGES:
        raise RefusedFile(
            f"The mailbox has {len(messages):,} messages, more than the {MAX_MESSAGES:,} of one file; divide it."
        )
    try:
        return [_mail(_parsed(one), 1, [MAX_PIECES]) for one in messages]
    except RecursionError:
        raise RefusedFile("A message has parts within parts too deep to be read; export it as PDF.") from None


def _divided(data: bytes) -> Iterator[bytes]:
    """The messages of a mailbox: each begins with a separator behind a blank line."""
    message: list[bytes] = []
    blank = True
    for line in data.splitlines(keepends=True):
        if blank and _SEPARATOR.match(line):
            if any(one.strip() for one in message):
                yield _ESCAPED.sub(rb"\1", b"".join(message))
            message = []
        else:
            message.append(line)
        blank = not line.strip()
    if any(one.strip() for one in message):
        yield _ESCAPED.sub(rb"\1", b"".join(message))


def _parsed(data: bytes) -> Message:
    """The message. Names of files that stand in its headers as they are, in no encoding that a header has, are decoded:
    the library would say nothing but question marks."""
    message = BytesParser(policy=compat32).parsebytes(data)
    for piece in message.walk():
        for name in ("Content-Type", "Content-Disposition"):
            raw = next((value for one, value in piece.raw_items() if one.lower() == name.lower()), "")
            if not raw.isascii():
                piece.replace_header(name, _decoded(raw.encode("utf-8", "surrogateescape"), None))
    return message


def _mail(message: Message, depth: int, left: list[int]) -> Mail:
    headers = [(name, said) for name in SHOWN if (said := _header(message, name))]
    said = f"{_header(message, 'References')[:MAX_HEADER]} {_header(message, 'In-Reply-To')}"
    return Mail(headers, list(_content(message, depth, left)), tuple(dict.fromkeys(_ID.findall(said))))


def _content(piece: Message, depth: int, left: list[int]) -> Iterator[Text | Attachment | Mail]:
    """The pieces in their order; `left` counts down how many may still be read."""
    left[0] -= 1
    if left[0] < 0:
        raise RefusedFile(f"A message has more than {MAX_PIECES:,} parts; export what you need of it as PDF.")
    kind = piece.get_content_type()
    kind = kind if _KIND.fullmatch(kind) else "text/plain"
    inner = _inner(piece)
    if inner and kind == "message/rfc822" and depth <= MAX_DEPTH:
        yield _mail(inner[0], depth + 1, left)
    elif inner and kind.startswith("message/"):
        yield Attachment(_name(piece), kind, None)
    elif inner:
        pieces = [list(_content(one, depth, left)) for one in inner]
        for one in _chosen(pieces) if kind == "multipart/alternative" else pieces:
            yield from one
    elif kind.startswith("multipart/") or (kind.startswith("text/") and not _is_file(piece)):
        # What says that it has parts and has none is a text.
        yield Text(_decoded(bytes_of(piece), piece.get_content_charset()), kind == "text/html")
    else:
        shown = kind.startswith("image/") and "Content-ID" in piece and piece.get_content_disposition() != "attachment"
        yield Attachment(_name(piece), kind, len(bytes_of(piece)), piece, shown)


def _inner(piece: Message) -> list[Message]:
    held = piece.get_payload() if piece.is_multipart() else None
    return [one for one in held if isinstance(one, Message)] if isinstance(held, list) else []


def _chosen(pieces: "list[list[Text | Attachment | Mail]]") -> "list[list[Text | Attachment | Mail]]":
    """Of alternatives the plain text, unless it is a stub, or the HTML has all numbers of its own words and more; else
    the last that has text. Attachments of all are kept."""
    plain = [one for one in pieces if any(isinstance(p, Text) and not p.html for p in one)]
    rich = [one for one in pieces if any(isinstance(p, Text) and p.html for p in one)]
    best = plain[0] if plain else None
    if rich and (best is None or _says_more(_lines(rich[-1]), _lines(best))):
        best = rich[-1]
    return [one if one is best else [p for p in one if not isinstance(p, Text)] for one in pieces]


def _lines(pieces: "list[Text | Attachment | Mail]") -> list[BodyLine]:
    texts = [piece for piece in pieces if isinstance(piece, Text)]
    plain = [BodyLine(line) for one in texts if not one.html for line in one.text.splitlines()]
    return plain + [BodyLine(line.text, line.quoted) for one in texts if one.html for line in html_lines(one.text)]


def _says_more(rich: list[BodyLine], plain: list[BodyLine]) -> bool:
    """Whether HTML tells what the plain text of the same message does not. What a message quotes, and a signature, may
    be left out of either."""
    if _letters(plain) < STUB * _letters(rich):
        return True
    kinds = kinds_of(plain, "", "")
    own = [line for line, kind in zip(plain, kinds, strict=True) if kind == "content"]
    told = _numbers(rich)
    return STUB * _letters(own) <= _letters(rich) and told > _numbers(own) and not told <= _numbers(plain)


def _letters(lines: list[BodyLine]) -> int:
    return sum(c.isalnum() for line in lines for c in line.text)


def _numbers(lines: list[BodyLine]) -> set[str]:
    """Without those of addresses, which HTML keeps behind its words."""
    words = (word for line in lines for word in line.text.split() if not any(sign in word for sign in _ADDRESS))
    return {one for word in words for one in _NUMBER.findall(word)}


def _is_file(piece: Message) -> bool:
    return piece.get_content_disposition() == "attachment" or bool(piece.get_filename())


def _name(piece: Message) -> str:
    name = piece.get_filename()
    return " ".join(_words(name).split()) if name else "without a name"


def bytes_of(piece: Message) -> bytes:
    """The bytes of a piece; Base64 as far as its letters go, since the library gives up where one is too many."""
    try:
        return _unpacked(piece)
    except UnicodeError:
        # Its charset names a codec that decodes nothing.
        piece.del_param("charset")
        return _unpacked(piece)


def _unpacked(piece: Message) -> bytes:
    # A header with bytes that no header has comes as an object that is no text.
    said: object = piece.get("Content-Transfer-Encoding", "")
    if str(said).strip().lower() == "base64":
        letters = re.sub(r"[^A-Za-z0-9+/]", "", str(piece.get_payload()))
        letters = letters[: len(letters) - (len(letters) % 4 == 1)]
        return base64.b64decode(letters + "=" * (-len(letters) % 4))
    data = piece.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _header(message: Message, name: str) -> str:
    """The header's text on one line; empty where there is none."""
    raw = next((value for one, value in message.raw_items() if one.lower() == name.lower()), "")
    return " ".join(_words(_decoded(raw.encode("utf-8", "surrogateescape"), None)).split())


def _words(text: str) -> str:
    """A header with its encoded words (RFC 2047) decoded."""
    if len(text) > MAX_HEADER:
        return text
    try:
        pieces = decode_header(" ".join(text.splitlines()))
    except (HeaderParseError, ValueError):
        return text
    return _storable("".join(one if isinstance(one, str) else _piece(one, charset) for one, charset in pieces))


def _piece(data: bytes, charset: str | None) -> str:
    # What stands between encoded words comes as raw-unicode-escape.
    return data.decode("raw-unicode-escape", "replace") if charset is None else _decoded(data, charset)


def _decoded(data: bytes, charset: str | None) -> str:
    """The text in its charset; where that is unknown or a lie, in UTF-8 or as its bytes look."""
    declared = _codec(charset)
    encodings = ["utf-8", declared] if declared in _SINGLE_BYTE else [declared, "utf-8"]
    for encoding in encodings:
        try:
            return _storable(data.decode("cp1252" if encoding == "iso8859-1" else encoding))
        except (UnicodeError, LookupError):
            # LookupError: a codec that makes no text.
            continue
    return _storable(data.decode(guess(data), BROKEN))


def _storable(text: str) -> str:
    """Without what no database holds."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode()


def _codec(charset: str | None) -> str:
    try:
        return codecs.lookup(charset or "ascii").name
    except (LookupError, ValueError):
        return "ascii"
