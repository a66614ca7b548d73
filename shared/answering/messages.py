"""Who wrote a message, and when: its text says what was written, and its header by whom and on which day."""

import re
from typing import Final

from shared.domain.knowledge import Hit
from shared.lexical.tokenizer import tokenize

# A field of a header, as readers of mail name it.
FROM: Final = "From"
DATE: Final = "Date"
# Terms of questions that a header answers.
ASKING_HEADER: Final = frozenset(tokenize("subject sender recipient addressee address cc").counts)
_ASKING: Final = r"ask(?:s|ed)?|want(?:s|ed)? to know|wonder(?:s|ed)?|inquire[sd]?|enquire[sd]?"
_WRITING: Final = (
    rf"{_ASKING}|writes?|wrote|written|reports?|reported|sends?|sent|says?|said|suggest(?:s|ed)?|propose[sd]?|post(?:s|ed)?"
    r"|announce[sd]?|mention(?:s|ed)?|complain(?:s|ed)?|repl(?:y|ies|ied)|answer(?:s|ed)?|request(?:s|ed)?|submit(?:s|ted)?"
    r"|thank(?:s|ed)?|object(?:s|ed)?|confirm(?:s|ed)?|recommend(?:s|ed)?|tells?|told|warn(?:s|ed)?|explain(?:s|ed)?"
    r"|offer(?:s|ed)?|agree[sd]?|notice[sd]?|point(?:s|ed)? out"
)
_WHO: Final = re.compile(rf"\W*who(?:\s(?:has|had|else|first|ever|also)){{0,2}}\s(?:{_WRITING})\b", re.I)
_WHEN: Final = re.compile(rf"\W*(?:when|(?:on )?(?:which|what) (?:day|date))\b.*\b(?:{_WRITING})\b", re.I | re.S)
_WHO_ASKED: Final = re.compile(rf"\W*(?:who|when|what|which)\b.*\b(?:{_ASKING})\b", re.I | re.S)


def asked_field(question: str) -> str:
    """The field of a message's header that answers: who reported a bug, when it was reported; "" for any other
    question."""
    if _WHO.match(question):
        return FROM
    return DATE if _WHEN.match(question) else ""


def asks_what_was_asked(question: str) -> bool:
    """Whether what answers may be a question itself: who asked for an archive."""
    return bool(_WHO_ASKED.match(question))


def is_message(hit: Hit) -> bool:
    return hit.document.source_type == "mail"


def is_header(hit: Hit) -> bool:
    """Whether it is a message's header, with the name of who wrote it."""
    return is_message(hit) and bool(field_of(hit, FROM))


def field_of(header: Hit, name: str) -> str:
    """A field of a header as printed, `Date: …`; "" where there is none."""
    raw = header.chunk.attrs.get(name.lower(), {}).get("raw", "")
    printed = f"{name}: {raw}"
    return printed if raw and printed in header.chunk.content else ""
