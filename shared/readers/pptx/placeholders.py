"""What a frame of a slide holds the place for, in its layout and its master: a title, a body, a footer …"""

from typing import Any, Final, NamedTuple

from shared.domain.operations import SkipReason
from shared.readers.docx.elements import child, local, value

TITLES: Final = frozenset({"title", "ctrTitle"})
# What recurs on each slide, and is no text of it.
RUNNING: Final[dict[str, SkipReason]] = {"sldNum": "page_number", "ftr": "footer", "dt": "footer", "hdr": "header"}


class Placeholder(NamedTuple):
    """`kind` and `index` as the file says them, "" where it does not; an index tells frames of one kind apart."""

    kind: str
    index: str

    @property
    def like(self) -> str:
        """What the master has of it: "title", a kind of RUNNING, or "body" for all others."""
        if self.kind in RUNNING:
            return self.kind
        return "title" if self.kind in TITLES else "body"


def placeholder(shape: Any) -> Placeholder | None:
    """None for a frame of its own."""
    own = next((one for one in shape if local(one).startswith("nv")), None)
    said = child(child(own, "nvPr"), "ph")
    return None if said is None else Placeholder(value(said, "type"), value(said, "idx"))
