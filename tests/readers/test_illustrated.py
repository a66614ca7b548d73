"""Pictures in Word texts, slides, OpenDocument, e-books and web pages: where they stand, and which are left out."""

import hashlib
import zipfile
from base64 import b64encode
from pathlib import Path

import pytest

from shared.domain.operations import RegisterFigure
from shared.domain.page import PageFile, PartPicture
from shared.readers import drawings
from shared.readers.blocks import LeftOutPicture
from tests.readers.illustrated import EMF, drawing, pic, png, write_docx, write_pptx
from tests.readers.structured import opened, pages_of
from tests.readers.test_book import write_epub
from tests.readers.test_docx import p
from tests.readers.test_opendocument import p as open_p
from tests.readers.test_opendocument import write_odf
from tests.readers.test_pptx import shape

TINY = png(20, 20)


def pictures(pages: list[PageFile]) -> list[PartPicture]:
    return [picture for page in pages for picture in page.pictures]


def figures(pages: list[PageFile]) -> list[tuple[str, str]]:
    """Caption and description of each."""
    found: list[tuple[str, str]] = []
    for page in pages:
        texts = {one.id: one.text for one in page.fragments}
        for one in page.structure or []:
            if isinstance(one, RegisterFigure):
                caption, labels = one.caption_fragment_ids, one.label_fragment_ids
                found.append((" ".join(texts[i] for i in caption), " ".join(texts[i] for i in labels)))
    return found


def test_a_picture_says_what_it_is_and_where_it_stands(tmp_path: Path) -> None:
    body = p("Four", more=drawing("media/a.png", 297.5, 421)) + p("Behind")
    (page,) = pages_of(write_docx(tmp_path / "x.docx", body, {"a.png": png(640, 480)}))
    (picture,) = page.pictures
    assert (picture.name, picture.width, picture.height) == ("word/media/a.png", 640, 480)
    assert picture.id == hashlib.sha256(png(640, 480)).hexdigest()
    assert picture.bytes == len(png(640, 480))
    assert (picture.place.start, picture.place.end) == (5, 5)
    assert picture.share == 0.25
    assert page.route == "mixed"


def test_icons_repeated_pictures_and_pictures_elsewhere_are_counted_and_no_figures(tmp_path: Path) -> None:
    body = p("Text", more=drawing("media/a.png") + drawing("media/a.png") + drawing("media/same.png"))
    body += p("More", more=drawing("media/icon.png", 30, 30, "A bullet") + drawing("https://x.example/a.png"))
    media = {"a.png": png(), "same.png": png(), "icon.png": TINY}
    path = write_docx(tmp_path / "x.docx", body, media, away=("https://x.example/a.png",))
    (page,) = pages_of(path)
    assert len(page.pictures) == 1
    assert page.left_out == {"repeated": 2, "small": 1, "remote": 1}
    assert "A bullet" in [one.text for one in page.fragments]


def test_a_picture_of_the_older_kind_has_the_size_of_its_style(tmp_path: Path) -> None:
    shaped = '<w:r><w:pict><v:shape style="width:{};height:2in"><v:imagedata r:id="rmedia/{}"/></v:shape>'
    shaped += "</w:pict></w:r>"
    body = p("Text", more=shaped.format("144pt", "a.png") + shaped.format("10pt", "b.png"))
    (page,) = pages_of(write_docx(tmp_path / "x.docx", body, {"a.png": png(), "b.png": png(shade=1)}))
    assert [one.name for one in page.pictures] == ["word/media/a.png"]
    assert page.left_out == {"small": 1}


def test_what_cannot_be_shown_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    media = {"a.emf": EMF, "b.svg": b"<svg/>", "c.png": png()[:40], "d.bin": b"what", "e.png": png(9_000, 9_000)}
    body = "".join(f"<w:p>{drawing(f'media/{name}')}</w:p>" for name in [*media, "gone.png"])
    path = write_docx(tmp_path / "x.docx", body, media)
    assert [one.unread for one in pictures(pages_of(path))] == ["vector", "vector", "damaged", "unknown", "too_large"]
    monkeypatch.setattr(drawings, "MAX_PICTURES", 2)
    (page,) = pages_of(path)
    assert (len(page.pictures), page.left_out) == (2, {"beyond": 3, "remote": 1})


def test_a_caption_behind_a_picture_is_its_own_unless_a_table_follows(tmp_path: Path) -> None:
    row = "<w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr>"
    body = f"<w:p>{drawing('media/a.png')}</w:p>" + p("Figure 1: One", "C") + p("Source: us", "C")
    body += f"<w:p>{drawing('media/b.png', described='Two')}</w:p>" + p("Table 1: Rows", "C")
    body += f"<w:tbl>{row}{row}</w:tbl>"
    path = write_docx(tmp_path / "x.docx", body, {"a.png": png(), "b.png": png(shade=1)})
    assert figures(pages_of(path)) == [("Figure 1: One Source: us", ""), ("Two", "")]


def test_a_source_of_pictures_alone_is_not_blank_and_is_divided_as_its_pages_would_be(tmp_path: Path) -> None:
    media = {f"{n}.png": png(shade=n) for n in range(5)}
    body = "".join(f"<w:p>{drawing(f'media/{name}', 595, 700)}</w:p>" for name in media)
    source = opened(write_docx(tmp_path / "x.docx", body, media))
    assert not source.is_blank
    assert [len(source.read_page(n).pictures) for n in range(1, source.page_count + 1)] == [2, 2, 1]
    assert source.read_picture("word/media/3.png") == media["3.png"]


def test_a_picture_on_a_slide_is_measured_by_the_slide(tmp_path: Path) -> None:
    slides = [shape("One", "title") + pic("a.png", 360, 270, "A pump"), shape("Two", "title") + pic("b.png", 30, 30)]
    pages = pages_of(write_pptx(tmp_path / "x.pptx", *slides, media={"a.png": png(), "b.png": TINY}))
    assert [(one.name, one.share) for one in pictures(pages)] == [("ppt/media/a.png", 0.25)]
    assert figures(pages) == [("A pump", "")]
    assert pages[1].left_out == {"small": 1}


def test_pictures_of_an_opendocument_text(tmp_path: Path) -> None:
    frame = '<draw:frame svg:width="{0}" svg:height="10cm"><draw:image xlink:href="{1}"/><svg:desc>A pump</svg:desc>'
    frame += "</draw:frame>"
    body = open_p("Seen " + frame.format("10cm", "Pictures/a.png"))
    body += open_p("Figure 1", "Caption") + open_p(frame.format("1mm", "Pictures/b.png"))
    body = body.replace("xlink:href", 'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href')
    path = write_odf(tmp_path / "x.odt", "text", body)
    with zipfile.ZipFile(path, "a") as container:
        container.writestr("Pictures/a.png", png())
    pages = pages_of(path)
    assert figures(pages) == [("Figure 1", "A pump")]
    assert [one.name for one in pictures(pages)] == ["Pictures/a.png"]
    assert pages[0].left_out == {"small": 1}


def test_pictures_of_a_web_page_are_those_in_its_file(tmp_path: Path) -> None:
    inner = f'<img src="data:image/png;base64,{b64encode(png()).decode()}" alt="A pump">'
    inner += "<figcaption>Figure 1: The pump</figcaption>"
    text = "<p>A long paragraph about the pump and what it does, with words, and more words.</p>" * 4
    tracker = f'<img src="data:image/png;base64,{b64encode(TINY).decode()}">'
    away = '<img src="https://x.example/a.png" width="600" height="400">'
    page = tmp_path / "x.html"
    page.write_text(f"<html><body><article>{text}<figure>{inner}</figure>{text}{tracker}{away}</article></body></html>")
    pages = pages_of(page)
    assert figures(pages) == [("A pump Figure 1: The pump", "")]
    assert pages[-1].left_out == {"small": 1, "remote": 1}
    assert opened(page).read_picture("picture 1") == png()


def test_pictures_of_an_e_book_are_parts_of_it(tmp_path: Path) -> None:
    path = write_epub(tmp_path / "x.epub", '<p>Seen</p><img src="img/a%20b.png" alt="A pump"/><img src="../up.png"/>')
    with zipfile.ZipFile(path, "a") as container:
        container.writestr("OPS/img/a b.png", png())
    pages = pages_of(path)
    assert figures(pages) == [("A pump", "")]
    assert opened(path).read_picture("OPS/img/a b.png") == png()
    assert pages[-1].left_out == {"remote": 1}


def test_a_small_picture_is_read_once_however_often_it_is_shown() -> None:
    read: list[str] = []
    shown = drawings.Drawings(lambda name: read.append(name) or TINY)
    said = [block for at in range(5) for block in shown.blocks("bullet.png", drawings.DrawnSize(), at)]
    assert [one.reason for one in said if isinstance(one, LeftOutPicture)] == ["small", *["repeated"] * 4]
    assert read == ["bullet.png"]
