from collections.abc import Iterable

import pytest

from shared.domain.geometry import Rect
from shared.domain.page import Fragment, PageFile
from shared.domain.sketch import EdgeLine, PageSketch
from shared.extraction import profile as profiles
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.extraction.references import claimed_references
from shared.readers.sketch import sketch_page

TOP = 0.06
NAMES = "?abcdefghijklmnop"


def line(number: int, page: int, text: str, y: float, size: float, bold: bool = False) -> Fragment:
    font = "Sans-Bold" if bold else "Sans"
    box = Rect(x=0.1, y=y, w=min(0.8, 0.012 * len(text)), h=size / 842)
    return Fragment(id=f"p{page}.f{number}", text=text, box=box, font=font, size=size, bold=bold)


def page_with(number: int, top: str | None, size: float, bold: bool = False, foot: str = "") -> PageFile:
    found = [line(1, number, top, TOP, size, bold)] if top else []
    body = [line(n, number, f"Body text, line {NAMES[number] * n}", 0.1 + 0.02 * n, 10) for n in range(2, 30)]
    last = [line(40, number, foot, 0.95, 8)] if foot else []
    return PageFile(
        page=number, width_pt=595, height_pt=842, route="text", fragments=[*found, *body, *last], extractor_version="t"
    )


def skipped(pages: list[PageFile]) -> list[str]:
    """The texts that the pages skip, as `reason: text`."""
    profile = build_profile(map(sketch_page, pages))
    return [f"{reason}: {text}" for page in pages for reason, text in _skips(page, profile)]


def _skips(page: PageFile, profile: profiles.Profile) -> Iterable[tuple[str, str]]:
    texts = {fragment.id: fragment.text for fragment in page.fragments}
    for operation in extract_page(page, profile).operations:
        if operation.op == "skip":
            yield operation.reason, " ".join(texts[i] for i in claimed_references(operation))


@pytest.mark.parametrize("shape", ["Chapter {}", "Part {} of the rules", "C{}"])
def test_large_headings_that_differ_in_their_number_are_content(shape: str) -> None:
    pages = [page_with(n, shape.format(n // 2 + 1), size=22, foot=f"{n}") for n in range(1, 9)]
    assert skipped(pages) == [f"page_number: {n}" for n in range(1, 9)]


def test_bold_headings_of_body_size_that_differ_in_their_number_are_content() -> None:
    pages = [page_with(n, f"Rule {7 * n % 5}", size=10, bold=True) for n in range(1, 7)]
    assert skipped(pages) == []


def test_a_large_heading_on_top_of_few_pages_that_start_with_other_text_is_content() -> None:
    pages = [page_with(n, "Exceptions" if n in (3, 9) else None, size=16) for n in range(1, 13)]
    others = [line(1, n, f"A first line of its own on page {NAMES[n]}", TOP, 10) for n in range(1, 13)]
    pages = [
        p if p.page in (3, 9) else p.model_copy(update={"fragments": [others[p.page - 1], *p.fragments]}) for p in pages
    ]
    assert skipped(pages) == []


@pytest.mark.parametrize(
    ("shape", "size", "bold"),
    [("Kestrel Cup Regulations 2026", 14, True), ("Kestrel Cup, page {}", 14, False), ("Chapter {}", 8, False)],
)
def test_what_repeats_or_counts_pages_or_is_small_is_a_header(shape: str, size: float, bold: bool) -> None:
    numbers = (lambda n: n // 2 + 1) if size < 10 else (lambda n: n + 4)
    pages = [page_with(n, shape.format(numbers(n)), size, bold) for n in range(1, 9)]
    assert skipped(pages) == [f"header: {shape.format(numbers(n))}" for n in range(1, 9)]


def test_the_profile_of_a_long_document_keeps_a_bounded_sample_and_finds_its_running_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(profiles, "SAMPLE_PAGES", 50)
    sketches = [sketch(n) for n in range(1, 401)]
    profile = build_profile(sketches)
    assert build_profile(reversed(sketches)) == profile
    header = next(f for f in profile.furniture if f.shape == "kestrel cup")
    assert (profile.pages, header.pages) == (400, 400)
    assert sum(f.shape == "motor club" and 60 <= f.pages <= 340 for f in profile.furniture) == 1


def sketch(number: int) -> PageSketch:
    texts = ["kestrel cup", "motor club" if number % 2 else f"words {number:b}"]
    edges = [EdgeLine(top=True, rank=i, y=0.03 + 0.03 * i, x=0.1, shape=t) for i, t in enumerate(texts)]
    return PageSketch(page=number, characters=10, styles={"Sans|10": 10}, edges=edges)


def test_a_page_number_alone_at_the_foot_of_a_single_page_is_skipped() -> None:
    assert skipped([page_with(1, None, 10, foot="209")]) == ["page_number: 209"]


def test_the_last_words_of_a_single_page_are_content() -> None:
    assert skipped([page_with(1, None, 10, foot="End of the report")]) == []


def test_a_number_right_below_the_text_of_a_single_page_is_content() -> None:
    page = page_with(1, None, 10)
    close = line(40, 1, "209", 0.1 + 0.02 * 30, 10)
    assert skipped([page.model_copy(update={"fragments": [*page.fragments, close]})]) == []


def moving(number: int, foot: str, size: float = 8) -> PageFile:
    """A page of which each has another height of text, with `foot` right below it."""
    rows = 4 + 5 * (number % 4)
    found = [
        line(n, number, f"Body text, line {NAMES[n % 9] * n}{NAMES[number]}", 0.1 + 0.02 * n, 10) for n in range(rows)
    ]
    found.append(line(90, number, foot, 0.14 + 0.02 * rows, size))
    return PageFile(page=number, width_pt=595, height_pt=842, route="text", fragments=found, extractor_version="t")


def test_a_footer_that_moves_with_the_text_is_known_by_its_page_number() -> None:
    pages = [moving(n, f"Harbour Ltd. | Q3 2023 | {n + (2 if n < 5 else 1)}") for n in range(1, 9)]
    assert skipped(pages) == [f"footer: Harbour Ltd. | Q3 2023 | {n + (2 if n < 5 else 1)}" for n in range(1, 9)]
    assert skipped(pages[:2]) == []


def test_a_last_row_whose_number_does_not_count_the_pages_is_content() -> None:
    totals = [moving(n, f"Total of boats {7 * n % 5}") for n in range(1, 9)]
    assert skipped(totals) == []
    assert skipped([moving(n, f"Harbour {n}", size=20) for n in range(1, 9)]) == []
    assert skipped([*[moving(n, f"Boats {n}") for n in range(1, 5)], moving(5, "Boats 12")])[-1] == "footer: Boats 4"


def test_a_number_within_a_word_or_a_sentence_counts_no_pages() -> None:
    assert skipped([moving(n, f"The wing of page {n} weighs {n} kg.") for n in range(1, 9)]) == []
    assert len(skipped([moving(n, f"Harbour Ltd., page {n} of 8") for n in range(1, 9)])) == 8
    assert len(skipped([moving(n, f"{n} Harbour Ltd.") for n in range(1, 9)])) == 8
    assert skipped([moving(n, f"C{n}.3 It may be replaced during the event.") for n in range(1, 9)]) == []
    assert skipped([moving(n, f"Form {n}-B of the harbour") for n in range(1, 9)]) == []


def test_a_number_far_behind_in_a_long_last_row_counts_no_pages() -> None:
    pages = [moving(n, f"{'The harbour office is open every day ' * 4} {n}") for n in range(1, 9)]
    assert skipped(pages) == []


def beside(number: int, marks: dict[float, str], x: float = 0.82) -> PageFile:
    """A page of wide lines with words beside them, each at its height."""
    wide = [line(n, number, "x" * 50 + NAMES[number], 0.1 + 0.02 * n, 10) for n in range(2, 30)]
    found = [line(50 + n, number, text, y, 10) for n, (y, text) in enumerate(marks.items())]
    moved = [f.model_copy(update={"box": f.box.model_copy(update={"x": x, "w": 0.1})}) for f in found]
    return PageFile(
        page=number, width_pt=595, height_pt=842, route="text", fragments=[*wide, *moved], extractor_version="t"
    )


def test_running_heads_beside_the_text_are_skipped_and_other_words_there_are_content() -> None:
    pages = [beside(n, {0.14: "Shift work", 0.25: f"{162 + n}", 0.5: f"Note {NAMES[n]}"}) for n in range(1, 7)]
    assert skipped(pages) == [one for n in range(1, 7) for one in ("header: Shift work", f"page_number: {162 + n}")]


def test_running_heads_stand_left_of_the_text_too_and_what_changes_there_is_content() -> None:
    left = [beside(n, {0.14: "Shift work", 0.25: f"{162 + n}", 0.4: f"Rule {7 * n % 5}"}, x=0.0) for n in range(1, 7)]
    assert skipped(left) == [one for n in range(1, 7) for one in ("header: Shift work", f"page_number: {162 + n}")]


def test_labels_of_a_form_and_numbers_of_paragraphs_beside_the_text_are_content() -> None:
    labels = [beside(n, {0.14: "Applicant", 0.25: "Purpose", 0.4: "Case 9"}, x=0.0) for n in range(1, 7)]
    assert skipped(labels) == []
    paragraphs = [beside(n, {0.14: "Scope", 0.25: f"{7 * n % 5}"}, x=0.0) for n in range(1, 7)]
    assert skipped(paragraphs) == []


@pytest.mark.parametrize(("number", "skips"), [(0.9, 0), (0.04, 0), (0.25, 12)])
def test_cells_beside_a_column_of_text_are_content_though_the_number_of_the_page_is_above_or_below(
    number: float, skips: int
) -> None:
    pages = [beside(n, {0.14: "Level", number: f"{162 + n}"}) for n in range(1, 7)]
    assert len([one for one in skipped(pages) if number == 0.25 or "Level" in one]) == skips


def test_what_is_beside_the_text_on_few_pages_is_content() -> None:
    assert skipped([beside(n, {0.14: "Shift work", 0.25: f"{162 + n}"}) for n in range(1, 3)]) == []


@pytest.mark.parametrize(("pages", "skips"), [(7, 7), (5, 0)])
def test_a_bold_name_at_one_height_of_two_in_five_pages_is_no_heading_of_each(pages: int, skips: int) -> None:
    named = [page_with(n, "KESTREL, INC.", size=10, bold=True) for n in range(1, pages + 1)]
    rest = [page_with(n, f"A first line of its own on page {NAMES[n]}", size=10) for n in range(pages + 1, 17)]
    assert len(skipped([*named, *rest])) == skips


def test_numbers_at_the_foot_of_several_pages_are_a_row_of_a_table() -> None:
    def page(number: int, *values: str) -> PageFile:
        made = page_with(number, None, 10)
        cells = [
            Fragment(
                id=f"p{number}.f{50 + n}", text=text, box=Rect(x=0.1 + 0.15 * n, y=0.93, w=0.05, h=0.012), font="Sans",
                size=10,
            )
            for n, text in enumerate(values)
        ]  # fmt: skip
        return made.model_copy(update={"fragments": [*made.fragments, *cells]})

    def left_out(*values: str) -> int:
        return sum("12" in text for text in skipped([page(number, *values) for number in range(1, 6)]))

    assert left_out("12", "13", "14", "15") == 0
    assert left_out("Annual report", "12", "14") == 5


def footed(number: int, words: str, label: int, gap: float = 0.5, bold: bool = True) -> PageFile:
    """A page with a row at its foot: words on one side and a number `gap` of the width away, left on even pages."""
    page = page_with(number, None, 10)
    width = 0.012 * len(words)
    left = Rect(x=0.1, y=0.94, w=width if number % 2 else 0.02, h=0.012)
    right = Rect(x=left.right + gap, y=0.94, w=0.02 if number % 2 else width, h=0.012)
    texts = (words, str(label)) if number % 2 else (str(label), words)
    foot = [
        Fragment(id=f"p{number}.f{50 + n}", text=text, box=box, font="Sans-Bold", size=10, bold=bold)
        for n, (text, box) in enumerate(zip(texts, (left, right), strict=True))
    ]
    return page.model_copy(update={"fragments": [*page.fragments, *foot]})


@pytest.mark.parametrize(
    "titles",
    [
        ["10.6. Device files", "10.7. Logs", "Chapter 11. Programs", "11.2. Editors", "Index"],
        ["Rule 7", "Rule 9", "Rule 2", "Rule 14", "Rule 1"],
    ],
)
def test_a_row_that_names_another_section_on_each_page_is_a_footer_by_its_page_number_apart(titles: list[str]) -> None:
    pages = [footed(n, title, label=n + 90) for n, title in enumerate(titles, 1)]
    found = [f"footer: {t} {n + 90}" if n % 2 else f"footer: {n + 90} {t}" for n, t in enumerate(titles, 1)]
    assert skipped(pages) == found
    assert skipped([*pages[:2], *(page_with(n, None, 10) for n in range(3, 6))]) == []


def test_a_page_number_apart_from_a_title_in_two_pieces_makes_a_footer() -> None:
    pages = [footed(n, f"Part {NAMES[n] * 3}", label=n) for n in range(2, 11, 2)]
    end = Rect(x=0.93, y=0.94, w=0.02, h=0.012)
    pieces = [Fragment(id=f"p{p.page}.f60", text=f"{p.page}.a", box=end, font="Sans", size=10) for p in pages]
    both = [p.model_copy(update={"fragments": [*p.fragments, piece]}) for p, piece in zip(pages, pieces, strict=True)]
    assert skipped(both) == [f"footer: {n} Part {NAMES[n] * 3} {n}.a" for n in range(2, 11, 2)]


def test_a_title_whose_number_stands_beside_it_or_counts_no_pages_is_content() -> None:
    titles = ["Scope", "Terms", "Access", "Devices", "Index"]
    assert skipped([footed(n, title, label=n, gap=0.05) for n, title in enumerate(titles, 1)]) == []
    assert skipped([footed(n, title, label=n * n) for n, title in enumerate(titles, 1)]) == []


def test_rows_within_the_text_that_end_in_a_number_that_counts_the_pages_are_content() -> None:
    pages = [footed(n, "Rope" + "s" * n, label=n) for n in range(1, 6)]
    below = [line(70, n, f"The end of the {NAMES[n] * 3} text", 0.97, 10) for n in range(1, 6)]
    assert skipped([p.model_copy(update={"fragments": [*p.fragments, below[p.page - 1]]}) for p in pages]) == []


def test_a_title_that_is_larger_than_the_page_number_in_its_row_is_content() -> None:
    titles = ["Who buys it", "Prices next year", "Risks of the plan", "What we ask for"]
    pages = [footed(n, title, label=n) for n, title in enumerate(titles, 1)]

    def sized(page: PageFile, size: float) -> PageFile:
        title = page.fragments[-2 if page.page % 2 else -1].model_copy(update={"size": size})
        others = [one for one in page.fragments if one.id != title.id]
        return page.model_copy(update={"fragments": [*others, title]})

    assert skipped([sized(page, 28) for page in pages]) == []
    assert len(skipped([sized(page, 11) for page in pages])) == len(titles)


def headed(number: int, below: float) -> PageFile:
    """A page with the same small row of two pieces at its top, and below it two pieces of size `below` under them."""

    def pair(at: int, y: float, size: float, *texts: str) -> list[Fragment]:
        boxes = (Rect(x=x, y=y, w=0.012 * len(text), h=size / 842) for x, text in zip((0.1, 0.3), texts, strict=True))
        return [
            Fragment(id=f"p{number}.f{at + n}", text=text, box=box, font="Sans", size=size)
            for n, (text, box) in enumerate(zip(texts, boxes, strict=True))
        ]

    page = page_with(number, None, 10)
    top = [*pair(70, TOP, 8, "Exhibit No.", "Description"), *pair(80, TOP + 0.016, below, f"{number}.1", NAMES[number])]
    return page.model_copy(update={"fragments": [*top, *page.fragments]})


def test_a_small_row_above_cells_is_their_header_and_above_a_title_a_running_head() -> None:
    assert skipped([headed(n, below=10) for n in range(1, 9)]) == []
    assert skipped([headed(n, below=16) for n in range(1, 9)]) == ["header: Exhibit No. Description"] * 8
