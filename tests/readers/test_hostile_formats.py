"""Files that anybody may have written, small: each is read or refused with a reason, and breaks neither reader."""

import json
import re
import struct
import zipfile
from pathlib import Path

import pytest

from shared.errors import RefusedFile
from shared.library.verification import second_text
from shared.readers.opendocument.format import ODT
from tests.readers.structured import opened, pages_of
from tests.readers.test_book import write_epub
from tests.readers.test_docx import write_docx
from tests.readers.test_opendocument import write_odf
from tests.readers.test_rtf import write_rtf
from tests.readers.workbooks import Made, workbook

LONG = "9" * 5_000


def said(path: Path) -> list[str]:
    return [fragment.text for page in pages_of(path) for fragment in page.fragments]


def without(path: Path, part: str, start: str, end: str) -> Path:
    """The container without what one of its parts has from `start` to `end`."""
    with zipfile.ZipFile(path) as container:
        members = {name: container.read(name).decode() for name in container.namelist()}
    before, rest = members[part].split(start, 1)
    members[part] = before + rest.split(end, 1)[1]
    with zipfile.ZipFile(path, "w") as container:
        for name, text in members.items():
            container.writestr(name, text)
    return path


@pytest.mark.parametrize("part", ["manifest", "spine"])
def test_a_book_without_its_lists_is_refused(tmp_path: Path, part: str) -> None:
    path = without(write_epub(tmp_path / "x.epub", "<p>a</p>"), "OPS/a.opf", f"<{part}>", f"</{part}>")
    with pytest.raises(RefusedFile, match="no list of its chapters"):
        opened(path)


def test_an_element_that_is_closed_at_once_hides_no_chapter(tmp_path: Path) -> None:
    path = write_epub(tmp_path / "x.epub", '<script src="a.js"/><p>The crane lifts.</p>')
    assert said(path) == ["One", "The crane lifts."]


@pytest.mark.parametrize("name", ["x.docx", "x.xlsx"])
def test_a_member_that_is_packed_wrongly_is_damaged(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    part = "word/document.xml" if name == "x.docx" else "xl/workbook.xml"
    if name == "x.docx":
        write_docx(path, "<w:p><w:r><w:t>a</w:t></w:r></w:p>")
    else:
        path.write_bytes(workbook({"S": Made({"A1": "x"})}))
    with zipfile.ZipFile(path) as container:
        members = {one: container.read(one) for one in container.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as container:
        for one, data in members.items():
            container.writestr(one, data)
    with zipfile.ZipFile(path) as container:
        at = container.getinfo(part).header_offset
    data = bytearray(path.read_bytes())
    body = at + 30 + sum(struct.unpack_from("<HH", data, at + 26))
    data[body + 4 : body + 9] = b"\xff" * 5
    path.write_bytes(data)
    with pytest.raises(RefusedFile, match="damaged"):
        opened(path)


def test_numbers_of_thousands_of_digits_are_no_levels(tmp_path: Path) -> None:
    text = f'<w:p><w:pPr><w:outlineLvl w:val="{LONG}"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p>'
    assert said(write_docx(tmp_path / "x.docx", text)) == ["a"]
    styles = f'<text:list-style style:name="L"><text:list-level-style-number text:level="{LONG}"'
    body = f'{styles} style:num-format="1"/></text:list-style><text:p>b</text:p>'
    assert said(write_odf(tmp_path / "x.odt", "text", body)) == ["b"]


def test_a_part_of_millions_of_empty_elements_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile, match="more than 3,000,000 marks"):
        opened(write_docx(tmp_path / "x.docx", "<w:p/>" * 3_000_000))


def test_a_file_that_only_the_first_reader_can_read_fails_its_proof(tmp_path: Path) -> None:
    path = without(write_odf(tmp_path / "x.odt", "text", "<text:p>a</text:p>"), "mimetype", "application", "text")
    data = path.read_bytes()
    path.write_bytes(data.replace(b"mimetype", b"mimetypf", 1))
    assert second_text(ODT, path) == ("", False, None, None, None)


def test_what_the_second_reader_cannot_unpack_fails_its_proof(tmp_path: Path) -> None:
    path = write_odf(tmp_path / "x.odt", "text", "<text:p>a</text:p>")
    assert second_text(ODT, path).text
    data = bytearray(path.read_bytes())
    for found in re.finditer(rb"PK\x01\x02", bytes(data)):
        data[found.start() + 8] |= 1  # encrypted
    path.write_bytes(data)
    assert second_text(ODT, path) == ("", False, None, None, None)


def test_boxes_in_boxes_are_bounded(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile, match="nests more than 60 text boxes"):
        opened(write_rtf(tmp_path / "x.rtf", r"{\shptxt a" * 900 + "}" * 900))


def test_a_cell_has_no_character_that_no_database_holds(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    path.write_bytes(workbook({"S": Made({"A1": "a", "A2": "_xD83D__xDE00_ b _x0000_c _xD800_"})}))
    texts = [fragment.text for fragment in opened(path).read_page(1).fragments]
    assert texts[-1] == "\U0001f600 b c \ufffd"


def test_half_a_character_in_a_notebook_is_read_by_both(tmp_path: Path) -> None:
    cell = r'{"cell_type": "code", "source": "a \ud800 b \ud83d\ude00 \\ud800 \udc00", "outputs": [5, {"data": 1}]}'
    path = tmp_path / "x.ipynb"
    path.write_text(f'{{"nbformat": 4, "cells": [{cell}, 7]}}')
    assert said(path) == ["a ? b \U0001f600 \\ud800 ?"]


def test_pieces_of_a_cell_that_are_no_text_are_passed_over_by_both(tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    cell = {"cell_type": "code", "source": ["a", 3, None], "outputs": []}
    path.write_text(json.dumps({"nbformat": 4, "cells": [cell]}))
    assert said(path) == ["a"]


@pytest.mark.parametrize(
    "head",
    [
        b'Content-Type: text/plain; charset="undefined"',
        b"Content-Transfer-Encoding: base64\xe9\nContent-Type: text/plain",
    ],
)
def test_what_a_mail_says_of_its_body_may_be_nonsense(tmp_path: Path, head: bytes) -> None:
    path = tmp_path / "x.eml"
    path.write_bytes(b"From: a@example.com\nSubject: Crane\n" + head + b"\n\nThe crane\xe9 lifts.\n")
    assert said(path)[-1] == "The crane\u00e9 lifts."


def test_strokes_and_dashes_that_stand_alone_leave_no_letter_unread(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("| a | b |\n|---|---|\n| - | x |\n\n- item\n- x-y\n")
    assert "x-y" in said(path)
