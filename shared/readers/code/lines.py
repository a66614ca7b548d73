"""Finds the definitions of languages whose lines say where they end: by indentation, or by a word as far indented as
what it ends. And those of SQL, which end with their statement."""

import re
from typing import Final

from shared.readers.code.definition import Definition, key_of
from shared.readers.code.languages import Kind, Language, Pattern

_LINE: Final = re.compile(r"([ \t]*+)([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_BEGIN: Final = re.compile(
    r"\b(?:begin|case)\b|\bend(?:\s+case)?\b(?!\s+(?:if|loop|while|repeat)\b)|;|^[ \t]*(?:/|go)[ \t]*\r?$", re.I | re.M
)
# In Oracle and T-SQL a batch ends with such a line.
_BATCH: Final = re.compile(r"^[ \t]*(?:/|go)[ \t]*\r?$", re.I | re.M)
# A method of one expression.
_SHORT: Final = re.compile(r"[ \t]*+(?:\([^)]{0,200}\)[ \t]*+)?=(?![=~>])")
_TAB: Final = 8
Open = tuple[int, int, Kind, tuple[int, int], str]


def indented(text: str, bare: str, language: Language) -> list[Definition]:
    """A definition ends before the first statement that is no further indented; lines within brackets are no
    statements, unless they begin as a definition does: then a bracket is missing."""
    found: list[Definition] = []
    around: list[tuple[int, Open]] = []
    depth = end = 0
    decorated = -1
    for line in _LINE.finditer(bare):
        said = line[2]
        if not said.strip():
            continue
        matched = _heads(language.heads, said)
        if depth <= 0 or matched:
            depth = 0
            indent = len(line[1].expandtabs(_TAB))
            while around and around[-1][0] >= indent:
                found.append(_ended(around.pop()[1], end))
            if matched:
                kind, named = matched
                start = decorated if decorated >= 0 else line.start(2)
                around.append((indent, _opened(text, kind, named, start, line.start(2))))
            decorated = (decorated if decorated >= 0 else line.start(2)) if said.startswith("@") else -1
        depth += sum(map(said.count, "([{")) - sum(map(said.count, ")]}"))
        end = line.start() + len(line[1]) + len(said.rstrip())
    return [*found, *(_ended(one, end) for _, one in around)]


def ended(text: str, bare: str, language: Language) -> list[Definition]:
    """A definition ends with the line that begins with the word for it, as far indented as the definition. One for
    which there is none is none."""
    found: list[Definition] = []
    around: list[tuple[str, Open]] = []
    for line in _LINE.finditer(bare):
        indent, said = line[1], line[2].rstrip()
        if not said:
            continue
        behind = line.start() + len(indent) + len(said)
        if around and language.end.match(said):
            at = next((n for n in reversed(range(len(around))) if around[n][0] == indent), -1)
            if at >= 0:
                found.append(_ended(around[at][1], behind))
                del around[at:]
        elif matched := _heads(language.heads, said):
            kind, named = matched
            opened = _opened(text, kind, named, line.start(2), line.start(2))
            if _is_whole(said, named, language):
                found.append(_ended(opened, behind))
            else:
                around.append((indent, opened))
    return found


def stated(text: str, bare: str, language: Language) -> list[Definition]:
    """A definition ends with its statement, behind as many ends as it has begins."""
    found: list[Definition] = []
    (kind, pattern, _), at = language.heads[0], 0
    while matched := pattern.search(bare, at):
        following = pattern.search(bare, matched.end())
        limit = following.start() if following else len(bare)
        end = _end_of_statement(
            bare, matched.end(), limit, matched["what"].lower() not in ("table", "view", "type", "domain")
        )
        start = matched.start() + len(matched[0]) - len(matched[0].lstrip())
        found.append(_ended(_opened(text, kind, matched, start, 0), end))
        at = max(end, matched.end())
    return found


def _end_of_statement(bare: str, at: int, limit: int, blocks: bool) -> int:
    if blocks and (batch := _BATCH.search(bare, at, limit)):
        return at + len(bare[at : batch.start()].rstrip())
    depth = 0
    for token in _BEGIN.finditer(bare, at, limit):
        said = token[0].strip().lower()
        if said == ";":
            if depth <= 0:
                return token.end()
        elif said in ("/", "go"):
            return token.start()
        elif blocks:
            depth += -1 if said.startswith("end") else 1
    return at + len(bare[at:limit].rstrip())


def _heads(patterns: tuple[Pattern, ...], said: str) -> tuple[Kind, re.Match[str]] | None:
    for kind, pattern, _ in patterns:
        if matched := pattern.match(said):
            return kind, matched
    return None


def _opened(text: str, kind: Kind, matched: re.Match[str], start: int, line: int) -> Open:
    """`line`: where the text begins in which the name was found."""
    span = line + matched.start("name"), line + matched.end("name")
    return start, 0, kind, span, key_of(text[slice(*span)])


def _ended(one: Open, end: int) -> Definition:
    start, _, kind, span, key = one
    return Definition(kind, start, max(end, span[1]), *span, key)


def _is_whole(said: str, named: re.Match[str], language: Language) -> bool:
    """Whether a definition ends in the line where it begins."""
    behind = said[named.end() :]
    words = behind.replace(";", " ").split()
    if words and language.end.fullmatch(words[-1]):
        return True
    return language.source_type == "ruby" and _SHORT.match(behind) is not None
