"""Descriptions of pictures, for those who cannot see them; tables that say that they have more cells than they do."""

from pathlib import Path

import pytest

from shared.errors import RefusedFile
from tests.readers.structured import opened, pages_of
from tests.readers.test_docx import p, write_docx
from tests.readers.test_opendocument import p as open_p
from tests.readers.test_opendocument import write_odf
from tests.readers.test_pptx import shape, write_pptx
from tests.readers.test_text import told

_PICTURE = (
    '<w:r><w:drawing xmlns:wp="urn:wp"><wp:inline><wp:docPr id="1" name="Picture 1" {}/></wp:inline></w:drawing></w:r>'
)
_RUN = "<w:r><w:t>{}</w:t></w:r>"


def test_the_description_of_a_picture_in_a_word_text_stands_behind_its_paragraph(tmp_path: Path) -> None:
    inner = _RUN.format("Seen ") + _PICTURE.format('descr="The pump&#10;from the left"') + _RUN.format("here.")
    path = write_docx(tmp_path / "x.docx", f"<w:p>{inner}{_PICTURE.format('')}</w:p>" + p("Behind."))
    assert told(pages_of(path)) == [
        ("text", "Seen here."),
        ("caption", "The pump from the left"),
        ("text", "Behind."),
    ]


def test_the_description_of_a_picture_on_a_slide_stands_at_its_place(tmp_path: Path) -> None:
    picture = '<p:pic><p:nvPicPr><p:cNvPr id="4" name="Picture 3" descr="The pump from the left"/></p:nvPicPr></p:pic>'
    path = write_pptx(tmp_path / "x.pptx", shape("Pumps", "title") + picture + shape("Behind"))
    assert told(pages_of(path)) == [
        ("section", 1, "Pumps"),
        ("caption", "The pump from the left"),
        ("text", "Behind"),
    ]


def test_the_description_of_a_picture_in_an_opendocument_text_stands_behind_its_paragraph(tmp_path: Path) -> None:
    frame = "<draw:frame><draw:image/><svg:title>Picture 1</svg:title><svg:desc>The pump</svg:desc></draw:frame>"
    path = write_odf(tmp_path / "x.odt", "text", open_p(f"Seen {frame}here.") + open_p("Behind."))
    assert told(pages_of(path)) == [("text", "Seen here."), ("caption", "The pump"), ("text", "Behind.")]


def test_a_table_that_says_to_have_a_million_cells_is_refused(tmp_path: Path) -> None:
    cell = '<table:table-cell table:number-columns-repeated="1000"><text:p>x</text:p></table:table-cell>'
    rows = f"<table:table-row>{cell}{cell}</table:table-row>" * 1_100
    path = write_odf(tmp_path / "x.odt", "text", f"<table:table>{rows}</table:table>")
    with pytest.raises(RefusedFile, match="divide it"):
        opened(path)
