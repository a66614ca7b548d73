"""A number as lists write it, for the proof."""

_DIGITS = (
    ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"),
    ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc"),
    ("", "c", "cc", "ccc", "cd", "d", "dc", "dcc", "dccc", "cm"),
)


def in_roman(number: int) -> str:
    ones, tens, hundreds = (row[number // 10**place % 10] for place, row in enumerate(_DIGITS))
    return "m" * (number // 1000) + hundreds + tens + ones


def repeated(number: int) -> str:
    """As Word goes on behind z: aa, bb."""
    return "abcdefghijklmnopqrstuvwxyz"[(number - 1) % 26] * ((number + 25) // 26)


def spelt(number: int) -> str:
    """As the web goes on behind z: aa, ab."""
    return (spelt((number - 1) // 26) if number > 26 else "") + "abcdefghijklmnopqrstuvwxyz"[(number - 1) % 26]
