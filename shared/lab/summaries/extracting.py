"""Statements of a document by field, verbatim from its chunks, without a model.

Three kinds of evidence speak for a sentence: the heading of its section, its own words, and the kind of value in it.
What each field needs of these is in `_is_stated`; nothing is weighed.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from shared.answering.sentences import split_row, split_sentences
from shared.domain.experiments import FIELDS, Searched, SummaryBody, SummaryField, SummaryStatement, SummaryValue
from shared.domain.knowledge import Chunk
from shared.lab.summaries.cells import result_cells
from shared.lab.summaries.clauses import MEANS, SIGNPOST, claims, has_verb, tells_a_step
from shared.lab.summaries.headings import SectionPlace, label_of, wholes_of
from shared.lab.summaries.numbers import TESTS, find_values
from shared.lab.summaries.phrases import (
    AIM,
    CITED,
    CONCEDED,
    CONCEDES,
    CONTRIBUTIONS,
    COUNTED,
    METRIC,
    NAMED,
    OF_OTHERS,
    OTHERS,
    OWN,
    PHRASES,
    SAID,
    SELF,
    is_english,
)
from shared.lab.summaries.statements import statement_id
from shared.library.asides import is_aside_text

# A field shows what speaks for itself most; more is a document, not its summary.
STATEMENTS_MAX: Final = 12
CHARACTERS_MAX: Final = 1_000
HEADERS_MAX: Final = 3
# A heading with more words than this is the document's title where it comes first.
TITLE_WORDS: Final = 4
_READ: Final = frozenset({"text", "list", "caption", "figure", "footnote", "table_row"})
_CAPTIONS: Final = frozenset({"caption", "figure"})
# A caption that was read as text.
_ITEM: Final = re.compile(r"[•◦▪–-]|\(?(?:\d|[ivx]+)[.)]")
_CAPTIONED: Final = re.compile(r"(?:fig(?:ure)?|table)s?\.? ?\d+[.:]", re.I)
# Whose it is where a sentence cites and does not say `we`.
_FOUND: Final = frozenset[SummaryField]({"results", "stats", "limits", "confounds"})
_STATISTICS: Final = frozenset(
    {"p_value", "confidence_interval", "deviation", "sample_size", "effect_size", "agreement"}
)
_HYPHEN: Final = re.compile(r"(?<=[a-z])- (?=[a-z])")
# Captions of tables that count what there is.
_COUNTS: Final = re.compile(r"\b(?:statistics|number of|distribution)\b", re.I)
_LETTER: Final = re.compile(r"[^\W\d_]{2,}")


class ReadSentence(NamedTuple):
    """A sentence with its chunk, its characters there, and what its place says; `read` is it without ligatures and
    hyphens at line ends, as its words are looked for. `follows`: the field that a sentence before it announced, as
    `Our contributions are:` and `There are some limitations.` do. `of_others`: a study that is named before it in its
    passage is told of until the document speaks of itself."""

    text: str
    read: str
    start: int
    chunk: Chunk
    place: SectionPlace
    values: list[SummaryValue]
    tests: list[str]
    follows: SummaryField | None
    of_others: bool


def extract(chunks: Sequence[Chunk]) -> SummaryBody:
    """What the chunks, in the document's order, state; of tables the `table` chunks have their grid."""
    sentences = _in_english([*_sentences(chunks)])
    body = SummaryBody(cells=result_cells(chunks))
    for field in FIELDS:
        body.searched[field] = Searched(
            sections=[*dict.fromkeys(one.place.told for one in sentences if field in one.place.fields)][:20],
            sentences=len(sentences),
        )
        found = _best(field, sentences)
        if field == "metrics" and not found:
            found = _measured(chunks, {one.table_id for one in body.cells if METRIC.search(one.metric)})
        body.statements += found
    return body


def _measured(chunks: Sequence[Chunk], tables: Container[UUID]) -> list[SummaryStatement]:
    """Where no sentence tells what is measured, the headers of the first tables that print it."""
    found = dict[str, SummaryStatement]()
    for chunk in chunks:
        if chunk.table is None or chunk.table.id not in tables:
            continue
        at = 0
        for text in chunk.content.split("\n")[: chunk.table.header_rows]:
            if METRIC.search(text) and len(text) <= CHARACTERS_MAX:
                one = ReadSentence(text, text, at, chunk, SectionPlace(chunk.section), [], [], None, False)
                found.setdefault(text, _statement("metrics", one, ["value"]))
            at += len(text) + 1
    return [*found.values()][:HEADERS_MAX]


def _in_english(sentences: list[ReadSentence]) -> list[ReadSentence]:
    """Without those that say the same in another language, as a second abstract does; all of a document that is in
    another one."""
    english = [one for one in sentences if is_english(one.read)]
    return english if len(english) > len(sentences) / 2 else sentences


def _best(field: SummaryField, sentences: Sequence[ReadSentence]) -> list[SummaryStatement]:
    """Those that most speaks for, each text once, in the document's order."""
    found = dict[str, tuple[int, int, int, SummaryStatement]]()
    met = Counter[tuple[SectionPlace, int]]()
    for at, one in enumerate(sentences):
        signs = _signs(field, one)
        if _is_stated(field, one, signs):
            statement, rank = _statement(field, one, signs), _rank(one, signs)
            if statement.id not in found:
                # Of equals, the first of each section come before the second of any.
                found[statement.id] = (-rank, met[one.place, rank], at, statement)
                met[one.place, rank] += 1
    best = sorted(found.values(), key=lambda item: item[:3])[:STATEMENTS_MAX]
    return [statement for *_, statement in sorted(best, key=lambda item: item[2])]


def _signs(field: SummaryField, one: ReadSentence) -> list[str]:
    found = {
        "heading": field in one.place.fields or (field == "objective" and one.place.opens),
        "phrase": claims(PHRASES[field], one.read) if field == "results" else bool(PHRASES[field].search(one.read)),
        "follows": one.follows == field,
        "step": field == "setup" and tells_a_step(one.read, present=one.place.nowhere),
        "value": _has_value(field, one),
        "caption": one.chunk.chunk_type in _CAPTIONS or bool(_CAPTIONED.match(one.read)) or _only_names(one),
    }
    return [name for name, there in found.items() if there]


def _only_names(one: ReadSentence) -> bool:
    """Whether it is all of its passage and has no verb: a caption that was read as text."""
    whole = one.chunk.chunk_type == "text" and one.text == one.chunk.content.strip()
    return whole and not has_verb(one.read)


def _has_value(field: SummaryField, one: ReadSentence) -> bool:
    """Whether a value is printed of the kind that the field is told with."""
    kinds = {value.kind for value in one.values}
    if field == "dataset":
        return bool(COUNTED.search(one.read)) or "sample_size" in kinds
    if field == "stats":
        return bool(kinds & _STATISTICS or one.tests)
    if field in ("setup", "results"):
        return bool(one.values)
    return field == "metrics" and bool(METRIC.search(one.read))


def _is_stated(field: SummaryField, one: ReadSentence, signs: Sequence[str]) -> bool:
    """Whether what speaks for the field is enough; what others did is not this experiment."""
    aside = one.place.float_aside if "caption" in signs else one.place.aside
    if aside or one.of_others or (one.place.introduction and SIGNPOST.search(one.read)):
        return False
    heading, phrase, value = ("heading" in signs, "phrase" in signs, "value" in signs)
    we, abstract = bool(OWN.search(one.read)), one.place.abstract
    own = we or abstract or not one.place.introduction
    captioned, follows = "caption" in signs, "follows" in signs
    if field in _FOUND and not (we or heading or abstract) and CITED.search(one.read):
        return False
    match field:
        case "objective":
            # Behind the opening, what is said of the study itself or of its aim.
            said = bool(AIM.search(one.read)) and (one.place.closing or not one.place.fields)
            return (phrase or follows) and not captioned and (heading or said) and not one.read.endswith(":")
        case "setup":
            told, means = phrase and (heading or abstract or value), bool(MEANS.search(one.read))
            # A step is one of the method in a section of methods, told without `we`, and where no heading tells what
            # any section is of.
            step = "step" in signs and (value or means) and (one.place.nowhere or (heading and not we))
            return not captioned and (told or step) and own and "results" not in one.place.fields
        case "dataset":
            if captioned:
                return value or bool(_COUNTS.search(one.read))
            # What was tried is told with what it was tried on, by its name.
            tried = we and (abstract or not one.place.fields.isdisjoint({"setup", "metrics"}))
            tried = tried and bool(NAMED.search(one.read))
            return ((phrase and (value or tried)) or (heading and (phrase or value))) and own
        case "metrics":
            # Where no heading tells what any section is of, whatever is measured by something is told as a measure.
            return phrase and (value or heading or one.place.nowhere) and own
        case "results":
            # Of a section that is named by other fields, only what was measured.
            apart = one.place.fields and not heading and not METRIC.search(one.read)
            found = value or heading or abstract or one.place.closing or one.place.nowhere
            return phrase and not captioned and own and found and not apart
        case "stats":
            return (value or phrase) and own
        case "limits" | "confounds":
            phrase = phrase or (follows and bool(CONCEDED.search(one.read)))
            # A section that states the problem tells the limits of others.
            told = phrase and own and "objective" not in one.place.fields
            return told and not (field == "limits" and OF_OTHERS.search(one.read))


def _rank(one: ReadSentence, signs: Sequence[str]) -> int:
    """How many things speak for it; the abstract says what matters."""
    return (
        len({*signs} - {"step", "follows", *(() if one.place.itself else ("heading",))})
        + 2 * one.place.abstract
        + bool(OWN.search(one.read) or SAID.search(one.read))
    )


def _statement(field: SummaryField, one: ReadSentence, signs: Sequence[str]) -> SummaryStatement:
    return SummaryStatement(
        id=statement_id(field, one.text),
        field=field,
        text=one.text,
        chunk_ids=[one.chunk.id],
        start=one.start,
        end=one.start + len(one.text),
        page=one.chunk.first_page,
        boxes=one.chunk.boxes,
        found_by=[*signs],
        section=one.place.told,
        values=one.values,
        tests=one.tests,
    )


def _sentences(chunks: Sequence[Chunk]) -> Iterator[ReadSentence]:
    places = dict[object, SectionPlace]()
    # What stands below the document's title alone has no heading of its own.
    title = next(
        (one.section.id for one in chunks if one.section and len(one.section.title.split()) > TITLE_WORDS), None
    )
    first = next((one.section.id for one in chunks if one.section), None)
    title = title if title == first else None
    wholes = wholes_of([one.section for one in chunks if one.section]) | {key for key in (title,) if key}
    headed = any(SectionPlace(one.section, wholes=wholes).fields for one in chunks)
    announced: tuple[SummaryField, object] | None = None
    for chunk in chunks:
        if chunk.chunk_type not in _READ or is_aside_text(chunk.content):
            continue
        key = chunk.section.id if chunk.section else None
        if key not in places:
            opens = key is not None and key == title
            places[key] = SectionPlace(chunk.section, opens=opens, nowhere=not headed, wholes=wholes)
        place = places[key]
        at, named = 0, False
        for text in split_row(chunk.content) if chunk.chunk_type == "table_row" else split_sentences(chunk.content):
            start = chunk.content.find(text, at)
            at = start + len(text)
            if start < 0 or len(text) > CHARACTERS_MAX or len(_LETTER.findall(text)) < 2:
                continue
            if chunk.chunk_type == "table_row" and " | " in text:
                continue
            read = _HYPHEN.sub("", unicodedata.normalize("NFKC", text))
            if label := label_of(read):
                if (key, label) not in places:
                    places[key, label] = SectionPlace(chunk.section, nowhere=not headed, wholes=wholes, label=label)
                place = places[key, label]
            tests = [*dict.fromkeys(match.group() for match in TESTS.finditer(read))]
            follows = announced[0] if announced and announced[1] in (key, chunk.id) else None
            if follows == "objective" and not _ITEM.match(read):
                announced = follows = None
            named = bool(OTHERS.search(read)) or (named and not SELF.search(read))
            yield ReadSentence(text, read, start, chunk, place, find_values(text), tests, follows, named)
            # A list goes on over passages of its section, what is conceded to the end of its passage.
            if CONTRIBUTIONS.search(read):
                announced = ("objective", key)
            elif CONCEDES.search(read):
                announced = ("limits", chunk.id)
