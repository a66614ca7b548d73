"""TREC topics and relevance judgements (qrels) as gold questions.

A qrels line is `query iteration document grade`; grades of 0 and below are judged not relevant. Topics are
`<top><num>…<title>…</top>`, in XML or in TREC's older form without closing tags, or lines `number<TAB>question`.
"""

import html
import re
from collections import defaultdict
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from shared.domain.evaluation import GoldInput, GoldPlace
from shared.errors import BadInput
from shared.evaluation.gold_file import GoldFile, checked, read_text
from shared.evaluation.gold_rows import first_error

TOPIC = re.compile(r"<top>(.*?)(?=</top>|<top>|\Z)", re.IGNORECASE | re.DOTALL)
FIELD = r"<{0}>\s*(?:{1})?(.*?)(?=</{0}>|<\w+>|\Z)"
NUMBER = re.compile(FIELD.format("num", r"Number:\s*"), re.IGNORECASE | re.DOTALL)
GRADE = re.compile(r"-?[0-9]{1,9}")
TITLE = re.compile(FIELD.format("(?:title|query)", r"Topic:\s*"), re.IGNORECASE | re.DOTALL)


def read_trec(topics: Path, qrels: Path, by_position: bool = False) -> GoldFile:
    """Reads topics and judgements. `by_position`: judgements number the topics from 1, whatever `<num>` says
    (Cranfield).

    Raises BadInput naming file and line.
    """
    queries, judged = _topics(topics, by_position), _qrels(qrels)
    found = GoldFile(qrels.name)
    for number in (n for n in judged if n not in queries):
        found.left_out.append(f"{qrels}: query {number} is not in {topics.name}")
    for number, text in queries.items():
        places = judged.get(number, [])
        if places:
            with _reading(f"{topics}: query {number} (judged in {qrels.name})"):
                found.questions.append(GoldInput(question=text, expected=places))
        else:
            found.left_out.append(f"{topics}: query {number} has no relevant document in {qrels.name}")
    return checked(found)


@contextmanager
def _reading(place: str) -> Generator[None]:
    """Raises BadInput naming the place where a value is out of bounds."""
    try:
        yield
    except ValidationError as error:
        raise BadInput(f"{place} cannot be used: {first_error(error)}.") from error


def _topics(path: Path, by_position: bool) -> dict[str, str]:
    text = read_text(path)
    pairs = [_topic(path, body) for body in TOPIC.findall(text)] or _lines(path, text)
    if by_position:
        pairs = [(str(place), text) for place, (_, text) in enumerate(pairs, start=1)]
    return dict(pairs)


def _topic(path: Path, body: str) -> tuple[str, str]:
    number, title = NUMBER.search(body), TITLE.search(body)
    if number is None or title is None or not title[1].strip():
        raise BadInput(f"{path}: a topic has no <num> or no <title>: {' '.join(body.split())[:80]!r}.")
    return number[1].strip(), " ".join(html.unescape(title[1]).split())


def _lines(path: Path, text: str) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for line_number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            number, tab, question = line.partition("\t")
            if not tab or not question.strip():
                raise BadInput(f"{path}, line {line_number} is no topic: give <top> elements, or NUMBER<TAB>QUESTION.")
            pairs.append((number.strip(), " ".join(question.split())))
    return pairs


def _qrels(path: Path) -> dict[str, list[GoldPlace]]:
    """Relevant documents by query; a query whose documents are all judged not relevant has none."""
    found: dict[str, dict[str, GoldPlace]] = defaultdict(dict)
    for line_number, line in enumerate(read_text(path).split("\n"), start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 4 or not GRADE.fullmatch(fields[3]):
            raise BadInput(f"{path}, line {line_number} is no judgement: `query iteration document grade` is expected.")
        query, _, document, grade = fields
        if int(grade) > 0:
            with _reading(f"{path}, line {line_number}"):
                found[query][document] = GoldPlace(document=document, grade=int(grade))
    return {query: list(places.values()) for query, places in found.items()}
