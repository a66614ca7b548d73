"""The lines of a topic's two files: what its units say best, within the limits, and what people wrote there."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from shared.digest.extracting import UnitText
from shared.digest.lines import FileLine, size_in_file, total_size
from shared.domain.digest import CHARACTERS

OF_ONE_UNIT_MAX = 4


@dataclass
class Composed:
    """A file's lines without its title; `whole`: each unit has its say, and everything that is to stand there does."""

    lines: list[FileLine]
    whole: bool


def compose_summary(
    title: FileLine,
    units: Sequence[UnitText],
    kept: Sequence[FileLine],
    hidden: Collection[str],
    room: int | None = None,
) -> Composed:
    """The best statement of each unit, then their second ones and so on, as long as there is room. `kept` are lines of
    people, and of a model where it has written: then nothing is chosen beside these."""
    left = (room or CHARACTERS["summary"]) - total_size([title, *kept])
    if any(line.origin == "agent" for line in kept):
        return Composed(list(kept), left >= 0)
    told = [unit.without(hidden, "summary")[:OF_ONE_UNIT_MAX] for unit in units]
    chosen: list[list[FileLine]] = [[] for _ in units]
    said = {line.text for line in kept}
    for place in range(max(map(len, told), default=0)):
        for own, lines in zip(chosen, told, strict=True):
            if place >= len(lines) or lines[place].text in said:
                continue
            if (size := size_in_file(lines[place])) > left:
                if place == 0:
                    return Composed([*_flat(chosen), *kept], whole=False)
                continue
            left -= size
            said.add(lines[place].text)
            own.append(lines[place])
    shown = [sorted(own, key=unit.statements.index) for own, unit in zip(chosen, units, strict=True)]
    return Composed([*_flat(shown), *kept], left >= 0)


def compose_description(
    title: FileLine,
    units: Sequence[UnitText],
    kept: Sequence[FileLine],
    hidden: Collection[str],
    room: int | None = None,
) -> Composed:
    """Under each unit's heading its statements in the order of reading."""
    left = (room or CHARACTERS["description"]) - total_size([title, *kept])
    lines, heads = list[FileLine](), set[str]()
    said = {line.text for line in kept}
    for unit in units:
        shown = set(map(id, unit.without(hidden, "description")))
        own = [line for line in unit.statements if id(line) in shown and line.text not in said]
        if own and unit.heading.text not in heads:
            own.insert(0, unit.heading)
            heads.add(unit.heading.text)
        for line in own:
            if (size := size_in_file(line)) > left:
                return Composed([*lines, *kept], whole=False)
            left -= size
            lines.append(line)
            said.add(line.text)
    return Composed([*lines, *kept], left >= 0)


def in_place(lines: Sequence[FileLine], former: Sequence[FileLine]) -> list[FileLine]:
    """People's lines, which stand at the end of `lines`, back behind what they stood behind before, whatever version of
    a document says that now."""
    people = [line for line in lines if line.origin == "user"]
    placed = [line for line in lines if line.origin != "user"]
    for line in people:
        before = former[: next((i for i, one in enumerate(former) if one == line), 0)]
        said = {(one.kind, one.text): place for place, one in enumerate(placed) if one.text}
        at = next((said[one.kind, one.text] for one in reversed(before) if (one.kind, one.text) in said), None)
        placed.insert(len(placed) if at is None else at + 1, line)
    return placed


def _flat(chosen: Sequence[Sequence[FileLine]]) -> list[FileLine]:
    return [line for lines in chosen for line in lines]
