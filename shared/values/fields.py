"""Fields: labels, each beside its own value, as the head of a quote and a data sheet have them.

Such a block has two columns, or pairs of them. It is told from a table of two columns by what stands in them. Its first
column has labels: different short words, no values. The values beside them have nothing in common (a date, a code, an
amount, other units), so that no name above them could be theirs. Words above a block are names of the labels and of the
values (`Property | Value`) where they say so, or where its source does; else the first row is a field like the others.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from shared.values.dates import whole_date
from shared.values.quantities import NumberReading, find_quantities
from shared.values.units import unit_of

# A longer text is no label.
MOST_CHARACTERS: Final = 60
# A longer table is none that a person filled in.
MOST_ROWS: Final = 100
# What ends a label, whose value is still to come.
COLONS: Final = ":\uff1a"
_LABELS: Final = {
    "property", "properties", "field", "attribute", "key", "characteristic", "criterion", "merkmal", "eigenschaft",
    "feld", "kenngröße", "kennwert", "parameter", "propriété", "champ", "paramètre", "caractéristique", "propiedad",
    "campo", "característica", "proprietà",
}  # fmt: skip
_VALUES: Final = {
    "value", "values", "entry", "data", "answer", "specification", "wert", "werte", "angabe", "eintrag", "inhalt",
    "antwort", "valeur", "valeurs", "réponse", "valor", "valores", "dato", "valore", "valori",
}  # fmt: skip
_READING: Final = NumberReading(month_first=True)
_NUMBER = re.compile(r"[\s$€£¥(+\-\u2212]*\d[\d.,]*(?:[ \u00a0]\d{3}(?:[.,]\d+)?)*[\s%)]*")
_UNMEASURED: Final = frozenset({"words", "date", "truth", "code", "number"})
_MONEY = re.compile(r"[A-Z]{3}")
_TRUTHS: Final = frozenset({"yes", "no", "true", "false", "ja", "nein", "oui", "non"})
_CALENDAR = re.compile(r"(?:FY|[QH][1-4]\s)?\s?(?:19|20)\d\d(?:[/\-\u2013]\d{2,4})?")
Rows = Sequence[Sequence[str]]


def are_fields(rows: Rows, header: Sequence[str] = ()) -> bool:
    """Whether the rows (texts by column, all columns, without the `header`'s row) are fields, each a label beside its
    value."""
    if not header:
        return begins_with_field(rows)
    pairs = _pairs(rows)
    values = [value for _, value in pairs]
    if len(header) != 2 or len(pairs) < 2 or not _are_labels([label for label, _ in pairs]):
        return False
    named = _name_values(header) and (_name_labels(header) or _kind_of_most(values) is None)
    return named or _are_mixed(values)


def begins_with_field(rows: Rows) -> bool:
    """Whether the first row is a field like the rows below it, where nothing but its place makes it a header."""
    pairs, top = _pairs(rows), len(_pairs(rows[:1]))
    if not 0 < top < len(pairs) or not _are_labels([label for label, _ in pairs]):
        return False
    if _end_in_colon(pairs):
        return True
    first, below = [value for _, value in pairs[:top]], [value for _, value in pairs[top:]]
    if any(_CALENDAR.fullmatch(value) for value in first):
        return False
    kinds = {kind_of(value) for value in first} - {"", "words"}
    if not kinds:
        named = _name_labels(rows[0]) or _name_values(rows[0])
        return len(rows[0]) == 2 and not named and _are_mixed(below)
    # A column of codes is one of names, as of telephones beside those whom they reach.
    most = _kind_of_most(below)
    return most is None or (most in kinds and most != "code")


def kind_of(text: str) -> str:
    """What a text is as a whole: `words`, `date`, `number`, `money`, `truth`, `code`, or the dimension of its unit; ""
    for none."""
    said = " ".join(text.split())
    if not any(sign.isalnum() for sign in said):
        return ""
    if whole_date(said, month_first=True):
        return "date"
    if _NUMBER.fullmatch(said):
        return "money" if any(sign in said for sign in "$€£¥") else "number"
    found = next(find_quantities(said, _READING, prose=False), None)
    if found and (found.start, found.end) == (0, len(said)) and found.quantity.unit:
        unit = found.quantity.unit
        return "money" if _MONEY.fullmatch(unit) else unit_of(unit).dimension or "number"
    if said.lower() in _TRUTHS:
        return "truth"
    return "code" if any(sign.isdigit() for sign in said) and _is_code(said) else "words"


def _is_code(said: str) -> bool:
    """One word with digits, as an order's number is, or signs without words, as a telephone's."""
    return " " not in said or not any(sign.isalpha() for sign in said)


def _pairs(rows: Rows) -> list[tuple[str, str]]:
    """The label and value of each field; a row with its first text alone stands over others. Empty where the columns
    are no pairs of labels and values."""
    width = max(map(len, rows), default=0)
    if width not in (2, 4) or len(rows) > MOST_ROWS or any(len(row) != width for row in rows):
        return []
    found: list[tuple[str, str]] = []
    for row in rows:
        beside = [(row[at].strip(), row[at + 1].strip()) for at in range(0, width, 2)]
        if any(value and not label for label, value in beside):
            return []
        alone = not any(value for _, value in beside) and not any(label for label, _ in beside[1:])
        found += [] if alone and not _ends(beside[0][0]) else [pair for pair in beside if pair[0]]
    return found


def _are_labels(labels: Sequence[str]) -> bool:
    said = [label.rstrip(COLONS + " ").casefold() for label in labels]
    return len({*said}) == len(said) and all(
        len(one) <= MOST_CHARACTERS and kind_of(one) == "words" and not label.endswith((".", "!", "?"))
        for one, label in zip(said, labels, strict=True)
    )


def _end_in_colon(pairs: Sequence[tuple[str, str]]) -> bool:
    return _ends(pairs[0][0]) and 2 * sum(_ends(label) for label, _ in pairs) > len(pairs)


def _ends(label: str) -> bool:
    return label.endswith(tuple(COLONS))


def _are_mixed(values: Sequence[str]) -> bool:
    """Whether the values have nothing in common: at least two kinds beside words, none of them most."""
    kinds = _kinds(values)
    return len({*kinds} - {"words"}) > 1 and _kind_of_most(values) is None


def _kind_of_most(values: Sequence[str]) -> str | None:
    """The kind of most values, other than words."""
    kinds = _kinds(values)
    return next((kind for kind, count in kinds.items() if kind != "words" and 2 * count > kinds.total()), None)


def _kinds(values: Sequence[str]) -> Counter[str]:
    """How many values there are of each kind. A bare number may have the unit of the others beside it."""
    kinds = Counter(kind for kind in map(kind_of, values) if kind)
    measured = [(count, kind) for kind, count in kinds.items() if kind not in _UNMEASURED]
    if measured and "number" in kinds:
        kinds[max(measured)[1]] += kinds.pop("number")
    return kinds


def _name_labels(header: Sequence[str]) -> bool:
    return _word(header[0]) in _LABELS


def _name_values(header: Sequence[str]) -> bool:
    return _word(header[1]) in _VALUES


def _word(text: str) -> str:
    return text.strip().strip(":").casefold()
