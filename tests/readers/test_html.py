"""Web pages: what is main text, what stands beside it, what is never shown; no visible letter is lost."""

from collections import Counter
from pathlib import Path

import pytest

from shared.domain.geometry import TextRange
from shared.domain.operations import RegisterTable, Skip
from shared.domain.page import PageFile
from shared.domain.verify import StoredPage
from shared.errors import RefusedFile
from shared.extraction.structure import operations_of_structure
from shared.extraction.validate import validate_operations
from shared.readers.html import tree
from shared.readers.html.document import open_html
from shared.readers.html.main_text import mostly_kept, rest_of_sections
from shared.readers.registry import recognise
from shared.rereading.html import reread_html
from shared.verify.parts import PartProver
from tests.readers.test_pdf import CORPORA
from tests.readers.test_text import opened, told

CORPUS = CORPORA / "html-readability"
LONG = "The pump must be oiled every week, or else the bearing runs dry, and then it has to be changed at once. " * 3
PAGE = f"""<!DOCTYPE html>
<html><head><title> Pump &amp; motor </title><style>p {{ color: red }}</style>
<meta property="article:published_time" content="2024-03-01T10:00:00Z"></head>
<body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/s">Shop</a></li></ul></nav>
<article>
<h2>Care of the <em>pump</em></h2>
<p>{LONG}</p>
<p>{LONG}<br>Second&nbsp;line, 5&lt;6.<!-- never --> Same line.</p>
<p hidden>Not shown</p><p style="color: red; display:none">Nor this</p><script>var unseen = 1;</script>
<h3>Steps</h3>
<ul><li>Stop the motor, wait.</li><li>Oil it:<ul><li>bearing, seal</li></ul></li></ul>
<table><caption>Power of models, measured</caption>
<thead><tr><th rowspan="2">Model</th><th colspan="2">Power</th></tr><tr><th>kW</th><th>hp</th></tr></thead>
<tbody><tr><td>TA-15</td><td>11.2</td><td></td></tr></tbody></table>
<pre>def flow(p):

    return p * 2</pre>
<blockquote><p>{LONG}</p></blockquote>
</article>
<footer>Imprint and privacy</footer>
</body></html>"""
SAID = " ".join(LONG.split())


def html(body: str) -> str:
    return f"<html><body><article><p>{LONG}</p><p>{LONG}</p>{body}<p>{LONG}</p></article></body></html>"


def kept(pages: list[PageFile]) -> list[tuple[object, ...]]:
    """The main text without the long paragraphs."""
    return [one for one in told(pages) if one != ("text", SAID)]


def left_out(pages: list[PageFile]) -> list[str]:
    named = {f.id: f.text for page in pages for f in page.fragments}
    skips = [o for page in pages for o in page.structure or [] if isinstance(o, Skip)]
    assert {skip.reason for skip in skips} <= {"boilerplate"}
    return [named[one] for skip in skips for one in skip.fragment_ids]


def test_a_page_is_read_by_its_structure(tmp_path: Path) -> None:
    assert kept(opened(tmp_path, "page.html", PAGE)) == [
        ("section", 2, "Care of the pump"),
        ("text", SAID, "Second\u00a0line, 5<6. Same line."),
        ("section", 3, "Steps"),
        ("list", "Stop the motor, wait.", "Oil it:", "bearing, seal"),
        ("table", 2, [[["Model"], ["Power"]], [["kW"], ["hp"]], [["TA-15"], ["11.2"], []]]),
        ("code", "def flow(p):", "    return p * 2"),
    ]


def test_a_page_goes_on_with_sections_of_the_same_kind_and_their_titles(tmp_path: Path) -> None:
    """What the algorithm takes for something else, since it says little: a short section like those that it keeps, and
    the title of what it keeps. Not what consists of links, and no element that calls itself something else."""
    long = f'<div class="part"><h3>Care</h3><p>{LONG}</p><p>{LONG}</p></div>'
    short = '<div class="part"><h3>Tools</h3><p>A key.</p><aside>Beside</aside></div>'
    links = '<div class="part"><p><a href="/a">Other pumps of ours</a></p></div>'
    other = '<div class="more"><p>Subscribe.</p></div>'
    titled = f'<div class="sidebar"><h2>Afterwards<a href="#x">\u00b6</a></h2></div><p>{LONG}</p>'
    inset = f'<div class="head"><h3><a href="/b">How to buy oil</a></h3></div><p>{LONG}</p>'
    page = f"<html><body><div>{long}{short}{links}{other}{titled}{inset}</div></body></html>"
    read = opened(tmp_path, "page.html", page)
    assert kept(read) == [
        ("section", 3, "Care"), ("section", 3, "Tools"), ("text", "A key."), ("section", 2, "Afterwards"),
    ]  # fmt: skip
    assert left_out(read) == ["Beside", "Other pumps of ours", "Subscribe.", "\u00b6", "How to buy oil"]


def section(title: str, *lengths: int, kind: str = "section") -> str:
    """As DocBook makes it: the algorithm takes the wrapped title for a place of main text, if that is long."""
    asked = f"How often, and with what, is a pump to be {title}, and by whom?"
    wrapped = f'<div class="titlepage"><div><div><h2 class="title">{asked}</h2></div></div></div>'
    return f'<div class="{kind}">{wrapped}{"".join(f"<p>{(LONG * 2)[:length]}</p>" for length in lengths)}</div>'


def lengths_read(folder: Path, last: str) -> list[int]:
    body = section("oiled", 221, 136) + section("changed", 147, 171) + last
    (folder / "page.html").write_text(f'<html><body><div class="chapter">{body}</div></body></html>')
    pages = opened(folder, "page.html", (folder / "page.html").read_text())
    return [len(str(one[1])) for one in told(pages) if one[0] == "text"]


def test_of_a_handbook_all_sections_are_read_where_the_algorithm_finds_one(tmp_path: Path) -> None:
    assert lengths_read(tmp_path, section("kept", 232, 71)) == [221, 136, 146, 171, 232, 71]


def test_what_is_no_section_of_that_kind_is_none_of_a_handbooks(tmp_path: Path) -> None:
    assert lengths_read(tmp_path, section("bought", 232, 71, kind="advert")) == [221, 136, 146, 171]
    assert lengths_read(tmp_path, '<div class="section"><p>' + LONG[:30] + "</p></div>")[:4] == [221, 136, 146, 171]


def test_a_section_of_documentation_is_read_whole_where_some_of_it_is() -> None:
    page = """<div class=KIND><h2><a name=dev></a>Devices</h2><p>Files of it.<table><tr><td>sr1</table>
    <aside>Beside</aside><div><a>Setting up mice</a></div>
    <div class=KIND id=mice><h3>Mice</h3><b>Kept.</b><pre>find</pre></div></div>
    <div class=KIND id=notes><h2>Notes</h2><p>None.</div><div class=KIND id=a>Untitled</div>
    <div class=foot><h2>Us</h2></div><div class=KIND><h2>No name</h2></div>
    <div class="KIND reply" id=reply><h2>Leave a reply</h2><p>By mail.</div>"""

    def read(kind: str) -> str:
        root = tree.parse(page.replace("KIND", kind).encode())
        more = rest_of_sections(root, {*root.iter("b")})
        return " ".join(" ".join(one.text or "" for one in root.iter() if one in more).split())

    assert read("sect1") == "Files of it. sr1 Mice find Notes None."
    assert read("entry") == ""


@pytest.mark.parametrize(
    ("page", "read"),
    [
        ("<i class=s><h2>A</h2><b>oil it all</b></i><i class=s><h2>B</h2>is</i>", [0]),
        ("<i class=s><h2>A</h2><b>oil it all</b></i><i class=s>B is</i>", []),
        ("<i class=s><h2>A</h2><b>oil it all</b></i><i class=t><h2>B</h2>is</i>", []),
        ("<i class=s><h2>A</h2><b>oil</b> it all</i><i class=s><h2>B</h2>is</i>", []),
        ("<i><h2>A</h2><b>oil it all</b></i><i><h2>B</h2>is</i>", []),
    ],
)
def test_one_of_several_titled_sections_is_read_where_most_of_it_is(page: str, read: list[int]) -> None:
    root = tree.parse(page.replace("<i", "<section").replace("</i", "</section").encode())
    sections = [*root.iter("section")]
    assert mostly_kept({*root.iter("b")}) == {sections[at] for at in read}


def test_a_formula_is_one_line(tmp_path: Path) -> None:
    sum_ = "<munderover><mo>\u2211</mo><mi>i</mi><mi>n</mi></munderover>"
    cells = "<mtable><mtr><mtd><mn>1</mn></mtd></mtr></mtable>"
    formula = f"<math><mrow>{sum_}<mfrac><mn>1</mn><msqrt><mi>x</mi></msqrt></mfrac>{cells}</mrow></math>"
    read = opened(tmp_path, "page.html", html(f"<p>Flow {formula} of it.</p>"))
    assert kept(read) == [("text", "Flow \u2211in1x1 of it.")]


def test_what_stands_beside_the_main_text_is_kept_as_left_out(tmp_path: Path) -> None:
    assert left_out(opened(tmp_path, "page.html", PAGE)) == ["Home", "Shop", "Imprint and privacy"]


def test_a_table_has_its_caption_and_spans(tmp_path: Path) -> None:
    pages = opened(tmp_path, "page.html", PAGE)
    (table,) = [o for page in pages for o in page.structure or [] if isinstance(o, RegisterTable)]
    named = {f.id: f.text for page in pages for f in page.fragments}
    assert [named[one] for one in table.caption_fragment_ids] == ["Power of models, measured"]
    assert [[(c.row_span, c.col_span) for c in row] for row in table.rows] == [
        [(2, 1), (1, 2)], [(1, 1), (1, 1)], [(1, 1), (1, 1), (1, 1)],
    ]  # fmt: skip


def test_title_and_day_are_the_pages_own(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    with open_html(tmp_path / "page.html", None) as source:
        assert (source.title, str(source.made)) == ("Pump & motor", "2024-03-01")


@pytest.mark.parametrize(
    "body",
    [
        "<div>one<div>two<p>three</div>four",
        "<table><tr><td>a<td>b<tr><td colspan=x>c<td rowspan=99>d</table>tail",
        "<table><tr><td><table><tr><td>in<td>ner</table><td>out</table>",
        "<ul><li>a<h3>b</h3>c<p>d</ul>e<dl><dt>f<dd>g</dl>",
        "<p>x<unknown>y</unknown>z &nosuch; &#150; &eacute &copy2024 &#x1F600;</p>",
        "<select><option>one<option>two</select><textarea>three\n\nfour</textarea>",
        "<figure><img alt=no><figcaption>Fig. 1</figcaption></figure><svg><text>in svg</text></svg>",
        "<p>a\u2028b\u00a0 \u00a0c\td\r\ne</p><pre>\r\n\tx\r\n  y</pre>",
    ],
)
def test_every_visible_letter_is_there_once_in_the_order_of_the_page(tmp_path: Path, body: str) -> None:
    pages = opened(tmp_path, "page.html", html(body))
    fragments = [fragment for page in pages for fragment in page.fragments]
    assert all(validate_operations(page, operations_of_structure(page)) == [] for page in pages)
    second = reread_html(tmp_path / "page.html").text
    letters = "".join("".join(fragment.text.split()) for fragment in fragments)
    assert letters == "".join(second.split())
    places = [fragment.place for fragment in fragments if isinstance(fragment.place, TextRange)]
    assert [place.end - place.start for place in places] == [len(fragment.text) for fragment in fragments]
    assert [place.start for place in places] == [0, *(place.end + 1 for place in places[:-1])]


def test_a_picture_says_what_describes_it_where_it_stands(tmp_path: Path) -> None:
    body = (
        '<p>The area is <img alt="pi r squared" src=x.png>, and <img alt="" src=y.png>no more.</p>'
        '<figure><img alt="A pump,\nin section" src=p.png><figcaption>Fig. 1</figcaption></figure>'
        "<table><tr><td>Seal</td><td><img alt=worn></td></tr><tr><td>Valve</td><td>good</td></tr></table>"
        '<p>Unseen: <img alt="never" hidden> <img alt="nor this" style="display:none"></p>'
    )
    found = told(opened(tmp_path, "page.html", html(body)))
    assert ("text", "The area is pi r squared , and no more.") in found
    assert [one for one in found if one[0] == "caption"] == [("caption", "A pump, in section"), ("caption", "Fig. 1")]
    assert ("table", 0, [[["Seal"], ["worn"]], [["Valve"], ["good"]]]) in found
    assert "never" not in str(found)
    assert "nor this" not in str(found)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'<meta charset="windows-1251"><p>\xcf\xf0\xe8', "\u041f\u0440\u0438"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1"><p>\x80 5', "\u20ac 5"),
        (b'<?xml version="1.0" encoding="Shift_JIS"?><html><p>\x93\xfa', "\u65e5"),
        (b'<meta charset="utf-16"><p>gr\xc3\xbcn', "gr\u00fcn"),
        (b'<meta charset="no-such"><p>gr\xfcn', "gr\u00fcn"),
        (b'<meta charset="shift_jis"><p>gr\xfcn \x87', "gr\u00fcn"),
        ("\ufeff<meta charset=koi8-r><p>gr\u00fcn".encode("utf-16"), "gr\u00fcn"),
    ],
)
def test_the_charset_is_that_of_the_mark_then_the_declared_one(tmp_path: Path, data: bytes, text: str) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(data)
    with open_html(path, None) as source:
        (fragment,) = source.read_page(1).fragments
    assert fragment.text.startswith(text)


def test_the_mark_by_which_a_page_links_to_a_title_is_not_in_it(tmp_path: Path) -> None:
    body = html("<h2>Wheels <a href='#w'>#</a></h2><p>Four.</p><h2>In C#</h2><p>Five.</p>")
    pages = opened(tmp_path, "page.html", body)
    assert [one[2:] for one in kept(pages) if one[0] == "section"] == [("Wheels",), ("In C#",)]
    assert left_out(pages) == ["#"]


def test_what_xhtml_closes_at_once_hides_nothing(tmp_path: Path) -> None:
    page = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><script src="x"/><title/></head>'
    assert told(opened(tmp_path, "page.xhtml", f"{page}<body><p>Shown</p></body></html>")) == [("text", "Shown")]


def test_a_short_page_is_main_text_but_for_what_its_elements_call_otherwise(tmp_path: Path) -> None:
    pages = opened(tmp_path, "page.htm", "<nav>Home</nav><h1>Hours</h1><p>Nine to five.</p><footer>Imprint</footer>")
    assert told(pages) == [("section", 1, "Hours"), ("text", "Nine to five.")]
    assert left_out(pages) == ["Home", "Imprint"]


def test_a_long_list_has_passages_of_whole_items(tmp_path: Path) -> None:
    items = "".join(f"<li>{'word ' * 60}{n}</li>" for n in range(9))
    lists = [one for one in told(opened(tmp_path, "page.html", html(f"<ul>{items}</ul>"))) if one[0] == "list"]
    assert [len(one) - 1 for one in lists] == [2, 2, 2, 2, 1]


@pytest.mark.parametrize("body", ["<div>" * 600 + "deep", "<b>" * 10_000, "<i></i>" * 1000])
def test_a_page_beyond_a_bound_is_refused(tmp_path: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_NODES", 999)
    path = tmp_path / "page.html"
    path.write_text(f"<p>{body}</p>")
    with pytest.raises(RefusedFile, match="export it as PDF"):
        open_html(path, None)


def test_entities_that_a_page_declares_are_not_expanded(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE html [<!ENTITY a "lol"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    pages = opened(tmp_path, "page.html", f"{bomb}<html><p>&b;&f;</p></html>")
    said = "".join(fragment.text for page in pages for fragment in page.fragments)
    assert "lol" not in said
    assert "root" not in said


@pytest.mark.parametrize(
    ("name", "text"),
    [("x.pdf", "<!DOCTYPE HTML><p>a"), ("page", "<html lang=en>"), ("x.html", "only words"),
     ("1705.0783", "<?xml version='1.0'?>\n<!DOCTYPE html><html>")],
)  # fmt: skip
def test_a_web_page_is_known_by_its_name_or_beginning(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert recognise(tmp_path / name).source_type == "html"


@pytest.mark.corpora
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the development corpora are not beside this checkout")
def test_the_second_reader_has_every_letter_of_real_pages() -> None:
    for path in sorted(CORPUS.glob("*/source.html"))[:12]:
        with open_html(path, None) as source:
            read = Counter(
                c for n in range(source.page_count) for f in source.read_page(n + 1).fragments for c in f.text
            )
        missing = read - Counter(reread_html(path).text)
        assert "".join(missing).strip() == "", path.parent.name


def test_a_list_of_links_is_main_text_where_the_text_goes_on_around_it(tmp_path: Path) -> None:
    links = "".join(f'<li><a href="/{n}">Defect {n} was mended in the pump</a></li>' for n in range(12))
    inside = html(f"<h2>Mended</h2><ul>{links}</ul><h2>Next</h2><p>{LONG}</p>")
    assert "Defect 11 was mended in the pump" in str(told(opened(tmp_path, "inside.html", inside)))
    text = f"<p>{LONG}</p>" * 3
    behind = f"<html><body><article>{text}<h2>Related</h2><ul>{links}</ul></article></body></html>"
    assert "Defect 11" not in str(told(opened(tmp_path, "behind.html", behind)))


def test_a_cell_that_the_page_calls_a_head_is_a_label(tmp_path: Path) -> None:
    form = "<p>Said here.</p><table><tr><th>Ward</th><td>7</td></tr><tr><th>Weight</th><td>74 kg</td></tr></table>"
    (page,) = opened(tmp_path, "form.html", form)
    assert [one.text for one in page.fragments if one.bold] == ["Ward", "Weight"]


@pytest.mark.parametrize(
    ("listed", "shown"),
    [
        ("<ol><li>one<li><p>two<p>more</ol>", ["1. one", "2. two", "more"]),
        ("<ol start=3><li>c</li><li value=9>i</li><li>j</li></ol>", ["3. c", "9. i", "10. j"]),
        ("<ol type=a start=26><li>z</li><li>aa</li></ol>", ["z. z", "aa. aa"]),
        ("<ol type=I start=4><li>x</li><li type=1>y</li><li>z</li></ol>", ["IV. x", "5. y", "VI. z"]),
        (
            "<ol reversed><li>three</li><li hidden>no</li><li>two</li><li>one</li></ol>",
            ["3. three", "2. two", "1. one"],
        ),
        ("<ol start=0><li>nought</li></ol><ol type=i start=-1><li>less</li></ol>", ["0. nought", "-1. less"]),
        ("<ul><li>point<ol style='list-style-type:lower-roman'><li>in</li></ol></li></ul>", ["• point", "i. in"]),
        ("<ul><li>point<li><p>two<p>more</ul>", ["• point", "• two", "more"]),
        ("<ul style='list-style: square'><li>a<li style='list-style-type: none'>b</ul>", ["• a", "b"]),
        ("<ul style='list-style:none'><li>a<li style='list-style-type: disc'>b<li hidden>c</ul>", ["a", "• b"]),
        ("<ul style='list-style-type: bullet'><li><img src=a.png alt='Drawn so'> a</ul>", ["• Drawn so a"]),
        ("<dl><dt>word<dd>meaning</dl>", ["word", "meaning"]),
        ("<ol><li><ol type=A><li>both</li></ol></li><li>next</li></ol>", ["1. A. both", "2. next"]),
        ("<ol style='list-style: none'><li>bare</li></ol>", ["bare"]),
        ("<ol style='list-style-type: georgian'><li>unknown</li></ol>", ["unknown"]),
        ("<ol><li></li><li>second</li></ol>", ["2. second"]),
        ("<ol><li>a <b>b</b> c<br>d</li></ol>", ["1. a b c", "d"]),
        (
            "<ol>\n<li>\n<ol type=a>\n<li>alpha</li>\n<li>beta</li>\n</ol>\n</li>\n<li>next</li>\n</ol>",
            ["1. a. alpha", "b. beta", "2. next"],
        ),
        ("<ol><li><ul><li>point</ul><li>next</ol>", ["1. • point", "2. next"]),
        ("<ol><li><ol type=a><li>in</ol>later</li></ol>", ["1. a. in", "later"]),
        ("<ol start=2024001><li>a<li value=150000>b</ol>", ["2024001. a", "150000. b"]),
        ("<ol start=1234567890><li>too long</ol>", ["1. too long"]),
        ("<ol style='list-style: decimal-leading-zero'><li>low<li value=12>high</ol>", ["01. low", "12. high"]),
    ],
)
def test_items_show_the_numbers_that_browsers_display(tmp_path: Path, listed: str, shown: list[str]) -> None:
    path = tmp_path / "page.html"
    path.write_text(f"<html><body>{listed}</body></html>")
    with open_html(path, None) as source:
        page = source.read_page(1)
        proven = PartProver(source, reread_html(path)).prove(1, StoredPage(1, False, page.route, []), page)
    assert [f"{one.marker} {one.text}".strip() for one in page.fragments] == shown
    assert (proven.wrong, proven.second) == ([], {})


def test_an_item_that_the_proof_counts_otherwise_is_told(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<html><body><ol><li>one</li><li>two</li></ol></body></html>")
    second = reread_html(path)
    assert second.numbers == [("1.", "one"), ("2.", "two")]
    with open_html(path, None) as source:
        prover = PartProver(source, second._replace(numbers=[("1.", "one"), ("2.", "other")]))
        proven = prover.prove(1, StoredPage(1, False, "text", []), source.read_page(1))
    assert [one.found for one in (proven.second or {}).values()] == ["no item 2."]


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ("at most 2<sup>64</sup> rows", "at most 2⁶⁴ rows"),
        ("1.5 × 10<sup>-3</sup> m<sup> 2 </sup>", "1.5 × 10⁻³ m ²"),
        ("10<sup>&nbsp;6</sup> cells", "10\u00a0⁶ cells"),
        ("a note<sup>12</sup>, another<sup><a href='#n'>3</a></sup>", "a note¹², another³"),
        ("2<sup><small>6</small>4</sup>8", "2⁶⁴8"),
        ("the 5<sup>th</sup> of 2<sup>n</sup> in H<sub>2</sub>O", "the 5th of 2n in H2O"),
        ("2<sup>6<code>4</code></sup> and 2<sup>5<!-- a --></sup>", "264 and 25"),
    ],
)
def test_raised_numbers_are_no_part_of_what_they_stand_behind(tmp_path: Path, markup: str, shown: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(f"<html><body><ol><li>{markup}</ol></body></html>")
    with open_html(path, None) as source:
        page = source.read_page(1)
        proven = PartProver(source, reread_html(path)).prove(1, StoredPage(1, False, page.route, []), page)
    assert [one.text for one in page.fragments] == [shown]
    assert (proven.wrong, proven.second) == ([], {})


def test_cells_are_proved_where_they_stand_however_the_markup_is_set(tmp_path: Path) -> None:
    close = "<table><tr><th>Offset<th>Size<th>Use<tr><td>0<td>16<td>The header<tr><td>16<td>2<td>The size</table>"
    wide = "<table>\n<tr><th>Offset\n</th><th>Size\n</th></tr>\n<tr><td>0\n</td><td>16\n</td></tr></table>"
    path = tmp_path / "page.html"
    path.write_text(f"<html><body>{close}<p>Of 0 pages 16 are kept.</p>{wide}<p>On the 16th.</p></body></html>")
    with open_html(path, None) as source:
        page = source.read_page(1)
        proven = PartProver(source, reread_html(path)).prove(1, StoredPage(1, False, page.route, []), page)
    assert [one.text for one in page.fragments if one.text == "16"] == ["16", "16", "16"]
    assert (proven.wrong, proven.second) == ([], {})
