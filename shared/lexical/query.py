"""A query as the lexical index reads it: its terms, their rarity in scope, and their counts per impact level.

A search parses it once; ranking and fusion take from it what they need.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import itemgetter
from uuid import UUID

from pgvector import SparseVector

from shared.lexical.languages import ENGLISH
from shared.lexical.periods import abbreviate_quarters, numbered_dates, quarters, spell_period
from shared.lexical.properties import asked_fields, asked_properties, asking_words
from shared.lexical.spelling import correct_words, function_words_in, is_english, replace_words
from shared.lexical.statistics import Histogram, chunk_totals, complete_word, term_histograms
from shared.lexical.syntax import parse_query
from shared.lexical.tokenizer import TERM_SPACE, is_code, language_of, read_tokens, term_number, tokenize
from shared.store.connect import Connection

# Of a longer query the rarest words are used; more would make scoring each chunk slow.
WORDS_MAX = 64
COMPLETIONS_MAX = 32
# Weight of a code in the query: without it, "what does 1.1.6 say" finds passages with "say". Chosen on rule books; it
# changes nothing on three other question collections: docs/decisions/0018-bounded-lexical-reads.md
CODE_WEIGHT = 2.0


# Documents use them in earnest ("must", "may not"), hence they are no stop words of the index.
_AUXILIARIES = frozenset({
    "may", "might", "must", "shall", "many", "much", "happen", "happens", "happened", "occur", "occurs", "occurred",
    "someone", "somebody", "something", "anyone", "anybody", "anything", "everyone", "everybody", "everything", "none",
    "nothing", "another", "else", "unless", "although", "though", "whether", "yet", "since", "upon", "please", "thing",
    "things",
})  # fmt: skip
_PART = re.compile(r"[^\W_]+")
_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
# Not at the beginning of a sentence.
_NAMED = re.compile(
    r"(?<!^)(?<![.!?] )\b[A-Z][a-z]+\b|\bMay(?= \d)|(?<=[\"'`\u201c\u2018])[A-Za-z]+(?=[\"'`\u201d\u2019])"
)

# Each word form with how often it occurs, and its {term: term number}.
Forms = dict[str, tuple[int, dict[str, int]]]


@dataclass(frozen=True)
class Term:
    """A term of the query: its number, the language of its chunks ('' for any), and its weight."""

    number: int
    language: str
    weight: float


@dataclass(frozen=True)
class Word:
    """A word of the query with its terms, one per language in scope, and those of the nouns of a property that it asks
    for; all of them share one rarity.

    `terms` maps language to term number; `count` is how often the query has the word, `frequency` in how many chunks it
    occurs.
    """

    form: str
    terms: Mapping[str, int]
    count: float
    frequency: int
    rarity: float


@dataclass(frozen=True)
class LexicalQuery:
    """`chunks` per knowledge base in scope; `histograms` per term number and knowledge base, by impact level.

    `corrections` maps misspelt words of the query to those that were looked for instead; `text` has the latter.
    """

    words: Sequence[Word]
    chunks: Mapping[UUID, int]
    histograms: Mapping[int, Mapping[UUID, Histogram]]
    phrases: tuple[str, ...] = ()
    languages: frozenset[str] = field(default=frozenset({ENGLISH}))
    text: str = ""
    corrections: Mapping[str, str] = field(default_factory=dict[str, str])

    def terms(self) -> list[Term]:
        """The terms that occur in scope, heaviest first; a term that several words share is listed once."""
        weights: defaultdict[int, float] = defaultdict(float)
        languages: dict[int, str] = {}
        for word in self.words:
            for term, number in word.terms.items():
                if number in self.histograms:
                    weights[number] += word.count * word.rarity
                    languages[number] = language_of(term)
        heaviest = sorted(weights.items(), key=itemgetter(1), reverse=True)
        return [Term(number, languages[number], weight) for number, weight in heaviest]

    def vector(self) -> SparseVector | None:
        """Weights by term: the inner product with a chunk's impacts is its BM25 score. None where no term occurs in
        scope."""
        weights = {term.number: term.weight for term in self.terms()}
        return SparseVector(weights, TERM_SPACE) if weights else None

    def rarities(self) -> dict[str, float]:
        """The inverse document frequency of each word's term as `tokenize` returns it, whether or not it occurs."""
        rarities: dict[str, float] = {}
        for word in self.words:
            if not word.frequency and self._is_told_by_others(word.form):
                continue
            own = tokenize(word.form).counts
            plain = [term for term in word.terms if term in own] or own
            rarities |= dict.fromkeys(() if word.form.endswith("*") else plain, word.rarity)
        return rarities

    def within(self, base: UUID) -> "LexicalQuery":
        """The query as it is read in one of the scope's knowledge bases alone."""
        whole = self.chunks.get(base, 0)
        histograms = {n: {base: found[base]} for n, found in self.histograms.items() if base in found}
        words = [_word(word.form, word.terms, word.count, whole, histograms) for word in self.words]
        return replace(self, words=words, chunks={base: whole}, histograms=histograms)

    def _is_told_by_others(self, form: str) -> bool:
        """Whether its parts are words of the query themselves: a word and the number beside it, as in "at least 70" and
        "recent 10-Q", or a period that is spelt out as well (3Q22)."""
        if spell_period(form.replace(".", "")):
            return True
        runs = [".".join(_PART.findall(run)) for run in self.text.lower().split()]
        return any(f"{one}.{beside}" == form for one, beside in pairwise(runs))


def read_query(connection: Connection, text: str) -> LexicalQuery:
    """Parses the query in the languages of the scope's documents, with rarities in scope.

    "Third quarter" is read as Q3 where that is in scope, and a misspelt word that occurs nowhere as what is meant.
    Takes two statements, one more per prefix, and four more where a word seems to be misspelt.
    """
    read = _read_as_written(connection, text)
    quoted = {form for phrase in read.phrases for form in query_terms(phrase, [ENGLISH])}
    named = quoted | _in_capitals(text)
    unknown = [word.form for word in read.words if not word.frequency and word.form not in named]
    english = ENGLISH in read.languages and unknown and is_english(text, read.languages)
    corrections = correct_words(connection, unknown) if english else {}
    if not corrections:
        return read
    return replace(_read_as_written(connection, replace_words(text, corrections)), corrections=corrections)


def _in_capitals(text: str) -> set[str]:
    """In lower case the words that alone are all capitals: AMD is no misspelt "and"."""
    return set() if text.isupper() else {word.lower() for word in _CAPITALS.findall(text)}


def _read_as_written(connection: Connection, query: str) -> LexicalQuery:
    parsed = parse_query(query)
    totals = chunk_totals(connection)
    chunks = {base: sum(by_language.values()) for base, by_language in totals.items()}
    languages = frozenset(language for by_language in totals.values() for language in by_language) or {ENGLISH}
    short = abbreviate_quarters(parsed.text)
    days = dict(numbered_dates(parsed.text))
    written = [short, parsed.text, *days.values()]
    forms = _with_properties({f: t for one in written for f, t in query_terms(one, languages).items()}, parsed.text)
    completed = {prefix: complete_word(connection, _as_form(prefix), COMPLETIONS_MAX) for prefix in parsed.prefixes}
    numbers = {n for _, terms in forms.values() for n in terms.values()} | {n for c in completed.values() for n in c}
    histograms = term_histograms(connection, sorted(numbers)) if numbers else {}
    whole = sum(chunks.values())
    text = short if all(term_number(quarter) in histograms for quarter in quarters(parsed.text)) else parsed.text
    text = _with_numbered_days(text, days, histograms)
    forms = _with_properties(_without_auxiliaries(query_terms(text, languages), text), text)
    words = [
        _word(form, terms, count * (CODE_WEIGHT if is_code(form) else 1), whole, histograms)
        for form, (count, terms) in forms.items()
    ]
    words += [
        _word(f"{prefix}*", {f"{prefix}*{n}": n for n in found}, 1, whole, histograms)
        for prefix, found in completed.items()
        if found
    ]
    rarest = sorted(words, key=lambda word: -word.rarity)[:WORDS_MAX]
    return LexicalQuery(rarest, chunks, histograms, parsed.phrases, frozenset(languages), text=query)


def _with_numbered_days(text: str, days: Mapping[str, str], known: Mapping[int, object]) -> str:
    """The text with numbers in place of those of its days that stand in scope as numbers, and not as the text has
    them."""
    for written, numbered in days.items():
        whole, own = _joined(numbered), _joined(written)
        if whole and known.keys() >= whole and (not own or known.keys().isdisjoint(own)):
            # Not one identifier with the word before it: "rule 7".
            text = text.replace(written, f", {numbered}")
    return text


def _joined(day: str) -> set[int]:
    """The numbers of the terms that its parts make together."""
    return {term_number(term) for term in tokenize(day).counts if "." in term}


def query_terms(text: str, languages: Iterable[str]) -> Forms:
    """Maps each word form of a text, in its order, to (how often it occurs, {language: term number})."""
    found: dict[str, tuple[int, dict[str, int]]] = {}
    for language in sorted(languages):
        counts: Counter[tuple[str, str]] = Counter((t.form, t.term) for t in read_tokens(text, language))
        for (form, term), count in counts.items():
            before, terms = found.get(form, (count, {}))
            found[form] = (max(before, count), terms | {term: term_number(term)})
    return found


def _with_properties(forms: Forms, text: str) -> Forms:
    """The forms, where one asks for a property (`wide`) with the terms of its nouns (`width`, `span`) as well."""
    nouns = {form: query_terms(" ".join(found), [ENGLISH]) for form, found in asked_properties(text).items()}
    found = forms | dict.fromkeys(asked_fields(text), (1, {})) if forms else forms
    return {
        form: (count, terms | {t: n for _, more in nouns.get(form, {}).values() for t, n in more.items()})
        for form, (count, terms) in found.items()
    }


def _without_auxiliaries(forms: Forms, text: str) -> Forms:
    """The forms without the verbs, pronouns and conjunctions that a question is built with, where others are left; what
    is quoted or written as a name stays, as the month of May does. Documents of another language have no such words:
    there they would be the rarest."""
    named = {named.lower() for named in _NAMED.findall(text)}
    built = _AUXILIARIES - named | asking_words(text) | function_words_in(text) - _in_capitals(text)
    return {form: found for form, found in forms.items() if form not in built} or forms


def rarity(chunks: int, frequency: int) -> float:
    """The inverse document frequency; above 0 even for a term that every chunk has."""
    return math.log(1 + max(0.0, chunks - frequency + 0.5) / (frequency + 0.5))


def _word(
    form: str,
    terms: Mapping[str, int],
    count: float,
    chunks: int,
    histograms: Mapping[int, Mapping[UUID, Histogram]],
) -> Word:
    occurrences = {n: sum(map(sum, histograms.get(n, {}).values())) for n in terms.values()}
    frequency = min(chunks, sum(occurrences.values()))
    return Word(form, terms, count, frequency, rarity(chunks, frequency))


def _as_form(prefix: str) -> str:
    return prefix.replace("-", ".").replace("/", ".")
