"""Mutants of Python source: each changes one node of the syntax tree and leaves every other character as it is."""

import ast
import copy
import re
from collections.abc import Callable, Iterator
from typing import Any, cast

from tests.mutants.mutant import Mutant

Change = tuple[ast.AST, str, str]

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.Pow: ast.Mult,
}
EXCHANGED = {"min": "max", "max": "min", "any": "all", "all": "any"}
# Without arguments these tidy text: leaving them out is a mistake that only odd text shows.
TIDYING = {"strip", "lower", "upper", "casefold", "rstrip", "lstrip", "normalize"}
ANCHORS = re.compile(r"\\[bAZ]|(?<!\[)\^|\$(?!\))|(?<![\\(])[+](?=[^?+]|$)")
# What a list of permissions, origins or prefixes would become in a hurry.
WIDENED = {"allowed_origins", "allowed_headers", "actions", "resources"}


def mutants_of(path: str, source: str, functions: set[str] | None = None) -> list[Mutant]:
    """Every mutant of a module, in the order of its text; only of the named functions where some are named."""
    tree = ast.parse(source)
    offsets = _line_offsets(source)
    chosen = [tree] if functions is None else [n for n in ast.walk(tree) if getattr(n, "name", None) in functions]
    found: dict[tuple[int, int, str], Mutant] = {}
    for top in chosen:
        for node, replacement, kind in _changes(top, top, source):
            start, end = _span(node, source, offsets)
            if source[start:end] != replacement:
                found.setdefault((start, end, replacement), Mutant(path, source, start, end, replacement, kind))
    return sorted(found.values(), key=lambda m: (m.start, m.end, m.replacement))


def _changes(node: ast.AST, function: ast.AST, source: str) -> Iterator[Change]:
    """All changes below `node`. Skipped: annotations, decorators, f-strings (their places are unknown), messages."""
    if isinstance(node, (ast.JoinedStr, ast.Import, ast.ImportFrom)) or _is_assurance(node):
        return
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        function = node
    for kind, make in MAKERS:
        for target, replacement in make(node, function, source):
            yield target, replacement, kind
    for child in _children(node):
        yield from _changes(child, function, source)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list") or (name == "exc" and isinstance(node, ast.Raise)):
            continue
        for child in cast(list[Any], value) if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_docstring(child):
                yield child


def _comparisons(node: ast.AST, function: ast.AST, source: str) -> Iterator[tuple[ast.AST, str]]:
    if isinstance(node, ast.Compare):
        for place, op in enumerate(node.ops):
            for other in COMPARED[type(op)]:
                changed = copy.deepcopy(node)
                changed.ops[place] = other()
                yield node, _expression(changed)


def _conditions(node: ast.AST, function: ast.AST, source: str) -> Iterator[tuple[ast.AST, str]]:
    if isinstance(node, ast.BoolOp):
        changed = copy.deepcopy(node)
        changed.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, _expression(changed)
        for place in range(len(node.values)):
            kept = [value for n, value in enumerate(node.values) if n != place]
            yield node, _expression(kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, _expression(node.operand)
    if isinstance(node, (ast.If, ast.While, ast.IfExp)) and not isinstance(node.test, (ast.UnaryOp, ast.Compare)):
        yield node.test, f"(not {_expression(node.test)})"
    if isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield test, "True"


def _arithmetic(node: ast.AST, function: ast.AST, source: str) -> Iterator[tuple[ast.AST, str]]:
    if isinstance(node, ast.BinOp) and type(node.op) in CALCULATED:
        changed = copy.deepcopy(node)
        changed.op = CALCULATED[type(node.op)]()
        yield node, _expression(changed)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
        yield node, _expression(node.operand)


def _constants(node: ast.AST, function: ast.AST, source: str) -> Iterator[tuple[ast.AST, str]]:
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if isinstance(value, bool):
        yield node, str(not value)
    elif isinstance(value, int):
        yield node, str(value + 1)
        yield node, str(max(value - 1, 0))
    elif isinstance(value, float):
        yield node, repr(value * 1.01)
        yield node, repr(value * 2)
    elif isinstance(value, str) and value:
        yield node, '""'
        for part in _parts(value):
            yield node, repr(part)


def _parts(value: str) -> Iterator[str]:
    """A list in a string without one of its parts; a pattern without an anchor or a repetition."""
    separator = next((s for s in ("; ", ", ") if s in value), None)
    if separator:
        parts = value.split(separator)
        yield from (separator.join(p for n, p in enumerate(parts) if n != place) for place in range(len(parts)))
    elif "\\" in value or "[" in value:
        for found in list(ANCHORS.finditer(value))[:4]:
            changed = value[: found.start()] + value[found.end() :]
            if _compiles(changed):
                yield changed


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _calls(node: ast.AST, function: ast.AST, source: str) -> Iterator[tuple[ast.AST, str]]:
    if not isinstance(node, ast.Call):
        return
    if isinstance(node.func, ast.Name) and node.func.id in EXCHANGED:
        yield node.func, EXCHANGED[node.func.id]
    if isinstance(node.func, ast.Attribute) and node.func.attr in TIDYING and not node.args:
        yield node, _expression(node.func.value)
    exchangeable = isinstance(node.func, ast.Name) and node.func.id in EXCHANGED
    if len(node.args) > 1 and not exchangeable and not any(isinstance(a, ast.Starred) for a in node.args[:2]):
        changed = copy.deepcopy(node)
        changed.args[0], changed.args[1] = changed.args[1], changed.args[0]
        yield node, ast.unparse(changed)
    for place, keyword in enumerate(node.keywords):
        if _is_assurance(keyword):
            continue
        changed = copy.deepcopy(node)
        del changed.keywords[place]
        yield node, ast.unparse(changed)
        if keyword.arg in WIDENED:
            changed = copy.deepcopy(node)
            changed.keywords[place].value = ast.List([ast.Constant("*")], ast.Load())
            yield node, ast.unparse(changed)


def _slices(node: ast.AST, function: ast.AST, source: str) -> Iterator[tuple[ast.AST, str]]:
    if isinstance(node, ast.Slice):
        for bound in (node.lower, node.upper):
            if bound is not None:
                yield bound, ""
                yield bound, f"{_expression(bound)} + 1"


def _choices(node: ast.AST, function: ast.AST, source: str) -> Iterator[tuple[ast.AST, str]]:
    if isinstance(node, ast.IfExp):
        yield node, _expression(node.body)
        yield node, _expression(node.orelse)


def _returns(node: ast.AST, function: ast.AST, source: str) -> Iterator[tuple[ast.AST, str]]:
    if not isinstance(node, ast.Return) or node.value is None:
        return
    declared = getattr(function, "returns", None)
    kind = ast.unparse(declared) if declared is not None else ""
    if kind == "bool":
        yield node.value, "True"
        yield node.value, "False"
    elif kind.startswith("list"):
        yield node.value, "[]"
    elif kind.startswith("dict"):
        yield node.value, "{}"
    elif "None" in kind:
        yield node.value, "None"


def _statements(node: ast.AST, function: ast.AST, source: str) -> Iterator[tuple[ast.AST, str]]:
    """Statements that can go without leaving a name undefined: what is left runs, and does less."""
    if isinstance(node, ast.Assign):
        removable = all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets)
    else:
        removable = isinstance(node, (ast.Expr, ast.AugAssign, ast.Raise, ast.Continue, ast.Break))
    if removable and not _is_docstring(node):
        yield node, "pass"
    if isinstance(node, ast.If) and not node.orelse:
        yield node.test, "False"


MAKERS: tuple[tuple[str, Callable[[ast.AST, ast.AST, str], Iterator[tuple[ast.AST, str]]]], ...] = (
    ("comparison", _comparisons),
    ("condition", _conditions),
    ("arithmetic", _arithmetic),
    ("constant", _constants),
    ("call", _calls),
    ("slice", _slices),
    ("choice", _choices),
    ("return", _returns),
    ("statement", _statements),
)


def _is_assurance(node: ast.AST) -> bool:
    """`strict=True` of zip: it only says that lengths never differ."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _expression(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if isinstance(node, (ast.Name, ast.Constant, ast.Call, ast.Attribute)) else f"({text})"


def _line_offsets(source: str) -> list[int]:
    offsets = [0]
    for line in source.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    return offsets


def _span(node: ast.AST, source: str, offsets: list[int]) -> tuple[int, int]:
    """Where a node stands, in characters; the tree counts columns in bytes."""
    placed = cast(Any, node)
    return (
        _column(source, offsets, placed.lineno, placed.col_offset),
        _column(source, offsets, placed.end_lineno, placed.end_col_offset),
    )


def _column(source: str, offsets: list[int], line: int, column: int) -> int:
    start = offsets[line - 1]
    text = source[start : offsets[line]]
    return start + len(text.encode()[:column].decode())
