"""What the functions behind routes import when they run: read from the code objects of the application as it is.

A function leads to the functions, classes and values that its code names; an `import` inside leads to the module, and
to what is taken from it. What is called by a name that is not the program's own (a method of an argument) is not
followed.
"""

import ast
import dis
import importlib
import inspect
import sys
from collections.abc import Iterator
from functools import cache, partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tests.stacks.reached import OURS, file_of


def imported_by(endpoint: Any) -> set[str]:
    """Top-level names of all packages that a call of `endpoint` may import, which the application's start does not."""
    found, seen, left = set[str](), set[int](), [endpoint]
    while left:
        value = left.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        for module in _late_imports(value):
            found |= _loaded_with(module)
        left.extend(_led_to(value))
    return found


def _led_to(value: Any) -> Iterator[Any]:
    value = inspect.unwrap(value) if callable(value) else value
    if isinstance(value, partial):
        yield value.func
        yield from value.args
    elif isinstance(value, FunctionType):
        yield from _led_to_by(value)
    elif isinstance(value, type):
        if _is_ours(value.__module__):
            yield from (one for one in vars(value).values() if not isinstance(one, (str, int)))
    elif isinstance(value, (staticmethod, classmethod)):
        yield value.__func__
    elif isinstance(value, property):
        yield value.fget
    elif isinstance(value, dict):
        yield from value
        yield from value.values()
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from value
    elif _is_ours(type(value).__module__):
        yield type(value)
        yield from getattr(value, "__dict__", {}).values()


@cache
def _led_to_by(function: FunctionType) -> tuple[Any, ...]:
    """Most routes lead to the same functions."""
    if not _is_ours(function.__module__):
        return ()
    closed = (cell.cell_contents for cell in function.__closure__ or ())
    named = (value for code in _codes(function.__code__) for value in _named(code, function))
    return (*named, *closed, *(function.__defaults__ or ()))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """It, and those of the lambdas and functions inside."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _named(code: CodeType, function: FunctionType) -> Iterator[Any]:
    """The values of its globals, and of the attributes of modules that it names; of imports inside the same."""
    known = [function.__globals__[name] for name in code.co_names if name in function.__globals__]
    modules = [one for one in known if isinstance(one, ModuleType)]
    modules += [importlib.import_module(name) for name in _imports(code) if _is_ours(name)]
    yield from (one for one in known if not isinstance(one, ModuleType))
    for module in (one for one in modules if _is_ours(one.__name__)):
        taken = (vars(module).get(name) for name in code.co_names)
        yield from (one for one in taken if not isinstance(one, ModuleType))


def _late_imports(value: Any) -> Iterator[str]:
    value = inspect.unwrap(value) if callable(value) else value
    if isinstance(value, FunctionType) and _is_ours(value.__module__):
        yield from _late_imports_of(value)


@cache
def _late_imports_of(function: FunctionType) -> tuple[str, ...]:
    return tuple(name for code in _codes(function.__code__) for name in _imports(code))


def _imports(code: CodeType) -> Iterator[str]:
    """Modules that it imports, and what it takes from them, where that is a module."""
    module = ""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME":
            module = str(instruction.argval)
            yield module
        elif instruction.opname == "IMPORT_FROM" and file_of(f"{module}.{instruction.argval}"):
            yield f"{module}.{instruction.argval}"


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in OURS


@cache
def _loaded_with(module: str) -> frozenset[str]:
    """The packages that are loaded when the module is, by what stands at the top of it and of those that it imports."""
    seen, left, packages = {module}, [module], set[str]()
    while left:
        name = left.pop()
        if not _is_ours(name):
            packages |= {name.partition(".")[0]} - sys.stdlib_module_names
            continue
        parents = [name.rsplit(".", n)[0] for n in range(1, name.count(".") + 1)]
        new = {*parents, *_imported_at_the_top(name)} - seen
        seen |= new
        left.extend(new)
    return frozenset(packages)


def _run_at_once(node: ast.AST) -> Iterator[ast.AST]:
    """The statements that run when a module is loaded: nothing inside functions, nothing for type checkers alone."""
    for inner in ast.iter_child_nodes(node):
        checked = isinstance(inner, ast.If) and "TYPE_CHECKING" in ast.unparse(inner.test)
        if not checked and not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield inner
            yield from _run_at_once(inner)


@cache
def _imported_at_the_top(module: str) -> frozenset[str]:
    file = file_of(module)
    if file is None:
        return frozenset()
    found: set[str] = set()
    for node in _run_at_once(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(n for one in node.names if file_of(n := f"{node.module}.{one.name}"))}
    return frozenset(found)
