"""Numbers in letters and Roman figures."""

from typing import Final

_ROMAN: Final = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
                 (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_LETTERS: Final = 26


def roman(number: int) -> str:
    """In small letters; empty for nothing and less."""
    said = ""
    for size, figures in _ROMAN:
        said += figures * max(number // size, 0)
        number %= size
    return said


def letters(number: int) -> str:
    """a to z, then aa, ab; empty for nothing and less."""
    said = ""
    while number > 0:
        number, rest = divmod(number - 1, _LETTERS)
        said = chr(ord("a") + rest) + said
    return said
