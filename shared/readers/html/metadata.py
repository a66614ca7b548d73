"""What a page says of itself: its title and the day on which it was published."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

TITLE_CHARACTERS: Final = 200
_PUBLISHED: Final = (
    "article:published_time", "og:article:published_time", "datepublished", "dc.date.issued", "dcterms.issued",
    "dc.date", "dcterms.created", "dc.date.created", "citation_publication_date", "parsely-pub-date", "pubdate", "date",
)  # fmt: skip
_IN_JSON: Final = re.compile(r'"datePublished"\s*:\s*"([^"]{8,40})"')
_DAY: Final = re.compile(r"\s*([0-9]{4})[-/]?([0-9]{2})[-/]?([0-9]{2})(?![0-9])")


def title_of(root: Any) -> str | None:
    """The page's own title (<title>), else its first heading of the first depth."""
    for tag in ("title", "h1"):
        for one in root.iter(tag):
            if said := " ".join("".join(one.itertext()).split()):
                return said[:TITLE_CHARACTERS]
    return None


def published(root: Any) -> date | None:
    """The first of the usual statements that is a day."""
    return next((day for said in _statements(root) if (day := _day(said)) is not None), None)


def _statements(root: Any) -> Iterator[str]:
    said: dict[str, str] = {}
    for one in root.iter("meta"):
        name = (one.get("property") or one.get("name") or one.get("itemprop") or "").strip().lower()
        said.setdefault(name, one.get("content") or "")
    yield from (said[name] for name in _PUBLISHED if name in said)
    for one in root.iter("script"):
        if one.get("type", "").strip().lower() == "application/ld+json" and (found := _IN_JSON.search(one.text or "")):
            yield found[1]
    for one in root.iter("time"):
        if "pubdate" in one.attrib or (one.get("itemprop") or "").lower() == "datepublished":
            yield one.get("datetime") or ""


def _day(said: str) -> date | None:
    found = _DAY.match(said)
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return None
