"""The words of a block of kept rows: a Bloom filter says which ones it may have, made when its document is read.

Bloom, "Space/time trade-offs in hash coding with allowable errors" (1970), in lines as by Putze et al., "Cache-, hash-
and space-efficient Bloom filters" (2007): all bits of a word are in one line, which is all that a search has to read of
a block. With 24 bits a word and 12 probes about one word in 70,000 is taken for one that is there.

A word is a run of letters and digits in one case; what is written with marks is one without them (`ord0000017` of
ORD-0000017), and so is each of its parts. A number is one without the marks between its thousands (`1234` of 1,234) and
without the zeros before it (`17` of 0000017). Words that many rows have are in the filter a second time, as such.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b
from typing import Final

from shared.lexical.languages import STOP_WORDS
from shared.values.numbers import GROUP

LINE_BYTES: Final = 256
LINE_BITS: Final = 8 * LINE_BYTES
BITS_PER_WORD: Final = 24
PROBES: Final = 12
# The number of its line, and two bytes for each probe.
_NUMBER_BYTES: Final = 8
_DIGEST_BYTES: Final = _NUMBER_BYTES + 2 * PROBES
# Of a longer question the codes are looked for, then its first words.
ASKED_MAX: Final = 16
# What more rows of a block have, as years and towns do, names none of them.
FEW_ROWS: Final = 100
_COMMON: Final = "*"

_MARKS: Final = "._/:-\u2010\u2011\u2012\u2013\u2212"
_UNMARKED: Final = str.maketrans("", "", _MARKS)
# What may stand between thousands once a text is folded, which makes narrow spaces plain ones.
BETWEEN_THOUSANDS: Final = ",'’ "
_BARE: Final = str.maketrans("", "", _MARKS + BETWEEN_THOUSANDS)
_RUN: Final = re.compile(rf"[^\W_]+(?:[{re.escape(_MARKS)}]+[^\W_]+)*")
_PART: Final = re.compile(r"[^\W_]+")
_GROUPED: Final = re.compile(rf"(?<![\w.,'’])\d{{1,3}}([,{GROUP}])\d{{3}}(?:\1\d{{3}})*(?!\w|\1\d)")
_DIGIT: Final = re.compile(r"\d")


def folded(text: str) -> str:
    """The text in one case and width."""
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold()


def ungrouped(text: str) -> str:
    """The text, not yet folded, with its numbers as they are without marks between thousands."""
    return _GROUPED.sub(lambda found: found[0].replace(found[1], ""), text)


def words_of(text: str) -> Counter[str]:
    """Its words, and the parts of those that are written with marks, with how often they are there."""
    words, plain = _words(folded(text)), ungrouped(text)
    return words if plain == text else words | _words(folded(plain))


def _words(text: str) -> Counter[str]:
    found = Counter[str]()
    for run, times in Counter(_RUN.findall(text)).items():
        parts = [run] if run.isalnum() else _PART.findall(run)
        for word in {"".join(parts), *parts, *(part.lstrip("0") for part in parts if _is_padded(part))}:
            found[word] += times
    return found


def _is_padded(word: str) -> bool:
    return word.startswith("0") and word.isdigit() and word.strip("0") != ""


def unmarked(text: str) -> str:
    """A folded text without the marks within words."""
    return text.translate(_UNMARKED)


def bare(text: str) -> str:
    """A folded text without these and what may stand between thousands: no word that it has is missing, and there are
    some that it has not."""
    return text.translate(_BARE)


def asked_words(query: str) -> list[str]:
    """The words that a query asks for, ASKED_MAX at most. Function words are asked for where there is nothing else."""
    runs = ("".join(_PART.findall(run)) for run in _RUN.findall(folded(ungrouped(query))))
    asked = list(dict.fromkeys(runs))
    telling = [word for word in asked if word not in _function_words()] or asked
    return sorted(telling, key=lambda word: not is_code(word))[:ASKED_MAX]


def is_code(word: str) -> bool:
    """Whether it has a digit, as numbers of orders and articles have."""
    return _DIGIT.search(word) is not None


def filter_of(columns: Iterable[Sequence[str]]) -> bytes:
    """The filter of a block with these texts."""
    counted = Counter[str]()
    for column in columns:
        counted.update(words_of("\n".join(column)))
    common = (as_common(word) for word, times in counted.items() if times > FEW_ROWS)
    return make_filter([*counted, *common])


def as_common(word: str) -> str:
    """What is in the filter, in the word's own line, beside a word that more than FEW_ROWS cells of a block have."""
    return word + _COMMON


def make_filter(words: Sequence[str]) -> bytes:
    import numpy as np

    lines = max(1, -(-len(words) * BITS_PER_WORD // LINE_BITS))
    digests = b"".join(map(_digest, words))
    probes = np.frombuffer(digests, dtype="<u2").reshape(-1, _DIGEST_BYTES // 2)[:, _NUMBER_BYTES // 2 :] % LINE_BITS
    numbers = np.frombuffer(digests, dtype="<u8").reshape(-1, _DIGEST_BYTES // _NUMBER_BYTES)[:, 0] >> np.uint64(1)
    first = (numbers % np.uint64(lines)).astype(np.int64) * LINE_BITS
    bits = np.zeros(lines * LINE_BITS, dtype=np.bool_)
    bits[(first[:, None] + probes).ravel()] = True
    return np.packbits(bits).tobytes()


def number_of(word: str) -> int:
    """Below 2**63; the word's line in a filter is this modulo the number of its lines."""
    return int.from_bytes(_digest(word)[:_NUMBER_BYTES], "little") >> 1


def may_stand_in(word: str, line: bytes) -> bool:
    """Whether the block whose filter has this line for the word may have it; never False for one that has."""
    probes = _digest(word)[_NUMBER_BYTES:]
    places = (int.from_bytes(probes[at : at + 2], "little") % LINE_BITS for at in range(0, len(probes), 2))
    return all(line[place // 8] & (128 >> place % 8) for place in places)


def words_in(cells: Iterable[str], asked: Sequence[str]) -> list[str]:
    """Those of the words that stand in one of the cells."""
    there = words_of("\n".join(cells))
    return [word for word in asked if word in there]


def _digest(word: str) -> bytes:
    made = blake2b(word.encode(), digest_size=_DIGEST_BYTES).digest()
    if not word.endswith(_COMMON):
        return made
    return _digest(word.removesuffix(_COMMON))[:_NUMBER_BYTES] + made[_NUMBER_BYTES:]


@cache
def _function_words() -> frozenset[str]:
    return frozenset[str]().union(*STOP_WORDS.values())
