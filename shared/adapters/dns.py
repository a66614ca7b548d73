"""TXT records, by the resolver that this machine is set to ask (RFC 1035). Standard library only.

In a VPC without internet that is Amazon's own resolver, which looks public names up for whoever may ask it.
"""

import secrets
import socket
import struct
from pathlib import Path
from typing import Final

from shared.errors import Unavailable

TIMEOUT_S: Final = 4
ATTEMPTS: Final = 2
TXT: Final = 16
NO_SUCH_NAME: Final = 3
TRUNCATED: Final = 0x0200
POINTER: Final = 0xC0
RESOLVERS: Final = Path("/etc/resolv.conf")


def look_up_txt(name: str, server: tuple[str, int] | None = None) -> list[str]:
    """Every TXT record of that name; [] where there is none. Raises Unavailable where no resolver answers."""
    asked_id = secrets.randbits(16)
    question = _question(asked_id, name)
    for where in ([server] if server else _servers()) * ATTEMPTS:
        try:
            answer = _by_datagram(where, question)
            if struct.unpack_from("!H", answer, 2)[0] & TRUNCATED:
                answer = _by_stream(where, question)
            return _read(answer, asked_id)
        except (OSError, ValueError, IndexError, struct.error):
            continue
    raise Unavailable("The DNS does not answer. Try again in a minute.")


def _servers() -> list[tuple[str, int]]:
    """None where the machine is set to ask nobody."""
    if not RESOLVERS.is_file():
        return []
    lines = (line.split() for line in RESOLVERS.read_text(encoding="utf-8").splitlines())
    return [(words[1], 53) for words in lines if len(words) > 1 and words[0] == "nameserver"]


def _question(asked_id: int, name: str) -> bytes:
    """One question, recursion desired."""
    labels = b"".join(bytes([len(label)]) + label.encode("ascii") for label in name.split("."))
    return struct.pack("!6H", asked_id, 0x0100, 1, 0, 0, 0) + labels + struct.pack("!BHH", 0, TXT, 1)


def _by_datagram(server: tuple[str, int], question: bytes) -> bytes:
    family = socket.AF_INET6 if ":" in server[0] else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as channel:
        channel.settimeout(TIMEOUT_S)
        channel.connect(server)  # answers of others are not taken
        channel.send(question)
        return channel.recv(4096)


def _by_stream(server: tuple[str, int], question: bytes) -> bytes:
    with socket.create_connection(server, timeout=TIMEOUT_S) as channel, channel.makefile("rb") as answer:
        channel.sendall(struct.pack("!H", len(question)) + question)
        (length,) = struct.unpack("!H", answer.read(2))
        return answer.read(length)


def _read(answer: bytes, asked_id: int) -> list[str]:
    """Raises ValueError for another question's answer, and for one that is a failure."""
    given_id, flags, questions, answers = struct.unpack_from("!4H", answer)
    if given_id != asked_id or flags & 0x000F not in (0, NO_SUCH_NAME):
        raise ValueError("not the answer")
    place = 12
    for _ in range(questions):
        place = _after_name(answer, place) + 4
    found: list[str] = []
    for _ in range(answers):
        place = _after_name(answer, place)
        kind, _class, _ttl, length = struct.unpack_from("!HHIH", answer, place)
        if kind == TXT:
            found.append(_joined(answer[place + 10 : place + 10 + length]))
        place += 10 + length
    return found


def _after_name(message: bytes, place: int) -> int:
    while (length := message[place]) and length < POINTER:
        place += 1 + length
    return place + (2 if length >= POINTER else 1)


def _joined(data: bytes) -> str:
    """A record's strings of at most 255 bytes, one after the other."""
    text, place = b"", 0
    while place < len(data):
        text += data[place + 1 : place + 1 + data[place]]
        place += 1 + data[place]
    return text.decode("utf-8", "replace")
