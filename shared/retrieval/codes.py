"""Codes in a query, such as `TA-37V`: what contains them comes first, whatever the vectors say.

An embedding hardly tells one code from the next; a person who types one means that one.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping
from uuid import UUID

from shared.lexical.query import LexicalQuery
from shared.retrieval.documents import Named

# A code that more chunks have does not identify what is looked for.
CHUNKS_MAX = 30

_CODE = re.compile(r"\b[^\W\d_]\w*(?:[._/\-\u2010-\u2013]\w+)*")
_PART = re.compile(r"[^\W_]+")
# A quarter, a half or a fiscal year: Q3, H1, FY2023, CY24.
_PERIOD = re.compile(r"(?:q\.?[1-4]|h\.?[12]|[fc]y)(?:\.?\d{2,4})?")


def written_codes(text: str) -> set[str]:
    """The codes of a query as the lexical index writes them: runs that begin with a letter and have a digit."""
    written = [match.group() for match in _CODE.finditer(text) if re.search(r"\d", match.group())]
    wholes = {".".join(_PART.findall(unicodedata.normalize("NFKC", code).lower())) for code in written}
    return {whole for whole in wholes if not _PERIOD.fullmatch(whole)}


def count_codes(
    text: str,
    query: LexicalQuery,
    terms: Mapping[UUID, Collection[int]],
    named: Named,
    documents: Mapping[UUID, UUID],
) -> Counter[UUID]:
    """Counts, for each candidate, the query's codes that it has; `terms` are each candidate's term numbers.

    A code that names documents (`named`), as a registration on the title page does, counts for all their passages.
    """
    codes = written_codes(text)
    counted: Counter[UUID] = Counter()
    for word in query.words:
        if word.form in codes and 0 < word.frequency <= CHUNKS_MAX:
            numbers = set(word.terms.values())
            meant = named.get(word.form, frozenset())
            counted.update(c for c, has in terms.items() if documents.get(c) in meant or numbers.intersection(has))
    return counted
