"""The set of characters of a text that does not name it: the one in which most of what is not ASCII is spelled as some
language spells. Words are matched, not characters weighed, as the reader does. Of UTF-8 with broken bytes whole
characters are counted beside the bytes that are in none."""

import re
from functools import cache
from itertools import islice

_LETTERS = {
    "windows-1252": "àâæçéèêëîïôœùûüÿ äöüßé áéíñóúü áàâãçéêíóòôõúü àéèìíîóòùú áäâéëèêíïóöôúüû äåöéàášž æøåéóòâôü"
    " áðéíóúýþæö äöõüšž àçèéíïòóúü",
    "windows-1250": "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű čćđšž ăâîșțşţ äöüßé",
    "windows-1251": "абвгдежзийклмнопрстуфхцчшщъыьэюяё абвгдежзийклмнопрстуфхцчшщьюяєіїґ "
    "абвгдежзійклмнопрстуўфхцчшыьэюяё абвгдежзијклмнопрстуфхцчшђљњћџ абвгдежзијклмнопрстуфхцчшѓѕљњќџ",
    "windows-1253": "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ",
    "windows-1254": "çğıöşüâîûİ",
    "windows-1257": "ąčęėįšųūž āčēģīķļņšūž äöõüšž",
}
_LETTERS.update({"iso-8859-2": _LETTERS["windows-1250"], "koi8-r": _LETTERS["windows-1251"].split()[0]})
_LETTERS.update({"koi8-u": _LETTERS["windows-1251"], "iso-8859-5": _LETTERS["windows-1251"]})
_LETTERS.update({"cp866": _LETTERS["koi8-r"], "iso-8859-7": _LETTERS["windows-1253"]})
_LETTERS.update({"iso-8859-1": _LETTERS["windows-1252"]})
# The rows of the standard that hold what is usual, by the first byte, and the codec that knows them.
_ROWS = {
    "cp932": ("shift_jis", range(0x81, 0x99)), "euc_jp": ("shift_jis", range(0x81, 0x99)),
    "cp949": ("euc_kr", range(0xB0, 0xC9)), "gb18030": ("gb2312", range(0xB0, 0xD8)),
    "big5": ("big5", range(0xA4, 0xC7)),
}  # fmt: skip
# The fifty that each language uses most. Kana are Japanese, ideographs beside them may be any.
_OFTEN = {
    "cp949": ("이다는에하고가을지의로서은아한어도기사니있를나해리시그요인들자일게대라으스수만보제면정주전부여거과장"),
    "gb18030": ("的是一在不人有了我国这为中个大会们他来和年上以要到时对么能你就发可地生家出也说于学后成与过行用日多自"),
    "big5": ("的是一在不人有了我國這爲中個大會們他來和年上以要到時對麼能你就可地生發家出也說於學後成與過行用日多自"),
}
# What the others are behind the commonest set, and an ideograph that is used most before one that is not.
_DOUBT, _PREFERRED = 0.01, 0.03
_ORDER = (
    "windows-1252", "iso-8859-1", "windows-1250", "iso-8859-2", "windows-1251", "koi8-r", "koi8-u", "iso-8859-5",
    "cp866", "windows-1253", "iso-8859-7", "windows-1254", "windows-1257", *_ROWS,
)  # fmt: skip
_SIGNS = re.compile("[\xa0\xad·°µ²³§©®™†‡–—‘’‚“”„…‹›«»•‰€£¥×±½¼¾ºª´µ¿¡\u3000-\u303f\uff01-\uff5e\u2010-\u2027℃]")
_KANA = re.compile("[\u3041-\u30fe]")
_APART = re.compile(r"[\x00-@\[-`{-\x7f]+")
_BEFORE, _AMID, _BEHIND = "«“„‚‘‹’”§©£€¥±¿¡…–—·•×µ°\xa0", "’‘´·²³\xad–—…•×\xa0", "»”“’‘›®™°²³ºª…–—·•´§\xa0"
# RFC 3629, 4; and bytes beyond ASCII that stand in no such character.
_WHOLE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}"
)
# A word that can be said has few vowels, or consonants, in a row; a Greek one has a final sigma at its end alone.
_VOWELS = "аеёиоуыэюяєіїαεηιουωάέήίόύώϊϋΐΰ"
_UNSAID = re.compile(rf"[^\W\d_{_VOWELS}]{{4,}}|[{_VOWELS}]{{3,}}|ς(?=[^\W\d_])")
# An ideograph within a word in Latin letters.
_BETWEEN = re.compile(r"[A-Za-z][^\x00-\u02ff](?=[A-Za-z])")
_OTHER_SCRIPTS = re.compile("[\u0370-\u052f]")
_LINES = 3_000


def likely_charset(data: bytes) -> str:
    """The codec's name; every byte of `data` has a meaning in it, but in UTF-8 with broken bytes."""
    lines = b"\n".join(islice((line for line in data.split(b"\n") if not line.isascii()), _LINES))
    told = dict[str, float]()
    for name in _ORDER:
        try:
            data.decode(name)
            told[name] = round(_spelled(lines.decode(name), name) - _DOUBT * (name != "windows-1252"), 3)
        except UnicodeDecodeError:
            continue
    whole, high = _WHOLE.findall(lines), sum(byte > 0x7F for byte in lines)
    told["utf-8"] = round(sum(map(len, whole)) / (high or 1), 3)
    return max(told, key=lambda name: told[name])


def _spelled(text: str, name: str) -> float:
    """The share of what is not ASCII that is spelled as in a language."""
    all_ = sum(c > "\x7f" for c in text)
    if name in _ROWS:
        share = sum(_usual(c, name) for c in text if c > "\x7f") / (all_ or 1)
        strange = sum(c.isalpha() and c < "\u1100" and c > "\x7f" for c in text) / (all_ or 1)
        strange += len(_BETWEEN.findall(text)) / (all_ or 1)
        return share - strange - (name in {"cp932", "euc_jp"} and not _KANA.search(text)) / 4
    words = [word for word in _APART.split(text) if not word.isascii()]
    languages = [*_LETTERS[name].split(), "".join(set(_LETTERS[name].replace(" ", "")))]
    *each, any_ = [sum(_size(word) * _matches(word, one) for word in words) for one in languages]
    return (max(each) + any_) / 2 / (all_ or 1) - sum(
        c.isupper() and c > "\x7f" for word in words for c in word[1:]
    ) / 100 / (all_ or 1)


def _size(word: str) -> int:
    return sum(c > "\x7f" for c in word)


def _matches(word: str, letters: str) -> float:
    if _pattern(letters).fullmatch(word) is None:
        return 0.0
    return 0.5 if _OTHER_SCRIPTS.search(word) and _UNSAID.search(word.lower()) else 1.0


@cache
def _pattern(letters: str) -> re.Pattern[str]:
    ascii_ = "" if letters[0] > "\u0370" and letters[0] not in "ąāăč" else "a-z"
    small, large = ascii_ + letters, ascii_.upper() + "".join(c.upper() for c in letters if len(c.upper()) == 1)
    spelled = f"(?:[{small}]+|[{large}][{small}]*|[{large}]+)"
    return re.compile(f"{_SIGNS.pattern}+|[{_BEFORE}]*{spelled}(?:[{_AMID}]+{spelled})*[{_BEHIND}]*")


@cache
def _usual(character: str, name: str) -> float:
    if _SIGNS.match(character) or (("jp" in name or name == "cp932") and _KANA.match(character)):
        return 1.0
    codec, rows = _ROWS[name]
    try:
        code = character.encode(codec)
    except UnicodeEncodeError:
        return 0.0
    if len(code) != 2 or code[0] not in rows or (codec == "shift_jis" and code < b"\x88\x9f"):
        return 0.0
    return 1.0 + _PREFERRED * (character in _OFTEN.get(name, ""))
