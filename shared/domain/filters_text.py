"""The written form of an attribute filter, `hp>=10 and lubrication=oilless`, read into its tree and written back.

`not` binds closest, then `and`, then `or`; parentheses group. Comparisons: `= != < <= > >=`, `between 10 and 20`,
`in (a, b)`, `exists`. A name of several words, a text of several words, and a text that looks like a number stand in
quotes. Numbers may have a unit (`10 kg`, `-4 °F`) or a currency (`USD 200`, `$200`, `2 million EUR`). A filter that
cannot be read is a BadFilter that says at which character something else was expected.
"""

import re
from typing import Final, NoReturn

from shared.domain.filters import (
    AllOf,
    AnyOf,
    Comparison,
    Filter,
    NoneOf,
    Op,
    Scalar,
    check_counts,
    children,
    read_filter,
)
from shared.errors import BadFilter

TEXT_MAX: Final = 10_000
_OPERATORS: Final[dict[str, Op]] = {
    "<=": "le", ">=": "ge", "≤": "le", "≥": "ge", "!=": "ne", "<>": "ne", "≠": "ne", "==": "eq", "=": "eq", "<": "lt",
    ">": "gt",
}  # fmt: skip
_WRITTEN: Final = {"le": "<=", "ge": ">=", "ne": "!=", "eq": "=", "lt": "<", "gt": ">"}
_KEYWORDS: Final = frozenset({"and", "or", "not", "in", "between", "exists"})
_INSTEAD: Final = {"&": "`and`", "|": "`or`", "!": "`not`", "~": "`=`", ":": "`=`"}
_OPERATOR = re.compile("|".join(sorted(map(re.escape, _OPERATORS), key=len, reverse=True)))
_WORD = re.compile(r"[^\W\d]\w*")
_EXISTS = re.compile(r"exists\s*(?:\(|(?=[\w\"']))", re.I)
_SPACE = re.compile(r"\s*")
_LETTER = re.compile(r"[^\W\d_]")
_DIGITS = re.compile(r"\d+")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NAME = re.compile(r"\w[\w.\-]*")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'', re.DOTALL)
_TOKEN = re.compile(r"[^\s()<>=!,\"'≤≥≠]+(?:\([^\s()]*\))?")
_SIGN = re.compile(r"(?P<sign>[A-Z.]{0,4}[$€£¥₹₩₪]|[A-Z]{3}(?=\s))\s*(?=[-+]?\.?\d)")
_QUANTITY = re.compile(
    r"(?P<number>[-+−]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3}(?![\w.]))?)(?P<unit>[^\W\d_].*|[%‰°º\[{$€£¥₹₩₪µ].*)?"
)
# Names things, as the extractor has it: article 0815 is no number.
_CODE = re.compile(r"0\d+")
_GROUPS_OF_THREE = re.compile(r",\d{3}(?!\d)")
_UNIT_WORDS: Final = 4
_UNIT_WORD = re.compile(r"[^\W\d_]|[%‰°º\[{$€£¥₹₩₪/·]")


def parse_filter(text: str) -> Filter:
    """The tree of a written filter. Raises BadFilter with the place and what was expected there."""
    if len(text) > TEXT_MAX:
        raise BadFilter(f"The filter has {len(text):,} characters; at most {TEXT_MAX:,} are read.")
    parser = _Parser(text)
    tree = parser.whole()
    return read_filter(tree.model_dump(by_alias=True))


def write_filter(tree: Filter) -> str:
    """The tree as text that reads back as it."""
    match tree:
        case Comparison():
            return _written(tree)
        case NoneOf():
            inner = tree.none[0] if len(tree.none) == 1 else AnyOf(any=tree.none)
            return f"not {_grouped(inner)}"
        case AllOf() | AnyOf():
            joiner = " and " if isinstance(tree, AllOf) else " or "
            return joiner.join(_grouped(child) for child in children(tree))


def _grouped(tree: Filter) -> str:
    return write_filter(tree) if isinstance(tree, Comparison) else f"({write_filter(tree)})"


def _written(one: Comparison) -> str:
    name, unit = _quoted(one.attr), f" {one.unit}" if one.unit else ""
    values = [_literal(value) for value in one.values]
    match one.op:
        case "exists":
            return f"not {name} exists" if one.value is False else f"{name} exists"
        case "in":
            return f"{name} in ({', '.join(value + unit for value in values)})"
        case "between":
            return f"{name} between {values[0]}{unit} and {values[1]}{unit}"
        case _:
            return f"{name} {_WRITTEN[one.op]} {values[0]}{unit}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _literal(value: bool | float | str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _quoted(value) if isinstance(value, str) else repr(value)


class _Parser:
    """Recursive descent over the text; `at` is the position that is read next, `after` what was read last."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.after = text, 0, ""
        self.nodes = self.depth = 0

    def whole(self) -> Filter:
        if not self.text.strip():
            raise BadFilter("The filter is empty. Write one such as `mass >= 10 kg`, or leave it out.")
        tree = self.alternatives()
        if not self.ends():
            self.fail("`and`, `or` or the end of the filter")
        return tree

    def alternatives(self) -> Filter:
        parts = [self.conjunction()]
        while self.keyword("or"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else AnyOf(any=tuple(parts))

    def conjunction(self) -> Filter:
        parts = [self.factor()]
        while self.keyword("and"):
            parts.append(self.factor())
        return parts[0] if len(parts) == 1 else AllOf(all=tuple(parts))

    def factor(self) -> Filter:
        self.nodes, self.depth = self.nodes + 1, self.depth + 1
        check_counts(self.nodes, self.depth)
        if self.keyword("not"):
            tree: Filter = NoneOf.model_validate({"not": (self.factor(),)})
        elif self.sign("("):
            opened = self.at
            tree = self.alternatives()
            if not self.sign(")"):
                self.fail(f"`and`, `or` or the `)` that closes the `(` at character {opened}")
        else:
            tree = self.condition()
        self.depth -= 1
        return tree

    def condition(self) -> Filter:
        if self.peek_exists() and self.keyword("exists"):
            bracket = self.sign("(")
            name = self.name()
            if bracket and not self.sign(")"):
                self.fail("`)`")
            return self.checked({"attr": name, "op": "exists"})
        name = self.name()
        if self.keyword("not"):
            return NoneOf.model_validate({"not": (self.wordy(name, "`in`, `between` or `exists`"),)})
        operator = self.match(_OPERATOR)
        if operator:
            return self.compared(name, _OPERATORS[operator], *self.value())
        return self.wordy(name, "one of = != < <= > >=, `between`, `in` or `exists`")

    def wordy(self, name: str, expected: str) -> Filter:
        if self.keyword("exists"):
            return self.checked({"attr": name, "op": "exists"})
        if self.keyword("in"):
            return self.listed(name)
        if self.keyword("between"):
            return self.bounded(name)
        return self.fail(expected)

    def listed(self, name: str) -> Filter:
        if not self.sign("("):
            self.fail("`(` and a list of values")
        values = [self.value()]
        while self.sign(","):
            values.append(self.value())
        if not self.sign(")"):
            self.fail("`,` or `)`")
        if len({unit for _, unit in values}) == 1:
            listed = [value for value, _ in values]
            return self.checked({"attr": name, "op": "in", "value": listed, "unit": values[0][1]})
        if any(unit is None for _, unit in values):
            self.fail("a list in which every value has its unit, or none,")
        return AnyOf(any=tuple(self.compared(name, "eq", *value) for value in values))

    def bounded(self, name: str) -> Filter:
        low, low_unit = self.value()
        if not self.keyword("and"):
            self.fail("`and` and the upper bound")
        high, high_unit = self.value()
        if low_unit in (None, high_unit):
            return self.checked({"attr": name, "op": "between", "value": [low, high], "unit": high_unit})
        return AllOf(all=(self.compared(name, "ge", low, low_unit), self.compared(name, "le", high, high_unit)))

    def compared(self, name: str, op: Op, value: Scalar, unit: str | None) -> Comparison:
        return self.checked({"attr": name, "op": op, "value": value, "unit": unit})

    def checked(self, fields: dict[str, object]) -> Comparison:
        """The comparison, or where it stands and what is wrong with it."""
        try:
            found = read_filter(fields)
        except BadFilter as error:
            problem = str(error).rpartition(": where")[2].partition(": ")[2] or str(error)
            raise BadFilter(f"The filter cannot be used up to character {self.at}: {problem}") from error
        assert isinstance(found, Comparison)  # noqa: S101 it was made of one
        return found

    def name(self) -> str:
        quoted = self.quoted()
        if quoted is not None:
            return quoted
        word = self.peek(_WORD)
        name = self.peek(_NAME)
        if name is None or not _LETTER.search(name) or (word and word.lower() in _KEYWORDS):
            self.fail("the name of an attribute")
        self.match(_NAME)
        following = self.peek(_WORD)
        if following and following.lower() not in _KEYWORDS:
            self.fail("a comparison; a name of several words stands in quotes: " + f'"{name} {following} …"')
        return name

    def value(self) -> tuple[Scalar, str | None]:
        """The value that is next, and its unit as written."""
        quoted = self.quoted()
        if quoted is not None:
            return quoted, None
        sign = self.match(_SIGN)
        token = self.peek(_TOKEN)
        if token is None or (sign is None and token.lower() in _KEYWORDS):
            self.fail("a value")
        if _DIGITS.fullmatch(token) and _GROUPS_OF_THREE.match(self.text, self.skip() + len(token)):
            self.fail("a number without signs between its thousands, such as 1000")
        quantity = _QUANTITY.fullmatch(token)
        if quantity is None or _CODE.fullmatch(token):
            self.match(_TOKEN)
            self.no_second_word(token)
            return {"true": True, "false": False}.get(token.lower(), token), None
        self.step(quantity.end("number"), quantity["number"])
        number = float(quantity["number"].replace("−", "-"))
        words = [*([sign.strip()] if sign else []), *self.unit_words(attached=bool(quantity["unit"]))]
        return number, " ".join(words) or None

    def unit_words(self, attached: bool) -> list[str]:
        words: list[str] = []
        while len(words) < _UNIT_WORDS:
            word = self.peek(_TOKEN)
            if word is None or not _UNIT_WORD.match(word) or (not attached and self.is_keyword(word)):
                break
            words.append(word)
            self.match(_TOKEN)
            attached = False
        return words

    def is_keyword(self, word: str) -> bool:
        """`in` is the inch as well."""
        if word.lower() == "in":
            return self.text[self.skip() + 2 :].lstrip()[:1] == "("
        return word.lower() in _KEYWORDS

    def no_second_word(self, first: str) -> None:
        following = self.peek(_TOKEN)
        if following and following.lower() not in _KEYWORDS:
            self.fail(f'`and`, `or` or the end; a text of several words stands in quotes: "{first} {following} …"')

    def quoted(self) -> str | None:
        start = self.skip()
        if self.text[start : start + 1] not in ('"', "'"):
            return None
        match = _QUOTED.match(self.text, start)
        if match is None:
            raise BadFilter(f"The quotation mark at character {start + 1} is never closed.")
        inside = match[1] if match[1] is not None else match[2]
        if not inside.strip():
            raise BadFilter(f"There is nothing between the quotation marks at character {start + 1}.")
        self.step(match.end() - start, match.group())
        return _ESCAPED.sub(r"\1", inside)

    def peek_exists(self) -> bool:
        """`exists mass` and `exists(mass)`; what is called so itself is compared."""
        rest = _EXISTS.match(self.text, self.skip())
        return rest is not None and rest.end() - rest.start() > len("exists")

    def keyword(self, wanted: str) -> bool:
        word = self.peek(_WORD)
        if word is None or word.lower() != wanted:
            return False
        self.step(len(word), word)
        return True

    def sign(self, wanted: str) -> bool:
        found = self.text[self.skip() :][:1] == wanted
        if found:
            self.step(1, wanted)
        return found

    def ends(self) -> bool:
        return self.skip() == len(self.text)

    def skip(self) -> int:
        """Where the next thing begins."""
        found = _SPACE.match(self.text, self.at)
        return found.end() if found else self.at

    def peek(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.skip())
        return found.group() if found else None

    def match(self, pattern: re.Pattern[str]) -> str | None:
        found = self.peek(pattern)
        if found is not None:
            self.step(len(found), found)
        return found

    def step(self, length: int, seen: str) -> None:
        self.at, self.after = self.skip() + length, seen

    def fail(self, expected: str) -> NoReturn:
        at = self.skip()
        behind = f" after `{self.after}`" if self.after else ""
        rest = self.text[at : at + 20]
        found = f"found `{rest}`" if rest else "the filter ends there"
        hint = f" For `{rest[0]}` write {_INSTEAD[rest[0]]}." if rest and rest[0] in _INSTEAD else ""
        raise BadFilter(f"Expected {expected}{behind} at character {at + 1}, but {found}.{hint}")
