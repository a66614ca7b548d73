"""Forms with exact truth, written for `tests/bench/forms.toml`: labels with colons two a row, ruled cells without
colons, labels above their values, and a web page's."""

from pathlib import Path
from typing import Final

import pymupdf

CRANE: Final = (
    ("Site:", "Dock 4, Port of Marrow", "Certificate No.:", "C-7781"),
    ("Date of Inspection:", "14 March 2026", "Next Inspection Due:", "14 March 2027"),
    ("Manufacturer:", "Halvorsen & Sons", "Serial Number:", "HK-20417"),
    ("Year of Manufacture:", "", "Type:", "Tower crane"),
    ("Maximum Load:", "12.5 t", "Jib Length:", "38 m"),
    ("Inspector:", "Ines Okafor", "Result:", "Passed with remarks"),
    ("Owner:", "Marrow Harbour Ltd", "Hook Height:", ""),
)
KILN: Final = (
    ("Model", "K 110 Front", "Maximum temperature", "1,320 °C"),
    ("Chamber volume", "110 l", "Weight", "210 kg"),
    ("Supply voltage", "400 V", "Connected load", "9.5 kW"),
    ("Place of manufacture", "Arlesheim", "Guarantee", "36 months"),
    ("Controller", "Tarn 5", "Door", "Side hinged"),
)
ORDER: Final = (
    (("Order number", "PO-88213"), ("Ordered by", "Petra Lindqvist"), ("Order date", "11 May 2026")),
    (("Ship to", "Quay Street 12, Marrow"), ("Delivery date", "3 June 2026"), ("Terms of payment", "30 days net")),
    (("Currency", "EUR"), ("Carrier", ""), ("Reference", "Spring refit")),
)
VISIT: Final = """<!doctype html><title>Visit of 2 February 2026</title><h1>Admission form</h1>
<p>This form is filled in at the desk when a patient arrives and is kept with the record of the visit.</p>
<table><tr><th>Name</th><td>Joana Brandt</td><th>Date of birth</th><td>9 May 1981</td></tr>
<tr><th>Referring physician</th><td>Dr. Amaro</td><th>Ward</th><td>Ward 7</td></tr>
<tr><th>Weight</th><td>74 kg</td><th>Height</th><td>168 cm</td></tr>
<tr><th>Allergies</th><td>Penicillin</td><th>Discharged on</th><td></td></tr></table>
<p>Whoever reads this form keeps to the rules for the protection of data of the hospital and of its partners.</p>"""
LEFT, WIDTHS, STEP, SIZE = 50.0, (120.0, 140.0, 120.0, 120.0), 22.0, 9.5


def write_forms(folder: Path) -> list[Path]:
    """Writes the files; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "visit.html"
    page.write_text(VISIT, encoding="utf-8")
    ruled = [_kiln(folder / "kiln-data-sheet.pdf"), _order(folder / "order.pdf")]
    return [_crane(folder / "crane-certificate.pdf"), *ruled, page]


def _begin(title: str, lead: str) -> tuple[pymupdf.Document, pymupdf.Page]:
    document = pymupdf.open()
    page = document.new_page(width=600, height=800)
    page.insert_text((LEFT, 70), title, fontsize=17, fontname="hebo")
    page.insert_textbox(pymupdf.Rect(LEFT, 90, 550, 140), lead, fontsize=10, fontname="helv")
    return document, page


def _crane(path: Path) -> Path:
    document, page = _begin(
        "Certificate of Thorough Examination",
        "This certificate is issued after a thorough examination by a competent person. It is to be kept at the site.",
    )
    page.draw_line((LEFT - 5, 150), (555, 150), width=2)
    for number, row in enumerate(CRANE):
        top = 155 + number * STEP
        if number % 2 == 0:
            page.draw_rect(pymupdf.Rect(LEFT - 5, top, 555, top + STEP), fill=(0.93, 0.95, 0.98), color=None)
        x = LEFT
        for at, text in enumerate(row):
            page.insert_text((x, top + 14), text, fontsize=SIZE, fontname="helv" if at % 2 else "hebo")
            x += WIDTHS[at]
    document.save(path)
    return path


def _kiln(path: Path) -> Path:
    document, page = _begin(
        "Front loading kiln K 110", "Data are those of the standard version and may change without notice."
    )
    for number, row in enumerate(KILN):
        top, x = 150 + number * STEP, LEFT
        for at, text in enumerate(row):
            page.draw_rect(pymupdf.Rect(x - 4, top, x - 4 + WIDTHS[at], top + STEP), width=0.6)
            page.insert_text((x, top + 14), text, fontsize=SIZE, fontname="helv" if at % 2 else "hebo")
            x += WIDTHS[at]
    document.save(path)
    return path


def _order(path: Path) -> Path:
    document, page = _begin("Purchase order", "The terms of purchase on the back of this order hold for all its items.")
    for number, row in enumerate(ORDER):
        for at, (label, value) in enumerate(row):
            left, top = LEFT - 4 + at * 168, 150 + number * 38
            page.draw_rect(pymupdf.Rect(left, top, left + 168, top + 38), width=0.6)
            page.insert_text((left + 4, top + 12), label, fontsize=7, fontname="helv")
            page.insert_text((left + 4, top + 29), value, fontsize=11, fontname="hebo")
    document.save(path)
    return path
