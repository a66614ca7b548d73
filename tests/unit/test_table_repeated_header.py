"""Tables below each other with nothing but their headers between: another name of the labels, or the same again."""

import pytest

from tests.unit.test_table_places import Page

AT = (60.0, 300.0, 400.0)


def below(*second: str, first: bool = True, bold: bool = True, ruled: int = 2, x: float = 60) -> Page:
    """Two accounts, each below a header over rules that leave out the labels."""
    page = (
        Page()
        .row(100, "Account", "Begin", "End", at=AT, bold=first)
        .rows(120, ("Doubtful", "184", "158"), ("Overdue", "158", "274"), at=AT)
    )
    page.row(156, *second, at=(x, *AT[1:]), bold=bold).rows(176, ("Tax", "92", "17"), ("Duty", "47", "21"), at=AT)
    for y in (112, 168)[: 1 + (ruled > 0)]:
        for start in AT[1 : 1 + (2 if y < 150 else ruled)]:
            page.rule(start, y, start + 50, y)
    return page


def test_the_same_name_of_the_labels_again_begins_another_table() -> None:
    first, second = below("Account", "Start", "Close").shapes
    assert first == [["Account", "Begin", "End"], ["Doubtful", "184", "158"], ["Overdue", "158", "274"]]
    assert second == [["Account", "Start", "Close"], ["Tax", "92", "17"], ["Duty", "47", "21"]]


@pytest.mark.parametrize(
    "page",
    [
        below("Charges", "Start", "Close"),
        below("Account", "Start", "Close", bold=False),
        below("Account", "Start", "Close", first=False),
        below("Account", "Start", "Close", ruled=0),
        below("Account", "Start", "Close", x=66),
    ],
)
def test_other_rows_below_begin_no_table(page: Page) -> None:
    assert len(page.shapes) == 1
