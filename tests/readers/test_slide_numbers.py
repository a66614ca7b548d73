"""Numbers in front of the paragraphs of slides, as PowerPoint displays them, read and counted for the proof apart."""

import zipfile
from pathlib import Path

import pytest

from shared.readers.pptx.numbering import Layouts
from shared.readers.zipped import ZippedParts
from shared.rereading.pptx import reread_pptx
from tests.readers.test_docx import relations
from tests.readers.test_pptx import SPACES, pages_of, slide

NONE, DASH = "<a:buNone/>", '<a:buChar char="-"/>'


def auto(kind: str, start: int = 0) -> str:
    first = f'startAt="{start}"' if start else ""
    return f'<a:buAutoNum type="{kind}" {first}/>'


def item(text: str, bullet: str = "", level: int = 0) -> str:
    runs = "<a:br/>".join(f"<a:r><a:t>{line}</a:t></a:r>" for line in text.split("\n"))
    return f'<a:p><a:pPr lvl="{level}">{bullet}</a:pPr>{runs}</a:p>'


def frame(*items: str, levels: str = "", holder: str = "") -> str:
    own = f"<p:nvSpPr><p:nvPr>{holder}</p:nvPr></p:nvSpPr>"
    return f"<p:sp>{own}<p:txBody><a:lstStyle>{levels}</a:lstStyle>{''.join(items)}</p:txBody></p:sp>"


def write(path: Path, inner: str, layout: str = "", master: str = "") -> Path:
    """One slide, with the layout and the master that it is laid out by."""
    with zipfile.ZipFile(path, "w") as container:
        container.writestr("_rels/.rels", relations({"ppt/presentation.xml": "officeDocument"}))
        listed = '<p:sldIdLst><p:sldId id="1" r:id="rslides/slide1.xml"/></p:sldIdLst>'
        container.writestr("ppt/presentation.xml", f"<p:p {SPACES}>{listed}</p:p>")
        container.writestr("ppt/_rels/presentation.xml.rels", relations({"slides/slide1.xml": "slide"}))
        container.writestr("ppt/slides/slide1.xml", slide("sld", inner))
        container.writestr("ppt/slides/_rels/slide1.xml.rels", relations({"../slideLayouts/a.xml": "slideLayout"}))
        container.writestr("ppt/slideLayouts/a.xml", slide("sldLayout", layout))
        container.writestr("ppt/slideLayouts/_rels/a.xml.rels", relations({"../slideMasters/b.xml": "slideMaster"}))
        container.writestr("ppt/slideMasters/b.xml", f"<p:sldMaster {SPACES}>{master}</p:sldMaster>")
    return path


def shown(path: Path) -> list[tuple[str, str]]:
    """Each line with the number in front of it; both readings agree, or `pages_of` fails."""
    return [(one.marker, one.text) for page in pages_of(path) for one in page.fragments]


def test_items_count_on_within_their_level(tmp_path: Path) -> None:
    first, second = auto("arabicPeriod"), auto("alphaLcParenR")
    items = [item("Open", first), item("left", second, 1), item("right", second, 1), item("Drain", first)]
    assert shown(write(tmp_path / "x.pptx", frame(*items, item("slowly", second, 1)))) == [
        ("1.", "Open"), ("a)", "left"), ("b)", "right"), ("2.", "Drain"), ("a)", "slowly"),
    ]  # fmt: skip


def test_a_paragraph_without_a_number_ends_the_list_of_its_level_and_of_deeper_ones(tmp_path: Path) -> None:
    number = auto("arabicPeriod")
    items = [item("a", number), item("b", DASH, 1), item("c", number), item("d", NONE), item("e", number)]
    assert shown(write(tmp_path / "x.pptx", frame(*items))) == [
        ("1.", "a"), ("-", "b"), ("2.", "c"), ("", "d"), ("1.", "e"),
    ]  # fmt: skip


def test_bullets_are_points_or_dashes_and_signs_of_fonts_and_pictures_points(tmp_path: Path) -> None:
    signs = ['<a:buChar char="\u2013"/>', '<a:buChar char="\u00a7"/>', "<a:buBlip/>", '<a:buChar char=" "/>', NONE]
    items = [item(name, sign) for name, sign in zip("abcde", signs, strict=True)]
    assert shown(write(tmp_path / "x.pptx", frame(*items, item("f")))) == [
        ("\u2013", "a"), ("\u2022", "b"), ("\u2022", "c"), ("", "d"), ("", "e"), ("", "f"),
    ]  # fmt: skip


def test_a_bullet_of_the_masters_texts_holds_for_a_body_and_not_for_a_title(tmp_path: Path) -> None:
    level = '<a:lvl1pPr><a:buChar char="\u2022"/></a:lvl1pPr>'
    texts = f"<p:txStyles><p:titleStyle/><p:bodyStyle>{level}</p:bodyStyle></p:txStyles>"
    held = [frame(item(kind), holder=f'<p:ph type="{kind}"/>') for kind in ("title", "body")]
    second = frame(item("first\nand its second line"), holder='<p:ph type="body"/>')
    path = write(tmp_path / "x.pptx", "".join([*held, second]), master=f"<p:cSld/>{texts}")
    assert shown(path) == [
        ("", "title"), ("\u2022", "body"), ("\u2022", "first"), ("", "and its second line"),
    ]  # fmt: skip


def test_an_empty_paragraph_has_no_number_and_ends_no_list(tmp_path: Path) -> None:
    number = auto("arabicPeriod")
    assert shown(write(tmp_path / "x.pptx", frame(item("a", number), item("", number), item("b", number)))) == [
        ("1.", "a"), ("2.", "b"),
    ]  # fmt: skip


def test_a_list_begins_where_it_says_and_another_one_anew(tmp_path: Path) -> None:
    items = [item("a", auto("arabicPeriod", 5)), item("b", auto("arabicPeriod", 5)), item("c", auto("arabicPeriod"))]
    assert [number for number, _ in shown(write(tmp_path / "x.pptx", frame(*items)))] == ["5.", "6.", "1."]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("arabicPlain", "4"), ("arabicParenBoth", "(4)"), ("alphaUcPeriod", "D."), ("romanLcParenR", "iv)"),
        ("romanUcParenBoth", "(IV)"), ("circleNumDbPlain", "④"), ("thaiNumPeriod", "๔."),
            ("noSuchPlain", ""), ("circleNumOther", ""),
    ],
)  # fmt: skip
def test_numbers_are_written_as_the_list_says(tmp_path: Path, kind: str, expected: str) -> None:
    assert shown(write(tmp_path / "x.pptx", frame(item("a", auto(kind, 4))))) == [(expected, "a")]


def test_behind_z_letters_are_repeated(tmp_path: Path) -> None:
    items = [item("a", auto("alphaLcPeriod", 26)), item("b", auto("alphaLcPeriod", 26))]
    assert [number for number, _ in shown(write(tmp_path / "x.pptx", frame(*items)))] == ["z.", "aa."]


def test_the_nearest_properties_of_a_level_say_whether_it_is_numbered(tmp_path: Path) -> None:
    by_frame, body = f"<a:lvl1pPr>{auto('arabicPeriod')}</a:lvl1pPr>", '<p:ph type="body" idx="1"/>'
    layout = frame(levels=f"<a:lvl1pPr>{auto('alphaLcPeriod')}</a:lvl1pPr>", holder='<p:ph type="body" idx="2"/>')
    layout += frame(levels=f"<a:lvl1pPr>{auto('romanUcPeriod')}</a:lvl1pPr>", holder=body)
    second = f"<a:lvl1pPr>{auto('arabicPlain')}</a:lvl1pPr><a:lvl2pPr>{auto('arabicParenR')}</a:lvl2pPr>"
    texts = f"<p:txStyles><p:bodyStyle>{second}</p:bodyStyle></p:txStyles>"
    of_layout = frame(item("layout"), item("master", level=1), holder='<p:ph idx="1"/>')
    of_frame = frame(item("frame"), item("own", auto("alphaUcPeriod")), item("no", NONE), levels=by_frame, holder=body)
    assert shown(write(tmp_path / "x.pptx", of_layout + of_frame + frame(item("alone")), layout, texts)) == [
        ("I.", "layout"), ("1)", "master"), ("1.", "frame"), ("A.", "own"), ("", "no"), ("", "alone"),
    ]  # fmt: skip


def test_a_frame_of_the_master_holds_for_frames_of_its_kind(tmp_path: Path) -> None:
    numbered = f"<a:lvl1pPr>{auto('arabicPeriod')}</a:lvl1pPr>"
    lettered = f"<a:lvl1pPr>{auto('alphaLcPeriod')}</a:lvl1pPr>"
    own = frame(levels=lettered, holder='<p:ph type="title"/>') + frame(levels=numbered, holder='<p:ph type="body"/>')
    master = f"<p:cSld><p:spTree>{own}</p:spTree></p:cSld>"
    title, body = frame(item("t"), holder='<p:ph type="title"/>'), frame(item("b"), holder='<p:ph idx="7"/>')
    assert shown(write(tmp_path / "x.pptx", title + body, master=master)) == [("a.", "t"), ("1.", "b")]


def test_a_number_stands_before_the_first_line_of_a_paragraph_and_in_cells(tmp_path: Path) -> None:
    cell = f"<a:tc><a:txBody>{item('a', auto('arabicParenR'))}{item('b', auto('arabicParenR'))}</a:txBody></a:tc>"
    table = f"<p:graphicFrame><a:graphic><a:tbl><a:tr>{cell}</a:tr></a:tbl></a:graphic></p:graphicFrame>"
    split = frame(item("Close\nthe valve", auto("arabicPeriod")))
    assert shown(write(tmp_path / "x.pptx", split + table)) == [
        ("1.", "Close"), ("", "the valve"), ("1)", "a"), ("2)", "b"),
    ]  # fmt: skip


def test_running_frames_are_no_bodies_and_a_layout_says_what_a_frame_is(tmp_path: Path) -> None:
    numbered = f"<a:lvl1pPr>{auto('arabicPeriod')}</a:lvl1pPr>"
    footer = frame(levels=f"<a:lvl1pPr>{NONE}</a:lvl1pPr>", holder='<p:ph type="ftr" idx="3"/>')
    lettered = f"<p:titleStyle><a:lvl1pPr>{auto('alphaLcPeriod')}</a:lvl1pPr></p:titleStyle>"
    master = f"<p:cSld><p:spTree>{footer}</p:spTree></p:cSld>"
    master += f"<p:txStyles>{lettered}<p:bodyStyle>{numbered}</p:bodyStyle></p:txStyles>"
    layout = frame(levels=f"<a:lvl1pPr>{NONE}</a:lvl1pPr>", holder='<p:ph type="title"/>')
    layout += frame(holder='<p:ph type="ctrTitle" idx="5"/>') + frame(
        levels=f"<a:lvl1pPr>{auto('romanUcPeriod')}</a:lvl1pPr>", holder='<p:ph type="ctrTitle" idx="5"/>'
    )
    slides = frame(item("b"), holder='<p:ph type="body"/>') + frame(item("2026"), holder='<p:ph type="dt" idx="9"/>')
    slides += frame(item("t"), holder='<p:ph idx="5"/>') + frame(item("7"), holder='<p:ph type="sldNum" idx="4"/>')
    assert shown(write(tmp_path / "x.pptx", slides, layout, master)) == [
        ("1.", "b"), ("", "2026"), ("a.", "t"), ("", "7"),
    ]  # fmt: skip


def test_cells_have_no_texts_of_a_master_and_what_stands_in_for_others_is_not_counted(tmp_path: Path) -> None:
    others = f"<p:txStyles><p:otherStyle><a:lvl1pPr>{auto('arabicPeriod')}</a:lvl1pPr></p:otherStyle></p:txStyles>"
    cell = f"<a:tc><a:txBody>{item('a')}{item('b', auto('arabicPeriod'))}</a:txBody></a:tc>"
    table = f"<p:graphicFrame><a:graphic><a:tbl><a:tr>{cell}</a:tr></a:tbl></a:graphic></p:graphicFrame>"
    fallback = f'<m:AlternateContent xmlns:m="urn:m"><m:Fallback>{frame(item("c"))}</m:Fallback></m:AlternateContent>'
    path = write(tmp_path / "x.pptx", table + frame(item("c")) + fallback, master=others)
    assert shown(path) == [("", "a"), ("1.", "b"), ("1.", "c")]
    assert reread_pptx(path).numbers == [("1.", "b"), ("1.", "c")]


@pytest.mark.parametrize("kind", ["romanLcPeriod", "alphaLcPeriod"])
@pytest.mark.parametrize("start", [9_999, 0])
def test_a_number_without_end_or_of_nothing_is_none(tmp_path: Path, kind: str, start: int) -> None:
    bullet = f'<a:buAutoNum type="{kind}" startAt="{start}"/>'
    said = shown(write(tmp_path / "x.pptx", frame(item("a", bullet))))
    assert said == [("mmmmmmmmmcmxcix." if (kind, start) == ("romanLcPeriod", 9_999) else "", "a")]


@pytest.mark.parametrize(
    "part", ["ppt/slideLayouts/a.xml", "ppt/slideMasters/b.xml", "ppt/slideLayouts/_rels/a.xml.rels"]
)
@pytest.mark.parametrize("data", ["<broken", "", '<!DOCTYPE x [<!ENTITY e "e">]><x/>'])
def test_a_layout_that_cannot_be_read_says_nothing_of_a_slide_that_can(tmp_path: Path, part: str, data: str) -> None:
    whole = write(tmp_path / "x.pptx", frame(item("a", auto("arabicPeriod")), item("b"), holder='<p:ph idx="1"/>'))
    damaged = tmp_path / "y.pptx"
    with zipfile.ZipFile(whole) as before, zipfile.ZipFile(damaged, "w") as after:
        for name in before.namelist():
            after.writestr(name, data if name == part else before.read(name))
    assert shown(damaged) == [("1.", "a"), ("", "b")]


def test_a_layout_with_many_frames_in_one_place_is_asked_for_the_first(tmp_path: Path) -> None:
    many = frame(levels="<a:lvl1pPr/>", holder='<p:ph idx="1"/>') * 2_000
    path = write(tmp_path / "x.pptx", frame(item("a"), holder='<p:ph idx="1"/>'), many)
    with ZippedParts(path) as zipped:
        name = "ppt/slides/slide1.xml"
        (shape,) = (one for one in zipped.root(name).iter() if one.tag.endswith("}sp"))
        assert len(list(Layouts(zipped).styles_of(name, shape))) == 2


OTHERS = {
    "circleNumDbPlain": {1: "①", 10: "⑩", 11: "11"}, "circleNumWdBlackPlain": {1: "❶", 10: "❿", 11: "11"},
    "circleNumWdWhitePlain": {2: "②"}, "arabicDbPeriod": {12: "１２．"}, "arabicDbPlain": {3: "３"},
    "ea1ChsPeriod": {1: "一.", 12: "十二.", 100: ""}, "ea1ChtPlain": {19: "十九", 20: ""},
    "ea1JpnKorPeriod": {9: "九."},
    "ea1JpnChsDbPeriod": {2: "二．", 10: ""}, "hebrew2Minus": {1: "א-"}, "arabic1Minus": {3: "ت-"},
    "arabic2Minus": {3: "ج-"}, "thaiAlphaParenBoth": {1: "(ก)"}, "thaiNumPeriod": {11: "๑๑."},
    "hindiNumPeriod": {1: "१."}, "arabicParenR": {4: "4)"}, "romanUcPeriod": {9: "IX."}, "noSuchPlain": {1: ""},
    "circleNumOther": {1: ""},
}  # fmt: skip


@pytest.mark.parametrize("kind", OTHERS)
def test_numbers_of_other_languages_are_written_as_they_write_them(tmp_path: Path, kind: str) -> None:
    for number, expected in OTHERS[kind].items():
        path = write(tmp_path / f"{number}.pptx", frame(item("a", auto(kind, number))))
        assert shown(path) == [(expected, "a")]
