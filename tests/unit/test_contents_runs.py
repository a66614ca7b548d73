import pytest

from shared.domain.sketch import ContentsRun, NumberedLine
from shared.extraction.titles.contents_runs import contents_runs
from tests.unit.test_extraction_headings import Sheet, draft_of

TITLES = ("Axles and brakes", "Cables of lamps", "Dampers", "Engines and oil", "Flanges of tanks")


def line(address: str, title: str, at: int, label: int | None = None, length: int = 30) -> NumberedLine:
    return NumberedLine(first=at, last=at, address=address, title=title, at=at, length=length, label=label)


def listed(count: int = 4, step: int = 40) -> list[NumberedLine]:
    return [line(str(n), f"title{n}", step * n) for n in range(1, count + 1)]


def spread(count: int = 4) -> list[NumberedLine]:
    return listed(count, step=600)


def runs(*pages: list[NumberedLine]) -> list[ContentsRun]:
    return contents_runs({n: (3000, lines) for n, lines in enumerate(pages, 1)})


def test_close_titles_that_stand_elsewhere_above_text_are_contents_before_and_behind_them() -> None:
    assert runs(listed(), spread()) == [ContentsRun(page=1, first=40, last=160)]
    assert runs(spread(), listed()) == [ContentsRun(page=2, first=40, last=160)]
    assert runs(listed()) == []


def test_contents_are_in_the_order_of_the_text() -> None:
    shuffled = [line(str(n), f"title{n}", 40 * at) for at, n in enumerate((4, 3, 2, 1))]
    assert runs(shuffled, spread()) == []


def test_titles_are_the_same_whole_or_where_a_line_cuts_them() -> None:
    long = "dampersofthegearboxandengine"

    def entry(title: str) -> list[NumberedLine]:
        return [*listed(3), line("4", title, 160)]

    text = [*spread(3), line("4", long, 2400)]
    assert runs(entry(long[:20]), text)[0].last == 160
    assert runs(entry(long[:19]), text)[0].last == 120
    assert runs(entry("amended"), text)[0].last == 120


def test_answers_of_a_form_that_occur_again_and_again_are_no_contents() -> None:
    answers = [line(str(n), title, 40 * n) for n, title in enumerate(("agree", "neither", "disagree"), 1)]
    questions = [line(a.address, a.title, a.at + 700 * n) for n in range(3) for a in answers]
    assert runs(questions) == []


def test_rules_of_one_line_each_are_no_contents_of_what_lists_them() -> None:
    assert runs(listed(), [line(str(n), f"title{n}", 45 * n) for n in range(1, 5)]) == []


@pytest.mark.parametrize(("label", "found"), [(5, [1, 2]), (6, [1])])
def test_a_single_entry_counts_where_it_names_its_page_as_the_others_do(label: int, found: list[int]) -> None:
    contents = [line(str(n), f"title{n}", 40 * n, label=n) for n in range(1, 5)]
    text = [[line(str(n), f"title{n}", 9)] for n in range(1, 5)]
    alone = [line("9", "alone", 9, label=label)]
    assert [run.page for run in runs(contents, alone, *text, [line("9", "alone", 9)])] == found


@pytest.mark.parametrize("inner", [False, True])
def test_contents_without_page_numbers_make_no_sections(inner: bool) -> None:
    front, body = Sheet(1), Sheet(2)
    front.title("Rules of the harbour", size=20).prose()
    contents = body if inner else front
    contents.title("B1 General", size=14) if inner else None
    for number, title in enumerate(TITLES, 1):
        contents.line(f"B1.{number} {title}")
    for number, title in enumerate(TITLES, 1):
        body.title(f"B1.{number} {title}", font="Serif-Bold").prose()
    draft = draft_of([front, body])
    assert [s.page for s in draft.sections if s.address and s.address != "B1"] == [2] * len(TITLES)
    assert [s.text for s in draft.skipped if s.reason == "contents"] == [
        " ".join(f"B1.{number} {title}" for number, title in enumerate(TITLES, 1))
    ]
