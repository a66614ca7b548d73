"""What a summary's statements are known by, whoever made them."""

import hashlib
import re
import unicodedata
from typing import Final

from shared.domain.experiments import SummaryField

# Of what the rules state by themselves.
ENGINE: Final = "summary-rules-7"


def statement_id(field: SummaryField, text: str) -> str:
    """The same for the same words in a field, wherever a run has put them."""
    return hashlib.sha256(f"{field}\n{_plain(text)}".encode()).hexdigest()[:16]


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()
