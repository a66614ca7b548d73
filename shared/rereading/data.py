"""JSON, XML, calendars and address books as other parsers read them: each value with its name, in the order of the file
and without any layout. What these do not take is text."""

import json
import quopri
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, time
from pathlib import Path
from typing import Any

from lxml import etree

from shared.domain.characters import storable
from shared.domain.raw_page import SecondField, SecondText
from shared.rereading.text import reread_text

_DEEPEST = 200
_DEEPEST_COMPONENT = 20
_LONGEST = 30_000_000
_MOST = 200_000
_SPACES = " \t\r\n"
_Fields = list[SecondField]


class _Pairs(list[tuple[str, Any]]):
    """An object: names with what they say."""


def reread_json(path: Path) -> SecondText:
    def read(text: str) -> _Fields:
        options: dict[str, Any] = {"object_pairs_hook": _Pairs, "parse_int": str, "parse_float": str}
        decoder = json.JSONDecoder(**options, parse_constant=str)
        try:
            value = decoder.decode(text)
        except ValueError:
            value = [*_one_behind_the_other(text, decoder)]
        return _checked(value)

    return _second(reread_text(path), read)


def _one_behind_the_other(text: str, decoder: json.JSONDecoder) -> Iterator[Any]:
    """The values of a text. Raises ValueError where there are too many."""
    end, at = len(text.rstrip(_SPACES)), len(text) - len(text.lstrip(_SPACES))
    count = 0
    while at < end:
        one, at = decoder.raw_decode(text, at)
        yield one
        while at < end and text[at] in _SPACES:
            at += 1
        count += 1
        if count > _MOST:
            raise ValueError("too many")


def _checked(value: Any) -> _Fields:
    """The fields of a value. Raises ValueError where it is too deep, or has too many."""
    count, todo = 0, [(value, 1)]
    while todo:
        one, depth = todo.pop()
        count += 1
        if isinstance(one, list):
            if depth > _DEEPEST:
                raise ValueError("too deep")
            todo += [(inner[1] if isinstance(one, _Pairs) else inner, depth + 1) for inner in one]
    if count > _MOST:
        raise ValueError("too many")
    return [*_of_value("", value)]


def _of_value(name: str, value: Any) -> Iterator[SecondField]:
    """A list of nothing but scalars is one value, divided by commas."""
    if not isinstance(value, list):
        yield SecondField(name, _scalar(value))
    elif isinstance(value, _Pairs) and value:
        yield SecondField(name, None)
        for own, one in value:
            yield from _of_value(own, one)
    elif any(isinstance(one, list) for one in value):
        yield SecondField(name, None)
        for one in value:
            yield from _of_value("", one)
    else:
        items = [*map(_scalar, value)] or ["{}" if isinstance(value, _Pairs) else "[]"]
        yield SecondField(name, ", ".join(items), items=items)


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return storable(value)


def reread_xml(path: Path) -> SecondText:
    def read(text: str) -> _Fields:
        if re.search(r"<[\w:/][^<>]{100000}", text):
            raise ValueError("a tag is too long")
        root = _parsed(_without_entities(text).encode("utf-8", "replace"))
        _check(root)
        if root.tag == "plist":
            attributes = [SecondField(_local(name), said) for name, said in root.attrib.items()]
            return [*attributes, *(field for one in _elements(root) for field in _of_value(one.tag, _of_plist(one)))]
        return [*_of_element(root)]

    return _second(_declared(path) or reread_text(path), read)


def _parsed(data: bytes) -> Any:
    """The outermost element. An identifier that is none by the rules of xml:id breaks nothing."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, encoding="utf-8", recover=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(str(error)) from None
    errors = [one for one in parser.error_log.filter_from_errors() if one.type_name != "DTD_XMLID_VALUE"]
    if root is None or errors:
        raise ValueError(f"broken: {errors[:1]}")
    return root


def _check(root: Any) -> None:
    depth = count = 0
    for event, one in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        count += 1 + len(one.attrib) if event == "start" else 0
        if depth > _DEEPEST or count > _MOST:
            raise ValueError("too deep, or too many")


def _without_entities(text: str) -> str:
    """The text in which entities that XML does not know are text that says their names."""
    kept = re.split(r"(<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z))", text, flags=re.S)
    return "".join(one if at % 2 else re.sub("&(?!(?:amp|lt|gt|quot|apos);|#)", "&amp;", one)
                   for at, one in enumerate(kept))  # fmt: skip


def _declared(path: Path) -> SecondText | None:
    """The text in the characters that it says it is in; None where it does not say so, or it cannot be."""
    data = path.read_bytes()
    said = re.match(rb"<\?xml[^>]*encoding\s*=\s*[\"']([\w.:-]+)", data)
    wide = {
        "iso-8859-1": "windows-1252", "us-ascii": "windows-1252", "gb2312": "gb18030", "gbk": "gb18030",
        "shift_jis": "cp932", "euc-kr": "cp949", "big5": "big5hkscs", "tis-620": "cp874", "iso-8859-9": "windows-1254",
    }  # fmt: skip
    name = said[1].decode("ascii").lower() if said else "utf-8"
    try:
        return None if name.startswith(("utf", "ucs")) else SecondText(data.decode(wide.get(name, name)), offsets=True)
    except (LookupError, UnicodeDecodeError):
        return None


def _of_element(node: Any, *, bare: bool = False, named: bool = True) -> Iterator[SecondField]:
    """Attributes, then the text with all that is in it where it has words of its own, else the elements. Neighbours of
    one name that are groups are named once."""
    name, inner = _local(node.tag), _elements(node)
    own = _own_text(node)
    reads = any(map(str.isalnum, own)) or not inner
    if named and (node.attrib or not reads):
        yield SecondField(name, None)
    yield from (SecondField(_local(key), said) for key, said in node.attrib.items())
    if reads:
        said = "".join(_reading(node))
        if said.strip() or not node.attrib:
            yield SecondField("text" if node.attrib else name, said, bare and not node.attrib)
        within = (one for one in node.iterdescendants() if isinstance(one.tag, str))
        yield from (SecondField(_local(key), said) for one in within for key, said in one.attrib.items())
        return
    around = _around_groups(inner) - {"text", *map(_local, node.attrib)}
    before = ""
    for one in inner:
        yield from _of_element(one, bare=_local(one.tag) in around, named=_local(one.tag) != before)
        before = _local(one.tag) if _is_group(one) else ""
    if own.strip():
        yield SecondField("text", own)


def _own_text(node: Any) -> str:
    """The text without that of the elements in it."""
    entities = (one.text for one in node if one.tag is etree.Entity)
    return "".join([node.text or "", *entities, *(one.tail or "" for one in node)])


def _is_group(node: Any) -> bool:
    return bool(node.attrib) or (len(_elements(node)) > 0 and not any(map(str.isalnum, _own_text(node))))


def _elements(node: Any) -> list[Any]:
    return [one for one in node if isinstance(one.tag, str)]


def _around_groups(elements: Sequence[Any]) -> set[str]:
    """The names of elements before and behind one that holds something."""
    holding = [at for at, one in enumerate(elements) if len(one) or one.attrib]
    names = [_local(one.tag) for one in elements]
    if not holding:
        return set()
    return {*names[: holding[-1]]} & {*names[holding[0] + 1 :]}


def _reading(node: Any) -> Iterator[str]:
    for event, one in etree.iterwalk(node, events=("start", "end", "comment", "pi")):
        if event == "start":
            yield one.text or ""
        elif one is not node:
            yield one.tail or ""


def _of_plist(node: Any) -> Any:
    """The value that an element of a property list says."""
    inner = _elements(node)
    if node.tag in ("true", "false"):
        return node.tag
    if node.tag == "array":
        return [_of_plist(one) for one in inner]
    if node.tag != "dict":
        return "".join(_reading(node))
    if len(inner) % 2 or any(one.tag != "key" for one in inner[::2]):
        raise ValueError("names without values")
    return _Pairs(("".join(_reading(key)), _of_plist(one)) for key, one in zip(inner[::2], inner[1::2], strict=True))


def _local(tag: Any) -> str:
    return re.sub(r"^\{.*\}|^.*:", "", str(tag))


def _second(plain: SecondText, read: Callable[[str], _Fields]) -> SecondText:
    try:
        return SecondText("", fields=read(plain.text)) if len(plain.text) <= _LONGEST else plain
    except (ValueError, RecursionError):
        return plain


_WORDS = {
    "DTSTART": "Start", "DTEND": "End", "DTSTAMP": "Stamped", "RRULE": "Repeats", "EXDATE": "Except", "RDATE": "Also",
    "FN": "Name", "N": "Full name", "TEL": "Phone", "ORG": "Organization", "ADR": "Address", "BDAY": "Birthday",
    "UID": "UID", "URL": "URL", "TZID": "Time zone", "X-WR-CALNAME": "Calendar", "PRODID": "Made by", "GEO": "Position",
    "LAST-MODIFIED": "Last modified", "REV": "Revised", "TZ": "Time zone", "IMPP": "Messenger",
}  # fmt: skip
_WHEN = (
    "DTSTART", "DTEND", "DUE", "DTSTAMP", "CREATED", "LAST-MODIFIED", "COMPLETED", "RECURRENCE-ID", "EXDATE", "RDATE",
    "FREEBUSY", "TRIGGER", "BDAY", "ANNIVERSARY", "DEATHDATE", "REV", "ACKNOWLEDGED",
)  # fmt: skip
_WORDS_OF_THEIR_OWN = ("TYPE", "", "PARTSTAT", "ROLE", "CUTYPE", "FBTYPE", "RELTYPE", "RELATED", "RANGE")
_OF_WRITING = (
    "ENCODING", "CHARSET", "VALUE", "TZID", "CN", "PREF", "LANGUAGE", "ALTREP", "LABEL", "CALSCALE", "DIR", "SENT-BY",
    "MEMBER", "FMTTYPE", "SORT-AS", "PID", "ALTID", "MEDIATYPE", "INDEX", "SCHEDULE-AGENT",
)  # fmt: skip


def reread_cards(path: Path) -> SecondText:
    return _second(_joined(path.read_bytes()) or reread_text(path), _cards)


def _joined(data: bytes) -> SecondText | None:
    """The text in which characters that two lines share stand in the first; None where there are none."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        joined = re.sub(
            "([\udc80-\udcff]{1,3})(\r?\n[ \t])([\udc80-\udcff]{1,3})",
            lambda found: (found[1] + found[3]).encode("utf-8", "surrogateescape").decode() + found[2],
            text,
        )
        joined.encode()
    except UnicodeError:
        return None
    return SecondText(joined, offsets=True) if joined != text and "\0" not in text else None


def _cards(text: str) -> _Fields:
    open_: list[tuple[str, _Fields, str]] = [("", [], "")]
    for count, (name, parameters, value) in enumerate(_properties(text)):
        if count >= _MOST or len(open_) > _DEEPEST_COMPONENT + 1:
            raise ValueError("too many, or too deep")
        kind, fields, zone = open_[-1]
        if name == "BEGIN":
            open_.append((value.strip().upper(), [], ""))
        elif name == "END":
            open_.pop()
            if not open_ or kind != value.strip().upper():
                raise ValueError(f"no {value} ends")
            own = (
                [SecondField("Time zone", zone)] if kind == "VTIMEZONE" else [SecondField(kind.lower(), None), *fields]
            )
            open_[-1][1].extend(own)
        elif (field := _property(name, parameters, value)) is not None:
            fields.append(field)
            if name == "TZID" and not zone and field.value:
                open_[-1] = kind, fields, field.value
    if len(open_) != 1 or all(field.value is not None for field in open_[0][1]):
        raise ValueError("broken")
    return open_[0][1]


def _properties(text: str) -> Iterator[tuple[str, list[str], str]]:
    """(name, parameters, value) of each property; a line that is none goes on with the one before it."""
    held: tuple[str, list[str], list[str]] | None = None
    for line in _unfolded(text):
        head, colon, value = _parted(line)
        if colon and re.fullmatch(r"(?:[\w-]+\.)?[A-Za-z0-9-]+\s*", head[0]):
            if held:
                yield held[0], held[1], "\n".join(held[2])
            held = head[0].rpartition(".")[2].strip().upper(), head[1:], [value]
        elif held is None:
            raise ValueError(f"no property: {line}")
        else:
            held[2].append(line)
    if held:
        yield held[0], held[1], "\n".join(held[2])


def _unfolded(text: str) -> list[str]:
    """The lines; one that begins with a space goes on with that before it, as one does behind a line in
    quoted-printable that ends with an equals sign."""
    lines: list[list[str]] = []
    soft = quoted = False
    for line in re.split(r"\r\n|\n|\r", text):
        said = line if soft or line[:1] not in (" ", "\t") else line[1:]
        if lines and (soft or said is not line):
            lines[-1].append(said)
        elif line.strip():
            lines.append([line])
            said = line
            quoted = "QUOTED-PRINTABLE" in line.partition(":")[0].upper()
        else:
            continue
        soft = quoted and said.endswith("=")
        if soft:
            lines[-1][-1] = said[:-1]
    return ["".join(pieces) for pieces in lines]


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


def _property(name: str, parameters: list[str], value: str) -> SecondField | None:
    said = {one.partition("=")[0].upper(): one.partition("=")[2].replace('"', "") for one in parameters if "=" in one}
    words = [one.upper() for one in parameters]
    label = _WORDS.get(name) or re.sub("^X-", "", name).replace("-", " ").capitalize()
    kinds = ", ".join(kind for one in parameters for kind in _kinds(one))
    is_binary = bool({"ENCODING=B", "ENCODING=BASE64", "BASE64", "VALUE=BINARY"} & set(words))
    if is_binary or (name in ("PHOTO", "LOGO", "SOUND", "KEY", "ATTACH") and value.startswith("data:")):
        shown = value
    else:
        if "ENCODING=QUOTED-PRINTABLE" in words or "QUOTED-PRINTABLE" in words:
            value = _decoded(quopri.decodestring(value.encode("utf-8", "replace")), said.get("CHARSET", "utf-8"))
        shown = _shown(name, said, value)
    if not shown.strip():
        return None
    return SecondField(label + (f" ({kinds})" if kinds else ""), storable(f"{said.get('CN', '')} {shown}".strip()))


def _decoded(data: bytes, charset: str) -> str:
    try:
        return data.decode(charset)
    except (LookupError, UnicodeError):
        return data.decode("utf-8", "replace")


def _shown(name: str, said: dict[str, str], value: str) -> str:
    typed = said.get("VALUE", "").upper()
    if typed in ("DATE", "DATE-TIME", "PERIOD", "DATE-AND-OR-TIME", "TIMESTAMP") or (name in _WHEN and typed != "TEXT"):
        pieces = re.split(r"([,/])", value)
        return "".join(", " if one == "," else _moment(one.strip(), said.get("TZID", "")) for one in pieces)
    if name in ("N", "ADR", "ORG"):
        pieces = [_plain(piece).strip() for piece in _components(value)]
        return ", ".join(piece for piece in pieces if piece)
    return re.sub(r"(?i)\Amailto:", "", _plain(value))


def _components(value: str) -> Iterator[str]:
    """What semicolons divide; one behind a backslash that is not itself behind one divides nothing."""
    begin, is_escaped = 0, False
    for at, sign in enumerate(value):
        if sign == ";" and not is_escaped:
            yield value[begin:at]
            begin = at + 1
        is_escaped = sign == "\\" and not is_escaped
    yield value[begin:]


def _moment(said: str, zone: str) -> str:
    """A day, or a day and a time, if the calendar has it."""
    day, _, clock = said.partition("T")
    digits = re.fullmatch(r"(\d{4})-?(\d\d)-?(\d\d)", day)
    hours = re.fullmatch(r"(\d\d):?(\d\d):?(\d\d)?(?:\.\d+)?(|Z|[+-]\d\d:?\d\d)", clock)
    if digits is None or ("T" in said and hours is None):
        return _plain(said)
    try:
        shown = date(*map(int, digits.groups())).isoformat()
        if hours is None:
            return shown
        shown += f" {time(int(hours[1]), int(hours[2])).isoformat('minutes')}"
        if hours[3] and int(hours[3]) > 60:
            return _plain(said)
        seconds = f":{hours[3]}" if hours[3] and int(hours[3]) else ""
    except ValueError:
        return _plain(said)
    zone = zone if not zone or "/" in zone else f"({zone})"
    return f"{shown}{seconds} {'UTC' if hours[4] == 'Z' else hours[4] or zone}".rstrip()


def _kinds(parameter: str) -> Iterator[str]:
    name, equals, words = parameter.partition("=")
    name, words = (name.upper(), words.replace('"', "").lower()) if equals else ("", name.lower())
    if name in ("TYPE", ""):
        unsaid = ("quoted-printable", "base64", "pref", "internet", "voice")
        yield from (kind for kind in words.split(",") if kind not in unsaid)
    elif name in _WORDS_OF_THEIR_OWN:
        yield words
    elif name not in _OF_WRITING and not name.startswith("X-"):
        yield f"{name.lower()} {words.replace('mailto:', '')}"


def _plain(value: str) -> str:
    return re.sub(r"(?s)\\(.)", lambda found: {"n": "\n", "N": "\n"}.get(found[1], found[1]), value)
