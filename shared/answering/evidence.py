"""Evidence for a question: the statements of the best chunks with their scores.

Measurements, and how the thresholds were chosen: docs/decisions/0046-quotations.md.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from uuid import UUID

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
from shared.retrieval.naming import terms_naming
from shared.retrieval.terms import terms_beyond, terms_in

CHUNKS_READ = 8
# What a value of the kind that is asked for adds to a statement's score; so much again where a form's label names it.
HELD = 0.15

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
    that such statements of its document, or its message, have: they hold for all that stands there. `restated`:
    headers and values of a row's cells that say which row is meant. `compared`: it has the most or the least of so many
    rows of its table, `meeting`: so many are meant by the question, of which it is the first. `listed`: it is of a list
    that another statement announces. `met`: whether a value of it meets the limit that is asked for; `meant`: of a row
    that was compared with what the question says, how. `below`: the lines between its titles and a row, the labels of
    the groups that it is of.
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


def with_told_kinds(
    question: Question, hits: Sequence[Hit], rows: Mapping[UUID, str], tables: Mapping[UUID, str] = MappingProxyType({})
) -> Question:
    """The question with the kinds of the values in rows that are named as what is asked for, where it says none: a
    gross margin is a share. A row named as a thing that may be high or large tells none that is measured of things.
    `rows` and `tables` as for `weigh_sentences`."""
    told = Counter[frozenset[str]]()
    asked = question.sized or question.asked
    asks = question.of_value and (question.sized or not question.kinds)
    read = [one for hit in hits if asks for one in slices_of(hit, rows.get(hit.chunk.id, ""))]
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

    `rows` has the table rows among the hits with each cell after its column header, since a bare row has values without
    names; `tables` the texts of the tables that they stand in; `headers` those of the messages: who wrote it holds for
    all that a message says; `compared` are rows that were compared with a limit, `questions` what passages answer.
    """
    slices = [
        one
        for hit in hits
        for one in slices_of(
            hit, rows.get(hit.chunk.id, ""), asking=question.of_asking, question=questions.get(hit.chunk.id, "")
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


def _cells_of(
    question: Question, one: PassageSlice, tables: Mapping[UUID, str], compared: Compared | None
) -> tuple[AnsweringCell, ...]:
    """Those of a row and of a form's value; none of prose."""
    if one.kind == "pair":
        return read_pair(one.read, question.kinds)
    if one.kind != "row":
        return ()
    stated = stated_kinds(one.text, one.hit.chunk.attrs, tables.get(one.hit.chunk.id, ""))
    # How many rows are meant is told of them all, and by no number in one.
    kinds = frozenset[str]() if compared and compared.meeting else question.kinds
    cells = read_cells(one.text, one.read, kinds, question.weights, question.properties, stated)
    if compared and compared.met and compared.labels:
        return tuple(replace(cell, answers=cell.label in compared.labels) for cell in cells)
    return cells


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
    cells = _cells_of(question, one, tables, compared)
    values = () if cells else tuple(held(question.kinds, text))
    met = compared.met if compared else question.limit.is_met_in(text) if question.limit and kind == "prose" else None
    holds = any(cell.holds for cell in cells) if cells else bool(values)
    known = identifying = identified.get(_thing_of(hit), frozenset())
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
        restated=frozenset((c.label, c.value) for c in cells if kind == "row" and saying.says_cell(c, properties)),
        met=met, meant=compared,
        below=tuple(read.split("\n")[bool(hit.chunk.section) : -1]) if kind == "row" else (),
    )  # fmt: skip
    return replace(found, beyond=len(terms_beyond(found.name, weights)))


def _under_title(hit: Hit, text: str) -> str:
    title = hit.chunk.section.title if hit.chunk.section else ""
    return f"{title}\n{text}" if title and not text.startswith(title) else text


def titles_of(hit: Hit) -> str:
    """What stands above a passage: its document's name, and the sections around it."""
    path = hit.chunk.section.path if hit.chunk.section else []
    return "\n".join([hit.document.name, *(f"{s.address or ''} {s.title}" for s in path)])
