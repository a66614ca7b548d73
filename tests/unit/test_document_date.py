"""The date of a document, from real files: what each says is written here by hand."""

from datetime import date
from pathlib import Path

import pymupdf
import pytest

from shared.extraction.document_date import read_document_date
from shared.readers.pdf.document import open_pdf
from shared.values.file_names import date_in_name

TODAY = date(2026, 6, 1)
Found = tuple[str, str]


def made(folder: Path, lines: tuple[str, ...] = (), name: str = "report.pdf", **metadata: str) -> Path:
    """A first page of a title and these lines, a finger's breadth apart; `|` divides a line into cells."""
    path = folder / name
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 90), "Compressed air in workshops", fontsize=20)
        for at, line in enumerate(lines):
            for column, cell in enumerate(line.split("|")):
                page.insert_text((72 + 200 * column, 140 + 40 * at), cell, fontsize=11)
        document.set_metadata(dict(metadata))
        document.save(path)
    return path


def read(path: Path, today: date = TODAY) -> Found | None:
    """Its date and where it is from."""
    with open_pdf(path) as source:
        found = read_document_date(source.read_page(1), path.name, source.made, today)
    return (found.day.isoformat(), found.source) if found else None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Version of 12 March 2024", "2024-03-12"),
        ("Version 3.1, 12 March 2024", "2024-03-12"),
        ("Version 3 Date 24 November 2023", "2023-11-24"),
        ("Published 12 March 2024", "2024-03-12"),
        ("Published on: March 12, 2024", "2024-03-12"),
        ("Date of issue: 2024-03-12", "2024-03-12"),
        ("Kestrel Cup Council · issued 9 December 2024", "2024-12-09"),
        ("Most recently updated: April 25, 2022", "2022-04-25"),
        ("Release date: June 21, 2013 [no. 43007]", "2013-06-21"),
        ("Effective as at 9 April 2019", "2019-04-09"),
        ("Valid from 1 March 2026 until 28 February 2027", "2026-03-01"),
        ("Stand: 12.03.2024", "2024-03-12"),
        ("Fassung vom 3. Oktober 2019", "2019-10-03"),
        ("Document Date: March 2022", "2022-03-01"),
        ("March 2024", "2024-03-01"),
        ("12 March 2024", "2024-03-12"),
        ("12.03.2024", "2024-03-12"),
        ("03/25/2024", "2024-03-25"),
        ("Date: 12 March 2024", "2024-03-12"),
        ("Tuesday, January 13, 2009", "2009-01-13"),
        ("Basel, 12 March 2024", "2024-03-12"),
        ("(October 2021)", "2021-10-01"),
    ],
)
def test_a_date_is_read_from_the_first_page(tmp_path: Path, line: str, expected: str) -> None:
    assert read(made(tmp_path, (line, "A body of text follows."))) == (expected, "title_page")


@pytest.mark.parametrize(
    ("line", "name", "unit"),
    [
        ("Issued 12 March 2024", "a.pdf", "day"),
        ("Issued March 2024", "a.pdf", "month"),
        ("12 March 2024", "a.pdf", "day"),
        ("March 2024", "a.pdf", "month"),
        ("On pumps", "pumps 2024-03-12.pdf", "day"),
        ("On pumps", "pumps March 2024.pdf", "month"),
        ("On pumps", "pumps 2024.pdf", "year"),
    ],
)
def test_a_date_is_no_more_exact_than_what_it_was_read_from(tmp_path: Path, line: str, name: str, unit: str) -> None:
    with open_pdf(made(tmp_path, (line,), name)) as source:
        found = read_document_date(source.read_page(1), name, None, TODAY)
    assert found is not None
    assert found.unit == unit


@pytest.mark.parametrize(
    "line",
    [
        "03/04/2024",  # April or March
        "Published 03/04/2024",
        "12/17/2007, 1045 UTC",  # of an accident
        "Expiration Date: 01/31/2009",
        "Date of birth: 12 March 1960",
        "Date of birth|12 March 1960",
        "Signed on 12 March 2024 by all parties",
        "The rules, revised 12 March 2024 by the council, hold for boats",
        "For the quarterly period ended June 25, 2022",
        "Directive of 29 April 2004",
        "Since March 2024 nothing has changed",
        "31 February 2024",
        "2011-12",
        "Published 12 March 2027",  # after today
        "12 March 1823",
    ],
)
def test_what_is_not_certain_is_not_read(tmp_path: Path, line: str) -> None:
    assert read(made(tmp_path, (line,))) is None


def test_of_several_dates_the_latest_that_says_what_it_is_counts(tmp_path: Path) -> None:
    lines = ("Received 4 October 2005", "Issued 5 October 2005", "Revised 7 March 2006", "Valid from 1 May 2006")
    assert read(made(tmp_path, lines)) == ("2006-03-07", "title_page")
    assert read(made(tmp_path, (*lines, "12 March 2024"))) == ("2006-03-07", "title_page")


def test_two_dates_that_stand_for_themselves_are_none(tmp_path: Path) -> None:
    assert read(made(tmp_path, ("12 March 2024", "13 March 2024"))) is None
    assert read(made(tmp_path, ("12 March 2024", "12 March 2024"))) == ("2024-03-12", "title_page")


def test_another_date_of_the_page_says_which_number_is_the_month(tmp_path: Path) -> None:
    assert read(made(tmp_path, ("Published 03/04/2024", "Measured on 03/25/2024 in fog"))) == (
        "2024-03-04",
        "title_page",
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("2024-03-12.pdf", ("2024-03-12", "day")),
        ("2024-03-12 minutes.pdf", ("2024-03-12", "day")),
        ("minutes_20240312.pdf", ("2024-03-12", "day")),
        ("minutes_2024_03_12_final.pdf", ("2024-03-12", "day")),
        ("scan 20240312T101500.pdf", ("2024-03-12", "day")),
        ("Offer 12.03.2024.pdf", ("2024-03-12", "day")),
        ("Offer 25-03-2024.pdf", ("2024-03-25", "day")),
        ("Offer 12 March 2024.pdf", ("2024-03-12", "day")),
        ("offer-12-mar-2024.pdf", ("2024-03-12", "day")),
        ("prices_2024_03.pdf", ("2024-03-01", "month")),
        ("prices March 2024.pdf", ("2024-03-01", "month")),
        ("prices-2024.pdf", ("2024-01-01", "year")),
        ("Report 2023", ("2023-01-01", "year")),
        ("Offer 03-04-2024.pdf", None),
        ("season 2011-12.pdf", None),
        ("2021-2025 plan.pdf", None),
        ("2024-03-12 to 2024-03-19.pdf", None),
        ("20071229X02007.pdf", None),
        ("1705.07830.pdf", None),
        ("DHAW20190001.pdf", None),
        ("2024-13-12.pdf", None),
        ("asvs-4.0.3-en.pdf", None),
        ("SP 1899.pdf", None),
        ("report.pdf", None),
    ],
)
def test_a_date_is_read_from_a_name(name: str, expected: tuple[str, str] | None) -> None:
    found = date_in_name(name)
    assert (found and (found.first.isoformat(), found.unit)) == expected


@pytest.mark.parametrize(
    ("name", "created", "expected"),
    [
        ("report.pdf", "D:20240312101500+01'00'", ("2024-03-12", "metadata")),
        ("report.pdf", "D:20240312233000-05'00'", ("2024-03-12", "metadata")),
        ("report.pdf", "20240312", ("2024-03-12", "metadata")),
        ("report.pdf", "D:20270312101500Z", None),
        ("report.pdf", "D:18990312101500Z", None),
        ("report.pdf", "D:20241312101500Z", None),
        ("report.pdf", "D:19700101000000Z", None),
        ("report.pdf", "D:20000101000000+00'00'", None),
        ("report.pdf", "D:2024", None),
        ("report.pdf", "yesterday", None),
        ("2024-02-01.pdf", "D:20240312101500Z", ("2024-02-01", "file_name")),
        ("prices 2023.pdf", "D:20240312101500Z", ("2024-03-12", "metadata")),
        ("prices 2020.pdf", "D:20240312101500Z", ("2020-01-01", "file_name")),
        ("prices 2027.pdf", "D:20240312101500Z", ("2024-03-12", "metadata")),
    ],
)
def test_metadata_comes_last(tmp_path: Path, name: str, created: str, expected: Found | None) -> None:
    assert read(made(tmp_path, name=name, creationDate=created)) == expected


def test_metadata_is_trusted_as_far_as_the_years_of_the_first_page_bear_it_out(tmp_path: Path) -> None:
    found = list[float]()
    for line in ("A survey of 2023", "A survey", "A survey of 2011, after that of 1998"):
        with open_pdf(made(tmp_path, (line,), creationDate="D:20240312101500Z")) as source:
            date = read_document_date(source.read_page(1), "a.pdf", source.made, TODAY)
        assert date
        assert (date.day.isoformat(), date.source) == ("2024-03-12", "metadata")
        found.append(date.confidence)
    assert found[0] > found[1] > found[2] > 0


def test_a_file_that_does_not_say_when_it_was_made_says_when_it_was_changed(tmp_path: Path) -> None:
    assert read(made(tmp_path, modDate="D:20240312101500Z")) == ("2024-03-12", "metadata")


def test_the_first_page_comes_before_the_name_and_the_metadata(tmp_path: Path) -> None:
    path = made(tmp_path, ("Published 5 May 2023",), name="2024-02-01.pdf", creationDate="D:20240312101500Z")
    assert read(path) == ("2023-05-05", "title_page")


def test_the_surer_a_source_is_the_higher_is_its_confidence(tmp_path: Path) -> None:
    cases = (
        made(tmp_path, ("Published 5 May 2023",), name="a.pdf"),
        made(tmp_path, ("Valid from 5 May 2023",), name="b.pdf"),
        made(tmp_path, ("5 May 2023",), name="c.pdf"),
        made(tmp_path, name="2023-05-05.pdf"),
        made(tmp_path, name="d.pdf", creationDate="D:20230505101500Z"),
        made(tmp_path, name="2023.pdf"),
    )
    confidences = list[float]()
    for path in cases:
        with open_pdf(path) as source:
            found = read_document_date(source.read_page(1), path.name, source.made, TODAY)
        assert found
        confidences.append(found.confidence)
    assert confidences == sorted(confidences, reverse=True)
    assert len(set(confidences)) == len(confidences)
    assert 0 < confidences[-1] < confidences[0] < 1
