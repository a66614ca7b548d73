"""What a question set is: gold questions, and the files or passages that they ask."""

from dataclasses import dataclass, field
from pathlib import Path

from tests.store.seeding import Passage

Page = tuple[str, int]


@dataclass(frozen=True)
class Question:
    """A gold question: the pages that answer it, as (file name, page), and the documents; `pin` is the one asked.

    `kind` is numeric, definition, named document, code or other.
    """

    text: str
    pages: frozenset[Page]
    documents: frozenset[str]
    pin: str | None = None
    kind: str = "other"


@dataclass(frozen=True)
class QuestionSet:
    """The files of one knowledge base, or its documents' passages by name, and what is asked of them."""

    files: list[Path]
    questions: list[Question]
    texts: dict[str, list[Passage]] = field(default_factory=dict[str, list[Passage]])
