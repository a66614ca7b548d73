"""Word documents: structure by styles, tables with merged cells, notes, changes as shown; damaged and hostile files."""

import zipfile
from pathlib import Path

import pytest

from shared.domain.geometry import TextBox, with_ticks
from shared.domain.operations import RegisterChunk, RegisterSection, RegisterTable, Skip
from shared.domain.page import PageFile
from shared.domain.raw_page import SecondText
from shared.domain.verify import StoredPage
from shared.errors import RefusedFile
from shared.extraction.assemble import assemble
from shared.extraction.structure import operations_of_structure
from shared.extraction.validate import validate_operations
from shared.readers import zipped
from shared.readers.docx.document import open_docx
from shared.readers.parted import PartedSource
from shared.readers.registry import recognise
from shared.rereading.docx import reread_docx
from shared.verify.parts import PartProver
from tests.readers.test_pdf import CORPORA
from tests.readers.test_text import said, told

CORPUS = CORPORA / "docx"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
STYLES = """<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="My rule"/><w:basedOn w:val="H2"/></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="Heading 2"/><w:basedOn w:val="Mine"/></w:style>
<w:style w:type="paragraph" w:styleId="C"><w:name w:val="caption"/></w:style>
<w:style w:type="paragraph" w:styleId="T1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="paragraph" w:styleId="B"><w:name w:val="List Bullet"/>
<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>
</w:style>"""


def p(text: str, style: str = "", more: str = "") -> str:
    settings = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{settings}<w:r><w:t xml:space="preserve">{text}</w:t></w:r>{more}</w:p>'


def tc(text: str, settings: str = "") -> str:
    return f"<w:tc><w:tcPr>{settings}</w:tcPr>{p(text) if text else '<w:p/>'}</w:tc>"


def write_docx(path: Path, body: str, **parts: str) -> Path:
    """`parts`: what stands inside the root of header, footer, footnotes, comments."""
    roots = {"header": "hdr", "footer": "ftr"}
    parts = {"styles": STYLES, **parts}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as container:
        container.writestr("_rels/.rels", relations({"word/document.xml": "officeDocument"}))
        container.writestr("word/document.xml", root("document", f"<w:body>{body}</w:body>"))
        container.writestr("word/_rels/document.xml.rels", relations({f"{name}.xml": name for name in parts}))
        for name, inner in parts.items():
            container.writestr(f"word/{name}.xml", root(roots.get(name, name), inner))
    return path


def root(name: str, inner: str) -> str:
    return f'<?xml version="1.0"?><w:{name} xmlns:w="{W}" xmlns:m="urn:m" xmlns:mc="urn:mc">{inner}</w:{name}>'


def relations(targets: dict[str, str]) -> str:
    rows = "".join(f'<Relationship Id="r{t}" Type="{R}/{kind}" Target="{t}"/>' for t, kind in targets.items())
    return f'<Relationships xmlns="{RELATIONS}">{rows}</Relationships>'


def pages_of(path: Path) -> list[PageFile]:
    return proved(open_docx(path, None), reread_docx(path))


def proved(source: PartedSource, second: SecondText) -> list[PageFile]:
    """The parts, proved: valid, and every letter of both readings in the other."""
    pages = [source.read_page(number) for number in range(1, source.page_count + 1)]
    prover = PartProver(source, second)
    for page in pages:
        assert validate_operations(page, operations_of_structure(page)) == []
        proven = prover.prove(page.page, StoredPage(page.page, False, page.route, []), page)
        assert (proven.wrong, proven.second) == ([], {})
    assert prover.left_over() == (None, "")
    return pages


def left_out(pages: list[PageFile]) -> list[tuple[str, ...]]:
    named = {f.id: f.text for page in pages for f in page.fragments}
    skips = [o for page in pages for o in page.structure or [] if isinstance(o, Skip)]
    return [(skip.reason, *(named[one] for one in skip.fragment_ids)) for skip in skips]


def test_styles_say_what_paragraphs_are(tmp_path: Path) -> None:
    numbered = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    body = [
        p("Scope ..... 3", "T1"), p("Scope", "H1"), p("Rules", "Mine"), p("Plain text."), p("Figure 1", "C"),
        p("one", "B"), f"<w:p>{numbered}<w:r><w:t>two</w:t></w:r></w:p>", p("Other.", "NoSuchStyle"),
        '<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>Deep</w:t></w:r></w:p>',
    ]  # fmt: skip
    pages = pages_of(write_docx(tmp_path / "x.docx", "".join(body)))
    assert told(pages) == [
        ("section", 1, "Scope"),
        ("section", 2, "Rules"),
        ("text", "Plain text."),
        ("caption", "Figure 1"),
        ("list", "one", "two"),
        ("text", "Other."),
        ("section", 3, "Deep"),
    ]
    assert left_out(pages) == [("contents", "Scope ..... 3")]


def test_changes_are_read_as_shown(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t xml:space='preserve'>The </w:t></w:r><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom>"
        "<w:r><w:t xml:space='preserve'> pump</w:t><w:br/><w:t>TA</w:t><w:noBreakHyphen/><w:t>15</w:t></w:r>"
        "<w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>"
    )
    pages = pages_of(write_docx(tmp_path / "x.docx", body))
    assert told(pages) == [("text", "The new pump", "TA\u201115")]
    assert left_out(pages) == [("invisible", "secret")]


def test_a_table_has_its_merged_cells_and_header(tmp_path: Path) -> None:
    span, begun, goes_on = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    heads = "<w:trPr><w:tblHeader/></w:trPr>"
    table = (
        f"<w:tbl><w:tr>{heads}{tc('Model', begun)}{tc('Power', span)}</w:tr>"
        f"<w:tr>{heads}{tc('', goes_on)}{tc('kW')}{tc('hp')}</w:tr>"
        f"<w:tr>{tc('TA-15')}{tc('11.2')}{tc('')}</w:tr></w:tbl>"
    )
    pages = pages_of(write_docx(tmp_path / "x.docx", table))
    (found,) = [o for o in pages[0].structure or [] if isinstance(o, RegisterTable)]
    assert told(pages) == [("table", 2, [[["Model"], ["Power"]], [["kW"], ["hp"]], [["TA-15"], ["11.2"], []]])]
    assert [[(c.row_span, c.col_span) for c in row] for row in found.rows] == [
        [(2, 1), (1, 2)], [(1, 1), (1, 1)], [(1, 1), (1, 1), (1, 1)],
    ]  # fmt: skip


def test_a_table_of_one_column_is_its_text(tmp_path: Path) -> None:
    inner = f"<w:tbl><w:tr>{tc('a')}{tc('b')}</w:tr><w:tr>{tc('c')}{tc('d')}</w:tr></w:tbl>"
    table = f"<w:tbl><w:tr>{tc('Note')}</w:tr><w:tr><w:tc>{p('Rules', 'H1')}{inner}<w:p/></w:tc></w:tr></w:tbl>"
    assert told(pages_of(write_docx(tmp_path / "x.docx", table))) == [
        ("text", "Note"),
        ("section", 1, "Rules"),
        ("table", 0, [[["a"], ["b"]], [["c"], ["d"]]]),
    ]


def test_notes_and_text_boxes_stand_behind_what_refers_to_them(tmp_path: Path) -> None:
    shapes = (
        f"<mc:Choice><w:txbxContent>{p('Boxed.')}</w:txbxContent></mc:Choice><mc:Fallback>{p('Boxed.')}</mc:Fallback>"
    )
    boxed = f"<w:r><mc:AlternateContent>{shapes}</mc:AlternateContent></w:r>"
    reference = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    notes = (
        f'<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote w:id="2">{p("Says who.")}</w:footnote>'
    )
    pages = pages_of(
        write_docx(
            tmp_path / "x.docx", p("First.", more=reference) + p("Second.", more=boxed), footnotes=notes,
            header=p("Running head"), footer=p("Page 1"), comments=f"<w:comment>{p('Why?')}</w:comment>",
        )
    )  # fmt: skip
    assert told(pages) == [("text", "First."), ("footnote", "Says who."), ("text", "Second."), ("text", "Boxed.")]
    assert left_out(pages) == [("header", "Running head"), ("footer", "Page 1"), ("invisible", "Why?")]


def test_a_text_box_within_a_word_divides_it_in_no_reading(tmp_path: Path) -> None:
    box = f"<w:r><w:txbxContent>{p('Linked.')}</w:txbxContent></w:r>"
    pages = pages_of(write_docx(tmp_path / "x.docx", p("T", more=box + "<w:r><w:t>extbox</w:t></w:r>") + p("Next.")))
    assert told(pages) == [("text", "Textbox"), ("text", "Linked."), ("text", "Next.")]


def test_a_short_line_is_proved_where_it_is_a_line(tmp_path: Path) -> None:
    pages = pages_of(write_docx(tmp_path / "x.docx", p("Space 21"), header=p("1")))
    assert (told(pages), left_out(pages)) == ([("text", "Space 21")], [("header", "1")])


def test_a_word_document_is_known_by_its_parts(tmp_path: Path) -> None:
    assert recognise(write_docx(tmp_path / "no.pdf", p("x"))).source_type == "docx"


@pytest.mark.parametrize("cut", [100, -30])
def test_a_damaged_file_is_refused_with_what_to_do(tmp_path: Path, cut: int) -> None:
    path = write_docx(tmp_path / "x.docx", p("x"))
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(RefusedFile, match="save it again"):
        open_docx(path, None)


@pytest.mark.parametrize(
    ("name", "said"), [("MAX_PART_BYTES", "unpacks to more than"), ("MAX_BYTES", "more than"), ("MAX_PARTS", "parts")]
)
def test_what_unpacks_beyond_a_bound_is_refused(
    tmp_path: Path, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_docx(tmp_path / "x.docx", p("x" * 100_000))
    monkeypatch.setattr(zipped, name, 3 if name == "MAX_PARTS" else 50_000)
    with pytest.raises(RefusedFile, match=said):
        open_docx(path, None)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_part_that_declares_entities_is_refused(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.docx"
    bomb = (
        f'<!DOCTYPE w:document [<!ENTITY a "{"lol" * 9}">]><w:document xmlns:w="{W}"><w:body>&a;</w:body></w:document>'
    )
    with zipfile.ZipFile(path, "w") as container:
        container.writestr("_rels/.rels", relations({"word/document.xml": "officeDocument"}))
        container.writestr("word/document.xml", bomb.encode(encoding))
    with pytest.raises(RefusedFile, match="declares entities"):
        open_docx(path, None)


def test_what_nests_too_deeply_is_refused(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "x.docx", "<w:sdt>" * 5_000 + "</w:sdt>" * 5_000)
    with pytest.raises(RefusedFile, match="save it again"):
        open_docx(path, None)


@pytest.mark.corpora
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the development corpora are not beside this checkout")
def test_every_letter_of_real_documents_is_in_both_readings() -> None:
    paths = sorted(CORPUS.rglob("*.docx"))
    assert paths
    for path in paths:
        pages_of(path)


def lvl(level: int, text: str, form: str = "decimal", more: str = "") -> str:
    settings = f'<w:start w:val="1"/><w:numFmt w:val="{form}"/>{more}<w:lvlText w:val="{text}"/>'
    return f'<w:lvl w:ilvl="{level}">{settings}</w:lvl>'


def item(text: str, level: int, number: int = 1, style: str = "") -> str:
    styled = f'<w:pStyle w:val="{style}"/>' if style else ""
    counted = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    return f"<w:p><w:pPr>{styled}{counted}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


NUMBERING = (
    '<w:abstractNum w:abstractNumId="7">'
    + lvl(0, "Article %1", "upperRoman")
    + lvl(1, "%1.%2", more="<w:isLgl/>")
    + lvl(2, "%1.%2.%3.", more='<w:pStyle w:val="Rule"/><w:isLgl/>')
    + lvl(3, "(%4)", "lowerLetter")
    + '</w:abstractNum><w:abstractNum w:abstractNumId="8">'
    + lvl(0, "\uf0b7", "bullet")
    + lvl(1, "%1.%2")
    + "</w:abstractNum>"
    + '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>'
    + '<w:num w:numId="3"><w:abstractNumId w:val="7"/>'
    + '<w:lvlOverride w:ilvl="1"><w:startOverride w:val="8"/></w:lvlOverride></w:num>'
)
RULE = (
    '<w:style w:type="paragraph" w:styleId="Rule"><w:name w:val="Rule"/>'
    '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
)


def test_numbers_that_word_writes_are_addresses_and_no_text(tmp_path: Path) -> None:
    body = "".join([
        item("Parties", 0, style="H1"), item("Scope", 1, style="H2"), p("By style.", "Rule"), p("Again.", "Rule"),
        item("lettered", 3), item("Term", 1, style="H2"), p("Anew.", "Rule"), item("point", 0, 2),
        item("under it", 1, 2),
        item("Pay", 0, style="H1"), item("Other start.", 1, 3), item("Then.", 1, 3), item("First list.", 1),
        item("7.7 Typed", 1, style="H2"),
    ])  # fmt: skip
    path = write_docx(tmp_path / "contract.docx", body, numbering=NUMBERING, styles=STYLES + RULE)
    (page,) = pages_of(path)
    found = [
        (o.address, *said(page, o)[2:]) if isinstance(o, RegisterSection) else (o.section, *said(page, o)[1:])
        for o in operations_of_structure(page).operations
        if isinstance(o, RegisterSection | RegisterChunk)
    ]
    assert found == [
        ("Article I", "Parties"), ("1.1", "Scope"), ("1.1.1", "By style."), ("1.1.2", "Again."), (None, "lettered"),
        ("1.2", "Term"), ("1.2.1", "Anew."), (None, "point", "under it"), ("Article II", "Pay"),
        ("2.8", "Other start."),
        ("2.9", "Then."), ("2.10", "First list."), ("7.7", "7.7 Typed"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "numbering",
    [
        "",
        '<w:abstractNum/><w:num w:numId="1"/>',
        '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="99"/></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>',
        '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="1"><w:start w:val="99999999999"/><w:lvlText w:val="%1.%2"/>'
        '</w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/>'
        '<w:lvlOverride w:ilvl="x"><w:startOverride w:val="y"/></w:lvlOverride></w:num>',
    ],
)
def test_a_damaged_numbering_costs_no_text(tmp_path: Path, numbering: str) -> None:
    path = write_docx(tmp_path / "contract.docx", item("Scope", 1) * 2, numbering=numbering)
    (page,) = pages_of(path)
    assert [f.text for f in page.fragments] == ["Scope", "Scope"]


def test_a_data_sheet_in_a_new_tables_look_has_no_header_and_a_price_list_has_one(tmp_path: Path) -> None:
    look = '<w:tblPr><w:tblLook w:firstRow="1"/></w:tblPr>'
    marked = f"<w:tr><w:trPr><w:tblHeader/></w:trPr>{tc('Model')}{tc('KX-15')}</w:tr>"
    sheet = f"<w:tr>{tc('Model')}{tc('KX-15')}</w:tr>"
    rows = f"<w:tr>{tc('Power')}{tc('15 hp')}</w:tr><w:tr>{tc('Weight')}{tc('210 kg')}</w:tr>"
    prices = "".join(
        f"<w:tr>{tc(one)}{tc(other)}</w:tr>" for one, other in [("Model", "Price"), ("Brake", "12 EUR"), ("Chain", "9")]
    )
    body = "".join(f"<w:tbl>{look}{one}</w:tbl>{p('Between.')}" for one in (sheet + rows, marked + rows, prices))
    pages = pages_of(write_docx(tmp_path / "x.docx", body))
    tables = [one for page in pages for one in page.structure or [] if isinstance(one, RegisterTable)]
    assert [one.header_rows for one in tables] == [0, 1, 1]


LEVELS = (
    lvl(0, "%1.")
    + lvl(1, "%2)", "lowerLetter")
    + lvl(2, "%3.", "lowerRoman", '<w:lvlRestart w:val="1"/>')
    + lvl(3, "[%4]", "decimalZero", '<w:lvlRestart w:val="0"/>')
)
LISTS = (
    f'<w:abstractNum w:abstractNumId="1"><w:styleLink w:val="Listed"/>{LEVELS}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="2">{lvl(0, "-", "bullet")}{lvl(1, "Step %2:", "upperLetter")}</w:abstractNum>'
    '<w:abstractNum w:abstractNumId="3"><w:numStyleLink w:val="Listed"/></w:abstractNum>'
    + "".join(
        f'<w:num w:numId="{number}"><w:abstractNumId w:val="{of}"/>{more}</w:num>'
        for number, of, more in [
            (1, 1, ""),
            (2, 2, ""),
            (3, 3, ""),
            (4, 1, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'),
            (5, 1, f'<w:lvlOverride w:ilvl="0">{lvl(0, "<%1>".replace("<", "&lt;"), "upperRoman")}</w:lvlOverride>'),
        ]
    )
)


def test_items_show_the_numbers_that_word_displays_and_their_text_is_as_written(tmp_path: Path) -> None:
    cell = f"<w:tr><w:tc>{item('in a cell', 0)}</w:tc><w:tc>{p('beside')}</w:tc></w:tr>"
    body = "".join([
        item("one", 0), item("two", 0), item("under two", 1), item("again", 1), item("deep", 2), item("deep too", 2),
        item("next letter", 1), item("goes on", 2), item("never anew", 3), item("three", 0), item("letter anew", 1),
        item("anew too", 2), item("still not anew", 3),
        item("bullet", 0, 2), item("step", 1, 2), item("linked", 0, 3),
        f"<w:tbl>{cell}{cell.replace('in a cell', 'cell below')}</w:tbl>",
        item("behind the cells", 0), item("from one", 0, 4), item("two of these", 0, 4), item("own form", 0, 5),
        f"<w:p>{item('', 0)[5:-6]}</w:p>", item("after an empty one", 0),
    ])  # fmt: skip
    pages = pages_of(write_docx(tmp_path / "lists.docx", body, numbering=LISTS))
    shown = [(fragment.marker, fragment.text) for page in pages for fragment in page.fragments]
    assert shown == [
        ("1.", "one"), ("2.", "two"), ("a)", "under two"), ("b)", "again"), ("i.", "deep"), ("ii.", "deep too"),
        ("c)", "next letter"), ("iii.", "goes on"), ("[01]", "never anew"), ("3.", "three"), ("a)", "letter anew"),
        ("i.", "anew too"), ("[02]", "still not anew"),
        ("-", "bullet"), ("Step A:", "step"), ("1.", "linked"),
        ("4.", "in a cell"), ("", "beside"), ("5.", "cell below"), ("", "beside"),
        ("6.", "behind the cells"), ("1.", "from one"), ("2.", "two of these"), ("<III>", "own form"),
        ("5.", "after an empty one"),
    ]  # fmt: skip


def test_items_show_numbers_that_other_languages_write(tmp_path: Path) -> None:
    levels = (
        lvl(0, "%1、", "japaneseCounting") + lvl(1, "(%2)", "irohaFullWidth") + lvl(2, "%3", "decimalEnclosedCircle")
    )
    numbering = f'<w:abstractNum w:abstractNumId="1">{levels}</w:abstractNum>'
    numbering += '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    body = item("a", 0) + item("b", 1) + item("c", 1) + item("d", 2) + item("e", 0)
    (page,) = pages_of(write_docx(tmp_path / "x.docx", body, numbering=numbering))
    assert [one.marker for one in page.fragments] == ["一、", "(イ)", "(ロ)", "①", "二、"]


def test_a_number_that_is_not_typed_is_beside_the_content_and_read_with_it(tmp_path: Path) -> None:
    body = item("Oil it.", 0) + item("Check it.", 0) + item("Daily.", 1)
    (page,) = pages_of(write_docx(tmp_path / "lists.docx", body, numbering=LISTS))
    (chunk,) = assemble([(page, operations_of_structure(page))]).chunks
    (box,) = chunk.boxes
    assert isinstance(box, TextBox)
    assert chunk.content == "Oil it. Check it. Daily."
    assert [(one.text, one.at) for one in box.markers] == [("1.", 0), ("2.", 8), ("a)", 18)]
    assert with_ticks(chunk.content, chunk.boxes) == "1. Oil it. 2. Check it. a) Daily."


def test_the_proof_counts_for_itself(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "lists.docx", item("one", 0) + item("two", 0), numbering=LISTS)
    source = open_docx(path, None)
    second = reread_docx(path)
    assert second.numbers == [("1.", "one"), ("2.", "two")]
    prover = PartProver(source, second._replace(numbers=[("1.", "one"), ("3.", "two")]))
    proven = prover.prove(1, StoredPage(1, False, "text", []), source.read_page(1))
    assert {name: one.found for name, one in (proven.second or {}).items()} == {"p1.f2": "no item 2."}


def test_clauses_that_word_numbers_are_sections_with_the_titles_in_their_text(tmp_path: Path) -> None:
    body = "".join([
        p("Service agreement"), item("Terms. They are as follows.", 0), item("A term is a word.", 1),
        item("Payment. It is due in May.", 0), item("Milk", 0), item("End. Either party may end it.", 0), p("More."),
    ])  # fmt: skip
    numbering = f'<w:abstractNum w:abstractNumId="7">{lvl(0, "%1.")}{lvl(1, "%1.%2")}</w:abstractNum>'
    numbering += '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>'
    (page,) = pages_of(write_docx(tmp_path / "contract.docx", body, numbering=numbering))
    draft = assemble([(page, operations_of_structure(page))])
    assert [(one.address, one.title, one.parent) for one in draft.sections] == [
        ("1", "Terms", None), ("1.1", "", 0), ("2", "Payment", None), ("4", "End", None),
    ]  # fmt: skip
    assert [(one.content, one.section) for one in draft.chunks] == [
        ("Service agreement", None), ("Terms. They are as follows.", 0), ("A term is a word.", 1),
        ("Payment. It is due in May. Milk", 2), ("End. Either party may end it.", 3), ("More.", 3),
    ]  # fmt: skip
