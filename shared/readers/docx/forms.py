"""Numbers as Office writes them, by the names that WordprocessingML has for the forms (ECMA-376 part 1, 17.18.59)."""

from typing import Final

from shared.values.numerals import roman

_KANA: Final = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_HALF_KANA: Final = "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ"
_IROHA: Final = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
_FIGURES: Final = "一二三四五六七八九"


def _from(first: int, count: int) -> str:
    return "".join(map(chr, range(first, first + count)))


# The signs of forms that count by them; what is beyond the last is shown in no way that is known.
_SIGNS: Final = {
    "decimalEnclosedCircle": _from(0x2460, 20),
    "decimalEnclosedCircleChinese": _from(0x2460, 20),
    "decimalEnclosedParen": _from(0x2474, 20),
    "decimalEnclosedFullstop": _from(0x2488, 20),
    "ideographEnclosedCircle": _from(0x3280, 10),
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
    "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
    "aiueo": _HALF_KANA,
    "aiueoFullWidth": _KANA,
    "iroha": "".join(_HALF_KANA[at] if (at := _KANA.find(one)) >= 0 else one for one in _IROHA),
    "irohaFullWidth": _IROHA,
    "ganada": "가나다라마바사아자차카타파하",
    "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
    "hebrew2": "אבגדהוזחטיכלמנסעפצקרשת",
    "arabicAlpha": "أبتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "arabicAbjad": "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ",
    "thaiLetters": "กขค" + _from(0x0E07, 29) + "ล" + _from(0x0E27, 8),
    "russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "russianUpper": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ",
}
# Other figures than 0 to 9, in their order.
_DIGITS: Final = {
    "decimalHalfWidth": "0123456789",
    "decimalFullWidth": _from(0xFF10, 10),
    "decimalFullWidth2": _from(0xFF10, 10),
    "ideographDigital": f"〇{_FIGURES}",
    "japaneseDigitalTenThousand": f"〇{_FIGURES}",
    "taiwaneseDigital": f"○{_FIGURES}",
    "koreanDigital": "영일이삼사오육칠팔구",
    "koreanDigital2": f"零{_FIGURES}",
    "thaiNumbers": _from(0x0E50, 10),
    "hindiNumbers": _from(0x0966, 10),
}
_HEBREW: Final = ("אבגדהוזחט", "יכלמנסעפצ")


def in_form(number: int, form: str) -> str | None:
    """A number as it is shown: behind z stands aa, then bb. None for other forms, and for what a form has no sign
    for."""
    if form in _SIGNS:
        return _SIGNS[form][number - 1] if 0 < number <= len(_SIGNS[form]) else None
    if form in _DIGITS:
        return "".join(_DIGITS[form][int(one)] for one in str(number))
    match form:
        case "decimal":
            return str(number)
        case "decimalZero":
            return f"{number:02}"
        case "numberInDash":
            return f"- {number} -"
        case "upperLetter" | "lowerLetter" if number > 0:
            letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
            return letters.upper() if form == "upperLetter" else letters
        case "upperRoman" | "lowerRoman":
            return roman(number).upper() if form == "upperRoman" else roman(number)
        case "hebrew1" if 0 < number < 100:
            return _hebrew(number)
        case "japaneseCounting" if 0 < number < 10_000:
            return _counted(number, _FIGURES, "十百千")
        case "koreanCounting" if 0 < number < 10_000:
            return _counted(number, "일이삼사오육칠팔구", "십백천")
        case "chineseCounting" | "taiwaneseCounting" if 0 < number < 100:
            return _counted(number, _FIGURES, "十")
        case "chineseCountingThousand" | "taiwaneseCountingThousand" if 0 < number < 10_000:
            return _chinese(number)
        case _:
            return None


def _hebrew(number: int) -> str:
    """15 and 16 are 9 and 6, and 9 and 7: otherwise they would be the beginning of a name."""
    tens, ones = divmod(number, 10)
    if tens == 1 and ones in (5, 6):
        return "ט" + _HEBREW[0][ones - 5 + 5]
    return (_HEBREW[1][tens - 1] if tens else "") + (_HEBREW[0][ones - 1] if ones else "")


def _counted(number: int, figures: str, sizes: str) -> str:
    """Each place by its name, of which one alone is not said: 十, 十一, 二十, 百十."""
    said = figures[number % 10 - 1] if number % 10 else ""
    for at, size in enumerate(sizes, 1):
        digit = number // 10**at % 10
        said = (figures[digit - 1] if digit > 1 else "") + (size if digit else "") + said
    return said


def _chinese(number: int) -> str:
    """As above, but one is said of a hundred and a thousand, and of ten within a number; 零 for places between."""
    said, gap = "", False
    for at, size in reversed([*enumerate(("", "十", "百", "千"))]):
        digit = number // 10**at % 10
        if digit:
            said += (
                ("零" if gap and said else "")
                + ("" if digit == 1 and at == 1 and not said else _FIGURES[digit - 1])
                + size
            )
        gap = not digit
    return said
