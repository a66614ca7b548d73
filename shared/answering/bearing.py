"""Whether the words of a sentence are those of the passages that it cites. Not whether it follows from them.

Shares and clauses were chosen on sentences that a model wrote from known pages, and on attacks:
docs/decisions/0108-attacks-and-answers.md.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from shared.lexical.languages import STOP_WORDS
from shared.lexical.tokenizer import read_tokens

# The least share that has to stand in the passages: of the words that the question has not, and of all.
SHARE_MIN: Final = 0.6
# Words of these lengths are compared by their first two thirds: rules, ruled.
ENDING_FROM: Final = 5
BEGINNING_MIN: Final = 4
_REPORTED: Final = (
    "must may shall can will should could would might according states stated state say says said also however"
    " therefore required"
)
_EMPTY: Final = frozenset(_REPORTED.split()).union(*STOP_WORDS.values())
# What begins a statement of its own. One that turns the whole into its opposite may be short: most of its words have
# to be there; of any other with two words or more, one.
_TURNS: Final = re.compile(r"[;:—–]|\s-\s|\b(?:but|however|although|though|except|unless|whereas)\b", re.I)
PARTS: Final = re.compile(
    r"[;:—–,()]|\s-\s|\b(?:but|however|although|though|except|unless|whereas|and|or|which|who|that|because|since|while"
    r"|as)\b", re.I
)  # fmt: skip
_QUOTED: Final = re.compile(r"“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|\"[^\"]*\"")


def unborne_words(
    text: str,
    passages: Sequence[str],
    named: Sequence[str] = (),
    question: str = "",
    checked: Callable[[str], bool] = str.isdigit,
    headings: Sequence[str] = (),
) -> str | None:
    """The words of `text`, or of a part of it, that keep it from being borne out; None where it is: by one passage, or
    each of its parts by one.

    `named` are names of the cited documents: what they have with a capital or a digit may be said. Words of `question`
    are not counted at first; what it quotes is not asked. Words with a digit, and those that are `checked` elsewhere,
    count as there. `headings`, one for each passage, tell what is spoken of: of the words that they have beside the
    question's, as many have to stand in the passage itself.
    """
    called, asked = _Printed(" \n ".join(named)), _Printed(_QUOTED.sub(" ", question))
    capitals = {word.casefold() for word in re.findall(r"\w+", text) if word != word.lower()}
    above = [*headings, *[""] * (len(passages) - len(headings))]
    printed = [_Printed(f"{heading}\n{passage}", passage) for heading, passage in zip(above, passages, strict=True)]

    def own(part: str, *, beyond: bool) -> list[str]:
        words = [word for word in _words(part) if not (word in capitals and word in called)]
        return [word for word in words if not (beyond and word in asked)]

    def foreign(words: Sequence[str], one: _Printed) -> list[str]:
        return [word for word in words if word.isalpha() and word not in one and not checked(word)]

    def lacking(part: str, one: _Printed) -> str | None:
        for beyond in (True, False):
            words = own(part, beyond=beyond)
            missing = foreign(words, one)
            if len(words) - len(missing) < SHARE_MIN * len(words):
                return " ".join(missing)
            headed = [word for word in words if one.is_headed(word)]
            itself = sum(word in one and word not in headed for word in words)
            if itself < len(headed):
                return " ".join(headed)
        for turn in _TURNS.split(part):
            words = own(turn, beyond=True)
            missing = foreign(words, one)
            if missing and 2 * len(missing) >= len(words):
                return " ".join(missing)
        for piece in PARTS.split(part):
            words = own(piece, beyond=True)
            missing = foreign(words, one)
            if len(missing) == len(words) > 1:
                return " ".join(missing)
        return None

    def nowhere(part: str) -> str | None:
        found = [lacking(part, one) for one in printed]
        return None if None in found else min((one for one in found if one), key=len, default=part)

    whole = nowhere(text)
    if whole is None or len(printed) == 1:
        return whole
    return next((missing for part in PARTS.split(text) if (missing := nowhere(part))), None) or (
        whole if len([part for part in PARTS.split(text) if own(part, beyond=True)]) < 2 else None
    )


class _Printed:
    """The words of a text, found by their beginnings; `below`: those of them that stand below its headings."""

    def __init__(self, text: str, below: str | None = None) -> None:
        self._beginnings = _beginnings(text)
        self._below = self._beginnings if below is None else _beginnings(below)

    def __contains__(self, word: object) -> bool:
        return _beginning(str(word)) in self._beginnings

    def is_headed(self, word: str) -> bool:
        """Whether it stands in the headings alone."""
        return word in self and _beginning(word) not in self._below


def _beginning(word: str) -> str:
    return word[: max(BEGINNING_MIN, len(word) * 2 // 3)] if len(word) >= ENDING_FROM else word


def _beginnings(text: str) -> frozenset[str]:
    forms = [token.form for token in read_tokens(text)]
    return frozenset(form[:length] for form in forms for length in range(1, len(form) + 1))


def _words(text: str) -> Iterator[str]:
    for token in read_tokens(text):
        if token.is_word and len(token.form) > 1 and token.form not in _EMPTY:
            yield token.form
