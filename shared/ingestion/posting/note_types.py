"""What a pasted text seems to be, what it may be called, and which tags it might have.

Signs, not a model: whoever posts it can say otherwise.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from shared.domain.notes import NoteType

TITLE_CHARACTERS: Final = 80
SUGGESTED_MAX: Final = 5
# Of the lines that are not empty.
MOST: Final = 0.6
_CODE_END: Final = re.compile(r"[;{}]$|^[)\]}]+[,;]?$")
_CODE_START: Final = re.compile(
    r"(?:def|class|import|from|return|if|for|while|const|let|var|function|fn|pub|public|private|static|void|int|#include"
    r"|package|using|select|insert|update|create|echo|export|elif|else|try|except|catch)\b.*[(:;{=*\"'<>]"
    r"|return\b|[\w.]+\(.*\)\)*;?$|(?:import|from|use|package|#include) \S+$"
    r"|[A-Za-z_][\w.]* ?[-+*/|]?= ?\S|[#$>%] \w+ -|@\w+|</?\w+>?"
)
_CORRECTION: Final = re.compile(
    r"(?:correction|corrected|corrigendum|erratum|errata|korrektur|berichtigung)\b\s*[:\-.]?"
    r"|[^\n]{0,200}\b(?:should (?:read|be|say)|is wrong|is incorrect|was wrong|instead of|must read|muss heißen)\b",
    re.IGNORECASE,
)
_LINK: Final = re.compile(r"https?://\S+|doi:\s?\S+|\b10\.\d{4,9}/\S+|isbn[ :]?[-\d]{9,}|arxiv:\s?\S+", re.IGNORECASE)
_HASHTAG: Final = re.compile(r"(?<![\w#/&])#([^\W\d_][\w-]{1,38})")
_WORD: Final = re.compile(r"[^\W\d_][\w'-]*")


def detect_type(text: str, corrects: bool = False) -> NoteType:
    """The type of a note; a text that is said to correct something is a correction."""
    lines = [line for line in text.splitlines() if line.strip()]
    if corrects or (lines and _CORRECTION.match(lines[0].strip())):
        return "correction"
    if _is_table(lines):
        return "table"
    if _is_code(lines):
        return "code"
    links = _LINK.findall(text)
    rest = _WORD.findall(_LINK.sub(" ", text))
    if links and len(rest) <= 40 * len(links) and len(lines) <= 4 * len(links) + 2:
        return "reference"
    return "prose"


def title_of(text: str) -> str:
    """The first line with words, without marks of headings, to a whole word; "Note" where there is none."""
    for line in text.splitlines():
        bare = " ".join(line.replace("\t", " ").strip().lstrip("#>*-|`").strip("|` ").split())
        if _WORD.search(bare):
            if len(bare) <= TITLE_CHARACTERS:
                return bare
            return bare[: TITLE_CHARACTERS + 1].rpartition(" ")[0].rstrip(",;:") or bare[:TITLE_CHARACTERS]
    return "Note"


def suggest_tags(text: str, known: Sequence[str], given: Sequence[str] = ()) -> list[str]:
    """Tags that the text writes itself (#so), then those of other notes that it mentions, then names that it repeats;
    without those that it has."""
    lowered = f" {' '.join(_WORD.findall(text.lower()))} "
    written = [tag.lower() for tag in _HASHTAG.findall(text)]
    mentioned = [tag for tag in known if f" {tag} " in lowered]
    found = dict.fromkeys([*written, *mentioned, *_repeated_names(text)])
    return [tag for tag in found if tag not in given][:SUGGESTED_MAX]


def _repeated_names(text: str) -> list[str]:
    """Words with a capital letter within a sentence, that occur twice at least."""
    names = Counter(
        found[0].lower()
        for found in _WORD.finditer(text)
        if found[0][0].isupper()
        and len(found[0]) > 2
        and text[: found.start()].rstrip(" ")[-1:] not in ("", ".", "\n", "!", "?", ":")
    )
    return [name for name, count in names.most_common() if count > 1]


def _is_table(lines: Sequence[str]) -> bool:
    if len(lines) < 2:
        return False
    tabs = Counter(line.count("\t") for line in lines)
    columns, same = tabs.most_common(1)[0]
    if columns and same >= MOST * len(lines):
        return True
    pipes = sum(line.strip().startswith("|") and line.strip().count("|") > 2 for line in lines)
    return pipes >= MOST * len(lines)


def _is_code(lines: Sequence[str]) -> bool:
    if lines and lines[0].startswith("```") and lines[-1].startswith("```"):
        return True
    signs = sum(bool(_CODE_END.search(line.rstrip()) or _CODE_START.match(line.strip())) for line in lines)
    return bool(lines) and signs >= MOST * len(lines)
