"""Numbers in the forms of Office: those that languages write, by both readers."""

import pytest

from shared.readers.docx.forms import in_form
from shared.rereading.numerals import eastern

SHOWN = {
    "decimalEnclosedCircle": {1: "①", 10: "⑩", 20: "⑳", 21: None, 0: None},
    "decimalEnclosedParen": {1: "⑴", 20: "⒇", 21: None},
    "decimalEnclosedFullstop": {1: "⒈", 20: "⒛"},
    "ideographEnclosedCircle": {1: "㊀", 10: "㊉", 11: None},
    "decimalFullWidth": {10: "１０", 0: "０"},
    "ideographDigital": {1: "一", 10: "一〇", 25: "二五", 100: "一〇〇"},
    "japaneseCounting": {
        1: "一",
        10: "十",
        11: "十一",
        20: "二十",
        99: "九十九",
        110: "百十",
        1234: "千二百三十四",
        0: None,
    },
    "chineseCounting": {10: "十", 19: "十九", 21: "二十一", 100: None},
    "chineseCountingThousand": {
        10: "十",
        12: "十二",
        20: "二十",
        100: "一百",
        101: "一百零一",
        110: "一百一十",
        111: "一百一十一",
        1000: "一千",
        1001: "一千零一",
        1010: "一千零一十",
        1100: "一千一百",
        2345: "二千三百四十五",
        9000: "九千",
    },
    "koreanCounting": {1: "일", 10: "십", 21: "이십일"},
    "koreanDigital": {10: "일영"},
    "ideographTraditional": {1: "甲", 10: "癸", 11: None},
    "ideographZodiac": {1: "子", 12: "亥"},
    "aiueo": {1: "ｱ", 5: "ｵ", 45: "ｦ", 46: "ﾝ", 47: None},
    "aiueoFullWidth": {1: "ア", 6: "カ", 46: "ン"},
    "iroha": {1: "ｲ", 2: "ﾛ", 3: "ﾊ", 25: "ヰ"},
    "irohaFullWidth": {1: "イ", 2: "ロ", 3: "ハ", 4: "ニ", 12: "ヲ", 25: "ヰ", 47: "ス", 48: "ン", 49: None},
    "ganada": {1: "가", 14: "하"},
    "chosung": {1: "ㄱ", 14: "ㅎ"},
    "hebrew1": {1: "א", 10: "י", 11: "יא", 15: "טו", 16: "טז", 17: "יז", 20: "כ", 99: "צט", 100: None},
    "hebrew2": {1: "א", 10: "י", 11: "כ", 22: "ת", 23: None},
    "arabicAlpha": {1: "أ", 2: "ب", 3: "ت", 28: "ي", 29: None},
    "arabicAbjad": {1: "أ", 2: "ب", 3: "ج", 4: "د", 28: "غ"},
    "thaiLetters": {1: "ก", 2: "ข", 3: "ค", 4: "ง", 41: "ฮ", 42: None},
    "thaiNumbers": {10: "๑๐"},
    "hindiNumbers": {12: "१२"},
    "russianLower": {1: "а", 10: "к", 29: "я", 30: None},
    "chicago": {1: None},
}


@pytest.mark.parametrize("form", SHOWN)
def test_a_number_is_shown_in_its_form_by_both_readers(form: str) -> None:
    assert {number: in_form(number, form) for number in SHOWN[form]} == SHOWN[form]
    assert {number: eastern(number, form) for number in SHOWN[form]} == SHOWN[form]


@pytest.mark.parametrize("form", SHOWN)
def test_both_readers_agree_on_all_numbers(form: str) -> None:
    assert [in_form(n, form) for n in range(1, 3_000)] == [eastern(n, form) for n in range(1, 3_000)]
