"""A question as it is read before anything is weighed against it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from shared.answering.asked import (
    asked_kinds,
    asked_owner,
    asking_verb,
    asks_for_a_value,
    asks_how_large,
    valued_phrase,
)
from shared.answering.asked_limit import asked_limits
from shared.answering.limits import AskedLimits
from shared.answering.messages import asks_what_was_asked
from shared.answering.saying import Days, Saying, days_in, letters_in
from shared.lexical.number_words import WRITTEN_OTHERWISE
from shared.lexical.query import LexicalQuery
from shared.lexical.tokenizer import tokenize
from shared.ports import Vectors
from shared.retrieval.codes import written_codes
from shared.retrieval.naming import naming_terms
from shared.retrieval.terms import Properties, coverage, properties_of, terms_in, written_of
from shared.values.quantities import find_limits

# Terms that ask what something means: a definition has none of them.
ASKING = frozenset(tokenize("mean means meant meaning define defined definition stand stands stood").counts)
# Terms of labels that say no more than that their value is a place or a time.
PLAIN_FIELDS = frozenset(tokenize("date time day place location address site").counts)


@dataclass(frozen=True)
class Question:
    """A question as it is read: its vector, its terms with their rarity, those of them that are codes, the kinds of
    value that it asks for, the terms that ask for a property or are numbers that may be in words, those of the phrase
    that names what is asked for, which documents a term names that is written as a name, whether it asks what somebody
    asked, and whether for a value, whose kinds a row may have `told` that is named so. `sized`: the terms of what it
    asks how high or large that is, a thing with a length unless a row tells other kinds. `letters`: capitals that stand
    alone, as of class S; `days`: the days that it names; `limits`: terms of numbers that a value is to be above or
    below; `asking`: terms that say no more than what kind of answer is asked for; `owner`: those of whose value is
    asked for; `limit`: what the things that are asked for are to be above or below."""

    vector: Vectors
    weights: Mapping[str, float]
    codes: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    properties: Properties = field(default_factory=dict[str, frozenset[str]])
    asked: Mapping[str, float] = field(default_factory=dict[str, float])
    naming: Mapping[str, Collection[UUID]] = field(default_factory=dict[str, frozenset[UUID]])
    of_asking: bool = False
    of_value: bool = False
    told: bool = False
    sized: Mapping[str, float] = field(default_factory=dict[str, float])
    letters: frozenset[str] = frozenset()
    days: Days = field(default_factory=dict[datetime, frozenset[str]])
    limits: frozenset[str] = frozenset()
    asking: frozenset[str] = ASKING
    owner: frozenset[str] = frozenset()
    limit: AskedLimits | None = None

    @classmethod
    def read(cls, words: LexicalQuery, vector: Vectors, naming: Mapping[str, Collection[UUID]]) -> "Question":
        """`naming`: which documents each form of the words names."""
        codes, kinds = frozenset(written_codes(words.text)), asked_kinds(words.text)
        weights, called = words.rarities(), tokenize(valued_phrase(words.text)).counts
        asked = {term: weight for term, weight in weights.items() if term in called}
        is_large = asks_how_large(words.text)
        return cls(
            vector, weights, codes, kinds, properties_of(words.text) | written_of(words.text),
            naming=naming_terms(words, naming), asked={} if is_large else asked, sized=asked if is_large else {},
            of_asking=asks_what_was_asked(words.text), of_value=bool(asked) and asks_for_a_value(words.text),
            letters=letters_in(words.text), days=days_in(words.text),
            limits=frozenset(tokenize(" ".join(find_limits(words.text))).counts), limit=asked_limits(words.text),
            asking=ASKING.union(tokenize(asking_verb(words.text)).counts),
            owner=frozenset(tokenize(asked_owner(words.text)).counts) & weights.keys(),
        )  # fmt: skip

    def told_by_rows(self, kinds: frozenset[str]) -> "Question":
        """The same where rows that are named as what is asked for have such values: a margin that is high has no
        height."""
        size = self.properties.keys() - self.sized.keys() - WRITTEN_OTHERWISE.keys() if self.sized else frozenset[str]()
        weights = {term: weight for term, weight in self.weights.items() if term not in size}
        return replace(self, kinds=kinds, told=True, asked=self.sized or self.asked, weights=weights)

    def is_named_by(self, label: str) -> bool:
        """Whether a form's label names what is asked for: the phrase that does, or else any term; or the mere place or
        time, where those are asked for."""
        if terms_in(label, self.asked or self.weights, self.properties):
            return True
        plain = tokenize(label).counts.keys() <= PLAIN_FIELDS
        return plain and not self.asked and self.kinds != {"person"}

    def share_in(self, text: str, known: frozenset[str] = frozenset()) -> float:
        """The share (0 to 1) of the terms' rarity that `text` has; `known` are terms that it need not repeat."""
        return coverage(self.weights, text, self.properties, known)

    @property
    def saying(self) -> Saying:
        """What it says of the things that it means."""
        return Saying(frozenset(self.weights.keys() - self.limits), self.letters, self.days)

    def is_restated_by(self, pair: str) -> bool:
        """Whether of `Label: value` the value has no word which the question has not, under a label that the rest of
        the question does not name: "Registration: N5921D" tells which thing is meant, and answers nothing."""
        label, _, value = pair.partition(": ")
        having = tokenize(value).counts.keys()
        beside = {term: weight for term, weight in self.weights.items() if term not in having}
        return self.saying.says(value) and not terms_in(label, beside)
