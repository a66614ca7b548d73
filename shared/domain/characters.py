"""What counts as text that can be stored: the one substitution that readers make, and what a name may be."""

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def storable(text: str) -> str:
    """`text` with NUL and lone surrogates, which PostgreSQL's UTF-8 cannot hold, as U+FFFD, one for one.

    Reader and verifier both apply it; every other character stays as the source has it.
    """
    return _UNSTORABLE.sub(REPLACEMENT, text)


def _check_one_line(text: str) -> str:
    if any(unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} for c in text):
        raise ValueError("use one line of printable characters")
    return text


# A name or label as people type it.
OneLine = Annotated[str, AfterValidator(_check_one_line)]
