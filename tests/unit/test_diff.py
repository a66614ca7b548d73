import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np

from shared.domain.diff import DiffItem
from shared.domain.ids import new_id
from shared.library.diff import compare_parts, summarize
from shared.library.diff_sections import parts_of
from shared.store.diff import VersionText

Rule = tuple[str, str, str]


def version(rules: Sequence[Rule], vectors: dict[str, list[float]] | None = None) -> VersionText:
    """A version of sections (address, title, text), each with one passage."""
    sections: list[dict[str, Any]] = []
    chunks: list[dict[str, Any]] = []
    found: dict[UUID, Any] = {}
    for n, (address, title, text) in enumerate(rules):
        section, chunk = new_id(), new_id()
        path = [{"id": section, "address": address or None, "title": title}]
        sections.append(
            {"id": section, "parent_id": None, "ordinal": n, "address": address or None, "title": title, "path": path,
             "page": n + 1, "key": address.lower()}
        )  # fmt: skip
        chunks.append(
            {"id": chunk, "section_id": section, "chunk_type": "text", "content": f"{address} {text}".strip(),
             "boxes": [], "first_page": n + 1}
        )  # fmt: skip
        if vectors and text in vectors:
            vector = np.array(vectors[text], dtype=np.float32)
            found[chunk] = vector / np.linalg.norm(vector)
    return VersionText(sections, chunks, found)


def compare(before: VersionText, after: VersionText) -> list[DiffItem]:
    return compare_parts(parts_of(before), parts_of(after))


def names(item: DiffItem) -> tuple[str | None, str | None]:
    return (item.a.address if item.a else None, item.b.address if item.b else None)


WEIGHT = "The boat without its crew weighs at least 200 kg when it is dry."
HORN = "Every boat must carry a horn that is heard at a distance of one mile."
COLOUR = "The colour of the hull is free, but the number on the sail is black."
RADIO = "A radio is carried by the committee vessel during the whole event."


def test_sections_are_unchanged_changed_renumbered_added_and_removed() -> None:
    before = version([("C1", "", WEIGHT), ("C2", "", HORN), ("C3", "", COLOUR)])
    after = version([("C1", "", WEIGHT.replace("200", "210")), ("C2", "", RADIO), ("C3", "", COLOUR), ("C4", "", HORN)])
    found = {names(item): item for item in compare(before, after)}
    assert set(found) == {("C1", "C1"), (None, "C2"), ("C3", "C3"), ("C2", "C4")}
    assert (found["C1", "C1"].status, found["C1", "C1"].flags) == ("changed", ["numbers"])
    assert (found["C2", "C4"].status, found["C2", "C4"].moved) == ("moved", True)
    assert found["C3", "C3"].status == "unchanged"
    assert found[None, "C2"].status == "added"
    summary = summarize(compare(before, after))
    assert (summary.unchanged, summary.moved, summary.changed, summary.added, summary.removed) == (1, 1, 1, 1, 0)


def test_a_number_that_was_given_to_another_rule_does_not_join_the_two() -> None:
    found = compare(version([("2.1", "", WEIGHT)]), version([("2.1", "", RADIO)]))
    assert sorted(item.status for item in found) == ["added", "removed"]


def test_removed_sections_stand_behind_what_preceded_them() -> None:
    before = version([("1", "", WEIGHT), ("2", "", HORN), ("3", "", COLOUR)])
    found = compare(before, version([("1", "", WEIGHT), ("3", "", COLOUR)]))
    assert [names(item) for item in found] == [("1", "1"), ("2", None), ("3", "3")]


def test_a_small_change_of_wording_is_told_by_words_however_near_the_vectors_are() -> None:
    near = [1.0, 0.001]
    base = {HORN: [1.0, 0.0], WEIGHT: [0.0, 1.0]}

    def meaning(text: str) -> tuple[str | None, list[str]]:
        before = version([("1", "Horn", HORN), ("2", "", WEIGHT)], base)
        after = version([("1", "Horn", text), ("2", "", WEIGHT)], base | {text: near})
        item = next(i for i in compare(before, after) if names(i) == ("1", "1"))
        return item.meaning, list(item.flags)

    assert meaning(HORN.replace("that is heard", "which is heard")) == ("same", [])
    assert meaning(HORN.replace("horn", "bell")) == ("changed", [])
    assert meaning(HORN.replace("is heard", "can be heard")) == ("changed", [])
    assert meaning(HORN.replace("must", "may")) == ("changed", ["modality"])


def test_a_passage_that_moved_between_sections_is_shown_where_it_is_now() -> None:
    before, after = version([("1", "Boats", WEIGHT), ("2", "Crews", HORN)]), version([("1", "Boats", WEIGHT)])
    moved = {**before.chunks[1], "id": new_id(), "section_id": after.sections[0]["id"], "content": HORN}
    with_moved = VersionText(after.sections, [*after.chunks, moved], {})
    found = compare(before, with_moved)
    (part,) = next(item for item in found if names(item) == ("1", "1")).parts
    assert (part.status, part.a and part.a.chunk_id) == ("moved", before.chunks[1]["id"])


def test_the_comparison_is_deterministic_and_of_a_version_with_itself_empty() -> None:
    rules = [(f"C{n}", f"Rule {n}", f"{HORN} {n} boats of class {n % 7} race on day {n}") for n in range(1, 120)]
    one, other = version(rules), version(rules[::-1])
    first, again = compare(one, other), compare(one, other)
    assert [item.model_dump() for item in first] == [item.model_dump() for item in again]
    assert {item.status for item in compare(one, one)} == {"unchanged"}


def test_large_versions_are_compared_within_seconds() -> None:
    def rules(n: int, shift: int) -> list[Rule]:
        words = [f"w{(i * 7919) % 997}" for i in range(n * 40)]
        return [(f"C{i + shift}", "", " ".join(words[i * 40 : i * 40 + 40])) for i in range(n)]

    started = time.process_time()
    found = compare(version(rules(1500, 0)), version(rules(1200, 3)))
    assert time.process_time() - started < 20
    assert summarize(found).moved == 1200
