"""Rich Text Format, written here word by word: styles, tables, notes, characters of every kind, hostile files."""

from pathlib import Path

import pytest

from shared.domain.operations import RegisterTable
from shared.errors import RefusedFile
from shared.readers.formats import StructuredFormat
from shared.readers.registry import recognise
from tests.readers.structured import opened, pages_of
from tests.readers.test_docx import left_out
from tests.readers.test_text import told

HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil\fcharset0 Arial;}{\f1\fnil\fcharset204 Cyr;}"
    r"{\f2\fnil\fcharset128 Gothic;}}{\colortbl;\red1;}"
    r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s5 Mine;}{\s6\outlinelevel1 Own;}{\s7 toc 1;}}"
    r"{\info{\title Crane  rules}{\creatim\yr2026\mo3\dy2\hr1}{\author Ada}}"
)


def write_rtf(path: Path, body: str) -> Path:
    path.write_bytes((HEAD + body + "}").encode("latin-1"))
    return path


def test_how_a_number_is_written_is_no_text(tmp_path: Path) -> None:
    number = r"{\pntext 1.\tab}\pard{\*\pn\pnlvlbody\pndec{\pntxta .}{\pntxtb (}}"
    path = write_rtf(tmp_path / "x.rtf", number + r"{Oil it.\par}")
    assert [one for page in pages_of(path) for one in (f.text for f in page.fragments)] == ["1.\tOil it."]
    form = recognise(path)
    assert isinstance(form, StructuredFormat)
    assert "".join(form.second(path).text.split()) == "1.Oilit."


@pytest.mark.parametrize(
    ("computer", "shown"), [(r"\mac", "ÒÚÛ"), (r"\mac\ansicpg10000", "ÒÚÛ"), (r"\pc", "±≥≤"), (r"\pca", "±‗¾")]
)
def test_characters_of_other_computers_are_read_and_proved(tmp_path: Path, computer: str, shown: str) -> None:
    """The letters F1, F2 and F3."""
    path = tmp_path / "x.rtf"
    path.write_bytes(
        (r"{\rtf1" + computer + r" \deff0{\fonttbl{\f0\fmodern Helvetica;}}\pard\f0 \'f1\'f2\'f3\par}").encode()
    )
    assert [one.text for page in pages_of(path) for one in page.fragments] == [shown]


def test_styles_lists_and_what_is_not_shown(tmp_path: Path) -> None:
    body = (
        r"{\header Top\par}{\pard\s7 Scope ... 3\par}{\pard\s1 Scope\par}\pard\s6 Rules\par\pard\plain Plain {\b text}."
        r"{\v unseen}{\deleted gone}{\*\unknown nothing}\line Second line.{\footnote\pard\plain A note.}\par"
        r"{\pard\ls1{\listtext\pard\plain 1.\tab}one\par}{\pard\ls1{\listtext\'b7\tab}two\par}"
        r"\pard{\field{\*\fldinst HYPERLINK x}{\fldrslt linked}} here{\*\annotation Really?}\par"
        r"{\shp{\*\shpinst{\sp{\sn a}{\sv 5}}{\shptxt boxed\par}}}{\pict\bin4 {}{}89ab}{\footer Page 3\par}"
    )
    path = write_rtf(tmp_path / "x.rtf", body)
    pages = pages_of(path)
    assert told(pages) == [
        ("section", 1, "Scope"),
        ("section", 2, "Rules"),
        ("text", "Plain text.", "Second line."),
        ("footnote", "A note."),
        ("list", "1.\tone", "two"),
        ("text", "linked here"),
        ("text", "boxed"),
    ]
    assert left_out(pages) == [
        ("contents", "Scope ... 3"),
        ("header", "Top"),
        ("invisible", "unseen"),
        ("invisible", "Really?"),
        ("footer", "Page 3"),
    ]
    assert (opened(path).title, str(opened(path).made)) == ("Crane rules", "2026-03-02")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r"caf\'e9 \'80", "caf\u00e9 \u20ac"),
        (r"{\f1 \'cf\'f0\'e8\'e2\'e5\'f2} end", "\u041f\u0440\u0438\u0432\u0435\u0442 end"),
        (r"{\f2 \'93\'fa\'96\'7b}", "\u65e5\u672c"),
        (r"\u8364? and \u-10179?\u-8704?.", "\u20ac and \U0001f600."),
        (r"\uc2\u233\'3f\'3fx", "\u00e9x"),
        (r"a\~b\_c \{x\} \\ \emdash\lquote q\rquote", "a\u00a0b\u2011c {x} \\ \u2014\u2018q\u2019"),
    ],
)
def test_characters_are_those_that_are_displayed(tmp_path: Path, written: str, shown: str) -> None:
    assert told(pages_of(write_rtf(tmp_path / "x.rtf", rf"\pard {written}\par"))) == [("text", shown)]


def test_a_table_has_its_header_and_merged_cells(tmp_path: Path) -> None:
    body = (
        r"\trowd\trhdr\cellx1000\cellx2000\cellx3000\pard\intbl Pump\cell Power\cell Price\cell\row"
        r"\trowd\clvmgf\cellx1010\cellx3000\pard\intbl TA-15\cell over two\cell\row"
        r"\trowd\clvmrg\cellx1000\cellx2000\cellx3000\pard\intbl\cell 15 hp\cell first\par second\cell\row"
        r"\pard End.\par"
    )
    pages = pages_of(write_rtf(tmp_path / "x.rtf", body))
    (table,) = [one for one in pages[0].structure or [] if isinstance(one, RegisterTable)]
    assert told(pages) == [
        (
            "table",
            1,
            [[["Pump"], ["Power"], ["Price"]], [["TA-15"], ["over two"]], [["15 hp"], ["first", "second"]]],
        ),
        ("text", "End."),
    ]
    spans = [[(cell.row_span, cell.col_span) for cell in row] for row in table.rows]
    assert spans == [[(1, 1), (1, 1), (1, 1)], [(2, 1), (1, 2)], [(1, 1), (1, 1)]]


@pytest.mark.parametrize(
    "body", [r"}}}} behind", r"{{{ cut \'e", r"\u99999999999 \bin99999999 x", r"\cell\row\cell", "\\"]
)
def test_a_broken_file_is_read_as_far_as_it_goes(tmp_path: Path, body: str) -> None:
    assert told(pages_of(write_rtf(tmp_path / "x.rtf", rf"\pard before\par {body}")))[0] == ("text", "before")


def test_groups_in_groups_are_bounded(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile, match="nests more than 1,000 groups"):
        opened(write_rtf(tmp_path / "x.rtf", "{" * 100_000))


@pytest.mark.parametrize(
    ("machine", "text"),
    [
        (r"\mac", "ÒÚÛ"),
        (r"\mac\ansicpg10000", "ÒÚÛ"),
        (r"\mac\ansicpg10007", "сту"),
        (r"\pc", "±≥≤"),
        (r"\pca", "±‗¾"),
        (r"\ansi", "ñòó"),
        (r"\mac\ansicpg1252", "ñòó"),
    ],
)
def test_characters_are_those_of_the_machine_that_wrote_the_file_and_proved(
    tmp_path: Path, machine: str, text: str
) -> None:
    path = tmp_path / "x.rtf"
    fonts = r"\deff0{\fonttbl{\f0\fmodern Helvetica;}}"
    path.write_text(rf"{{\rtf1{machine} {fonts}\pard\f0 \'f1\'f2\'f3\par }}")
    assert [fragment.text for page in pages_of(path) for fragment in page.fragments] == [text]
