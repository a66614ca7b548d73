"""Text that does not say in which characters it stands."""

from pathlib import Path

import pytest

from shared.extraction.text_signs import unmapped
from shared.readers.html.tree import decode_page
from shared.readers.mail.messages import Text, read_messages
from shared.readers.text.decode import decode, encoding_of
from shared.rereading.charsets import likely_charset
from shared.rereading.html import visible_text
from shared.rereading.text import reread_text

RUSSIAN = "Цена насоса 1500 рублей за штуку, доставка три недели."
TEXTS = {
    "cp1250": "Nazwa;Cena;Ilość\nŁożysko;12,50;3\nŚruba;0,20;100\nŹródło zasilania;99,00;1\n",
    "iso8859-2": "Příliš žluťoučký kůň úpěl ďábelské ódy, když měřil tlak.\n",
    "cp1251": "Цена насоса 1500 рублей за штуку. Доставка — три недели.\n",
    "koi8-r": f"{RUSSIAN}\n",
    "cp866": f"{RUSSIAN}\n",
    "cp1253": "Η τιμή της αντλίας είναι χίλια ευρώ και η παράδοση τρεις εβδομάδες.\n",
    "cp1254": "Pompanın fiyatı şöyle değişti; yağ basıncı düştü, ısı arttı.\n",
    "cp932": "ポンプの価格は千二百円です。部品の表を見てください。\n",
    "euc_jp": "ポンプの価格は千二百円です。部品の表を見てください。\n",
    "gb18030": "泵的价格是一千二百元。阀门的价格是三百元。\n",
    "big5": "幫浦的價格是一千二百元，閥門的價格是三百元。\n",
    "cp949": "펌프의 가격은 천이백 원입니다. 밸브의 가격은 삼백 원입니다.\n",
}
WESTERN = (
    "Prix : 12 €", "café", "Größe in µm ± 2 °C", "¿Cuánto cuesta?", "naïve “quotes” – don’t…", "Ærø, Ålborg", "Þór",
    "Tür\n" * 3, "£9 or ¥5 at 20 °C", "1ª edição, nº 3", "Müller GmbH & Co. KG, Straße 5",
)  # fmt: skip


@pytest.mark.parametrize("codec", TEXTS)
def test_text_in_an_older_set_of_characters_is_read_in_it_by_both_readers(codec: str, tmp_path: Path) -> None:
    text, path = TEXTS[codec], tmp_path / "old.txt"
    path.write_bytes(text.encode(codec))
    assert decode(path.read_bytes()) == text
    assert path.read_bytes().decode(encoding_of(path)) == text
    assert reread_text(path).text == text


@pytest.mark.parametrize("text", WESTERN)
def test_short_western_text_stays_windows_1252(text: str) -> None:
    data = text.encode("cp1252")
    assert decode(data) == text
    assert data.decode(likely_charset(data)) == text


def test_a_long_line_is_read_in_its_set_although_the_sample_ends_within_a_character() -> None:
    line = "a" + TEXTS["gb18030"].strip() * 5_000
    assert decode(line.encode("gb18030")) == line


def test_a_page_without_a_charset_is_read_as_it_looks() -> None:
    page = f"<html><body><p>{TEXTS['cp932']}</p></body></html>".encode("cp932")
    assert TEXTS["cp932"] in decode_page(page)
    assert TEXTS["cp932"].strip() in visible_text(page)


def test_a_message_that_lies_about_its_charset_is_read_as_it_looks_and_one_that_does_not_as_it_says() -> None:
    head = b"From: a@b.example\nSubject: x\nContent-Type: text/plain; charset=%s\nContent-Transfer-Encoding: 8bit\n\n"
    [lie] = read_messages(head % b"us-ascii" + RUSSIAN.encode("koi8-r"))
    assert lie.content == [Text(RUSSIAN, html=False)]
    [true] = read_messages(head % b"iso-8859-9" + "şığ".encode("iso-8859-9"))
    assert true.content == [Text("şığ", html=False)]
    [western] = read_messages(head % b"iso-8859-1" + "£o¿ysko".encode("cp1252"))
    assert western.content == [Text("£o¿ysko", html=False)]


def test_control_characters_that_no_text_has_are_counted_as_lost() -> None:
    assert unmapped("a\x81b\x9f") == 2
    assert unmapped("Łożysko – 5 €") == 0
