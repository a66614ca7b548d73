"""What stands in a section goes before the figure or the caption beside it.

A caption has few words, printed twice in its index text (as its own title too), and so matches a query of these words
best; it titles what answers and says nothing itself.
"""

import re
from collections.abc import Collection, Mapping
from uuid import UUID

from shared.retrieval.consolidate import PASSAGES
from shared.store.search import FoundChunk

# Of the score of the caption: what a further hit of a place keeps anyway (diversity.py).
SHARE_MIN = 0.5
_PICTURE = re.compile(
    r"\b(?:figures?|fig|diagrams?|drawings?|pictures?|images?|photos?|photographs?|charts?|graphs?|plots?|maps?|sketch"
    r"|illustrat\w+|captions?)\b",
    re.IGNORECASE,
)


def asks_for_picture(query: str) -> bool:
    """Whether the query asks to see something, in English words."""
    return bool(_PICTURE.search(query))


def behind_passages(
    scores: Mapping[UUID, float], chunks: Mapping[UUID, FoundChunk], exempt: Collection[UUID] = ()
) -> dict[UUID, float]:
    """Returns the scores, best first. A figure or a caption exchanges its score with the best passage of the section
    that it stands in, on its page, if that has at least half of it. `exempt`: those that were asked for by address or
    have a code that was."""
    found = dict(scores)
    for title in scores:
        chunk = chunks[title].chunk
        if chunk.chunk_type not in ("figure", "caption") or chunk.section is None or title in exempt:
            continue
        around = {step.id for step in chunk.section.path[-2:]}  # a captioned figure is a section of its own
        beside = [c for c in scores if _is_passage(chunks[c], around, chunk.first_page)]
        best = max(beside, key=lambda c: found[c], default=title)
        if SHARE_MIN * found[title] <= found[best] < found[title]:
            found[title], found[best] = found[best], found[title]
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _is_passage(found: FoundChunk, sections: Collection[UUID], page: int | None) -> bool:
    chunk = found.chunk
    return bool(
        chunk.chunk_type in PASSAGES and chunk.section and chunk.section.id in sections and chunk.first_page == page
    )
