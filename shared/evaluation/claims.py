"""Gold of attributes: `power = 15 hp` at a place, compared with what was read there as a filter would compare it."""

from shared.domain.evaluation import AttributeResult, FoundValue, GoldInput, GoldPlace
from shared.errors import BadFilter, BadInput
from shared.evaluation.places import Documents
from shared.evaluation.quotes import contains_quote, content_hash
from shared.filters.stated import StatedValue, values_at
from shared.filters.text import parse_filter
from shared.filters.tree import Comparison
from shared.filters.written import write_name
from shared.store.connect import Connection
from shared.values.names import name_of


def read_claim(text: str) -> Comparison:
    """Raises BadInput for anything but one attribute and its value."""
    try:
        claim = parse_filter(text)
    except BadFilter as error:
        raise BadInput(f"`{text}` cannot be used as a value: {error}") from error
    if not isinstance(claim, Comparison) or claim.op != "eq":
        raise BadInput(f"`{text}` is not a value. Write the attribute and what it is, such as `power = 15 hp`.")
    return claim


def write_claim(name: str, value: str) -> str:
    """`power = 15 hp` of a name and a value as printed; what reads as no number, date or word is quoted."""
    bare = f"{write_name(name)} = {value}"
    try:
        read_claim(bare)
    except BadInput:
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'{write_name(name)} = "{escaped}"'
    return bare


def measure_claim(connection: Connection, question: GoldInput, documents: Documents) -> AttributeResult:
    """What was read of the attribute at each of the question's places."""
    claim = read_claim(question.attribute or "")
    result = AttributeResult(name=name_of(claim.attr) or claim.attr)
    for place in question.expected:
        found = values_at(connection, claim, sorted(documents[place.document]), place.page)
        here = [value for value in found if _is_at(value, place)]
        if place.level != "chunk":
            # Of a whole page it is not known which other values of the name are wrong.
            here = [value for value in here if value.right]
        result.places.append([FoundValue(raw=v.raw, route=v.route, right=v.right) for v in here])
        result.disagree |= _disagree(here)
    return result


def _is_at(value: StatedValue, place: GoldPlace) -> bool:
    if place.content_hash and place.content_hash == content_hash(value.content):
        return True
    if place.quote:
        return contains_quote(value.content, place.quote)
    return place.content_hash is None


def _disagree(values: list[StatedValue]) -> bool:
    """Whether one route read a value in a chunk and another one there only others."""
    routes: dict[str, set[str]] = {}
    for value in values:
        routes.setdefault(value.route, set()).add(value.value)
    told = list(routes.values())
    return any(one.isdisjoint(other) for one in told for other in told)
