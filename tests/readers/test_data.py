"""Files of data: JSON, XML, calendars and address books."""

import time
from pathlib import Path

import pytest

from shared.domain.geometry import TextRange
from shared.domain.operations import RegisterChunk, RegisterSection, RegisterTable
from shared.domain.page import PageFile
from shared.errors import UnreadFormat
from shared.readers.data import calendar_tree, json_tree, xml_tree
from shared.readers.registry import recognise
from shared.rereading import data
from tests.readers.structured import opened, pages_of

EVENT = """BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//Pump works//EN\r
BEGIN:VTIMEZONE\r
TZID:Europe/Vienna\r
END:VTIMEZONE\r
BEGIN:VEVENT\r
UID:1@pumps.example\r
DTSTART;TZID=Europe/Vienna:20260305T093000\r
DTEND:20260305T103015Z\r
SUMMARY:Inspection of the\r
  pump\\, second fl\r
 oor\r
DESCRIPTION:First the valve.\\nThen the motor.\r
ORGANIZER;CN="Ida Berg":mailto:ida@pumps.example\r
END:VEVENT\r
BEGIN:VEVENT\r
DTSTART;VALUE=DATE:20260401\r
SUMMARY:Holiday\r
END:VEVENT\r
END:VCALENDAR\r
"""
CARDS = """BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Ja=
n;;;
FN:Jan Müller
TEL;WORK;VOICE:+43 1 234
PHOTO;ENCODING=BASE64:AAAA
BDAY:19800102
END:VCARD
BEGIN:VCARD
VERSION:4.0
FN:Ida Berg
item1.EMAIL;TYPE=home,pref:ida@pumps.example
ADR;TYPE=work:;;Main Street 1;Graz;;8010;Austria
END:VCARD
"""


def said(pages: list[PageFile]) -> list[tuple[str, ...]]:
    """What parts are, and their lines; of a table its cells."""
    found: list[tuple[str, ...]] = []
    for page in pages:
        texts = {one.id: one.text for one in page.fragments}
        for one in page.structure or []:
            match one:
                case RegisterSection():
                    found.append((f"section {one.depth}", *(texts[ref] for ref in one.title_fragment_ids)))
                case RegisterChunk():
                    found.append((one.chunk_type, *(texts[ref] for ref in one.fragment_ids)))
                case RegisterTable():
                    cells = [" ".join(texts[ref] for ref in cell.fragment_ids) for row in one.rows for cell in row]
                    found.append((f"table {one.header_rows}", *cells))
                case _:
                    found.append(("left out",))
    return found


def read(folder: Path, name: str, text: str | bytes) -> list[tuple[str, ...]]:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return said(pages_of(path))


def test_objects_of_json_are_sections_and_what_they_say_lines(tmp_path: Path) -> None:
    text = '{"name": "P-30", "mass": 12.50, "ok": true, "none": null, "tags": ["a", "b"], "motor": {"power": "3 kW"}}'
    assert read(tmp_path, "pump.json", text) == [
        ("list", "name: P-30", "mass: 12.50", "ok: true", "none: null", "tags: a, b"),
        ("section 1", "motor"),
        ("list", "power: 3 kW"),
    ]


def test_a_value_stands_where_its_name_begins_and_it_ends(tmp_path: Path) -> None:
    text = '{"name":\n "Größe \\u00e9\\ud83d\\ude00\\n2"}'
    path = tmp_path / "x.json"
    path.write_text(text)
    [first, second] = pages_of(path)[0].fragments
    assert (first.text, second.text) == ("name: Größe é😀", "2")
    assert first.place == second.place == TextRange(start=1, end=len(text) - 1)


def test_objects_that_are_alike_are_rows(tmp_path: Path) -> None:
    text = '[{"id": 1, "at": {"x": 2, "y": [3, 4]}}, {"id": 2, "at": "m"}, {"id": 3, "at": {}}]'
    assert read(tmp_path, "rows.json", text) == [
        ("table 1", "id", "at.x", "at.y", "at", *("1", "2", "3, 4", ""), *("2", "", "", "m"), *("3", "", "", "{}"))
    ]


def test_objects_with_long_values_are_sections_with_their_names(tmp_path: Path) -> None:
    text = f'[{{"id": 7, "name": "Pump", "text": "{"long " * 80}"}}, {{"id": 8, "name": "Valve"}}]'
    found = read(tmp_path, "items.json", text)
    assert [one for one in found if one[0].startswith("section")] == [("section 1", "Pump"), ("section 1", "Valve")]
    assert found[-1] == ("list", "id: 8", "name: Valve")


def test_objects_that_have_little_in_common_or_too_many_names_are_no_rows(tmp_path: Path) -> None:
    few = '[{"id": 1, "a": 1}, {"id": 2, "b": 2}, {"id": 3, "c": 3}, {"id": 4, "d": 4}, {"id": 5, "e": 5}]'
    many = "{" + ", ".join(f'"n{number}": {number}' for number in range(70)) + "}"
    for name, text in (("few", few), ("many", f"[{many}, {many}]"), ("one", '[{"id": 7}]')):
        assert read(tmp_path, f"{name}.json", text)[0][0] == "section 1"


def test_half_a_character_is_shown_as_lost(tmp_path: Path) -> None:
    assert read(tmp_path, "x.json", '{"a": "\\ud800b"}') == [("list", "a: \ufffdb")]


def test_a_name_that_comes_twice_is_read_twice(tmp_path: Path) -> None:
    assert read(tmp_path, "x.json", '{"a": 1, "a": 2}') == [("list", "a: 1", "a: 2")]
    assert read(tmp_path, "y.json", '[{"a": 1, "a": 2}, {"a": 3}]')[0] == ("section 1", "1")


def test_lines_of_json_are_items(tmp_path: Path) -> None:
    assert read(tmp_path, "x.jsonl", '{"a": 1}\n{"a": NaN}\n\n') == [("table 1", "a", "1", "NaN")]


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "b": ', '{"a": 1,}', "[1 2]", '{"a" 1}', '{"a": "\\x"}', "[01]", "{1: 2}", '["a": 1]', "[}", "[,1]",
     '{"a"}', '{"a": }', "// a\n{}", "[1]]"]
)  # fmt: skip
def test_broken_json_is_read_as_text(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, "broken.json", text)
    assert found[0] == ("code", *text.strip().split("\n"))


def test_nesting_that_no_one_reads_is_text_and_takes_no_time(tmp_path: Path) -> None:
    for name, text in (("x.json", "[" * 100_000 + "]" * 100_000), ("x.xml", "<a>" * 100_000 + "</a>" * 100_000)):
        pieces = read(tmp_path, name, text)
        assert "".join(line for one in pieces for line in one[1:]) == text
        assert {one[0] for one in pieces} == {"text"}
        assert max(len(line) for one in pieces for line in one[1:]) <= 1_200
    inner = '{"a": ' * 150 + "1" + "}" * 150
    assert read(tmp_path, "y.json", inner)[-1][0] == "list"


def test_scalars_beside_groups_in_a_list_are_read(tmp_path: Path) -> None:
    found = read(tmp_path, "x.json", '["a", {"k": "v"}, ["b", {"l": ["c"]}]]')
    assert found == [("list", "a"), ("section 1", "v"), ("list", "k: v"), ("list", "b"), ("list", "l: c")]


@pytest.mark.parametrize(
    ("name", "most", "more"),
    [
        ("x.json", '{"a": [1, {"b": 2}]}', '{"a": [1, 2, {"b": 2}]}'),
        ("x.jsonl", '{"a": 1}\n{"b": 2}\n', '{"a": 1}\n{"b": 2}\n3\n'),
        ("x.xml", "<a c='1'><b>2</b><b/><b/></a>", "<a c='1'><b>2</b><b d='1'/><b/></a>"),
        ("x.vcf", "BEGIN:VCARD\nA:1\nB:2\nC:3\nEND:VCARD\n", "BEGIN:VCARD\nA:1\nB:2\nC:3\nD:4\nEND:VCARD\n"),
    ],
)
def test_a_file_with_more_values_than_can_be_held_is_read_as_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, most: str, more: str
) -> None:
    for module in (json_tree, xml_tree, calendar_tree):
        monkeypatch.setattr(module, "MAX_VALUES", 5)
    monkeypatch.setattr(data, "_MOST", 5)
    as_text = [one for one in read(tmp_path, name, more) if one[1:] == tuple(more.rstrip().split("\n"))]
    assert len(as_text) == 1
    assert all(one[1:] != tuple(most.rstrip().split("\n")) for one in read(tmp_path, name, most))


def test_reading_json_is_linear(tmp_path: Path) -> None:
    def spent(count: int) -> float:
        path = tmp_path / f"{count}.json"
        path.write_text('{"a": [' + ",".join('{"k": "v", "l": {"m": [1, 2]}}' for _ in range(count)) + "]}")
        begun = time.process_time()
        opened(path)
        return time.process_time() - begun

    assert spent(8_000) < 20 * max(spent(2_000), 0.05)


def test_a_value_that_is_longer_than_a_passage_is_divided(tmp_path: Path) -> None:
    found = read(tmp_path, "x.json", '{"points": [' + ", ".join(map(str, range(2_000))) + "]}")
    assert len(found) > 5
    assert all(len(line) <= 1_200 for one in found for line in one[1:])
    assert " ".join(line for one in found for line in one[1:]) == "points: " + ", ".join(map(str, range(2_000)))


def test_elements_of_xml_are_sections_lines_and_rows(tmp_path: Path) -> None:
    text = (
        '<?xml version="1.0" encoding="iso-8859-1"?><!-- no --><list xmlns:p="urn:p" of="pumps"><p:item id="1"><name>'
        'Gr\xf6\xdfe &amp; &#233;</name></p:item>\n<p:item id="2"><name><![CDATA[a < b]]></name></p:item>'
        "<note>Read <b>this</b> first.</note><maker><city>Graz</city><city>Wien</city></maker></list>"
    )
    assert read(tmp_path, "x.xml", text.encode("latin-1")) == [
        ("list", "of: pumps", "note: Read this first."),
        ("section 1", "item"),
        ("table 1", "id", "name", "1", "Größe & é", "2", "a < b"),
        ("section 1", "maker"),
        ("list", "city: Graz", "city: Wien"),
    ]


def test_xml_is_read_in_the_characters_that_it_says(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="iso-8859-2"?><a><b>5 ľ</b></a>'
    assert read(tmp_path, "x.xml", text.encode("iso-8859-2")) == [("list", "b: 5 ľ")]


@pytest.mark.parametrize("text", ["<a>" * 230 + "x" + "</a>" * 230, f'<a b="{"x" * 100_001}">y</a>'])
def test_what_one_of_both_readers_may_not_take_is_text(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, "x.xml", text)
    assert {one[0] for one in found} <= {"text", "code"}
    assert "".join(line for one in found for line in one[1:]).replace(" ", "") == text.replace(" ", "")


def test_a_chapter_reads_on_in_its_order(tmp_path: Path) -> None:
    text = (
        "<book><title>Pumps</title><para>One.</para><section><title>Valves</title><para>Two.</para></section>"
        "<para>Three.</para></book>"
    )
    assert read(tmp_path, "x.xml", text) == [
        ("list", "title: Pumps", "One."), ("section 1", "Valves"), ("list", "title: Valves", "para: Two."),
        ("list", "Three."),
    ]  # fmt: skip


def test_entities_of_a_document_are_never_looked_up(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("hunter2")
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    head = f'<!DOCTYPE a [<!ENTITY e0 "boom">{bomb}<!ENTITY s SYSTEM "file://{tmp_path}/secret.txt">]>'
    assert read(tmp_path, "x.xml", f"{head}<a of='&e11;'><b>see &e11;&no; and &s;.</b></a>") == [
        ("list", "of: &e11;", "b: see &e11;&no; and &s;.")
    ]


@pytest.mark.parametrize("text", ["<a><b></a>", "<a", "<x:a/>", "no xml at all", "<a/><b/>"])
def test_broken_xml_is_read_as_text(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, "x.xml", text) == [("code", text)]


def test_events_are_sections_with_their_times(tmp_path: Path) -> None:
    assert read(tmp_path, "x.ics", EVENT) == [
        ("list", "Version: 2.0", "Made by: -//Pump works//EN", "Time zone: Europe/Vienna"),
        ("section 1", "Inspection of the pump, second floor"),
        ("list", "UID: 1@pumps.example", "Start: 2026-03-05 09:30 Europe/Vienna", "End: 2026-03-05 10:30:15 UTC",
         "Summary: Inspection of the pump, second floor", "Description: First the valve.", "Then the motor.",
         "Organizer: Ida Berg ida@pumps.example"),
        ("section 1", "Holiday"),
        ("list", "Start: 2026-04-01", "Summary: Holiday"),
    ]  # fmt: skip


def test_contacts_are_sections_with_their_labels(tmp_path: Path) -> None:
    assert read(tmp_path, "x.vcf", CARDS) == [
        ("section 1", "Jan Müller"),
        ("list", "Version: 2.1", "Full name: Müller, Jan", "Name: Jan Müller", "Phone (work): +43 1 234",
         "Birthday: 1980-01-02"),
        ("left out",),
        ("section 1", "Ida Berg"),
        ("list", "Version: 4.0", "Name: Ida Berg", "Email (home): ida@pumps.example",
         "Address (work): Main Street 1, Graz, 8010, Austria"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["BEGIN:VCARD\nFN:A\n", "BEGIN:VCARD\nFN:A\nEND:VEVENT\n", "just text\n", "A:b\n"])
def test_a_broken_calendar_is_read_as_text(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, "x.ics", text) == [("text", *text.strip().split("\n"))]


def test_xml_is_read_however_it_is_called(tmp_path: Path) -> None:
    path = tmp_path / "Info.plist"
    path.write_text('<?xml version="1.0"?><plist><key>Name</key><string>Pump</string></plist>')
    assert said(pages_of(path)) == [("list", "key: Name", "string: Pump")]
    picture = tmp_path / "x.svg"
    picture.write_text('<?xml version="1.0"?><svg/>')
    with pytest.raises(UnreadFormat):
        recognise(picture)


def test_a_page_that_is_called_xml_stays_a_page(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_text("<!doctype html><p>Hello</p>")
    assert recognise(path).source_type == "html"
