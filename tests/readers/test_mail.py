"""E-mail: what is the message's own, what it repeats, and what is broken in it; the second reading has every word."""

import base64
import re
import time
from datetime import date
from pathlib import Path

import pytest

from shared.domain.geometry import TextRange
from shared.domain.operations import Operation, RegisterChunk, RegisterSection, Skip
from shared.domain.page import PageFile
from shared.errors import RefusedFile, UnreadFormat
from shared.extraction.references import Resolver
from shared.extraction.structure import operations_of_structure
from shared.extraction.validate import validate_operations
from shared.ingestion.register import OPEN_TIMEOUT_S
from shared.readers.mail.document import open_mail
from shared.readers.mail.html_text import html_lines
from shared.readers.mail.messages import Attachment, Text, read_messages
from shared.readers.mail.quotes import BodyLine, kinds_of
from shared.readers.parted import PartedSource
from shared.readers.registry import find_format, recognise
from shared.rereading.mail import reread_mail

HEADERS = "From: Ann Lee <ann@example.org>\nTo: bob@example.org\nDate: Mon, 2 Mar 2026 14:05:44 +0100\nSubject: Seal\n"


def opened(folder: Path, data: str | bytes, name: str = "one.eml") -> PartedSource:
    """Opens it, and asserts what holds for every message: each line is claimed once, and the second reading has it."""
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    source = open_mail(path, None)
    second = "".join(reread_mail(path).text.split())
    end = 0
    for page in pages_of(source):
        assert validate_operations(page, operations_of_structure(page)) == []
        for fragment in page.fragments:
            assert isinstance(fragment.place, TextRange)
            assert fragment.place.start >= end
            end = fragment.place.end
            assert end - fragment.place.start == len(fragment.text)
            assert "".join(fragment.text.split()) in second
    return source


def pages_of(source: PartedSource) -> list[PageFile]:
    return [source.read_page(page) for page in range(1, source.page_count + 1)]


def told(source: PartedSource) -> list[tuple[str, ...]]:
    return [_said(page, operation) for page in pages_of(source) for operation in page.structure or []]


def _said(page: PageFile, operation: Operation) -> tuple[str, ...]:
    resolver = Resolver(page)
    match operation:
        case RegisterSection():
            return f"section {operation.depth}", *(resolver.resolve(one).text for one in operation.title_fragment_ids)
        case RegisterChunk():
            return operation.chunk_type, *(resolver.resolve(one).text for one in operation.fragment_ids)
        case Skip():
            return operation.reason, *(resolver.resolve(one).text for one in operation.fragment_ids)
        case _:
            return ("other",)


def multipart(kind: str, *pieces: str) -> str:
    return f'Content-Type: multipart/{kind}; boundary="B"\n\n' + "".join(f"--B\n{one}\n" for one in pieces) + "--B--\n"


def plain(text: str) -> str:
    return f"Content-Type: text/plain; charset=utf-8\n\n{text}"


def rich(html: str) -> str:
    return f"Content-Type: text/html; charset=utf-8\n\n{html}"


def test_a_message_is_its_subject_its_header_and_its_own_text(tmp_path: Path) -> None:
    body = (
        "Oil the\nbearing.\n\nEvery week.\n\n"
        "Best regards\nAnn\n\nOn Fri, 27 Feb 2026 Bob <b@x.org> wrote:\n> Which one?\n"
    )
    source = opened(tmp_path, f"Received: by x\nMessage-Id: <1@x>\n{HEADERS}\n{body}")
    assert told(source) == [
        ("section 1", "Seal"),
        (
            "list", "From: Ann Lee <ann@example.org>", "To: bob@example.org", "Date: Mon, 2 Mar 2026 14:05:44 +0100",
            "Subject: Seal", "Message-ID: <1@x>",
        ),
        ("text", "Oil the", "bearing."),
        ("text", "Every week."),
        ("signature", "Best regards", "Ann"),
        ("quoted", "On Fri, 27 Feb 2026 Bob <b@x.org> wrote:", "> Which one?"),
    ]  # fmt: skip
    assert (source.title, source.made) == ("Seal", date(2026, 3, 2))
    assert [page.label for page in pages_of(source)] == ["Seal"]


def test_encoded_words_and_a_file_name_in_pieces_are_decoded(tmp_path: Path) -> None:
    split = base64.b64encode("\u00fc".encode()[:1]).decode(), base64.b64encode("\u00fc".encode()[1:] + b"n").decode()
    pdf = (
        "Content-Type: application/pdf\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment;\n"
        " filename*0*=utf-8''Angebot%20f;\n filename*1*=%C3%BCr.pdf\n\nJVBERi0xLjQK\n"
    )
    header = f"From: =?utf-8?q?J=C3=BCrgen_M?= <j@x>\nSubject: gr=?utf-8?b?{split[0]}?=\n =?utf-8?b?{split[1]}?=\n"
    source = opened(tmp_path, header.replace("gr=", "gr =") + multipart("mixed", plain("Hello"), pdf))
    said = told(source)
    assert said[0] == ("section 1", "gr \u00fcn")
    assert said[1][1] == "From: J\u00fcrgen M <j@x>"
    assert said[-2:] == [("text", "Hello"), ("list", "Attachment: Angebot f\u00fcr.pdf (application/pdf, 9 bytes)")]


@pytest.mark.parametrize(
    ("plain_text", "html", "read"),
    [
        ("The same words", "<p>The <b>same</b> words</p>", "The same words"),
        ("See the HTML", f"<p>{'The whole text of it. ' * 9}</p>", ("The whole text of it. " * 9).strip()),
        ("", "<style>p{}</style><p>Only here &amp; now", "Only here & now"),
        ("Please open this in your browser.", "<p>Pump 4.950, filter 120", "Pump 4.950, filter 120"),
        (
            "The price is 4.950.\n-- \nAnn, Tel. 0123",
            "<p>The price is 4.950. Filter 120",
            "The price is 4.950. Filter 120",
        ),
        ("The price is 4.950 in 2026.", "<p>The price is 4.950, or 120", "The price is 4.950 in 2026."),
        ("The price is 4.950.", "<p>The price is <a href='https://x.example/77'>4.950</a>.", "The price is 4.950."),
    ],
)
def test_the_alternative_that_says_it_all_is_read_plain_text_first(
    tmp_path: Path, plain_text: str, html: str, read: str
) -> None:
    source = opened(tmp_path, HEADERS + multipart("alternative", plain(plain_text), rich(html)))
    assert told(source)[2:] == [("text", read)]


@pytest.mark.parametrize(
    ("plain_text", "html", "chosen"),
    [
        # What only the quotation has is nothing that HTML adds.
        ("The price is 4.950.\n\n> In 2024 it was 4.700.", "<p>It is 4.950.<blockquote>In 2024 it was 4.700.", False),
        # An address stands behind its words in HTML.
        ("See www.x.example/4711 for 4.950.", "<p>See <a href='//x.example/4711'>it</a> for 4.950, 120", True),
        ("The pump costs 4.950 and is delivered within three weeks of the order.", "<b>4.950</b> 120", False),
        ("Pump 4.950, filter 120.", "<p>Pump 4.950 with 12 litres, 3 bar, 80 kg.", False),
        ("Pump 4.950, filter 120.", "<p>Pump 4.950 with filter for 120: 12 litres.", True),
    ],
)
def test_html_is_read_where_it_has_the_numbers_of_the_plain_text_and_others(
    plain_text: str, html: str, chosen: bool
) -> None:
    data = (HEADERS + multipart("alternative", plain(plain_text), rich(html))).encode()
    assert [one.html for one in read_messages(data)[0].content if isinstance(one, Text)] == [chosen]


def test_of_several_alternatives_in_html_the_last_is_read_and_the_files_of_all_are_kept() -> None:
    logo = "Content-Type: image/png\nContent-Disposition: attachment; filename=%s.png\n\nx\n"
    first = multipart("related", rich("<p>A first way to say it"), logo % "first")
    last = multipart("related", rich("<p>A last way to say it"), logo % "last")
    both = multipart("alternative", "1", "2").replace('"B"', '"A"').replace("--B", "--A")
    both = both.replace("\n1\n", f"\n{first}\n").replace("\n2\n", f"\n{last}\n")
    found = read_messages((HEADERS + both).encode())[0].content
    assert [one.text for one in found if isinstance(one, Text)] == ["<p>A last way to say it"]
    assert [one.name for one in found if isinstance(one, Attachment)] == ["first.png", "last.png"]


def test_html_is_read_in_lines_without_scripts_and_with_its_quotations() -> None:
    html = (
        "<html><head><title>no</title></head><body><script>no()</script><div>One<br>two</div><div>three</div><p>four</p>"
        "<table><tr><td>a</td><td>b</td></tr></table><div class='gmail_quote'>On Monday<blockquote>old</blockquote>"
        "</div><div>new</div><blockquote type=cite><div>cited</div></blockquote>new again"
    )
    assert [(line.text, line.quoted) for line in html_lines(html) if line.text] == [
        ("One", False), ("two", False), ("three", False), ("four", False), ("a b", False), ("On Monday", True),
        ("old", True), ("new", False), ("cited", True), ("new again", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("New\nOn 3 May 2026, Bob wrote:\n> old", "cqq"),
        ("New\nOn 3 May 2026, Bob\n<b@x.org> wrote:\n\nold\nolder", "cqq.qq"),
        ("> old\nmine\n> older\nmine too", "qcqc"),
        ("New\n-----Original Message-----\nFrom: a\nold", "cqqq"),
        ("New\nVon: a\nGesendet: gestern\nAn: b\nBetreff: c\n\nold", "cqqqq.q"),
        ("New\n2026-03-02 10:00 GMT+1 \u5f20\u4f1f <z@x.org>:\n> old", "cqq"),
        ("From: one side\nto: the other", "cc"),
        ("He wrote:\nDear all", "cc"),
        ("See below\n---------- Forwarded message ----------\nFrom: a\nDate: b\nTo: c\n> news", "cccccc"),
        ("> only\n> a quotation", "cc"),
        ("New\n-- \nAnn\nTel. 123", "csss"),
        ("New\n\nSent from my iPhone", "c.s"),
        ("New\n\nThanks,\nAnn", "c.ss"),
        ("New\n\nAnn Lee\nann@example.org\n+49 221 123456", "c.sss"),
        ("Thanks,\nwe will send you the pump next week.", "cc"),
        ("Prices:\n-- one pump\n-- two pumps", "ccc"),
        ("Ann,\nthe pump is here.", "cc"),
        ("The trip:\nFrom: Cologne\nTo: Berlin\nDate: 3 May\nBy train", "ccccc"),
        ("The sum:\n------\n15 hp\n20 hp", "cccc"),
        ("Who takes what:\nAnn Lee 3 pumps\nBob 4 pumps", "ccc"),
        ("New\n______\nAnn Lee\nwww.example.org", "csss"),
    ],
)
def test_what_is_quoted_and_what_is_a_signature(text: str, kinds: str) -> None:
    lines = [BodyLine(line) for line in text.split("\n")]
    found = kinds_of(lines, "Re: Seal", "Ann Lee <ann@example.org>")
    short = "".join(kind[0] if line.text else "." for kind, line in zip(found, lines, strict=True))
    assert short == kinds


INITIALLED = "AL> Is it oiled?\nAL>\nAL> Weekly?"
CARD = "Street 1\nHouse 2\nHall 3\nGate 4\nTown 5\nLand 6\nPost 7\nann@example.org\nwww.example.org"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        # Who writes with no date and no address, directly above what is marked; an address below a blank line.
        ("Ann Lee writes:\n> Is it oiled?\nIt is.", "qqc"),
        ("It is.\n\nAnn Lee <ann@example.org> writes:\n\n> Is it oiled?", "c.q.q"),
        ("Ann Lee writes:\nOil it.", "cc"),
        (f"Twas brillig at 15:33 when ann did gimble:\n\n{INITIALLED}\nIt is.", "q.qqqc"),
        # No message is announced: what a program prints.
        ("Type this:\nSQL> select 1;", "cc"),
        (f"Oil it.\n\nAnn Lee\n{CARD}", "c.ssssssssss"),
        (f"Oil it.\n\nAnn Lee of the works\n{CARD}", "c.ccccccccss"),
        (f"Oil it.\n\nAnn Lee\n{CARD.replace('Gate 4', 'You will see it.')}", "c.ccccccccss"),
    ],
)
def test_who_is_quoted_is_said_in_other_ways_and_a_card_may_be_long(text: str, kinds: str) -> None:
    lines = [BodyLine(one) for one in text.split("\n")]
    found = kinds_of(lines, "Re: Seal", "Ann Lee <ann@example.org>")
    told = "".join("." if not line.text else kind[0] for kind, line in zip(found, lines, strict=True))
    assert told == kinds


def test_what_is_forwarded_by_its_subject_is_content() -> None:
    lines = [BodyLine(line) for line in ("See", "From: a", "Sent: b", "To: c", "Subject: d", "news")]
    assert set(kinds_of(lines, "FW: d", "")) == {"content"}


def test_a_mailbox_is_a_part_for_each_message(tmp_path: Path) -> None:
    one = f"From ann@example.org Mon Mar  2 14:05:44 2026\n{HEADERS}\n"
    one += "First\nFrom here on it is his: 10:00 or later.\n>From me\n\n"
    two = f"From bob Tue Mar  3 10:00:00 2026\n{HEADERS.replace('Seal', 'Pump')}\nSecond\n"
    source = opened(tmp_path, one + two, "box.mbox")
    assert [page.label for page in pages_of(source)] == ["Seal", "Pump"]
    assert [one for one in told(source) if len(one) < 5 and one[0] == "text"] == [
        ("text", "First", "From here on it is his: 10:00 or later.", "From me"),
        ("text", "Second"),
    ]
    assert (source.title, source.made) == (None, None)


def test_a_message_inside_a_message_is_a_section_of_it(tmp_path: Path) -> None:
    inner = f"Content-Type: message/rfc822\n\n{HEADERS.replace('Seal', 'Inner')}\nInside"
    found = told(opened(tmp_path, HEADERS + multipart("mixed", plain("Outside"), inner)))
    assert [one[:2] for one in found if one[0].startswith("section")] == [("section 1", "Seal"), ("section 2", "Inner")]
    assert found[-1] == ("text", "Inside")


def test_messages_inside_messages_are_named_from_the_fifth_on(tmp_path: Path) -> None:
    nested = "".join(f"Subject: {n}\nContent-Type: message/rfc822\n\n" for n in range(6)) + "Subject: 6\n\nDeep"
    found = told(opened(tmp_path, nested))
    assert [one[1] for one in found if one[0].startswith("section")] == ["0", "1", "2", "3"]
    assert found[-1] == ("list", "Attachment: without a name (message/rfc822)")


@pytest.mark.parametrize(
    ("charset", "data", "text"),
    [
        ("us-ascii", "gr\u00fcn".encode(), "gr\u00fcn"),
        ("iso-8859-1", "gr\u00fcn".encode(), "gr\u00fcn"),
        ("utf-8", "gr\u00fcn".encode("latin-1"), "gr\u00fcn"),
        ("iso-8859-1", "\u201cgr\u00fcn\u201d".encode("cp1252"), "\u201cgr\u00fcn\u201d"),
        ("koi8-r", "\u0442\u0435\u043a\u0441\u0442".encode("koi8-r"), "\u0442\u0435\u043a\u0441\u0442"),
        ("x-unknown", "gr\u00fcn".encode(), "gr\u00fcn"),
        ("zlib", b"bomb", "bomb"),
        ("utf-8", b"a\0b", "ab"),
    ],
)
def test_a_charset_that_lies_costs_no_letter(tmp_path: Path, charset: str, data: bytes, text: str) -> None:
    head = f"{HEADERS}Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n".encode()
    assert told(opened(tmp_path, head + data))[-1] == ("text", text)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\u7ba1\u7406.doc".encode(), "\u7ba1\u7406.doc"),
        ('"\u0424\u041d\u0421 558.doc"'.encode(), "\u0424\u041d\u0421 558.doc"),
        (b"gr\xfcn.doc", "gr\u00fcn.doc"),
    ],
)
def test_a_file_has_its_name_where_a_header_has_letters_that_no_header_has(
    tmp_path: Path, name: bytes, shown: str
) -> None:
    head = f'{HEADERS}Content-Type: multipart/mixed; boundary="B"\n\n--B\n\nHello\n'.encode()
    attached = b"--B\nContent-Type: application/msword;\n\tname=%b\nContent-Disposition: attachment;\n\tfilename=%b\n"
    path = tmp_path / "mail.eml"
    path.write_bytes(head + attached % (name, name) + b"\nbytes\n--B--\n")
    said = f"Attachment: {shown} (application/msword, 5 bytes)"
    assert told(opened(tmp_path, path.read_bytes()))[-1] == ("list", said)
    assert said in reread_mail(path).text


@pytest.mark.parametrize(
    "broken",
    [
        "No header at all, and no blank line.",
        "\n\n\nBody only\n",
        HEADERS,
        HEADERS + 'Content-Type: multipart/mixed; boundary="B"\n\nnever begun',
        HEADERS + 'Content-Type: multipart/mixed; boundary="B"\n\n--B\n\nnever closed',
        HEADERS
        + 'Content-Type: multipart/mixed; boundary="B"\n\n--B\nContent-Type: text/csv; name=x.csv\n\na,b\n1,2\n',
        HEADERS + "Content-Type: multipart/mixed\n\n--B\n\nno boundary",
        HEADERS + "Content-Type: ;;=\n\nText",
        HEADERS + "Content-Transfer-Encoding: base64\n\nSGVsbG8\n",
        HEADERS + "Content-Transfer-Encoding: base64\n\nSGVs=bG8gd29y!bGQhx\n",
        HEADERS + "Content-Type: text/\n\nHello",
        HEADERS + "Content-Type: mult\u00e9/mixed\n\nHello",
        HEADERS + "Content-Type: text/calendar\n\nBEGIN:VCALENDAR",
        HEADERS.replace("To:", "X: a\rb\rTo:") + "\nHello",
        HEADERS.replace("\n", "\r") + "\rHello",
        HEADERS + "Content-Transfer-Encoding: quoted-printable\n\n=ZZ Hello=\n",
        "Subject: =?utf-8?b?!!!?= =?nope?q?x?= =?utf-8?q?=FF?=\n\nText",
        "Subject: " + "=?utf-8?q?a?= " * 5_000 + "\n\nText",
        HEADERS + "Content-Type: text/html\n\n<p <b a='> &#xD800; &#99999999; <!-- never </p> closed",
        "From: a\nFrom: b\nSubject\nDate: never\n\nText",
    ],
)
def test_a_broken_message_is_read_as_far_as_it_goes(tmp_path: Path, broken: str) -> None:
    assert not opened(tmp_path, broken).is_blank


def test_ten_thousand_attachments_are_named_in_passages_of_a_bounded_length(tmp_path: Path) -> None:
    source = opened(tmp_path, HEADERS + multipart("mixed", *["Content-Type: image/png; name=x.png\n\nx"] * 10_000))
    listed = [one[1:] for one in told(source)[2:]]
    assert sum(map(len, listed)) == 10_000
    assert max(map(len, listed)) < 50


def test_parts_without_end_and_parts_in_parts_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile, match="more than 20,000 parts"):
        opened(tmp_path, HEADERS + multipart("mixed", *[plain("x")] * 20_000))
    deep = "".join(f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(3_000))
    with pytest.raises(RefusedFile, match="too deep"):
        opened(tmp_path, HEADERS + deep)
    with pytest.raises(RefusedFile, match="divide it"):
        opened(tmp_path, "From a Mon Mar 2 10:00:00 2026\n\nx\n\n" * 5_001)


@pytest.mark.parametrize(
    "unit", ["<a ", "<!-- ", "<![x", "&a", "<p>" * 4, "> ", "On 1 ", "From: x\n", "a@", "wrote:\n"]
)
@pytest.mark.parametrize("head", [f"{HEADERS}Content-Type: text/html\n\n", f"{HEADERS}\n"])
def test_hostile_text_is_opened_within_the_deadline(tmp_path: Path, head: str, unit: str) -> None:
    started = time.monotonic()
    opened(tmp_path, head + unit * 40_000)
    assert time.monotonic() - started < OPEN_TIMEOUT_S


@pytest.mark.parametrize(
    ("name", "text", "source_type"),
    [
        ("a.eml", "Hello", "mail"),
        ("a.mbox", HEADERS, "mail"),
        ("1234.M5", f"Received: by x\n{HEADERS}\nx", "mail"),
        ("inbox", f"From a Mon Mar  2 10:00:00 2026\n{HEADERS}\nx", "mail"),
        ("a.txt", HEADERS, "text"),
        ("notes", "Subject: a note\n\nNo message.", "text"),
    ],
)
def test_a_message_is_known_by_its_name_or_by_its_header(
    tmp_path: Path, name: str, text: str, source_type: str
) -> None:
    (tmp_path / name).write_text(text)
    assert recognise(tmp_path / name).source_type == source_type


def test_an_outlook_message_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.msg").write_bytes(b"\xd0\xcf\x11\xe0" + bytes(100))
    with pytest.raises(UnreadFormat, match="Microsoft Office"):
        recognise(tmp_path / "a.msg")


def test_the_registered_second_reading_is_that_of_the_raw_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_text(f"{HEADERS}\nOil the bearing.")
    form = find_format("mail")
    assert form.version() == "mail-10"
    assert re.search(r"Subject: Seal\s+Oil the bearing", reread_mail(path).text.replace("Message-ID", ""))
