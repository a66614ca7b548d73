"""A number as lists write it, for the proof."""

import unicodedata

_ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
_WORDS = [*_ONES.split(), "eighteen", "nineteen", "twenty"]
_HEBREW = "alef bet gimel dalet he vav zayin het tet yod kaf lamed mem nun samekh ayin pe tsadi qof resh shin tav"
_ABJAD = (
    "alef_with_hamza_above beh jeem dal heh waw zain hah tah yeh kaf lam meem noon seen ain feh sad qaf reh sheen teh"
)
_ALPHA = (
    "alef_with_hamza_above beh teh theh jeem hah khah dal thal reh zain seen sheen sad dad tah zah ain ghain feh qaf"
)
_KATAKANA = (
    "a i u e o ka ki ku ke ko sa si su se so ta ti tu te to na ni nu ne no ha hi hu he ho ma mi mu me mo ya yu yo"
)
_IROHA = (
    "i ro ha ni ho he to ti ri nu ru wo wa ka yo ta re so tu ne na ra mu u wi no o ku ya ma ke hu ko e te a sa ki yu"
    " me mi si we hi mo se su n"
)
_TENS = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_PLACES = {
    "japaneseCounting": ("", "十", "百", "千"), "chineseCounting": ("", "十"), "taiwaneseCounting": ("", "十"),
    "koreanCounting": ("", "십", "백", "천"), "chineseCountingThousand": ("", "十", "百", "千"),
    "taiwaneseCountingThousand": ("", "十", "百", "千"),
}  # fmt: skip
_ZEROS = {
    "decimalHalfWidth": "0", "decimalFullWidth": "０", "decimalFullWidth2": "０",
    "thaiNumbers": "๐", "hindiNumbers": "०",
}  # fmt: skip
_SIGNED = {
    "ideographDigital": "〇一二三四五六七八九", "japaneseDigitalTenThousand": "〇一二三四五六七八九",
    "taiwaneseDigital": "○一二三四五六七八九", "koreanDigital": "영일이삼사오육칠팔구",
    "koreanDigital2": "零一二三四五六七八九",
}  # fmt: skip

_DIGITS = (
    ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"),
    ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc"),
    ("", "c", "cc", "ccc", "cd", "d", "dc", "dcc", "dccc", "cm"),
)


def in_roman(number: int) -> str:
    ones, tens, hundreds = (row[number // 10**place % 10] for place, row in enumerate(_DIGITS))
    return "m" * (number // 1000) + hundreds + tens + ones


def repeated(number: int) -> str:
    """As Word goes on behind z: aa, bb."""
    return "abcdefghijklmnopqrstuvwxyz"[(number - 1) % 26] * ((number + 25) // 26)


def spelt(number: int) -> str:
    """As the web goes on behind z: aa, ab."""
    return (spelt((number - 1) // 26) if number > 26 else "") + "abcdefghijklmnopqrstuvwxyz"[(number - 1) % 26]


def eastern(number: int, form: str) -> str | None:
    """By the names of the characters, where they have names that count; None for other forms."""
    digits = [int(one) for one in str(number)]
    if form in _ZEROS:
        return "".join(chr(ord(_ZEROS[form]) + one) for one in digits)
    if form in _SIGNED:
        return "".join(_SIGNED[form][one] for one in digits)
    if form == "hebrew1" and 0 < number < 100:
        values = [9, number - 9] if number in (15, 16) else [number // 10 * 10, number % 10]
        return "".join(_named("hebrew letter", _HEBREW, one if one < 10 else 9 + one // 10) for one in values if one)
    if form in _PLACES:
        return _by_places(number, form, digits)
    names = _names(form)
    return names[number - 1] if 0 < number <= len(names) else None


def _named(kind: str, names: str, number: int) -> str:
    return unicodedata.lookup(f"{kind} {names.split()[number - 1].replace('_', ' ')}")


def _names(form: str) -> list[str]:
    """The characters that a form counts by."""
    circled = {
        "decimalEnclosedCircle": "circled", "decimalEnclosedCircleChinese": "circled",
        "decimalEnclosedParen": "parenthesized",
    }  # fmt: skip
    if form in circled:
        return [unicodedata.lookup(f"{circled[form]} {'digit' if at < 9 else 'number'} {one}")
                for at, one in enumerate(_WORDS)]  # fmt: skip
    rows = {
        "hebrew2": ("hebrew letter", _HEBREW),
        "arabicAbjad": ("arabic letter", f"{_ABJAD} theh khah thal dad zah ghain"),
        "arabicAlpha": ("arabic letter", f"{_ALPHA} kaf lam meem noon heh waw yeh"),
        "irohaFullWidth": ("katakana letter", _IROHA),
        "aiueoFullWidth": ("katakana letter", f"{_KATAKANA} ra ri ru re ro wa wo n"),
    }  # fmt: skip
    if form in rows:
        kind, said = rows[form]
        return [unicodedata.lookup(f"{kind} {one.replace('_', ' ')}") for one in said.split()]
    if form in ("aiueo", "iroha"):
        return [_halved(one) for one in _names(f"{form}FullWidth")]
    fixed = {
        "decimalEnclosedFullstop": [chr(0x2487 + at) for at in range(1, 21)],
        "ideographEnclosedCircle": [unicodedata.lookup(f"circled ideograph {one}") for one in _WORDS[:10]],
        "ideographTraditional": [*"甲乙丙丁戊己庚辛壬癸"], "ideographZodiac": [*"子丑寅卯辰巳午未申酉戌亥"],
        "ganada": [*"가나다라마바사아자차카타파하"], "chosung": [*"ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"],
        "thaiLetters": [chr(code) for code in range(0xE01, 0xE2F) if code not in (0xE03, 0xE05, 0xE06, 0xE24, 0xE26)],
        "russianLower": [chr(code) for code in range(0x430, 0x450) if chr(code) not in "йъь"],
        "russianUpper": [chr(code).upper() for code in range(0x430, 0x450) if chr(code) not in "йъь"],
    }  # fmt: skip
    return fixed.get(form, [])


def _halved(kana: str) -> str:
    try:
        return unicodedata.lookup(f"halfwidth {unicodedata.name(kana)}")
    except KeyError:
        return kana


def _by_places(number: int, form: str, digits: list[int]) -> str | None:
    places = _PLACES[form]
    if not 0 < number < 10 ** len(places):
        return None
    figures = "일이삼사오육칠팔구" if form == "koreanCounting" else "".join(_TENS)
    said = ""
    for at, digit in zip(range(len(digits) - 1, -1, -1), digits, strict=True):
        silent = digit == 1 and at > 0 and (not form.endswith("Thousand") or (at == 1 and not said))
        if digit:
            said += ("" if silent else figures[digit - 1]) + places[at]
        elif form.endswith("Thousand") and number % 10**at and not said.endswith("零"):
            said += "零"
    return said
