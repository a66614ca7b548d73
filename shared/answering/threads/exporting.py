"""A conversation as Markdown: each statement with footnotes, which say where what it cites stands."""

import re
from typing import Final
from uuid import UUID

from shared.answering.threads.shapes import ShownAnswer, WholeThread
from shared.domain.knowledge import Hit

GONE: Final = "*(what was quoted here is gone, or you may no longer see it)*"
# What documents and people write is text here, whatever it would mean as Markdown or HTML.
_MARKS: Final = re.compile(r"([\\`*_\[\]<>#|~&!])")


def as_markdown(thread: WholeThread) -> str:
    notes: dict[str, int] = {}
    lines = [f"# {_plain(thread.title or 'Conversation')}", ""]
    for message in thread.messages:
        lines += [f"## {_plain(message.question)}", ""]
        if message.asked_as:
            lines += [f"Asked as: {_plain(message.asked_as)}", ""]
        for one in message.answers:
            model = f" by {_plain(one.answer.model)}" if one.answer.model else ""
            if len(message.answers) > 1:
                lines += [f"### Answer{model or ' in quotations'}", ""]
            lines += [*_answer(one.answer, notes), ""]
    lines += [f"[^{number}]: {place}" for place, number in notes.items()]
    return "\n".join(lines).rstrip() + "\n"


def _answer(answer: ShownAnswer, notes: dict[str, int]) -> list[str]:
    places = {hit.chunk.id: _place(hit) for hit in answer.citations}
    if not answer.sentences:
        return [_plain(answer.answer)]
    lines = list[str]()
    for sentence in answer.sentences:
        if sentence.no_longer_visible:
            lines.append(f"- {GONE}")
            continue
        numbers = dict.fromkeys(_number(places, chunk, notes) for chunk in sentence.citations if chunk in places)
        lines.append(f"- {_plain(sentence.told)}{''.join(f'[^{number}]' for number in numbers)}")
    return lines


def _number(places: dict[UUID, str], chunk: UUID, notes: dict[str, int]) -> int:
    return notes.setdefault(places[chunk], len(notes) + 1)


def _place(hit: Hit) -> str:
    page = f"page {hit.chunk.first_page}" if hit.chunk.first_page else ""
    if hit.kept_row:
        page = f"{hit.kept_row.sheet} {hit.kept_row.range}"
    label = hit.version.label if hit.version and hit.version.label else ""
    return ", ".join(_plain(part) for part in (hit.document.name, label, hit.chunk.section_path, page) if part)


def _plain(text: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
