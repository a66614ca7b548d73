"""A salesperson's question over a made price list, as workbook and as PDF: "oilless, 10–20 hp, ≥ 40 cfm, newest first".

Every count is that of the plain products.
"""

import csv
import io
from collections import Counter
from collections.abc import Callable
from datetime import date
from uuid import UUID

import pytest

from shared.domain.facets import Facet, FacetRange
from shared.domain.scope import Identity, Scope
from shared.retrieval.export import export_csv
from shared.retrieval.requests import ExportRequest, SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base, run_all, scope_of, upload
from tests.price_list import Product, made_products, price_pdf, price_workbook

PRODUCTS = made_products()
WANTED = "lubrication = oilless and motor_power >= 10 hp and motor_power <= 20 hp and flow >= 40 cfm"


def is_wanted(product: Product) -> bool:
    return product.lubrication == "oilless" and 10 <= product.power <= 20 and product.flow >= 40


@pytest.fixture(scope="module", params=["prices.xlsx", "prices.pdf"])
def scope(request: pytest.FixtureRequest, runtime: Runtime, identity: Identity) -> Scope:
    name: str = request.param
    scope = scope_of(identity, make_knowledge_base(runtime, identity, name.replace(".", "-")))
    data = price_workbook(PRODUCTS) if name.endswith("xlsx") else price_pdf(PRODUCTS)
    run_all(runtime, upload(runtime, identity, scope.knowledge_base_ids[0], data, name=name))
    return scope


def facets(runtime: Runtime, identity: Identity, base: UUID, where: str | None = None) -> dict[str, Facet]:
    request = SearchRequest(knowledge_base_ids=[base], where=where, facets=True)
    found = search(runtime, identity, request).facets
    assert found is not None
    return {one.name: one for one in found.attributes}


def check_counts(found: dict[str, Facet], products: list[Product]) -> None:
    for name, of in COLUMNS.items():
        check_ranges(found[name].ranges, [of(product) for product in products])
    values = {value.value: value.count for value in found["lubrication"].values}
    assert values == Counter(product.lubrication for product in products)


COLUMNS: dict[str, Callable[[Product], float]] = {
    "motor_power": lambda p: p.power,
    "flow": lambda p: p.flow,
    "price": lambda p: p.price,
    "available": lambda p: p.available.toordinal(),
}


def as_number(end: float | date) -> float:
    return end.toordinal() if isinstance(end, date) else end


def check_ranges(ranges: list[FacetRange], values: list[float]) -> None:
    ends = [(as_number(one.low), as_number(one.high)) for one in ranges]
    counted = {(low, high): sum(low <= value < high for value in values) for low, high in ends}
    assert dict(zip(ends, (one.count for one in ranges), strict=True)) == counted
    assert sum(counted.values()) == len(values)


def test_every_count_is_that_of_the_products(runtime: Runtime, identity: Identity, scope: Scope) -> None:
    found = facets(runtime, identity, scope.knowledge_base_ids[0])
    assert {name: found[name].unit for name in ("motor_power", "flow", "price")} == {
        "motor_power": "hp", "flow": "cfm", "price": "USD"
    }  # fmt: skip
    assert "model" not in found
    check_counts(found, PRODUCTS)


def test_the_counts_of_a_narrowed_result_are_those_of_the_products_in_it(
    runtime: Runtime, identity: Identity, scope: Scope
) -> None:
    wanted = [product for product in PRODUCTS if is_wanted(product)]
    assert 3 < len(wanted) < 30
    check_counts(facets(runtime, identity, scope.knowledge_base_ids[0], WANTED), wanted)


def test_the_result_is_exported_in_the_order_and_the_columns_asked_for(
    runtime: Runtime, identity: Identity, scope: Scope
) -> None:
    request = ExportRequest(
        knowledge_base_ids=list(scope.knowledge_base_ids),
        where=WANTED,
        sort="available desc",
        columns=["model", "motor_power", "flow", "price", "available"],
    )
    header, *rows = csv.reader(io.StringIO(export_csv(runtime, identity, request)))
    assert header == ["model", "motor power (hp)", "flow (cfm)", "price (USD)", "available"]
    wanted = sorted((p for p in PRODUCTS if is_wanted(p)), key=lambda p: p.available, reverse=True)
    assert [(row[0], float(row[1]), float(row[2]), float(row[3]), row[4]) for row in rows] == [
        (p.model, p.power, p.flow, p.price, p.available.isoformat()) for p in wanted
    ]
