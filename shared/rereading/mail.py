"""E-mail read from its raw bytes, without the library that the reader uses: the words of headers, bodies and
attachments in their order. Where it is close which of two alternatives says more, both are given."""

import binascii
import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from shared.domain.raw_page import SecondText
from shared.rereading.charsets import likely_charset

_NAMES: Final = ("from", "to", "cc", "reply-to", "date", "subject", "message-id", "in-reply-to")
_DEEPEST: Final = 3
_LONG: Final = 20_000
# From this share of the HTML's letters on the plain text may be the one read, and up to the other one the HTML.
_STUB, _FULL = 0.4, 0.6
_WORD = re.compile(r"=\?([^?\s]+)\?([bBqQ])\?([^?]*)\?=")
_WORDS = re.compile(rf"{_WORD.pattern}(?:\s*{_WORD.pattern})*")
_TAG = re.compile(r"""</?[a-zA-Z][^\s<>/"']*(?:"[^"]{0,20000}"|'[^']{0,20000}'|[^"'<>]|(?!))*+>|<[!?][^<>]*>""")
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_PARAMETER = re.compile(r""";\s*([\w*-]+)\s*=\s*("(?:\\.|[^"\\])*"|[^;]*)""")


class _Piece(NamedTuple):
    headers: list[tuple[str, str]]
    body: bytes

    def get(self, name: str) -> str:
        return next((value for one, value in self.headers if one == name), "")


def reread_mail(path: Path) -> SecondText:
    data = path.read_bytes()
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        from shared.rereading.outlook import outlook_words

        return SecondText("\n".join(outlook_words(data)))
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode()
    data = (data[3:] if data.startswith(b"\xef\xbb\xbf") else data).lstrip(b"\r\n")
    return SecondText("\n".join(word for one in _messages(data) for word in _mail(_closed(one), 1)))


def _closed(data: bytes) -> bytes:
    """A message without the line feed behind a last part that nothing closes: it is no more of the part than the one
    before a mark is."""
    piece = _divide(data)
    boundary = _field(piece.get("content-type"))[1].get("boundary", "").strip().encode("utf-8", "replace")
    if not boundary or b"--" + boundary + b"--" in piece.body:
        return data
    return re.sub(rb"(?:\r\n|\r|\n)\Z", b"", data)


def _messages(data: bytes) -> Iterator[bytes]:
    if not data.startswith(b"From "):
        yield data
        return
    for one in re.split(rb"(?:\A|(?<=\n)[ \t]*\r?\n)From [^\s][^\r\n]*\d\d:\d\d[^\r\n]*(?:\r?\n|\Z)", data):
        if one.strip():
            yield re.sub(rb"(?m)^>(>*From )", rb"\1", one)


def _divide(data: bytes) -> _Piece:
    headers: list[tuple[str, bytes]] = []
    at = 0
    while at < len(data):
        found = _LINE.match(data, at)
        end = found.end() if found else len(data)
        line = data[at:end]
        if not line.strip(b"\r\n"):
            at = end
            break
        field = re.match(rb"([!-9;-~]+)[ \t]*:", line)
        if line[:1] in b" \t" and headers:
            name, value = headers[-1]
            headers[-1] = name, value + line
        elif field:
            headers.append((field[1].decode().lower(), line[field.end() :]))
        elif not line.startswith(b"From ") or headers:
            break
        at = end
    return _Piece([(name, " ".join(_text(value, "ascii").split())) for name, value in headers], data[at:])


def _mail(data: bytes, depth: int) -> Iterator[str]:
    piece = _divide(data)
    subject = decoded_header(piece.get("subject"))
    yield subject
    for name in _NAMES:
        if said := decoded_header(piece.get(name)):
            yield f"{'Message-ID' if name == 'message-id' else name.title()}: {said}"
    files: list[str] = []
    yield from _content(piece, depth, files, "text/plain")
    yield from files


def entity_words(data: bytes) -> Iterator[str]:
    """The texts of a part with its header, then what is attached in it."""
    files: list[str] = []
    yield from _content(_divide(data), 1, files, "text/plain")
    yield from files


def _content(piece: _Piece, depth: int, files: list[str], usual: str) -> Iterator[str]:
    kind, parameters = _field(piece.get("content-type"))
    kind = kind if re.fullmatch(r"[!-.0-~]+/[!-.0-~]*", kind) else ("text/plain" if kind else usual)
    boundary = parameters.get("boundary", "").strip()
    disposition, named = _field(piece.get("content-disposition"))
    name = named.get("filename") or parameters.get("name", "")
    if kind.startswith("multipart/") and not (boundary and _parts(piece.body, boundary.encode("utf-8", "replace"))):
        kind, name, disposition = "text/plain", "", ""
    if kind.startswith("multipart/"):
        within = "message/rfc822" if kind == "multipart/digest" else "text/plain"
        pieces = [_divide(one) for one in _parts(piece.body, boundary.encode("utf-8", "replace"))]
        if kind == "multipart/alternative":
            yield from _alternatives(pieces, depth, files)
        else:
            for one in pieces:
                yield from _content(one, depth, files, within)
    elif kind == "message/rfc822" and depth <= _DEEPEST:
        yield from _mail(piece.body, depth + 1)
    elif kind.startswith("text/") and disposition != "attachment" and not name:
        yield _said(piece, kind, parameters)
    else:
        size = "" if kind.startswith("message/") else f", {len(_payload(piece)):,} bytes"
        files.append(f"Attachment: {decoded_header(name) or 'without a name'} ({kind}{size})")


def _alternatives(pieces: list[_Piece], depth: int, files: list[str]) -> Iterator[str]:
    found: list[tuple[bool, list[str]]] = []
    for piece in pieces:
        rich = b"text/html" in piece.get("content-type").lower().encode() or b"text/html" in piece.body[:20_000].lower()
        found.append((rich, list(_content(piece, depth, files, "text/plain"))))
    plain = next((said for rich, said in found if not rich), None)
    yield from alternative(plain, next((said for rich, said in reversed(found) if rich), None))


def alternative(plain: list[str] | None, best: list[str] | None) -> Iterator[str]:
    """Of a plain text and its HTML that which says more; both where it is close, or the HTML has numbers beside."""
    share = _letters(plain or []) / max(1, _letters(best or []))
    if plain is not None and (best is None or share >= _STUB):
        yield from plain
    if best is not None and (plain is None or share < _FULL or not _figures(best) <= _figures(plain)):
        yield from best


def _figures(texts: list[str]) -> set[str]:
    return {word.strip(".,:;()") for text in texts for word in text.split() if any(map(str.isdigit, word))}


def _letters(texts: list[str]) -> int:
    return sum(character.isalnum() for text in texts for character in text)


def _parts(body: bytes, boundary: bytes) -> list[bytes]:
    line = rb"(?:\A|(?<=[\r\n]))--" + re.escape(boundary) + rb"(--)?[ \t]*(?:\r\n|\r|\n|\Z)"
    marks = list(re.finditer(line, body))
    found: list[bytes] = []
    for mark, behind in zip(marks, [*marks[1:], None], strict=False):
        if mark[1]:
            break
        one = body[mark.end() : behind.start() if behind else len(body)]
        found.append(re.sub(rb"(?:\r\n|\r|\n)\Z", b"", one) if behind else one)
    return found


def _field(value: str) -> tuple[str, dict[str, str]]:
    first = value.partition(";")[0].strip().lower()
    found: dict[str, str] = {}
    pieces: dict[str, list[str]] = {}
    for name, said in _PARAMETER.findall(value):
        bare = said.strip()
        bare = re.sub(r"\\(.)", r"\1", bare[1:-1]) if bare.startswith('"') and bare.endswith('"') else bare
        base = name.lower().partition("*")[0]
        if "*" in name:
            pieces.setdefault(base, []).append(bare)
        else:
            found[base] = bare
    for base, said in pieces.items():
        whole = "".join(said)
        charset, first_mark, rest = whole.partition("'")
        language, second_mark, words = rest.partition("'")
        found[base] = _percent(words, charset) if first_mark and second_mark and len(language) < 9 else whole
    return first, found


def _percent(said: str, charset: str) -> str:
    data = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: binascii.unhexlify(m[1]), said.encode())
    return _text(data, charset or "ascii")


def _said(piece: _Piece, kind: str, parameters: dict[str, str]) -> str:
    text = _text(_payload(piece), parameters.get("charset", "ascii"))
    if kind != "text/html":
        return text
    return html_words(text)


def html_words(text: str) -> str:
    return html.unescape(_TAG.sub("\n", _shown(text)))


def _shown(text: str) -> str:
    """HTML without comments and what is not shown."""
    shown: list[str] = []
    at = 0
    for begin in re.finditer(r"<(?:(!--)|(script|style|head|title|template)\b[^<>]*>)", text, re.I):
        if begin.start() < at:
            continue
        shown.append(text[at : begin.start()])
        ends = "-->" if begin[1] else rf"</{begin[2]}\s*>" + (r"|(?=<body\b)" if begin[2].lower() == "head" else "")
        end = re.compile(ends, re.I).search(text, begin.end() - 2 * bool(begin[1]))
        at = end.end() if end else len(text)
    return "\n".join([*shown, text[at:]])


def _payload(piece: _Piece) -> bytes:
    match piece.get("content-transfer-encoding").strip().lower():
        case "quoted-printable":
            return binascii.a2b_qp(piece.body)
        case "base64":
            return _base64(piece.body)
        case "x-uuencode" | "uuencode" | "uue" | "x-uue":
            return _uuencoded(piece.body)
        case _:
            return piece.body


def _base64(body: bytes) -> bytes:
    inked = re.sub(rb"[^A-Za-z0-9+/]", b"", body)
    return binascii.a2b_base64(inked[: len(inked) - (len(inked) % 4 == 1)] + b"=" * (-len(inked) % 4))


def _uuencoded(body: bytes) -> bytes:
    found = b""
    for line in re.split(rb"(?m)^begin [^\n]*\n", body)[-1].splitlines():
        if line.strip() == b"end":
            break
        try:
            found += binascii.a2b_uu(line)
        except binascii.Error:
            found += binascii.a2b_uu(line[: ((((line[0] - 32) & 63) * 4 + 5) // 3)]) if line else b""
    return found


def decoded_header(said: str) -> str:
    """Encoded words decoded; those of one charset that follow each other as one, since a character may be divided."""
    return said if len(said) > _LONG else " ".join(_WORDS.sub(lambda found: _run(found[0]), said).split())


def _run(words: str) -> str:
    runs: list[tuple[str, bytes]] = []
    for charset, how, said in _WORD.findall(words):
        name = charset.partition("*")[0].lower()
        data = _base64(said.encode()) if how in "bB" else binascii.a2b_qp(said.encode("utf-8", "replace"), header=True)
        if runs and runs[-1][0] == name:
            runs[-1] = name, runs[-1][1] + data
        else:
            runs.append((name, data))
    return "".join(_text(data, name) for name, data in runs)


def _text(data: bytes, charset: str) -> str:
    known = charset.strip().lower().replace("_", "-")
    if known not in (
        "",
        "ascii",
        "us-ascii",
        "iso-8859-1",
        "latin-1",
        "latin1",
        "windows-1252",
        "cp1252",
        "utf-8",
        "utf8",
    ):
        try:
            return _clean(str(data, known))
        except (LookupError, ValueError):
            pass
    western = ("cp1252", "latin-1") if known in {"iso-8859-1", "latin-1", "latin1", "windows-1252", "cp1252"} else ()
    for encoding in ("utf-8", *western):
        try:
            return _clean(str(data, encoding))
        except ValueError:
            continue
    return _clean(str(data, likely_charset(data), "replace"))


def _clean(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "ignore").decode()


def first_of_kind(data: bytes, kinds: tuple[str, ...]) -> tuple[bytes, str]:
    """The bytes of the first piece of one of these media types, and its charset; none where there is no such piece."""
    waiting = [_divide(data)]
    while waiting:
        piece = waiting.pop(0)
        kind, parameters = _field(piece.get("content-type"))
        if kind in kinds:
            return _payload(piece), parameters.get("charset", "")
        if kind.startswith("multipart/") and (boundary := parameters.get("boundary", "").strip()):
            waiting = [*map(_divide, _parts(piece.body, boundary.encode("utf-8", "replace"))), *waiting]
    return b"", ""
