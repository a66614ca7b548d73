"""Files of data: JSON, XML, calendars and address books."""

import base64
import json
import plistlib
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from shared.domain.geometry import TextRange
from shared.domain.operations import RegisterChunk, RegisterSection, RegisterTable
from shared.domain.page import PageFile
from shared.errors import UnreadFormat
from shared.extraction.structure import operations_of_structure
from shared.ingestion.assembly import assemble_document
from shared.readers.data import calendar_tree, json_tree, xml_tree
from shared.readers.registry import recognise
from shared.rereading import data_cards, data_json, data_xml
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
    for module in (data_json, data_xml, data_cards):
        monkeypatch.setattr(module, "MOST", 5)
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


@pytest.mark.parametrize(
    ("head", "line"),
    [("NOTE:a\n", "some words \n"), ("NOTE;X={};ENCODING=QUOTED-PRINTABLE:a=\n", "some words=\n"),
     ("NOTE:a\n", " some words\n")],
)  # fmt: skip
def test_the_second_reader_of_cards_takes_time_in_proportion_to_the_lines(tmp_path: Path, head: str, line: str) -> None:
    def spent(count: int) -> float:
        path = tmp_path / "x.vcf"
        path.write_text(f"BEGIN:VCARD\n{head.format('x' * 12 * count)}{line * count}\nEND:VCARD\n")
        begun = time.thread_time()
        [_, field] = data_cards.reread_cards(path).fields or []
        assert (field.value or "").count("words") == count
        return time.thread_time() - begun

    # What is quadratic is so each time; what the machine does beside is not.
    assert any(spent(60_000) < 9 * max(spent(15_000), 0.02) for _ in range(3))


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
    thai = '<?xml version="1.0" encoding="tis-620"?><a><b>\u2022 ก</b></a>'
    assert read(tmp_path, "y.xml", thai.encode("cp874")) == [("list", "b: \u2022 ก")]


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


def test_what_a_document_type_adds_is_not_read(tmp_path: Path) -> None:
    text = '<!DOCTYPE a [<!ATTLIST a kind CDATA "default">]><a>x</a>'
    assert read(tmp_path, "x.xml", text) == [("list", "a: x")]


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


def places(folder: Path, name: str, text: str) -> list[tuple[str, str]]:
    """The lines of a file, each with what stands at its place."""
    (folder / name).write_text(text)
    found = [one for page in pages_of(folder / name) for one in page.fragments]
    return [(one.text, text[one.place.start : one.place.end]) for one in found if isinstance(one.place, TextRange)]


def test_an_element_of_one_tag_ends_with_it(tmp_path: Path) -> None:
    tags = ["<b c='1>'/>", "<b c='2'/>"]
    assert places(tmp_path, "x.xml", f"<a>{tags[0]}<d>x</d>{tags[1]}<e/>\n</a>") == [
        ("d: x", "<d>x</d>"), ("e:", "<e/>"), ("b", tags[0]), ("c: 1>", tags[0]), ("b", tags[1]), ("c: 2", tags[1]),
    ]  # fmt: skip
    assert places(tmp_path, "y.xml", "<a b='1'><c d='2'>x</c></a>") == [
        ("b: 1", "<a b='1'>"), ("c", "<c d='2'>x</c>"), ("d: 2", "<c d='2'>"), ("text: x", "<c d='2'>x</c>"),
    ]  # fmt: skip


def test_names_are_lost_to_no_group_that_stands_between(tmp_path: Path) -> None:
    order = (
        "<order><tag>a</tag><tag>b</tag><address><city>Graz</city></address><total>99</total>"
        "<currency>EUR</currency></order>"
    )
    assert read(tmp_path, "x.xml", order) == [
        ("list", "tag: a", "tag: b", "total: 99", "currency: EUR"), ("section 1", "address"), ("list", "city: Graz")
    ]  # fmt: skip
    meeting = (
        "BEGIN:VEVENT\nATTENDEE:mailto:i@x\nBEGIN:VALARM\nACTION:DISPLAY\nEND:VALARM\nATTENDEE:mailto:b@x\nEND:VEVENT\n"
    )
    assert read(tmp_path, "x.ics", meeting) == [
        ("section 1", "vevent"), ("list", "Attendee: i@x", "Attendee: b@x"),
        ("section 2", "valarm"), ("list", "Action: DISPLAY"),
    ]  # fmt: skip


def test_a_text_that_reads_on_keeps_what_is_said_once(tmp_path: Path) -> None:
    text = "<p><a>1</a><b>2</b><a>3</a><g><c>4</c></g><a>5</a><d>6</d></p>"
    assert read(tmp_path, "x.xml", text) == [("list", "1", "b: 2", "3"), ("list", "c: 4"), ("list", "5", "d: 6")]


def test_text_with_attributes_keeps_its_label_among_what_reads_on(tmp_path: Path) -> None:
    text = '<checks><item>OK</item><item critical="yes">OK</item><item>Failed</item></checks>'
    assert read(tmp_path, "x.xml", text) == [
        ("list", "OK"), ("list", "critical: yes", "text: OK"), ("list", "Failed"),
    ]  # fmt: skip


def test_what_keeps_its_name_is_not_what_reads_on(tmp_path: Path) -> None:
    text = "<r><c><g><a>x</a><h k='1'/><a>y</a></g><a>x</a></c></r>"
    assert ("list", "a: x") in read(tmp_path, "x.xml", text)


def test_attributes_keep_their_names_among_what_reads_on(tmp_path: Path) -> None:
    text = "<r a='y z'><a>1</a><g><c>2</c></g><a>3</a></r>"
    assert read(tmp_path, "x.xml", text) == [
        ("list", "a: y z", "a: 1", "a: 3"), ("section 1", "g"), ("list", "c: 2"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '{"version":3,"b":"x","expr":["step",["x",3],{"k":"v"}]}',
        '{"port":443,"x":[[80,443],{"proto":"tcp"}]}',
        '[{"tags":["a","b"]},["a","b"]]',
        '[["x",3],"x",{"k":"v"}]',
        '[{"p":"q"},[{},["1","b",3]],{"n":[[[],"b"]]}]',
        '{"a":[[],[null,""],["b",null,{"n":"a"}]],"c":"b","e":[","]}',
        '{"a":[{},["a:","x: y"],{"a":[{},3],"n":["a, b"],"d":{}}]}',
    ],
)
def test_lists_beside_groups_are_proved(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, "x.json", text)


def test_elements_that_say_nothing_and_attributes_of_text_with_elements_are_kept(tmp_path: Path) -> None:
    assert read(tmp_path, "x.xml", "<a><on/><b c=''/></a>") == [("list", "on:"), ("section 1", "b"), ("list", "c:")]
    strings = '<r><s name="app">My App</s><s name="hi">Hello <b>you</b></s></r>'
    assert read(tmp_path, "strings.xml", strings) == [
        ("section 1", "s"), ("table 1", "name", "text", "app", "My App", "hi", "Hello you")
    ]  # fmt: skip
    assert read(tmp_path, "y.xml", '<r><p>See <a href="u">here</a> <b k="v"/>.</p></r>') == [
        ("list", "href: u", "k: v", "p: See here .")
    ]
    assert read(tmp_path, "z.xml", "<r>.<s><t>1</t></s></r>") == [
        ("list", "text: ."), ("section 1", "s"), ("list", "t: 1")
    ]  # fmt: skip


def test_a_property_list_is_read_by_its_names(tmp_path: Path) -> None:
    values = {
        "Name": "Pump",
        "Hidden": True,
        "Parts": ["a", {"k": 1}],
        "Icon": bytes(range(256)) * 2,
        "Env": {"A": "b"},
    }
    (tmp_path / "Info.plist").write_bytes(plistlib.dumps(values, sort_keys=False))
    assert said(pages_of(tmp_path / "Info.plist")) == [
        ("list", "version: 1.0", "Name: Pump", "Hidden: true"), ("left out",), ("section 1", "Parts"), ("list", "a"),
        ("section 2", "1"), ("list", "k: 1"), ("section 1", "Env"), ("list", "A: b"),
    ]  # fmt: skip
    for head, shown in (("<plist version='1.0'>", ("version: 1.0", "dict: {}")), ("<plist>", ("dict: {}",))):
        for empty in ("<dict/>", "\n<dict>\n</dict>\n"):
            assert read(tmp_path, "empty.xml", f"{head}{empty}</plist>") == [("list", *shown)]
    broken = "<plist><dict><key>a</key></dict></plist>"
    assert read(tmp_path, "x.xml", broken) == [("code", broken)]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("SEQUENCE:20260305", "Sequence: 20260305"),
        ("LOCATION:10110212", "Location: 10110212"),
        ("DUE:20260305", "Due: 2026-03-05"),
        ("DUE:20261305", "Due: 20261305"),
        ("DUE:20260305T250000Z", "Due: 20260305T250000Z"),
        ("DUE:20260305T235960Z", "Due: 2026-03-05 23:59:60 UTC"),
        ("DUE:20260305T093061Z", "Due: 20260305T093061Z"),
        ("X-SEEN;VALUE=DATE:20260305", "Seen: 2026-03-05"),
        ("BDAY;VALUE=text:20260305", "Birthday: 20260305"),
        ("EXDATE;TZID=Europe/Vienna:20260306T093000,20260307T093000",
         "Except: 2026-03-06 09:30 Europe/Vienna, 2026-03-07 09:30 Europe/Vienna"),
        ("RDATE;VALUE=PERIOD:20260306T090000Z/PT1H", "Also: 2026-03-06 09:00 UTC/PT1H"),
        ("DTSTART;TZID=W. Europe Standard Time:20260306T0930", "Start: 2026-03-06 09:30 (W. Europe Standard Time)"),
        ("ATTENDEE;RSVP=TRUE;PARTSTAT=DECLINED;CN=Ida:mailto:i@x", "Attendee (rsvp true, declined): Ida i@x"),
        ('ATTENDEE;DELEGATED-TO="mailto:a@x","mailto:b@x":mailto:i@x', "Attendee (delegated-to a@x,b@x): i@x"),
    ],
)  # fmt: skip
def test_only_moments_are_dates_and_parameters_are_said(tmp_path: Path, line: str, shown: str) -> None:
    assert read(tmp_path, "x.ics", f"BEGIN:VEVENT\n{line}\nEND:VEVENT\n")[1:] == [("list", shown)]


def test_lines_of_calendars_that_programs_write_otherwise_are_read(tmp_path: Path) -> None:
    def event(*lines: str) -> str:
        return "\r\n".join(["BEGIN:VEVENT", *lines, "END:VEVENT", ""])

    folded = event("DESCRIPTION:Größe").encode().replace("ö".encode(), b"\xc3\r\n \xb6")
    assert read(tmp_path, "a.ics", folded)[1:] == [("list", "Description: Größe")]
    assert read(tmp_path, "b.ics", b"\xc3\r\n \xb6")[0] == ("text", "ö")
    assert read(tmp_path, "c.ics", event("NOTE:first", "second"))[1:] == [("list", "Note: first", "second")]
    soft = event("NOTE;ENCODING=QUOTED-PRINTABLE:a=3Db=", " c=", "=C3=B6", "\td")
    assert read(tmp_path, "d.ics", soft)[1:] == [("list", "Note: a=b cöd")]


def test_two_calendars_in_a_file_keep_the_titles_of_their_events(tmp_path: Path) -> None:
    text = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:{}\nEND:VEVENT\nEND:VCALENDAR\n"
    found = read(tmp_path, "x.ics", text.format("A") + text.format("B"))
    assert found == [
        ("section 2", "A"), ("list", "Summary: A"), ("section 2", "B"), ("list", "Summary: B"),
    ]  # fmt: skip


@pytest.mark.parametrize("zone", ["Europe/Vienna", "W. Europe Standard Time"])
def test_filters_find_events_by_their_dates(tmp_path: Path, zone: str) -> None:
    path = tmp_path / "x.ics"
    path.write_text(EVENT.replace("First the valve.", "First the valve. " * 100).replace("Europe/Vienna", zone))
    pages = {page.page: page for page in pages_of(path)}
    draft = assemble_document(
        lambda number: (pages[number], operations_of_structure(pages[number])), [*pages], []
    ).draft
    found = [{one.name: one.time for one in chunk.attributes} for chunk in draft.chunks if chunk.chunk_type == "list"]
    starts = [one["start"] for one in found if "start" in one]
    assert starts == [datetime(2026, 3, 5, tzinfo=UTC)] * (len(starts) - 1) + [datetime(2026, 4, 1, tzinfo=UTC)]
    assert len(starts) == len(found) - 1 > 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"<?xml version='1.0'?><!-- x --><pkg:package xmlns:pkg='u'/>", "Office in XML.*save it as .docx"),
        (b"<?xml version='1.0'?><?mso-application progid='Word'?><w:wordDocument xmlns:w='u'/>", "save it as .docx"),
        (b"<?xml version='1.0'?><Workbook xmlns='urn:schemas-microsoft-com:office:spreadsheet'/>", "save it as .xlsx"),
        (b"<?xml version='1.0'?><office:document xmlns:office='u'/>", "save it as .odt"),
    ],
)
def test_documents_that_are_saved_as_xml_are_refused_with_what_to_do(tmp_path: Path, text: bytes, said: str) -> None:
    for name in ("x.xml", "x.fodt", "x"):
        (tmp_path / name).write_bytes(text)
        with pytest.raises(UnreadFormat, match=said):
            recognise(tmp_path / name)
    (tmp_path / "y.xml").write_bytes(b"<?xml version='1.0'?><workbook><name>x</name></workbook>")
    assert recognise(tmp_path / "y.xml").source_type == "xml"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<?xml version='1.0'?><kml><d><![CDATA[<html><p>x</p></html>]]></d></kml>", "xml"),
        ("<?xml version='1.0'?><!-- <html> --><a/>", "xml"),
        ("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "xml"),
        ("<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'>\n<html/>", "html"),
        ("<!-- saved --><HTML><p>x", "html"),
    ],
)
def test_the_outermost_element_says_what_a_file_is(tmp_path: Path, text: str, kind: str) -> None:
    (tmp_path / "x.xml").write_text(text)
    assert recognise(tmp_path / "x.xml").source_type == kind


def test_a_long_table_stands_in_windows_below_its_names(tmp_path: Path) -> None:
    text = "[" + ",".join(f'{{"id": {number}, "name": "Pump {number}"}}' for number in range(450)) + "]"
    tables = read(tmp_path, "x.json", text)
    assert [len(one) for one in tables] == [3 + 2 * 200, 3 + 2 * 200, 3 + 2 * 50]
    assert {one[:3] for one in tables} == {("table 1", "id", "name")}
    assert len(pages_of(tmp_path / "x.json")) == 2


def test_bytes_in_letters_are_left_out_and_long_words_are_not(tmp_path: Path) -> None:
    data = base64.b64encode(bytes(range(256)) * 2).decode()
    for number, value in enumerate((data, f"data:image/png;base64,{data}", base64.encodebytes(data.encode()).decode())):
        text = json.dumps({"a": "b", "img": value})
        assert read(tmp_path, f"{number}.json", text) == [("list", "a: b"), ("left out",)]
    for value in (
        "ACGT" * 100,
        "0123456789abcdef" * 30,
        "Word and word 5. " * 30,
        data[:300],
        data[:80] + " So 5 Words" * 40,
    ):
        assert [one[0] for one in read(tmp_path, "x.json", json.dumps({"a": value}))] == ["list"]


def test_lines_of_a_value_keep_their_indentation(tmp_path: Path) -> None:
    lines = ("def f(x):", "    if x:", "        return 1")
    assert read(tmp_path, "x.json", json.dumps({"code": "\n".join(lines)})) == [
        ("list", f"code: {lines[0]}", *lines[1:])
    ]
    text = "<a><sql><![CDATA[\n    SELECT a\n      FROM b]]></sql><c>x\n      y</c></a>"
    assert read(tmp_path, "x.xml", text) == [("list", "sql: SELECT a", "  FROM b", "c: x y")]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("N:O\\\\;X;;;", "Full name: O\\, X"),
        ("N:O\\;X;Y;;", "Full name: O;X, Y"),
        ("ORG:A\\\\\\;B;C\\;", "Organization: A\\;B, C;"),
        ("ADR:;;A\\\\;B\\\\", "Address: A\\, B\\"),
    ],
)
def test_an_escaped_backslash_escapes_no_semicolon(tmp_path: Path, line: str, shown: str) -> None:
    text = f"BEGIN:VCARD\nFN:A\n{line}\nEND:VCARD\n"
    assert read(tmp_path, "x.vcf", text) == [("list", "Name: A", shown)]


def test_values_one_behind_the_other_take_time_in_proportion(tmp_path: Path) -> None:
    def spent(count: int) -> float:
        (tmp_path / "x.jsonl").write_text(f'"{"x" * 200}"\n' * count)
        begun = time.process_time()
        assert data_json.reread_json(tmp_path / "x.jsonl").fields is not None
        return time.process_time() - begun

    assert any(spent(16_000) < 8 * spent(4000) for _ in range(3))


def test_second_readings_stop_at_too_many_values_one_behind_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_json, "MOST", 3)
    for text, is_read in (("1 2", True), ("1 2 3 4", False), ("1 2 3 4 {", False)):
        (tmp_path / "x.json").write_text(text)
        assert (data_json.reread_json(tmp_path / "x.json").fields is not None) == is_read


def test_parameters_that_say_quoted_printable_take_time_in_proportion() -> None:
    def spent(count: int) -> float:
        text = "BEGIN:VCARD\nN" + ";QUOTED-PRINTABLE" * count + "=\nEND:VCARD\n"
        begun = time.process_time()
        with pytest.raises(ValueError, match="does not end"):
            calendar_tree.cards_of(text)
        return time.process_time() - begun

    assert any(spent(16_000) < 8 * max(spent(4000), 0.001) for _ in range(3))


def test_text_in_elements_in_elements_takes_no_time() -> None:
    def spent(depth: int) -> float:
        text = "<a>w " * depth + "x y " * 50_000 + "</a>" * depth
        begun = time.process_time()
        xml_tree.xml_of(text)
        return time.process_time() - begun

    assert any(spent(190) < 4 * spent(10) for _ in range(3))


def test_lists_in_lists_of_a_property_list_take_no_time(tmp_path: Path) -> None:
    def spent(depth: int) -> float:
        text = f"{'<plist><array>' * depth}<string>a</string>{'</array></plist>' * depth}"
        (tmp_path / "x.xml").write_text(text)
        begun = time.process_time()
        opened(tmp_path / "x.xml")
        return time.process_time() - begun

    assert any(spent(16) < 8 * max(spent(8), 0.05) for _ in range(3))


def test_lists_in_lists_take_no_time(tmp_path: Path) -> None:
    def spent(depth: int) -> float:
        one = "[" * depth + '{"a": 1}' + "]" * depth
        (tmp_path / "x.json").write_text("[" + ",".join([one] * (40_000 // depth)) + "]")
        begun = time.process_time()
        opened(tmp_path / "x.json")
        return time.process_time() - begun

    assert any(spent(190) < 8 * max(spent(19), 0.05) for _ in range(3))
