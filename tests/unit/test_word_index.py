from collections.abc import Sequence

import pytest

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


def in_columns(
    words: Sequence[str], places: Sequence[str], level: float = 0.0, at: float = 0.42, title: str = "Index"
) -> int:
    """How many lines are left out where all words, some with a leader of its own, are before all places."""
    made: list[tuple[float, float, str]] = [(0.1, 30, title)] if title else []
    for n, word in enumerate(words):
        name, _, leader = word.partition("|")
        made += [(0.1, n, name)] + ([(0.25, n, leader)] if leader else [])
    made += [(at, n + level, place) for n, place in enumerate(places)]
    fragments = [
        Fragment(id=f"p30.f{n}", text=text, box=Rect(x=x, y=0.03 * y, w=0.15, h=0.015), font="Serif", size=10)
        for n, (x, y, text) in enumerate(made)
    ]
    file = PageFile(page=30, width_pt=595, height_pt=842, route="text", fragments=fragments, extractor_version="t")
    return sum(len(skip.fragment_ids) for skip in skip_word_index(PageView(file), Profile(pages=30)))


PLACES = [str(page) for page in (12, 7, 20, 3, 9, 30, 14, 2, 18, 5, 22, 11, 8, 16)]


def test_places_in_a_column_of_their_own_belong_to_the_leaders_on_their_level() -> None:
    dotted = [f"{word}|. . . . . . ." for word in WORDS]
    assert in_columns(dotted, PLACES) == 3 * len(WORDS)
    assert in_columns([word.replace("|", " ") for word in dotted], PLACES, at=0.26) == 2 * len(WORDS)
    assert in_columns(dotted, PLACES, title="") == 0  # with no sign that it is an index
    assert in_columns(WORDS, PLACES) == 0  # without leaders
    assert in_columns(WORDS, [f"{place}, 31" for place in PLACES], at=0.28) == 0
    assert in_columns(dotted, PLACES, level=0.5) == 0
    assert in_columns(dotted, PLACES, at=0.6) == 0
    assert in_columns(dotted, PLACES, at=0.05) == 0


RISING = [2, 3, 5, 7, 8, 9, 11, 12, 14, 16, 18, 20, 22, 21]
MIXED = [12, 7, 20, 3, 9, 30, 14, 2, 18, 5, 22, 11, 8, 16]
ALIKE = ("Anchors", "Antennas", "Anvils", "Ankles", "Bells", "Belts", "Beams", "Boats", "Bolts", "Boards", "Deck",
         "Dents", "Dew", "Oars")  # fmt: skip


@pytest.mark.parametrize(("places", "words"), [(RISING, WORDS), (MIXED, ALIKE)])
def test_entries_that_hardly_fall_or_are_in_order_by_two_letters_need_a_sign_of_an_index(
    places: list[int], words: tuple[str, ...]
) -> None:
    entries = led(places, words)
    lettered = ["A", *entries[:4], "B", *entries[4:]]
    listed = [entry + (", 41" if n < 2 else "") for n, entry in enumerate(entries)]
    assert skipped(entries) == []  # a list of things, each with how many there are
    assert skipped(["Index", *entries]) == entries
    assert skipped(["Stichwortverzeichnis", *entries]) == entries
    assert skipped(["Stock by article", *entries]) == []
    if words is ALIKE:
        assert skipped(lettered) == lettered
        assert skipped(["A", *entries]) == []
        assert skipped(["S", *entries[:4], "M", *entries[4:]]) == []  # sizes
    assert skipped(listed) == listed
    assert skipped([listed[0], *entries[1:]]) == []
    assert skipped([entry + (",410" if n < 2 else "") for n, entry in enumerate(entries)]) == []  # thousands


def test_below_letters_most_entries_in_order_are_enough() -> None:
    entries = led([*MIXED], [*WORDS[4:], *WORDS[:4]])  # the end of one index, and the beginning of the next
    lettered = ["C", *entries[:10], "A", *entries[10:11], "B", *entries[11:]]
    assert skipped(["Index", *entries]) == []
    assert skipped(["Index", *lettered]) == lettered
    others = {"C": "S", "A": "M", "B": "L"}  # sizes
    assert skipped(["Index", *[others.get(text, text) for text in lettered]]) == []
    backwards = led([*MIXED], WORDS[::-1])
    assert skipped(["O", backwards[0], "M", backwards[1], "L", *backwards[2:]]) == []
    rising = led([*RISING])
    assert skipped(["A", rising[0], *rising[1:]]) == []
    assert skipped(["A", rising[0], "B", *rising[1:]]) == ["A", rising[0], "B", *rising[1:]]
