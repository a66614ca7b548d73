import pytest

from shared.domain.geometry import Rect
from shared.domain.page import Fragment, PageFile, PageImage
from shared.ports import OcrWord
from shared.readers.ocr_page import add_words, place_words, regions_to_read

LEFT = ["Every vessel carries a sealed recorder", "which stewards may read at any time", "before or after the race day"]
RIGHT = ["The office keeps a list of numbers", "for each class of boat and sailor", "from 100 to 899 every season"]


def line(number: int, x: float, y: float, text: str, confidence: float = 0.9, h: float = 0.012) -> list[OcrWord]:
    """Words of one line, each character 0.008 wide, half of that between words."""
    words: list[OcrWord] = []
    for word in text.split():
        words.append(OcrWord(word, x, y, x + 0.008 * len(word), y + h, confidence, number))
        x += 0.008 * len(word) + 0.004
    return words


def blank(**values: object) -> PageFile:
    page = PageFile(page=3, width_pt=600, height_pt=800, route="ocr", extractor_version="pdf")
    return page.model_copy(update=values)


def typed(text: str, box: Rect) -> Fragment:
    return Fragment(id="p3.f1", text=text, box=box, font="Sans", size=10)


def test_a_line_of_words_becomes_a_fragment_with_spaces_and_their_confidence() -> None:
    words = [word._replace(confidence=c) for word, c in zip(line(0, 0.1, 0.1, "one two"), (0.5, 0.9), strict=True)]
    page = add_words(blank(), words, "engine/1")
    (fragment,) = page.fragments
    assert (fragment.id, fragment.text, fragment.ocr) == ("p3.f1", "one two", True)
    assert (fragment.confidence, fragment.word_confidences) == (0.7, (0.5, 0.9))
    assert page.route == "ocr"
    assert page.extractor_version == "pdf+engine/1"
    assert page.text_density > 0


def test_a_line_is_cut_where_a_gap_is_wider_than_between_words() -> None:
    words = [*line(0, 0.1, 0.1, "Capacity at rest"), *line(0, 0.5, 0.1, "31.2 SCFM")]
    assert [f.text for f in add_words(blank(), words, "e").fragments] == ["Capacity at rest", "31.2 SCFM"]


def test_two_columns_of_lines_are_read_one_after_the_other() -> None:
    words: list[OcrWord] = []
    for row in range(3):
        words += line(2 * row, 0.08, 0.1 + 0.02 * row, LEFT[row])
        words += line(2 * row + 1, 0.55, 0.1 + 0.02 * row, RIGHT[row])
    assert [f.text for f in add_words(blank(), words, "e").fragments] == [*LEFT, *RIGHT]


def test_lines_of_one_size_have_one_size_and_height_whatever_their_letters() -> None:
    words = [
        *line(0, 0.1, 0.1, "Typography", h=0.93 * 10 / 800),
        *line(1, 0.1, 0.13, "HEADS", h=0.72 * 10.4 / 800),
        *line(2, 0.1, 0.16, "summer", h=0.52 * 9.7 / 800),
        *line(3, 0.1, 0.2, "Title", h=0.72 * 18 / 800),
    ]
    fragments = add_words(blank(), words, "e").fragments
    assert [f.size for f in fragments] == [10, 10, 10, 18]
    assert all(f.box.h * 800 == pytest.approx(9.3, abs=0.5) for f in fragments[:3])


def test_words_that_the_text_layer_has_are_not_read_twice() -> None:
    page = blank(fragments=[typed("Page 7 of 9", Rect(x=0.1, y=0.1, w=0.2, h=0.02))])
    read = add_words(page, [*line(0, 0.11, 0.104, "Page 7"), *line(1, 0.1, 0.3, "scanned")], "e")
    assert [(f.id, f.text, f.ocr) for f in read.fragments] == [
        ("p3.f1", "Page 7 of 9", False),
        ("p3.f2", "scanned", True),
    ]
    assert read.route == "mixed"


@pytest.mark.parametrize(("typed_width", "read"), [(0.05, ["2021"]), (0.005, ["2021", "2021年3月"])])
def test_a_word_under_which_much_of_the_text_layer_stands_is_not_read_again(
    typed_width: float, read: list[str]
) -> None:
    """A form's field, or a stamp over the text, to the left of the word's middle."""
    page = blank(fragments=[typed("2021", Rect(x=0.1, y=0.1, w=typed_width, h=0.02))])
    word = OcrWord("2021年3月", 0.1 if typed_width > 0.01 else 0.104, 0.1, 0.22, 0.12, 0.9, 0)
    assert [f.text for f in add_words(page, [word], "e").fragments] == read


def test_a_page_on_which_nothing_is_found_is_empty_and_no_failure() -> None:
    assert add_words(blank(), [], "e").route == "empty"
    with_text = blank(route="mixed", fragments=[typed("caption", Rect(x=0.1, y=0.1, w=0.1, h=0.01))])
    assert add_words(with_text, [], "e").route == "text"


def test_words_of_scripts_without_spaces_are_joined_without() -> None:
    words = [
        OcrWord(t, 0.1 + 0.03 * i, 0.1, 0.125 + 0.03 * i, 0.12, 0.9, 0) for i, t in enumerate(("資料", "番号", "A1"))
    ]
    assert add_words(blank(), words, "e").fragments[0].text == "資料番号 A1"


def test_a_scanned_passage_is_no_figure_but_a_chart_with_labels_stays_one() -> None:
    picture = PageImage(id="p3.i1", box=Rect(x=0.1, y=0.1, w=0.5, h=0.1), kind="bitmap")
    passage = [w for row in range(4) for w in line(row, 0.12, 0.11 + 0.02 * row, "words that fill the line of it")]
    assert add_words(blank(images=[picture]), passage, "e").images == []
    assert add_words(blank(images=[picture]), line(0, 0.2, 0.15, "axis"), "e").images == [picture]


def test_a_mixed_page_is_read_where_a_large_picture_has_no_text_over_it() -> None:
    bare, covered = Rect(x=0, y=0.5, w=1, h=0.3), Rect(x=0, y=0, w=1, h=0.3)
    images = [PageImage(id=f"p3.i{n}", box=box, kind="bitmap") for n, box in enumerate((bare, covered), 1)]
    page = blank(route="mixed", images=images, fragments=[typed("x" * 50, Rect(x=0.1, y=0.1, w=0.5, h=0.1))])
    assert regions_to_read(page) == [bare]
    assert regions_to_read(blank()) == [Rect(x=0, y=0, w=1, h=1)]
    assert regions_to_read(page.model_copy(update={"route": "text"})) == []


def test_words_of_a_region_are_placed_on_the_page() -> None:
    (word,) = place_words([OcrWord("a", 0.5, 0.5, 1.0, 1.0, 1.0, 2)], Rect(x=0.2, y=0.4, w=0.4, h=0.2), 10)
    assert (word.x0, word.y0, word.x1, word.y1, word.line) == (0.4, 0.5, pytest.approx(0.6), pytest.approx(0.6), 12)
