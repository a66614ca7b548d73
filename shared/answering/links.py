"""What readers of Markdown do not see of a link: its brackets and its target.

A statement is quoted as it is written, `[section 5.2](#throttle)`; a page shows `section 5.2`.
"""

import re
from collections.abc import Iterator
from typing import Final

from shared.answering.held import Span

# Sources that are written in Markdown, by their `source_type`.
WRITTEN_IN_MARKDOWN: Final = frozenset({"markdown", "note"})
_LINK: Final = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|(?<!\\)(?P<open>!?\[)(?P<label>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])+)"
    r"(?P<target>\](?:\((?:[^()\\]|\\.|\([^()]*\))*\)|\[(?=[^\]]*[^\W\d])[^\[\]]+\]))",
    re.DOTALL,
)


def link_marks(text: str) -> list[Span]:
    """Where `text` has the marks and targets of Markdown's links, in its order; none inside of code."""
    return list(_marks(text, 0))


def _marks(text: str, at: int) -> Iterator[Span]:
    for found in _LINK.finditer(text):
        if found["code"] is None:
            yield at + found.start("open"), at + found.end("open")
            yield from _marks(found["label"], at + found.start("label"))
            yield at + found.start("target"), at + found.end("target")
