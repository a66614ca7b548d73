"""Which numbered paragraphs are sections, and which are items of a list."""

import random

import pytest

from shared.domain.operations import Operation, PageOperations
from shared.domain.page import PageFile
from shared.extraction.assemble import assemble
from shared.extraction.titles.clauses import open_clauses
from shared.extraction.titles.tree import SectionTree, section_context
from shared.values.clauses import Clause, NumberedText, find_clauses, read_clause
from tests.unit.test_assemble import chunk, ops, sections, texts, title

BODY = "The parties agree that the goods are delivered in good order."


def found(*paragraphs: str | NumberedText) -> dict[int, str]:
    said = [one if isinstance(one, NumberedText) else NumberedText(one) for one in paragraphs]
    return {at: one.address for at, one in find_clauses(said).items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8. Termination.", Clause("8", "Termination", alone=True)),
        ("8. Termination of this licence", Clause("8", "Termination of this licence", alone=True)),
        ("6. Trademarks. This does not grant any.", Clause("6", "Trademarks", alone=False)),
        ("10. U.S. Government End Users. The code is an item.", Clause("10", "U.S. Government End Users", alone=False)),
        ("3. Users' Rights From Anti-Law. No work is.", Clause("3", "Users' Rights From Anti-Law", alone=False)),
        ("4. You may not copy it. That ends your rights.", Clause("4", "", alone=False)),
        ("4. Undo: introduced in the 1980s, it mends.", Clause("4", "", alone=False)),
        ("Article 5. Notices", Clause("Article 5", "Notices", alone=True)),
        ("2.1. Grants", Clause("2.1", "Grants", alone=True)),
        ("\u00a7 8 Haftung", Clause("8", "Haftung", alone=True)),
        ("\u00a7 8 \u2013 Haftung", Clause("8", "Haftung", alone=True)),
        ("1. Aho A.V. Compilers. Pearson.", Clause("1", "", alone=False)),
        ("1. Smith AB, Jones CD. Of hearts. Lancet.", Clause("1", "", alone=False)),
        ("1. \u6253\u5f00\u76d6\u5b50\u3002", Clause("1", "", alone=False)),
        ("1. " + "\u4ef7" * 91, Clause("1", "", alone=False)),
        ("8 Termination.", None),
        ("8) Termination.", None),
        ("8. termination of it.", None),
        ("8.", None),
        ("Termination", None),
    ],
)  # fmt: skip
def test_what_a_paragraph_says_of_itself(text: str, expected: Clause | None) -> None:
    assert read_clause(text) == expected


def test_titles_make_sections_of_numbers() -> None:
    assert found("1. Sale. " + BODY, "2. Price. " + BODY, "More.", "3. Notices. " + BODY) == {0: "1", 1: "2", 3: "3"}
    assert found("0. Sale", BODY, "1. Price", BODY, "2. Notices", BODY) == {0: "0", 2: "1", 4: "2"}


def test_two_of_three_titles_are_enough_and_one_is_not() -> None:
    assert len(found("1. Sale. " + BODY, "2. Price. " + BODY, "3. " + BODY)) == 3
    assert found("1. Sale. " + BODY, "2. " + BODY, "3. " + BODY) == {}


def test_items_of_a_list_are_no_sections() -> None:
    assert found("1. " + BODY, "2. " + BODY, "3. " + BODY) == {}
    assert found("1. Toyota", "2. Honda", "3. Mazda", "4. Subaru", "5. Suzuki") == {}  # nothing stands below them
    assert found("1. Sale. " + BODY, "2. Price. " + BODY) == {}  # two are no sequence
    assert found("1. True. It is.", "2. False. It is not.", "3. True. It is.", "4. True. So it is.") == {}  # answers
    assert found("4. Sale. " + BODY, "5. Price. " + BODY, "6. Notices. " + BODY) == {}  # nor what begins late


@pytest.mark.parametrize("said", ["as Sections 1 and 3 say", "by Section 1, and by section 2", "\u00a7\u00a7 1 und 3"])
def test_what_the_text_refers_to_is_a_section(said: str) -> None:
    assert found("1. " + BODY, "2. " + BODY, "3. " + BODY + " " + said) == {0: "1", 1: "2", 2: "3"}


@pytest.mark.parametrize("said", ["as Section 1 says", "as Sections 1.2 and 3.4 say", "in 1 and 2 of those"])
def test_one_reference_is_too_few_and_others_do_not_count(said: str) -> None:
    assert found("1. " + BODY, "2. " + BODY, "3. " + BODY + " " + said) == {}


def test_a_second_list_of_the_same_numbers_leaves_it_open_which_is_meant() -> None:
    assert found("1. " + BODY, "2. " + BODY, "3. See Sections 1 and 2.", "1. Wash it now.", "2. Dry it now.") == {}


def test_rules_below_their_numbers_make_sections() -> None:
    rules = [NumberedText(BODY, opens=False, address=address) for address in ("1.1", "2.1", "2.2")]
    assert found("1. " + BODY, rules[0], "2. " + BODY, *rules[1:], "3. " + BODY) == {0: "1", 2: "2", 5: "3"}
    assert found("1. " + BODY, rules[0], "2. " + BODY, "3. " + BODY) == {}


def test_what_is_a_heading_anyway_takes_part_and_is_not_opened_again() -> None:
    heading = NumberedText("1. SALE", opens=False, address="1")
    assert found(heading, BODY, "2. Price. " + BODY, "3. Notices. " + BODY) == {2: "2", 3: "3"}
    assert found(heading, "1. Wash it. " + BODY, "2. Price. " + BODY, "3. Notices. " + BODY) == {}  # items of section 1


def test_entries_of_the_contents_are_no_sections() -> None:
    contents = ["1. Sale", "2. Price", "3. Notices", "Preface"]
    body = ["Article 1. Sale", BODY, "Article 2. Price", BODY, "Article 3. Notices", BODY]
    assert found(*contents, *body) == {4: "Article 1", 6: "Article 2", 8: "Article 3"}


def test_a_clause_has_what_follows_it_up_to_a_heading() -> None:
    page = texts(
        "Terms",
        "1. Sale. It is sold.",
        "More.",
        "2. Price. It is due.",
        "2.1 It is paid.",
        "3. Law. Ours.",
        "Annex",
        "End.",
    )
    operations = [title(1), chunk(2), chunk(3), chunk(4), chunk(5, section="2.1"), chunk(6), title(7), chunk(8)]
    draft = assemble([ops(page, *operations)])
    assert sections(draft) == [
        (None, "Terms", None, 1), ("1", "Sale", 0, 2), ("2", "Price", 0, 2), ("2.1", "", 2, 3), ("3", "Law", 0, 2),
        (None, "Annex", None, 1),
    ]  # fmt: skip
    assert [one.section for one in draft.chunks] == [0, 1, 1, 2, 3, 4, 5, 5]
    assert [one.context for one in draft.chunks] == [
        "", "Terms", "Terms > 1 Sale", "Terms", "Terms > 2 Price > 2.1", "Terms", "", "Annex",
    ]  # fmt: skip
    assert [one.address_key for one in draft.sections] == [None, "1", "2", "2.1", "3", None]


def test_a_clause_behind_a_rule_is_not_below_it() -> None:
    page = texts("1. Sale. Sold.", "1.1 It is so.", "2. Price. Due.", "It is paid.", "3. Law. Ours.")
    draft = assemble([ops(page, chunk(1), chunk(2, section="1.1"), chunk(3), chunk(4), chunk(5))])
    assert sections(draft) == [
        ("1", "Sale", None, 1),
        ("1.1", "", 0, 2),
        ("2", "Price", None, 1),
        ("3", "Law", None, 1),
    ]
    assert [one.section for one in draft.chunks] == [0, 1, 2, 2, 3]
    assert [one.context for one in draft.chunks] == ["", "1 Sale > 1.1", "", "2 Price", ""]


def test_a_clause_behind_the_heading_of_another_is_beside_it() -> None:
    page = texts("1. SALE", "It is sold.", "2. Price. It is due.", "3. Law. Ours.")
    draft = assemble([ops(page, title(1, address="1"), chunk(2), chunk(3), chunk(4))])
    assert sections(draft) == [("1", "SALE", None, 1), ("2", "Price", None, 1), ("3", "Law", None, 1)]


def test_a_document_without_clauses_stays_as_it_is() -> None:
    draft = assemble([ops(texts("Terms", "It is sold."), title(1), chunk(2))])
    before = draft.model_copy(deep=True)
    open_clauses(draft)
    assert draft == before


def test_a_line_in_capitals_ends_a_clause_and_a_sentence_in_capitals_does_not() -> None:
    page = texts(
        "1. Sale. Sold.", "2. Price. Due.", "3. Law. Ours.", "WE GIVE NO WARRANTY.", "END OF TERMS", "How to use it"
    )
    draft = assemble([ops(page, *(chunk(n) for n in range(1, 7)))])
    assert [one.section for one in draft.chunks] == [0, 1, 2, 2, None, None]


def test_what_stands_behind_a_line_in_capitals_is_in_no_rule_of_the_clause() -> None:
    page = texts(
        "1. Sale. Sold.", "2. Price. Due.", "2.1 It is paid.", "3. Law. Ours.", "3.1 So.", "END OF TERMS", "More."
    )
    operations = [chunk(1), chunk(2), chunk(3, section="2.1"), chunk(4), chunk(5, section="3.1"), chunk(6), chunk(7)]
    draft = assemble([ops(page, *operations)])
    assert [(one.section, one.context) for one in draft.chunks][4:] == [(4, "3 Law > 3.1"), (None, ""), (None, "")]


def test_capitals_in_a_caption_or_code_end_no_clause() -> None:
    page = texts("1. Sale. Sold.", "2. Price. Due.", "SELECT", "More.", "3. Law. Ours.")
    draft = assemble([ops(page, chunk(1), chunk(2), chunk(3, chunk_type="code"), chunk(4), chunk(5))])
    assert [one.section for one in draft.chunks] == [0, 1, 1, 1, 2]


def test_a_heading_with_a_number_below_the_clause_lies_in_it_and_the_next_clause_beside_it() -> None:
    page = texts("1. Sale. Sold.", "2. Price. Due.", "2.1 Rates", "High.", "3. Law. Ours.")
    draft = assemble([ops(page, chunk(1), chunk(2), title(3, address="2.1"), chunk(4), chunk(5))])
    assert sections(draft) == [
        ("1", "Sale", None, 1), ("2", "Price", None, 1), ("2.1", "Rates", 1, 2), ("3", "Law", None, 1),
    ]  # fmt: skip
    assert [one.context for one in draft.chunks] == ["", "", "2 Price", "2 Price > 2.1 Rates", ""]


@pytest.mark.parametrize("seed", range(200))
def test_sections_of_random_documents_are_consistent(seed: int) -> None:
    draft = assemble([_random_page(random.Random(seed))])
    tree = SectionTree()
    tree.sections = draft.sections
    for at, one in enumerate(draft.sections):
        above = draft.sections[one.parent] if one.parent is not None else None
        assert (one.index, one.depth) == (at, above.depth + 1 if above else 1)
        assert one.parent is None or one.parent < at
    for said in draft.chunks:
        assert said.context in {section_context(tree, said.section, own) for own in (True, False)}
    again = draft.model_copy(deep=True)
    open_clauses(again)
    assert again == draft


def _random_page(dice: random.Random) -> tuple[PageFile, PageOperations]:
    lines, operations, clause = list[str](), list[Operation](), 0
    for at in range(1, dice.randint(4, 15)):
        kind = dice.choices(("clause", "rule", "heading", "capitals", "text"), (9, 3, 2, 1, 4))[0]
        clause += kind == "clause"
        address = f"{clause}.2" if kind == "rule" else dice.choice([None, f"{clause}", f"{clause}.1"])
        said = {"clause": f"{clause}. Sale of It. It is sold.", "capitals": "END OF IT", "text": "It is sold."}
        lines.append(said.get(kind) or f"{address or ''} Sub".strip())
        if kind == "heading":
            operations.append(title(at, address=address))
        else:
            operations.append(chunk(at, section=address if kind == "rule" else None))
    return ops(texts(*lines), *operations)
