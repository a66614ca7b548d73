"""Tables."""

from shared.domain.operations import RegisterTable, Skip
from shared.domain.sketch import Profile
from shared.extraction.headings import HeadingJudge
from shared.extraction.page_view import PageView


def find_tables(view: PageView, profile: Profile, judge: HeadingJudge) -> list[RegisterTable | Skip]:
    return []
