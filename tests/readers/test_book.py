"""E-books and saved web pages, written here: chapters in the order of the spine, pages in their own characters."""

import zipfile
from pathlib import Path

import pytest

from shared.errors import RefusedFile
from shared.readers.embedded import embedded_files
from shared.readers.registry import recognise
from tests.readers.structured import opened, pages_of
from tests.readers.test_docx import left_out
from tests.readers.test_text import told

PAGE = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>{}</title></head><body>{}</body></html>"
META = "<metadata><dc:title>The Crane</dc:title><dc:date>2026-03-02</dc:date></metadata>"
ITEM = '<item id="i{0}" href="{1}" media-type="application/xhtml+xml" properties="{2}"/>'


def write_epub(path: Path, *chapters: str, extra: str = "", locked: str = "") -> Path:
    """The first chapter in the file is read last."""
    names = [f"ch {number}.xhtml" for number in range(len(chapters))]
    items = "".join(ITEM.format(n, name.replace(" ", "%20"), "") for n, name in enumerate(names))
    spine = "".join(f'<itemref idref="i{number}"/>' for number in reversed(range(len(chapters))))
    with zipfile.ZipFile(path, "w") as container:
        container.writestr("mimetype", "application/epub+zip")
        container.writestr(
            "META-INF/container.xml", '<container><rootfiles><rootfile full-path="OPS/a.opf"/></rootfiles></container>'
        )
        container.writestr(
            "OPS/a.opf",
            f'{extra}<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">{META}'
            f"<manifest>{items}{ITEM.format('nav', 'nav.xhtml', 'nav')}</manifest>"
            f'<spine><itemref idref="inav"/>{spine}</spine></package>',
        )
        container.writestr("OPS/nav.xhtml", PAGE.format("Contents", "<nav><ol><li><a href='x'>One</a></li></ol></nav>"))
        for name, body in zip(names, chapters, strict=True):
            container.writestr(f"OPS/{name}", PAGE.format("Chapter", body))
        if locked:
            container.writestr("META-INF/encryption.xml", locked)
    return path


def write_mhtml(path: Path, page: bytes, kind: str, encoding: str = "8bit") -> Path:
    head = (
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.com/\r\nSubject: Lighthouse\r\n"
        "Date: Mon, 2 Mar 2026 10:00:00 -0000\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="--x--"\r\n\r\n'
    )
    part = f"----x--\r\nContent-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
    picture = "\r\n----x--\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n----x----\r\n"
    path.write_bytes((head + part).encode() + page + picture.encode())
    return path


def test_a_book_has_its_chapters_in_the_order_of_its_spine(tmp_path: Path) -> None:
    last = "<h1>Two</h1><table><tr><th>Ship</th><th>Berth</th></tr><tr><td>Marigold</td><td>5</td></tr></table>"
    path = write_epub(
        tmp_path / "x.epub", last, "<h1>One</h1><p>The crane&#160;lifts.</p><ul><li>a</li><li>b</li></ul>"
    )
    pages = pages_of(path)
    assert told(pages) == [
        ("section", 1, "One"),
        ("text", "The crane\u00a0lifts."),
        ("list", "a", "b"),
        ("section", 1, "Two"),
        ("table", 1, [[["Ship"], ["Berth"]], [["Marigold"], ["5"]]]),
    ]
    assert left_out(pages) == [("contents", "One")]
    assert (opened(path).title, str(opened(path).made)) == ("The Crane", "2026-03-02")


@pytest.mark.parametrize(
    ("extra", "locked", "said"),
    [
        ('<!DOCTYPE a [<!ENTITY x "y">]>', "", "declares entities"),
        ("", "<a>xmlenc#aes256-cbc</a>", "locked by its seller"),
    ],
)
def test_a_hostile_or_locked_book_is_refused(tmp_path: Path, extra: str, locked: str, said: str) -> None:
    with pytest.raises(RefusedFile, match=said):
        opened(write_epub(tmp_path / "x.epub", "<p>x</p>", extra=extra, locked=locked))


WORDS = "The lighthouse blinks twice in ten seconds, caf\u00e9 lights are seen from eighteen miles. " * 3


@pytest.mark.parametrize("charset", ["utf-8", "windows-1252", "no-such-charset"])
def test_a_saved_page_is_read_in_the_charset_of_its_header(tmp_path: Path, charset: str) -> None:
    page = f"<html><head><meta charset='koi8-r'></head><body><h1>Lighthouse</h1><p>{WORDS}</p></body></html>"
    page = page if charset != "no-such-charset" else page.replace("koi8-r", "windows-1252")
    data = page.encode("cp1252" if charset != "utf-8" else "utf-8")
    path = write_mhtml(tmp_path / "x.mhtml", data, f"text/html; charset={charset}")
    assert recognise(path, "saved").source_type == "mhtml"
    assert told(pages_of(path)) == [("section", 1, "Lighthouse"), ("text", WORDS.strip())]


def test_a_quoted_page_is_unquoted(tmp_path: Path) -> None:
    page = b"<html><body><p>A line that is bro=\r\nken with an =E2=82=AC sign, and long enough to be main text.</p>"
    pages = pages_of(write_mhtml(tmp_path / "x.mht", page * 3, "text/html; charset=utf-8", "quoted-printable"))
    assert "broken with an \u20ac sign" in str(told(pages))


def test_a_saved_page_without_a_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile, match="no web page in the file"):
        opened(write_mhtml(tmp_path / "x.mhtml", b"x", "text/plain"))


def test_a_book_without_namespaces_is_read_and_proved_as_one_with_them(tmp_path: Path) -> None:
    path = write_epub(tmp_path / "x.epub", "<h1>One</h1><p>The crane lifts.</p>")
    with zipfile.ZipFile(path) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    parts["OPS/a.opf"] = parts["OPS/a.opf"].replace(b' xmlns="http://www.idpf.org/2007/opf"', b"")
    with zipfile.ZipFile(path, "w") as bare:
        for name, data in parts.items():
            bare.writestr(name, data)
    assert ("text", "The crane lifts.") in told(pages_of(path))


def test_chapters_that_the_book_lists_and_nobody_can_read_are_told_with_the_reason(tmp_path: Path) -> None:
    path = write_epub(tmp_path / "x.epub", "<p>Last.</p>", "<p>First.</p>")
    with zipfile.ZipFile(path) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    assert embedded_files(path) == []
    listed = parts["OPS/a.opf"].replace(
        b"</manifest>", b'<item id="s" href="plan.svg" media-type="image/svg+xml"/></manifest>'
    )
    parts["OPS/a.opf"] = listed.replace(b"</spine>", b'<itemref idref="s"/><itemref idref="nowhere"/></spine>')
    with zipfile.ZipFile(path, "w") as short:
        for name, data in parts.items():
            short.writestr(name, data) if name != "OPS/ch 1.xhtml" else None
        short.writestr("OPS/plan.svg", "<svg/>")
    assert ("text", "Last.") in told(pages_of(path))
    files = embedded_files(path)
    assert [(one.name, one.data) for one in files] == [("ch 1.xhtml", b""), ("plan.svg", b""), ("chapter", b"")]
    assert "does not have it" in (files[0].refusal or "")
    assert "image/svg+xml" in (files[1].refusal or "")
