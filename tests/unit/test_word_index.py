from collections.abc import Sequence

from shared.domain.geometry import Rect
from shared.domain.page import Fragment, PageFile
from shared.domain.sketch import Profile
from shared.extraction.page_view import PageView
from shared.extraction.titles.word_index import skip_word_index

ENTRIES = [
    "A", "Anchors, 12, 45\u201347", "Ballast, C5.2, C7.6", "beam, 8", "Booms, 14, 22, 31", "Buoyancy", "test of, 61",
    "tanks, 62", "C", "Cockpits, 19, 20, 88", "Crew, see People on board", "Deck, 21", "Engines, 33, 34",
    "Flags, 9, 54,",
    "102, 110", "Hatches, 40", "Keels, 15, 16", "Lights, 71", "Masts, 13, 18",
]  # fmt: skip


def skipped(texts: Sequence[str], page: int = 30, pages: int = 30) -> list[str]:
    fragments = [
        Fragment(id=f"p{page}.f{n}", text=text, box=Rect(x=0.1, y=0.02 * n, w=0.3, h=0.015), font="Serif", size=10)
        for n, text in enumerate(texts, 1)
    ]
    file = PageFile(page=page, width_pt=595, height_pt=842, route="text", fragments=fragments, extractor_version="t")
    by_id = {fragment.id: fragment.text for fragment in fragments}
    found = skip_word_index(PageView(file), Profile(pages=pages))
    assert all(skip.reason == "contents" for skip in found)
    return [by_id[reference] for skip in found for reference in skip.fragment_ids]


def test_words_in_order_with_their_pages_are_left_out_from_the_first_letter_to_the_last_entry() -> None:
    assert skipped(["Text of the last rule.", *ENTRIES, "Printed on paper."]) == ENTRIES


def test_an_index_stands_in_the_second_half_of_its_book() -> None:
    assert skipped(ENTRIES, page=15) == []


def test_words_in_no_order_or_with_one_number_each_are_a_list() -> None:
    entries = [entry for entry in ENTRIES if "," in entry and entry[0].isalpha()]
    turned = entries[::-1]
    assert skipped(turned) == []
    single = [entry.split(",")[0] + ", " + str(n) for n, entry in enumerate(entries, 1)]
    assert len(single) >= 12
    assert skipped(single) == []
    falling = [f"{entry.split(',')[0]}, {90 - n}, {40 - n}" for n, entry in enumerate(entries)]
    assert skipped(falling) == []


def test_prose_that_ends_in_numbers_is_no_index() -> None:
    assert (
        skipped(
            [f"{a}nother boat of the fleet came home in the year, 18{n}" for n, a in enumerate("abcdefghijklmnop", 10)]
        )
        == []
    )


WORDS = ("Anchors", "Ballast", "Beam", "Booms", "Cockpit", "Crew", "Deck", "Engines", "Flags", "H2 fuel", "Keels",
         "Lights", "Masts", "Oars")  # fmt: skip


def led(pages: Sequence[int], words: Sequence[str] = WORDS, leader: str = " . . . . . . ") -> list[str]:
    return [f"{word}{leader}{page}" for word, page in zip(words, pages, strict=True)]


def test_words_in_order_with_leaders_to_pages_of_the_document_are_left_out_though_each_has_one_place() -> None:
    places = [12, 7, 20, 3, 9, 30, 14, 2, 18, 5, 22, 11, 8, 16]
    assert skipped(led(places)) == led(places)
    assert skipped(led([page + 40 for page in places])) == []  # no pages of the document
    assert skipped(led(sorted(places))) == []  # they ascend: contents, or numbers of a table
    assert skipped(led(places, WORDS[::-1])) == []
    assert skipped(led(places, [*WORDS[5:], *WORDS[:5]])) == []
    assert skipped(led(places, leader=", ")) == []
