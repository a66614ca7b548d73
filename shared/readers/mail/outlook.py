"""Outlook's messages (.msg, MS-OXMSG) as the e-mail that they were: one text from here on has one reader."""

import base64
import io
import mimetypes
import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from email.utils import format_datetime, formataddr
from typing import Final, NamedTuple
from urllib.parse import quote

import olefile

from shared.errors import RefusedFile
from shared.readers.mail.compressed_rtf import decompress_rtf
from shared.readers.rtf.flow import RtfReader, whole

BEGINNING: Final = olefile.MAGIC
# What all streams together may hold: those of a made file can lie over each other.
MAX_BYTES: Final = 400_000_000
MAX_ATTACHMENTS: Final = 10_000
MAX_DEPTH: Final = 5
_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)
_SENT: Final = ("From", "To", "Cc", "Reply-To", "Date", "Subject", "Message-ID", "In-Reply-To", "References")
_ERRORS: Final = (
    OSError, ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error, OverflowError, RecursionError,
)  # fmt: skip
_DAMAGED: Final = "The Outlook message is damaged; open it in Outlook, save it again and upload that."
_TO: Final = 1
_CC: Final = 2
_EMBEDDED: Final = 5
# Exchange has a line of its own before the headers: Microsoft Mail Internet Headers Version 2.0.
_NO_FIELD: Final = re.compile(r"\A(?:(?![!-9;-~]+:).*(?:\n|\Z))*")
_TIMES: Final = frozenset({0x0039, 0x0E06})


def as_mail(data: bytes) -> bytes:
    """The message in the form in which e-mail is sent. Raises RefusedFile for a damaged file, or one beyond a bound."""
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            return _Writer(file).message((), 1)
    except RefusedFile:
        raise
    except _ERRORS as error:
        raise RefusedFile(_DAMAGED) from error


class _Properties(NamedTuple):
    """The values of an object of the message: text and bytes by number, what stands in the table of fixed values."""

    texts: dict[int, str]
    data: dict[int, bytes]
    fixed: dict[int, int]


class _Writer:
    def __init__(self, file: "olefile.OleFileIO[str]") -> None:
        self._file = file
        self._left = MAX_BYTES
        self._boundaries = 0
        self._children: dict[tuple[str, ...], list[str]] = {}
        for path in file.listdir(streams=True, storages=True):
            self._children.setdefault(tuple(path[:-1]), []).append(path[-1])

    def message(self, at: tuple[str, ...], depth: int) -> bytes:
        said = self._properties(at, 32 if not at else 24)
        children = self._children.get(at, [])
        files = sorted(one for one in children if one.startswith("__attach_version1.0_"))
        if len(files) > MAX_ATTACHMENTS:
            raise RefusedFile(f"The message has more than {MAX_ATTACHMENTS:,} attachments; export it as PDF.")
        headers = [f"{name}: {value}" for name, value in self._headers(at, said).items() if value]
        head = "\r\n".join([*headers, ""]).encode("utf-8", "replace")
        if signed := self._signed([(*at, name) for name in files]):
            return head + signed
        html = _html(said)
        pieces = [_text(said), html] if html else [_text(said)]
        body = pieces[0] if len(pieces) == 1 else self._multipart("alternative", pieces)
        shown = html.decode("latin-1") if html else ""
        parts = [body, *(piece for name in files for piece in self._attached((*at, name), depth, _unpacked(shown)))]
        whole_body = parts[0] if len(parts) == 1 else self._multipart("mixed", parts)
        return head + b"MIME-Version: 1.0\r\n" + whole_body

    def _signed(self, files: list[tuple[str, ...]]) -> bytes:
        """The message as it was sent, with its own header, where it was signed: then it is the only attachment
        ([MS-OXOSMIME] 2.1.3), and the body repeats it. Else nothing."""
        said = self._properties(files[0], 8) if len(files) == 1 else None
        kind = said.texts.get(0x370E, "").strip().lower() if said else ""
        return said.data.get(0x3701, b"") if said and kind == "multipart/signed" else b""

    def _multipart(self, kind: str, parts: list[bytes]) -> bytes:
        """Texts and files are in Base64: no line of theirs is a boundary."""
        self._boundaries += 1
        mark = f"=_part_{self._boundaries}"
        head = f'Content-Type: multipart/{kind}; boundary="{mark}"\r\n\r\n'.encode()
        return head + b"".join(f"--{mark}\r\n".encode() + one + b"\r\n" for one in parts) + f"--{mark}--\r\n".encode()

    def _attached(self, at: tuple[str, ...], depth: int, html: str) -> Iterator[bytes]:
        said = self._properties(at, 8)
        name = next((said.texts[one] for one in (0x3707, 0x3704, 0x3001) if said.texts.get(one)), "")
        inner = (*at, "__substg1.0_3701000D")
        if said.fixed.get(0x3705) == _EMBEDDED and inner in self._children:
            if depth < MAX_DEPTH:
                yield b"Content-Type: message/rfc822\r\n\r\n" + self.message(inner, depth + 1)
            return
        data = said.data.get(0x3701)
        if data is None:
            return
        kind = _line(said.texts.get(0x370E, "")) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        if kind.partition("/")[0].lower() in ("message", "multipart"):
            # These are never encoded (RFC 2046, 5.2.1), and an attached file always is: it is a document of its own.
            kind = "application/octet-stream"
        identifier = said.texts.get(0x3712, "")
        shown = bool(identifier) and f"cid:{identifier}" in html
        lines = [f"Content-Type: {kind}", f"Content-ID: <{_line(identifier)}>"] if shown else [f"Content-Type: {kind}"]
        named = f"; filename*=utf-8''{quote(name)}" if name else ""
        lines += [f"Content-Disposition: {'inline' if shown else 'attachment'}{named}"]
        yield _encoded(lines, data)

    def _headers(self, at: tuple[str, ...], said: _Properties) -> dict[str, str]:
        """Those that the message was sent with; what they lack, as the message's own values say."""
        sent: Message = BytesParser(policy=compat32).parsebytes(
            _NO_FIELD.sub("", said.texts.get(0x007D, "")).encode("utf-8", "replace"), headersonly=True
        )
        found = {name: _line(sent.get(name, "")) for name in _SENT}
        sender = _address(said, (0x0C1A, 0x0042), (0x5D01, 0x5D02, 0x0C1F, 0x0065))
        own = {
            "From": sender,
            "To": self._recipients(at, _TO) or _line(said.texts.get(0x0E04, "")),
            "Cc": self._recipients(at, _CC) or _line(said.texts.get(0x0E03, "")),
            "Date": _moment(said.fixed.get(0x0039) or said.fixed.get(0x0E06)),
            "Message-ID": _line(said.texts.get(0x1035, "")),
            "In-Reply-To": _line(said.texts.get(0x1042, "")),
            "References": _line(said.texts.get(0x1039, "")),
        }
        found |= {name: value for name, value in own.items() if not found[name]}
        found["Subject"] = _line(said.texts.get(0x0037, "")) or found["Subject"]
        return found

    def _recipients(self, at: tuple[str, ...], kind: int) -> str:
        names = sorted(one for one in self._children.get(at, []) if one.startswith("__recip_version1.0_"))
        found = [self._properties((*at, one), 8) for one in names[:MAX_ATTACHMENTS]]
        meant = [one for one in found if one.fixed.get(0x0C15, _TO) == kind]
        return ", ".join(said for one in meant if (said := _address(one, (0x3001,), (0x39FE, 0x3003))))

    def _properties(self, at: tuple[str, ...], header: int) -> _Properties:
        table = self._read((*at, "__properties_version1.0"))
        fixed = {
            struct.unpack_from("<H", table, offset + 2)[0]: struct.unpack_from("<Q", table, offset + 8)[0]
            for offset in range(header, len(table) - 15, 16)
        }
        # Times have eight bytes, what else is read of the table four.
        short = {one: value if one in _TIMES else value & 0xFFFFFFFF for one, value in fixed.items()}
        found = _Properties({}, {}, short)
        page = _code_page(found.fixed.get(0x3FFD) or found.fixed.get(0x3FDE))
        for name in self._children.get(at, []):
            number, kind = _numbered(name)
            if kind == "001F":
                found.texts[number] = _clean(self._read((*at, name)).decode("utf-16-le", "replace"))
            elif kind == "001E":
                found.texts[number] = _clean(self._read((*at, name)).decode(page, "replace"))
            elif kind == "0102":
                found.data[number] = self._read((*at, name))
        return found

    def _read(self, at: tuple[str, ...]) -> bytes:
        if not self._file.exists("/".join(at)):
            return b""
        with self._file.openstream("/".join(at)) as stream:
            data = stream.read()
        self._left -= len(data)
        if self._left < 0:
            raise RefusedFile(
                f"The message holds more than {MAX_BYTES // 10**6} MB; save its attachments on their own."
            )
        return data


def _numbered(name: str) -> tuple[int, str]:
    if not name.startswith("__substg1.0_") or len(name) != len("__substg1.0_") + 8:
        return -1, ""
    return int(name[12:16], 16), name[16:].upper()


def _text(said: _Properties) -> bytes:
    """The plain text; that of the formatted body where there is nothing else."""
    text = said.texts.get(0x1000, "")
    if not text.strip() and 0x1013 not in said.data and 0x1013 not in said.texts and 0x1009 in said.data:
        paragraphs = RtfReader().read(decompress_rtf(said.data[0x1009])).paragraphs
        text = "\n".join(whole(line) for one in paragraphs for line in one.lines)
    return _encoded(["Content-Type: text/plain; charset=utf-8"], text.encode("utf-8", "replace"))


def _html(said: _Properties) -> bytes:
    if 0x1013 in said.texts:
        return _encoded(["Content-Type: text/html; charset=utf-8"], said.texts[0x1013].encode("utf-8", "replace"))
    if said.data.get(0x1013):
        page = _code_page(said.fixed.get(0x3FDE))
        return _encoded([f"Content-Type: text/html; charset={page}"], said.data[0x1013])
    return b""


def _unpacked(piece: str) -> str:
    """The HTML of a piece as it was before it was encoded."""
    return base64.b64decode(piece.partition("\r\n\r\n")[2]).decode("latin-1")


def _encoded(lines: list[str], data: bytes) -> bytes:
    head = "\r\n".join([*lines, "Content-Transfer-Encoding: base64", "", ""])
    return head.encode("utf-8", "replace") + base64.encodebytes(data)


def _address(said: _Properties, names: tuple[int, ...], addresses: tuple[int, ...]) -> str:
    """Ada <ada@example.com>; an address of Exchange alone is none."""
    name = next((_line(said.texts[one]) for one in names if said.texts.get(one)), "")
    address = next((_line(said.texts[one]) for one in addresses if "@" in said.texts.get(one, "")), "")
    if not address or name == address:
        return name or address
    quoted, at = formataddr((name, "x@x")).rpartition(" <")[:2] if name.isascii() else (name, " <")
    return f"{quoted}{at}{address}>" if name else address


def _moment(said: int | None) -> str:
    """A count of 100 ns since 1601 as a header has it."""
    if not said:
        return ""
    return format_datetime(_EPOCH + timedelta(microseconds=said // 10))


def _code_page(number: int | None) -> str:
    name = {65001: "utf-8", 20127: "ascii", 28591: "latin-1", 50220: "iso2022_jp", 51932: "euc_jp"}.get(number or 0)
    name = name or f"cp{number or 1252}"
    try:
        b"".decode(name)
    except LookupError:
        return "cp1252"
    return name


def _clean(said: str) -> str:
    return said.replace("\0", "")


def _line(said: str) -> str:
    return " ".join(said.split())
