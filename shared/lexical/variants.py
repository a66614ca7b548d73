"""British and American spellings of one word: what is asked as "licence" stands as "license"."""

import re
from collections.abc import Iterator
from typing import Final

_ENDING: Final = r"(?=(?:s|ed|er|ers|ing|able|ful|less|ite|ites)?$)"
# A part of a word, and how the other side of the Atlantic writes it.
_WRITTEN: Final = [
    (re.compile(pattern), other)
    for pattern, other in (
        (rf"(?<=\w\w)our{_ENDING}", "or"), (rf"(?<=\w\w)or{_ENDING}", "our"),
        ("is(?=e|ing|ation)", "iz"), ("iz(?=e|ing|ation)", "is"), ("ys(?=e|ing)", "yz"), ("yz(?=e|ing)", "ys"),
        (r"(?<=\w[bt])re(?=s?$)", "er"), (r"(?<=\w[bt])er(?=s?$)", "re"),
        ("enc(?=es?$|ed$|ing$)", "ens"), ("ens(?=es?$|ed$|ing$)", "enc"),
        ("ogue", "og"), ("og(?=s?$)", "ogue"), ("gramme", "gram"), ("gram(?=s?$)", "gramme"),
        ("grey", "gray"), ("gray", "grey"), ("tyre", "tire"), ("mould", "mold"), ("mold", "mould"),
    )
]  # fmt: skip


def spelt_otherwise(word: str) -> Iterator[str]:
    """The other spellings that a word in lower case may have; not all of them are words."""
    for pattern, other in _WRITTEN:
        for found in pattern.finditer(word):
            yield word[: found.start()] + other + word[found.end() :]
