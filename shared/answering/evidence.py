"""Evidence for a question: the statements of the best chunks with their scores, and whether anything speaks of it.

Measurements, and how the thresholds were chosen: docs/decisions/0046-quotations.md.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal
from uuid import UUID

from shared.answering.asked import words_told_by
from shared.answering.held import Span, held, kinds_in
from shared.answering.limits import Compared, Meeting
from shared.answering.messages import ASKING_HEADER, FROM, field_of, is_header, is_message
from shared.answering.question import Question
from shared.answering.rows import AnsweringCell, read_cells, read_pair, stated_kinds
from shared.answering.statements import PassageSlice, slices_of
from shared.answering.superlatives import Extreme
from shared.domain.attributes import own_names
from shared.domain.knowledge import Hit
from shared.ports import Vectors
from shared.retrieval.codes import has_identifier
from shared.retrieval.naming import terms_naming
from shared.retrieval.terms import terms_beyond, terms_in

CHUNKS_READ = 8
# What a value of the kind that is asked for adds to a statement's score; so much again where a form's label names it.
HELD = 0.15

# Coefficients of a logistic regression on answerable and unanswerable questions of several collections.
BIAS, NEAREST_SLOPE, RARE_SLOPE, LACK = -4.2, 8.1, 1.3, -4.8
# Nothing answers where neither a chunk nor a statement is this near, and no chunk has this share of the rarer terms; of
# fewer terms more nearness is asked, as much as both are to be together.
RARE_MIN, NEAREST_MIN, BOTH_MIN = 1 / 3, 0.6, 0.9

# Kinds of value that are high or large without being a measure of a thing.
OF_NO_THING = frozenset({"money", "share"})


Embed = Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True, eq=False)
class Sentence:
    """A verbatim slice of a hit's content with its evidence: cosine to the question, share of its terms, their sum.

    `terms` are the question's in it, without its titles; `told` is the share of its terms with them. `values` are where
    it holds what is asked for. A table's row has cells, and `beyond` counts the words of its name that are not asked
    for. A value of a form is one cell, and `filled` says that it answers under a label that names what is asked.
    `restates`: it tells no more than which thing the question means, a form or a message; `identified` are the terms
    that such statements of its document, or its message, have: they hold for all that stands there. `spelt`: so many of
    the question's identifiers it has, letter by letter. `restated`: headers and values of a row's cells that say which
    row is meant. `compared`: it has the most or the least of so many rows of its table, `meeting`: so many are meant by
    the question, of which it is the first. `listed`: it is of a
    list that another statement announces. `met`: whether a value of it meets the limit that is asked for;
    `meant`: of a row that was compared with what the question says, how. `below`: the lines between its titles and a
    row, the labels of the groups that it is of.
    """

    text: str
    hit: Hit
    place: int
    cosine: float
    coverage: float
    score: float
    vector: Vectors
    terms: frozenset[str] = frozenset()
    values: tuple[Span, ...] = ()
    cells: tuple[AnsweringCell, ...] = ()
    told: float = 0.0
    beyond: int = 0
    filled: bool = False
    restates: bool = False
    identified: frozenset[str] = frozenset()
    spelt: int = 0
    restated: frozenset[tuple[str, str]] = frozenset()
    compared: int | None = None
    meeting: Meeting | None = None
    listed: bool = False
    met: bool | None = None
    meant: Compared | None = None
    below: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What a row is about, its first cell, or the label of a form's value; "" for no row."""
        if len(self.cells) == 1 and self.cells[0].label:
            return self.cells[0].label
        return self.cells[0].value if self.cells else ""


@dataclass(frozen=True)
class Lack:
    """What the question asks and nothing has (`shared.answering.lacking`): the reason, and the words that it is about,
    as they are written there."""

    reason: Literal["nothing_there", "not_named", "other_period", "no_value", "not_spoken_of", "nothing_found"]
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sufficiency:
    """`nearest`: the best cosine of a chunk; `rare`: the best chunk's share of the question's rarer terms.

    `confidence` is the estimated probability that the documents answer the question, `enough` whether anything of it
    is there at all; `lack` why not, where it is known.
    """

    nearest: float
    rare: float
    confidence: float
    enough: bool
    lack: Lack | None = None

    def without(self, lack: Lack) -> "Sufficiency":
        """The same where something that is asked for is known to be lacking."""
        odds = self.confidence / (1 - self.confidence) * math.exp(LACK)
        return replace(self, enough=False, lack=lack, confidence=odds / (1 + odds))


def with_told_kinds(
    question: Question, hits: Sequence[Hit], rows: Mapping[UUID, str], tables: Mapping[UUID, str] = MappingProxyType({})
) -> Question:
    """The question with the kinds of the values in rows that are named as what is asked for, where it says none: a
    gross margin is a share. A row named as a thing that may be high or large tells none that is measured of things.
    `rows` and `tables` as for `weigh_sentences`."""
    told = Counter[frozenset[str]]()
    asked = question.sized or question.asked
    asks = question.of_value and (question.sized or not question.kinds)
    read = [one for hit in hits if asks for one in slices_of(hit, rows.get(hit.chunk.id, ""), valued=True)]
    for one in (one for one in read if one.kind == "row"):
        name, *values = read_cells(one.text, one.read, frozenset(), {})
        if terms_in(name.value, asked).issuperset(asked):
            stated = stated_kinds(one.text, {}, tables.get(one.hit.chunk.id, ""))
            of_cells = (kinds_in(cell.value, cell.label) or {stated.get(cell.value, "")} - {""} for cell in values)
            told.update(frozenset(kinds) for kinds in of_cells if kinds)
    if not told or (question.sized and not all(kinds <= OF_NO_THING for kinds in told)):
        return question
    return question.told_by_rows(told.most_common(1)[0][0])


def weigh_sentences(
    question: Question,
    hits: Sequence[Hit],
    embed: Embed,
    rows: Mapping[UUID, str],
    tables: Mapping[UUID, str] = MappingProxyType({}),
    headers: Mapping[UUID, Hit] = MappingProxyType({}),
    compared: Mapping[UUID, Compared] = MappingProxyType({}),
    questions: Mapping[UUID, str] = MappingProxyType({}),
) -> list[Sentence]:
    """Scores every statement in `hits`, the best of what was found; best first.

    A statement is embedded with its section's title ("its span" does not say whose); `rows` has the table rows among
    the hits with each cell after its column header, since a bare row has values without names; `tables` the texts of
    the tables that they stand in; `headers` those of the messages: who wrote it holds for all that a message says;
    `compared` are rows that were compared with a limit, `questions` what passages answer.
    """
    asking, valued = question.of_asking, question.of_value or bool(question.kinds or question.asked)
    slices = [
        one
        for hit in hits
        for one in slices_of(
            hit, rows.get(hit.chunk.id, ""), asking=asking, valued=valued, question=questions.get(hit.chunk.id, "")
        )
        if not _is_of_another(question, one)
    ]
    if not slices:
        return []
    vectors = _embedded(question, slices, embed)
    identified, owned = _identified(question, slices, headers), _owned(question, slices)
    found = [
        _weigh(question, one, vector, tables, identified, compared.get(one.hit.chunk.id), owned)
        for one, vector in zip(slices, vectors, strict=True)
    ]
    return sorted(found, key=lambda s: -s.score)


def _embedded(question: Question, slices: Sequence[PassageSlice], embed: Embed) -> Vectors:
    """A vector of each; of one that is read with the question that it answers, the nearer of both."""
    answering = [i for i, one in enumerate(slices) if one.kind == "prose" and one.read != one.text]
    texts = [_under_title(one.hit, one.read) for one in slices]
    vectors = embed([*texts, *(_under_title(slices[i].hit, slices[i].text) for i in answering)])
    found = vectors[: len(slices)].copy()
    for i, alone in zip(answering, vectors[len(slices) :], strict=True):
        found[i] = max(vectors[i], alone, key=lambda vector: float(vector @ question.vector))
    return found


def _identified(
    question: Question, slices: Sequence[PassageSlice], headers: Mapping[UUID, Hit]
) -> dict[UUID, frozenset[str]]:
    """By document, or message, the terms of what tells that the question means it."""
    named = headers if question.weights.keys().isdisjoint(ASKING_HEADER) else {}
    found = {message: terms_in(field_of(header, FROM), question.weights) for message, header in named.items()}
    for one in slices:
        if _restates(question, one):
            thing = _thing_of(one.hit)
            found[thing] = found.get(thing, frozenset()) | terms_in(one.read, question.weights)
    return found


def _owned(question: Question, slices: Sequence[PassageSlice]) -> dict[UUID | None, frozenset[str]]:
    """By table the terms of whose value is asked for, where none of its rows has them: what they name is told by the
    document then."""
    rows = [one for one in slices if question.owner and one.kind == "row"]
    having = {
        one.hit.chunk.table_id
        for one in rows
        if terms_in(one.read.rpartition("\n")[2], question.weights) & question.owner
    }
    return {table: question.owner for one in rows if (table := one.hit.chunk.table_id) not in having}


def _is_of_another(question: Question, one: PassageSlice) -> bool:
    """Whether it is a row that never says of whom the value is asked for, nor do the titles above it or its document's
    name, where that names another document: what Klein spent is not in Berg's report, which mentions her."""
    named = [question.naming.get(term, frozenset()) for term in question.owner]
    if one.kind != "row" or not named or not frozenset.intersection(*map(frozenset, named)):
        return False
    said = terms_in(f"{titles_of(one.hit)}\n{one.read}", dict.fromkeys(question.owner, 1.0))
    return not question.owner <= said | terms_naming(question.naming, one.hit.document.id)


def _restates(question: Question, one: PassageSlice) -> bool:
    """Whether it is a form's value that the question has, or a message's header, unless a header is asked for."""
    if one.kind == "pair":
        return question.is_restated_by(one.read)
    return is_header(one.hit) and question.weights.keys().isdisjoint(ASKING_HEADER)


def _thing_of(hit: Hit) -> UUID:
    """The message that a hit is of, which is a section, or its document."""
    return hit.chunk.section.id if is_message(hit) and hit.chunk.section else hit.document.id


def weigh_field(question: Question, hit: Hit, text: str, embed: Embed) -> Sentence:
    """A field of a header, `Date: …`, scored as a form's value is."""
    return _weigh(question, PassageSlice(hit, 0, text, text, "pair"), embed([text])[0], {})


def weigh_extreme(question: Question, hit: Hit, read: str, extreme: Extreme, embed: Embed) -> Sentence:
    """A row that has the most or the least, as it is `read`; the cell under the header that was compared answers."""
    found = _weigh(question, PassageSlice(hit, 0, hit.chunk.content.strip(), read, "row"), embed([read])[0], {})
    cells = tuple(replace(cell, answers=cell.label == extreme.label) for cell in found.cells)
    return replace(found, cells=cells, compared=extreme.compared)


def weigh_whole(question: Question, hit: Hit, embed: Embed) -> Sentence:
    """A passage that is a single statement."""
    text = hit.chunk.content.strip()
    return _weigh(question, PassageSlice(hit, 0, text, text, "prose"), embed([text])[0], {})


def weigh_items(question: Question, items: Sequence[PassageSlice], embed: Embed) -> list[Sentence]:
    """The items of a list that another statement announces."""
    vectors = embed([one.text for one in items]) if items else []
    return [replace(_weigh(question, one, vector, {}), listed=True) for one, vector in zip(items, vectors, strict=True)]


def _weigh(
    question: Question,
    one: PassageSlice,
    vector: Vectors,
    tables: Mapping[UUID, str],
    identified: Mapping[UUID, frozenset[str]] = MappingProxyType({}),
    compared: Compared | None = None,
    owned: Mapping[UUID | None, frozenset[str]] = MappingProxyType({}),
) -> Sentence:
    hit, place, text, read, kind = one
    # What a row's values were called when they were read: "net sales mac" of a row that begins with "Mac".
    called = " ".join(own_names(hit.chunk.attrs)).replace("_", " ") if kind == "row" else ""
    weights, properties = question.weights, question.properties
    cells: tuple[AnsweringCell, ...] = ()
    if kind == "pair":
        cells = read_pair(read, question.kinds)
    elif kind == "row":
        stated = stated_kinds(text, hit.chunk.attrs, tables.get(hit.chunk.id, ""))
        # How many rows are meant is told of them all, and by no number in one.
        kinds = frozenset[str]() if compared and compared.meeting else question.kinds
        cells = read_cells(text, read, kinds, weights, properties, stated)
        if compared and compared.met and compared.labels:
            cells = tuple(replace(cell, answers=cell.label in compared.labels) for cell in cells)
    values = () if cells else tuple(held(question.kinds, text))
    met = compared.met if compared else question.limit.is_met_in(text) if question.limit and kind == "prose" else None
    holds = any(cell.holds for cell in cells) if cells else bool(values)
    identifying = identified.get(_thing_of(hit), frozenset())
    known = identifying | (words_told_by(question.kinds) & question.weights.keys() if holds else frozenset[str]())
    naming = terms_naming(question.naming, hit.document.id)
    if kind == "row":
        known |= owned.get(hit.chunk.table_id, frozenset()) & naming
    if met and question.limit:
        known |= question.limit.terms & weights.keys()
    # The last line of a row as it is read has its cells; titles stand before it, and above all else in their section:
    # they complete a row that has something of the question, and stand for none that has nothing.
    terms = terms_in(read.rpartition("\n")[2], weights, properties)
    said = read if kind != "row" or terms else read.rpartition("\n")[2]
    cosine, share = float(vector @ question.vector), question.share_in(f"{called}\n{said}", known)
    around = question.share_in(f"{titles_of(hit)}\n{read if kind == 'pair' else hit.chunk.content}", known)
    filled = kind == "pair" and cells[0].answers and question.is_named_by(cells[0].label)
    score = cosine + 0.5 * share + 0.25 * around + HELD * (holds + filled)
    told, saying = question.share_in(f"{titles_of(hit)}\n{called}\n{read}", naming), question.saying
    found = Sentence(
        text, hit, place, cosine, share, score, vector, terms, values, cells, told,
        filled=filled, restates=_restates(question, one), identified=identifying,
        spelt=sum(has_identifier(one, text) for one in question.identifiers),
        restated=frozenset((c.label, c.value) for c in cells if kind == "row" and saying.says_cell(c, properties)),
        met=met, meant=compared,
        below=tuple(read.split("\n")[bool(hit.chunk.section) : -1]) if kind == "row" else (),
    )  # fmt: skip
    return replace(found, beyond=len(terms_beyond(found.name, weights)))


def judge(
    question: Question,
    hits: Sequence[Hit],
    weighed: Sequence[Sentence],
    nearest: float,
    rows: Mapping[UUID, str] = MappingProxyType({}),
) -> Sufficiency:
    """Estimates from the best cosine of a statement, or of a chunk in scope (`nearest`), and the best hit's share of
    the rarer half of the question's terms, whether anything answers: also a form does whose label is what is asked for.
    A statement with one of its codes has all of them; a row has what its column headers have, as in
    `weigh_sentences`."""
    near = max([nearest, *(s.cosine for s in weighed)])
    rare, confidence = estimate(question, hits, near, rows)
    if any(not s.terms.isdisjoint(question.codes) for s in weighed):
        rare, confidence = 1.0, confidence_of(near, 1.0)
    asked = any(s.filled and terms_in(s.name, question.asked).issuperset(question.asked) for s in weighed)
    spoken = near >= NEAREST_MIN or (rare >= RARE_MIN and rare + near >= BOTH_MIN)
    enough = bool(weighed) and (spoken or (asked and bool(question.asked)))
    return Sufficiency(nearest, rare, confidence, enough)


def estimate(
    question: Question, hits: Sequence[Hit], nearest: float, rows: Mapping[UUID, str] = MappingProxyType({})
) -> tuple[float, float]:
    """The best hit's share of the rarer half of the question's terms, and the confidence that follows from it."""
    rarer = _rarer_half(question)
    whole = sum(rarer.values())
    told = [sum(rarer[term] for term in _told_of(question, hit, rarer, rows)) for hit in hits[:CHUNKS_READ]]
    rare = max(told, default=0.0) / whole if whole else 0.0
    return rare, confidence_of(nearest, rare)


def _told_of(
    question: Question, hit: Hit, wanted: Mapping[str, float], rows: Mapping[UUID, str]
) -> frozenset[str] | set[str]:
    """Those of `wanted` that a passage has, or that name its document."""
    text = f"{titles_of(hit)}\n{rows.get(hit.chunk.id, hit.chunk.content)}"
    naming = terms_naming(question.naming, hit.document.id)
    return terms_in(text, wanted, question.properties) | (naming & wanted.keys())


def confidence_of(nearest: float, rare: float) -> float:
    """The estimated probability that documents answer of which these are the best cosine and share."""
    return _logistic(BIAS + NEAREST_SLOPE * nearest + RARE_SLOPE * rare)


def _rarer_half(question: Question) -> dict[str, float]:
    told = {term: weight for term, weight in question.weights.items() if term not in question.asking}
    weights = told or question.weights
    names: Collection[str] = sorted(weights, key=lambda name: -weights[name])[: max(1, len(weights) // 2)]
    return {name: weights[name] for name in names}


def _under_title(hit: Hit, text: str) -> str:
    title = hit.chunk.section.title if hit.chunk.section else ""
    return f"{title}\n{text}" if title and not text.startswith(title) else text


def titles_of(hit: Hit) -> str:
    """What stands above a passage: its document's name, and the sections around it."""
    path = hit.chunk.section.path if hit.chunk.section else []
    return "\n".join([hit.document.name, *(f"{s.address or ''} {s.title}" for s in path)])


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))
