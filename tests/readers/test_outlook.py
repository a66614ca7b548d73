"""Outlook's messages, written here stream by stream as [MS-OXMSG] has them: headers, bodies, attachments, damage."""

import struct
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from shared.errors import RefusedFile
from shared.readers.mail import outlook
from shared.readers.mail.compressed_rtf import decompress_rtf
from shared.readers.mail.document import read_mail
from shared.readers.mail.messages import Attachment
from shared.readers.registry import recognise
from shared.rereading.outlook import unpacked_rtf
from tests.readers.compound import compound
from tests.readers.structured import opened, pages_of
from tests.readers.test_text import told

SENT = int((datetime(2026, 3, 2, 10, 0, tzinfo=UTC) - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10**7
BODY = {
    0x0037: "Quayside crane",
    0x0C1A: "Ada Lovelace",
    0x5D01: "ada@example.com",
    0x1000: "It lifts\r\n\r\nforty tonnes.",
}


def properties(header: int, **fixed: int) -> bytes:
    rows = (struct.pack("<HHIQ", 3, int(number, 16), 6, value) for number, value in fixed.items())
    return bytes(header) + b"".join(rows)


def message(texts: dict[int, str], at: str = "", **fixed: int) -> dict[str, bytes]:
    said = {f"{at}__substg1.0_{number:04X}001F": text.encode("utf-16-le") for number, text in texts.items()}
    fixed = {one.removeprefix("x"): value for one, value in fixed.items()}
    return {**said, f"{at}__properties_version1.0": properties(24 if at else 32, **fixed)}


def recipient(number: int, name: str, address: str, kind: int) -> dict[str, bytes]:
    at = f"__recip_version1.0_#{number:08X}/"
    found = message({0x3001: name, 0x39FE: address}, at)
    return {**found, f"{at}__properties_version1.0": properties(8, **{"0C15": kind})}


def attachment(number: int, name: str, data: bytes, more: dict[int, str] | None = None) -> dict[str, bytes]:
    at = f"__attach_version1.0_#{number:08X}/"
    found = message({0x3707: name, **(more or {})}, at)
    return {**found, f"{at}__substg1.0_37010102": data, f"{at}__properties_version1.0": properties(8, **{"3705": 1})}


def write_msg(path: Path, *streams: dict[str, bytes]) -> Path:
    path.write_bytes(compound({name: data for one in streams for name, data in one.items()}))
    return path


def test_a_message_has_its_headers_body_and_attachments(tmp_path: Path) -> None:
    path = write_msg(
        tmp_path / "x.msg",
        message(BODY, x0039=SENT),
        recipient(0, "Ben; B\u00f6se", "ben@example.com", 1),
        recipient(1, "", "cc@example.com", 2),
        attachment(0, "tides \u6f6e.csv", b"a,b\n" * 2_000),
    )
    assert recognise(path, "anything").source_type == "mail"
    assert told(pages_of(path)) == [
        ("section", 1, "Quayside crane"),
        (
            "list",
            "From: Ada Lovelace <ada@example.com>",
            "To: Ben; B\u00f6se <ben@example.com>",
            "Cc: cc@example.com",
            "Date: Mon, 02 Mar 2026 10:00:00 +0000",
            "Subject: Quayside crane",
        ),
        ("text", "It lifts"),
        ("text", "forty tonnes."),
        ("list", "Attachment: tides \u6f6e.csv (text/csv, 8,000 bytes)"),
    ]
    _, (mail,), _ = read_mail(path)
    (file,) = [one for one in mail.content if isinstance(one, Attachment)]
    assert (file.name, file.data) == ("tides \u6f6e.csv", b"a,b\n" * 2_000)
    assert str(opened(path).made) == "2026-03-02"


def test_headers_as_they_were_sent_are_preferred_and_threads_are_known(tmp_path: Path) -> None:
    sent = (
        "Received: by x\r\nFrom: =?utf-8?q?B=C3=B6?= <b@example.com>\r\nMessage-ID: <2@x>\r\nReferences: <1@x>\r\n\r\n"
    )
    path = write_msg(tmp_path / "x.msg", message({**BODY, 0x007D: sent}))
    _, (mail,), _ = read_mail(path)
    assert (mail.header("From"), mail.header("Message-ID"), mail.answers) == (
        "B\u00f6 <b@example.com>",
        "<2@x>",
        ("<1@x>",),
    )
    pages_of(path)


def test_a_line_of_exchange_s_own_hides_no_header(tmp_path: Path) -> None:
    sent = 'Microsoft Mail Internet Headers Version 2.0\r\nFrom: "B, A" <b@example.com>\r\nMessage-ID: <2@x>\r\n\r\n'
    path = write_msg(tmp_path / "x.msg", message({**BODY, 0x007D: sent}))
    _, (mail,), _ = read_mail(path)
    assert (mail.header("From"), mail.header("Message-ID")) == ('"B, A" <b@example.com>', "<2@x>")
    pages_of(path)


def test_an_attached_file_of_a_message_is_a_file(tmp_path: Path) -> None:
    at = "__attach_version1.0_#00000000/"
    letter = b"From: a@example.com\r\nSubject: Inner\r\n\r\nWithin.\r\n"
    attached = {
        f"{at}__properties_version1.0": properties(8, **{"3705": 1}),
        f"{at}__substg1.0_3707001F": "inner.eml".encode("utf-16-le"),
        f"{at}__substg1.0_37010102": letter,
    }
    path = write_msg(tmp_path / "x.msg", message(BODY), attached)
    _, (mail,), _ = read_mail(path)
    (file,) = [one for one in mail.content if isinstance(one, Attachment)]
    assert (file.name, file.data) == ("inner.eml", letter)
    assert "RnJvbTog" not in str(told(pages_of(path)))


def test_a_message_in_a_message_is_read_within_it(tmp_path: Path) -> None:
    at = "__attach_version1.0_#00000000/"
    inner = {**message({0x0037: "Inner", 0x1000: "Within."}, f"{at}__substg1.0_3701000D/")}
    outer = {f"{at}__properties_version1.0": properties(8, **{"3705": 5})}
    pages = pages_of(write_msg(tmp_path / "x.msg", message(BODY), outer, inner))
    assert told(pages)[-3:] == [("section", 2, "Inner"), ("list", "Subject: Inner"), ("text", "Within.")]


def test_html_and_compressed_rtf_are_read_where_there_is_no_text(tmp_path: Path) -> None:
    bare = {number: said for number, said in BODY.items() if number != 0x1000}
    html = {"__substg1.0_10130102": "<p>Caf\u00e9 <b>opens</b></p>".encode("cp1252")}
    pages = pages_of(write_msg(tmp_path / "x.msg", message(bare, x3FDE=1252), html))
    assert told(pages)[-1] == ("text", "Caf\u00e9 opens")
    rtf = rb"{\rtf1\ansi\pard The gate is shut.\par}"
    stored = struct.pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf
    pages = pages_of(write_msg(tmp_path / "y.msg", message(bare), {"__substg1.0_10090102": stored}))
    assert told(pages)[-1] == ("text", "The gate is shut.")


def test_rtf_is_unpacked_as_the_format_describes_it() -> None:
    # The example of [MS-OXRTFCP], 4.1.1.
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    )
    assert decompress_rtf(packed) == unpacked_rtf(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"


def test_a_picture_that_the_text_shows_is_no_attachment(tmp_path: Path) -> None:
    html = {"__substg1.0_10130102": b'<p>See <img src="cid:logo@x"> and read on with all of these words.</p>'}
    shown = attachment(0, "logo.png", b"png", {0x3712: "logo@x"})
    _, (mail,), _ = read_mail(write_msg(tmp_path / "x.msg", message(BODY), html, shown))
    assert [one.shown for one in mail.content if isinstance(one, Attachment)] == [True]


def test_a_header_cannot_bring_another_one(tmp_path: Path) -> None:
    path = write_msg(tmp_path / "x.msg", message({**BODY, 0x0037: "One\r\nBcc: two@example.com\r\n\r\nthree"}))
    _, (mail,), _ = read_mail(path)
    assert mail.header("Subject") == "One Bcc: two@example.com three"


@pytest.mark.parametrize("cut", [600, 1_500, 2_600])
def test_a_damaged_message_is_refused_or_read_and_never_breaks(tmp_path: Path, cut: int) -> None:
    path = write_msg(tmp_path / "x.msg", message(BODY), attachment(0, "a.bin", b"x" * 9_000))
    path.write_bytes(path.read_bytes()[:cut])
    with suppress(RefusedFile):
        assert outlook.as_mail(path.read_bytes()).count(b"MIME-Version") == 1


def test_what_the_streams_hold_together_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlook, "MAX_BYTES", 10_000)
    path = write_msg(tmp_path / "x.msg", message(BODY), attachment(0, "a.bin", b"x" * 20_000))
    with pytest.raises(RefusedFile, match="holds more than"):
        opened(path)


def test_too_many_attachments_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlook, "MAX_ATTACHMENTS", 2)
    files = [attachment(number, "a", b"x") for number in range(3)]
    with pytest.raises(RefusedFile, match="more than 2 attachments"):
        opened(write_msg(tmp_path / "x.msg", message(BODY), *files))


def test_a_signed_message_is_what_was_signed_and_no_attachment(tmp_path: Path) -> None:
    """As it was sent, it is the one file of the message, whose body repeats it."""
    part = b"Content-Type: text/plain\r\n\r\nIt lifts fifty tonnes.\r\n"
    sign = b'Content-Type: application/pgp-signature; name="s.asc"\r\n\r\nabc\r\n'
    signed = b'MIME-Version: 1.0\r\nContent-Type: multipart/signed; boundary="q"\r\n\r\n--q\r\n' + part
    signed += b"--q\r\n" + sign + b"--q--\r\n"
    file = attachment(0, "", signed, {0x370E: "multipart/signed"})
    [page] = pages_of(write_msg(tmp_path / "x.msg", message(BODY), file))
    assert told([page])[2:] == [
        ("text", "It lifts fifty tonnes."),
        ("list", "Attachment: s.asc (application/pgp-signature, 3 bytes)"),
    ]
    [page] = pages_of(write_msg(tmp_path / "y.msg", message(BODY), attachment(0, "a.pdf", b"%PDF")))
    assert [one[1] for one in told([page])[2:4]] == ["It lifts", "forty tonnes."]
