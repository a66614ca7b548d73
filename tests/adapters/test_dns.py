"""TXT records as a resolver sends them."""

import socket
import struct
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shared.adapters import dns
from shared.errors import Unavailable


def answer(question: bytes, texts: list[bytes], code: int = 0, flags: int = 0) -> bytes:
    """With the question's name by a pointer to it (RFC 1035, 4.1.4), and an alias before the records."""
    head = question[:2] + struct.pack("!5H", 0x8180 | flags | code, 1, len(texts) + 1, 0, 0)
    alias = b"\xc0\x0c" + struct.pack("!HHIH", 5, 1, 60, 2) + b"\xc0\x0c"
    records = [b"\xc0\x0c" + struct.pack("!HHIH", 16, 1, 60, len(text)) + text for text in texts]
    return head + question[12:] + alias + b"".join(records)


@contextmanager
def resolver(
    *answers: list[bytes], code: int = 0, flags: int = 0, wrong_id: bool = False, port: int = 0
) -> Generator[tuple[str, int]]:
    """Each datagram gets the next list of records; the last list again."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.bind(("127.0.0.1", port))

        def serve() -> None:
            left = list(answers)
            while True:
                try:
                    question, sender = channel.recvfrom(4096)
                except OSError:
                    return
                texts = left.pop(0) if len(left) > 1 else left[0]
                said = answer(question, texts, code, flags)
                channel.sendto((b"\0\0" if wrong_id else said[:2]) + said[2:], sender)

        threading.Thread(target=serve, daemon=True).start()
        yield channel.getsockname()


def test_every_record_is_read_and_its_strings_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with resolver([b"\x03abc", b"\x02de\x01f", b""]) as server:
        assert dns.look_up_txt("_autri.acme.example", server) == ["abc", "def", ""]


def test_what_does_not_fit_into_a_datagram_is_asked_for_by_a_stream() -> None:
    long = [bytes([250]) + bytes([letter]) * 250 for letter in b"abc"]
    # Others of this machine take ports of streams all the time, and hardly ever those of datagrams.
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        resolver([], flags=dns.TRUNCATED, port=listening.getsockname()[1]) as server,
    ):

        def serve() -> None:
            channel, _ = listening.accept()
            with channel:
                said = answer(channel.recv(4096)[2:], long)
                channel.sendall(struct.pack("!H", len(said)) + said)

        threading.Thread(target=serve, daemon=True).start()
        assert dns.look_up_txt("_autri.acme.example", server) == ["a" * 250, "b" * 250, "c" * 250]


def test_a_name_that_does_not_exist_has_none() -> None:
    with resolver([], code=3) as server:
        assert dns.look_up_txt("_autri.acme.example", server) == []


def test_a_machine_without_a_resolver_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(dns, "RESOLVERS", tmp_path / "resolv.conf")
    with pytest.raises(Unavailable, match="DNS does not answer"):
        dns.look_up_txt("_autri.acme.example")


@pytest.mark.parametrize("wrong", ["code", "id", "silent"])
def test_what_is_no_answer_is_none(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setattr(dns, "TIMEOUT_S", 0.2)
    with resolver([b"\x03abc"], code=2 if wrong == "code" else 0, wrong_id=wrong == "id") as server:
        target = ("127.0.0.1", 9) if wrong == "silent" else server
        with pytest.raises(Unavailable, match="DNS does not answer"):
            dns.look_up_txt("_autri.acme.example", target)
