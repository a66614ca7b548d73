"""A made price list of compressors: the products as plain values, and the workbook and the PDF that sell them.

What a search has to find is counted over the plain values, which nothing of the product has read.
"""

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import pymupdf

from tests.readers.workbooks import Made, workbook

SEED: Final = 14
MAKERS: Final = ("Apex", "Boreal", "Ciro")
LUBRICATION: Final = ("oilless", "oil-flooded", "water-injected")
HEADER: Final = ("Model", "Motor power [hp]", "Flow [cfm]", "Lubrication", "Price [USD]", "Available")
_EPOCH: Final = date(1899, 12, 30)
LINES_PER_PAGE: Final = 30


@dataclass(frozen=True)
class Product:
    model: str
    maker: str
    power: float
    flow: float
    lubrication: str
    price: float
    available: date


def made_products(count: int = 180) -> list[Product]:
    rng = random.Random(SEED)
    return [_product(rng, number) for number in range(count)]


def _product(rng: random.Random, number: int) -> Product:
    power = rng.choice([3, 5, 7.5, 10, 15, 20, 25, 30, 40, 50])
    return Product(
        model=f"{rng.choice('ABCDEF')}{rng.choice('KLMN')}-{number + 100}",
        maker=MAKERS[number % 3],
        power=power,
        flow=round(power * rng.uniform(3.6, 5.2), 1),
        lubrication=rng.choice(LUBRICATION),
        price=round(900 * power * rng.uniform(0.8, 1.3)),
        available=date(2024, 1, 1) + timedelta(days=rng.randrange(900)),
    )


def price_workbook(products: list[Product]) -> bytes:
    """A sheet a maker: a title, a header with units, the products, and a note below."""
    return workbook({maker: _sheet(maker, [p for p in products if p.maker == maker]) for maker in MAKERS})


def _sheet(maker: str, products: list[Product]) -> Made:
    cells: dict[str, str | float | tuple[float, str]] = {"A1": f"{maker} compressors, list prices"}
    cells |= {f"{'ABCDEF'[at]}3": label for at, label in enumerate(HEADER)}
    for row, product in enumerate(products, 4):
        days = float((product.available - _EPOCH).days)
        cells |= {
            f"A{row}": product.model,
            f"B{row}": product.power,
            f"C{row}": (product.flow, "0.0"),
            f"D{row}": product.lubrication,
            f"E{row}": (product.price, "#,##0"),
            f"F{row}": (days, "yyyy-mm-dd"),
        }
    cells[f"A{len(products) + 6}"] = "Prices are without freight and may change without notice."
    return Made(cells)


def price_pdf(products: list[Product]) -> bytes:
    """The same as ruled tables, a page of them after another."""
    with pymupdf.open() as document:
        for first in range(0, len(products), LINES_PER_PAGE):
            page = document.new_page(width=595, height=842)
            page.insert_text((40, 60), "Compressors, list prices", fontsize=14)
            _draw(page, products[first : first + LINES_PER_PAGE])
        return document.tobytes()


def _draw(page: pymupdf.Page, products: list[Product]) -> None:
    left = (40, 110, 200, 270, 370, 450, 530)
    rows = [HEADER, *(_printed(product) for product in products)]
    for number, cells in enumerate(rows):
        top = 80 + number * 22
        for place, cell in enumerate(cells):
            page.draw_rect(pymupdf.Rect(left[place], top, left[place + 1], top + 22), width=0.5)
            page.insert_text((left[place] + 4, top + 15), cell, fontsize=9)


def _printed(product: Product) -> tuple[str, ...]:
    return (
        product.model, f"{product.power:g}", f"{product.flow:.1f}", product.lubrication, f"{product.price:.0f}",
        product.available.isoformat(),
    )  # fmt: skip
