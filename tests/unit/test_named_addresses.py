"""Which parts of a query are addresses."""

import pytest

from shared.retrieval.named import named_addresses, named_pages


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("what does C7.6.2 say", ["c7.6.2"]),
        ("V1.1.6", ["v1.1.6"]),
        ("Table 3", ["table3"]),
        ("31.2", ["31.2"]),
        ("who decides under § 31.2?", ["31.2"]),
        ("compare section 4.2 and 5.3.1.", ["4.2", "5.3.1"]),
        ("AC-2(3) and Appendix B", ["appendixb", "ac-2(3)"]),
        ("what does AC-2 (3) say, and control ac-6 (10)", ["ac-6(10)", "ac-2(3)"]),
        ("C7.6 (3) of it", ["c7.6"]),
        ("what does Article B1 say", ["articleb1"]),
        ("Art. 5 or § 12a", ["article5", "12a"]),
        ("what does 12(3)(b) demand", ["12(3)(b)"]),
        ("Part 1A of it", ["part1a"]),
        ("rule C 7.6", ["c7.6"]),
        ("Section B9.1 of the 2026 rules section B", ["b9.1"]),
        ("section 4.2 of part 2, and section 4", ["4.2", "part2"]),
        ("Table 2.b and Figure 4.a", ["table2.b", "figure4.a"]),
        ("compare section 3 with 3.b", ["3", "3.b"]),
        ("version 2.x of the API, section 2", ["2", "2.x"]),
        ("C7.6.2 and 3.b", ["c7.6.2", "3.b"]),
        ("section 3.a.ii", ["3.a.ii"]),
        ("section 2.A", ["2.a"]),
        ("control AC-2 and AC-2(3)", ["ac-2(3)"]),
        ("IV.A", ["iv.a"]),
        ("what does section IV.A.1 say", ["iv.a.1"]),
        ("what does chapter one say", ["chapter1"]),
    ],
)
def test_printed_and_labelled_numbers_are_addresses(query: str, keys: list[str]) -> None:
    assert named_addresses(query) == keys


@pytest.mark.parametrize(
    "query",
    [
        "is 98.5 dB allowed in 2009?",
        "table of contents",
        "the part I need is in stock",
        "fiscal year ended march 31",
        "what is the minimum mass",
        "covid-19 leave",
        "a part of one thing",
    ],
)
def test_plain_numbers_and_words_are_none(query: str) -> None:
    assert named_addresses(query) == []


@pytest.mark.parametrize(
    ("query", "pages"),
    [
        ("what does page 12 of the handbook say", [12]),
        ("p. 7", [7]),
        ("pages 3 and page 5", [3, 5]),
        ("12 pages of text", []),
        ("page 3.2b", []),
        ("the home page in 2009", []),
    ],
)
def test_pages_are_named_by_their_numbers(query: str, pages: list[int]) -> None:
    assert named_pages(query) == pages
