"""Mutants of SQL: what a policy, a function or a named query could lose without a syntax error."""

import re
from collections.abc import Iterator

from tests.mutants.mutant import Mutant

# (kind, pattern, replacement): one mutant per place where the pattern stands.
REPLACED: tuple[tuple[str, str, str], ...] = (
    ("boundary", r"(?<![<>=!])<(?![<>=@])", "<="),
    ("boundary", r"(?<![<>=!-])>(?![<>=])", ">="),
    ("boundary", r"<=(?!>)", "<"),
    ("boundary", r">=", ">"),
    ("comparison", r"<>", "="),
    ("negation", r"\bis not null\b", "is null"),
    ("negation", r"\bis null\b", "is not null"),
    ("negation", r"\bnot (?=exists|in\b|\w+\.?\w*(?:\s|\)|$))(?!null|materialized|valid|distinct)", ""),
    ("negation", r"<> all\b", "= any"),
    ("lock", r"\bfor (?:no key )?update(?: of \w+)?(?: skip locked)?\b", ""),
    ("lock", r" skip locked\b", ""),
    ("order", r"\bdesc\b", "asc"),
    ("order", r"(?<=[\w)])(?=,? *\n? *limit\b)", " desc"),
    ("limit", r"\blimit (?!all\b)[^\s)]+", "limit all"),
    ("right", r"\brevoke\b[^;]*;", ";"),
    ("right", r"\bforce row level security\b", "no force row level security"),
    ("right", r"\bsecurity definer\b", "security invoker"),
    ("right", r"\bset search_path = pg_catalog, pg_temp\b", ""),
    ("choice", r"\bdistinct\b(?! from)", ""),
    ("choice", r"\bleast\b", "greatest"),
    ("choice", r"\bgreatest\b", "least"),
    ("choice", r"\bunion all\b", "union"),
    ("choice", r"\bleft join\b", "join"),
    ("constant", r"\btrue\b", "false"),
    ("constant", r"\bfalse\b", "true"),
    ("constant", r"(?<![\w.$'{:])(\d+)(?![\w.'}])", r"(\1 + 1)"),
    ("statement", r"\bon conflict\b[^;]*?do update\b", "on conflict do nothing --"),
)
# A condition of a where, a join or a check, up to what ends it at its own depth.
CONDITION = re.compile(r"\b(?:where|and|on)\s+(?!conflict|delete|update|commit)", re.IGNORECASE)
ENDS = re.compile(
    r"\b(?:and|or|group|order|limit|returning|union|for|where|left|join|cross|window|having|then|on|do|loop)\b|[;,)]"
)
GUARD = re.compile(r"\b(using|with check)\s*\(", re.IGNORECASE)


def mutants_of(path: str, source: str, blocks: set[str] | None = None) -> list[Mutant]:
    """Every mutant of a .sql file, comments apart; only of the named blocks where some are named."""
    visible = re.sub(r"--[^\n]*", lambda found: " " * len(found[0]), source)
    found: dict[tuple[int, int, str], Mutant] = {}
    for start, end, replacement, kind in (*_guards(visible), *_conditions(visible), *_replaced(visible)):
        if source[start:end] != replacement and (blocks is None or block_at(source, start) in blocks):
            found.setdefault((start, end, replacement), Mutant(path, source, start, end, replacement, kind))
    return sorted(found.values(), key=lambda m: (m.start, m.end, m.replacement))


def _guards(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Policies that say true."""
    for found in GUARD.finditer(text):
        end = _closing(text, found.end() - 1)
        if "policy" in text[max(0, found.start() - 400) : found.start()]:
            yield found.end(), end, "true", "policy"


def _conditions(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Conditions left out, one at a time."""
    for found in CONDITION.finditer(text):
        end = _condition_end(text, found.end())
        condition = text[found.end() : end].rstrip()
        before = text[: found.start()].rstrip()[-80:]
        if condition and not re.search(r"\bbetween\s+\S+$", before):
            yield found.end(), found.end() + len(condition), "true", "condition"


def _replaced(text: str) -> Iterator[tuple[int, int, str, str]]:
    for kind, pattern, replacement in REPLACED:
        for found in re.finditer(pattern, text, re.IGNORECASE):
            yield found.start(), found.end(), found.expand(replacement), kind


def _condition_end(text: str, start: int) -> int:
    place = start
    while place < len(text):
        if text[place] == "(":
            place = _closing(text, place) + 1
        elif text[place] == "'":
            place = text.find("'", place + 1) + 1 or len(text)
        elif ENDS.match(text, place) and (place == 0 or not text[place - 1].isalnum()):
            return place
        else:
            place += 1
    return len(text)


def _closing(text: str, opening: int) -> int:
    """The place of the parenthesis that closes the one at `opening`."""
    depth = 0
    for place in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)


def block_at(source: str, place: int) -> str:
    """The named query, or the function of a migration, in which a place stands."""
    names = re.findall(r"(?:^-- name: |\bfunction )(\w+)", source[:place], re.MULTILINE | re.IGNORECASE)
    return names[-1] if names else ""
