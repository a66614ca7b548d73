"""Text that does not say in which characters it stands."""

from pathlib import Path

import pytest

from shared.errors import RefusedFile
from shared.extraction.assemble import assemble
from shared.extraction.structure import operations_of_structure
from shared.extraction.text_signs import unmapped
from shared.readers.html.tree import decode_page
from shared.readers.mail.messages import Text, read_messages
from shared.readers.text.decode import decode, encoding_of
from shared.rereading.charsets import likely_charset
from shared.rereading.html import visible_text
from shared.rereading.text import reread_text
from tests.readers.structured import opened, pages_of

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
# Each is told from what it would be in another set by something else: an alphabet, signs or capitals within words,
# scripts that are one or two, ideographs that are rare elsewhere.
SENTENCES = (
    ("cp1250", "Příčina: přívod není těsný."),
    ("iso8859-2", "přepnutí ovladače"),
    ("cp1250", "Ľahký ventil váži päť kíl a ložisko nie je na sklade."),
    ("cp1250", "A szűrő ára kétezer forint, az őszi szállítás díja külön fizetendő."),
    ("cp1250", "Preţul pompei este de două mii de lei şi livrarea durează trei săptămâni."),
    ("cp1250", "Cijena crpke je tisuću eura, a isporuka ležajeva počinje sljedeći četvrtak."),
    ("iso8859-2", "Wąż i zawór są cięte, dąb też."),
    ("cp1251", "Ціна насоса сім тисяч гривень, її сплачують пізніше."),
    ("koi8-u", "Немає знижки."),
    ("cp1251", "Цана помпы тысяча рублёў, а дастаўка ў Мінск ідзе два тыдні."),
    ("cp1251", "Ђак и ћуп."),
    ("cp1251", "Ѕвоното и ќебето доаѓаат подоцна."),
    ("cp1251", "УВ филтер"),
    ("iso8859-5", "Цена насоса тысяча рублей, доставка займёт три недели."),
    ("koi8-r", "насос и клапан на складе, срок три недели"),
    ("iso8859-7", "Άδεια αντλία: η τιμή είναι χίλια ευρώ."),
    ("cp1257", "Siurblio kaina šeši šimtai eurų, pristatymas vėliau."),
    ("cp1257", "Sūkņa cena ir tūkstoš eiro, bet gultņu vēl nav."),
    ("cp1257", "Pumba hind on kõrge, žanr ja šahti läheb öösel."),
    ("cp1252", "è così"),
    ("cp1252", "Pumpen koster ni tusinde kroner, og lejerne følger på næste års første måned."),
    ("cp1252", "Dælan kostar þúsund krónur og það tekur átta daga að fá hana."),
    ("euc_jp", "A4 の取り付け、B5 の受け取り、C6 の締め付け"),
    ("big5", "註冊商標"),
    ("big5", "註明 A4 規格"),
    ("gb18030", "你好"),
    ("iso8859-2", "Zmień ścieżkę"),
)
WESTERN = (
    "Prix : 12 €", "café", "Größe in µm ± 2 °C", "¿Cuánto cuesta?", "naïve “quotes” – don’t…", "Ærø, Ålborg", "Þór",
    "Tür\n" * 3, "£9 or ¥5 at 20 °C", "1ª edição, nº 3", "Müller GmbH & Co. KG, Straße 5",
    "10 µF capacitor, 25 °C", "5 µm", "Masse 3 µg, Länge 5 µm", "Dicke;5 µm\nBreite;12 µm\n", "¿Qué pasó? ¡Nada!",
    "¡OJO!",
    "Die Wohnung hat 85 m² Wohnfläche.", "La casa mide 120 m² en total.", "L'appartement fait 85 m² …", "R² = 0.98",
    "E = mc²", "U = 0,24 W/(m²·K)", "Bedarf: 45 kWh/(m²a)", "CO² levels", "1,200 ft² and a façade", "5 m³", "m³", "M³",
    "12 Nm³/h", "Flow in m³/s", "2 in³ or 3 yd³", "30 µm³", "10³", "x³ + y² = 1", "1½ cups", "½ l Milch", "2½ Std.",
    "¾ Zoll", "Huset er 120 m², 300 m³ og 1½ etage", "Lägenheten är 85 m², 3½ rum", "Talo on 85 m² ja ½ ha.",
    "Íbúðin er 85 m²", "O apartamento tem 85 m³", "L'habitatge fa 85 m²", "Het huis is 120 m² groot", "½ piano, 30 m³",
    "Plain text says nothing of it.\n" * 500 + "85 m²",
    "Ø 12 mm", "Ø12", "ÄÖÜ", "Spalte »p« und »q«", "© 2024", "£5", "¼ cup", "ß", "Ñ",
)  # fmt: skip


@pytest.mark.parametrize("codec", TEXTS)
def test_text_in_an_older_set_of_characters_is_read_in_it_by_both_readers(codec: str, tmp_path: Path) -> None:
    text, path = TEXTS[codec], tmp_path / "old.txt"
    path.write_bytes(text.encode(codec))
    assert decode(path.read_bytes()) == text
    assert path.read_bytes().decode(encoding_of(path)) == text
    assert reread_text(path).text == text


@pytest.mark.parametrize(("codec", "text"), SENTENCES)
def test_a_sentence_of_a_language_is_read_in_its_set_by_both_readers(codec: str, text: str) -> None:
    data = text.encode(codec)
    assert decode(data) == text
    assert data.decode(likely_charset(data)) == text


@pytest.mark.parametrize("text", WESTERN)
def test_short_western_text_stays_windows_1252(text: str) -> None:
    data = text.encode("cp1252")
    assert decode(data) == text
    assert data.decode(likely_charset(data)) == text


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("koi8-r", "таблица"),
        ("koi8-r", "МОСКВА"),
        ("koi8-r", "ФАМИЛИЯ;ИМЯ;ОТЧЕСТВО"),
        ("big5", "合計,500\n"),
        ("big5", "姓名"),
        ("big5", "你好"),
        ("big5", "無效的sha"),
        ("big5", "設定靜態預先"),
        ("iso8859-5", "ФРАНКО"),
        ("cp1253", "Αθήνα και Πάτρα"),
        ("big5", "無法重寫標頭"),
        ("cp1250", "był młody"),
        ("iso8859-2", "łatwy"),
        ("cp1250", "veľmi šťavnatý"),
        ("cp1250", "šaľ"),
        ("cp1250", "ľahšie"),
        ("cp1251", "ПРИКАЗ"),
        ("cp1251", "Київ"),
        ("euc_jp", "東京都千代田区"),
        ("cp1253", "ΑΘΗΝΑ"),
    ],
)
def test_a_word_of_a_language_is_read_in_its_set(codec: str, text: str) -> None:
    assert decode(text.encode(codec)) == text


def test_a_long_line_is_read_in_its_set_although_the_sample_ends_within_a_character() -> None:
    line = "a" + TEXTS["gb18030"].strip() * 5_000
    assert decode(line.encode("gb18030")) == line


def test_lines_that_tell_nothing_are_not_looked_at() -> None:
    text = "a line of letters that are in every set\n" * 2_000 + TEXTS["cp1250"]
    assert decode(text.encode("cp1250")) == text


def test_a_byte_behind_the_sample_that_its_set_does_not_have_is_kept() -> None:
    data = b"caf\xe9\n" * 13_000 + b"\x81"
    assert decode(data) == "caf\u00e9\n" * 13_000 + "\x81"


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


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["name;price\nPump;12 €\n", "第一章 一般\n一, 二\n", "Größe\n"])
def test_utf16_without_its_mark_is_read_by_both_readers(codec: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "wide.txt"
    path.write_bytes(text.encode(codec))
    assert decode(path.read_bytes()) == text
    assert encoding_of(path) == codec
    assert reread_text(path).text == text


@pytest.mark.parametrize("data", [b"a\0\0b", b"\x7fELF\x02\x01\x01\0\0\0\0\0", b"ab\0", b"a\0\0\xd8", b"abc\0def\0"])
def test_bytes_with_zeros_that_are_no_utf16_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(data)
    with pytest.raises(RefusedFile, match="no text has"):
        decode(data)
    with pytest.raises(RefusedFile, match="no text has"):
        encoding_of(path)


def test_control_characters_that_no_text_has_are_counted_as_lost() -> None:
    assert unmapped("a\x81b\x9f") == 2
    assert unmapped("Łożysko – 5 €") == 0


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1251", "ПРАВИЛА ПРОВЕДЕНИЯ СОРЕВНОВАНИЙ"), ("koi8-r", "ПРАВИЛА ПРОВЕДЕНИЯ СОРЕВНОВАНИЙ"),
        ("cp866", "ЦЕНА НАСОСА И КЛАПАНА, СРОК ТРИ НЕДЕЛИ"), ("cp1251", "ЦІНА НАСОСА СІМ ТИСЯЧ ГРИВЕНЬ"),
        ("cp1251", "ПРАВИЛА ЗА БЕЗОПАСНОСТ ПРИ РАБОТА С ПОМПИ"), ("cp1253", "ΤΙΜΗ ΤΗΣ ΑΝΤΛΙΑΣ ΚΑΙ ΠΑΡΑΔΟΣΗ"),
        ("iso8859-7", "ΤΙΜΗ ΤΗΣ ΑΝΤΛΙΑΣ ΚΑΙ ΠΑΡΑΔΟΣΗ"), ("cp1252", "ÅRSMÖTE I ÖSTERSUND, ÄVEN FÖR GÄSTER"),
    ],
)  # fmt: skip
def test_text_in_capitals_is_read_in_its_set_by_both_readers(codec: str, text: str) -> None:
    data = text.encode(codec)
    assert decode(data) == text
    assert data.decode(likely_charset(data)) == text


BROKEN = (
    (RUSSIAN, "н", "Це\ufffdа насоса"), ("Die Größe der Öffnung, für Flüssigkeiten", "ß", "Die Grö\ufffde"),
    ("ポンプの価格は千二百円です。", "ン", "ポ\ufffdプの"), ("Příliš žluťoučký kůň", "ž", "Příliš \ufffdluť"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "cut", "want"), BROKEN)
def test_utf8_with_a_broken_character_is_read_as_it_with_a_mark_in_its_place(
    text: str, cut: str, want: str, tmp_path: Path
) -> None:
    data = text.encode().replace(cut.encode(), cut.encode()[:-1], 1)
    assert decode(data).startswith(want)
    path = tmp_path / "broken.txt"
    path.write_bytes(data)
    assert decode(data) == reread_text(path).text
    assert encoding_of(path) == "utf-8"


def test_utf8_that_is_cut_off_within_a_character_loses_only_that() -> None:
    data = RUSSIAN.encode() + "ж".encode()[:1]
    assert decode(data) == f"{RUSSIAN}\ufffd"
    assert data.decode(likely_charset(data), "replace") == f"{RUSSIAN}\ufffd"


def test_a_word_of_an_older_set_among_many_of_utf8_costs_no_other_character(tmp_path: Path) -> None:
    [part] = pages_of(written(tmp_path, "mixed.txt", "Größe\nFläche\n".encode() * 3 + "Prüfung".encode("cp1252")))
    assert [one.text for one in part.fragments] == ["Größe", "Fläche"] * 3 + ["Pr\ufffdfung"]


def test_a_passage_with_broken_characters_says_so_and_others_do_not(tmp_path: Path) -> None:
    source = opened(written(tmp_path, "x.txt", "Größe der Öffnung\n\n".encode() + b"Br\xfche und Brot\n"))
    [page] = [source.read_page(1)]
    operations = operations_of_structure(page)
    assert operations.flags == ["broken_characters"]
    chunks = assemble([(page, operations)]).chunks
    assert [(one.content, one.flags) for one in chunks] == [
        ("Größe der Öffnung", []), ("Br\ufffdhe und Brot", ["broken_characters"])
    ]  # fmt: skip


def test_a_table_with_a_broken_character_is_read_row_by_row(tmp_path: Path) -> None:
    rows = "".join(f"Schlüssel {number};{number}\n" for number in range(12_000)).encode()
    path = written(tmp_path, "long.csv", "Größe;Zahl\n".encode() + rows + b"M\xfcll;5\n")
    assert pages_of(path)[0].fragments[0].text == "Größe"
    short = written(tmp_path, "short.csv", "Größe;Zahl\nMaß;3\n".encode() + b"M\xfcll;5\n")
    [page] = pages_of(short)
    assert [one.text for one in page.fragments] == ["Größe", "Zahl", "Maß", "3", "M\ufffdll", "5"]
    rows = [one for one in assemble([(page, operations_of_structure(page))]).chunks if one.chunk_type == "table_row"]
    assert [(one.content, one.flags) for one in rows] == [("Maß | 3", []), ("M\ufffdll | 5", ["broken_characters"])]


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path
