"""Themes differ in colours alone, so that browser tests look at all else in one of them."""

import re
from pathlib import Path

STYLES = Path(__file__).parents[2] / "functions" / "api" / "static" / "css"
RULE = re.compile(r"([^{}]*\[data-theme[^{}]*)\{([^{}]*)\}")
COLOUR = r"(?:#[0-9a-f]{3,8}|rgb\([\d %/.]+\))"
# A colour, a shadow or a filter: what takes no place and says nothing.
PAINT = re.compile(
    rf"none|{COLOUR}|(?:-?\d+(?:px)? ){{3,4}}{COLOUR}(?:, (?:-?\d+(?:px)? ){{3,4}}{COLOUR})*|brightness\([\d.]+\)"
)


def test_what_a_theme_declares_is_painted_only() -> None:
    declared = [
        (file.name, *(part.strip() for part in line.split(":", 1)))
        for file in sorted(STYLES.glob("*.css"))
        for _, body in RULE.findall(file.read_text(encoding="utf-8"))
        for line in body.split(";")
        if line.strip()
    ]
    assert len(declared) > 30
    others = [
        one
        for one in declared
        if one[1:] != ("color-scheme", "dark")
        and not (PAINT.fullmatch(one[2]) and (one[1] == "background" or one[1].startswith("--")))
    ]
    assert others == []


def test_no_other_rule_asks_for_the_theme() -> None:
    asking = [
        f.name for f in STYLES.glob("*.css") if re.search(r"prefers-color-scheme|light-dark\(", f.read_text("utf-8"))
    ]
    assert asking == []
