"""Calendars and address books, read line by line: each property with its name in words, in the order of the file. What
is neither is text."""

import quopri
import re
from collections.abc import Iterator
from datetime import date, time
from pathlib import Path

from shared.domain.characters import storable
from shared.domain.raw_page import SecondField, SecondText
from shared.rereading.data import MOST, Fields, fields_or_text
from shared.rereading.text import reread_text

_DEEPEST = 20
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
_WORDS_OF_THEIR_OWN = ("PARTSTAT", "ROLE", "CUTYPE", "FBTYPE", "RELTYPE", "RELATED", "RANGE")
_OF_WRITING = (
    "ENCODING", "CHARSET", "VALUE", "TZID", "CN", "PREF", "LANGUAGE", "ALTREP", "LABEL", "CALSCALE", "DIR", "SENT-BY",
    "MEMBER", "FMTTYPE", "SORT-AS", "PID", "ALTID", "MEDIATYPE", "INDEX", "SCHEDULE-AGENT",
)  # fmt: skip


def reread_cards(path: Path) -> SecondText:
    return fields_or_text(_joined(path.read_bytes()) or reread_text(path), _cards)


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


def _cards(text: str) -> Fields:
    open_: list[tuple[str, Fields, str]] = [("", [], "")]
    for count, (name, parameters, value) in enumerate(_properties(text)):
        if count >= MOST or len(open_) > _DEEPEST + 1:
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
