"""What the styles of an OpenDocument file say: which paragraphs are titles, what is hidden, how lists are numbered."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from shared.readers.docx.elements import decimal, local, value
from shared.readers.docx.numbering import (
    BULLET,
    LEVELS,
    Counted,
    Level,
    NumberedParagraph,
    Numbering,
    bullet_of,
)

OUTLINE: Final = "outline"
# A style is based on another, at most so many steps.
_BASES: Final = 20
_FORMS: Final = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


@dataclass
class OpenStyles:
    """Styles by their names: which one each is based on, the list that its paragraphs belong to, those that hide text,
    those that hide slides, those whose items show nothing, and the bullets of lists by their depth."""

    bases: dict[str, str] = field(default_factory=dict[str, str])
    lists: dict[str, str] = field(default_factory=dict[str, str])
    hidden: set[str] = field(default_factory=set[str])
    hidden_slides: set[str] = field(default_factory=set[str])
    unmarked: set[str] = field(default_factory=set[str])
    bullets: dict[str, dict[int, str]] = field(default_factory=dict[str, dict[int, str]])
    numbering: Numbering = field(default_factory=Numbering)
    _begun: int = 0

    def names(self, style: str) -> Iterator[str]:
        """The style's name and those that it is based on, as people see them."""
        for _ in range(_BASES):
            if not style:
                return
            yield style.replace("_20_", " ")
            style = self.bases.get(style, "")

    def list_of(self, style: str) -> str:
        """The list style that paragraphs of a style have."""
        for _ in range(_BASES):
            if not style or style in self.lists:
                break
            style = self.bases.get(style, "")
        return self.lists.get(style, "")

    def is_unmarked(self, style: str) -> bool:
        """Whether an item with a paragraph of this style shows neither number nor bullet."""
        return style in self.unmarked

    def begin_list(self, style: str, goes_on: bool) -> str:
        """A list of a style, by the name under which its items are counted."""
        if not goes_on or not self._begun:
            self._begun += 1
        name = f"{style}#{self._begun}"
        starts = {at: level.start for at, level in self.numbering.lists.get(style, {}).items()}
        self.numbering.instances.setdefault(name, (style, starts))
        return name

    def count(self, name: str, depth: int, start: int | None = None) -> Counted:
        """The number or bullet of the next item of a list, or of the next heading; `depth` from 1. `start`: what it
        says."""
        style, _ = self.numbering.instances.get(name, ("", {}))
        if bullet := self.bullets.get(style, {}).get(depth):
            return Counted(bullet, None)
        return self.numbering.count(NumberedParagraph(name, str(depth - 1)), "", start)


def read_styles(roots: Iterable[Any]) -> OpenStyles:
    found = OpenStyles()
    found.numbering.instances[OUTLINE] = (OUTLINE, {})
    for root in roots:
        for one in root.iter():
            match local(one):
                case "style":
                    _add(found, one)
                case "list-style":
                    found.numbering.lists[value(one, "name")] = _levels(one)
                    found.bullets[value(one, "name")] = _bullets(one)
                case "outline-style":
                    found.numbering.lists[OUTLINE] = _levels(one)
                case _:
                    continue
    return found


def _add(found: OpenStyles, style: Any) -> None:
    name = value(style, "name")
    found.bases[name] = value(style, "parent-style-name")
    if said := value(style, "list-style-name"):
        found.lists[name] = said
    if any(local(one) == "text-properties" and value(one, "display") == "none" for one in style):
        found.hidden.add(name)
    if any(local(one) == "paragraph-properties" and value(one, "enable-numbering") == "false" for one in style):
        found.unmarked.add(name)
    if any(local(one) == "drawing-page-properties" and value(one, "visibility") == "hidden" for one in style):
        found.hidden_slides.add(name)


def _levels(style: Any) -> dict[int, Level]:
    found: dict[int, Level] = {}
    for one in style:
        depth, form = decimal(value(one, "level"), 0), _FORMS.get(value(one, "num-format"))
        if form is None or not 1 <= depth <= LEVELS:
            continue
        shown = min(max(_number(value(one, "display-levels"), 1), 1), depth)
        text = ".".join(f"%{at}" for at in range(depth - shown + 1, depth + 1))
        text = f"{value(one, 'num-prefix')}{text}{value(one, 'num-suffix')}"
        found[depth - 1] = Level(_number(value(one, "start-value"), 1), form, text)
    return found


def _bullets(style: Any) -> dict[int, str]:
    found: dict[int, str] = {}
    for one in style:
        depth = decimal(value(one, "level"), 0)
        if local(one) == "list-level-style-image":
            found[depth] = BULLET
        elif local(one) == "list-level-style-bullet" and (said := value(one, "bullet-char").strip()):
            found[depth] = bullet_of(said)
    return found


def _number(said: str, default: int) -> int:
    return int(said) if said.isdecimal() and len(said) < 5 else default
