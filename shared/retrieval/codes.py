"""Codes in a query, such as `TA-37V`: what contains them comes first, whatever the vectors say.

An embedding hardly tells one code from the next; a person who types one means that one.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping
from uuid import UUID

from shared.lexical.tokenizer import with_products
from shared.retrieval.documents import Named
from shared.values.quantities import NumberReading, find_quantities

# A code that more candidates have does not identify what is looked for.
CHUNKS_MAX = 30

_CODE = re.compile(r"\b[^\W\d_]\w*(?:[._/\-\u2010-\u2013]\w+)*")
_PART = re.compile(r"[^\W_]+")
# A quarter, a half or a fiscal year: Q3, H1, FY2023, CY24.
_PERIOD = re.compile(r"(?:q\.?[1-4]|h\.?[12]|[fc]y)(?:\.?\d{2,4})?")


def written_codes(text: str) -> set[str]:
    """The codes of a query as the lexical index writes them: runs that begin with a letter and have a digit. A unit
    behind its number, as in "70 m3/h", is none, and a product is two."""
    text = with_products(text)
    measured = [range(one.start, one.end) for one in find_quantities(text, NumberReading())]
    runs = [match for match in _CODE.finditer(text) if not any(match.start() in span for span in measured)]
    written = [run.group() for run in runs if re.search(r"\d", run.group())]
    wholes = {".".join(_PART.findall(unicodedata.normalize("NFKC", code).lower())) for code in written}
    return {whole for whole in wholes if not _PERIOD.fullmatch(whole)}


def count_codes(
    codes: Collection[str],
    contents: Mapping[UUID, str],
    named: Named,
    documents: Mapping[UUID, UUID],
    asked_of: Collection[str] = (),
) -> Counter[UUID]:
    """Counts, for each candidate, the codes that its content has, however their parts are joined; titles above it do
    not count, which all rows of a table share.

    A code that names documents (`named`), as a registration on the title page does, counts for all their passages, and
    once more for those that have it themselves; not so one in `asked_of`, of whose documents something else is asked.
    """
    counted: Counter[UUID] = Counter()
    for code in codes:
        parts = r"[\W_]{0,2}".join(map(re.escape, code.split(".")))
        written = re.compile(rf"(?<![^\W_]){parts}(?![^\W_])", re.IGNORECASE)
        having = [c for c, content in contents.items() if written.search(content)]
        if 0 < len(having) <= CHUNKS_MAX:
            of_named = [c for c, document in documents.items() if document in named.get(code, ())]
            counted.update({*having, *of_named} if code in asked_of else [*having, *of_named])
    return counted
