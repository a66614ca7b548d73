"""An Outlook message read from its streams, without the library that the reader uses: the words of headers, bodies and
attachments in their order, as they stand for e-mail that was sent as text."""

import mimetypes
import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from shared.rereading.containers import CompoundFile
from shared.rereading.mail import alternative, decoded_header, entity_words, html_words
from shared.rereading.rtf import rtf_words

BEGINNING = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_NAMES = ("From", "To", "Cc", "Reply-To", "Date", "Subject", "Message-ID", "In-Reply-To")
_OWN = {"Message-ID": 0x1035, "In-Reply-To": 0x1042, "To": 0x0E04, "Cc": 0x0E03}
_DEEPEST, _EMBEDDED, _TIMES = 4, 5, (0x0039, 0x0E06)
# What every compressed text may refer to before it has said anything (MS-OXRTFCP, 2.1.2.1).
_KNOWN = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans "
    b"SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def outlook_words(data: bytes) -> Iterator[str]:
    yield from _message(CompoundFile(data), (), 1)


def _message(file: CompoundFile, at: tuple[str, ...], depth: int) -> Iterator[str]:
    fixed = _fixed(file, at, 24 if at else 32)
    page = _page(fixed.get(0x3FFD) or fixed.get(0x3FDE))
    sent = _sent(_text(file, at, 0x007D, page))
    said = {name: sent.get(name.lower(), "") or _own(file, at, name, fixed, page) for name in _NAMES}
    said["Subject"] = " ".join(_text(file, at, 0x0037, page).split()) or said["Subject"]
    yield said["Subject"]
    yield from (f"{name}: {value}" for name, value in said.items() if value)
    held = [(*at, name) for name in file.children(at) if name.startswith("__attach_version1.0_")]
    if len(held) == 1 and _text(file, held[0], 0x370E, page).strip().lower() == "multipart/signed":
        yield from entity_words(file.read((*held[0], "__substg1.0_37010102")))
        return
    yield from _body(file, at, fixed, page)
    files: list[str] = []
    for one in held:
        yield from _attached(file, one, depth, page, files)
    yield from files


def _body(file: CompoundFile, at: tuple[str, ...], fixed: dict[int, int], page: str) -> Iterator[str]:
    plain = _text(file, at, 0x1000, page)
    html = _text(file, at, 0x1013, page)
    if not html:
        html = file.read((*at, "__substg1.0_10130102")).decode(_page(fixed.get(0x3FDE)), "replace")
    if not plain.strip() and not html:
        yield rtf_words(unpacked_rtf(file.read((*at, "__substg1.0_10090102"))))
    else:
        yield from alternative([plain], [html_words(html)] if html else None)


def _attached(file: CompoundFile, at: tuple[str, ...], depth: int, page: str, files: list[str]) -> Iterator[str]:
    fixed = _fixed(file, at, 8)
    inner = (*at, "__substg1.0_3701000D")
    if fixed.get(0x3705, 0) & 0xFFFFFFFF == _EMBEDDED and file.children(inner):
        if depth <= 3:
            yield from _message(file, inner, depth + 1)
        elif depth == _DEEPEST:
            files.append("Attachment: without a name (message/rfc822)")
        return
    name = next((one for number in (0x3707, 0x3704, 0x3001) if (one := _text(file, at, number, page))), "")
    kind = " ".join(_text(file, at, 0x370E, page).split()).lower() or mimetypes.guess_type(name)[0]
    if (kind or "").startswith(("message/", "multipart/")):
        kind = None
    if "__substg1.0_37010102" in file.children(at):
        size = len(file.read((*at, "__substg1.0_37010102")))
        named = " ".join(name.split()) or "without a name"
        files.append(f"Attachment: {named} ({kind or 'application/octet-stream'}, {size:,} bytes)")


def _sent(headers: str) -> dict[str, str]:
    """The headers as they were sent; of several of one name the first."""
    found: dict[str, str] = {}
    unfolded = re.sub(r"\r?\n[ \t]+", " ", headers.lstrip())
    for line in re.split(r"\r?\n", unfolded):
        if not line:
            break
        name, colon, value = line.partition(":")
        if colon:
            found.setdefault(name.strip().lower(), decoded_header(" ".join(value.split())))
    return found


def _own(file: CompoundFile, at: tuple[str, ...], name: str, fixed: dict[int, int], page: str) -> str:
    if name == "Date":
        count = fixed.get(0x0039) or fixed.get(0x0E06) or 0
        moment = datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=count // 10)
        return f"{_DAYS[moment.weekday()]}, {moment:%d %b %Y %H:%M:%S} +0000" if count else ""
    if name == "From":
        return _person(
            [*_texts(file, at, (0x0C1A, 0x0042), page)], [*_texts(file, at, (0x5D01, 0x5D02, 0x0C1F, 0x0065), page)]
        )
    if name in ("To", "Cc"):
        people = [
            _person([*_texts(file, (*at, one), (0x3001,), page)], [*_texts(file, (*at, one), (0x39FE, 0x3003), page)])
            for one in file.children(at)
            if one.startswith("__recip_version1.0_")
            and (_fixed(file, (*at, one), 8).get(0x0C15, 1) & 0xFFFFFFFF) == (1 if name == "To" else 2)
        ]
        if joined := ", ".join(one for one in people if one):
            return joined
    return " ".join(_text(file, at, _OWN[name], page).split()) if name in _OWN else ""


def _person(names: list[str], addresses: list[str]) -> str:
    name = next(iter(names), "")
    address = next((one for one in addresses if "@" in one), "")
    if not address or name == address or not name:
        return address or name
    if name.isascii() and re.search(r"[^\w\s!#$%&'*+/=?^`{|}~-]", name):
        name = '"' + re.sub(r'([\\"])', r"\\\1", name) + '"'
    return f"{name} <{address}>"


def _texts(file: CompoundFile, at: tuple[str, ...], numbers: tuple[int, ...], page: str) -> Iterator[str]:
    yield from (said for one in numbers if (said := " ".join(_text(file, at, one, page).split())))


def _text(file: CompoundFile, at: tuple[str, ...], number: int, page: str) -> str:
    wide = file.read((*at, f"__substg1.0_{number:04X}001F")).decode("utf-16-le", "replace")
    return (wide or file.read((*at, f"__substg1.0_{number:04X}001E")).decode(page, "replace")).replace("\0", "")


def _fixed(file: CompoundFile, at: tuple[str, ...], header: int) -> dict[int, int]:
    table = file.read((*at, "__properties_version1.0"))[header:]
    rows = (struct.unpack("<HHIQ", table[start : start + 16]) for start in range(0, len(table) - 15, 16))
    return {number: value if number in _TIMES else value & 0xFFFFFFFF for _, number, _, value in rows}


def _page(number: int | None) -> str:
    named = {65001: "utf-8", 20127: "ascii", 28591: "latin-1", 50220: "iso2022_jp", 51932: "euc_jp"}
    name = named.get(number or 0, f"windows-{number or 1252}")
    try:
        b"".decode(name)
    except LookupError:
        return "windows-1252"
    return name


def unpacked_rtf(packed: bytes) -> bytes:
    """A formatted body as it was before it was compressed."""
    if packed[8:12] == b"MELA":
        return packed[16:]
    said, at = bytearray(_KNOWN), 16
    flags = 1
    while at < len(packed) and len(said) < 50_000_000:
        if flags == 1:
            flags, at = packed[at] | 256, at + 1
            continue
        if flags & 1 == 0:
            said.append(packed[at])
            at += 1
        else:
            token = int.from_bytes(packed[at : at + 2], "big")
            back = (len(said) - (token >> 4)) % 4096
            if back == 0 or at + 2 > len(packed):
                break
            for _ in range(token % 16 + 2):
                said.append(said[-back] if back <= len(said) else 0)
            at += 2
        flags >>= 1
    return bytes(said[len(_KNOWN) :])
