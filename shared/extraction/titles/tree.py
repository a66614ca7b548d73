"""The section tree, built heading by heading in document order."""

import re
from collections.abc import Container

from shared.domain.draft import SectionDraft
from shared.extraction.lists import CAPTION
from shared.extraction.titles.evidence import title_key
from shared.values.addresses import aliases, bare_label, below_roman, components, is_below, normalise, outline_step

CHANGES = re.compile(
    r"\b(?:summary|list|record|table|history|log) of (?:\w+ )?(?:changes|amendments|revisions|modifications)\b"
    r"|^(?:revision|change|amendment|document|version) (?:history|log|record)\b"
    r"|^(?:changes|amendments|what(?:'|\u2019)s new|errata|release notes)\b",
    re.I,
)
CONTINUED = re.compile(
    r"(?<!\s)\s*+(?:[-\u2013\u2014,:]\s*+)?[(\[]?(?:continued|cont(?:inu)?['\u2019]?d\.?|cont\.)[)\]]?\s*$", re.I
)
CONTEXT_SEPARATOR = " > "
MAX_CONTEXT_TITLE = 160
TITLE_EDGES = " \u00a0\t:.)-\u2013\u2014|"


class SectionTree:
    """The sections in document order, and the path of those that are open."""

    def __init__(self) -> None:
        self.sections: list[SectionDraft] = []
        self._open: list[int] = []
        self._rules: set[int] = set()
        self._rows: set[int] = set()
        self._printed_depth: dict[int, int] = {}
        self._names: dict[int, list[str]] = {}

    @property
    def current(self) -> int | None:
        """The index of the innermost open section."""
        return self._open[-1] if self._open else None

    def path(self, index: int | None) -> list[SectionDraft]:
        """The sections from the root down to `index`."""
        found: list[SectionDraft] = []
        while index is not None:
            found.append(self.sections[index])
            index = self.sections[index].parent
        return found[::-1]

    def open_heading(self, address: str | None, title: str, depth: int, page: int) -> int:
        """Closes the sections that are not above the new heading, opens it and returns its index."""
        while self._open and not self._stays(self._open[-1], address, depth):
            self._open.pop()
        index = self._add(address, title, page)
        self._printed_depth[index] = depth
        self._open.append(index)
        return index

    def continues(self, title: str) -> bool:
        """Whether a heading like `Note 3 (Continued)` repeats an earlier one, which is then reopened if necessary."""
        bare = CONTINUED.sub("", title)
        key = title_key(bare) if bare != title else ""
        section = next((s for s in reversed(self.sections) if key and _full_key(s).startswith(key)), None)
        if section and section.index not in self._open:
            self._open = [above.index for above in self.path(section.index)]
        return section is not None

    def open_rule(self, address: str, page: int) -> int | None:
        """Opens a numbered rule below the rule or heading whose number it extends, else below the open heading; returns
        its index.

        A list of changes only mentions rules: there they are not opened again.
        """
        if self._lists_changes():
            return self.current
        while self._open and (self._ends_rule(address, self._open[-1]) or self._is_beside(address, self._open[-1])):
            self._open.pop()
        index = self._add(address, "", page)
        self._rules.add(index)
        self._open.append(index)
        return index

    def add_row(self, address: str, page: int) -> int | None:
        """Adds a section for a table row with its own address; it is closed at once. In a list of changes returns the
        open section."""
        if self._lists_changes():
            return self.current
        index = self._add(address, "", page)
        self._rows.add(index)
        return index

    def open_named(self, title: str, key: str, depth: int, page: int) -> int:
        """Opens the section of a definition at `depth`, whose title stands in its own text, and returns its index. It
        is found by its name and by those of what is around it: `parse`, `Parser.parse`."""
        self.close_to(depth - 1)
        index = self._add(None, title, page)
        self._printed_depth[index] = depth
        around = [step for one in self._open if one in self._names for step in self._names[one]]
        steps = [*around, *key.split(".")]
        self._names[index] = key.split(".")
        self.sections[index].aliases = [found for at in range(len(steps)) if (found := normalise(".".join(steps[at:])))]
        self._open.append(index)
        return index

    def close_to(self, depth: int) -> None:
        """Closes the sections below `depth`."""
        while self._open and self._printed_depth.get(self._open[-1], depth + 1) > depth:
            self._open.pop()

    def is_rule(self, index: int) -> bool:
        """Whether a chunk's own number opened the section, and no heading."""
        return index in self._rules

    def settle(self, with_text: Container[int], mentions: Container[int] = ()) -> dict[int, int | None]:
        """Drops `mentions`, and the table rows that only mention a section in `with_text` (with text of its own) which
        lies below the number that it extends; the article of a price list does not. Returns the new index of each
        section, for a dropped one its parent's."""
        told = {s.address_key for s in self.sections if s.index in with_text and self._is_in_series(s)}
        moved: dict[int, int | None] = {}
        kept: list[SectionDraft] = []
        for section in self.sections:
            parent = moved.get(section.parent) if section.parent is not None else None
            if section.index in mentions or (section.index in self._rows and section.address_key in told):
                moved[section.index] = parent
            else:
                moved[section.index] = len(kept)
                depth = kept[parent].depth + 1 if parent is not None else 1
                kept.append(section.model_copy(update={"index": len(kept), "parent": parent, "depth": depth}))
        self.sections = kept
        return moved

    def _is_in_series(self, section: SectionDraft) -> bool:
        if section.index in self._rows or section.address is None or section.parent is None:
            return False
        return self._extends(section.address, section.parent)

    def add_caption(self, caption: str, page: int) -> int | None:
        """Adds a section for what a caption names (`Table 3`) below the open section; it is closed at once."""
        matched = CAPTION.match(caption)
        if matched is None:
            return self.current
        address = caption[: matched.end("number")]
        return self._add(address, title_without(address, caption), page, captioned=True)

    def _lists_changes(self) -> bool:
        return any(_lists_changes(section) for section in self.path(self.current))

    def _stays(self, index: int, address: str | None, depth: int) -> bool:
        section = self.sections[index]
        if address and _opens_series(section.title, address) and not self._goes_on(address):
            return True
        if address and _lists_changes(section):
            return False
        if address and section.address and index not in self._rules:
            if self._extends(address, index) or (_is_part(section.address) and _is_chapter(address)):
                return True
            if _family(address) == _family(section.address):
                return False
        return index not in self._rules and self._printed_depth[index] < depth

    def _goes_on(self, address: str) -> bool:
        """Whether the address is the next one after that of a section which is open."""
        *above, last = components(address) or ("",)
        if not last.isdecimal():
            return False
        before = (*above, str(int(last) - 1))
        return any(components(self.sections[index].address or "") == before for index in self._open)

    def _ends_rule(self, address: str, index: int) -> bool:
        return index in self._rules and not self._extends(address, index)

    def _is_beside(self, address: str, index: int) -> bool:
        """Whether the rule has another number of the title's series, of as many parts or fewer: 10.4 is not below 10.3
        or 10.3.2."""
        mine, title = components(address), components(self.sections[index].address or "")
        return 1 < len(mine) <= len(title) and mine[0] == title[0] and mine != title[: len(mine)]

    def _extends(self, address: str, index: int) -> bool:
        above = self.sections[index].address
        if above is None:
            return False
        label = bare_label(above)
        if label and (is_below(address, label) or re.match(rf"{label}[.\-]?\d", normalise(address) * label.isalpha())):
            return True
        bare = normalise(above).lstrip("abcdefghijklmnopqrstuvwxyz")
        return is_below(address, above) or (address[:1].isdigit() and bool(bare) and is_below(address, bare))

    def _add(self, address: str | None, title: str, page: int, *, captioned: bool = False) -> int:
        parent = self.current
        above = [s.address or outline_step(s.title) for s in self.path(parent)]
        step = outline_step(title).lower()
        section = SectionDraft(
            index=len(self.sections),
            parent=parent,
            address=address,
            address_key=normalise(address) if address else None,
            aliases=aliases(address, above) if address else below_roman(step, above),
            title=title,
            depth=len(self.path(parent)) + 1,
            page=page,
            captioned=captioned,
        )
        self.sections.append(section)
        return section.index


def _is_part(address: str) -> bool:
    return re.fullmatch(r"part(?:[ivxlc]+|\d+)", normalise(address)) is not None


def _is_chapter(address: str) -> bool:
    """Whether the address is that of a chapter: a number of one part, perhaps with its label. Parts have chapters."""
    return re.fullmatch(r"(?:chapter)?\d+", normalise(address)) is not None


def _full_key(section: SectionDraft) -> str:
    """Number and title as a title key; a title may say more than the heading that continues it (`… Years ended
    2009`)."""
    return title_key(f"{section.address or ''} {section.title}")


def _lists_changes(section: SectionDraft) -> bool:
    return section.address is None and CHANGES.search(section.title) is not None


def _opens_series(title: str, address: str) -> bool:
    """Whether the title contains a series: `Notes to Financial Statements` has Note 1, Note 2, … (or 1, 2, …),
    `Appendices` Appendix A."""
    words = title.lower().split()
    label = "note" if address[:1].isdigit() else address.split()[0].lower()
    plurals = (label + "s", label + "es", label[:-2] + "ices" if label.endswith("ix") else label + "s")
    return len(label) > 3 and bool(words) and words[0] in plurals


def _family(address: str) -> str:
    """The letters that an address scheme begins with: `V5.1` and `V6` belong together, `Appendix A` does not."""
    first = components(address)[:1]
    return "".join(c for c in first[0] if c.isalpha()) if first else ""


def title_without(address: str | None, printed: str) -> str:
    """The title as printed, without the number in front of it."""
    if address and printed.startswith(address):
        return printed[len(address) :].lstrip(TITLE_EDGES)
    at = printed.find(address) if address else -1
    return printed[at + len(address or "") :].lstrip(TITLE_EDGES) if 0 <= at <= 3 else printed


def section_context(tree: SectionTree, section: int | None, own: bool = False) -> str:
    """The path of section titles above a chunk, as text. `own` leaves out the innermost one, for a heading or a chunk
    that is a section of its own."""
    path = tree.path(section)
    steps = [" ".join(p for p in (s.address, s.title[:MAX_CONTEXT_TITLE]) if p) for s in (path[:-1] if own else path)]
    return CONTEXT_SEPARATOR.join(step for step in steps if step)
