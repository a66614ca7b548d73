"""Verifies what stored rows claim of a page: every character of every line once, in a chunk or skipped with a
reason."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from shared.domain.geometry import Tick
from shared.domain.verify import StoredSkip
from shared.verify.page import ProvenPage, Wrong
from shared.verify.wording import running, stacked

Row = tuple[tuple[tuple[str, ...], int, int], ...]


@dataclass(frozen=True)
class Held:
    """The references that one stored chunk claims on a page: of a table its rows there, of a figure its labels
    separately. `begins` is False where the chunk began on an earlier page."""

    chunk_id: str
    kind: str
    begins: bool
    references: tuple[str, ...]
    labels: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    header_rows: int = 0
    ticks: tuple[Tick, ...] = ()


@dataclass
class PageClaims:
    """The chunks in order; those of single table rows separately, as their table claims the same references."""

    held: list[Held] = field(default_factory=list[Held])

    def references(self) -> Iterator[str]:
        for one in self.held:
            yield from one.references
            yield from one.labels


def claim_failures(page: ProvenPage, claims: PageClaims, skipped: Sequence[StoredSkip]) -> tuple[list[Wrong], int]:
    """Returns (failures, number of lines that are not completely claimed)."""
    references = [*claims.references(), *(r for skip in skipped for r in skip.box.fragment_ids)]
    spans: dict[str, list[tuple[int, int]]] = {}
    wrong: list[Wrong] = []
    twice: list[str] = []
    for reference in references:
        try:
            (piece,) = page.lines.pieces([reference])
        except ValueError as error:
            wrong.append(Wrong("fragment", "a line of the stored page", str(error)))
            continue
        taken = spans.setdefault(piece.line.id, [])
        if any(piece.start < end and start < piece.end for start, end in taken):
            twice.append(reference)
        taken.append((piece.start, piece.end))
    if twice:
        wrong.append(Wrong("claimed_twice", "each line held once", " ".join(twice)))
    missing = [line.id for line in page.lines.by_id.values() if _has_free_ink(line.text, spans.get(line.id, []))]
    if missing:
        wrong.append(Wrong("unclaimed", "every line held", " ".join(missing)))
    return wrong, len(missing)


def skip_failures(page: ProvenPage, skipped: Sequence[StoredSkip]) -> Iterator[Wrong]:
    """Verifies skipped text: it is that of its lines (of a repeated table header, that of its rows), in a box around
    them."""
    for skip in skipped:
        try:
            pieces = page.lines.pieces(skip.box.fragment_ids)
        except ValueError:
            continue  # reported as a claim
        plain = "".join([piece.text for piece in pieces]).split()
        if skip.reason == "repeated_table_header":
            same = "".join(plain) == "".join(skip.text.replace(" | ", "").split())
        else:
            same = skip.text == running([pieces])
        if not same or skip.box.page != page.page:
            yield Wrong("verbatim", stacked(piece.text for piece in pieces), skip.text)


def _has_free_ink(text: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether non-blank characters are unclaimed. White space at the edges of parts need not be claimed; a line without
    any claim is unclaimed as a whole."""
    if not spans:
        return True
    if spans[0] == (0, len(text)):
        return False
    held = [any(start <= place < end for start, end in spans) for place in range(len(text))]
    return any(not inside and not text[place].isspace() for place, inside in enumerate(held))
