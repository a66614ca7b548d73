"""The functions of expressions: what each takes and gives, and its SQL."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

Kind = Literal["number", "text", "boolean", "date"]


class Function(NamedTuple):
    """`kinds` of what it takes, the last one of all further; None: any. `kind` of what it gives; None: as it takes."""

    kinds: tuple[Kind | None, ...]
    kind: Kind | None
    sql: Callable[[Sequence[str]], str]
    least: int = 1
    most: int = 1
    keeps_unit: bool = False
    whole: bool = False

    @property
    def takes(self) -> str:
        return (
            f"{self.least} value{'s' * (self.least > 1)}"
            if self.least == self.most
            else f"{self.least} and more values"
        )


def _rounded(number: str, digits: str = "0") -> str:
    return f"round(cast({number} as double), cast({digits} as integer))"


def _chosen(condition: str, one: str, other: str) -> str:
    """Missing where the condition is: of a temperature that is missing it is not known whether it is above 20. The
    condition stands once, as what is nested in `finite` does."""
    return f"[{other}, {one}][cast({condition} as integer) + 1]"


def _plain(name: str) -> Callable[[Sequence[str]], str]:
    return lambda parts: f"{name}({', '.join(parts)})"


def finite(sql: str) -> str:
    """A number of floating point; missing where there is none, as of a division by 0. What is nested doubles the length
    of a statement with each level where it is written, or expanded by DuckDB (`nullif`), twice: here it stands once."""
    return f"list_filter([cast({sql} as double)], lambda v: isfinite(v))[1]"


def _finite(name: str) -> Callable[[Sequence[str]], str]:
    return lambda parts: finite(f"{name}(cast({parts[0]} as double))")


_ANY: Final[tuple[Kind | None, ...]] = (None,)
_NUMBER: Final[tuple[Kind | None, ...]] = ("number",)
_TEXT: Final[tuple[Kind | None, ...]] = ("text",)
FUNCTIONS: Final[Mapping[str, Function]] = {
    "abs": Function(_NUMBER, "number", _plain("abs"), keeps_unit=True),
    "floor": Function(_NUMBER, "number", _plain("floor"), keeps_unit=True),
    "ceil": Function(_NUMBER, "number", _plain("ceil"), keeps_unit=True),
    "round": Function(_NUMBER, "number", lambda p: _rounded(*p), 1, 2, keeps_unit=True),
    "sqrt": Function(_NUMBER, "number", _finite("sqrt")),
    "ln": Function(_NUMBER, "number", _finite("ln")),
    "log10": Function(_NUMBER, "number", _finite("log10")),
    "log2": Function(_NUMBER, "number", _finite("log2")),
    "exp": Function(_NUMBER, "number", _finite("exp")),
    "least": Function(_ANY, None, _plain("least"), 2, 20, keeps_unit=True),
    "greatest": Function(_ANY, None, _plain("greatest"), 2, 20, keeps_unit=True),
    "coalesce": Function(_ANY, None, _plain("coalesce"), 2, 20, keeps_unit=True),
    "if": Function(
        ("boolean", None), None, lambda p: _chosen(*p), 3, 3, keeps_unit=True
    ),
    "is_missing": Function(_ANY, "boolean", lambda p: f"({p[0]} is null)"),
    "lower": Function(_TEXT, "text", _plain("lower")),
    "upper": Function(_TEXT, "text", _plain("upper")),
    "trim": Function(_TEXT, "text", _plain("trim")),
    "length": Function(_TEXT, "number", _plain("length"), whole=True),
    "concat": Function(_TEXT, "text", _plain("concat"), 2, 20),
    "contains": Function(_TEXT, "boolean", _plain("contains"), 2, 2),
    "starts_with": Function(_TEXT, "boolean", _plain("starts_with"), 2, 2),
    "replace": Function(_TEXT, "text", _plain("replace"), 3, 3),
    "substring": Function(
        ("text", "number", "number"), "text",
        lambda p: f"substring({p[0]}, {', '.join(f'try_cast({one} as bigint)' for one in p[1:])})", 2, 3,
    ),
    "number": Function(_TEXT, "number", lambda p: finite(f"try_cast({p[0]} as double)")),
    "text": Function(_ANY, "text", lambda p: f"cast({p[0]} as varchar)"),
    **{
        part: Function(("date",), "number", _plain(part), whole=True)
        for part in ("year", "month", "day")
    },
}  # fmt: skip
