import pytest

from shared.domain.version_names import likeness, read_name


@pytest.mark.parametrize(
    ("name", "words", "label"),
    [
        ("asvs-4.0.3-en.pdf", ("asvs", "en"), "4.0.3"),
        ("ASVS-v5.0.0_final (2).pdf", ("asvs",), "v5.0.0 2"),
        ("2022 Q3 ACME.pdf", ("acme",), "2022 Q3"),
        ("acme results 1Q23.pdf", ("acme", "results"), "1Q23"),
        ("Copy of Rules 2026 rev3.pdf", ("rules",), "2026 rev3"),
        ("sp800-63-4.pdf", ("sp", "800", "63"), "4"),
        ("Handbook second edition.pdf", ("handbook",), "second edition"),
        ("Newsletter June 2023.pdf", ("newsletter",), "June 2023"),
        ("KestrelCup2025.pdf", ("kestrel", "cup"), "2025"),
        ("kestrel_report_2023-06-30.pdf", ("kestrel", "report"), "2023-06-30"),
    ],
)
def test_what_marks_a_version_is_taken_out_of_a_name_and_kept_as_its_label(
    name: str, words: tuple[str, ...], label: str
) -> None:
    read = read_name(name)
    assert (read.words, read.mark.label) == (words, label)


@pytest.mark.parametrize(
    "name", ["Manual part 2.pdf", "sp800-63b.pdf", "20080111X00040.pdf", "1909.00754.pdf", "Annex 4.pdf"]
)
def test_numbers_that_say_which_document_it_is_stay_in_its_name(name: str) -> None:
    assert read_name(name).mark.label == ""


def test_beside_a_revision_the_number_in_a_designation_is_no_version() -> None:
    read = read_name("RG 1.105 Rev 4.pdf")
    assert (read.words, read.mark.number) == (("rg", "1", "105"), (4,))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("asvs-3.0.1.pdf", "asvs-4.0.3.pdf"),
        ("asvs-4.0.9.pdf", "asvs-4.0.10.pdf"),
        ("2022 Q3 acme.pdf", "2023 Q1 acme.pdf"),
        ("acme Q1 2023.pdf", "acme 2023-06-30.pdf"),
        ("rules rev A.pdf", "rules rev C.pdf"),
        ("first edition.pdf", "tenth edition.pdf"),
    ],
)
def test_marks_order_versions(older: str, newer: str) -> None:
    assert read_name(older).mark.order < read_name(newer).mark.order


def test_equal_names_are_alike_and_names_with_words_of_their_own_are_names_of_different_things() -> None:
    plans = likeness(read_name("Plan_Standard_2026.pdf").words, read_name("Plan_Health_Plus_2026.pdf").words)
    longer = likeness(read_name("Rules.pdf").words, read_name("Rules for sailors v2.pdf").words)
    same = likeness(read_name("Kestrel rule v1.pdf").words, read_name("kestrel-rules-2026.pdf").words)
    assert plans is not None
    assert longer is not None
    assert plans < 0.3 < 0.6 < longer < 1.0
    assert likeness(("kestrel", "standards"), ("kestrel", "standard")) == 1.0
    assert same is not None
    assert same < 0.5  # four letters: `rule` and `rules` may be anything


def test_a_name_that_says_nothing_is_compared_with_nothing() -> None:
    assert likeness(read_name("scan.pdf").words, read_name("acme.pdf").words) is None
