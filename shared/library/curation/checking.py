"""Whether declarations can be: names that filters can write, units that are known, no printed name for two attributes
that no value tells apart. What is right is written as it is stored."""

from collections.abc import Sequence

from shared.domain.attribute_schema import Declaration
from shared.errors import BadInput
from shared.extraction.attributes.declared import printed_names, text_key
from shared.values.measures import read_measure
from shared.values.names import name_of
from shared.values.unit_names import unit_name


def check_schema(attributes: Sequence[Declaration]) -> tuple[Declaration, ...]:
    """The declarations with their units as people call them. Raises BadInput naming the attribute and what to do."""
    checked = tuple(_checked(one) for one in attributes)
    names = [one.name for one in checked]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise BadInput(f"`{twice}` is declared twice. Merge the two, or give one another name.")
    _check_shared_names(checked)
    return checked


def _checked(one: Declaration) -> Declaration:
    plain = name_of(one.name)
    if plain != one.name:
        wanted = f" Write `{plain}`." if plain else " A name has a letter."
        raise BadInput(f"`{one.name}` is no name: small letters, digits and _ alone.{wanted}")
    bad = next((synonym for synonym in one.synonyms if name_of(synonym) is None), None)
    if bad is not None:
        raise BadInput(f"`{one.name}`: the synonym `{bad}` has no letter, and nothing is read under it. Leave it out.")
    _check_values(one)
    if one.unit is None:
        return one
    measure = read_measure(one.unit)
    if measure is None:
        raise BadInput(
            f"`{one.name}`: `{one.unit}` is no unit that is known here. Write it as UCUM does (kW, [HP], m3/h, Cel) or"
            " as it is printed (hp, psi, °C), or a currency as USD."
        )
    return one.model_copy(update={"unit": unit_name(measure.code)})


def _check_values(one: Declaration) -> None:
    if len({text_key(allowed.value) for allowed in one.values}) < len(one.values):
        raise BadInput(f"`{one.name}`: one of the allowed values is listed twice.")
    said: dict[str, str] = {}
    for allowed in one.values:
        for text in (allowed.value, *allowed.synonyms):
            other = said.setdefault(text_key(text), allowed.value)
            if other != allowed.value:
                raise BadInput(f"`{one.name}`: `{text}` stands for both `{other}` and `{allowed.value}`.")


def _check_shared_names(attributes: Sequence[Declaration]) -> None:
    owners: dict[str, Declaration] = {}
    for one in attributes:
        for name in printed_names(one):
            other = owners.setdefault(name, one)
            if other.name != one.name and not _told_apart(one, other):
                raise BadInput(
                    f"`{name}` is printed for both `{other.name}` and `{one.name}`, and both are"
                    f" {_kind(one)}: no value would tell them apart. Merge them, or take the synonym from one."
                )


def _told_apart(one: Declaration, other: Declaration) -> bool:
    texts = {"category", "text"}
    if one.type in texts or other.type in texts:
        return False
    return _kind(one) != _kind(other)


def _kind(one: Declaration) -> str:
    if one.type != "number":
        return one.type
    measure = read_measure(one.unit) if one.unit else None
    return f"number in {measure.canonical}" if measure else "number without a unit"
