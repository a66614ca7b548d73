from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from shared.domain.page import PageFile
from shared.extraction.references import Resolver
from shared.readers.pdf.document import open_pdf
from tests.readers.test_pdf import extracted, verified

Placed = tuple[float, float, str]


def page_with(path: Path, texts: Sequence[Placed], font: str = "helv", size: float = 11, rotate: int = 0) -> Path:
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    for x, y, text in texts:
        page.insert_text((x, y), text, fontsize=size, fontname=font, rotate=rotate)
    document.save(path)
    document.close()
    return path


def read(path: Path) -> PageFile:
    with open_pdf(path) as source:
        return source.read_page(1)


def stack(x: float, text: str, top: float = 60) -> list[Placed]:
    return [(x, top + 12 * n, character) for n, character in enumerate(text)]


def test_characters_set_one_below_the_other_are_columns_read_from_the_right(tmp_path: Path) -> None:
    texts = [*stack(350, "田中さんの猫は"), *stack(325, "かわいいですね")]
    page = read(page_with(tmp_path / "vertical.pdf", texts, "japan", 12))
    assert [(f.text, f.direction) for f in page.fragments] == [("田中さんの猫は", "ttb"), ("かわいいですね", "ttb")]


def test_tiers_of_vertical_script_are_read_from_the_top(tmp_path: Path) -> None:
    lower = [*stack(300, "下段の右側", 300), *stack(275, "下段の左側", 300)]
    texts = [*lower, *stack(350, "上段の右側"), *stack(325, "上段の左側")]
    page = read(page_with(tmp_path / "tiers.pdf", texts, "japan", 12))
    assert [f.text for f in page.fragments] == ["上段の右側", "上段の左側", "下段の右側", "下段の左側"]


def test_one_character_cells_of_a_column_stay_cells(tmp_path: Path) -> None:
    texts = [(60, 60 + 24 * n, text) for n, text in enumerate("男女男女")]
    page = read(page_with(tmp_path / "cells.pdf", texts, "japan", 12))
    assert [f.text for f in page.fragments] == list("男女男女")


def test_lines_of_chinese_join_without_a_space_and_verify(tmp_path: Path) -> None:
    texts = [(60, 60, "混沌初開，乾坤始奠。氣之輕清上浮者為天，"), (60, 76, "氣之重濁下凝者為地。日月五星，謂之七政。")]
    with open_pdf(page_with(tmp_path / "chinese.pdf", texts, "china-t", 12)) as source:
        draft, operations = extracted(source)
        report = verified(source, draft, operations)
    assert [chunk.content for chunk in draft.chunks] == ["".join(text for _, _, text in texts)]
    assert report.ok, report.failures


def test_a_large_initial_begins_its_word_and_verifies(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    page.insert_text((40, 84), "T", fontsize=34)
    for n, text in enumerate(
        ("he wing was made of ash and of linen, which", "stood in the yard until the rain had come and")
    ):
        page.insert_text((64, 62 + 14 * n), text, fontsize=11)
    page.insert_text((40, 98), "the men had carried all of the wood to the barn.", fontsize=11)
    document.save(tmp_path / "initial.pdf")
    document.close()
    with open_pdf(tmp_path / "initial.pdf") as source:
        draft, operations = extracted(source)
        report = verified(source, draft, operations)
    assert draft.chunks[0].content.startswith("The wing was made of ash and of linen, which stood in the yard")
    assert report.ok, report.failures


@pytest.mark.parametrize(("rotate", "places"), [(90, (100, 120, 140)), (270, (140, 120, 100))])
def test_lines_set_sideways_are_read_in_their_own_way_up(tmp_path: Path, rotate: int, places: Sequence[int]) -> None:
    texts = [(x, 300, f"line {n}") for n, x in enumerate(places)]
    shuffled = [texts[1], texts[2], texts[0]]
    page = read(page_with(tmp_path / "sideways.pdf", shuffled, rotate=rotate))
    assert [f.text for f in page.fragments] == ["line 0", "line 1", "line 2"]


TO_UNICODE = """/CIDInit /ProcSet findresource begin 12 dict begin begincmap
1 begincodespacerange <00> <ff> endcodespacerange
1 beginbfrange <61> <7a> <05d0> endbfrange
1 beginbfchar <7c> <06440623> endbfchar
endcmap end end"""


def hebrew(path: Path, texts: Sequence[Placed]) -> Path:
    """Latin small letters are read as Hebrew ones from alef on, and a bar as the ligature of lam and alef."""
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    for x, y, text in texts:
        page.insert_text((x, y), text, fontsize=11)
    font, cmap = page.get_fonts()[0][0], document.get_new_xref()
    document.update_object(cmap, "<<>>")
    document.update_stream(cmap, TO_UNICODE.encode())
    document.xref_set_key(font, "ToUnicode", f"{cmap} 0 R")
    document.save(path)
    document.close()
    return path


def test_lines_painted_from_the_left_are_read_from_the_right_and_verify(tmp_path: Path) -> None:
    with open_pdf(hebrew(tmp_path / "line.pdf", [(60, 60, "fed 12.5 cba"), (60, 76, "kji |hg")])) as source:
        page = source.read_page(1)
        draft, operations = extracted(source)
        report = verified(source, draft, operations)
    assert [f.text for f in page.fragments] == ["אבג 12.5 דהו", "\u05d6\u05d7\u0644\u0623 טיך"]
    assert {f.direction for f in page.fragments} == {"rtl"}
    assert report.ok, report.failures


def test_a_line_from_right_to_left_that_is_drawn_again_is_read_once_and_verified(tmp_path: Path) -> None:
    texts = [(60, 60, "fed cba"), (60, 200, "kji"), (60, 220, "onm"), (60, 60, "fed cba")]
    with open_pdf(hebrew(tmp_path / "again.pdf", texts)) as source:
        page = source.read_page(1)
        report = verified(source, *extracted(source))
    assert [f.text for f in page.fragments] == ["אבג דהו", "טיך", "לםמ"]
    assert report.ok, report.failures


def test_pieces_of_a_row_from_right_to_left_are_read_from_the_right(tmp_path: Path) -> None:
    with open_pdf(hebrew(tmp_path / "row.pdf", [(60, 60, "cba"), (200, 60, "fed"), (300, 60, "ihg")])) as source:
        page = source.read_page(1)
    assert [f.text for f in page.fragments] == ["זחט", "דהו", "אבג"]


def test_a_part_of_a_right_to_left_line_has_the_box_of_its_characters(tmp_path: Path) -> None:
    with open_pdf(hebrew(tmp_path / "part.pdf", [(60, 60, "fed cba")])) as source:
        resolver = Resolver(source.read_page(1, characters=True))
    part, whole = resolver.resolve("p1.f1[0:3]"), resolver.resolve("p1.f1")
    assert part.text == "אבג"
    assert part.box.right == pytest.approx(whole.box.right, abs=1e-4)
    assert part.box.x > whole.box.x + whole.box.w / 2
