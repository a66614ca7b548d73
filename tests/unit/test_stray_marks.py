import pytest

from shared.domain.draft import DocumentDraft
from tests.unit.test_extraction_headings import PITCH, Sheet, draft_of

GAP = 3 * PITCH


def texts(sheet: Sheet) -> list[str]:
    return [chunk.content for chunk in draft_of([sheet]).chunks]


def decorations(draft: DocumentDraft) -> list[str]:
    return [skipped.text for skipped in draft.skipped if skipped.reason == "decoration"]


@pytest.mark.parametrize("mark", ["\u2022", "\u2610", "\u25a0"])
def test_a_mark_goes_to_the_text_behind_it_though_that_before_it_is_nearer(mark: str) -> None:
    sheet = Sheet().line("Boats in the harbour", step=GAP).line("Crews on the quay", x=0.34, step=0)
    sheet.line(mark, x=0.3, step=0)
    assert texts(sheet) == ["Boats in the harbour", f"Crews on the quay {mark}"]


def test_a_sign_of_rights_goes_to_the_text_before_it() -> None:
    sheet = Sheet().line("Boats in the harbour", step=GAP).line("Crews on the quay", x=0.345, step=0)
    sheet.line("\u2122", x=0.31, size=5, step=0)
    assert texts(sheet) == ["Boats in the harbour \u2122", "Crews on the quay"]


def test_signs_between_the_lines_of_a_paragraph_do_not_divide_it() -> None:
    first, second = (
        "The committee measures every boat of the Harbour",
        "class at the quay before the first start of all.",
    )
    sheet = Sheet().line(first, step=GAP).line("\u00ae \u00ae", x=0.4, size=5, step=0).line(second)
    assert texts(sheet) == [f"{first} \u00ae \u00ae {second}"]
    assert texts(Sheet().line(first, step=GAP).line("Note 7", x=0.7, step=0).line(second)) != [
        f"{first} Note 7 {second}"
    ]


def test_a_mark_with_nothing_beside_it_is_left_out_as_decoration() -> None:
    draft = draft_of([Sheet().line("Boats in the harbour", step=GAP).line("\u2022", step=GAP)])
    assert [chunk.content for chunk in draft.chunks] == ["Boats in the harbour"]
    assert decorations(draft) == ["\u2022"]
    far = draft_of([Sheet().line("Boats", step=GAP).line("\u2022", x=0.8, step=0)])
    assert decorations(far) == ["\u2022"]
