"""JSON, XML, calendars and address books as other parsers read them: names and values in the order in which they are
shown. What these do not take is text."""

import json
import quopri
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from shared.domain.characters import storable
from shared.domain.raw_page import SecondText
from shared.rereading.text import reread_text

_DEEPEST = 200
_LONGEST = 30_000_000
_WORDS = {
    "DTSTART": "Start", "DTEND": "End", "DTSTAMP": "Stamped", "RRULE": "Repeats", "EXDATE": "Except", "RDATE": "Also",
    "FN": "Name", "N": "Full name", "TEL": "Phone", "ORG": "Organization", "ADR": "Address", "BDAY": "Birthday",
    "UID": "UID", "URL": "URL", "TZID": "Time zone", "X-WR-CALNAME": "Calendar", "PRODID": "Made by", "GEO": "Position",
    "LAST-MODIFIED": "Last modified", "REV": "Revised", "TZ": "Time zone", "IMPP": "Messenger",
}  # fmt: skip
_STILL = ("SUMMARY", "DESCRIPTION", "NOTE", "FN", "TEL")


class _Pairs(list[tuple[str, Any]]):
    """A group: names with what they say."""

    title = ""


def reread_json(path: Path) -> SecondText:
    def read(text: str) -> Any:
        options: dict[str, Any] = {"object_pairs_hook": _Pairs, "parse_int": str, "parse_float": str}
        decoder = json.JSONDecoder(**options, parse_constant=str)
        try:
            return decoder.decode(text)
        except ValueError:
            found: list[Any] = []
            rest = text.strip(" \t\r\n")
            while rest:
                value, end = decoder.raw_decode(rest)
                found.append(value)
                rest = rest[end:].lstrip(" \t\r\n")
            return found

    return _second(path, read)


def reread_xml(path: Path) -> SecondText:
    def read(text: str) -> Any:
        if re.search(r"<[\w:/][^<>]{100000}", text):
            raise ValueError("a tag is too long")
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, encoding="utf-8")
        try:
            root = etree.fromstring(_without_entities(text).encode("utf-8", "replace"), parser)
        except etree.XMLSyntaxError as error:
            raise ValueError(str(error)) from None
        value = _element(root)
        if not value:
            raise ValueError("nothing is said")
        return value if isinstance(value, _Pairs) else _Pairs([(_bare(root.tag), value)])

    return _second(path, read, _declared(path))


def _without_entities(text: str) -> str:
    """The text in which entities that XML does not know are text that says their names."""
    kept = re.split(r"(<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z))", text, flags=re.S)
    return "".join(one if at % 2 else re.sub("&(?!(?:amp|lt|gt|quot|apos);|#)", "&amp;", one)
                   for at, one in enumerate(kept))  # fmt: skip


def reread_cards(path: Path) -> SecondText:
    return _second(path, _cards)


def _declared(path: Path) -> SecondText | None:
    """The text in the characters that it says it is in; None where it does not say so, or it cannot be."""
    data = path.read_bytes()
    said = re.match(rb"<\?xml[^>]*encoding\s*=\s*[\"']([\w.:-]+)", data)
    wide = {"iso-8859-1": "windows-1252", "us-ascii": "windows-1252", "gb2312": "gb18030", "shift_jis": "cp932"}
    name = said[1].decode("ascii").lower() if said else "utf-8"
    try:
        return None if name.startswith(("utf", "ucs")) else SecondText(data.decode(wide.get(name, name)), offsets=True)
    except (LookupError, UnicodeDecodeError):
        return None


def _second(path: Path, read: Callable[[str], Any], declared: SecondText | None = None) -> SecondText:
    plain = declared or reread_text(path)
    try:
        if len(plain.text) > _LONGEST:
            return plain
        value = read(plain.text)
        if _depth(value) > _DEEPEST:
            return plain
        return SecondText("\n".join(" ".join(line.split()) for line in _shown(value, 1)), offsets=False)
    except (ValueError, RecursionError):
        return plain


def _depth(value: Any) -> int:
    deepest, todo = 0, [(value, 1)]
    while todo:
        one, depth = todo.pop()
        if isinstance(one, list):
            deepest = max(deepest, depth)
            todo += [(inner[1] if isinstance(one, _Pairs) else inner, depth + 1) for inner in one]
    return deepest


def _holds(value: Any) -> bool:
    """Whether a value is a section: a group that says something, or a list with one."""
    if isinstance(value, _Pairs):
        return len(value) > 0
    return isinstance(value, list) and any(map(_holds, value))


def _shown(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, _Pairs):
        yield from _pairs(value, depth)
    elif not isinstance(value, list):
        yield _flat(value)
    elif (columns := _columns(value)) is not None:
        yield from columns
        for row in value:
            said = dict(_spread(row))
            yield from (_flat(said[name]) for name in columns if name in said)
    elif depth > 8 or not _holds(value):
        yield from map(_flat, value)
    else:
        for one in value:
            title = _title(one) or _called(one)
            if title:
                yield title
            yield from _shown(one, depth + bool(title))


def _pairs(pairs: _Pairs, depth: int) -> Iterator[str]:
    plain = [name for name, one in pairs if not _holds(one)]
    tail = [_holds(one) for _, one in pairs]
    if True in tail and not all(tail[tail.index(True) :]) and len(set(plain)) != len(plain):
        for _, one in pairs:
            if not _holds(one):
                yield _flat(one)
                continue
            title = _title(one)
            if not title and isinstance(one, _Pairs):
                title = next((said for name, said in one if name in ("title", "head") and isinstance(said, str)), "")
            if title:
                yield title
            yield from _shown(one, depth + bool(title))
        return
    held = [(name, one) for name, one in pairs if depth <= 8 and _holds(one)]
    for name, one in pairs:
        if depth > 8 or not _holds(one):
            yield f"{name}: {_flat(one)}"
    for name, one in held:
        titled = not isinstance(one, _Pairs) and all(_title(item) for item in one)
        if not titled:
            yield _title(one) or name
        yield from _shown(one, depth + (not titled))


def _title(value: Any) -> str:
    return value.title if isinstance(value, _Pairs) else ""


def _called(value: Any) -> str:
    if not isinstance(value, _Pairs):
        return ""
    short = [
        (name.lower(), said) for name, one in value if not isinstance(one, list) and 0 < len(said := _flat(one)) <= 100
    ]
    for wanted in ("title", "name", "id", "key"):
        for name, said in short:
            if name == wanted:
                return said
    return short[0][1] if short else ""


def _columns(rows: list[Any]) -> list[str] | None:
    """The names of the columns, where groups are rows of a table."""
    if len(rows) < 2 or not all(isinstance(row, _Pairs) and row and not row.title for row in rows):
        return None
    rows = [_spread(row) for row in rows]
    columns = list(dict.fromkeys(name for row in rows for name, _ in row))
    if len(columns) > 60 or sum(map(len, rows)) * 2 < len(columns) * len(rows):
        return None
    for row in rows:
        if len({name for name, _ in row}) < len(row) or any(len(_flat(one, 300)) > 300 for _, one in row):
            return None
    return columns


def _spread(row: Any) -> Any:
    """The members of a row, those of a group in it by both names."""
    found: list[tuple[str, Any]] = []
    for name, one in row:
        found += [(f"{name}.{own}", said) for own, said in one] if isinstance(one, _Pairs) and one else [(name, one)]
    return found


def _flat(value: Any, most: int | None = None) -> str:
    if isinstance(value, _Pairs):
        found, between = "", "; "
        for name, one in value:
            found += f"{between if found else ''}{name}: {_flat(one, most)}"
            if most is not None and len(found) > most:
                break
        return found or "{}"
    if isinstance(value, list):
        said: list[str] = []
        length = 0
        for one in value:
            said.append(_flat(one, most))
            length += len(said[-1]) + 2
            if most is not None and length > most + 2:
                break
        return ", ".join(said) if value else "[]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return storable(value)


def _bare(tag: Any) -> str:
    return re.sub(r"^\{.*\}|^.*:", "", str(tag))


def _element(node: Any) -> Any:
    pairs = _Pairs((_bare(name), said) for name, said in node.attrib.items() if said.strip())
    elements = [one for one in node if isinstance(one.tag, str)]
    own = (node.text or "") + "".join(
        _reference(one) + (one.tail or "") for one in node if not isinstance(one.tag, str)
    )
    if (own + "".join(one.tail or "" for one in elements)).strip():
        text = " ".join(_reading(node).split())
        return text if elements or not pairs else _Pairs([*pairs, ("text", text)])
    for one in elements:
        value = _element(one)
        if not value:
            continue
        name = _bare(one.tag)
        run = pairs[-1][1] if pairs and pairs[-1][0] == name else None
        if isinstance(value, _Pairs) and isinstance(run, _Pairs):
            pairs[-1] = name, [run, value]
        elif isinstance(value, _Pairs) and isinstance(run, list):
            run.append(value)
        else:
            pairs.append((name, value))
    return pairs or ""


def _reference(node: Any) -> str:
    return node.text if node.tag is etree.Entity else ""


def _reading(node: Any) -> str:
    """The text of an element as it reads; what stands in parts of it that have no text of their own is set apart."""
    pieces = [node.text or ""]
    for one in node:
        if isinstance(one.tag, str):
            inner = _reading(one)
            own = (one.text or "") + "".join(
                (_reference(x) if not isinstance(x.tag, str) else "") + (x.tail or "") for x in one
            )
            pieces.append(inner if own.strip() else f" {inner} ")
        else:
            pieces.append(_reference(one))
        pieces.append(one.tail or "")
    return "".join(pieces)


def _cards(text: str) -> Any:
    lines = re.sub(r"(?:\r\n|\n|\r)+[ \t]", "", text)
    lines = re.sub(r"(?im)^[^:\r\n]*QUOTED-PRINTABLE[^:\r\n]*:(?:[^\r\n]*=(?:\r\n|\n|\r))*[^\r\n]*",
                   lambda found: re.sub(r"=(?:\r\n|\n|\r)", "", found[0]), lines)  # fmt: skip
    open_: list[tuple[str, _Pairs, dict[str, str]]] = [("", _Pairs(), {})]
    for line in filter(str.strip, re.split(r"\r\n|\n|\r", lines)):
        head, colon, value = _parted(line)
        if not colon or not re.fullmatch(r"(?:[\w-]+\.)?[A-Za-z0-9-]+\s*", head[0]):
            raise ValueError(line)
        name, *parameters = head
        name = name.rpartition(".")[2].strip().upper()
        if name == "BEGIN":
            open_.append((value.strip().upper(), _Pairs(), {}))
        elif name == "END":
            kind, pairs, titles = open_.pop()
            if not open_ or kind != value.strip().upper():
                raise ValueError(line)
            named = ("SUMMARY", "FN", "TZID", "X-WR-CALNAME", "N", "ORG")
            pairs.title = next((titles[one] for one in named if titles.get(one)), "")
            if kind == "VTIMEZONE":
                open_[-1][1].append(("Time zone", pairs.title))
            else:
                _put(open_[-1][1], kind.lower(), pairs)
        elif (said := _property(name, parameters, value)) is not None:
            label, shown = said
            open_[-1][1].append((label, shown))
            open_[-1][2].setdefault(name, " ".join(shown.removeprefix(_who(parameters)).split()))
    top = open_[0][1]
    if len(open_) != 1 or all(isinstance(one, str) for _, one in top):
        raise ValueError("broken")
    return top[0][1] if len(top) == 1 and top[0][0] in ("vcalendar", "vcard") else top


def _put(pairs: _Pairs, name: str, value: _Pairs) -> None:
    run = pairs[-1][1] if pairs and pairs[-1][0] == name else None
    if isinstance(run, _Pairs):
        pairs[-1] = name, [run, value]
    elif isinstance(run, list):
        run.append(value)
    else:
        pairs.append((name, value))


def _parted(line: str) -> tuple[list[str], bool, str]:
    """The name with its parameters, whether a colon ends them, and the value."""
    quoted, pieces, begin = False, list[str](), 0
    for at, sign in enumerate(line):
        if sign == '"':
            quoted = not quoted
        elif sign in ";:" and not quoted:
            pieces.append(line[begin:at])
            begin = at + 1
            if sign == ":":
                return pieces, True, line[begin:]
    return pieces, False, ""


def _who(parameters: list[str]) -> str:
    return next((one[3:].strip('"') for one in parameters if one.upper().startswith("CN=")), "")


def _property(name: str, parameters: list[str], value: str) -> tuple[str, str] | None:
    words = [one.upper() for one in parameters]
    if {"ENCODING=B", "ENCODING=BASE64", "BASE64", "VALUE=BINARY"} & set(words):
        return None
    if name in ("PHOTO", "LOGO", "SOUND", "KEY", "ATTACH") and value.startswith("data:"):
        return None
    if "ENCODING=QUOTED-PRINTABLE" in words or "QUOTED-PRINTABLE" in words:
        charset = next((one[8:] for one in parameters if one.upper().startswith("CHARSET=")), "utf-8")
        value = str(quopri.decodestring(value.encode("utf-8", "replace")), charset, "replace")
    moment = re.fullmatch(r"(\d{4})-?(\d\d)-?(\d\d)(T\d\d:?\d\d(?::?\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?", value)
    if moment and name not in _STILL:
        shown = "-".join(moment.groups()[:3]) + _clock(moment[4] or "", parameters)
    elif name in ("N", "ADR", "ORG"):
        said = [_plain(piece).strip() for piece in re.split(r"(?<!\\);", value)]
        shown = ", ".join(piece for piece in said if piece)
    else:
        shown = re.sub(r"(?i)\Amailto:", "", _plain(value))
    if not shown.strip():
        return None
    kinds = [kind.lower() for one in parameters if "=" not in one or one.upper().startswith("TYPE=")
             for kind in one.partition("=")[2 if "=" in one else 0].strip('"').split(",")]  # fmt: skip
    kinds = [kind for kind in kinds if kind not in ("quoted-printable", "base64", "pref", "internet", "voice")]
    label = _WORDS.get(name) or re.sub("^X-", "", name).replace("-", " ").capitalize()
    return label + (f" ({', '.join(kinds)})" if kinds else ""), f"{_who(parameters)} {storable(shown)}".strip()


def _clock(said: str, parameters: list[str]) -> str:
    found = re.fullmatch(r"T(\d\d):?(\d\d):?(\d\d)?(?:\.\d+)?(.*)", said)
    if found is None:
        return ""
    zone = next((one[5:].strip('"') for one in parameters if one.upper().startswith("TZID=")), "")
    seconds = f":{found[3]}" if found[3] and int(found[3]) else ""
    return f" {found[1]}:{found[2]}{seconds} {'UTC' if found[4] == 'Z' else found[4] or zone}".rstrip()


def _plain(value: str) -> str:
    return re.sub(r"(?s)\\(.)", lambda found: {"n": "\n", "N": "\n"}.get(found[1], found[1]), value)
