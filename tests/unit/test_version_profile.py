from itertools import product

from shared.domain.version_profile import (
    RENAMED,
    THRESHOLD,
    VersionParts,
    VersionProfile,
    compare,
    make_profile,
    resemblance,
    score_of,
    sketch,
)


def profile(
    name: str, title: str, rules: range, words: str = "the mast is at most {n} m long and of wood"
) -> VersionProfile:
    addresses = [f"c{n}" for n in rules]
    contents = [words.format(n=n) for n in rules]
    return make_profile(name, None, [title], addresses, [f"Rule {n}" for n in rules], contents)


def score(one: VersionProfile, other: VersionProfile) -> float:
    return score_of(compare(one, other))


def test_editions_of_one_document_are_suggested_and_documents_of_one_template_are_not() -> None:
    old = profile("kestrel-cup-2025.pdf", "Kestrel Cup Rules 2025", range(1, 40))
    new = profile("kestrel-cup-2026.pdf", "Kestrel Cup Rules 2026", range(5, 50))
    other = profile("tarnwick-cup-2025.pdf", "Tarnwick Cup Rules 2025", range(1, 40))
    assert score(old, new) >= THRESHOLD > score(old, other)


def test_a_renamed_file_with_the_same_title_and_text_is_suggested() -> None:
    old = profile("kestrel-cup-2025.pdf", "Kestrel Cup Rules", range(1, 40))
    new = profile("for publication.pdf", "Kestrel Cup Rules", range(1, 42))
    assert score(old, new) >= THRESHOLD


def test_a_form_that_is_filled_in_for_another_case_is_not_suggested() -> None:
    one = profile("20080111X00040.pdf", "Accident Report", range(1, 15), "the aircraft {n} landed at Ada")
    two = profile("20080116X00055.pdf", "Accident Report", range(1, 15), "the helicopter {n} took off from Kell")
    assert score(one, two) < THRESHOLD


def test_the_same_name_alone_is_not_enough() -> None:
    one = make_profile("report.pdf", None, [], [], [], ["what the first one says about wind and weather"])
    two = make_profile("report.pdf", None, [], [], [], ["a text about prices of bolts that nobody wants"])
    assert score(one, two) < THRESHOLD


def test_the_score_grows_with_each_part_and_stays_within_its_bounds() -> None:
    steps = (0.0, 0.3, 0.6, 1.0)
    for name, title, sections, content in product(steps, repeat=4):
        parts = VersionParts(name=name, title=title, sections=sections, content=content)
        assert 0.0 <= score_of(parts) <= 1.0
        for field in ("name", "title", "sections", "content"):
            more = parts.model_copy(update={field: 1.0})
            assert score_of(more) >= score_of(parts)
    assert RENAMED > 0.42


def test_sketches_estimate_the_jaccard_index_and_are_exact_for_small_sets() -> None:
    small = resemblance(sketch("abcd"), sketch("bcde"))
    large = resemblance(sketch(str(n) for n in range(20_000)), sketch(str(n) for n in range(10_000, 30_000)))
    assert small == 3 / 5
    assert large is not None
    assert abs(large - 1 / 3) < 0.09
    assert resemblance([], sketch("a")) is None
