"""Names of topics that a model gives: words of the topic's own sources, checked as what it writes is, or none."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from shared.digest.indexing import SYSTEM
from shared.digest.lines import FileLine
from shared.digest.saving import Author, DigestWriter, StoredFile
from shared.domain.digest import TITLE_MAX
from shared.domain.scope import Identity
from shared.lexical.tokenizer import read_tokens
from shared.plans.calling import call_model
from shared.ports import Answerer
from shared.prompts.topic_name_prompt import topic_name_request
from shared.runtime import Runtime

WORDS_MAX: Final = 8
# What one source alone says is not what a topic of several is about.
SOURCES_MIN: Final = 2
# One line of letters, digits and what joins or separates words.
_PLAIN: Final = re.compile(r"[\w ,.:;&/()'’+%°-]+")
# What leads out, or turns what it says.
_TURNS: Final = re.compile(
    r"(?i)://|www\.|@|\w\.(?:com|org|net|example)\b|\b(?:not?|never|nicht|nie|kein\w*|pas|jamais|non)\b"
)


def ask_name(
    runtime: Runtime,
    identity: Identity,
    model: Answerer,
    headings: Sequence[str],
    passages: Sequence[str],
    taken: Collection[str],
    deadline: float,
) -> str | None:
    """None where what it says is no name for this. Counted to the organization's budget as any call is. Raises
    BudgetSpent and Unavailable."""
    request = topic_name_request(headings, passages, taken)
    reply, _ = call_model(runtime, identity, model, request, deadline)
    name = _read(reply.text)
    return name if name is not None and is_name(name, headings, passages, taken) else None


def is_name(name: str, headings: Sequence[str], passages: Sequence[str], taken: Collection[str]) -> bool:
    """Whether it is short, plain, nobody else's, denies nothing, and is made of words that stand in the topic's
    sources: those that say something in two of them where there are as many. Headings are one source, however many
    there are."""
    tokens = [token.form for token in read_tokens(name)]
    if not tokens or len(name) > TITLE_MAX or len(name.split()) > WORDS_MAX:
        return False
    if not _PLAIN.fullmatch(name) or _TURNS.search(name) or name.casefold() in {one.casefold() for one in taken}:
        return False
    texts = ["\n".join(headings), *passages]
    if not set(_words(name)) <= {word for text in texts for word in _words(text)}:
        return False
    sources, least = [_forms(text) for text in texts], min(SOURCES_MIN, len(passages))
    return all(sum(word in one for one in sources) >= least for word in tokens)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _forms(text: str) -> frozenset[str]:
    return frozenset(token.form for token in read_tokens(text))


def _read(text: str) -> str | None:
    try:
        said: Any = json.loads(text)
    except ValueError:
        return None
    name = said.get("name") if isinstance(said, dict) else None
    return " ".join(name.split()) if isinstance(name, str) and name.strip() else None


def rename(writer: DigestWriter, topic: UUID, title: FileLine) -> None:
    """In the topic's files and where an index lists it. Their paths stay."""
    author = Author("agent", title.author)
    for tier in ("summary", "description"):
        if (file := writer.of_topic(topic, tier)) is not None:
            _save(writer, file, [title, *file.lines[1:]], author, f"named by {title.author}")
    for index in writer.of_tier("index"):
        if any(line.statement_id == topic for line in index.lines):
            entries = [_listed(line, title) if line.statement_id == topic else line for line in index.lines[1:]]
            entries.sort(key=lambda line: (line.text.partition(" | ")[0].casefold(), line.text))
            _save(writer, index, [index.title, *entries], SYSTEM, None)


def _listed(line: FileLine, title: FileLine) -> FileLine:
    about = line.text.partition(" | ")[2]
    return replace(line, text=f"{title.text} | {about}", sources=title.sources or line.sources, row_id=None)


def _save(
    writer: DigestWriter, file: StoredFile, lines: Sequence[FileLine], author: Author, summary: str | None
) -> None:
    row: Mapping[str, Any] = file.row
    writer.save(
        file, row["tier"], lines, author, path=row["path"], topic_id=row["topic_id"], parent_id=row["parent_id"],
        summary=summary,
    )  # fmt: skip
