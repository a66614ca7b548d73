"""Cells of a CSV that people open with a spreadsheet."""

from typing import Final

# What a spreadsheet takes for the beginning of a formula (OWASP, CSV injection), the wide forms of East Asia too.
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def harmless_cell(cell: str) -> str:
    """The same text, with an apostrophe before what a spreadsheet would compute."""
    return f"'{cell}" if cell.startswith(FORMULA) else cell
