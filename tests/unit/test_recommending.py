"""What a proposal recommends: what many documents have under a label, and no part of what equally many have."""

from collections.abc import Iterable
from uuid import UUID

from shared.library.curation.merging import Group, MergedPart
from shared.library.curation.recommending import RECOMMENDED_MAX, ranked
from shared.store.observed import Kind, Observed


def group(name: str, documents: Iterable[int], labelled: Iterable[int] | None = None, count: int = 10) -> Group:
    holding = {UUID(int=one) for one in documents}
    beside = holding if labelled is None else {UUID(int=one) for one in labelled}
    kind = Kind("number", "", count)
    return Group([MergedPart(Observed(name, {("number", ""): kind}, holding, beside), [kind])])


def recommended(*groups: Group, documents: int) -> list[str]:
    return [one.parts[0].name for one, worth in ranked(groups, documents) if worth]


def test_what_is_only_said_in_sentences_does_not_count() -> None:
    said = group("date", range(10), labelled=[1])
    assert recommended(said, group("never", range(10), []), group("mass", range(2)), documents=10) == ["mass"]


def test_a_total_of_nothing_is_no_attribute() -> None:
    assert recommended(group("total", range(9)), group("total_assets", range(9)), documents=9) == ["total_assets"]


def test_what_most_documents_have_comes_first_by_labels_and_is_cut_at_a_number() -> None:
    many = [group(f"field_{at:03}x", range(5), count=500 - at) for at in range(RECOMMENDED_MAX + 5)]
    first = group("mass", range(7), count=1)
    said = group("year", range(10), labelled=range(5), count=400)
    found = recommended(*many, said, first, documents=10)
    assert len(found) == RECOMMENDED_MAX
    assert found[0] == "mass"
    assert found[1] == "field_000x"
    assert "field_104x" not in found


def test_of_what_few_documents_have_all_that_equally_many_have_is_recommended_or_none() -> None:
    common = [group(f"field_{at:03}x", range(9)) for at in range(RECOMMENDED_MAX - 3)]
    four = [group(f"region_{at}x", range(4)) for at in range(4)]
    three = [group(f"tank_{at}x", range(3)) for at in range(3)]
    assert recommended(*common, *four, *three, documents=10)[RECOMMENDED_MAX - 3 :] == ["tank_0x", "tank_1x", "tank_2x"]
    assert recommended(*common, *four[:3], documents=10)[RECOMMENDED_MAX - 3 :] == [
        "region_0x",
        "region_1x",
        "region_2x",
    ]


def test_in_one_or_two_documents_the_most_frequent_are_recommended_whatever_else_there_is() -> None:
    many = [group(f"field_{at:03}x", [1], count=500 - at) for at in range(RECOMMENDED_MAX + 5)]
    found = recommended(*many, group("rare", [1], count=4), documents=1)
    assert found == [f"field_{at:03}x" for at in range(RECOMMENDED_MAX)]


def test_numbers_of_rows_are_none_and_what_is_not_recommended_stands_behind() -> None:
    found = ranked([group("row_no", range(9)), group("rare", [1]), group("mass", range(5))], 10)
    assert [(one.parts[0].name, worth) for one, worth in found] == [("mass", True), ("row_no", False), ("rare", False)]
