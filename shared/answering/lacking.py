"""What a question asks that is not there, and how that is said: whether passages answer is more than their likeness.

Each finding is a mechanism with its reason, and the first that applies is told:

0. *Nothing there*: no passage at all, since none was added, or none may be read yet.
1. *Not named*: a name, code or year in the question that no passage in scope has and no document is called by.
2. *Another period*: a year that stands somewhere, but in none of the passages that come nearest nor in what names their
   documents; or that no statement is of which tells as much of the question as those of other years.
3. *No value*: the question asks for a measure (how heavy, what voltage, how many dollars) or for a name (who wrote it),
   and nothing near holds one.
4. *Not spoken of*: a noun that is asked for or about, of which no passage has a word and none is near in meaning; and
   any word of what a question asks the reason of ("why was it withdrawn"), however near the passages are.

Figures: docs/decisions/0133-what-is-lacking.md, 0146-reasons-of-what-is-not-there.md. Names and nouns are read from
English questions; of others codes and years alone are.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final
from uuid import UUID

from shared.answering.asked import (
    CALENDAR,
    asked_kinds,
    asked_phrase,
    asking_verb,
    asks_how_large,
    asks_how_much,
    demanded_kinds,
    words_of_kinds,
)
from shared.answering.asked_limit import asked_limits
from shared.answering.counting import counter_of, qualifier_of
from shared.answering.evidence import Sentence, titles_of
from shared.answering.held import held
from shared.answering.messages import FROM, field_of
from shared.answering.names import named_in_answers
from shared.answering.nouns import nouns_of
from shared.answering.periods import is_of_year, years_asked, years_in
from shared.answering.question import ASKING
from shared.answering.sufficiency import NEAREST_MIN, Lack
from shared.domain.attributes import own_names
from shared.domain.knowledge import Hit
from shared.lexical.number_words import WRITTEN_OTHERWISE
from shared.lexical.periods import spell_period
from shared.lexical.query import LexicalQuery, Word
from shared.lexical.spelling import is_english
from shared.lexical.tokenizer import is_code, tokenize
from shared.retrieval.codes import written_codes
from shared.retrieval.naming import naming_terms, terms_naming, words_written_as_names
from shared.retrieval.terms import Properties, terms_in

_PART: Final = re.compile(r"[^\W\d_]+|\d+")
_BEGINS_ENGLISH: Final = re.compile(r"\W*(?:what|which|who|whom|whose|how|when|where|why|does|did|is|are)\b", re.I)
# Takes for granted what it asks the reason of.
_PRESUMES: Final = re.compile(r"\W*why\b", re.I)
# What is said of an answer, not of the thing that is asked about.
_QUALIFYING: Final = frozenset({
    "approximate", "exact", "current", "latest", "newest", "typical", "usual", "specific", "main", "overall",
    "total", "beginning", "start", "end", "moment", "present", "default",
})  # fmt: skip
# The passage of a value that answers has at least this share of the question's rarity: one of another thing has less.
BESIDE_VALUE_MIN: Final = 0.4
# What tells of an asked year has at least this share of what the best statement, of whatever year, has of the question.
OF_PERIOD_MIN: Final = 0.8
# Of the words beside a code at least this share stands where the code does, or what is asked of it is not there.
BESIDE_CODE_MIN: Final = 1 / 4


@dataclass(frozen=True)
class Ground:
    """What was found, as the checks read it. `nearest`: the best cosine of a chunk; `naming`: by word form the
    documents that it names; `pinned`: whether chosen documents alone were asked, so that a word may stand in scope and
    still not in these; `planned`: whether a model that plans came upon them; `known`: the candidates that have a word
    form; `told`: whether rows named as what is asked for told the kinds of its value;
    `rows`, `tables`: a row's text with its headers, and its table's; `headers`: by section those of messages."""

    words: LexicalQuery
    nearest: float
    hits: Sequence[Hit]
    weighed: Sequence[Sentence]
    rows: Mapping[UUID, str]
    tables: Mapping[UUID, str]
    naming: Mapping[str, Collection[UUID]] = field(default_factory=dict[str, frozenset[UUID]])
    pinned: bool = False
    planned: bool = False
    known: Callable[[str], Collection[UUID]] = lambda _: ()
    properties: Properties = field(default_factory=dict[str, frozenset[str]])
    codes: frozenset[str] = frozenset()
    told: bool = False
    headers: Mapping[UUID, Hit] = field(default_factory=dict[UUID, Hit])
    _passages: dict[UUID, str] = field(default_factory=dict[UUID, str], init=False)
    _terms: dict[tuple[UUID, frozenset[str]], frozenset[str]] = field(default_factory=dict, init=False)

    @cached_property
    def measure_terms(self) -> frozenset[str]:
        """The question's terms that say no more than the measure: "wide", "spend", names of kinds of value and of
        units."""
        said = tokenize(" ".join([asking_verb(self.words.text), *words_of_kinds(self.words.text)])).counts
        return frozenset(self.properties.keys() - WRITTEN_OTHERWISE.keys() | said.keys())

    @cached_property
    def counted(self) -> bool:
        """Whether a statement has a number directly in front of the things that are counted."""
        counts = counter_of(asked_phrase(self.words.text))
        return "count" in _demanded(self) and any(counts(one.text) for one in self.answering)

    @cached_property
    def answering(self) -> list[Sentence]:
        """Where nothing but a value answers, the statements that hold one beside the question's words, the best
        first."""
        return _answering(self)

    def passage(self, hit: Hit) -> str:
        """What a passage says, with all that stands above it, and who wrote it; put together once, as many statements
        are of one."""
        chunk = hit.chunk.id
        if chunk not in self._passages:
            called = " ".join(own_names(hit.chunk.attrs)).replace("_", " ")
            header = self.headers.get(hit.chunk.section.id) if hit.chunk.section else None
            sender = field_of(header, FROM) if header else ""
            said = self.rows.get(chunk, hit.chunk.content)
            told = [titles_of(hit), sender, called, said, self.tables.get(chunk, "")]
            self._passages[chunk] = "\n".join(told)
        return self._passages[chunk]

    def terms(self, hit: Hit, wanted: Mapping[str, float]) -> frozenset[str]:
        """Those of `wanted` that a passage has."""
        key = hit.chunk.id, frozenset(wanted)
        if key not in self._terms:
            self._terms[key] = frozenset(terms_in(self.passage(hit), wanted, self.properties))
        return self._terms[key]


def find_lack(ground: Ground, named: bool = False) -> Lack | None:
    """The first thing that the question asks and nothing has; None where nothing is known to be lacking. `named`: the
    question names a section that is there, and may ask of it in any words."""
    checks = [_nothing_there, _not_named, _other_period]
    # What a model chose may answer in any words.
    if _is_english(ground.words) and not ground.planned:
        checks += [_no_value] if named else [_no_value, _no_name, _not_spoken_of, _not_presumed]
    return next((found for check in checks if (found := check(ground))), None)


def _nothing_there(ground: Ground) -> Lack | None:
    """A search without a filter has hits wherever there is a passage, however far from what is asked."""
    return None if ground.hits else Lack("nothing_there")


def _not_named(ground: Ground) -> Lack | None:
    missing = [word for word in identifiers(ground.words) if not _is_there(ground, word)]
    return Lack("not_named", _as_written(ground.words.text, missing)) if missing else None


def identifiers(words: LexicalQuery) -> list[Word]:
    """The words of a question that name one thing: names with a capital, codes, years; not what something is to be
    above or below."""
    text = words.text
    named = words_written_as_names(text, words.languages) - CALENDAR if _is_english(words) else set[str]()
    codes, limit = written_codes(text), asked_limits(text)
    return [
        w
        for w in words.words
        if not (limit and w.form in limit.terms)
        and (
            w.form in codes
            or (w.form in named and w.form.isalnum() and not spell_period(w.form))
            or _is_number(w.form, text)
        )
    ]


def _is_english(words: LexicalQuery) -> bool:
    """Also where a word is one of another language as well: "What colour was N8770M?"."""
    return bool(_BEGINS_ENGLISH.match(words.text)) or is_english(words.text, words.languages)


def _is_number(form: str, text: str) -> bool:
    """Whether it is a number with parts, such as 800-63-5, written as one; 7.5 is a measure."""
    return is_code(form) and form[0].isdigit() and form.count(".") > 1 and bool(_written(form).search(text))


def _is_there(ground: Ground, word: Word) -> bool:
    if word.form in ground.naming or ground.known(word.form) or (word.frequency and not ground.pinned):
        return True
    written = _written(word.form)
    return any(written.search(ground.passage(hit)) for hit in ground.hits)


def _written(form: str) -> re.Pattern[str]:
    """A code or word however its parts are joined."""
    parts = r"[\W_]{0,2}".join(map(re.escape, _PART.findall(form)))
    return re.compile(rf"(?<![^\W_]){parts}(?![^\W_])", re.I)


def _other_period(ground: Ground) -> Lack | None:
    limit = asked_limits(ground.words.text)
    years = [year for year in years_in(ground.words.text) if not limit or not limit.of_dates]
    told = {s.hit.chunk.id: s.hit for s in ground.weighed}.values()
    missing = [year for year in years if not any(_has_year(ground, hit, year) for hit in told)]
    if years and not missing and not ground.planned and not _tells_of(ground, years_asked(ground.words.text)):
        missing = years
    return Lack("other_period", tuple(missing)) if missing else None


def _has_year(ground: Ground, hit: Hit, year: str) -> bool:
    return hit.document.id in ground.naming.get(year, ()) or year in years_in(ground.passage(hit))


def _tells_of(ground: Ground, years: Collection[str]) -> bool:
    """Whether a statement of one of these years has nearly as much of the question beside its period as any has."""
    naming = naming_terms(ground.words, ground.naming)
    weights = {t: r for t, r in ground.words.rarities().items() if t not in years and not spell_period(t)}
    above = {
        s.hit.chunk.id: terms_in(titles_of(s.hit), weights, ground.properties) | terms_naming(naming, s.hit.document.id)
        for s in ground.weighed
    }

    def told(sentence: Sentence) -> float:
        return sum(weights[term] for term in weights.keys() & (sentence.terms | above[sentence.hit.chunk.id]))

    # The others need not be dated.
    needed = OF_PERIOD_MIN * max(map(told, ground.weighed), default=0.0)
    able = [s for s in ground.weighed if told(s) >= needed]
    return any(is_of_year(s, year, ground.passage(s.hit), ground.naming) for s in able for year in years)


def _no_value(ground: Ground) -> Lack | None:
    kinds = _demanded(ground)
    if not kinds or ground.answering:
        return None
    asked = "" if asks_how_large(ground.words.text) else asked_phrase(ground.words.text)
    return Lack("no_value", (asked or " or ".join(sorted(kinds)).replace("_", " "),))


def _no_name(ground: Ground) -> Lack | None:
    """Who made something, or in which town it is, is told by a name; a message's stands in its header."""
    tells = named_in_answers(ground.words.text)
    if tells is None or ground.headers:
        return None
    weights = ground.words.rarities()
    if any(tells(one.text) and _share(ground, weights, one) >= BESIDE_VALUE_MIN for one in ground.weighed):
        return None
    return Lack("no_value", ("name",))


def _demanded(ground: Ground) -> frozenset[str]:
    """None where rows have such a value, whatever the question calls it."""
    return frozenset() if ground.told else demanded_kinds(ground.words.text)


def _answering(ground: Ground) -> list[Sentence]:
    kinds, text = _demanded(ground), ground.words.text
    if not kinds:
        return []
    said = tokenize(asked_phrase(text)).counts.keys()
    counted = "count" in kinds
    tells = _telling_what_is_counted(ground, said) if counted else _telling_what_is_measured(ground)
    naming, amount = bool(said) and not counted and not asks_how_large(text), asks_how_much(text)

    def answers(sentence: Sentence) -> bool:
        if naming and said <= tokenize(sentence.text).counts.keys():
            # The value may be a word ("Wind speed: calm"), but for an amount: how much gold it costs.
            return not amount or _holds(kinds, sentence)
        return _holds(kinds, sentence) and tells(sentence)

    return [sentence for sentence in _of_codes(ground) if answers(sentence)]


def _telling_what_is_measured(ground: Ground) -> Callable[[Sentence], bool]:
    weights = (ground.words.rarities(), _beside_codes(ground))
    return lambda sentence: any(_share(ground, one, sentence) >= BESIDE_VALUE_MIN for one in weights)


def _telling_what_is_counted(ground: Ground, said: Collection[str]) -> Callable[[Sentence], bool]:
    """A unit tells what is measured, and nothing but words beside a number what is counted: the name of the thing
    (`said`), or enough words that are no names of whose it is, in the statement or above it. Whose it is its passage
    tells, or what names its document."""
    weights, naming = ground.words.rarities(), naming_terms(ground.words, ground.naming)
    names = {term for word in identifiers(ground.words) for term in tokenize(word.form).counts}
    qualifies, counts = qualifier_of(asked_phrase(ground.words.text)), counter_of(asked_phrase(ground.words.text))

    def enough(told: Collection[str], of: Collection[str]) -> bool:
        return sum(weights[t] for t in of if t in told) >= BESIDE_VALUE_MIN * sum(weights[t] for t in of)

    def tells(sentence: Sentence) -> bool:
        if qualifies(sentence.name):
            return False
        there = sentence.terms | terms_in(titles_of(sentence.hit), weights, ground.properties)
        around = ground.terms(sentence.hit, weights) | terms_naming(naming, sentence.hit.document.id)
        if names <= around and counts(sentence.text):
            return True
        if not there.issuperset(said) and not enough(there, weights.keys() - names):
            return False
        return enough(around, weights)

    return tells


def _holds(kinds: Collection[str], sentence: Sentence) -> bool:
    """Whether it holds such a value, or stands in a table whose bare numbers a caption or a note explains, or whose
    header alone tells what they are."""
    wanted = frozenset(kinds)
    if sentence.cells:
        return any(
            cell.unstated or cell.stated in wanted or held(wanted, cell.value, cell.label) for cell in sentence.cells
        )
    return bool(held(wanted, sentence.text))


def _of_codes(ground: Ground) -> Iterator[Sentence]:
    """The statements of passages that have all the question's codes; all where it has none."""
    for sentence in ground.weighed:
        passage = ground.passage(sentence.hit)
        named = sentence.hit.document.id
        if all(_written(code).search(passage) or named in ground.naming.get(code, ()) for code in ground.codes):
            yield sentence


def _not_presumed(ground: Ground) -> Lack | None:
    """What is near is of the thing, and need not tell of what befell it: "why was the officer dismissed"."""
    if not _PRESUMES.match(ground.words.text):
        return None
    absent = _absent(ground)
    missing = [w for w in ground.words.words if w.form in absent and w.form.isalpha()]
    return Lack("not_spoken_of", _as_written(ground.words.text, missing)) if missing else None


def _absent(ground: Ground) -> set[str]:
    """The forms of the question's words that nothing has. A letter alone is a sign, as of 12 x 1.25, and no word."""
    words = [w for w in ground.words.words if len(w.form) > 1]
    absent = {w.form for w in words if not w.frequency and not _is_there(ground, w)}
    # Whether there is such a value is told by `_no_value`: 3.4 bar is a pressure also where nobody calls it so.
    return absent - _QUALIFYING - words_of_kinds(ground.words.text)


def _not_spoken_of(ground: Ground) -> Lack | None:
    if max([ground.nearest, *(s.cosine for s in ground.weighed)]) >= NEAREST_MIN:
        return None
    known = {word.form for word in ground.words.words}
    absent = _absent(ground)
    for nouns in nouns_of(ground.words.text):
        if not absent.isdisjoint(form for form in nouns.lower().split() if form in known):
            return Lack("not_spoken_of", (nouns,))
    return _nothing_beside_code(ground)


def _nothing_beside_code(ground: Ground) -> Lack | None:
    """Where the question has a code, which its passages have: whether they have what is asked of it, too."""
    weights = _beside_codes(ground)
    if not ground.codes or not weights:
        return None
    kinds = (asked_kinds(ground.words.text) | demanded_kinds(ground.words.text)) - {"count", "date", "person"}
    for sentence in _of_codes(ground):
        if _share(ground, weights, sentence) >= BESIDE_CODE_MIN or (kinds and _holds(kinds, sentence)):
            return None
    named = {word.form for word in identifiers(ground.words)}
    words = [word for word in ground.words.words if word.form not in named and word.form.isalpha()]
    return Lack("not_spoken_of", _as_written(ground.words.text, words))


def _beside_codes(ground: Ground) -> dict[str, float]:
    """The rarities of the question's terms without its names and codes, where it has codes: which passages have those
    is told by `_of_codes`."""
    named = {word.form for word in identifiers(ground.words)} if ground.codes else set[str]()
    apart = {term for form in named for term in tokenize(form).counts} | ASKING
    return {term: rarity for term, rarity in ground.words.rarities().items() if term not in apart}


def _share(ground: Ground, weights: Mapping[str, float], sentence: Sentence) -> float:
    """The share of the weights that a statement's passage has. What asks for a measure ("wide") counts where a noun of
    it is there, and else says no more than the measure, nor does its name."""
    has = ground.terms(sentence.hit, weights)
    whole = sum(weight for term, weight in weights.items() if term in has or term not in ground.measure_terms)
    return sum(weights[term] for term in has) / whole if whole else 1.0


def _as_written(text: str, words: Sequence[Word]) -> tuple[str, ...]:
    """The words as the question has them, in its order, without those that another has; what only an abbreviation
    stands for (FY2023) as it is read."""
    written = [(match.start(), match.group()) for w in words if (match := _written(w.form).search(text))]
    found = [own for _, own in sorted(written)] or [word.form for word in words]
    return tuple(dict.fromkeys(own for own in found if not any(own != other and own in other for other in found)))
