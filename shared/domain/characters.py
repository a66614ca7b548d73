"""Which characters of a text can be stored: the one substitution that readers make, and the characters allowed in
names."""

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def storable(text: str) -> str:
    """Replaces NUL and lone surrogates, which PostgreSQL's UTF-8 cannot store, by U+FFFD, one for one.

    Reader and verifier both apply it; every other character stays as in the source.
    """
    return _UNSTORABLE.sub(REPLACEMENT, text)


def _check_one_line(text: str) -> str:
    if any(unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} for c in text):
        raise ValueError("use one line of printable characters")
    return text


# A name or label typed by a person.
OneLine = Annotated[str, AfterValidator(_check_one_line)]
