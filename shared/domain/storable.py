"""Which text Postgres can store."""

import re

_REFUSED = re.compile("[\0\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """False for NUL and for lone surrogates (halves of characters that JSON escapes in two)."""
    return _REFUSED.search(text) is None
