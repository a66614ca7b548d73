"""Expressions over the columns of a dataset: read into a small tree, checked for types and units, written as SQL.

A recursive descent parser with one function for each level of precedence. Nothing of what was typed reaches the SQL:
columns are names of ours, texts and numbers are bound.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, NamedTuple

from shared.domain.datasets import ColumnSource, ColumnType
from shared.errors import BadInput
from shared.lab.datasets.expression_functions import FUNCTIONS, Function, Kind, finite
from shared.lab.datasets.unit_arithmetic import difference_unit, is_offset, power_unit, product_unit, quotient_unit
from shared.values.dates import whole_date
from shared.values.measures import read_measure
from shared.values.units import ucum_unit

TOKENS_MAX: Final = 400
DEPTH_MAX: Final = 40
KINDS: Final[Mapping[ColumnType, Kind]] = {
    "number": "number",
    "integer": "number",
    "quantity": "number",
    "text": "text",
    "boolean": "boolean",
    "date": "date",
}
_TOKEN = re.compile(
    r"""\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?P<column>\[(?:[^\]]|\]\])*\])"""
    r"""|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<word>[^\W\d]\w*)|(?P<sign><=|>=|!=|<>|==|[-+*/%^=<>(),]))"""
)
# A unit behind a number, without spaces: what stands apart is divided by, or multiplied with, a column.
_UNIT = re.compile(r"\s*((?:[^\W\d_]|[°µ])(?:[\w°·²³⁻]|[/.](?=[^\W\d_]|[°µ])|-(?=\d))*)")
_WORDS: Final = frozenset({"and", "or", "not", "in", "between"})
_COMPARE: Final = {"=": "=", "==": "=", "!=": "<>", "<>": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


@dataclass(frozen=True)
class Operand:
    """A part of an expression as SQL. `whole`: of type integer. `constant`: its value where it is one; `measure`: where
    it was written with its unit (`1 kg`)."""

    sql: str
    kind: Kind
    unit: str | None = None
    scale: float = 1.0
    sources: frozenset[ColumnSource] = frozenset()
    whole: bool = False
    constant: str | float | None = None
    measure: float | None = None


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


class Bind:
    """The values of a statement, by the names that stand for them in it."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}

    def __call__(self, value: object) -> str:
        name = f"v{len(self.values)}"
        self.values[name] = value
        return f"${name}"


def read_expression(text: str, columns: Mapping[str, Operand], bind: Bind) -> Operand:
    """The expression over `columns`, by label. Raises BadInput that says where it is wrong and what to write."""
    return _Parser(text, columns, bind).whole()


def _label(column: str) -> str:
    return column[1:-1].replace("]]", "]")


class _Parser:
    def __init__(self, text: str, columns: Mapping[str, Operand], bind: Bind) -> None:
        self._text, self._columns, self._bind = text, columns, bind
        self._tokens = self._split(text)
        self._at = 0
        self._depth = 0

    def whole(self) -> Operand:
        found = self._either()
        if self._here().kind != "end":
            raise self._wrong(f"{self._here().text!r} is not expected here")
        return found

    def _split(self, text: str) -> list[_Token]:
        tokens: list[_Token] = []
        at, end = 0, len(text.rstrip())
        # A label that has brackets itself is known as it is printed, too: [t [s]].
        bracketed = sorted((f"[{name}]" for name in self._columns if "]" in name), key=len, reverse=True)
        while at < end:
            match = _TOKEN.match(text, at)
            if match is None or (match["column"] and _label(match["column"]) not in self._columns):
                begin = at + len(text[at:]) - len(text[at:].lstrip())
                if printed := next((one for one in bracketed if text.startswith(one, begin)), None):
                    tokens.append(_Token("column", f"[{printed[1:-1].replace(']', ']]')}]", begin))
                    at = begin + len(printed)
                    continue
            if match is None:
                raise BadInput(_said(text, at, f"{text[at : at + 10].strip()!r} is no number, text, column or sign"))
            kind = str(match.lastgroup)
            tokens.append(_Token(kind, match[kind], match.start(kind)))
            at = match.end()
            unit = _UNIT.match(text, at) if kind == "number" else None
            if unit and unit[1].casefold() not in _WORDS and read_measure(unit[1]):
                tokens.append(_Token("unit", unit[1], unit.start(1)))
                at = unit.end()
        if len(tokens) > TOKENS_MAX:
            raise BadInput(f"The expression has more than {TOKENS_MAX} parts. Divide it into several columns.")
        return [*tokens, _Token("end", "", len(text))]

    def _here(self) -> _Token:
        return self._tokens[self._at]

    def _takes(self, *texts: str) -> str | None:
        """The sign or word that comes next, where it is one of these."""
        token = self._here()
        if token.kind in ("sign", "word") and token.text.casefold() in texts:
            self._at += 1
            return token.text.casefold()
        return None

    def _wrong(self, what: str) -> BadInput:
        return BadInput(_said(self._text, self._here().at, what))

    def _expect(self, sign: str) -> None:
        if self._takes(sign) is None:
            raise self._wrong(f"{sign!r} is missing")

    def _want(self, term: Operand, kind: Kind, what: str) -> Operand:
        if term.kind != kind:
            raise self._wrong(f"{what} needs a {kind}, and this is a {term.kind}")
        return term

    def _either(self) -> Operand:
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise BadInput(f"The expression is nested deeper than {DEPTH_MAX}. Divide it into several columns.")
        found = self._logical("or", lambda: self._logical("and", self._negated))
        self._depth -= 1
        return found

    def _logical(self, word: str, operand: Callable[[], Operand]) -> Operand:
        found = operand()
        while self._takes(word):
            left, right = self._want(found, "boolean", word), self._want(operand(), "boolean", word)
            found = Operand(f"({left.sql} {word} {right.sql})", "boolean", sources=left.sources | right.sources)
        return found

    def _negated(self) -> Operand:
        return self._not(self._deeper(self._negated)) if self._takes("not") else self._compared()

    def _not(self, term: Operand) -> Operand:
        return Operand(f"(not {self._want(term, 'boolean', 'not').sql})", "boolean", sources=term.sources)

    def _deeper(self, operand: Callable[[], Operand]) -> Operand:
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise BadInput(f"The expression is nested deeper than {DEPTH_MAX}. Divide it into several columns.")
        found = operand()
        self._depth -= 1
        return found

    def _compared(self) -> Operand:
        left = self._sum()
        if self._here().text.casefold() == "not" and self._tokens[self._at + 1].text.casefold() in ("in", "between"):
            self._at += 1
            return self._not(self._within(left))
        if self._here().kind == "word" and self._here().text.casefold() in ("in", "between"):
            return self._within(left)
        sign = self._takes(*_COMPARE)
        if sign is None:
            return left
        left, right = self._alike(left, self._sum(), sign)
        return Operand(f"({left.sql} {_COMPARE[sign]} {right.sql})", "boolean", sources=left.sources | right.sources)

    def _within(self, left: Operand) -> Operand:
        """`in (1, 2)`, `between 1 and 2`: both ends count."""
        word = str(self._takes("in", "between"))
        if word == "between":
            given = [self._sum()]
            self._expect("and")
            given.append(self._sum())
        else:
            self._expect("(")
            given = [self._sum()]
            while self._takes(","):
                given.append(self._sum())
            self._expect(")")
        left, *others = self._all_alike([left, *given], word)
        listed = (
            " and ".join(one.sql for one in others) if word == "between" else f"({', '.join(o.sql for o in others)})"
        )
        sources = left.sources.union(*(one.sources for one in others))
        return Operand(f"({left.sql} {word} {listed})", "boolean", sources=sources)

    def _alike(self, left: Operand, right: Operand, what: str) -> tuple[Operand, Operand]:
        """Both of one kind; a text that is written beside a date is read as one."""
        if left.kind == "date" and isinstance(right.constant, str):
            right = self._date(right.constant)
        elif right.kind == "date" and isinstance(left.constant, str):
            left = self._date(left.constant)
        if left.kind != right.kind:
            raise self._wrong(f"{what} compares a {left.kind} with a {right.kind}: both have to be of one type")
        return self._same_unit(left, right, what)

    def _all_alike(self, values: Sequence[Operand], what: str) -> list[Operand]:
        """As the one that the others are measured by: a date before texts that are read as one, a column before what is
        written with a unit, this before bare numbers."""
        dates = [one for one in values if one.kind == "date"]
        lead = min(dates or values, key=lambda one: (one.constant is not None, one.measure is not None))
        return [self._alike(lead, one, what)[1] for one in values]

    def _date(self, text: str) -> Operand:
        found = whole_date(text)
        if found is None:
            raise self._wrong(f"{text!r} is no date; write one as 2024-05-31")
        return Operand(f"cast({self._bind(date(found.year, found.month, found.day).isoformat())} as date)", "date")

    def _same_unit(self, left: Operand, right: Operand, what: str, *, added: bool = False) -> tuple[Operand, Operand]:
        """A written number has the unit of what it stands beside, and one that is written with its own is converted to
        it: as a temperature, or where one is `added` to another as a difference."""
        if left.kind != "number" or left.constant is not None or right.constant is not None:
            return left, right
        if (left.unit, left.scale) != (right.unit, right.scale):
            if right.measure is not None:
                right = self._converted(right, left, added) or right
            elif left.measure is not None:
                left = self._converted(left, right, added) or left
        if (left.unit, left.scale) != (right.unit, right.scale):
            units = f"{_unit_words(left)} and {_unit_words(right)}"
            raise self._wrong(f"{what} has {units} on its two sides: convert one of the columns first")
        return left, right

    def _converted(self, written: Operand, other: Operand, added: bool) -> Operand | None:
        """What is written with a unit, in that of the other; None where they measure different things."""
        if written.measure is None or written.unit is None or other.unit is None:
            return None
        source, target = ucum_unit(written.unit), ucum_unit(other.unit)
        conversion = (
            source.conversion(target) if source and target else (1.0, 0.0) if written.unit == other.unit else None
        )
        if conversion is None:
            return None
        # 5 K more are 5 °C more, and not 268.15 °C less.
        more = added and is_offset(other.unit) and not is_offset(written.unit)
        value = float(f"{written.measure * conversion[0] + (0 if more else conversion[1]):.15g}") / other.scale
        constant = value if more else None
        return Operand(self._bind(value), "number", other.unit, other.scale, constant=constant, measure=value)

    def _sum(self) -> Operand:
        found = self._product()
        while sign := self._takes("+", "-"):
            right = self._product()
            if sign == "-" and "date" in (found.kind, right.kind):
                found = self._days(found, right)
                continue
            left, right = self._want(found, "number", sign), self._want(right, "number", sign)
            left, right = self._same_unit(left, right, sign, added=True)
            found = self._number(f"({left.sql} {sign} {right.sql})", (left, right), *_sum_unit(sign, left, right))
        return found

    def _days(self, left: Operand, right: Operand) -> Operand:
        """How many days one date is behind another."""
        left, right = self._alike(left, right, "-")
        made = self._number(f"cast({left.sql} - {right.sql} as double)", (left, right), "d")
        return replace(made, whole=False)

    def _product(self) -> Operand:
        found = self._signed()
        while sign := self._takes("*", "/", "%"):
            left, right = self._want(found, "number", sign), self._want(self._signed(), "number", sign)
            found = self._multiplied(sign, left, right)
        return found

    def _multiplied(self, sign: str, left: Operand, right: Operand) -> Operand:
        if sign == "*":
            unit, scale = product_unit(left.unit, right.unit), left.scale * right.scale
            return self._number(f"({left.sql} * {right.sql})", (left, right), unit, scale)
        if sign == "%":
            left, right = self._same_unit(left, right, sign)
            return self._number(finite(f"fmod({left.sql}, {right.sql})"), (left, right), left.unit, left.scale)
        sql = finite(f"{_double(left)} / {_double(right)}")
        made = self._number(sql, (left, right), quotient_unit(left.unit, right.unit), left.scale / right.scale)
        return replace(made, whole=False)

    def _signed(self) -> Operand:
        if self._takes("-"):
            term = self._want(self._deeper(self._signed), "number", "-")
            constant = -term.constant if isinstance(term.constant, float) else None
            measure = None if term.measure is None else -term.measure
            unit = term.unit if measure is not None or not is_offset(term.unit) else None
            return replace(term, sql=f"(- {term.sql})", unit=unit, constant=constant, measure=measure)
        if self._takes("+"):
            return self._want(self._deeper(self._signed), "number", "+")
        return self._power()

    def _power(self) -> Operand:
        found = self._atom()
        if not self._takes("^"):
            return found
        base, power = self._want(found, "number", "^"), self._want(self._deeper(self._signed), "number", "^")
        times = {2.0: 2, 3.0: 3}.get(power.constant) if isinstance(power.constant, float) else None
        unit = power_unit(base.unit, times) if times else None
        sql = finite(f"pow({self._scaled(base)}, {self._scaled(power)})")
        return replace(self._number(sql, (base, power), unit), whole=False)

    def _scaled(self, term: Operand) -> str:
        """The number as it is, where it is printed in thousands or millions."""
        return term.sql if term.scale == 1 else f"({term.sql} * {self._bind(term.scale)})"

    def _number(self, sql: str, parts: Sequence[Operand], unit: str | None = None, scale: float = 1.0) -> Operand:
        sources = frozenset[ColumnSource]().union(*(part.sources for part in parts))
        return Operand(sql, "number", unit, scale, sources, all(part.whole for part in parts))

    def _atom(self) -> Operand:
        token = self._here()
        self._at += 1
        if token.kind == "number":
            whole = token.text.isdigit() and int(token.text) < 2**63
            value = float(token.text)
            if self._here().kind == "unit":
                return self._measure(value)
            bound = f"cast({self._bind(int(token.text))} as bigint)" if whole else self._bind(value)
            return Operand(bound, "number", whole=whole, constant=value)
        if token.kind == "text":
            text = re.sub(r"\\(.)", r"\1", token.text[1:-1], flags=re.S)
            return Operand(f"cast({self._bind(text)} as varchar)", "text", constant=text)
        if token.kind == "column":
            return self._column(_label(token.text), token)
        if token.kind == "word":
            return self._word(token)
        if token.text == "(":
            found = self._either()
            self._expect(")")
            return found
        self._at -= 1
        raise self._wrong("a value is missing")

    def _measure(self, value: float) -> Operand:
        unit = self._here().text
        self._at += 1
        found = read_measure(unit)
        return Operand(self._bind(value), "number", found.code if found else None, measure=value)

    def _word(self, token: _Token) -> Operand:
        word = token.text.casefold()
        if self._takes("("):
            return self._call(word)
        if word in ("true", "false"):
            return Operand(word, "boolean")
        return self._column(token.text, token)

    def _column(self, label: str, token: _Token) -> Operand:
        found = self._columns.get(label)
        if found is None:
            alike = [name for name in self._columns if name.casefold() == label.casefold()]
            found = self._columns[alike[0]] if len(alike) == 1 else None
        if found is None:
            known = ", ".join(f"[{name}]" for name in [*self._columns][:12])
            raise BadInput(_said(self._text, token.at, f"there is no column {label!r}; there are {known}"))
        return found

    def _call(self, name: str) -> Operand:
        given: list[Operand] = []
        if not self._takes(")"):
            given.append(self._either())
            while self._takes(","):
                given.append(self._either())
            self._expect(")")
        function = FUNCTIONS.get(name)
        if function is None:
            raise self._wrong(f"there is no function {name!r}; there are {', '.join(sorted(FUNCTIONS))}")
        if not function.least <= len(given) <= function.most:
            raise self._wrong(f"{name} takes {function.takes}")
        for at, one in enumerate(given):
            kind = function.kinds[min(at, len(function.kinds) - 1)]
            if kind is not None:
                self._want(one, kind, name)
        return self._made(function, name, given)

    def _made(self, function: Function, name: str, given: list[Operand]) -> Operand:
        conditions, values = (given[:1], given[1:]) if name == "if" else ([], given)
        if function.kind is None:
            values = self._all_alike(values, name)
        if function.kind == "number" and not function.keeps_unit:
            values = [replace(one, sql=self._scaled(one)) for one in values]
        sql = function.sql([one.sql for one in [*conditions, *values]])
        sources = frozenset[ColumnSource]().union(*(one.sources for one in given))
        kind = function.kind or values[0].kind
        lead = next((one for one in values if one.constant is None), values[0])
        unit, scale = (lead.unit, lead.scale) if function.keeps_unit else (None, 1.0)
        whole = function.whole or (function.keeps_unit and all(one.whole for one in values))
        return Operand(sql, kind, unit, scale, sources, whole and kind == "number")


def _double(term: Operand) -> str:
    return f"cast({term.sql} as double)"


def _sum_unit(sign: str, left: Operand, right: Operand) -> tuple[str | None, float]:
    """Unit and scale of a sum or difference. Of two temperatures the sum is none, and the difference is in kelvin."""
    one = left if left.constant is None else right
    if sign == "-" and right.constant is None:
        return difference_unit(one.unit, one.scale)
    if is_offset(one.unit) and left.constant is None and right.constant is None:
        return None, one.scale
    return one.unit, one.scale


def _unit_words(term: Operand) -> str:
    unit = term.unit or "no unit"
    return unit if term.scale == 1 else f"{unit} times {term.scale:g}"


def _said(text: str, at: int, what: str) -> str:
    shown = text if len(text) <= 80 else f"{text[max(0, at - 40) : at + 40]}"
    return f"In the expression {shown!r}, at character {at + 1}: {what}."
