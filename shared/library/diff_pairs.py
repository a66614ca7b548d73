"""A pair of corresponding sections (or a section of one version only): aligns its passages and classifies the
changes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.domain.diff import DiffItem, DiffPart, Flag, ItemStatus, Meaning
from shared.library.diff_align import Aligner, Match
from shared.library.diff_sections import DiffPiece, SectionText, compared, measure
from shared.library.diff_wording import is_small
from shared.library.diff_words import flags_of, word_runs, words

# Score from which passages match within a section, and between two sections.
SURE_PIECE, SURE_MOVED = 0.45, 0.7
# Passages with fewer words are not searched for in other sections, where they would match anywhere.
MOVED_WORDS = 6
FLAGS: tuple[Flag, ...] = ("numbers", "units", "limits", "negation", "modality")


@dataclass
class Pair:
    """One item of the comparison in the making. `moved_in` are passages that came from another section."""

    a: SectionText | None
    b: SectionText | None
    match: Match | None
    matched: list[tuple[DiffPiece, DiffPiece, Match]] = field(default_factory=list[tuple[DiffPiece, DiffPiece, Match]])
    gone: list[DiffPiece] = field(default_factory=list[DiffPiece])
    new: list[DiffPiece] = field(default_factory=list[DiffPiece])
    moved_in: list[tuple[DiffPiece, DiffPiece, Match]] = field(default_factory=list[tuple[DiffPiece, DiffPiece, Match]])

    def align(self) -> None:
        """Aligns the passages of the two sections."""
        left, right = (list(part.pieces) if part else [] for part in (self.a, self.b))
        found = Aligner([p.passage for p in left], [p.passage for p in right], SURE_PIECE).align()
        if not found and len(left) == len(right) == 1:
            found = [Aligner([left[0].passage], [right[0].passage], 0).match(0, 0)]
        self.matched = [(left[m.a], right[m.b], m) for m in found]
        self.gone = [p for n, p in enumerate(left) if n not in {m.a for m in found}]
        self.new = [p for n, p in enumerate(right) if n not in {m.b for m in found}]

    @property
    def is_shown(self) -> bool:
        """Whether anything remains to be shown: all passages of a section may have been found elsewhere."""
        return bool(self.a and self.b) or bool(self.gone or self.new or self.moved_in) or not self._had_pieces

    @property
    def _had_pieces(self) -> bool:
        return any(part is not None and part.pieces for part in (self.a, self.b))

    def item(self) -> DiffItem:
        parts = self._parts()
        changed = [part for part in parts if part.status != "unchanged"]
        moved = self._moved()
        status: ItemStatus = "changed" if changed else "moved" if moved else "unchanged"
        if self.a is None or self.b is None:
            status = "added" if self.a is None else "removed"
        return DiffItem(
            status=status,
            moved=moved,
            meaning=_meaning(changed) if status == "changed" else None,
            flags=_flags(changed) if status == "changed" else [],
            similarity=round(self.match.similarity, 4) if self.match else None,
            a=self.a.shown if self.a else None,
            b=self.b.shown if self.b else None,
            parts=changed,
            unchanged_parts=len(parts) - len(changed),
        )

    def _parts(self) -> list[DiffPart]:
        """The changed passages in the order of the second version; removed ones follow the passage that preceded
        them."""
        places = {id(piece): float(n) for n, piece in enumerate(self.b.pieces if self.b else [])}
        counterparts = {id(a): places[id(b)] for a, b, _ in self.matched}
        last = -1.0
        for piece in self.a.pieces if self.a else []:
            last = counterparts.get(id(piece), last)
            places[id(piece)] = last + 0.5
        found = [(places[id(b)], _part(a, b, m, "changed")) for a, b, m in self.matched]
        found += [(places[id(b)], _part(a, b, m, "moved")) for a, b, m in self.moved_in]
        found += [(places[id(piece)], _alone(piece, "removed")) for piece in self.gone]
        found += [(places[id(piece)], _alone(piece, "added")) for piece in self.new]
        return [part for _, part in sorted(found, key=lambda one: one[0])]

    def _moved(self) -> bool:
        """Whether the section has another number or parent; without a number, whether the title above it differs."""
        if self.a is None or self.b is None:
            return False
        if self.a.key or self.b.key:
            return self.a.key != self.b.key
        return self.a.parent_title != self.b.parent_title


def follow_moved(pairs: Sequence[Pair]) -> None:
    """Finds passages that left one section and appear in another; they are shown in the section where they are now."""
    gone = [(pair, piece) for pair in pairs for piece in pair.gone if _is_long(piece)]
    new = [(pair, piece) for pair in pairs for piece in pair.new if _is_long(piece)]
    found = Aligner([p.passage for _, p in gone], [p.passage for _, p in new], SURE_MOVED).align()
    for match in found:
        (source, before), (target, after) = gone[match.a], new[match.b]
        source.gone.remove(before)
        target.new.remove(after)
        target.moved_in.append((before, after, match))


def _is_long(piece: DiffPiece) -> bool:
    return len(piece.passage.tokens) >= MOVED_WORDS


def _part(a: DiffPiece, b: DiffPiece, match: Match, status: ItemStatus) -> DiffPart:
    """`status` is that of passages whose words differ; `moved` applies whether they differ or not."""
    before, after = compared(a, b)
    spoken = words(before), words(after)
    cosine = None if match.cosine is None else round(match.cosine, 4)
    similarity = round(match.similarity, 4)
    if spoken[0] == spoken[1]:
        status = "moved" if status == "moved" else "unchanged"
        return DiffPart(status=status, similarity=similarity, cosine=cosine, a=a.shown, b=b.shown)
    flags = flags_of(measure(before), measure(after))
    meaning: Meaning = "same" if is_small(*spoken) and not flags else "changed"
    return DiffPart(
        status=status,
        meaning=meaning,
        flags=flags,
        similarity=similarity,
        cosine=cosine,
        words=word_runs(before, after),
        a=a.shown,
        b=b.shown,
    )


def _alone(piece: DiffPiece, status: ItemStatus) -> DiffPart:
    runs = word_runs(piece.text, "") if status == "removed" else word_runs("", piece.text)
    if status == "removed":
        return DiffPart(status=status, words=runs, a=piece.shown, b=None)
    return DiffPart(status=status, words=runs, a=None, b=piece.shown)


def _meaning(parts: Sequence[DiffPart]) -> Meaning:
    """Passages that were added or removed change the meaning of a section."""
    return "changed" if any(p.meaning == "changed" or p.status in ("added", "removed") for p in parts) else "same"


def _flags(parts: Sequence[DiffPart]) -> list[Flag]:
    known = Counter(flag for part in parts for flag in part.flags)
    return [flag for flag in FLAGS if known[flag]]
