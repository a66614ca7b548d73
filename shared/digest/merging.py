"""What somebody changed in an exported file, told against the version that they had exported and the one that stands
now: statements changed, added or taken out, and what cannot be had without losing somebody else's change."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final
from uuid import UUID

from shared.digest.folder import FolderFile, FolderLine, Source
from shared.domain.digest import DigestCitation, DigestFile
from shared.domain.digest_folder import ConflictReason

# From which likeness of its words on a line is a changed one, and no other.
ALIKE: Final = 0.5


@dataclass(frozen=True)
class BaseLine:
    """A statement of the version that was exported."""

    statement_id: UUID
    text: str
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Wish:
    """An edit: `statement_id` with the text that it is to have, or None, which takes it out; without `statement_id` a
    new one behind `after`."""

    statement_id: UUID | None
    text: str | None
    sources: tuple[Source, ...] = ()
    after: UUID | None = None


@dataclass(frozen=True)
class Refusal:
    """What is not done: the line as it was sent ("" where it is missing there), and as it stands."""

    reason: ConflictReason
    text: str
    standing: str = ""
    detail: str = ""


@dataclass
class FolderMerge:
    """What is to be done, and what is not."""

    wishes: list[Wish] = field(default_factory=list[Wish])
    refusals: list[Refusal] = field(default_factory=list[Refusal])


def merge_file(sent: FolderFile, base: Sequence[BaseLine], outline: Sequence[str], now: DigestFile) -> FolderMerge:
    """Three ways: `base` are the statements of the version that `sent` was exported as, `outline` its other lines."""
    made = FolderMerge()
    others = [line.text for line in sent.lines if line.kind != "statement"]
    made.refusals += [Refusal("not_a_statement", text) for text in others if text not in outline]
    made.refusals += [Refusal("not_a_statement", "", text) for text in outline if text not in others]
    lines = [line for line in sent.lines if line.kind == "statement"]
    standing = {line.statement_id: line for line in now.lines}
    texts = {line.text for line in now.lines}
    for wish in _wishes(base, lines):
        before = next((line for line in base if line.statement_id == wish.statement_id), None)
        if before is None:
            if wish.text not in texts:
                made.wishes.append(wish)
            continue
        here = standing.get(before.statement_id)
        if here is None:
            if wish.text is not None:
                made.refusals.append(Refusal("gone", wish.text))
        elif here.text == wish.text and _sources(here.citations) == wish.sources:
            continue
        elif here.text != before.text:
            made.refusals.append(Refusal("changed_since", wish.text or "", here.text))
        else:
            made.wishes.append(wish)
    return made


def _sources(citations: Sequence[DigestCitation]) -> tuple[Source, ...]:
    return tuple((one.kind, one.source_id) for one in citations)


def _wishes(base: Sequence[BaseLine], lines: Sequence[FolderLine]) -> list[Wish]:
    """The edits that lead from one to the other, in the order of the file."""
    made: list[Wish] = []
    matcher = SequenceMatcher(None, [one.text for one in base], [one.text for one in lines], autojunk=False)
    for op, a, b, c, d in matcher.get_opcodes():
        if op == "equal":
            pairs = zip(base[a:b], lines[c:d], strict=True)
            made += [Wish(old.statement_id, new.text, new.sources) for old, new in pairs if old.sources != new.sources]
            continue
        left = list(base[a:b])
        after = base[a - 1].statement_id if a else None
        for line in lines[c:d]:
            alike = max(left, key=lambda old: _likeness(old.text, line.text), default=None)
            if alike is None or _likeness(alike.text, line.text) < ALIKE:
                made.append(Wish(None, line.text, line.sources, after))
                continue
            left.remove(alike)
            made.append(Wish(alike.statement_id, line.text, line.sources))
            after = alike.statement_id
        made += [Wish(old.statement_id, None) for old in left]
    return made


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()
