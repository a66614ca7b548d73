"""Parts of a document that tell a reader nothing of its subject: lists of references, who wrote it, contacts, legal
notes, contents. Known by the heading above them and by how they are built, never by what they are about."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final
from uuid import UUID

from shared.store.connect import Row

# Of what is not data, this share stays at the least: a document that is nothing but such parts is about them.
KEPT_MIN: Final = 0.1
# A heading as a whole, but for its number: "Contact the supplier" is a section like any other.
_TITLES: Final = re.compile(
    r"(?i)[\W\d]*(?:(?:list of |cited )?(?:references|literature)(?: cited)?|bibliography|works cited|further reading"
    r"|acknowledge?ments?|(?:list of )?contributors"
    r"|about the authors?|authors?(?: contributions| information| and affiliations)?|affiliations"
    r"|funding(?: statement)?|(?:declaration of )?(?:conflicts? of|competing) interests?|contacts?(?: us| information"
    r"| details| persons?)?|(?:copyright|legal|trademark)(?: and licen[cs]e| notices?| information| disclaimers?)?"
    r"|disclaimers?|licen[cs]e|imprint|privacy (?:policy|notice)|cookies?(?: policy| notice)?|terms of (?:use|service)"
    r"|(?:table of )?contents|index|list of (?:figures|tables|abbreviations)"
    r"|literatur(?:verzeichnis|angaben)?|quellen(?:verzeichnis)?|danksagung|autoren|impressum|kontakt|datenschutz"
    r"|inhalt(?:sverzeichnis)?|haftungsausschluss|références|bibliographie|remerciements|mentions légales"
    r"|table des matières|sommaire|referencias|bibliografía|agradecimientos|contacto|aviso legal|índice)[\W\d]*"
)
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d[a-z]?\b")
_MARK: Final = r"\s*(?:\[[\w+-]{1,12}\]\s*|\(?\d{1,3}[.)]\s+)"
# "Smith, J. A.", "J. A. Smith," and "Jane Smith and".
_ENTRY: Final = re.compile(
    rf"{_MARK}\S|{_MARK}?(?:[^\W\d_][\w'’-]+,? (?:[^\W\d_]\.[ -]?){{1,3}}"
    r"|(?:(?:[A-Z]\.[ -]?){1,3}|[A-Z][\w'’-]+ )(?:[A-Z][\w'’.-]* ?){1,3}"
    r"(?:,(?= ?(?:[A-Z\d“\"(]|and |et ))|and | & |\. (?:19|20)\d\d))"
)
_PUBLISHED: Final = re.compile(
    r"(?i)\bet al\b|\bproc(?:eedings|\.)|\bjournal\b|\barxiv\b|\bdoi\b|\bpp?\. ?\d|\bpages \d|\bvol(?:ume|\.)|\bpress\b"
    r"|\bin:|\bconference\b|\bpreprint\b|\d\(\d+\)[:,]"
)
_MAIL: Final = re.compile(r"[\w.{},|+-]{1,80}\s?@\s?[\w-]+(?:\.[\w-]+)+")
_PHONE: Final = re.compile(
    r"(?i)\b(?:tel|phone|fax|mobile|telefon)\b\W{0,3}[+(]?\d|\+\d[\d ()/-]{6,}\d|\(\d{3}\) ?\d{3}-\d{4}"
)
# A mail's header, and its list of what is attached.
_HEADER: Final = re.compile(r"\A\s*(?:From|To|Cc|Date|Subject|Message-ID|Attachment): \S")
_SENTENCE: Final = re.compile(r"\b[^\W\d_]+(?:,? [\w'’-]+){5,20}[.!?](?:\s|$)")
_RIGHTS: Final = re.compile(r"(?i)©|\(c\) ?(?:19|20)\d\d|\ball rights reserved\b|\bcopyright (?:19|20)\d\d")

# What a journal prints around an article: `Wings & Sails 137 (2015) 1–5`, `Article history: …`.
_MASTHEAD: Final = re.compile(
    r"(?i:contents lists? available|journal homepage|article history|received(?: in revised form)?:? \d|accepted:? \d"
    r"|available online|key ?words:|issn\b)"
    r"|\A(?:[A-Z&][\w&.]* (?:(?:of|and|the|in|for|&) )*){1,10}\d{1,4} ?(?:\(\d+\) ?)?"
    r"\((?:19|20)\d\d\),? e?\d+(?: ?[–-] ?\d+)?\s*\Z"
)


def is_aside_title(title: str) -> bool:
    return bool(_TITLES.fullmatch(title))


def is_aside_text(text: str) -> bool:
    """Whether a passage that begins so is an entry of a list of references, or says who somebody is, how they are
    reached, whose the rights are, or where and when it was published, and no sentence beside that."""
    if _ENTRY.match(text) and _YEAR.search(text) and _PUBLISHED.search(text):
        return True
    mailed = "@" in text and _MAIL.search(text)
    reached = mailed or _MASTHEAD.match(text) or any(one.search(text) for one in (_HEADER, _PHONE, _RIGHTS))
    return bool(reached) and not _SENTENCE.search(_MAIL.sub(" ", text))


def without_asides(sections: Sequence[Row], parts: Sequence[Row]) -> list[Row]:
    """The parts of a document that tell of its subject; all of them where little is left. `parts` have `section_id`,
    `size` and `head`, their first characters."""
    aside = _aside_sections({row["id"]: row for row in sections})
    kept = [row for row in parts if row["section_id"] not in aside and not is_aside_text(row["head"])]
    size = sum(row["size"] for row in parts)
    return kept if sum(row["size"] for row in kept) >= KEPT_MIN * size else list(parts)


def _aside_sections(known: Mapping[UUID, Row]) -> Collection[UUID]:
    """Those with such a heading, and what stands below them."""
    found = set[UUID]()
    for key, row in known.items():
        if is_aside_title(row["title"]) or row["parent_id"] in found:
            found.add(key)
    return found
