"""What counts as text that can be stored: the one substitution that readers make."""

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def storable(text: str) -> str:
    """`text` with NUL and lone surrogates, which PostgreSQL's UTF-8 cannot hold, as U+FFFD, one for one.

    Reader and verifier both apply it; every other character stays as the source has it.
    """
    return _UNSTORABLE.sub(REPLACEMENT, text)
