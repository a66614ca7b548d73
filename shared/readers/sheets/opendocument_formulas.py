"""Formulas of OpenDocument cells (OpenDocument 1.3 part 4, 5) as LibreOffice shows them."""

import re
from typing import Final

# What is in quotation marks stays; a reference stands in brackets, its sheet before a dot: [.B2:.B9], [Rates.B1].
_PARTS: Final = re.compile(r""""(?:[^"]|""|(?!))*+"|\[((?:[^\[\]']|'(?:[^']|''|(?!))*+'|(?!))*+)\]""")
_DOT: Final = re.compile(r"('(?:[^']|''|(?!))*+')|(^|:)\.")
_LANGUAGE: Final = re.compile(r"\A(?:(?:of|oooc|msoxl):|[A-Za-z][\w.-]*+:(?==))")
# Where a function comes from that the standard does not have: no program shows it.
_ORIGIN: Final = re.compile(r"\b(?:COM\.MICROSOFT|ORG\.OPENOFFICE|ORG\.LIBREOFFICE|LEGACY)\.(?=[A-Z])")
_EXCELS: Final = "msoxl:"


def as_calc_shows(written: str, is_array: bool) -> str:
    """A cell's `table:formula`, in braces where it is an array's."""
    said = _LANGUAGE.sub("", written.strip(" \t\r\n"), count=1).removeprefix("=")
    if not written.startswith(_EXCELS):
        said = _outside_strings(_PARTS.sub(_reference, said))
    return f"{{={said}}}" if is_array else f"={said}"


def _reference(part: re.Match[str]) -> str:
    if part[1] is None:
        return part[0]
    return _DOT.sub(lambda dot: dot[1] or dot[2], part[1])


def _outside_strings(formula: str) -> str:
    pieces = re.split(r'("(?:[^"]|""|(?!))*+")', formula)
    return "".join([piece if at % 2 else _ORIGIN.sub("", piece) for at, piece in enumerate(pieces)])
