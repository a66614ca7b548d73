"""Verifies one part of a source without pages: it is read again, and compared with another library's text."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set

from shared.domain.geometry import CellRange, Place, TextRange
from shared.domain.kept_rows import KeptBlock, KeptRows
from shared.domain.page import Fragment, PageFile, PartPicture, Route
from shared.domain.raw_page import RawPictures, SecondText, StructuredSource
from shared.domain.verify import Check, StoredPage
from shared.errors import RefusedFile
from shared.verify.fields import UNSAID, FieldProof
from shared.verify.ground import EXACT
from shared.verify.page import Disagreement, ProvenPage, Wrong
from shared.verify.pieces import Lines, SourceLine

BEYOND_CHARACTERS = 200
# The route of a part in whose pictures there is no text, by the one that its reader gave it.
_TEXTLESS: dict[Route, Route] = {"mixed": "text", "ocr": "empty"}


class PartProver:
    """Proves the parts of a source. The second reader's letters are used up part by part: what is left at the last one
    is text that no part has."""

    def __init__(self, source: StructuredSource, second: SecondText) -> None:
        self._source, self._second = source, second
        self.page_count = source.page_count
        self._letters = _Letters(second.text)
        self._numbers = None if second.numbers is None else _Numbers(second.numbers)
        self._fields = None if second.fields is None else FieldProof(second.fields)
        self._taken: list[tuple[int, int]] = []

    def pictures(self, page: int) -> RawPictures:
        """A part has no pictures."""
        return RawPictures([], [])

    def kept_failure(self, number: int, kept: KeptRows, block: KeptBlock | None) -> Wrong | None:
        """What is wrong with the rows that are stored beside a part, which says that they are `kept`. That it says so
        of the source is proved with its file."""
        if block is None or block.described() != kept:
            said = f"{len(block.numbers)} other rows" if block else "no rows that can be read"
            return Wrong("rows", f"{kept.rows} rows, {kept.first} to {kept.last}", said)
        if self._second.cells is None:
            return Wrong("rows", "a second reading of the rows", "none")
        for number, texts in zip(block.numbers, zip(*block.texts, strict=True), strict=True):
            found = self._second.cells.differs_row(block.sheet, number, block.places, texts)
            if found is not None:
                return Wrong("rows", f"row {number}: {found}"[:BEYOND_CHARACTERS], " ".join(texts)[:BEYOND_CHARACTERS])
        return None

    def left_over(self) -> tuple[Wrong | None, str]:
        """What the second reader has and no part: a failure where it reads the same text, else worth a look."""
        cells = self._second.cells
        if self._fields is not None:
            said = self._fields.left()[:BEYOND_CHARACTERS]
            return (Wrong("unread_text", said, "") if said else None), ""
        left = self._untaken() if self._second.offsets else self._letters.left()
        rest = (cells.left() if cells else left)[:BEYOND_CHARACTERS]
        return (Wrong("unread_text", rest, ""), "") if rest and (self._second.offsets or cells) else (None, rest)

    def prove(self, number: int, row: StoredPage | None, file: PageFile | None) -> ProvenPage:
        """Verifies a part. One that failed is not read again."""
        if row is None or row.failed:
            said = "recorded as failed" if row else "not recorded"
            return ProvenPage(number, None, Lines([]), [Wrong("unread_page", f"part {number} is read", said)])
        try:
            again = self._source.read_page(number)
        except RefusedFile as refusal:
            return ProvenPage(number, None, Lines([]), [Wrong("unread_page", f"part {number} is read", str(refusal))])
        if file is None:
            text = " ".join(fragment.text for fragment in again.fragments)
            return ProvenPage(number, None, Lines([]), [Wrong("unread_text", text, "no stored part")])
        return self._compared(number, file, again)

    def _compared(self, number: int, file: PageFile, again: PageFile) -> ProvenPage:
        now, then = again.extractor_version, file.extractor_version
        if now != then and _unrecognised(file, again) != again.model_copy(update={"extractor_version": then}):
            check: Check = "older_reader" if _is_older(then, now) else "page"
            told = Wrong(check, f"read by {now}", f"read by {then}: reingest the document")
            return self._read_before(number, file, told)
        there = {fragment.id: fragment for fragment in again.fragments}
        held = {fragment.id for fragment in file.fragments}
        wrong: list[Wrong] = []
        lines: list[SourceLine] = []
        second: dict[str, Disagreement] = {}
        why_not = {fragment.id: _difference(fragment, there.get(fragment.id)) for fragment in file.fragments}
        otherwise = self._read_otherwise(file, {name for name, why in why_not.items() if why is None})
        for fragment in file.fragments:
            if fragment.ocr and fragment.id not in there:
                wrong += _ocr_failures(fragment, again)
                lines.append(_line(fragment, None))
                continue
            why = why_not[fragment.id]
            if why is not None:
                wrong.append(Wrong("fragment", why, f"{fragment.id}: {fragment.text}"))
            elif (read := otherwise.get(fragment.id) or self._counted_otherwise(fragment)) is not None:
                second[fragment.id] = Disagreement("other", read)
            lines.append(_line(fragment, why))
        unread = [fragment.text for fragment in again.fragments if fragment.id not in held]
        if unread:
            wrong.append(Wrong("unread_text", " ".join(unread), ""))
        wrong += self._formula_failures(file, again)
        ids = [fragment.id for fragment in file.fragments]
        if ids != [f"p{number}.f{n}" for n in range(1, len(ids) + 1)]:
            wrong.append(Wrong("page", f"lines p{number}.f1 to p{number}.f{len(ids)}", " ".join(ids)))
        if _said(_unrecognised(file, again)) != _said(again):
            wrong.append(Wrong("page", f"{again.label}: the structure of the source", file.label))
        return ProvenPage(number, file, Lines(lines), wrong, second)

    def _formula_failures(self, file: PageFile, again: PageFile) -> Iterator[Wrong]:
        """Formulas that are listed and that the source has otherwise, and cells with a value that have one and are not
        listed. The name of a sheet stands at its cells and in none."""
        cells = self._second.cells
        sheet = next((one.place.sheet for one in again.fragments if isinstance(one.place, CellRange)), None)
        if cells is None or sheet is None:
            return
        listed = {one.range for one in file.formulas}
        for one in file.formulas:
            if (said := cells.differs_formula(sheet, one.range, one.formula)) is not None:
                yield Wrong("formula", f"{one.range}: {said}", one.formula)
        for fragment in file.fragments:
            place = fragment.place
            if isinstance(place, CellRange) and place.range not in listed and fragment.text != place.sheet.strip():
                listed.add(place.range)
                if cells.computes(place):
                    yield Wrong("formula", f"{place.range} has a formula", "none is listed")

    def _read_before(self, number: int, file: PageFile, told: Wrong) -> ProvenPage:
        """A part that another version of the reader divided otherwise: its lines are compared with the second reader
        alone, and the part is told once, not each line of it."""
        names = {fragment.id for fragment in file.fragments if not fragment.ocr}
        second = {name: Disagreement("other", said) for name, said in self._read_otherwise(file, names).items()}
        lines = Lines([_line(fragment, None) for fragment in file.fragments])
        return ProvenPage(number, file, lines, [told], second)

    def _read_otherwise(self, file: PageFile, names: Set[str]) -> dict[str, str]:
        """What the second reader has instead of the fragments with these names, by the names of those that it does not
        have."""
        if self._fields is not None:
            return self._fields.differences(file, names)
        read = {fragment.id: self._differs(fragment) for fragment in file.fragments if fragment.id in names}
        return {name: said for name, said in read.items() if said is not None}

    def _differs(self, fragment: Fragment) -> str | None:
        """What the second reader has instead of a fragment; None where it has the same."""
        place = fragment.place
        if self._second.cells is not None and isinstance(place, CellRange):
            return self._second.cells.differs(place, fragment.text)
        if self._second.offsets and isinstance(place, TextRange):
            self._taken.append((place.start, place.end))
            said = self._second.text[place.start : place.end]
            return None if said == fragment.text else said
        return None if self._letters.take(fragment.text) else UNSAID

    def _counted_otherwise(self, fragment: Fragment) -> str | None:
        """What the second reader says where it has no item with this number."""
        if not fragment.marker or self._numbers is None or self._numbers.take(fragment.marker, fragment.text):
            return None
        return f"no item {fragment.marker}"

    def _untaken(self) -> str:
        """What stands at no fragment's place. Letters would not do: a stroke of a table is like any other, and an X
        that stands alone like one in a word."""
        pieces: list[str] = []
        at = 0
        for start, end in [*sorted(self._taken), (len(self._second.text), 0)]:
            pieces += self._second.text[at:start].split()
            at = max(at, end)
        return " ".join(pieces)


def _is_older(then: str, now: str) -> bool:
    """Whether it is a former version of the same reader: `text-2` of `text-3`."""
    (name, _, number), (same, _, last) = then.rpartition("-"), now.rpartition("-")
    return name == same and number.isdecimal() and last.isdecimal() and int(number) < int(last)


class _Numbers:
    """The numbers and bullets that the second reader counts, each in front of the text of its item; each is taken
    once."""

    def __init__(self, numbers: Sequence[tuple[str, str]]) -> None:
        self._texts = defaultdict[tuple[str, str], list[str]](list)
        for number, text in numbers:
            bare = "".join(text.split())
            self._texts["".join(number.split()), bare[:1]].append(bare)

    def take(self, number: str, text: str) -> bool:
        """Whether an item has the number and begins with the text: where its line ends, the readers need not agree."""
        bare = "".join(text.split())
        held = self._texts["".join(number.split()), bare[:1]]
        at = next((at for at, one in enumerate(held) if one.startswith(bare) or bare.startswith(one)), -1)
        if at >= 0:
            held.pop(at)
        return at >= 0


class _Letters:
    """The characters of a text without white space, taken in the order in which they are asked for, or else out of
    it. What is a line of the text is taken there first: a cell with a 1 would take the 1 out of another's 14."""

    def __init__(self, text: str) -> None:
        lines = ["".join(line.split()) for line in text.splitlines()]
        self._text = "".join(lines)
        self._lines = defaultdict[str, list[int]](list)
        at = 0
        for line in lines:
            self._lines[line].append(at)
            at += len(line)
        self._at = 0
        self._gaps: list[tuple[int, int]] = []

    def take(self, text: str) -> bool:
        wanted = "".join(text.split())
        if not wanted:
            return True
        whole = self._lines.get(wanted, [])
        ahead = bisect_left(whole, self._at)
        held = (at for at in range(ahead) if self._is_left(whole[at], whole[at] + len(wanted)))
        at = ahead if ahead < len(whole) else next(held, -1)
        found = whole.pop(at) if at >= 0 else -1
        if found < 0:
            found = self._text.find(wanted, self._at)
        if found < 0:
            places = (self._text.find(wanted, begin, end) for begin, end in self._gaps)
            found = next((at for at in places if at >= 0), -1)
        if found < 0:
            return False
        self._remove(found, found + len(wanted))
        return True

    def _is_left(self, begin: int, end: int) -> bool:
        return any(first <= begin and end <= last for first, last in self._gaps)

    def _remove(self, begin: int, end: int) -> None:
        if begin >= self._at:
            if begin > self._at:
                self._gaps.append((self._at, begin))
            self._at = end
            return
        at = next(at for at, (first, last) in enumerate(self._gaps) if first <= begin and end <= last)
        first, last = self._gaps[at]
        self._gaps[at : at + 1] = [one for one in ((first, begin), (end, last)) if one[0] < one[1]]

    def left(self) -> str:
        """What has not been taken."""
        gaps = [*self._gaps, (self._at, len(self._text))]
        return " ".join(self._text[begin:end] for begin, end in gaps if begin < end)


def _said(file: PageFile) -> tuple[object, ...]:
    return (
        file.label,
        file.structure,
        file.route,
        file.kept,
        file.formulas,
        file.uncalculated,
        file.pictures,
        file.left_out,
    )


def _unrecognised(file: PageFile, again: PageFile) -> PageFile:
    """The file as the reader made it, before its pictures were looked at: without what was recognised in them, and
    without what is said of that. A part in whose pictures nobody found text has another route."""
    own = [fragment for fragment in file.fragments if not fragment.ocr]
    pictures = [picture.model_copy(update={"reading": None}) for picture in file.pictures]
    textless = len(own) == len(file.fragments) and file.route == _TEXTLESS.get(again.route)
    route = again.route if textless else file.route
    return file.model_copy(update={"fragments": own, "pictures": pictures, "route": route})


def _ocr_failures(fragment: Fragment, again: PageFile) -> Iterator[Wrong]:
    """Recognised text must lie in a picture that the source has there."""
    place = fragment.place
    area = place.picture if isinstance(place, TextRange) else None
    held = area and any(one.id == area.id and _stands(one, place) for one in again.pictures)
    if area is None or not held or area.right > 1 + EXACT or area.bottom > 1 + EXACT:
        yield Wrong("ocr", "a picture of text", f"{fragment.id}: {fragment.text}")


def _stands(picture: PartPicture, place: Place | None) -> bool:
    return isinstance(place, TextRange) and (place.start, place.end) == (picture.place.start, picture.place.end)


def _difference(stored: Fragment, there: Fragment | None) -> str | None:
    if there is None:
        return "no such line"
    if stored == there:
        return None
    return f"{there.text} at {there.place}"


def _line(fragment: Fragment, why: str | None) -> SourceLine:
    place, marker = fragment.place, fragment.marker
    return SourceLine(fragment.id, fragment.text, 0, 0, 0, 0, 0, fragment.ocr, tuple[float, ...], why, place, marker)
