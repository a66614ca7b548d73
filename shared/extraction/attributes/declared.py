"""What people declared, laid over what was read: a value gets its declared name, or is kept from filters.

A printed name is one of a declaration's (its name, label, synonyms). Where several declare the same one, the value says
which is meant: `Capacity` in cfm and in gallons may be two attributes.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from shared.domain.attribute_schema import AttributeSchema, Declaration, Reason
from shared.domain.attributes import Attribute, Quantity, UndeclaredValue
from shared.extraction.attributes.values import quantity_of
from shared.values.measures import read_measure
from shared.values.names import NO_HINT, name_of, read_label
from shared.values.numbers import NUMBER, Style, parse_number

_NO_UNIT: Final = ("", "1")


class Declarations:
    """A schema by printed names. An open one lets everything pass as it is."""

    def __init__(self, schema: AttributeSchema) -> None:
        self.version = None if schema.is_open else schema.version
        self._by_name: dict[str, list[Declaration]] = {}
        for one in schema.attributes:
            for name in printed_names(one):
                self._by_name.setdefault(name, []).append(one)

    def knows(self, name: str) -> bool:
        return name in self._by_name

    def sort_out(self, chunk: int, found: Sequence[Attribute]) -> tuple[list[Attribute], list[UndeclaredValue]]:
        """What counts, under its declared name, and what does not, of the chunk at this index."""
        if self.version is None:
            return list(found), []
        kept: list[Attribute] = []
        refused: list[UndeclaredValue] = []
        for one in found:
            fitted = self._fit(one)
            if isinstance(fitted, Attribute):
                kept.append(fitted)
            else:
                declared, reason = fitted
                refused.append(UndeclaredValue(chunk=chunk, attribute=one, declared=declared, reason=reason))
        return kept, refused

    def _fit(self, one: Attribute) -> Attribute | tuple[str, Reason]:
        refused: tuple[str, Reason] = ("", "undeclared")
        for declaration in self._by_name.get(one.name, ()):
            fitted = fit(one, declaration)
            if isinstance(fitted, Attribute):
                return fitted
            if not refused[0]:
                refused = declaration.name, fitted
        return refused


def printed_names(one: Declaration) -> list[str]:
    """The names that labels for it have, its own first."""
    labels = (one.name, one.label, *one.synonyms)
    names = (name for label in labels if label for name in (name_of(label), read_label(label)[0]))
    return list(dict.fromkeys(name for name in names if name))


def fit(one: Attribute, declared: Declaration) -> Attribute | Reason:
    """The value under its declared name and in its declared type; or why it does not fit."""
    match declared.type:
        case "number":
            return _as_number(one, declared)
        case "date":
            return _named(one, declared) if one.time else "type"
        case "boolean":
            return _named(one, declared) if one.boolean is not None else "type"
        case "text":
            return _as_text(one, declared, " ".join(one.raw.split()))
        case "category":
            said = " ".join(one.raw.split())
            value = said if not declared.values else allowed_value(said, declared)
            return _as_text(one, declared, value) if value else "value"


def _as_number(one: Attribute, declared: Declaration) -> Attribute | Reason:
    quantity = one.quantity
    number = parse_number(one.text, Style.UNKNOWN) if one.text and re.fullmatch(NUMBER, one.text) else None
    if number is not None:
        # Taken for an identifier, or for a name among other texts.
        quantity = quantity_of(number, NO_HINT)
        one = one.model_copy(update={"quantity": quantity, "text": None})
    if quantity is None:
        return "type"
    if declared.unit is None:
        return _named(one, declared) if (quantity.canonical_unit or "") in _NO_UNIT else "unit"
    measure = read_measure(declared.unit)
    if measure is None:
        return "unit"
    if quantity.unit is None and declared.bare:
        return _named(one.model_copy(update={"quantity": _in_unit(quantity, declared.unit)}), declared)
    return _named(one, declared) if quantity.canonical_unit == measure.canonical else "unit"


def _in_unit(quantity: Quantity, unit: str) -> Quantity:
    """A bare number in the declared unit."""
    measure = read_measure(unit)
    hint = measure.hint if measure else None
    if hint is None:
        return quantity
    own = quantity_of(quantity.number, hint)
    upper = None if quantity.upper is None else quantity_of(quantity.upper, hint)
    return quantity.model_copy(
        update={
            "unit": own.unit,
            "canonical_number": own.canonical_number,
            "canonical_unit": own.canonical_unit,
            "canonical_upper": upper.canonical_number if upper else None,
        }
    )


def _named(one: Attribute, declared: Declaration) -> Attribute:
    return one if one.name == declared.name else one.model_copy(update={"name": declared.name})


def _as_text(one: Attribute, declared: Declaration, text: str) -> Attribute:
    return one.model_copy(update={"name": declared.name, "text": text, "quantity": None, "time": None, "boolean": None})


def allowed_value(said: str, declared: Declaration) -> str | None:
    """The value of the category that is meant, by itself or by a synonym."""
    key = text_key(said)
    return next((value for value, keys in _keys(declared) if key in keys), None)


def _keys(declared: Declaration) -> Iterator[tuple[str, set[str]]]:
    for allowed in declared.values:
        yield allowed.value, {text_key(text) for text in (allowed.value, *allowed.synonyms)}


def text_key(text: str) -> str:
    """As `attribute_key` of the database compares: without case, width and spacing."""
    return " ".join(unicodedata.normalize("NFKC", text).split()).lower()
