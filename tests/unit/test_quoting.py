"""What is quoted of the weighed statements, and which of them disagree."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from shared.answering.evidence import Sentence
from shared.answering.held import held
from shared.answering.limits import Compared, Meeting
from shared.answering.question import Question
from shared.answering.quoting import (
    asks_nothing_more,
    beginning,
    choose_quotations,
    disagreements,
    in_named_sections,
    with_meeting,
    with_opposites,
)
from shared.answering.rows import AnsweringCell
from shared.domain.ids import new_id
from shared.domain.knowledge import Hit, Section, SectionStep, VersionEnvelope
from shared.lexical.tokenizer import tokenize
from shared.retrieval.named import named_addresses
from tests.unit.test_answer_evidence import hit

OF = hit("x")


def said(text: str, score: float = 1.0, angle: float | None = None, kinds: str = "", **more: Any) -> Sentence:
    """A statement whose vector has this angle, in radians; without one it is like no other."""
    values = tuple(held(frozenset(kinds.split()), text))
    vector = np.zeros(64, dtype=np.float32)
    if angle is None:
        vector = np.random.default_rng(sum(map(ord, text))).normal(size=64).astype(np.float32)
        vector /= np.linalg.norm(vector)
    else:
        vector[:2] = np.cos(angle), np.sin(angle)
    return Sentence(text, hit("x"), 0, score, 0.0, score, vector, values=() if "cells" in more else values, **more)


def quoted(*weighed: Sentence, codes: str = "") -> list[str]:
    return [one.text for one in choose_quotations(weighed, codes.split())]


def contradicting(found: Sequence[Sentence]) -> list[tuple[int, int]]:
    return [(pair.one, pair.other) for pair in disagreements(found)]


def test_the_best_three_are_quoted_best_first_that_are_nearly_as_good_as_the_best() -> None:
    assert quoted(*[said(f"one {n}", 1.0 - n / 100) for n in range(5)]) == ["one 0", "one 1", "one 2"]
    assert quoted(said("a", 1.0), said("b", 0.75), said("c", 0.74)) == ["a", "b"]
    assert quoted() == []


@pytest.mark.parametrize(("cosine", "kept"), [(0.91, ["a", "b"]), (0.93, ["a"])])
def test_what_repeats_a_statement_is_left_out(cosine: float, kept: list[str]) -> None:
    assert quoted(said("a", 1.0, 0.0), said("b", 0.9, float(np.arccos(cosine)))) == kept


def valued(name: str, score: float, told: float, beyond: int = 0, *, holds: bool = True) -> Sentence:
    return said(
        name,
        score,
        cells=(AnsweringCell("", name, False), AnsweringCell("", "5", holds, holds)),
        told=told,
        beyond=beyond,
    )


def test_a_row_with_the_asked_value_that_tells_as_much_comes_before_sentences() -> None:
    sentence = said("Sales rose by $ 2.", 1.0, kinds="money", told=0.8)
    assert quoted(sentence, valued("Sales", 0.8, 0.8)) == ["Sales", "Sales rose by $ 2."]
    assert quoted(sentence, valued("Sales", 0.8, 0.79)) == ["Sales rose by $ 2.", "Sales"]
    assert quoted(sentence, valued("Sales", 0.8, 0.8, holds=False)) == ["Sales rose by $ 2.", "Sales"]
    assert quoted(sentence, valued("Sales", 0.74, 0.8)) == ["Sales rose by $ 2."]
    named = said("5 sales", 0.8, cells=(AnsweringCell("", "5 sales", True, True),), told=0.8)
    assert quoted(sentence, named) == ["Sales rose by $ 2.", "5 sales"]


def test_of_such_rows_the_one_whose_name_says_least_beyond_the_question_is_first() -> None:
    others = [valued("Income of pensions", 1.0, 1.0, 1), valued("Taxes on it", 0.8, 1.0, 2)]
    assert quoted(*reversed(others)) == ["Income of pensions", "Taxes on it"]
    assert quoted(*others, valued("Income", 0.9, 1.0)) == ["Income", "Income of pensions", "Taxes on it"]
    assert quoted(*others, valued("Income", 0.9, 0.9)) == ["Income of pensions", "Taxes on it", "Income"]


def test_statements_with_the_code_that_was_asked_for_come_alone() -> None:
    with_it, without = said("TA-37V", 0.8, terms=frozenset({"ta.37v"})), said("R-270", 1.0)
    assert quoted(without, with_it, codes="ta.37v") == ["TA-37V"]
    assert quoted(without, with_it) == ["R-270", "TA-37V"]
    weak = said("TA-37V", 0.7, terms=frozenset({"ta.37v"}))
    assert quoted(without, weak, codes="ta.37v") == ["R-270"]


LIMIT = "The speed limit in the pit lane is {} km/h."


def test_the_same_words_with_another_value_disagree_and_are_no_repetition() -> None:
    pair = [said(LIMIT.format(60), 1.0, 0.0, "speed"), said(LIMIT.format(50), 0.99, 0.01, "speed")]
    assert quoted(*pair) == [LIMIT.format(60), LIMIT.format(50)]
    assert contradicting(pair) == [(0, 1)]
    same = [said(LIMIT.format(60), 1.0, 0.0, "speed"), said(LIMIT.format(60), 0.99, 0.01, "speed")]
    assert quoted(*same) == [LIMIT.format(60)]
    assert contradicting(same) == []


def test_other_words_disagree_about_a_value_of_the_asked_kind_where_they_are_about_the_same() -> None:
    about = frozenset({"refund"})
    one = said("A refund is paid within 60 days.", 1.0, 0.0, "duration", terms=about)
    near, far = float(np.arccos(0.81)), float(np.arccos(0.79))
    other = "You wait 180 days for a refund."
    assert contradicting([one, said(other, 0.9, near, "duration", terms=about)]) == [(0, 1)]
    assert contradicting([one, said(other, 0.9, far, "duration", terms=about)]) == []
    assert contradicting([one, said(other, 0.9, near, "duration", terms=frozenset({"fee"}))]) == []
    assert contradicting([one, said("A refund takes 60 days.", 0.9, near, "duration", terms=about)]) == []
    assert contradicting([one, said(other, 0.9, near, "", terms=about)]) == []


def row(key: str, price: str, angle: float = 0.0) -> Sentence:
    cells = (AnsweringCell("Model", key, False), AnsweringCell("Price", price, True))
    return said(f"{key} | {price}", 1.0, angle, cells=cells)


def test_rows_disagree_about_the_same_thing_only() -> None:
    assert contradicting([row("A", "10 EUR"), row("A", "12 EUR")]) == [(0, 1)]
    assert contradicting([row("A", "10 EUR"), row("B", "12 EUR")]) == []
    assert contradicting([row("A", "10 EUR"), said("A | 12 EUR", 1.0, 0.0)]) == []
    # Of two groups of one document; another document may call the same group otherwise.
    groups = [replace(row("A", price), below=(below,)) for price, below in (("10 EUR", "May"), ("12 EUR", "June"))]
    assert contradicting(groups) == [(0, 1)]
    assert (
        contradicting(
            [groups[0], replace(groups[1], hit=groups[0].hit.model_copy(update={"chunk": groups[1].hit.chunk}))]
        )
        == []
    )
    # An amount, and its share of the whole.
    stated = [replace(row("A", text), cells=(AnsweringCell("Model", "A", answers=False),
              AnsweringCell("Price", text, answers=True, stated=kind)))
              for text, kind in (("10", "money"), ("12", "share"), ("13", "money"))]  # fmt: skip
    assert contradicting(stated) == [(0, 2)]
    assert quoted(row("A", "10 EUR"), row("B", "12 EUR", 0.01)) == ["A | 10 EUR", "B | 12 EUR"]
    assert quoted(row("A", "10 EUR"), row("A", "10 EUR", 0.01)) == ["A | 10 EUR"]


def test_behind_a_row_that_meets_the_limit_the_others_that_tell_as_much_are_listed() -> None:
    meeting = Meeting(3, 4, ("over 20 m",))
    meant = Compared(met=True, labels=("Cost",), meeting=meeting, table=new_id())
    shares = (("A", 0.5), ("B", 0.5), ("C", 0.4))
    rows = [replace(row(key, "1 EUR"), met=True, meant=meant, coverage=share) for key, share in shares]
    other = replace(row("D", "2 EUR"), met=False, meant=meant._replace(met=False), coverage=0.5)
    found = with_meeting(rows[:1], [*rows, other])
    assert [(one.text, one.listed) for one in found] == [(rows[0].text, False), (rows[1].text, True)]
    assert [one.meeting for one in found] == [meeting, None]
    assert len(with_meeting([replace(rows[0], met=None)], rows)) == 1
    # Where the question says nothing else, all rows that are meant; of another table none.
    whole = [replace(one, meant=meant._replace(whole=True)) for one in rows]
    assert len(with_meeting(whole[:1], whole)) == 3
    assert len(with_meeting(whole[:1], [whole[0], replace(whole[1], meant=meant._replace(table=new_id()))])) == 1


def test_what_does_not_meet_the_limit_is_not_quoted_however_good_it_is() -> None:
    assert quoted(said("a", 1.0, met=False), said("b", 0.8), said("c", 0.7)) == ["b"]
    assert quoted(said("a", 1.0, met=False)) == []


def test_of_a_tables_rows_those_are_quoted_of_which_the_question_says_most() -> None:
    def of(table: UUID | None, key: str, *restated: str) -> Sentence:
        found = replace(row(key, f"{len(key)} kN"), restated=frozenset(("", one) for one in restated))
        chunk = OF.chunk.model_copy(update={"table_id": table})
        return replace(found, hit=OF.model_copy(update={"chunk": chunk}))

    bolts, nuts = new_id(), new_id()
    fine, own, other = of(bolts, "M12 fine", "10.9"), of(bolts, "M12", "M12", "10.9"), of(bolts, "M12 hard", "M12")
    assert quoted(fine, own, other) == ["M12 | 3 kN"]
    # Another table has other columns, and no cell of what was asked is no less than none.
    assert quoted(own, of(nuts, "M12 nut", "10.9")) == ["M12 | 3 kN", "M12 nut | 7 kN"]
    assert quoted(fine, of(bolts, "M12 hard", "M12", "8.8")) == ["M12 fine | 8 kN", "M12 hard | 8 kN"]
    # Of M16 as well the question speaks.
    assert quoted(own, of(bolts, "M16", "M16")) == ["M12 | 3 kN", "M16 | 3 kN"]
    # Nor is a sentence in a cell.
    remark = replace(said("It takes 5 EUR.", kinds="money"), hit=own.hit)
    assert quoted(own, remark) == ["M12 | 3 kN", "It takes 5 EUR."]


def in_section(text: str, *addresses: str | None) -> Sentence:
    path = [SectionStep(id=new_id(), address=address, title="T") for address in addresses]
    of = hit(text)
    section = Section(**path[-1].model_dump(), path=path, depth=len(path)) if path else None
    return replace(said(text), hit=of.model_copy(update={"chunk": of.chunk.model_copy(update={"section": section})}))


def test_a_named_section_is_quoted_from_its_own_statements_else_from_those_below_it() -> None:
    rule, below = in_section("rule", "AC-2"), in_section("below", "AC-2", "AC-2 (3)", None)
    weighed = [in_section("apart"), in_section("other", "AC-3"), below, rule]
    assert in_named_sections(weighed, ["ac-2"], {}) == [rule]
    assert in_named_sections(weighed, ["ac-2(3)"], {}) == [below]
    assert in_named_sections(weighed[:3], ["ac-2"], {}) == [below]
    assert in_named_sections(weighed, ["ac-4"], {}) == in_named_sections(weighed, [], {}) == []


def test_of_documents_that_have_a_named_section_those_are_quoted_that_the_question_names() -> None:
    policy, handbook = in_section("policy", "3.9"), in_section("handbook", "3.9", "3.9.1")
    weighed = [policy, handbook]
    assert in_named_sections(weighed, ["3.9"], {}) == [policy]
    naming = {"handbook": [handbook.hit.document.id], "shared": [one.hit.document.id for one in weighed]}
    assert in_named_sections(weighed, ["3.9"], naming) == [handbook]
    assert in_named_sections([policy], ["3.9"], naming) == [policy]


def test_what_restates_the_question_is_not_quoted_beside_anything_else() -> None:
    which = said("Registration: N50DS", 1.4, restates=True)
    assert quoted(which, said("Engine: O-235", 0.9)) == ["Engine: O-235"]
    assert quoted(which) == ["Registration: N50DS"]


def test_a_code_that_a_form_is_identified_by_is_had_by_all_that_stands_there() -> None:
    other = said("Wind: 15 knots", 1.0)
    own = said("Wind: calm", 0.9, identified=frozenset({"n50ds"}))
    assert quoted(other, own, codes="n50ds") == ["Wind: calm"]


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("What does section 3.9 say?", True),
        ("What does section 3.9 of the handbook say?", True),
        ("What does control AC-7 of the handbook say?", True),
        ("What does section 3.9 say about wings?", False),
        ("How wide is the wing in section 3.9?", False),
    ],
)
def test_a_section_that_is_asked_for_what_it_says_is_quoted_from_its_beginning(question: str, *, read: bool) -> None:
    said_there = {"one": (3, 0), "two": (3, 1), "three": (4, 0), "four": (5, 0)}
    document, named = hit("x").document, list[Sentence]()
    for text, (ordinal, place) in said_there.items():
        of = hit(text)
        chunk = of.chunk.model_copy(update={"ordinal": ordinal})
        named.append(replace(said(text), hit=of.model_copy(update={"chunk": chunk, "document": document}), place=place))
    words = dict.fromkeys(tokenize(question).counts, 1.0)
    asked = Question(named[0].vector, words, naming={"handbook": [document.id]})
    assert asks_nothing_more(asked, named_addresses(question)) is read
    assert [one.text for one in beginning([*reversed(named)])] == ["one", "two", "three"]


def test_what_says_what_the_asked_thing_is_comes_first_but_for_what_is_much_worse() -> None:
    near, defining, far = said("near", 1.0, 0.0), said("a sluice is a gate", 0.8, 0.5), said("a sluice is it", 0.7, 1.0)

    def says(text: str) -> bool:
        return text.startswith("a sluice is")

    assert [one.text for one in choose_quotations([near, defining, far], says=says)] == ["a sluice is a gate", "near"]
    first = valued("Sluice", 1.0, 1.0)
    assert [one.text for one in choose_quotations([first, defining], says=says)] == [first.text, defining.text]
    read = [replace(one, place=place) for place, one in enumerate((near, far, defining))]
    read = [replace(one, hit=near.hit) for one in read]
    assert [one.text for one in beginning(read, says)] == ["a sluice is it", "near", "a sluice is a gate"]


def test_a_list_that_is_announced_contradicts_nothing() -> None:
    ours, theirs = said("Cars weigh 5 kg.", 1.0, 0.0, "mass"), said("Cars weigh 7 kg.", 1.0, 0.1, "mass")
    assert len(contradicting([ours, theirs])) == 1
    assert contradicting([ours, replace(theirs, listed=True)]) == []
    assert with_opposites([ours], [ours, theirs]) == [ours, theirs]
    listed = replace(ours, listed=True)
    assert with_opposites([listed], [theirs]) == [listed]
    # The list has said it already.
    again = replace(theirs, text=f"- {theirs.text}", listed=True)
    assert with_opposites([ours, again], [ours, theirs]) == [ours, again]


def test_where_nothing_but_a_value_answers_statements_without_one_are_left_out() -> None:
    plain, value = said("It is heavy.", 1.0), said("It is 3 kg.", 0.8, kinds="mass")
    assert [one.text for one in choose_quotations([plain, value], demanded=True)] == ["It is 3 kg."]
    assert [one.text for one in choose_quotations([plain], demanded=True)] == ["It is heavy."]


def test_where_no_good_statement_has_a_value_the_best_is_quoted_that_is_known_to_have_one() -> None:
    plain, low, lower = said("It is heavy."), said("It is 3 kg.", 0.2, kinds="mass"), said("Or 4 kg.", 0.1)
    other = said("It costs as much as 5 kg.", 0.9, kinds="mass")

    def chosen(weighed: list[Sentence], answering: list[Sentence], *, demanded: bool = True) -> list[str]:
        return [one.text for one in choose_quotations(weighed, demanded=demanded, answering=answering)]

    assert chosen([plain, low, lower], [low]) == ["It is 3 kg."]
    assert chosen([plain, low], [low], demanded=False) == ["It is heavy."]
    assert chosen([plain, other, low], [low]) == ["It is 3 kg."]
    assert chosen([plain, other], [plain, other]) == ["It costs as much as 5 kg."]
    # A value that is a word, and what stands in another section than the one that is asked for.
    assert chosen([plain, low], [plain, low]) == ["It is heavy."]
    assert chosen([plain], [low]) == ["It is heavy."]


def test_what_one_passage_says_of_several_cases_is_no_contradiction() -> None:
    one, other = said(LIMIT.format(60)), said(LIMIT.format(50))
    assert contradicting([one, other]) == [(0, 1)]
    assert contradicting([one, replace(other, hit=one.hit)]) == []


def test_what_contradicts_a_quotation_is_quoted_beside_it_though_others_are_better() -> None:
    best, good, opposite = said(LIMIT.format(60), 1.0), said("The lane is wide.", 0.9), said(LIMIT.format(50), 0.3)
    weighed = [best, good, opposite, said("The limit of the car park is 50 km/h.", 0.2)]
    assert with_opposites([best], weighed) == [best, opposite]
    assert with_opposites([good], weighed) == [good]
    # Of what is known not to be meant another thing is told.
    assert with_opposites([best], [best, good, replace(opposite, met=False)]) == [best]
    assert with_opposites([best], [best, replace(opposite, hit=best.hit)]) == [best]
    many = [best, *[said(LIMIT.format(50 - at), 0.3) for at in range(9)]]
    assert len(with_opposites([best], many)) == 3


def test_rows_about_another_season_do_not_disagree() -> None:
    def row(season: str, price: str) -> Sentence:
        cells = (
            AnsweringCell("Car", "Kite", False),
            AnsweringCell("Season", season, False),
            AnsweringCell("Price", price, True, True),
        )
        return said(f"Kite | {season} | {price}", 1.0, cells=cells)

    assert contradicting([row("summer", "10 EUR"), row("winter", "12 EUR")]) == []
    assert contradicting([row("summer", "10 EUR"), row("summer", "12 EUR")]) == [(0, 1)]
    assert contradicting([row("summer", "1 m"), row("summer", "100 cm")]) == []


def filled(value: str, of: Hit = OF) -> Sentence:
    cells = (AnsweringCell("Load", value, True, True),)
    return replace(said(f"Load: | {value}", 0.8, cells=cells, filled=True), hit=of)


def version(index: int, name: str = "crane") -> Hit:
    envelope = VersionEnvelope(label=str(index), index=index, is_current=False, logical_document_name=name)
    return hit("x").model_copy(update={"version": envelope})


def test_what_a_form_says_under_the_asked_label_comes_before_better_statements() -> None:
    told = said("The load is told.", 1.0)
    cells = (AnsweringCell("Load", "light", answers=True),)
    assert quoted(told, said("Load: | light", 0.8, cells=cells, filled=True))[0] == "Load: | light"
    assert quoted(told, said("Load: | light", 0.8, cells=cells))[0] == "The load is told."
    assert quoted(told, said("Load: | light", 0.7, cells=cells, filled=True)) == ["The load is told."]


def test_forms_of_two_things_do_not_contradict_each_other_and_versions_of_one_do() -> None:
    assert contradicting([filled("3 t", version(0)), filled("4 t", version(1))]) == [(0, 1)]
    assert contradicting([filled("3 t", version(0)), filled("4 t", version(0))]) == []
    assert contradicting([filled("3 t", version(0)), filled("4 t", version(1, "hoist"))]) == []
    assert contradicting([filled("3 t"), filled("4 t")]) == []
