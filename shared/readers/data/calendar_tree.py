"""Calendars (RFC 5545) and address books (vCard 2.1 to 4, RFC 6350) as a tree: a component is a group with the name of
what it is about, a property a line. Lines are unfolded, escapes and quoted-printable are read, days and times are
written as ISO 8601 has them with their zone."""

import quopri
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple

from shared.domain.characters import storable
from shared.readers.data.tree import MAX_VALUES, Node, group_of, listed

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
# What says when (RFC 5545 3.8, RFC 6350 6.2 and 6.7), and what types of value do.
_MOMENTS: Final = frozenset({
    "DTSTART", "DTEND", "DUE", "DTSTAMP", "CREATED", "LAST-MODIFIED", "COMPLETED", "RECURRENCE-ID", "EXDATE", "RDATE",
    "FREEBUSY", "TRIGGER", "BDAY", "ANNIVERSARY", "DEATHDATE", "REV", "ACKNOWLEDGED",
})  # fmt: skip
_MOMENT_TYPES: Final = frozenset({"DATE", "DATE-TIME", "PERIOD", "DATE-AND-OR-TIME", "TIMESTAMP"})
# Parameters that say how a value is written, or are in it already.
_TECHNICAL: Final = frozenset({
    "ENCODING", "CHARSET", "VALUE", "TZID", "CN", "PREF", "LANGUAGE", "ALTREP", "LABEL", "CALSCALE", "DIR",
    "SENT-BY", "MEMBER", "FMTTYPE", "SORT-AS", "PID", "ALTID", "MEDIATYPE", "INDEX", "SCHEDULE-AGENT",
})  # fmt: skip
_UNSAID: Final = frozenset({"quoted-printable", "base64", "pref", "internet", "voice"})
_PROPERTY: Final = re.compile(r'(?:[\w-]+\.)?([A-Za-z0-9-]+)\s*((?:;(?:[^":;]|"[^"]*"|(?!))*+|(?!))*+):(.*)', re.S)
_PARAMETER: Final = re.compile(r';(?:([\w-]+)=)?((?:"[^"]*"|[^";]++|(?!))*+)')
_ESCAPE: Final = re.compile(r"\\(.)", re.S)
_MOMENT: Final = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?(\d\d))?(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?)?")
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_QUOTED_PRINTABLE: Final = re.compile(r";(?:ENCODING=)?QUOTED-PRINTABLE\b", re.I)
# What stands between semicolons that no backslash escapes.
_COMPONENT: Final = re.compile(r"((?:[^\\;]|\\.|\\\Z|(?!))*+)(?:;|\Z)", re.S)


class _Line(NamedTuple):
    """An unfolded line and where it stands."""

    text: str
    start: int
    end: int


class _Property(NamedTuple):
    """What is written of one, and where it stands."""

    name: str
    parameters: str
    value: str
    start: int
    end: int


class _Component(NamedTuple):
    """One that has not ended; `titles`: what its properties say, by their names."""

    name: str
    start: int
    members: list[tuple[str, Node]]
    titles: dict[str, str]


def cards_of(text: str) -> Node:
    """Raises ValueError for what is no such file, broken, or has more than MAX_VALUES lines."""
    around = [_Component("", 0, [], {})]
    for count, line in enumerate(_properties(text)):
        name, value = line.name, line.value
        if count >= MAX_VALUES:
            raise ValueError("too many")
        if name == "BEGIN":
            if len(around) > DEEPEST:
                raise ValueError("too deep")
            around.append(_Component(value.strip().upper(), line.start, [], {}))
        elif name == "END":
            if len(around) < 2 or around[-1].name != value.strip().upper():
                raise ValueError(f"no {value[:40]} ends here")
            _close(around, line.end)
        else:
            _add(around[-1], line)
    if len(around) > 1 or all(isinstance(one.value, str) for _, one in around[0].members):
        raise ValueError("a component does not end, or none begins")
    [first, *more] = members = listed(around[0].members)
    return group_of(members, 0, len(text)) if more or first[0] not in ("vcalendar", "vcard") else first[1]


def _properties(text: str) -> Iterator[_Property]:
    """Each with the lines behind it that are none: a program has not folded them. Raises ValueError where the first
    line is none."""
    held: _Property | None = None
    more: list[str] = []
    for line in _unfolded(text):
        matched = _PROPERTY.fullmatch(line.text)
        if matched:
            if held:
                yield held._replace(value="\n".join([held.value, *more]))
            held, more = _Property(matched[1].upper(), matched[2], matched[3], line.start, line.end), []
        elif held:
            more.append(line.text)
            held = held._replace(end=line.end)
        else:
            raise ValueError(f"no property: {line.text[:40]}")
    if held:
        yield held._replace(value="\n".join([held.value, *more]))


def _close(around: list[_Component], end: int) -> None:
    closed = around.pop()
    title = next((closed.titles[name] for name in _NAMED_BY if closed.titles.get(name)), None)
    if closed.name == "VTIMEZONE":
        # When clocks change is said to programs: people read what the zone is called.
        around[-1].members.append(("Time zone", Node(title or "", closed.start, end)))
        return
    node = group_of(listed(closed.members), closed.start, end, title)
    around[-1].members.append((closed.name.lower(), node))


def _add(component: _Component, line: _Property) -> None:
    name, value, parameters = line.name, line.value, _parameters(line.parameters)
    said = dict(parameters)
    is_binary = said.get("ENCODING", "").upper() in ("B", "BASE64") or said.get("VALUE", "").upper() == "BINARY"
    is_binary = is_binary or (name in _BYTES and value.startswith("data:"))
    shown = storable(value if is_binary else _shown(name, said, value))
    if not shown.strip():
        return
    if not is_binary:
        component.titles.setdefault(name, " ".join(shown.split()))
    label = LABELS.get(name) or name.removeprefix("X-").replace("-", " ").capitalize()
    kinds = ", ".join(_kinds(parameters))
    node = Node(f"{said.get('CN', '').strip()} {shown}".strip(), line.start, line.end, is_bytes=is_binary)
    component.members.append((f"{label} ({kinds})" if kinds else label, node))


def _kinds(parameters: list[tuple[str, str]]) -> Iterator[str]:
    """What parameters say of a value: `home` of a number, `declined` of someone who was asked to come."""
    for key, words in parameters:
        if key in ("TYPE", ""):
            yield from (word for word in words.lower().split(",") if word not in _UNSAID)
        elif key in ("PARTSTAT", "ROLE", "CUTYPE", "FBTYPE", "RELTYPE", "RELATED", "RANGE"):
            yield words.lower()
        elif key not in _TECHNICAL and not key.startswith("X-"):
            yield f"{key} {words}".lower().replace("mailto:", "")


def _shown(name: str, said: dict[str, str], value: str) -> str:
    if said.get("ENCODING", "").upper() == "QUOTED-PRINTABLE" or any(one.upper() == "QUOTED-PRINTABLE" for one in said):
        data = quopri.decodestring(value.encode("utf-8", "replace"))
        value = _in_charset(data, said.get("CHARSET", "utf-8"))
    kind = said.get("VALUE", "").upper()
    if kind in _MOMENT_TYPES or (name in _MOMENTS and kind != "TEXT"):
        periods = [period.split("/") for period in value.split(",")]
        return ", ".join("/".join(_moment(one.strip(), said.get("TZID", "")) for one in period) for period in periods)
    if name in ("N", "ADR", "ORG"):
        pieces = [_unescaped(piece).strip() for piece in _COMPONENT.findall(value)]
        return ", ".join(filter(None, pieces))
    return re.sub(r"^mailto:", "", _unescaped(value), flags=re.I)


def _in_charset(data: bytes, charset: str) -> str:
    try:
        return data.decode(charset)
    except (LookupError, UnicodeError):
        return data.decode("utf-8", "replace")


def _moment(said: str, zone: str) -> str:
    """A day or time of the calendar as ISO 8601 has it, with its zone, of programs that name their own in brackets;
    anything else as it is written."""
    moment = _MOMENT.fullmatch(said)
    if moment is None:
        return _unescaped(said)
    year, month, day, hour, minute, second, offset = moment.groups()
    try:
        datetime(
            int(year),
            int(month),
            int(day),
            int(hour or 0),
            int(minute or 0),
            int(second or 0) - (second == "60"),
            tzinfo=UTC,
        )
    except ValueError:
        return _unescaped(said)
    if hour is None:
        return f"{year}-{month}-{day}"
    seconds = f":{second}" if second and second != "00" else ""
    named = zone if "/" in zone or not zone else f"({zone})"
    where = "UTC" if offset == "Z" else offset or named
    return f"{year}-{month}-{day} {hour}:{minute}{seconds} {where}".strip()


def _parameters(said: str) -> list[tuple[str, str]]:
    found = [(key.upper(), value.replace('"', "")) for key, value in _PARAMETER.findall(said)]
    # In vCard 2.1 a value may stand without the name of its parameter.
    return [("ENCODING", value) if not key and value.upper() in ("QUOTED-PRINTABLE", "BASE64") else (key, value)
            for key, value in found]  # fmt: skip


def _unescaped(value: str) -> str:
    return _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)


def _unfolded(text: str) -> Iterator[_Line]:
    held: list[str] = []
    start = end = 0
    soft = is_quoted = False
    for found in _LINE.finditer(text):
        said = found[0].rstrip("\r\n")
        if held and (soft or said[:1] in (" ", "\t")):
            held.append(said if soft else said[1:])
        elif said.strip():
            if held:
                yield _Line("".join(held), start, end)
            held, start = [said], found.start()
            is_quoted = _QUOTED_PRINTABLE.search(said.partition(":")[0]) is not None
        else:
            continue
        end = found.start() + len(said)
        soft = is_quoted and held[-1].endswith("=")
        if soft:
            held[-1] = held[-1][:-1]
    if held:
        yield _Line("".join(held), start, end)
