"""Parses the written form of an attribute filter, `hp>=10 and lubrication=oilless`.

`not` binds closest, then `and`, then `or`; parentheses group. Comparisons: `= != < <= > >=`, `between 10 and 20`, `in
(a, b)`, `exists`. Names and texts of several words, and texts that look like a number, must be quoted. Numbers may have
a unit (`10 kg`, `-4 °F`) or a currency (`USD 200`, `$200`, `2 million EUR`). An invalid filter is a BadFilter that
names the character position and what was expected there.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput

from shared.errors import BadFilter
from shared.filters.tree import AllOf, AnyOf, Filter, NoneOf, Op, Scalar, check_counts, read_filter

TEXT_MAX: Final = 10_000
_OPERATORS: Final[dict[str, Op]] = {
    "<=": "le", ">=": "ge", "≤": "le", "≥": "ge", "!=": "ne", "<>": "ne", "≠": "ne", "==": "eq", "=": "eq", "<": "lt",
    ">": "gt",
}  # fmt: skip
_INSTEAD: Final = {"&": "`and`", "|": "`or`", "!": "`not`", "~": "`=`", ":": "`=`"}
# Descriptions of what was expected where parsing failed, by grammar terminal; the first expected terminal decides.
_EXPECTED: Final = (
    ("QUANTITY", "a value"),
    ("OPERATOR", "one of = != < <= > >=, `between`, `in` or `exists`"),
    ("NAME", "the name of an attribute"),
    ("BETWEEN", "`in`, `between` or `exists`"),
    ("COMMA", "`,` or `)`"),
    ("$END", "`and`, `or` or the end of the filter"),
    ("OR", "`and`, `or` or the `)` that closes the `(` at character {opened}"),
    ("AND", "`and` and the upper bound"),
    ("LPAR", "`(` and a list of values"),
    ("RPAR", "`)`"),
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_WORD = re.compile(r"[^\s()<>=!,\"'≤≥≠]+")
_LETTER = re.compile(r"[^\W\d_]")
_KEYWORD = re.compile(r"(?:and|or|not|in|between|exists)(?!\w)", re.I)
_THOUSANDS = re.compile(r"\d+,\d{3}(?!\d)")
_NUMBER = re.compile(
    r"(?P<sign>[A-Z.]{0,4}[$€£¥₹₩₪]|[A-Z]{3}(?=\s))?\s*"
    r"(?P<number>[-+−]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3}(?![\w.]))?)"
)
# Terminals that make a node of the tree, or stand for a level of it.
_NODES: Final = frozenset({"LPAR", "NOT", "OPERATOR", "EXISTS", "BETWEEN", "IN"})
_Predicate = Callable[[str], Filter]


class _Value(NamedTuple):
    """A value as written, its unit as written, and where it ends."""

    value: Scalar
    unit: str | None
    end: int


def read_where(where: object) -> Filter | None:
    """The tree of a filter given as text, as a tree, or as the JSON of a tree. Raises BadFilter with the position of
    the error."""
    if where is None or not isinstance(where, str):
        return None if where is None else read_filter(where)
    return read_filter(_json(where)) if where.lstrip().startswith("{") else parse_filter(where)


def parse_filter(text: str) -> Filter:
    """The tree of a written filter. Raises BadFilter with the position and what was expected there."""
    if len(text) > TEXT_MAX:
        raise BadFilter(f"The filter has {len(text):,} characters; at most {TEXT_MAX:,} are read.")
    if not text.strip():
        raise BadFilter("The filter is empty. Write one such as `mass >= 10 kg`, or leave it out.")
    reading, read = _parser().parse_interactive(text), _Read()
    try:
        for token in reading.lexer_thread.lex(reading.parser_state):
            reading.feed_token(token)
            read.add(token)
        tree: Filter = reading.feed_eof()
    except UnexpectedInput as error:
        raise BadFilter(_describe(text, read, _accepted(read.tokens))) from error
    return read_filter(tree.model_dump(by_alias=True))


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        problem = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deep"
        at = f" at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else ""
        raise BadFilter(f"The filter begins with a brace and is no JSON{at}: {problem}.") from error


class _Read:
    """The state of parsing, for error messages: how much and how deep, the last token, and the open brackets."""

    def __init__(self) -> None:
        self.tokens = list[Token]()
        self.nodes = self.negations = 0
        self.open = list[int]()

    def add(self, token: Token) -> None:
        """Raises BadFilter where the filter becomes larger or deeper than the limits."""
        self.tokens.append(token)
        if token.type == "LPAR":
            self.open.append(self.end)
        elif token.type == "RPAR":
            self.open.pop()
        self.negations = self.negations + 1 if token.type == "NOT" else 0
        self.nodes += token.type in _NODES
        check_counts(self.nodes, len(self.open) + self.negations + 1)

    @property
    def last(self) -> Token | None:
        return self.tokens[-1] if self.tokens else None

    @property
    def end(self) -> int:
        return (self.last.end_pos or 0) if self.last else 0

    @property
    def words(self) -> str:
        """The last tokens, as an error quotes them."""
        if self.last is None:
            return ""
        return self.last.split()[-1] if self.last.type == "QUANTITY" else str(self.last)


def _accepted(tokens: list[Token]) -> set[str]:
    """The terminals that may follow: asked of a parser without lookahead."""
    fresh = _parser().parse_interactive("")
    for token in tokens:
        fresh.feed_token(token)
    return fresh.accepts()


def _describe(text: str, read: _Read, accepted: set[str]) -> str:
    """What was expected where parsing failed, and what was found there."""
    at = len(text) - len(text[read.end :].lstrip())
    rest = text[at : at + 20]
    if rest[:1] in ("'", '"') and "QUOTED" in accepted:
        return f"The quotation mark at character {at + 1} is never closed."
    after = f" after `{read.words}`" if read.words else ""
    found = f"found `{rest}`" if rest else "the filter ends there"
    hint = f" For `{rest[0]}` write {_INSTEAD[rest[0]]}." if rest and rest[0] in _INSTEAD else ""
    return f"Expected {_expected(text, at, read, accepted)}{after} at character {at + 1}, but {found}.{hint}"


def _expected(text: str, at: int, read: _Read, accepted: set[str]) -> str:
    word = _WORD.match(text, at)
    second = word.group() if word and not _KEYWORD.fullmatch(word.group()) else ""
    if "QUANTITY" in accepted and _THOUSANDS.match(text, at):
        return "a number without signs between its thousands, such as 1000"
    if read.last and read.last.type == "NAME" and _LETTER.match(second):
        return f'a comparison; a name of several words stands in quotes: "{read.last} {second} …"'
    if read.last and read.last.type == "WORD" and second:
        return f'`and`, `or` or the end; a text of several words stands in quotes: "{read.last} {second} …"'
    expected = next(words for terminal, words in _EXPECTED if terminal in accepted)
    return expected.format(opened=read.open[-1] if read.open else 0)


@cache
def _parser() -> Lark:
    grammar = resources.files("shared.filters").joinpath("filter.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="contextual", transformer=_Tree())


class _Tree(Transformer[Token, Filter]):
    """Transforms the grammar's rules to nodes of the tree during parsing. Keywords and signs are among the children."""

    def disjunction(self, parts: list[Any]) -> Filter:
        return AnyOf(any=tuple(parts[::2]))

    def conjunction(self, parts: list[Any]) -> Filter:
        return AllOf(all=tuple(parts[::2]))

    def negation(self, parts: list[Any]) -> Filter:
        return _negated(parts[1])

    def group(self, parts: list[Any]) -> Filter:
        return parts[1]

    def named(self, parts: list[Any]) -> Filter:
        """`exists mass` and `exists(mass)`."""
        return self.exists([])(parts[-1] if len(parts) == 2 else parts[2])

    def compared(self, parts: list[Any]) -> Filter:
        name, operator, value = parts
        return _comparison(name, _OPERATORS[operator], value)

    def predicated(self, parts: list[Any]) -> Filter:
        name, *negation, predicate = parts
        return _negated(predicate(name)) if negation else predicate(name)

    def exists(self, _: list[Any]) -> _Predicate:
        return lambda name: _checked({"attr": name, "op": "exists"}, 0)

    def bounded(self, parts: list[Any]) -> _Predicate:
        low, high = parts[1], parts[3]
        if low.unit in (None, high.unit):
            bounds = {"op": "between", "value": [low.value, high.value], "unit": high.unit}
            return lambda name: _checked({"attr": name, **bounds}, high.end)
        return lambda name: AllOf(all=(_comparison(name, "ge", low), _comparison(name, "le", high)))

    def listed(self, parts: list[Any]) -> _Predicate:
        values: list[_Value] = parts[2:-1:2]
        if len({one.unit for one in values}) == 1:
            listed = {"op": "in", "value": [one.value for one in values], "unit": values[0].unit}
            return lambda name: _checked({"attr": name, **listed}, values[-1].end)
        if any(one.unit is None for one in values):
            raise BadFilter(
                f"Expected a list in which every value has its unit, or none, up to character {values[-1].end}."
            )
        return lambda name: AnyOf(any=tuple(_comparison(name, "eq", one) for one in values))

    def name(self, parts: list[Token]) -> str:
        (token,) = parts
        return _unquoted(token) if token.type == "QUOTED" else str(token)

    def value(self, parts: list[Token]) -> _Value:
        (token,) = parts
        end = token.end_pos or 0
        if token.type == "QUOTED":
            return _Value(_unquoted(token), None, end)
        number = _NUMBER.match(token) if token.type == "QUANTITY" else None
        if number is None:
            return _Value({"true": True, "false": False}.get(token.lower(), str(token)), None, end)
        words = [*(number["sign"] or "").split(), *token[number.end() :].split()]
        return _Value(float(number["number"].replace("−", "-")), " ".join(words) or None, end)


def _negated(tree: Filter) -> Filter:
    return NoneOf.model_validate({"not": (tree,)})


def _unquoted(token: Token) -> str:
    inside = token[1:-1]
    if not inside.strip():
        raise BadFilter(f"There is nothing between the quotation marks at character {(token.start_pos or 0) + 1}.")
    return _ESCAPED.sub(r"\1", inside)


def _comparison(name: str, op: Op, value: _Value) -> Filter:
    return _checked({"attr": name, "op": op, "value": value.value, "unit": value.unit}, value.end)


def _checked(fields: dict[str, object], end: int) -> Filter:
    """Builds the comparison; raises BadFilter with its end position and what is wrong with it."""
    try:
        return read_filter(fields)
    except BadFilter as error:
        problem = str(error).rpartition(": where")[2].partition(": ")[2] or str(error)
        raise BadFilter(f"The filter cannot be used up to character {end}: {problem}") from error
