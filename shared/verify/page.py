"""Verifies one page against its source: its lines, failures, and differences of the second reader."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from shared.domain.page import Fragment, PageFile
from shared.domain.raw_page import RawPage, RawPictures, RereadableSource, SecondReader
from shared.domain.verify import Check, Difference, StoredPage
from shared.errors import RefusedFile
from shared.verify.drawn import unsaid_letters
from shared.verify.fragments import FragmentReading, Proven, match
from shared.verify.ground import Edges, Frame, GroundLine, is_edge
from shared.verify.pieces import Lines, SourceLine
from shared.verify.second_reader import SecondReading, is_other_decoding, is_other_text
from shared.verify.ticks import NO_BOX, tick_differences

# With at least this many characters in the text layer, a page is not accepted as a scan.
MIN_TEXT_CHARACTERS = 40
SIZE_PT = 0.002


@dataclass(frozen=True)
class Disagreement:
    """The second reader's text for a line, and the kind of difference."""

    kind: Difference
    found: str


@dataclass
class Wrong:
    """A failed check of a page, not of one chunk."""

    check: Check
    expected: str
    actual: str


@dataclass
class ProvenPage:
    """`lines` are those of the stored page; `second` is None where the second reader cannot open the page; `beyond` are
    letters that only the second reader sees: clipped text, notes, or text that the first reader missed."""

    page: int
    file: PageFile | None
    lines: Lines
    wrong: list[Wrong] = field(default_factory=list[Wrong])
    second: dict[str, Disagreement] | None = None
    frame: Frame | None = None
    beyond: str = ""


def prove_page(
    source: RereadableSource, second: SecondReader, number: int, row: StoredPage | None, file: PageFile | None
) -> ProvenPage:
    """Verifies a page. A failed page is not read again: what stopped the reader would stop the verification."""
    if row is None or row.failed:
        said = "recorded as failed" if row else "not recorded"
        return ProvenPage(number, None, Lines([]), [Wrong("unread_page", f"page {number} is read", said)])
    try:
        raw, reading = _best_reading(source, number, file)
        drawn = source.drawn_page(number)
    except RefusedFile as refusal:
        return ProvenPage(number, None, Lines([]), [Wrong("unread_page", f"page {number} is read", str(refusal))])
    if file is None:
        lines = [line.text for line in map(GroundLine, raw.lines) if line.text]
        return ProvenPage(number, None, Lines([]), [Wrong("unread_text", " ".join(lines), "no stored page")])
    frame = Frame(raw)
    wrong = [*_frame_failures(number, file, raw, row, reading), *_reading_failures(reading, file)]
    wrong += _drawn_failures(drawn, reading)
    if any(fragment.ocr for fragment in file.fragments) or any(tick.ocr for tick in file.tick_boxes or ()):
        wrong += _ocr_failures(file, source.pictures(number), frame, raw)
    lines = Lines([_line(fragment, reading, frame) for fragment in file.fragments])
    if file.tick_boxes is not None:  # readers before pdf-5 did not look for any
        form = source.form(number)
        if file.extractor_version.startswith(("pdf-5/", "pdf-6/")):  # they did not look for round boxes
            form = form._replace(paths=())
        drawn_ones = [tick for tick in file.tick_boxes if not tick.ocr]
        differences = tick_differences(drawn_ones, form, lines, frame)
        # That one did not look for squares of four lines: what it stored is held to the page, not what it left out.
        earlier = file.extractor_version.startswith("pdf-5/")
        wrong += [Wrong("tick", one, other) for one, other in differences if not (earlier and other == NO_BOX)]
    glyphs = second.glyphs(number, raw.drawn)
    if glyphs is None:
        return ProvenPage(number, file, lines, wrong, None, frame)
    seen = SecondReading(glyphs, file.fragments)
    beyond = seen.beyond([fragment.box for fragment in file.fragments])
    return ProvenPage(number, file, lines, wrong, _disagreements(seen, reading, frame), frame, beyond)


def _best_reading(source: RereadableSource, number: int, file: PageFile | None) -> tuple[RawPage, FragmentReading]:
    """The first of the library's readings that matches the stored page, or the one that matches best."""
    found: list[tuple[RawPage, FragmentReading]] = []
    for raw in source.raw_pages(number):
        reading = match(file, raw) if file else FragmentReading()
        if not reading.unfounded and not reading.unread:
            return raw, reading
        found.append((raw, reading))
    return min(found, key=lambda one: len(one[1].unfounded) + len(one[1].unread))


def is_picture(box: Edges, pictures: RawPictures, frame: Frame | None) -> bool:
    """Whether each edge of `box` is an edge of something drawn, as pictures may consist of several parts."""
    if frame is None:
        return False
    parts = [frame.exact(part) for part in [*pictures.bitmaps, *pictures.drawn]]
    return all(any(is_edge(box[side], part[side]) for part in parts) for side in range(4))


def _line(fragment: Fragment, reading: FragmentReading, frame: Frame) -> SourceLine:
    box, proven = fragment.box, reading.proven.get(fragment.id)
    size = proven.size if proven else fragment.size
    why = None if proven or fragment.ocr else reading.unfounded.get(fragment.id, "")
    edges = (lambda: proven.edges(frame)) if proven else tuple[float, ...]
    right, bottom = box.x + box.w, box.y + box.h
    return SourceLine(fragment.id, fragment.text, box.x, box.y, right, bottom, size, fragment.ocr, edges, why)


def _frame_failures(
    number: int, file: PageFile, raw: RawPage, row: StoredPage, reading: FragmentReading
) -> Iterator[Wrong]:
    stored = (file.page, round(file.width_pt, 2), round(file.height_pt, 2), file.rotation)
    if (
        (file.page, file.rotation) != (number, raw.rotation)
        or abs(file.width_pt - (raw.width or 1.0)) > SIZE_PT
        or abs(file.height_pt - (raw.height or 1.0)) > SIZE_PT
    ):
        yield Wrong("page", str((number, round(raw.width, 2), round(raw.height, 2), raw.rotation)), str(stored))
    ids = [fragment.id for fragment in file.fragments]
    if ids != [f"p{number}.f{n}" for n in range(1, len(ids) + 1)]:
        yield Wrong("page", f"lines p{number}.f1 to p{number}.f{len(ids)}", " ".join(ids))
    if row.route != file.route:
        yield Wrong("page", f"route {file.route}", f"route {row.route}")
    recognised = any(fragment.ocr for fragment in file.fragments)
    if file.route == "ocr" and reading.characters >= MIN_TEXT_CHARACTERS:
        yield Wrong("ocr", f"a text layer of {reading.characters} characters", "route ocr")
    if (file.route == "empty" and ids) or (file.route == "text" and recognised):
        yield Wrong("ocr", f"no recognised text on route {file.route}", f"{len(ids)} lines")


def _reading_failures(reading: FragmentReading, file: PageFile) -> Iterator[Wrong]:
    if reading.unread:
        yield Wrong("unread_text", " ".join(reading.unread), "")
    texts = {fragment.id: fragment for fragment in file.fragments}
    for identifier, there in reading.unfounded.items():
        box = texts[identifier].box
        place = f"{box.x:.6f} {box.y:.6f} {box.w:.6f} {box.h:.6f}"
        yield Wrong("fragment", there, f"{identifier} at {place}: {texts[identifier].text}")
    for identifier, proven in reading.proven.items():
        if texts[identifier].invisible == proven.is_drawn:
            yield Wrong("fragment", f"{identifier} is {'' if proven.is_drawn else 'not '}drawn", "the opposite")
        if texts[identifier].size != proven.size:
            yield Wrong("fragment", f"{identifier} of {proven.size} pt", f"{texts[identifier].size} pt")


def _drawn_failures(drawn: RawPage, reading: FragmentReading) -> Iterator[Wrong]:
    unread, undrawn = unsaid_letters(drawn, [one for proven in reading.proven.values() for one in proven.characters])
    if unread:
        yield Wrong("unread_text", f"{unread}, which is drawn", "")
    if undrawn:
        yield Wrong("fragment", f"something else than {undrawn} is drawn", undrawn)


def _ocr_failures(file: PageFile, pictures: RawPictures, frame: Frame, raw: RawPage) -> Iterator[Wrong]:
    """OCR text, and boxes to tick found beside it, must lie in a bitmap (on a page without text layer, in anything
    drawn), where the text layer has no characters."""
    places = [
        ((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        for line in raw.lines
        for span in line.spans
        for box in (frame.exact(one.box) for one in span.characters if not one.text.isspace())
    ]
    found = [frame.exact(box) for box in (pictures.bitmaps if places else [*pictures.bitmaps, *pictures.drawn])]
    recognised = [(one.box, f"{one.id}: {one.text}", len(one.text)) for one in file.fragments if one.ocr]
    recognised += [(one.box, "a box to tick", 1) for one in file.tick_boxes or () if one.ocr]
    for box, said, length in recognised:
        x, y = box.x + box.w / 2, box.y + box.h / 2
        inside = sum(box.x < u < box.x + box.w and box.y < v < box.y + box.h for u, v in places)
        if inside * 4 > length:
            yield Wrong("ocr", f"{inside} characters of the text layer", said)
        elif not any(one.left <= x <= one.right and one.top <= y <= one.bottom for one in found):
            yield Wrong("ocr", "a picture of text", said)


def _disagreements(second: SecondReading, reading: FragmentReading, frame: Frame) -> dict[str, Disagreement]:
    found: dict[str, Disagreement] = {}
    fonts: dict[str, bool] = {}
    for identifier, proven in reading.proven.items():
        kind, there = second.difference(proven.fragment)
        if kind in ("missing", "extra"):
            kind = _judged(kind, there, proven, second, reading, frame, fonts)
        if kind is not None:
            found[identifier] = Disagreement(kind, there)
    return found


def _judged(
    kind: Difference,
    there: str,
    proven: Proven,
    second: SecondReading,
    reading: FragmentReading,
    frame: Frame,
    fonts: dict[str, bool],
) -> Difference:
    """`other` where a glyph with another meaning stands in a character's place, unless the two libraries give the
    whole font another meaning."""
    if not is_other_text(_pairs([proven], second, frame), proven.fragment.text, there):
        return kind
    font = proven.fragment.font
    if font not in fonts:
        same = [one for one in reading.proven.values() if one.fragment.font == font]
        fonts[font] = is_other_decoding(_pairs(same, second, frame))
    return "decoding" if fonts[font] else "other"


def _pairs(lines: Sequence[Proven], second: SecondReading, frame: Frame) -> list[tuple[str, str]]:
    placed = ((one.text, frame.exact(one.raw.box)) for line in lines for one in line.characters)
    return list(second.substitutes(placed))
