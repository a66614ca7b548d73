"""Which files are read: by their bytes, and before they are sent by their names."""

import zipfile
from pathlib import Path

import pytest

from shared.domain.datasets import SHEETS
from shared.errors import RefusedFile, UnreadFormat
from shared.readers import registry
from shared.readers.formats import Format
from shared.readers.registry import FORMATS, UNREAD, check_name, find_format, recognise
from tests.readers.compound import compound
from tests.readers.test_pdf import write_pdf


@pytest.mark.parametrize(
    ("content", "said", "advice"),
    [
        (b"PK\x05\x06" + bytes(18), "an unknown kind", "export it as PDF"),
        (b"\x1f\x8b\x08\x00", "gzip archive", "unpack it"),
        (b"7z\xbc\xaf\x27\x1c\x00\x04", "an archive", "unpack it"),
        (b"<?xml version='1.0'?>", "XML file", "export it as PDF"),
        (b"\x00\x01\x02", "unknown kind", "export it as PDF"),
    ],
)
def test_other_bytes_are_refused_with_what_they_look_like_and_what_to_do(
    tmp_path: Path, content: bytes, said: str, advice: str
) -> None:
    path = tmp_path / "upload.pdf"
    path.write_bytes(content)
    with pytest.raises(UnreadFormat, match=rf"looks like .*{said}.*not read yet; {advice} and upload that"):
        recognise(path)


@pytest.mark.parametrize("name", ["cut.docx", "cut.pptx", "cut.zip"])
def test_a_container_that_is_cut_off_is_called_damaged_and_not_a_kind_that_is_not_read(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_bytes(b"PK\x03\x04rest of a zip")
    with pytest.raises(RefusedFile, match="cut off or damaged"):
        recognise(tmp_path / name)


def test_a_document_whose_directory_of_parts_is_broken_is_called_damaged_and_not_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "broken.docx"
    with zipfile.ZipFile(path, "w") as container:
        container.writestr("word/document.xml", f"<w:document>{'Oil the bearing. ' * 100}</w:document>")
    path.write_bytes(path.read_bytes().replace(b"PK\x01\x02", b"PK\x01\x00"))
    with pytest.raises(RefusedFile, match="cut off or damaged"):
        recognise(path)


def test_an_office_file_with_a_password_is_refused_as_encrypted(tmp_path: Path) -> None:
    (tmp_path / "locked.docx").write_bytes(compound({"EncryptionInfo": b"x", "EncryptedPackage": b"y"}))
    with pytest.raises(RefusedFile, match="encrypted; save it without a password"):
        recognise(tmp_path / "locked.docx")


@pytest.mark.parametrize("kind", ["text", "presentation", "spreadsheet"])
def test_an_opendocument_file_that_was_packed_anew_is_known_by_what_it_says_elsewhere(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "packed"
    for said, expected in ((kind, "od" + {"text": "t"}.get(kind, kind[0])), ("graphics", None)):
        with zipfile.ZipFile(path, "w") as container:
            container.writestr("content.xml", f"<x/>{200 * ' '}")
            container.writestr("mimetype", f"application/vnd.oasis.opendocument.{said}")
        if expected is None:
            with pytest.raises(UnreadFormat):
                recognise(path)
        else:
            assert recognise(path).source_type == expected


@pytest.mark.parametrize("content", [b"", b" \r\n\t\0"])
def test_an_empty_file_is_refused_as_empty(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "upload.pdf"
    path.write_bytes(content)
    with pytest.raises(RefusedFile, match="is empty"):
        recognise(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile, match=r"no file .gone\.pdf."):
        recognise(tmp_path / "gone.pdf")


@pytest.mark.parametrize(
    "content",
    [
        b"%PDF-1.7\n",
        b"x" * 1019 + b"%PDF-",
        b"no header\n1 0 obj\n<< /Type /Catalog >>",
        b"no header\n1 0 obj\ntrailer",
    ],
)
def test_a_pdf_is_recognised_by_its_bytes_whatever_its_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    assert recognise(path) is find_format("pdf")


def test_a_header_beyond_the_first_kilobyte_is_none(tmp_path: Path) -> None:
    path = tmp_path / "upload.pdf"
    path.write_bytes(b"x" * 1020 + b"%PDF-1.7\n")
    with pytest.raises(UnreadFormat):
        recognise(path)


@pytest.mark.parametrize("content", [b"just some words", "cut in a lett\u00e9".encode()[:-1], b"1 0 obj and no end"])
def test_text_with_another_formats_name_is_refused_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "upload.pdf"
    path.write_bytes(content)
    with pytest.raises(UnreadFormat, match=r"called \.pdf but looks like plain text; rename it"):
        recognise(path)


@pytest.mark.parametrize("name", ["rules.pdf", "RULES.PDF", "1705.07830", "scan", "Report v2.final", ".txt", "a.b/c"])
def test_a_name_that_says_no_other_format_is_taken(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    ("name", "said", "advice"),
    [
        ("x.mobi", "an e-book", "Export it as PDF"),
        ("Offer.KEY", "a presentation", "Export it as PDF"),
        ("plan.odg", "a drawing", "Export it as PDF"),
        ("x.pdf.7z", "an archive", "Unpack it"),
        ("x.tgz", "a gzip archive", "Unpack it"),
    ],
)
def test_a_name_of_a_format_that_is_not_read_is_refused(name: str, said: str, advice: str) -> None:
    with pytest.raises(UnreadFormat, match=rf"{name} is {said}.*not read yet.*{advice}"):
        check_name(name)


def test_no_ending_is_claimed_twice() -> None:
    endings = [ending for one in (*FORMATS, *UNREAD) for ending in one.extensions]
    assert len(endings) == len(set(endings))
    assert all(ending.startswith(".") and ending == ending.lower() for ending in endings)


def test_the_file_picker_takes_what_is_read() -> None:
    taken = registry.ACCEPTED.split(",")
    assert {".pdf", "application/pdf", ".md", "text/markdown", ".txt", "text/plain", ".py", ".zip"} <= set(taken)
    assert not {".7z", ".mp3"} & set(taken)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("notes.txt", b"just some words", "text"),
        ("scan", "cut in a lett\u00e9".encode()[:-1], "text"),
        ("1705.07830", b"1 0 obj and no end", "text"),
        ("README.md", b"# Title", "markdown"),
        ("API.md", b"# Title\nAn object with trailers, or a\ntrailer object; see /Catalogue, 1 0 object", "markdown"),
        ("API.txt", b"1 0 obj is how it begins, a\ntrailers list ends it, or a trailer; /Catalogue", "text"),
        ("README.MD", b"\xff\xfe#\0 \0x\0", "markdown"),
        ("contract.py", b"x = 1", "python"),
        ("page.js", b"<!doctype html><p>x", "html"),
        ("style.css", b"a { }", "code"),
        ("page.md", b"%PDF-1.7", "pdf"),
        ("data.json", b'{"power": 15}', "json"),
        ("data.xml", b"<?xml version='1.0'?><a/>", "xml"),
        ("page.xml", b"<?xml version='1.0'?><html lang='en'>", "html"),
        ("BMW.txt", b"BMW builds cars", "text"),
        ("x.bmp", b"BM\x00\x00", "image"),
    ],
)
def test_text_is_what_its_name_says(tmp_path: Path, name: str, content: bytes, expected: str) -> None:
    path = tmp_path / "source"
    path.write_bytes(content)
    assert recognise(path, name).source_type == expected


def test_bytes_that_no_text_has_are_none_whatever_the_name_says(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(b"\x00\x01\x02")
    with pytest.raises(UnreadFormat, match="unknown kind"):
        recognise(path)


def test_a_format_opens_the_same_pages_with_both_of_its_libraries(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "made.pdf", [(50, 50, "seen twice")])
    for one in [found for found in FORMATS if isinstance(found, Format) and found.source_type != "image"]:
        with one.open(path, None) as source, one.reread(path) as second:
            (fragment,) = source.read_page(1).fragments
            glyphs = second.glyphs(1, False)
            assert source.read_page(1).extractor_version == one.version()
        assert glyphs is not None
        assert "".join(glyph.text for glyph in glyphs) == fragment.text.replace(" ", "") == "seentwice"


def test_sheets_are_the_formats_that_are_read_as_such() -> None:
    assert {one.source_type for one in FORMATS if one.open.__module__ == "shared.readers.sheets.format"} == SHEETS
