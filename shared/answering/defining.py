"""Which statements say what something is: their subject is what a question asks the meaning of, and nothing more."""

import re
from collections.abc import Callable
from typing import Final

from shared.lexical.tokenizer import tokenize

# What the subject is follows with an article, a number or a pronoun; "is recommended" says no more than how it fares.
_SAID: Final = re.compile(
    r"(?:\(?(?:\d{1,3}|[a-z])[.)]\s)?\W{0,3}(?P<subject>\S[^.;:!?\n]{0,80}?)\s+(?:(?:is|are|was|were)\s+"
    r"(?:(?:defined\s+as|called|one\s+of|any|all)\b|(?:an?|that|what|where|when|how|half|twice)\b"
    r"|the\s(?!first\b|last\b|only\b|next\b)|[$€£\d])|(?:means?|refers?\s+to|denotes?|stands?\s+for|describes?)\b)",
    re.I,
)
# "The type affinity of a column is …" says what type affinity is, and "SQLite (the library) is …" what SQLite is.
_FURTHER: Final = re.compile(r"(?<!\s)\s+(?:of|in|for)\s.*|(?<!\s)\s*\([^()]*\)", re.S)


# 2 where the name is the asked one, 1 where it has its terms ("the function" of "functions"), else 0.
Says = Callable[[str], int]
_ARTICLE: Final = re.compile(r"(?:the|an?)\s+", re.I)


def defines(term: str) -> Says:
    """Tells of a statement whether it says what `term` is; none does for ""."""
    wanted, written = tokenize(term).counts.keys(), _bare(term)

    def says(text: str) -> int:
        if not wanted:
            return 0
        subjects = [found["subject"]] if (found := _SAID.match(text)) else []
        names = [*subjects, *(_FURTHER.sub("", one) for one in subjects)]
        return max((1 + (_bare(one) == written) for one in names if tokenize(one).counts.keys() == wanted), default=0)

    return says


def _bare(name: str) -> str:
    """Without its article."""
    return _ARTICLE.sub("", name.strip(" \"'“”")).lower()


DEFINES_NOTHING: Final = defines("")
