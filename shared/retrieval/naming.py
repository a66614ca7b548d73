"""Words of a query that name documents: they say where to look, and the rest of the query what for.

"What was Apple's operating income in Q3 2022?": the cover and the signatures have the company and the quarter, the
figure stands on a page that has neither. Such a word counts for all passages of the documents that it names, and no
passage gains by repeating it. So does one that names them all, as "10-Q" in "as reported in the 10-Q". Measurements:
docs/decisions/0054-names-of-documents.md and 0084-what-is-asked-of-documents.md
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from uuid import UUID

from shared.lexical.languages import ENGLISH
from shared.lexical.page_scores import Matches
from shared.lexical.periods import abbreviate_quarters, spell_period
from shared.lexical.query import LexicalQuery
from shared.lexical.tokenizer import tokenize
from shared.retrieval.documents import Named

# Of the query's weight at least this share must be left for what is asked of the documents.
REST_MIN = 0.2
# What asks for the meaning of something is not what is asked of a document.
_ASKING = frozenset({"mean", "means", "meant", "meaning", "define", "defined", "definition", "explain", "describe"})
# A muted word still tells which passages have it, but not enough to change an order.
MUTED = 1e-6

# "I" has its capital everywhere.
_CAPITAL = re.compile(r"(?<=[\w,;:)’'\"] )[(\"“]?\b(?!I\b)([A-Z]\w*)")
# The number of a form, which says of what kind a document is: 10-Q, 990-EZ.
_FORM = re.compile(r"\b(\d{1,4})-([A-Z]{1,3})\b")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SMALL = re.compile(r"\b[a-z]")
# Languages that give every noun a capital.
_CAPITALISING = frozenset({"de"})


def words_written_as_names(text: str, languages: Collection[str] = (ENGLISH,)) -> set[str]:
    """In lower case the words with a capital inside the sentence, years, numbers of forms (as the lexical index has
    them), and periods also as they are spelt out.

    Where most words have a capital, as in a title, or one of the scope's languages gives every noun one, they say
    nothing.
    """
    text = abbreviate_quarters(text)
    found = {match.lower() for match in _CAPITAL.findall(text)}
    if len(found) > len(_SMALL.findall(text)) or not _CAPITALISING.isdisjoint(languages):
        found = {word for word in found if any(map(str.isdigit, word))}
    found |= set(_YEAR.findall(text)) | _numbers_of_forms(text)
    return found | {form for word in found for form in spell_period(word)}


def kinds_in(words: LexicalQuery, shared: Named) -> Named:
    """Those of `shared`, which name every document, that say of what kind several documents are: numbers of forms.

    Other words that all documents begin with may be what is asked.
    """
    kinds = _numbers_of_forms(words.text)
    return {form: documents for form, documents in shared.items() if form in kinds and len(documents) > 1}


def _numbers_of_forms(text: str) -> set[str]:
    """As the lexical index has them, with their parts: 10-Q → 10.q, 10."""
    return {form for number, kind in _FORM.findall(text) for form in (number, f"{number}.{kind.lower()}")}


def names_in(words: LexicalQuery, naming: Named) -> Named:
    """Those of `naming` that are written as names; none where too little would be left of the query."""
    written = words_written_as_names(words.text, words.languages)
    names = {form: documents for form, documents in naming.items() if form in written}
    known = [word for word in words.words if word.frequency]
    whole = sum(word.count * word.rarity for word in known)
    rest = sum(word.count * word.rarity for word in known if word.form not in names and word.form not in _ASKING)
    return names if rest >= REST_MIN * whole and not words.phrases else {}


def naming_terms(words: LexicalQuery, naming: Mapping[str, Collection[UUID]]) -> dict[str, Collection[UUID]]:
    """Which documents are named by a term, of those of `naming` that are written as names."""
    written = words_written_as_names(words.text, words.languages)
    return {term: named for form, named in naming.items() if form in written for term in tokenize(form).counts}


def terms_naming(naming: Mapping[str, Collection[UUID]], document: UUID) -> frozenset[str]:
    """The terms of `naming_terms` that name a document."""
    return frozenset(term for term, documents in naming.items() if document in documents)


def entries_of_records(names: Named, words: LexicalQuery, matches: Matches) -> bool:
    """Whether one of `names` stands in table rows alone: the document is then a list, and the word tells the entry."""
    numbers = [{*word.terms.values()} for word in words.words if word.form in names]
    having = [{c for c, terms in matches.terms.items() if terms & found} for found in numbers]
    return any(chunks and chunks <= matches.rows for chunks in having)


def without_names(words: LexicalQuery, names: Named) -> LexicalQuery:
    """The query in which `names` weigh next to nothing."""
    muted = [replace(word, count=word.count * MUTED) if word.form in names else word for word in words.words]
    return replace(words, words=muted)


def credit_names(words: LexicalQuery, names: Named, matches: Matches, documents: Mapping[UUID, UUID]) -> Matches:
    """The matches as they are without names; with some, the scores that passages have by the rest of the query, and for
    every name of their document as much as one occurrence in a passage of mean length, and on its page, would give.
    """
    if not names:
        return matches
    weights = {word.form: word.count * word.rarity for word in words.words if word.frequency}
    credit: dict[UUID, float] = {}
    for form, named in names.items():
        for document in named:
            credit[document] = credit.get(document, 0.0) + 2 * weights.get(form, 0.0)
    scores = {c: score + credit.get(documents.get(c, c), 0.0) for c, score in matches.scores.items() if score > 0}
    ordered = dict(sorted(scores.items(), key=lambda item: -item[1]))
    whole, named_weight = sum(weights.values()), sum(weights.get(form, 0.0) for form in names)
    best = documents.get(next(iter(ordered), UUID(int=0)))
    covered = credit.get(best, 0.0) / 2 if best else 0.0
    coverage = (matches.coverage * (whole - named_weight) + covered) / whole if whole else 0.0
    return replace(matches, scores=ordered, coverage=coverage)
