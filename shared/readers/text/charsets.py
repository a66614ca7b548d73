"""In which characters a text stands that does not say it and is not UTF-8: those in which its words can be words.

Each set of characters is tried, and what it makes of the bytes beyond ASCII is measured in bits: how surprising it is
as text of the likeliest language that the set was made for. A letter takes the more, the less its language uses it
(`letters.py`); what languages hardly have takes much: a letter of another alphabet, a sign within a word, a capital
behind a small letter, letters of two scripts in one word, a rare ideograph. The sets other than Windows-1252 begin with
a handicap. UTF-8 that is broken in places is tried as well.
"""

import codecs
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from io import BytesIO
from itertools import pairwise
from typing import Final

from shared.domain.characters import REPLACEMENT
from shared.readers.text.letters import (
    BALTIC,
    CENTRAL,
    CYRILLIC,
    GREEK,
    KANJI,
    RUSSIAN,
    SIMPLIFIED,
    SYLLABLES,
    TRADITIONAL,
    TURKISH,
    WESTERN,
)

SAMPLE_BYTES: Final = 64_000
# How bytes are read that are no UTF-8: each run of them that may have been a character is U+FFFD (Unicode 15, 3.9).
BROKEN: Final = "replace"
# In bits. What a language hardly has, once in a thousand characters; a sign, of some sixty that are as likely.
ODD: Final = 10.0
SIGN: Final = 6.0
# Behind a unit of length two signs are as likely as none of them.
RAISED: Final = 2.0
# What ASCII takes is the same in each set but where it is the second byte of a character: a letter about so much.
COVERED: Final = 4.0
# Of words a twentieth has one letter only.
ALONE: Final = 4.0
# It decides between sets that are each other's but for capitals, as KOI8-R and Windows-1251 nearly are.
CAPITAL: Final = 0.3
# A text that names no set is this much likelier to be Windows-1252.
DOUBT: Final = 4.0
# From the first letter of an alphabet to the last, use falls by so many powers of e: about as in wordfreq's lists.
FALL: Final = 4.0
# An ideograph that is not among the commonest, which make two thirds of a text, is one of some three thousand.
RARE: Final = 13.0
# In this order where two cost the same. Of those with two bytes to a character the Korean one is asked before the
# Chinese: Chinese text has ideographs that are rare in Korea, and Korean has nothing that were rare in China.
_ALPHABETS: Final[Mapping[str, tuple[str, ...]]] = {
    "cp1252": WESTERN, "latin-1": WESTERN, "cp1250": CENTRAL, "iso8859-2": CENTRAL, "cp1251": CYRILLIC,
    "koi8-r": (RUSSIAN,), "koi8-u": CYRILLIC, "iso8859-5": CYRILLIC, "cp866": (RUSSIAN,), "cp1253": GREEK,
    "iso8859-7": GREEK, "cp1254": TURKISH, "cp1257": BALTIC,
}  # fmt: skip
# Signs of print, of measures and of money that stand anywhere.
_PLAIN: Final = frozenset("\xa0\xad·°µ²³§©®™†‡–—‘’‚“”„…‹›«»•‰€£¥×±½¼¾ºª´µ¿¡")
# Signs that Unicode has as letters or numbers are in no word.
_SPELLED: Final = "[^\\W\\d_ªºµ¹²³¼½¾]"
_WITHIN: Final = re.compile(
    rf"ς(?={_SPELLED})|{_SPELLED}[^\w\s\x00-\x7f]+(?={_SPELLED})"
    rf"|[£¥¤¬¦¨¯¸±˛˝ˇ˘˙¹²³ªº®¼¾](?={_SPELLED})|½(?=[^\W\d_\x00-\x7f])|{_SPELLED}[£¥¤¬¦¨¯¸¿¡±µ§©¼½¾]"
    rf"|(?<!\w)\xad|\xad(?=[^\w\s])"
)
# Two different signs of measures or marks beside each other.
_PAIRED: Final = re.compile(r"([£¥¤¬¦¨¯¸±µ§©®°¹²³ªº¼½¾¶])(?!\1)(?=[£¥¤¬¦¨¯¸±µ§©®°¹²³ªº¼½¾¶])")
_JOINING: Final = frozenset("\xad·’‘´–—…\xa0•×/")
# What is written without spaces mixes.
_TOGETHER: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"})
# No language that is written in Latin letters has three beyond ASCII in a row, but for a word here and there.
_CROWDED: Final = re.compile("[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]{3,}")
_WORD: Final = re.compile(f"{_SPELLED}+")
# Areas and volumes: `m²`, `Nm³`, `ft³`.
_POWER: Final = re.compile(rf"(?<!{_SPELLED})(?:[A-Za-zµ]?[mM]|ft|in|yd)[²³](?!{_SPELLED})")
# A Greek word of two syllables or more has an accent, unless it is in capitals.
_UNSTRESSED: Final = re.compile("[β-δζθκ-ξπ-τφ-ψ]*[αεηιουω]+[β-δζθκ-ξπ-τφ-ψ]+[αεηιουω][α-ωϊϋ]*")
_FIRST_IDEOGRAPH: Final = "\u3000"


def guess(data: bytes) -> str:
    """The name of the codec that reads all of `data`, which is not UTF-8 throughout; "utf-8" where that reads it with
    replacements for broken bytes."""
    for name in ranked(sample(BytesIO(data))):
        try:
            data.decode(name, BROKEN if name == "utf-8" else "strict")
        except UnicodeDecodeError:
            continue
        return name
    raise AssertionError("latin-1 reads any byte")


def sample(lines: Iterable[bytes]) -> bytes:
    """Of lines those that are not ASCII, as far as is looked at."""
    found, size = list[bytes](), 0
    for line in lines:
        if size >= SAMPLE_BYTES:
            break
        if not line.isascii():
            found.append(line[:SAMPLE_BYTES])
            size += len(line)
    return b"".join(found)


def ranked(head: bytes) -> list[str]:
    """The codecs that read `head`, the likeliest first."""
    costs = dict[str, float]()
    for name in (*_ALPHABETS, *_IDEOGRAPHS):
        try:
            # The last line may be cut within a character.
            text = codecs.getincrementaldecoder(name)().decode(head)
        except UnicodeDecodeError:
            continue
        costs[name] = cost(text, name) - COVERED * (_ascii(head) - sum(c < "\x80" for c in text))
    costs["utf-8"] = _broken(head)
    return sorted(costs, key=lambda name: costs[name])


def _ascii(head: bytes) -> int:
    return len(head.translate(None, bytes(range(128, 256))))


def _broken(head: bytes) -> float:
    text = head.decode("utf-8", BROKEN)
    broken = text.count(REPLACEMENT)
    return DOUBT + 2 * ODD * broken + SIGN * (sum(c > "\x7f" for c in text) - broken)


def cost(text: str, name: str) -> float:
    """The bits that the text's characters beyond ASCII take."""
    beyond = Counter(c for c in text if c > "\x7f")
    bits = _IDEOGRAPHS[name](beyond) if name in _IDEOGRAPHS else _letters(beyond, name)
    powers = (SIGN - RAISED) * len(_POWER.findall(text))
    return bits - powers + _oddities(text) + (0 if name == "cp1252" else DOUBT)


def _letters(beyond: Counter[str], name: str) -> float:
    signs, letters = 0.0, Counter[str]()
    for c, n in beyond.items():
        if c in _PLAIN or not c.isalpha():
            signs += n * (SIGN if c in _PLAIN else ODD)
        else:
            letters[_letter(c)] += n
    return signs + min(sum(n * _by_use(c, one, ODD) for c, n in letters.items()) for one in _ALPHABETS[name])


@cache
def _letter(character: str) -> str:
    """As alphabets have it: small, a Greek one without its accent."""
    small = character.lower()[0]
    return unicodedata.normalize("NFD", small)[0] if "\u0370" <= small <= "\u03ff" else small


@cache
def _by_use(character: str, used: str, other: float) -> float:
    """The bits of one that is somewhere in the order of use, else those of `other`."""
    at = used.find(character)
    return other if at < 0 else math.log2(1 + len(used) / FALL) + FALL * at / len(used) / math.log(2)


def _oddities(text: str) -> float:
    joined = [bool(set(one) & _JOINING) for one in _WITHIN.findall(text)]
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    turns = sum(a.islower() and b.isupper() for word in words for a, b in pairwise(word)
                if a > "\x7f" or b > "\x7f")  # fmt: skip
    mixed = sum(_script(a) != _script(b) for word in words for a, b in pairwise(word))
    capitals = sum(c.isupper() and c > "\x7f" for word in words for c in word[1:])
    alone = sum(len(word) == 1 and word < _FIRST_IDEOGRAPH for word in words)
    crowded = sum(len(run) - 2 for run in _CROWDED.findall(text))
    unstressed = sum(_UNSTRESSED.fullmatch(word) is not None for word in words)
    odd = joined.count(False) + turns + mixed + crowded + len(_PAIRED.findall(text)) + unstressed
    return ODD * odd + ALONE * alone + CAPITAL * (capitals + joined.count(True))


@cache
def _script(character: str) -> str:
    said = unicodedata.name(character, "NONE").split()[0]
    return "EAST" if said in _TOGETHER else said


def _common(codec: str, first: int, last: int, used: str, more: str = "") -> Callable[[Counter[str]], float]:
    """The bits of characters: of those between two codes of a standard by their use, twice what is odd for others but
    signs, which have two bytes as well."""
    signs = re.compile(f"[\u3000-\u303f\uff01-\uff5e\u2010-\u2027\u2103{more}°×±]")

    def one(character: str) -> float:
        if signs.match(character):
            return SIGN
        return _by_use(character, used, RARE) if first <= _code(character, codec) <= last else 2 * ODD

    return lambda beyond: sum(n * one(c) for c, n in beyond.items())


def _code(character: str, codec: str) -> int:
    try:
        return int.from_bytes(character.encode(codec))
    except UnicodeEncodeError:
        return 0


_IDEOGRAPHS: Final[Mapping[str, Callable[[Counter[str]], float]]] = {
    "cp932": _common("cp932", 0x889F, 0x9872, KANJI, "\u3041-\u30fe"),
    "euc_jp": _common("cp932", 0x889F, 0x9872, KANJI, "\u3041-\u30fe"),
    "cp949": _common("euc_kr", 0xB0A1, 0xC8FE, SYLLABLES),
    "gb18030": _common("gb2312", 0xB0A1, 0xD7F9, SIMPLIFIED),
    "big5": _common("big5", 0xA440, 0xC67E, TRADITIONAL),
}
