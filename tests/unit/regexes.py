"""Every regular expression of the packages that see text of documents, queries or requests, and how each is used."""

import ast
import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import shared

PACKAGES = (
    "answering", "archive", "digest", "domain", "evaluation", "extraction", "filters", "ingestion", "lab", "lexical",
    "library", "people", "plans", "readers", "rereading", "retrieval", "store", "values", "vectors", "verify",
)  # fmt: skip
FUNCTIONS = {"match", "search", "fullmatch", "sub", "subn", "finditer", "findall", "split"}
GOING_THROUGH = {"sub", "subn", "finditer", "findall", "split"}
ROOT = Path(shared.__file__).parent


@dataclass(frozen=True)
class Found:
    """A pattern, where it stands, and the functions that it is used with."""

    place: str
    pattern: re.Pattern[Any]
    functions: frozenset[str]

    @property
    def expression(self) -> str:
        """Of bytes as the text that it would be."""
        written = self.pattern.pattern
        return written if isinstance(written, str) else written.decode()

    def use(self, text: str) -> None:
        """Every use of the pattern on `text`; what goes through the whole text does so in the same way."""
        said = text if isinstance(self.pattern.pattern, str) else text.encode("utf-8", "replace")
        if self.functions & GOING_THROUGH:
            for _ in self.pattern.finditer(said):
                pass
        for function in self.functions - GOING_THROUGH:
            getattr(self.pattern, function)(said)


def modules() -> Iterator[ModuleType]:
    for package in PACKAGES:
        for info in pkgutil.walk_packages([str(ROOT / package)], f"shared.{package}."):
            yield importlib.import_module(info.name)


@cache
def sources() -> list[tuple[Path, ast.Module]]:
    files = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return [(path, ast.parse(path.read_text())) for path in files]


def compiled() -> Iterator[Found]:
    """Those that stand in a module's name, also inside a list, a tuple or a dictionary."""
    uses = _uses()
    seen: set[tuple[str, str]] = set()
    for module in modules():
        for name, value in vars(module).items():
            for pattern in _patterns(value):
                place = (module.__name__ if name.startswith("_") else "", name)
                if (name, pattern.pattern) not in seen:
                    seen.add((name, pattern.pattern))
                    yield Found(f"{module.__name__}.{name}", pattern, uses.get(place, frozenset(FUNCTIONS)))


def literal() -> Iterator[Found]:
    """Those that are written where they are used."""
    for path, tree in sources():
        for call in _calls(tree):
            match call:
                case ast.Call(func=ast.Attribute(attr=name), args=[ast.Constant(value=str(pattern)), *_]) if (
                    name in FUNCTIONS
                ):
                    yield Found(f"{path.relative_to(ROOT)}:{call.lineno}", re.compile(pattern), frozenset({name}))
                case _:
                    pass


def put_together() -> list[str]:
    """Where a pattern is made inside a function out of parts: nobody can try it from outside."""
    found: list[str] = []
    for path, tree in sources():
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        inside = {id(node) for function in functions for node in ast.walk(function)}
        found += [
            f"{path.relative_to(ROOT)}: {ast.unparse(call)}"
            for call in _calls(tree)
            if id(call) in inside and not isinstance(call.args[0], ast.Constant | ast.Name)
        ]
    return found


def repeated_unsafely() -> list[str]:
    """Groups that are repeated possessively and whose last alternative is not `(?!)`. Up to Python 3.11.4 the place of
    a last repetition that failed in its midst was kept, unless another alternative was tried from its beginning."""
    return [
        f"{path.relative_to(ROOT)}: {node.value}"
        for path, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and _REPEATED.search(str(node.value))
    ]


# `(?!)` inside, and no bracket or backslash before the end: `()*+` lists characters, `\\)*+` repeats a character.
_REPEATED = re.compile(r"(?<![(\\])(?<!\|\(\?!\))\)(?:[*+?]|\{+\d*,?\d*\}+)\+")


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    """Calls of functions of `re` itself, with a pattern."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name), args=[_, *_]) if (
                name in FUNCTIONS or name == "compile"
            ):
                yield node
            case _:
                pass


def _uses() -> dict[tuple[str, str], frozenset[str]]:
    """The functions called on a name, in its module (private names) or anywhere; all of them for one handed on."""
    used: dict[tuple[str, str], set[str]] = {}
    for path, tree in sources():
        module = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
        called = {id(n.value): n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr in FUNCTIONS}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                function = called.get(id(node))
                place = (module if node.id.startswith("_") else "", node.id)
                used.setdefault(place, set()).update({function} if function else FUNCTIONS)
    return {place: frozenset(functions) for place, functions in used.items()}


def _patterns(value: Any) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for part in (*value.keys(), *value.values()):
            yield from _patterns(part)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for part in value:
            yield from _patterns(part)


COMMON = (".", " ", "-", "0", "a", "A", "(", ",", "1.", ". ", "0 ", "a ", "a-", "a.", "1,", "A1", "(a", "\t", "é")
# Longer ones stand too few times in a text to show how its time grows.
EXAMPLE_MAX = 60
# The parser of `re` itself: what a pattern is made of is said nowhere else.
_PARSER = importlib.import_module("re._parser")
# Ends every text: what is looked for at an end is nearly there.
NO_END = "☃"


def examples_of(pattern: re.Pattern[Any]) -> list[str]:
    """A short text for each of the alternatives at the pattern's top: words that only stand together there."""
    parts = list(_PARSER.parse(pattern.pattern, pattern.flags))
    whole = len(parts) == 1 and str(parts[0][0]) == "BRANCH"
    found = map(_example, parts[0][1][1] if whole else [parts])
    return [one for one in dict.fromkeys(found) if 1 < len(one) <= EXAMPLE_MAX]


def _example(parts: Iterable[Any]) -> str:
    return "".join(_short(str(kind), value) for kind, value in parts)


def _short(kind: str, value: Any) -> str:
    """What one part of a pattern takes, at the least; "" for what looks around."""
    match kind:
        case "LITERAL":
            return chr(value)
        case "NOT_LITERAL" | "ANY":
            return "a"
        case "IN":
            return _one_of(value)
        case "BRANCH":
            return _example(value[1][0])
        case "SUBPATTERN":
            return _example(value[-1])
        case "ATOMIC_GROUP":
            return _example(value)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _example(value[2]) * min(value[0], 3)
        case _:
            return ""


def _one_of(choices: Any) -> str:
    kind, value = choices[0]
    match str(kind):
        case "LITERAL":
            return chr(value)
        case "RANGE":
            return chr(value[0])
        case "CATEGORY":
            return {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}.get(str(value), "-")
        case _:
            return "a"


def units_of(pattern: str) -> list[str]:
    """What the pattern itself is made of, alone and in pairs, and what most texts are."""
    plain = re.sub(r"\\[a-zA-Z]|\(\?[^)]*", "", pattern)
    own = sorted({c for c in plain if not c.isspace() and c not in "?*+|[]{}^"})[:10]
    return list(dict.fromkeys([*COMMON, *own, *(f"{c} " for c in own)]))


def hostile(unit: str, length: int) -> str:
    """That many characters of units, and the end."""
    return (unit * length)[:length] + NO_END


def seconds(use: Callable[[str], object], text: str) -> float:
    """CPU time of this thread alone: what others of the process do meanwhile is theirs."""
    begun = time.thread_time()
    use(text)
    return time.thread_time() - begun
