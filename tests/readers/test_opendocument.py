"""OpenDocument texts and presentations, written here part by part: structure, numbers as displayed, what is hidden."""

import zipfile
from pathlib import Path

import pytest

from shared.domain.operations import RegisterTable
from shared.errors import RefusedFile
from shared.extraction.structure import operations_of_structure
from shared.rereading.opendocument import reread_opendocument
from tests.readers.structured import opened, pages_of
from tests.readers.test_docx import left_out
from tests.readers.test_text import told

URN = "urn:oasis:names:tc:opendocument:xmlns:"
OWN = ("office", "text", "table", "style", "presentation", "meta", "chart")
SPACES = " ".join(
    [
        *(f'xmlns:{one}="{URN}{one}:1.0"' for one in OWN),
        f'xmlns:draw="{URN}drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:svg="{URN}svg-compatible:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"',
    ]
)
STYLES = """<style:style style:name="P1" style:parent-style-name="Title"/>
<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>
<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"
style:num-suffix="."/>
<text:list-level-style-number text:level="2" style:num-format="1" text:display-levels="2"/></text:list-style>
<text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/>
<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>"""
CELL = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>"


def write_odf(path: Path, kind: str, body: str, pages: str = "", manifest: str = "", **parts: str) -> Path:
    with zipfile.ZipFile(path, "w") as container:
        container.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        inner = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
        container.writestr("content.xml", f"<office:document-content {SPACES}>{inner}</office:document-content>")
        container.writestr("styles.xml", f"<office:document-styles {SPACES}>{STYLES}{pages}</office:document-styles>")
        container.writestr("META-INF/manifest.xml", manifest)
        for name, content in parts.items():
            container.writestr(f"{name}.xml", content)
    return path


def h(text: str, level: int) -> str:
    return f'<text:h text:outline-level="{level}">{text}</text:h>'


def p(text: str, style: str = "") -> str:
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def test_a_text_has_its_titles_lists_notes_and_what_is_not_shown(tmp_path: Path) -> None:
    note = "<text:note><text:note-citation>1</text:note-citation><text:note-body>{}</text:note-body></text:note>"
    note = note.format("<text:p>A note.</text:p>")
    body = [
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>",
        "<text:table-of-content><text:index-body><text:p>Scope ... 3</text:p></text:index-body>"
        "</text:table-of-content>",
        p("Handbook", "P1"), h("Scope", 1), h("Rules", 2),
        p(f"Two<text:s text:c='2'/>gaps,<text:tab/>a tab{note} and<text:line-break/>a line."),
        p('Seen<text:span text:style-name="T1">unseen</text:span>'),
        "<text:list text:style-name='L1'><text:list-item><text:p>one</text:p></text:list-item>"
        "<text:list-item><text:p>two</text:p></text:list-item></text:list>",
        p("<office:annotation><dc:creator>Ada</dc:creator><text:p>Really?</text:p></office:annotation>Behind<draw:frame>"
          "<draw:text-box><text:p>boxed</text:p></draw:text-box><svg:title>pic</svg:title></draw:frame>"),
    ]  # fmt: skip
    running = (
        "<style:master-page><style:header><text:p>Top</text:p></style:header>"
        "<style:footer><text:p>Page <text:page-number>3</text:page-number></text:p></style:footer></style:master-page>"
    )
    pages = pages_of(write_odf(tmp_path / "x.odt", "text", "".join(body), running))
    assert told(pages) == [
        ("section", 1, "Handbook"),
        ("section", 1, "Scope"),
        ("section", 2, "Rules"),
        ("text", "Two  gaps,\ta tab and", "a line."),
        ("footnote", "A note."),
        ("text", "Seen"),
        ("list", "one", "two"),
        ("text", "Behind"),
        ("text", "boxed"),
    ]
    assert left_out(pages) == [
        ("header", "Top"),
        ("contents", "Scope ... 3"),
        ("invisible", "unseen"),
        ("footer", "Page 3"),
        ("invisible", "Really?"),
    ]


def test_numbers_as_displayed_are_addresses(tmp_path: Path) -> None:
    inner = "<text:list><text:list-item><text:p>Keep it dry.</text:p></text:list-item></text:list>"
    listed = (
        f"<text:list text:style-name='L1'><text:list-item><text:p>Storage</text:p>{inner}</text:list-item></text:list>"
    )
    body = h("Scope", 1) + h("Rules", 2) + h("Tests", 2) + h("Parts", 1) + listed
    structure = [one for page in pages_of(write_odf(tmp_path / "x.odt", "text", body)) for one in page.structure or []]
    addresses = [getattr(one, "address", None) or getattr(one, "section", None) for one in structure]
    assert addresses == ["1", "1.1", "1.2", "2", None, "1.1"]


def test_a_table_has_its_header_and_merged_cells(tmp_path: Path) -> None:
    rows = [
        "<table:table-header-rows><table:table-row>" + CELL.format("", "Pump") + CELL.format("", "Power")
        + "</table:table-row></table:table-header-rows>",
        "<table:table-row>" + CELL.format(' table:number-rows-spanned="2"', "TA-15") + CELL.format("", "15 hp")
        + "</table:table-row>",
        "<table:table-row><table:covered-table-cell/>" + CELL.format("", "11.2 kW") + "</table:table-row>",
    ]  # fmt: skip
    pages = pages_of(write_odf(tmp_path / "x.odt", "text", f"<table:table>{''.join(rows)}</table:table>"))
    assert told(pages) == [
        ("table", 1, [[["Pump"], ["Power"]], [["TA-15"], ["15 hp"]], [["11.2 kW"]]]),
    ]
    (table,) = [one for one in pages[0].structure or [] if isinstance(one, RegisterTable)]
    assert [[cell.row_span for cell in row] for row in table.rows] == [[1, 1], [2, 1], [1]]


def test_what_is_embedded_is_read_where_it_stands(tmp_path: Path) -> None:
    frame = '<draw:frame><draw:object xlink:href="{}"/></draw:frame>'
    cells = [["", "Sales"], ["2025", "9.1"], ["2026", "12.4"]]
    rows = ["<table:table-row>" + "".join(CELL.format("", one) for one in row) + "</table:table-row>" for row in cells]
    chart = (
        "<office:chart><chart:chart><chart:title><text:p>Growth</text:p></chart:title><chart:plot-area><chart:axis>"
        "<chart:title><text:p>EUR million</text:p></chart:title></chart:axis></chart:plot-area><table:table>"
        f"<table:table-header-rows>{rows[0]}</table:table-header-rows><table:table-rows>{rows[1]}{rows[2]}"
        "</table:table-rows></table:table></chart:chart></office:chart>"
    )
    content = "<office:document-content {}><office:body>{}</office:body></office:document-content>"
    rest = '<table:table-cell table:number-columns-repeated="16382"/></table:table-row>'
    wide = [row.replace("</table:table-row>", rest) for row in rows]
    sheet = f"<office:spreadsheet><table:table>{wide[1]}{wide[2]}</table:table>{p('')}</office:spreadsheet>"
    formula = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>E</mi>'
        '<annotation encoding="StarMath 5.0">E = m c^2</annotation></semantics></math>'
    )
    objects = ("Chart", "Formula", "Sheet", "Damaged", "Declares", "Nowhere", "Chart")
    within = f"<draw:frame><draw:object>{formula.replace('E = m', 'F = m')}</draw:object></draw:frame>"
    body = p("Before" + "".join(frame.format(f"./{one}") for one in objects)) + p(f"Behind{within}")
    parts = {
        "Chart/content": content.format(SPACES, chart),
        "Formula/content": formula,
        "Sheet/content": content.format(SPACES, sheet),
        "Damaged/content": "<math>",
        "Declares/content": f"<!DOCTYPE math [<!ENTITY a 'b'>]>{formula}",
    }
    pages = pages_of(write_odf(tmp_path / "x.odt", "text", body, **parts))
    assert told(pages) == [
        ("text", "Before"),
        ("table", 1, [[[], ["Sales"]], [["2025"], ["9.1"]], [["2026"], ["12.4"]]]),
        ("caption", "EUR million"),
        ("formula", "E = m c^2"),
        ("table", 0, [[["2025"], ["9.1"], []], [["2026"], ["12.4"], []]]),
        ("text", "Behind"),
        ("formula", "F = m c^2"),
    ]
    (table, _) = [one for page in pages for one in page.structure or [] if isinstance(one, RegisterTable)]
    assert [one.text for one in pages[0].fragments if one.id in table.caption_fragment_ids] == ["Growth"]


def test_a_title_that_is_drawn_last_is_the_first_of_its_slide(tmp_path: Path) -> None:
    frame = '<draw:frame presentation:class="{}"><draw:text-box>{}</draw:text-box></draw:frame>'
    shapes = [frame.format("outline", p("oil")), f"<draw:g>{frame.format('title', p('Pumps'))}</draw:g>",
              frame.format("footer", p("2026")), frame.format("outline", p("seal"))]  # fmt: skip
    path = write_odf(tmp_path / "x.odp", "presentation", f"<draw:page>{''.join(shapes)}</draw:page>")
    pages = pages_of(path)
    assert told(pages) == [("section", 1, "Pumps"), ("text", "oil"), ("text", "seal")]
    assert left_out(pages) == [("footer", "2026")]


def test_a_slide_is_a_part_with_its_notes(tmp_path: Path) -> None:
    frame = '<draw:frame presentation:class="{}"><draw:text-box>{}</draw:text-box></draw:frame>'
    first = frame.format("title", p("Barge")) + frame.format("outline", p("rests")) + frame.format("footer", p("Ltd"))
    notes = f"<presentation:notes>{frame.format('notes', p('Say this.'))}</presentation:notes>"
    shape = f"<draw:g><draw:custom-shape>{p('Drawn')}</draw:custom-shape></draw:g>"
    body = f"<draw:page>{first}{notes}</draw:page><draw:page>{shape}</draw:page>"
    pages = pages_of(write_odf(tmp_path / "x.odp", "presentation", body))
    assert [page.label for page in pages] == ["1", "2"]
    assert told(pages) == [("section", 1, "Barge"), ("text", "rests"), ("text", "Say this."), ("text", "Drawn")]
    assert left_out(pages) == [("footer", "Ltd")]


def test_a_hidden_slide_is_read_and_flagged(tmp_path: Path) -> None:
    shape = f"<draw:custom-shape>{p('Drawn')}</draw:custom-shape>"
    body = f'<draw:page draw:style-name="dp2">{shape}</draw:page><draw:page draw:style-name="dp1">{shape}</draw:page>'
    style = (
        '<style:style style:name="dp2"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    )
    pages = pages_of(write_odf(tmp_path / "x.odp", "presentation", body, style))
    assert [page.label for page in pages] == ["1, hidden slide", "2"]
    assert [operations_of_structure(page).flags for page in pages] == [["hidden"], []]


def test_title_and_day_come_from_the_metadata(tmp_path: Path) -> None:
    meta = f"<office:document-meta {SPACES}><office:meta><dc:title>Crane  rules</dc:title>"
    meta += "<meta:creation-date>2026-03-02T10:00:00</meta:creation-date></office:meta></office:document-meta>"
    source = opened(write_odf(tmp_path / "x.odt", "text", p("x"), meta=meta))
    assert (source.title, str(source.made)) == ("Crane rules", "2026-03-02")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "declares entities"),
        ("<a>", "not well-formed"),
        ("<a/>", "no text in it"),
    ],
)
def test_a_hostile_or_damaged_text_is_refused_with_what_to_do(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "x.odt"
    with zipfile.ZipFile(path, "w") as container:
        container.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        container.writestr("content.xml", content)
    with pytest.raises(RefusedFile, match=said):
        opened(path)


@pytest.mark.parametrize("name", ["pump", "pump#1"])
def test_an_id_that_is_given_twice_or_is_none_is_no_damage(tmp_path: Path, name: str) -> None:
    body = f'<text:p xml:id="{name}">Oil it.</text:p><text:p xml:id="{name}">Often.</text:p>'
    assert told(pages_of(write_odf(tmp_path / "x.odt", "text", body))) == [("text", "Oil it."), ("text", "Often.")]


def test_an_encrypted_text_says_so(tmp_path: Path) -> None:
    path = write_odf(tmp_path / "x.odt", "text", p("x"), manifest="<a><manifest:encryption-data/></a>")
    with pytest.raises(RefusedFile, match="encrypted; save it without a password"):
        opened(path)


def test_a_span_that_claims_a_million_cells_is_bounded(tmp_path: Path) -> None:
    row = "<table:table-row>" + CELL.format(' table:number-columns-repeated="999999"', "a") + CELL.format("", "b")
    path = write_odf(tmp_path / "x.odt", "text", f"<table:table>{(row + '</table:table-row>') * 2}</table:table>")
    (table,) = [one for page in pages_of(path) for one in page.structure or [] if isinstance(one, RegisterTable)]
    assert max(len(row) for row in table.rows) <= 1_001


BULLETS = """<text:list-style style:name="B1"><text:list-level-style-bullet text:level="1" text:bullet-char="\u25cf"/>
<text:list-level-style-bullet text:level="2" text:bullet-char="\u2013"/>
<text:list-level-style-number text:level="3" style:num-format="1" style:num-suffix=")"/>
<text:list-level-style-image text:level="4"/><text:list-level-style-bullet text:level="5" text:bullet-char=""/>
</text:list-style>
<style:style style:name="Bare"><style:paragraph-properties text:enable-numbering="false"/></style:style>
"""


def nested(texts: list[str]) -> str:
    inner = nested(texts[1:]) if texts[1:] else ""
    return f"<text:list><text:list-item>{p(texts[0])}{p(texts[0] + ' goes on')}{inner}</text:list-item></text:list>"


@pytest.mark.parametrize("kind", ["text", "presentation"])
def test_items_show_bullets_as_points_or_dashes(tmp_path: Path, kind: str) -> None:
    rest = nested(["a", "b", "c", "d", "e"]).replace("<text:list>", '<text:list text:style-name="B1">', 1)
    bare = f'<text:list text:style-name="B1"><text:list-item>{p("f", "Bare")}</text:list-item></text:list>'
    body = f"<draw:page><draw:frame><draw:text-box>{rest}{bare}</draw:text-box></draw:frame></draw:page>"
    end = "odt" if kind == "text" else "odp"
    path = write_odf(tmp_path / f"x.{end}", kind, body if kind == "presentation" else rest + bare, pages=BULLETS)
    marked = [(one.marker, one.text) for page in pages_of(path) for one in page.fragments]
    assert [one for one in marked if not one[1].endswith(" goes on")] == [
        ("\u2022", "a"), ("\u2013", "b"), ("1)", "c"), ("\u2022", "d"), ("", "e"), ("", "f"),
    ]  # fmt: skip
    assert {marker for marker, text in marked if text.endswith(" goes on")} == {""}
    assert reread_opendocument(path).numbers == [one for one in marked if one[0]]


def test_items_show_the_numbers_that_are_displayed(tmp_path: Path) -> None:
    def listed(*items: str, more: str = "") -> str:
        return f"<text:list {more}>{''.join(items)}</text:list>"

    def item(text: str, inner: str = "", more: str = "") -> str:
        return f"<text:list-item {more}><text:p>{text}</text:p>{inner}</text:list-item>"

    style, on = "text:style-name='L1'", "text:style-name='L1' text:continue-numbering='true'"
    body = (
        h("Scope", 1)
        + listed(item("one", listed(item("inner"), item("next"))), item("two"), more=style)
        + listed(item("goes on"), item("jumps", more="text:start-value='9'"), item("behind"), more=on)
        + listed("<text:list-header><text:p>no item</text:p></text:list-header>", item("anew"), more=style)
    )
    pages = pages_of(write_odf(tmp_path / "x.odt", "text", body))
    assert [(one.marker, one.text) for page in pages for one in page.fragments] == [
        ("1", "Scope"), ("1.", "one"), ("1.1", "inner"), ("1.2", "next"), ("2.", "two"), ("3.", "goes on"),
        ("9.", "jumps"), ("10.", "behind"), ("", "no item"), ("1.", "anew"),
    ]  # fmt: skip
