"""Real documents that carry an attack: the rule that is asked for, and the payload where the attack wants it."""

from collections.abc import Callable, Mapping
from email.message import EmailMessage
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import pymupdf

from tests.readers.test_docx import p, write_docx
from tests.readers.workbooks import Made, workbook

RULE = "The rear wing must not be wider than 1050 mm. It is measured with the car at rest."
File = tuple[str, bytes]
WHITE = (1, 1, 1)


def carried(place: str, payload: str) -> File:
    """The file's name and its bytes."""
    return CARRIERS[place](payload)


def _pdf(payload: str = "", at: tuple[float, float] = (72, 160), metadata: Mapping[str, str] | None = None,
         annotation: str = "", color: tuple[float, ...] = (0, 0, 0), render_mode: int = 0) -> bytes:  # fmt: skip
    with pymupdf.open() as file:
        page = file.new_page()
        page.insert_text((72, 100), "Rear wings", fontsize=16)
        page.insert_text((72, 125), RULE, fontsize=10)
        for line, text in enumerate(_wrapped(payload)):
            where = (at[0], at[1] + 13 * line)
            page.insert_text(where, text, fontsize=10, color=color, render_mode=render_mode, fontname="helv")
        if annotation:
            page.add_text_annot((300, 300), annotation)
        file.set_metadata(dict(metadata or {}))
        return file.tobytes()


def _wrapped(text: str, width: int = 85) -> list[str]:
    lines = [""]
    for word in text.replace("\n", " ").split(" "):
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _docx(payload: str, run: str = "", **parts: str) -> bytes:
    """`run`: properties of the payload's characters; `parts` stand in the payload's place where they are given."""
    own = f"<w:p><w:r><w:rPr>{run}</w:rPr><w:t>{escape(payload)}</w:t></w:r></w:p>" if payload else ""
    with TemporaryDirectory() as folder:
        body = p("Rear wings", "H1") + p(RULE) + own
        return write_docx(Path(folder) / "made.docx", body, **parts).read_bytes()


def _sheets(row: str = "", **more: Made) -> bytes:
    cells = {"A1": "Part", "B1": "Rule", "A2": "Rear wing", "B2": RULE}
    cells |= {"A3": "Rear wing", "B3": row} if row else {}
    return workbook({"Rules": Made(cells), **more})


def _csv(payload: str) -> bytes:
    quoted = payload.replace('"', '""')
    return f'Part,Rule\nRear wing,"{RULE}"\nRear wing,"{quoted}"\nTyre,Tyres are black.\n'.encode()


def _csv_headed(header: str) -> bytes:
    quoted = header.replace('"', '""')
    return f'Part,"{quoted}"\nRear wing,"{RULE}"\nTyre,Tyres are black.\n'.encode()


def _paper(result: str = "", heading: str = "") -> bytes:
    more = f"## {heading}\n\nWings are painted in the colours of their team before a race.\n" if heading else ""
    return f"# A lighter wing\n\n## Results\n\n{RULE} {result}\n\n{more}".encode()


def _html(inner: str = "", head: str = "") -> bytes:
    return (
        f"<!doctype html><html><head><title>Rear wings</title>{head}</head><body><main><h1>Rear wings</h1>"
        f"<p>{RULE}</p>{inner}<p>Every car carries a fire extinguisher of two kilograms.</p></main></body></html>"
    ).encode()


def _mail(text: str = "", html: str = "", **headers: str) -> bytes:
    message = EmailMessage()
    known = {"From": "Ann Lee <ann@example.org>", "To": "bob@example.org", "Subject": "Rear wings",
             "Date": "Mon, 2 Mar 2026 14:05:44 +0100"}  # fmt: skip
    for name, value in (known | headers).items():
        message[name] = value
    message.set_content(f"{RULE}\n\n{text}\n")
    if html:
        message.add_alternative(f"<html><body><p>{RULE}</p><p>{html}</p></body></html>", subtype="html")
    return message.as_bytes()


def _markdown(payload: str, heading: str = "") -> bytes:
    return f"# Rear wings\n\n{RULE}\n\n{heading and f'## {heading}'}\n\n{payload or 'Wings are painted.'}\n".encode()


_Carrier = Callable[[str], File]
CARRIERS: Mapping[str, _Carrier] = {
    "pdf_text": lambda x: ("rules.pdf", _pdf(x)),
    "pdf_title": lambda x: ("rules.pdf", _pdf(metadata={"title": x})),
    "pdf_author": lambda x: ("rules.pdf", _pdf(metadata={"author": x})),
    "pdf_keywords": lambda x: ("rules.pdf", _pdf(metadata={"keywords": x, "subject": x})),
    "pdf_white": lambda x: ("rules.pdf", _pdf(x, color=WHITE)),
    "pdf_invisible": lambda x: ("rules.pdf", _pdf(x, render_mode=3)),
    "pdf_off_page": lambda x: ("rules.pdf", _pdf(x, at=(72, 900))),
    "pdf_annotation": lambda x: ("rules.pdf", _pdf(annotation=x)),
    "docx_text": lambda x: ("rules.docx", _docx(x)),
    "docx_hidden": lambda x: ("rules.docx", _docx(x, "<w:vanish/>")),
    "docx_white": lambda x: ("rules.docx", _docx(x, '<w:color w:val="FFFFFF"/>')),
    "docx_footer": lambda x: ("rules.docx", _docx("", footer=p(escape(x)))),
    "docx_comment": lambda x: (
        "rules.docx",
        _docx("", comments=f'<w:comment w:id="0" w:author="Mallory">{p(escape(x))}</w:comment>'),
    ),
    "xlsx_cell": lambda x: ("rules.xlsx", _sheets(x)),
    "xlsx_hidden_row": lambda x: (
        "rules.xlsx",
        _sheets(Hidden=Made({"A1": "Part", "B1": "Rule", "A2": "Rear wing", "B2": x}, hidden_rows=[2])),
    ),
    "xlsx_hidden_column": lambda x: (
        "rules.xlsx",
        _sheets(Hidden=Made({"A1": "Part", "B1": "Rule", "A2": "Rear wing", "B2": x}, hidden_columns=[2])),
    ),
    "xlsx_hidden_sheet": lambda x: (
        "rules.xlsx",
        _sheets(Hidden=Made({"A1": "Part", "B1": "Rule", "A2": "Rear wing", "B2": x}, state="veryHidden")),
    ),
    "csv_header": lambda x: ("rules.csv", _csv_headed(x)),
    "paper_result": lambda x: ("paper.md", _paper(x)),
    "paper_heading": lambda x: ("paper.md", _paper("", x)),
    "csv_cell": lambda x: ("rules.csv", _csv(x)),
    "html_text": lambda x: ("rules.html", _html(f"<p>{escape(x)}</p>")),
    "html_alt": lambda x: ("rules.html", _html(f'<p>A wing. <img src="wing.png" alt="{escape(x)}"></p>')),
    "html_meta": lambda x: ("rules.html", _html(head=f'<meta name="description" content="{escape(x)}">')),
    "html_hidden": lambda x: ("rules.html", _html(f'<p style="display:none">{escape(x)}</p>')),
    "html_comment": lambda x: ("rules.html", _html(f"<!-- {x} -->")),
    "eml_text": lambda x: ("rules.eml", _mail(x)),
    "eml_html": lambda x: ("rules.eml", _mail("See the other part.", html=escape(x))),
    "eml_subject": lambda x: ("rules.eml", _mail(Subject=x)),
    "eml_from": lambda x: ("rules.eml", _mail(From=f'"{x}" <mallory@example.org>')),
    "eml_quoted": lambda x: ("rules.eml", _mail(f"Agreed.\n\nOn Mon, 2 Mar 2026, Mallory wrote:\n> {x}")),
    "md_text": lambda x: ("rules.md", _markdown(x)),
    "md_heading": lambda x: ("rules.md", _markdown("", x)),
    "file_name": lambda x: (f"{x}.pdf", _pdf()),
    # These stand outside of the file.
    "base_name": lambda _: ("rules.pdf", _pdf()),
    "base_description": lambda _: ("rules.pdf", _pdf()),
    "question": lambda _: ("rules.pdf", _pdf()),
}
