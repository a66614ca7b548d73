"""Calendars (RFC 5545) and address books (vCard 2.1 to 4, RFC 6350) as a tree: a component is a group with the name of
what it is about, a property a line. Lines are unfolded, escapes and quoted-printable are read, days and times are
written as ISO 8601 has them with their zone."""

import quopri
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from shared.domain.characters import storable
from shared.readers.data.tree import Node, grouped

DEEPEST: Final = 20
# What people call the properties whose names are abbreviations.
LABELS: Final = {
    "DTSTART": "Start", "DTEND": "End", "DTSTAMP": "Stamped", "RRULE": "Repeats", "EXDATE": "Except", "RDATE": "Also",
    "FN": "Name", "N": "Full name", "TEL": "Phone", "ORG": "Organization", "ADR": "Address", "BDAY": "Birthday",
    "UID": "UID", "URL": "URL", "TZID": "Time zone", "X-WR-CALNAME": "Calendar", "PRODID": "Made by",
    "LAST-MODIFIED": "Last modified", "REV": "Revised", "TZ": "Time zone", "GEO": "Position", "IMPP": "Messenger",
}  # fmt: skip
_NAMED_BY: Final = ("SUMMARY", "FN", "TZID", "X-WR-CALNAME", "N", "ORG")
# Bytes are no text: pictures, sounds, keys.
_BYTES: Final = frozenset({"PHOTO", "LOGO", "SOUND", "KEY", "ATTACH"})
_PROPERTY: Final = re.compile(r'(?:[\w-]+\.)?([A-Za-z0-9-]+)\s*((?:;(?:[^":;]|"[^"]*")*+)*+):(.*)', re.S)
_PARAMETER: Final = re.compile(r';(?:([\w-]+)=)?("[^"]*"|[^";]*)')
_ESCAPE: Final = re.compile(r"\\(.)", re.S)
_MOMENT: Final = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?(\d\d))?(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?)?")
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_QUOTED_PRINTABLE: Final = re.compile(r";(?:ENCODING=)?QUOTED-PRINTABLE\b[^:]*:", re.I)


class _Line(NamedTuple):
    """An unfolded line and where it stands."""

    text: str
    start: int
    end: int


class _Open(NamedTuple):
    name: str
    start: int
    members: list[tuple[str, Node]]
    titles: dict[str, str]


def cards_of(text: str) -> Node:
    """Raises ValueError for what is no such file, or broken."""
    around = [_Open("", 0, [], {})]
    for line in _unfolded(text):
        matched = _PROPERTY.fullmatch(line.text)
        if matched is None:
            raise ValueError(f"no property: {line.text[:40]}")
        name, value = matched[1].upper(), matched[3]
        if name == "BEGIN":
            if len(around) > DEEPEST:
                raise ValueError("too deep")
            around.append(_Open(value.strip().upper(), line.start, [], {}))
        elif name == "END":
            if len(around) < 2 or around[-1].name != value.strip().upper():
                raise ValueError(f"no {value[:40]} ends here")
            _close(around, line.end)
        else:
            _add(around[-1], line, name, _parameters(matched[2]), value)
    if len(around) > 1 or all(isinstance(one.value, str) for _, one in around[0].members):
        raise ValueError("a component does not end, or none begins")
    top = grouped(around[0].members)
    [first, *more] = top.members
    return Node(top, 0, len(text)) if more or first[0] not in ("vcalendar", "vcard") else first[1]


def _close(around: list[_Open], end: int) -> None:
    closed = around.pop()
    title = next((closed.titles[name] for name in _NAMED_BY if closed.titles.get(name)), None)
    if closed.name == "VTIMEZONE":
        # When clocks change is said to programs: people read what the zone is called.
        around[-1].members.append(("Time zone", Node(title or "", closed.start, end)))
        return
    node = Node(grouped(closed.members), closed.start, end, title)
    around[-1].members.append((closed.name.lower(), node))


def _add(component: _Open, line: _Line, name: str, parameters: list[tuple[str, str]], value: str) -> None:
    said = dict(parameters)
    is_binary = said.get("ENCODING", "").upper() in ("B", "BASE64") or said.get("VALUE", "").upper() == "BINARY"
    shown = storable(_shown(name, said, value))
    if is_binary or (name in _BYTES and value.startswith("data:")) or not shown.strip():
        return
    component.titles.setdefault(name, " ".join(shown.split()))
    kinds = [word.lower() for key, words in parameters if key in ("TYPE", "") for word in words.split(",")]
    kinds = [word for word in kinds if word not in ("quoted-printable", "base64", "pref", "internet", "voice")]
    label = LABELS.get(name) or name.removeprefix("X-").replace("-", " ").capitalize()
    who = f" {said['CN']}" if "CN" in said else ""
    label = f"{label} ({', '.join(kinds)})" if kinds else label
    component.members.append((label, Node(f"{who.strip()} {shown}".strip(), line.start, line.end)))


def _shown(name: str, said: dict[str, str], value: str) -> str:
    if said.get("ENCODING", "").upper() == "QUOTED-PRINTABLE" or any(one.upper() == "QUOTED-PRINTABLE" for one in said):
        data = quopri.decodestring(value.encode("utf-8", "replace"))
        value = _in_charset(data, said.get("CHARSET", "utf-8"))
    moment = _MOMENT.fullmatch(value)
    if moment and name not in ("SUMMARY", "DESCRIPTION", "NOTE", "FN", "TEL"):
        return _moment(moment, said.get("TZID", ""))
    if name in ("N", "ADR", "ORG"):
        pieces = [_unescaped(piece).strip() for piece in re.split(r"(?<!\\);", value)]
        return ", ".join(filter(None, pieces))
    return re.sub(r"^mailto:", "", _unescaped(value), flags=re.I)


def _in_charset(data: bytes, charset: str) -> str:
    try:
        return data.decode(charset)
    except (LookupError, UnicodeError):
        return data.decode("utf-8", "replace")


def _moment(moment: re.Match[str], zone: str) -> str:
    year, month, day, hour, minute, second, offset = moment.groups()
    if hour is None:
        return f"{year}-{month}-{day}"
    seconds = f":{second}" if second and second != "00" else ""
    where = "UTC" if offset == "Z" else offset or zone.strip('"')
    return f"{year}-{month}-{day} {hour}:{minute}{seconds} {where}".strip()


def _parameters(said: str) -> list[tuple[str, str]]:
    found = [(key.upper(), value.strip('"')) for key, value in _PARAMETER.findall(said)]
    # In vCard 2.1 a value may stand without the name of its parameter.
    return [("ENCODING", value) if not key and value.upper() in ("QUOTED-PRINTABLE", "BASE64") else (key, value)
            for key, value in found]  # fmt: skip


def _unescaped(value: str) -> str:
    return _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)


def _unfolded(text: str) -> Iterator[_Line]:
    held: list[str] = []
    start = end = 0
    soft = False
    for found in _LINE.finditer(text):
        said = found[0].rstrip("\r\n")
        if held and (soft or said[:1] in (" ", "\t")):
            held.append(said if soft else said[1:])
        elif said.strip():
            if held:
                yield _Line("".join(held), start, end)
            held, start = [said], found.start()
        else:
            continue
        end = found.start() + len(said)
        soft = held[-1].endswith("=") and _QUOTED_PRINTABLE.search(held[0]) is not None
        if soft:
            held[-1] = held[-1][:-1]
    if held:
        yield _Line("".join(held), start, end)
