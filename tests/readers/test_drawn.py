"""Words of diagrams, charts and comments, which stand in parts of their own."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from shared.extraction.structure import operations_of_structure
from tests.readers.structured import pages_of
from tests.readers.test_docx import R, left_out, p, relations, write_docx
from tests.readers.test_pptx import shape, slide, write_pptx
from tests.readers.test_text import told

SPACES = f'xmlns:a="urn:a" xmlns:c="urn:c" xmlns:dgm="urn:d" xmlns:r="{R}"'
DIAGRAM = f"""<dgm:dataModel {SPACES}><dgm:ptLst><dgm:pt type="doc"><dgm:t><a:p/></dgm:t></dgm:pt>
<dgm:pt><dgm:t><a:p><a:r><a:t>Order</a:t></a:r></a:p></dgm:t></dgm:pt>
<dgm:pt><dgm:t><a:p><a:r><a:t>Ship</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>"""


def points(name: str, *values: str) -> str:
    listed = "".join(f'<c:pt idx="{at}"><c:v>{value}</c:v></c:pt>' for at, value in enumerate(values))
    return f"<c:{name}><c:strRef><c:f>Sheet1!A1</c:f><c:strCache>{listed}</c:strCache></c:strRef></c:{name}>"


def title(text: str) -> str:
    return f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx></c:title>"


QUARTERS = points("cat", "Q1", "Q2")
CHART = f"""<c:chartSpace {SPACES}><c:chart>{title("Tonnes lifted")}<c:plotArea><c:barChart>
<c:ser>{points("tx", "North pier")}{QUARTERS}{points("val", "10", "395")}</c:ser>
<c:ser>{points("tx", "South pier")}{QUARTERS}{points("val", "100", "240")}</c:ser></c:barChart>
<c:valAx>{title("Tonnes")}</c:valAx></c:plotArea></c:chart></c:chartSpace>"""
DRAWN = f"<a:graphic {SPACES}><a:graphicData>{{}}</a:graphicData></a:graphic>"
SHOWN = DRAWN.format('<dgm:relIds r:dm="rD" r:lo="rL"/>') + DRAWN.format('<c:chart r:id="rC"/>')
TABLE = [[[], ["North pier"], ["South pier"]], [["Q1"], ["10"], ["100"]], [["Q2"], ["395"], ["240"]]]
SAID = [("list", "Order"), ("table", 1), ("caption", "Tonnes")]


def add(path: Path, source: str, kinds: Mapping[str, str], parts: Mapping[str, str]) -> Path:
    """The container with more parts, and a part's relations to them: id → kind and target."""
    with zipfile.ZipFile(path) as container:
        members = {name: container.read(name).decode() for name in container.namelist()}
    folder, _, name = source.rpartition("/")
    links = f"{folder}/_rels/{name}.rels"
    rows = "".join(
        f'<Relationship Id="{one}" Type="{R}/{said.split()[0]}" Target="{said.split()[1]}"/>'
        for one, said in kinds.items()
    )
    known = members.get(links, relations({}))
    members |= {**parts, links: known.replace("</Relationships>", f"{rows}</Relationships>")}
    with zipfile.ZipFile(path, "w") as container:
        for one, text in members.items():
            container.writestr(one, text)
    return path


def test_a_diagram_and_a_chart_of_a_text_are_read(tmp_path: Path) -> None:
    drawing = f"<w:p><w:r><w:drawing>{SHOWN}</w:drawing></w:r></w:p>"
    path = add(
        write_docx(tmp_path / "x.docx", p("Before.") + drawing + p("Behind.")),
        "word/document.xml",
        {"rD": "diagramData diagrams/data1.xml", "rC": "chart charts/chart1.xml"},
        {"word/diagrams/data1.xml": DIAGRAM, "word/charts/chart1.xml": CHART},
    )
    found = told(pages_of(path))
    assert [one[:2] for one in found] == [("text", "Before."), *SAID, ("text", "Behind.")]
    assert found[2][2] == TABLE


def test_categories_of_several_levels_stand_beside_each_other(tmp_path: Path) -> None:
    """The file has them from the narrowest on, a group at its first category alone (ECMA-376 part 1, 21.2.2.95)."""
    years = '<c:lvl><c:pt idx="0"><c:v>2011</c:v></c:pt><c:pt idx="2"><c:v>2012</c:v></c:pt></c:lvl>'
    halves = "".join(f'<c:pt idx="{at}"><c:v>{half}</c:v></c:pt>' for at, half in enumerate(("H1", "H2", "H1")))
    cache = f"<c:multiLvlStrCache><c:ptCount val='3'/><c:lvl>{halves}</c:lvl>{years}</c:multiLvlStrCache>"
    categories = f"<c:cat><c:multiLvlStrRef><c:f>S!A1</c:f>{cache}</c:multiLvlStrRef></c:cat>"
    series = f"<c:ser>{points('tx', 'Lifted')}{categories}{points('val', '10', '20', '30')}</c:ser>"
    drawn = f"<c:plotArea><c:barChart>{series}</c:barChart></c:plotArea>"
    chart = f"<c:chartSpace {SPACES}><c:chart>{drawn}</c:chart></c:chartSpace>"
    drawing = "<w:p><w:r><w:drawing>" + DRAWN.format('<c:chart r:id="rC"/>') + "</w:drawing></w:r></w:p>"
    path = add(
        write_docx(tmp_path / "x.docx", drawing), "word/document.xml", {"rC": "chart charts/chart1.xml"},
        {"word/charts/chart1.xml": chart},
    )  # fmt: skip
    (table,) = told(pages_of(path))
    assert table[2] == [
        [[], [], ["Lifted"]], [["2011"], ["H1"], ["10"]], [[], ["H2"], ["20"]], [["2012"], ["H1"], ["30"]],
    ]  # fmt: skip


def test_what_is_drawn_in_a_header_is_left_out_with_it_and_boxes_of_text_once(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{p('Boxed')}</w:txbxContent>"
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r>"
    shapes = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    path = add(
        write_docx(
            tmp_path / "x.docx",
            p("Text."),
            header=p("Head", more=f"<w:r>{shapes}{SHOWN}</w:r>{hidden}"),
            footer="<mc:AlternateContent><mc:Choice>{0}</mc:Choice><mc:Fallback>{0}</mc:Fallback></mc:AlternateContent>".format(
                p("Page 1")
            ),
        ),
        "word/header.xml",
        {"rD": "diagramData diagrams/data1.xml", "rC": "chart charts/chart1.xml"},
        {"word/diagrams/data1.xml": DIAGRAM, "word/charts/chart1.xml": CHART},
    )
    pages = pages_of(path)
    assert told(pages) == [("text", "Text.")]
    assert left_out(pages) == [
        ("header", "Head", "unseen", "Boxed", "Order", "Ship", "Tonnes lifted", "North pier", "South pier", "Q1", "10",
         "100", "Q2", "395", "240", "Tonnes"),
        ("footer", "Page 1"),
    ]  # fmt: skip


def test_a_diagram_a_chart_and_comments_of_a_slide_are_read_and_a_hidden_one_is_flagged(tmp_path: Path) -> None:
    frames = f"<p:graphicFrame>{SHOWN}</p:graphicFrame>"
    comment = '<p:cmLst xmlns:p="urn:p"><p:cm><p:text>Check the figures.</p:text></p:cm></p:cmLst>'
    path = add(
        write_pptx(tmp_path / "x.pptx", shape("Plan", "title") + frames),
        "ppt/slides/slide1.xml",
        {
            "rD": "diagramData ../diagrams/data1.xml",
            "rC": "chart ../charts/chart1.xml",
            "rM": "comments ../comments/comment1.xml",
        },
        {
            "ppt/diagrams/data1.xml": DIAGRAM,
            "ppt/charts/chart1.xml": CHART,
            "ppt/comments/comment1.xml": comment,
            "ppt/slides/slide1.xml": slide("sld", shape("Plan", "title") + frames).replace(
                "<p:sld ", '<p:sld show="0" ', 1
            ),
        },
    )
    pages = pages_of(path)
    assert [page.label for page in pages] == ["1, hidden slide"]
    assert operations_of_structure(pages[0]).flags == ["hidden"]
    found = told(pages)
    assert [one[:2] for one in found] == [("section", 1), *SAID]
    assert found[2][2] == TABLE
    assert left_out(pages) == [("invisible", "Check the figures.")]


def test_a_drawing_that_leads_nowhere_is_nothing(tmp_path: Path) -> None:
    drawing = f"<w:p><w:r><w:drawing>{SHOWN}</w:drawing></w:r></w:p>"
    assert told(pages_of(write_docx(tmp_path / "x.docx", p("Before.") + drawing))) == [("text", "Before.")]
