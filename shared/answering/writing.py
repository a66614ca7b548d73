"""An answer that a model writes from evidence that is fixed before it is asked; what the evidence does not bear out is
left out, and asked for once more."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import UUID

from shared.answering.evidence import CHUNKS_READ
from shared.answering.validating import Evidence, Unborne, bearing_passages, check_sentence, copied_from
from shared.domain.chat import ChatReply, ChatRequest, ChatTurn
from shared.domain.knowledge import Hit
from shared.domain.scope import Identity
from shared.errors import BudgetSpent, Unavailable
from shared.plans.calling import call_model
from shared.ports import Answerer
from shared.prompts.answer_prompt import (
    PASSAGE_CHARACTERS,
    SENTENCES_MAX,
    WRITE_ANSWER,
    ToldPassage,
    answer_prompt_version,
    correction,
    instructions,
    question_text,
    visible,
)
from shared.runtime import Runtime

MAX_TOKENS: Final = 2_048
# What a posted record is by its format.
RECORD: Final = "record"


@dataclass(frozen=True)
class WrittenSentence:
    """A sentence that its citations bear out."""

    text: str
    citations: tuple[UUID, ...]


@dataclass
class Written:
    """What a model wrote and is borne out; what was left out, by kind; what each call used. `declined`: it wrote
    nothing of its own accord."""

    sentences: list[WrittenSentence] = field(default_factory=list[WrittenSentence])
    left_out: list[str] = field(default_factory=list[str])
    calls: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    declined: bool = False

    @property
    def usd(self) -> float:
        return sum(call["usd"] for call in self.calls)

    def note(self, model: str) -> dict[str, Any]:
        """For the trace, without any content."""
        return {"name": model, "prompt": answer_prompt_version(), "calls": self.calls, "left_out": self.left_out}


class SentenceReader:
    """Reads the sentences of an output while its JSON still comes; each is given once, when it is whole."""

    def __init__(self) -> None:
        self._text, self._at = "", -1

    def read(self, part: str) -> Iterator[Any]:
        self._text += part
        if self._at < 0:
            begins = self._text.find("[", self._text.find('"sentences"')) if '"sentences"' in self._text else -1
            self._at = begins + 1 if begins >= 0 else -1
        while self._at >= 0 and "}" in self._text[self._at :]:
            begins = self._at + len(self._text[self._at :]) - len(self._text[self._at :].lstrip(" \t\r\n,"))
            try:
                found, self._at = json.JSONDecoder().raw_decode(self._text, begins)
            except ValueError:
                return
            yield found


def write_answer(
    runtime: Runtime,
    identity: Identity,
    model: Answerer,
    question: str,
    hits: Sequence[Hit],
    rows: Mapping[UUID, str],
    told: Callable[[WrittenSentence], None],
    deadline: float,
) -> Written:
    """Asks the model until `deadline` (of `time.monotonic`), and once more where something was left out.
    Raises BadInput, and BudgetSpent and Unavailable where no sentence is borne out by then."""
    writing = _Writing(question, hits[:CHUNKS_READ], rows, told)
    request = ChatRequest(instructions(), writing.turns(), output=WRITE_ANSWER, max_tokens=MAX_TOKENS)
    try:
        reply = _call(runtime, identity, model, request, deadline, writing)
        writing.made.declined = not writing.wrote and reply.stop == "end"
        if errors := writing.errors:
            writing.errors = []
            again = (
                *request.turns,
                ChatTurn("assistant", reply.text or "(no answer)"),
                ChatTurn("user", correction((error.text, error.why) for error in errors)),
            )
            _call(runtime, identity, model, replace(request, turns=again), deadline, writing)
    except (BudgetSpent, Unavailable):
        # What is borne out is there, and has been told.
        if not writing.made.sentences:
            raise
    return writing.made


def _call(
    runtime: Runtime, identity: Identity, model: Answerer, request: ChatRequest, deadline: float, writing: "_Writing"
) -> ChatReply:
    reader = SentenceReader()

    def heard(part: str) -> None:
        for said in reader.read(part):
            writing.take(said)

    reply, used = call_model(runtime, identity, model, request, deadline, heard)
    writing.made.calls.append(used)
    return reply


class _Writing:
    """The evidence as the model sees it, and what came of it so far."""

    def __init__(
        self, question: str, hits: Sequence[Hit], rows: Mapping[UUID, str], told: Callable[[WrittenSentence], None]
    ) -> None:
        self._question, self._told = question, told
        self._ids = {f"p{n}": hit.chunk.id for n, hit in enumerate(hits, start=1)}
        self._passages = _passages(hits, rows)
        evidence = evidence_of(hits, rows)
        self._evidence = {name: evidence[chunk] for name, chunk in self._ids.items()}
        self.made = Written()
        self.errors = list[Unborne]()
        self.wrote = 0

    def turns(self) -> tuple[ChatTurn, ...]:
        return (ChatTurn("user", question_text(self._question, self._passages)),)

    def take(self, said: Any) -> None:
        """Keeps a sentence that is borne out, and tells it; notes what is wrong with any other."""
        self.wrote += 1
        error = check_sentence(said, self._evidence, self._question)
        if error and error.kind != "shape" and (copied := copied_from(error.text, self._evidence)):
            said = {"text": error.text, "evidence": copied}
            error = check_sentence(said, self._evidence, self._question)
        if error:
            self.errors.append(error)
            self.made.left_out.append(error.kind)
            return
        text = visible(" ".join(said["text"].split()))
        known = {one.text.casefold() for one in self.made.sentences}
        if text.casefold() in known or len(known) >= SENTENCES_MAX:
            return
        borne = bearing_passages(said, self._evidence, self._question)
        one = WrittenSentence(text, tuple(dict.fromkeys(self._ids[name] for name in borne)))
        self.made.sentences.append(one)
        self._told(one)


def evidence_of(hits: Sequence[Hit], rows: Mapping[UUID, str]) -> dict[UUID, Evidence]:
    """What the chunks of `hits` bear out, by their ids and in their order; `rows` has the texts of table rows with each
    cell after its column's header."""
    passages = _passages(hits, rows)
    texts = dict[str, str]()
    for one in passages:
        texts[one.document] = f"{texts.get(one.document, '')}\n{one.text}"
    return {hit.chunk.id: _evidence(one, hit, texts[one.document]) for one, hit in zip(passages, hits, strict=True)}


def _evidence(one: ToldPassage, hit: Hit, around: str) -> Evidence:
    """What a heading's own passage has is a heading's, and so is the title that a record prints among its fields: it
    names the record, as a file's name does a file."""
    if hit.chunk.chunk_type == "heading":
        said, heading = "", one.text
    elif hit.document.source_type == RECORD and f": {one.document}" in one.text:
        said, heading = one.text.replace(f": {one.document}", ":", 1), one.document
    else:
        said, heading = one.text, ""
    return Evidence(said, f"{one.document}\n{one.version}", around, f"{one.section}\n{heading}")


def _passages(hits: Sequence[Hit], rows: Mapping[UUID, str]) -> list[ToldPassage]:
    return [_passage(f"p{n}", hit, rows) for n, hit in enumerate(hits, start=1)]


def _passage(name: str, hit: Hit, rows: Mapping[UUID, str]) -> ToldPassage:
    """A row has each cell under its column's header, and its words as they are printed."""
    version = hit.version.label or "" if hit.version else ""
    text = visible(rows.get(hit.chunk.id, hit.chunk.content)[:PASSAGE_CHARACTERS])
    return ToldPassage(name, visible(hit.document.name), visible(version), visible(hit.chunk.section_path), text)
