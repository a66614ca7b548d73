"""In which characters a text stands that does not say it and is not UTF-8: those in which its words can be words.

Each set of characters is tried. What it makes of the bytes costs something where it is none of a written language: a
letter that the alphabet of the language does not have, a sign within a word, a capital behind a small letter, letters
of two scripts in one word, a rare ideograph; a little where it is in capitals. The alphabets are the exemplar letters
of CLDR; common ideographs are the first levels of the national standards, which list characters by use. Windows-1252
is taken unless another set costs less. UTF-8 that is broken in places is tried as well: it costs what is broken of its
characters.
"""

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from io import BytesIO
from itertools import pairwise
from typing import Final

from shared.domain.characters import REPLACEMENT

SAMPLE_BYTES: Final = 64_000
# How bytes are read that are no UTF-8: each run of them that may have been a character is U+FFFD (Unicode 15, 3.9).
BROKEN: Final = "replace"
# It decides between sets that are each other's but for capitals, as KOI8-R and Windows-1251 nearly are.
CAPITAL: Final = 0.02
# Capitals in one set are small letters in another, and make no words there: only how often each is used tells.
RARE: Final = 0.5
_WESTERN: Final = (
    "àâæçéèêëîïôœùûüÿ", "äöüßé", "áéíñóúü", "áàâãçéêíóòôõúü", "àéèìíîóòùú", "áäâéëèêíïóöôúüû", "äåöéàášž", "æøåéóòâôü",
    "áðéíóúýþæö", "äöõüšž", "àçèéíïòóúü", "áéíóú",
)  # fmt: skip
_CENTRAL: Final = ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîșțşţ", "äöüßé", "çë")
_TURKISH: Final = ("çğıöşüâîûi̇",)
_BALTIC: Final = ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž")
# Letters by how often they are used, the commonest first.
_RUSSIAN: Final = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё"
_CYRILLIC: Final = (
    _RUSSIAN, "оаниітверсклдумпзяьбгйчхцжїшюєщфґ", "аніеростклвдупмяыьзбгцчюйжхўэшёф", "аиоенрсјтудквлпмзгбшчцжћхђљњфџ",
    "аоеитнрсвкдлпмујзгбшцчжфхњќѓѕљџ", "аиоетнрсвлкдпмзъугбячжщцйшхфюь",
)  # fmt: skip
_GREEK: Final = ("αοιτενσηρπκμλυςγωδχθφβξζψ",)
_BY_USE: Final = frozenset((*_CYRILLIC, *_GREEK))
# In this order where two cost the same. Of those with two bytes to a character the Korean one is asked before the
# Chinese: Chinese text has ideographs that are rare in Korea, and Korean has nothing that were rare in China.
_ALPHABETS: Final[Mapping[str, tuple[str, ...]]] = {
    "cp1252": _WESTERN, "latin-1": _WESTERN, "cp1250": _CENTRAL, "iso8859-2": _CENTRAL, "cp1251": _CYRILLIC,
    "koi8-r": (_RUSSIAN,), "koi8-u": _CYRILLIC, "iso8859-5": _CYRILLIC, "cp866": (_RUSSIAN,), "cp1253": _GREEK,
    "iso8859-7": _GREEK, "cp1254": _TURKISH, "cp1257": _BALTIC,
}  # fmt: skip
_KANA: Final = re.compile("[\u3041-\u30fe]")
# Signs of print, of measures and of money that stand anywhere.
_PLAIN: Final = frozenset("\xa0\xad·°µ²³§©®™†‡–—‘’‚“”„…‹›«»•‰€£¥×±½¼¾ºª´")
_WITHIN: Final = re.compile(
    r"ς(?=[^\W\d_])|[^\W\d_][^\w\s\x00-\x7f]+[^\W\d_]|[£¥¤¬¦¨¯¸±»][^\W\d_]|[^\W\d_][£¤¬¦¨¯¸¿¡«]"
)
_JOINING: Final = frozenset("\xad·’‘´–—…\xa0•×/")
# What is written without spaces mixes.
_TOGETHER: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"})
# No language that is written in Latin letters has three beyond ASCII in a row, but for a word here and there.
_CROWDED: Final = re.compile("[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]{3,}")
_WORD: Final = re.compile(r"[^\W\d_]+")


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
            costs[name] = cost(codecs.getincrementaldecoder(name)().decode(head), name)
        except UnicodeDecodeError:
            continue
    costs["utf-8"] = _broken(head)
    return sorted(costs, key=lambda name: costs[name])


def _broken(head: bytes) -> float:
    """Of the characters beyond ASCII the share that is broken."""
    text = codecs.getincrementaldecoder("utf-8")(BROKEN).decode(head)
    return text.count(REPLACEMENT) / (sum(c > "\x7f" for c in text) or 1)


def cost(text: str, name: str) -> float:
    """What the text costs, of each of its characters beyond ASCII: 0 for text of a language."""
    beyond = Counter(c for c in text if c > "\x7f")
    if not beyond:
        return 0.0
    strange = _IDEOGRAPHS[name](beyond) if name in _IDEOGRAPHS else _letters(beyond, name)
    return (strange + _oddities(text)) / beyond.total()


def _letters(beyond: Counter[str], name: str) -> float:
    """Letters of no alphabet cost 1, those of other languages than the likeliest one a half."""
    signs = sum(n for c, n in beyond.items() if not c.isalpha() and c not in _PLAIN)
    letters = Counter[str]()
    for c, n in beyond.items():
        if c.isalpha() and c not in _PLAIN:
            letters[_letter(c)] += n
    known = set("".join(_ALPHABETS[name]))
    least = min(sum(n * _strangeness(c, one) for c, n in letters.items()) for one in _ALPHABETS[name])
    return signs + least + sum(n for c, n in letters.items() if c not in known) / 2


@cache
def _letter(character: str) -> str:
    """As alphabets have it: small, a Greek one without its accent."""
    small = character.lower()[0]
    return unicodedata.normalize("NFD", small)[0] if "\u0370" <= small <= "\u03ff" else small


@cache
def _strangeness(letter: str, alphabet: str) -> float:
    """A half for a letter that the alphabet does not have; of one in the order of use the more, the rarer it is."""
    at = alphabet.find(letter)
    if at < 0:
        return 0.5
    return RARE * at / len(alphabet) if alphabet in _BY_USE else 0.0


def _oddities(text: str) -> float:
    within = sum(CAPITAL if set(one) & _JOINING else 1 for one in _WITHIN.findall(text))
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    turns = sum(a.islower() and b.isupper() for word in words for a, b in pairwise(word)
                if a > "\x7f" or b > "\x7f")  # fmt: skip
    mixed = sum(len({_script(c) for c in word}) - 1 for word in words)
    capitals = sum(c.isupper() and c > "\x7f" for word in words for c in word[1:])
    crowded = sum(len(run) - 2 for run in _CROWDED.findall(text))
    return within + turns + mixed + crowded + capitals * CAPITAL


@cache
def _script(character: str) -> str:
    said = unicodedata.name(character, "NONE").split()[0]
    return "LATIN" if character in "ªº" else "EAST" if said in _TOGETHER else said


def _common(codec: str, first: int, last: int, more: str = "") -> Callable[[Counter[str]], float]:
    """The cost of characters that are not between two codes of a standard, nor signs of its rows for these."""
    signs = re.compile(f"[\u3000-\u303f\uff01-\uff5e\u2010-\u2027\u2103{more}°×±]")

    def strange(beyond: Counter[str]) -> float:
        return sum(n for c, n in beyond.items() if not signs.match(c) and not first <= _code(c, codec) <= last)

    return strange


def _code(character: str, codec: str) -> int:
    try:
        return int.from_bytes(character.encode(codec))
    except UnicodeEncodeError:
        return 0


def _japanese() -> Callable[[Counter[str]], float]:
    """Text without kana is hardly Japanese."""
    common = _common("cp932", 0x889F, 0x9872, "\u3041-\u30fe")

    def strange(beyond: Counter[str]) -> float:
        kana = any(_KANA.match(c) for c in beyond)
        return common(beyond) if kana else max(common(beyond), beyond.total() / 4)

    return strange


_IDEOGRAPHS: Final[Mapping[str, Callable[[Counter[str]], float]]] = {
    "cp932": _japanese(),
    "euc_jp": _japanese(),
    "cp949": _common("euc_kr", 0xB0A1, 0xC8FE),
    "gb18030": _common("gb2312", 0xB0A1, 0xD7F9),
    "big5": _common("big5", 0xA440, 0xC67E),
}
