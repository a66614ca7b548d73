"""Plots over HTTP, of a file that is really ingested; what is drawn is compared with figures worked out by hand."""

import json
import math
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
import vl_convert

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.bench.plots import store_table
from tests.pipeline import make_knowledge_base, run_all, upload
from tests.store.seeding import add_base

# Means by group: a 15, b 40, c 7; standard errors 5, 10, none.
RUNS = (
    "Group,Dose (mg),Length (mm),Day\n"
    "b,1,30,2024-01-05\n"
    "a,1,10,2024-01-20\n"
    "a,10,20,2024-02-03\n"
    "b,10,50,2024-02-04\n"
    "c,100,7,2024-02-05\n"
    "c,0,,2023-12-31\n"
)
HOSTILE = (
    '__proto__,"constructor[0].x","<img src=x onerror=f()>",f0,"a""]);f()//"\n'
    '"""]);f();//",1,"<script>f()</script>",2,x\n'
    "__proto__,2,\\' + f() + \\',3,y\n"
    "javascript:f(),3,=1+1,4,z\n"
)
LENGTH, DOSE = "Length (mm)", "Dose (mg)"
MEANS: dict[str, Any] = {"mark": "bar", "x": {"field": "Group"}, "y": {"field": LENGTH, "aggregate": "mean"}}
WITHIN: dict[str, Any] = {"mark": "bar", "encoding": {"x": {"field": "Group"}, "y": {"aggregate": "count"}}}
T_OF_ONE_DEGREE = 12.7062


class Bench:
    """A knowledge base with two datasets, and requests about plots of them."""

    def __init__(self, runtime: Runtime, identity: Identity, client: Client) -> None:
        self.client, self.runtime, self.identity = client, runtime, identity
        # The datasets of texts: a file is taken in once.
        self._drawn = dict[str, str]()
        self.base = make_knowledge_base(runtime, identity, f"plots {new_id().hex}")
        for name, text in (("runs.csv", RUNS), ("hostile.csv", HOSTILE)):
            run_all(runtime, upload(runtime, identity, self.base, text.encode(), name))
        tables = {one["document"]: one for one in self.ask("GET", f"/knowledge-bases/{self.base}/tables")["items"]}
        self.runs, self.hostile = (self.dataset(tables[name]["table_id"]) for name in ("runs.csv", "hostile.csv"))

    def ask(self, method: str, path: str, status: int = 200, **options: Any) -> Any:
        answer = self.client(method, f"/v1{path}", **options)
        assert answer.status_code == status, answer.text
        return answer.json()

    def dataset(self, *tables: str) -> str:
        body = {"knowledge_base_id": str(self.base), "table_ids": [*tables], "name": f"d {new_id().hex}"}
        return self.ask("POST", "/datasets", 201, json=body)["id"]

    def draw(self, form: dict[str, Any], status: int = 200, dataset: str | None = None) -> Any:
        return self._preview({"form": form}, status, dataset)

    def draw_by_hand(self, spec: dict[str, Any], status: int = 200, dataset: str | None = None) -> Any:
        return self._preview({"vega_lite": spec}, status, dataset)

    def draw_csv(self, text: str, form: dict[str, Any], status: int = 200) -> Any:
        if text not in self._drawn:
            name = f"{new_id().hex}.csv"
            run_all(self.runtime, upload(self.runtime, self.identity, self.base, text.encode(), name))
            tables = self.ask("GET", f"/knowledge-bases/{self.base}/tables")["items"]
            self._drawn[text] = self.dataset(next(one["table_id"] for one in tables if one["document"] == name))
        return self.draw(form, status, self._drawn[text])

    def make(self, form: dict[str, Any], **more: Any) -> Any:
        return self.ask("POST", "/plots", 201, json={"dataset_id": self.runs, "spec": {"form": form}, **more})

    def _preview(self, spec: Any, status: int, dataset: str | None) -> Any:
        return self.ask("POST", "/plots/preview", status, json={"dataset_id": dataset or self.runs, "spec": spec})


@pytest.fixture(scope="module")
def bench(runtime: Runtime, identity: Identity, client: Client) -> Bench:
    return Bench(runtime, identity, client)


@pytest.fixture(scope="module")
def many(runtime: Runtime, identity: Identity, bench: Bench) -> str:
    """A dataset of more rows than marks can be drawn."""
    scope = add_base(runtime, identity, f"many-{new_id().hex}")
    tables = store_table(runtime, scope, 6_000, seed=7)
    body = {"knowledge_base_id": str(scope.knowledge_base_ids[0]), "table_ids": [str(one) for one in tables]}
    return bench.ask("POST", "/datasets", 201, json=body)["id"]


def cells(drawing: Any) -> list[list[Any]]:
    (table,) = drawing["tables"]
    return [row["cells"] for row in table["rows"]]


def test_bars_are_means_of_what_is_printed_with_units_a_table_and_words(bench: Bench) -> None:
    drawn = bench.draw(MEANS)
    assert cells(drawn) == [["a", 15.0], ["b", 40.0], ["c", 7.0]]
    assert [row["rows"] for row in drawn["tables"][0]["rows"]] == [2, 2, 2]
    spec = drawn["vega_lite"]
    assert spec["encoding"]["y"]["title"] == "Mean of Length (mm)"
    assert spec["encoding"]["x"]["sort"] == ["a", "b", "c"]
    assert drawn["alt"] == (
        "Bar chart: Mean of Length (mm) by Group. 3 bars of 6 rows. Mean of Length (mm) from 7 to 40. "
        "Highest: b, 40; lowest: c, 7."
    )
    assert spec["description"] == drawn["alt"]


def test_error_bars_reach_as_far_as_they_say(bench: Bench) -> None:
    for extent, half in (("stderr", 5.0), ("stdev", 50**0.5), ("ci", 5 * T_OF_ONE_DEGREE)):
        drawn = bench.draw(MEANS | {"error_bars": extent})
        first = cells(drawn)[0]
        assert first[:2] == ["a", 15.0]
        assert first[2:] == pytest.approx([15 - half, 15 + half], rel=1e-4)
        # And so they are drawn: from one end to the other, of whichever value the mark shows.
        _, rule, *caps = drawn["vega_lite"]["layer"]
        ends = [rule["encoding"]["y"]["field"], rule["encoding"]["y2"]["field"]]
        assert [cap["encoding"]["y"]["field"] for cap in caps] == ends
        first_mark = next(value for value in drawn["vega_lite"]["data"]["values"] if value.get(ends[0]) is not None)
        assert [first_mark[end] for end in ends] == pytest.approx([15 - half, 15 + half], rel=1e-4)
    # c has one value, and nothing to be said of its spread.
    assert cells(drawn)[2][2:] == [None, None]
    assert drawn["notices"] == ["1 of 3 groups has no error bar: it takes two values."]
    assert drawn["alt"].endswith("Error bars: 95 % confidence interval.")


MEASURED = (
    "Medium,Day,Mass (g),SD (g),SD (mg),Note,Cost (USD),SD (kUSD)\n"
    "BBM,0,1.5,0.25,250,x,1100,0.25\n"
    "BBM,1,2.5,0.5,500,y,1200,0.5\n"
    "f/2,0,1.25,,5,x,1300,0.25\n"
    "f/2,1,1.75,0.75,750,y,1400,0.5\n"
)


@pytest.fixture(scope="module")
def measured(runtime: Runtime, identity: Identity, bench: Bench) -> str:
    """A dataset with a column that says how far its numbers are sure."""
    run_all(runtime, upload(runtime, identity, bench.base, MEASURED.encode(), "measured.csv"))
    tables = bench.ask("GET", f"/knowledge-bases/{bench.base}/tables")["items"]
    return bench.dataset(next(one["table_id"] for one in tables if one["document"] == "measured.csv"))


MASSES: dict[str, Any] = {
    "mark": "line", "x": {"field": "Day"}, "y": {"field": "Mass (g)"}, "colour": {"field": "Medium"},
    "error_field": "SD (g)",
}  # fmt: skip


def ends(drawing: Any) -> dict[tuple[Any, ...], list[Any]]:
    """From where to where error bars reach, by the values of the first three columns of a table."""
    (table,) = drawing["tables"]
    at = [one["title"] for one in table["columns"]].index("± SD (g), from")
    return {tuple(row["cells"][:3]): row["cells"][at : at + 2] for row in table["rows"]}


def test_error_bars_of_printed_numbers_reach_as_far_as_their_column_says(bench: Bench, measured: str) -> None:
    drawn = bench.draw(MASSES, dataset=measured)
    assert ends(drawn) == {
        ("BBM", 0, 1.5): [1.25, 1.75], ("BBM", 1, 2.5): [2.0, 3.0], ("f/2", 0, 1.25): [None, None],
        ("f/2", 1, 1.75): [1.0, 2.5],
    }  # fmt: skip
    assert drawn["notices"] == ["1 of 4 rows has no error bar: a value is missing."]
    assert drawn["alt"].endswith("Error bars: ± SD (g).")
    line, rule, *caps = drawn["vega_lite"]["layer"]
    assert [one["encoding"]["y"]["field"] for one in (rule, *caps)] == ["low", "low", "high"]
    assert rule["encoding"]["y2"] == {"field": "high"}
    values = drawn["vega_lite"]["data"]["values"]
    assert [(one.get("low"), one.get("high")) for one in values] == [(1.25, 1.75), (2.0, 3.0), (None, None), (1.0, 2.5)]
    # What has no error bar is drawn itself.
    assert [one["drawn0"] for one in values] == [True] * 4
    assert [one["drawn1"] for one in values] == [True, True, False, True]
    assert "yError" not in line["encoding"]


def test_the_cells_behind_a_mark_with_an_error_bar_are_both(bench: Bench, measured: str) -> None:
    body = {"dataset_id": measured, "spec": {"form": MASSES}, "mark": 1}
    assert "0.5" in [one["text"] for one in bench.ask("POST", "/plots/preview/cells", json=body)["cells"]]


def test_error_bars_stand_where_their_bars_do(bench: Bench, measured: str) -> None:
    bars = {"mark": "bar", "x": {"field": "Medium"}, "y": {"field": "Mass (g)"}, "error_field": "SD (g)"}
    bar, *parts = bench.draw(bars, dataset=measured)["vega_lite"]["layer"]
    values = bench.draw(bars, dataset=measured)["vega_lite"]["data"]["values"]
    assert bar["encoding"]["xOffset"]["field"] == "place0"
    assert {part["encoding"]["xOffset"]["field"] for part in parts} == {"place1"}
    assert [one["place1"] for one in values] == [one["place0"] for one in values]
    assert len({one["place0"] for one in values}) == 2


def test_error_bars_across_belong_to_the_axis_of_numbers(bench: Bench, measured: str) -> None:
    across = {"mark": "point", "x": {"field": "Mass (g)"}, "y": {"field": "Medium"}, "error_field": "SD (g)"}
    _, rule, *_ = bench.draw(across, dataset=measured)["vega_lite"]["layer"]
    assert (rule["encoding"]["x"]["field"], rule["encoding"]["x2"]) == ("low", {"field": "high"})
    by_hand = {"x": {"field": "Mass (g)"}, "y": {"field": "Medium"}, "xError": {"field": "SD (g)"}}
    layers = [{"mark": "point", "encoding": by_hand}, {"mark": "errorbar", "encoding": by_hand}]
    assert ends(bench.draw_by_hand({"layer": layers}, dataset=measured)) == ends(bench.draw(across, dataset=measured))


@pytest.fixture(scope="module")
def unsure(runtime: Runtime, identity: Identity, bench: Bench) -> str:
    """Numbers that are less sure than they are large."""
    text = "Name,Mass (g),SD (g)\na,1,0.5\nb,2,3\nc,4,4\nd,-1,5\n"
    run_all(runtime, upload(runtime, identity, bench.base, text.encode(), "unsure.csv"))
    tables = bench.ask("GET", f"/knowledge-bases/{bench.base}/tables")["items"]
    return bench.dataset(next(one["table_id"] for one in tables if one["document"] == "unsure.csv"))


BEYOND = (
    "2 error bars reach to 0 or below, which a logarithmic axis does not show. They are drawn to its lower end, without"
    " an end there."
)


@pytest.mark.parametrize(("axis", "end"), [("y", "height"), ("x", 0)])
def test_an_error_bar_beyond_a_logarithmic_axis_is_drawn_to_its_lower_end(
    bench: Bench, unsure: str, axis: str, end: Any
) -> None:
    names = "x" if axis == "y" else "y"
    form = {
        "mark": "point", names: {"field": "Name"}, axis: {"field": "Mass (g)", "scale": "log"}, "error_field": "SD (g)"
    }  # fmt: skip
    drawn = bench.draw(form, dataset=unsure)
    assert BEYOND in drawn["notices"]
    values = drawn["vega_lite"]["data"]["values"]
    assert [(one.get("low"), one.get("high"), one.get("open")) for one in values[:3]] == [
        (0.5, 1.5, None), (None, 5, True), (None, 8, True)
    ]  # fmt: skip
    _, rule, cap, beyond, upper = drawn["vega_lite"]["layer"]
    only = {"field": "open", "equal": True}
    for part in (rule, cap):
        assert part["transform"][-1] == {"filter": {"not": only}}
        assert part["encoding"][axis]["field"] == "low"
    assert beyond["transform"][-1] == {"filter": only}
    assert (beyond["encoding"][axis]["field"], beyond["encoding"][f"{axis}2"]) == ("high", {"value": end})
    assert upper["encoding"][axis]["field"] == "high"
    assert upper["transform"] == beyond["transform"][:-1]
    # The table tells the ends as they are.
    (table,) = drawn["tables"]
    at = [one["title"] for one in table["columns"]].index("± SD (g), from")
    assert [row["cells"][at : at + 2] for row in table["rows"]][:3] == [[0.5, 1.5], [-1, 5], [0, 8]]


def test_bars_on_a_logarithmic_axis_begin_below_the_least_and_are_not_put_on_each_other(
    bench: Bench, unsure: str
) -> None:
    def shown(**form: Any) -> dict[str, Any]:
        return bench.draw({"mark": "bar", "x": {"field": "Name"}} | form, dataset=unsure)["vega_lite"]

    masses = {"field": "Mass (g)", "scale": "log"}
    alone = shown(y=masses)["encoding"]["y"]
    # Of 1, 2 and 4 (-1 is not drawn).
    assert (alone["stack"], alone["scale"]["domainMin"]) == (None, pytest.approx(0.1))
    for layer in shown(y=masses, error_field="SD (g)")["layer"]:
        assert layer["encoding"]["y"]["scale"]["domainMin"] == pytest.approx(0.1)
    counted = shown(y={"aggregate": "count", "scale": "log"}, colour={"field": "SD (g)"})["encoding"]
    assert (counted["xOffset"]["field"], counted["y"]["stack"]) == (counted["color"]["field"], None)
    for form in ({"mark": "point", "y": masses}, {"y": {"field": "Mass (g)"}}):
        encoding = shown(**form)["encoding"]["y"]
        assert "stack" not in encoding
        assert "domainMin" not in encoding.get("scale", {})
    scale = {"type": "log", "domain": [0.5, 10]}
    by_hand = {"mark": "area", "encoding": {"x": {"field": "Name"}, "y": {"field": "Mass (g)", "scale": scale}}}
    said = bench.draw_by_hand(by_hand, dataset=unsure)["vega_lite"]["encoding"]["y"]
    assert (said["stack"], said["scale"]) == (None, scale)


def test_an_error_bar_below_zero_is_whole_on_another_axis_and_an_axis_turned_round_ends_above(
    bench: Bench, unsure: str
) -> None:
    form = {"mark": "point", "x": {"field": "Name"}, "y": {"field": "Mass (g)"}, "error_field": "SD (g)"}
    drawn = bench.draw(form, dataset=unsure)
    assert drawn["notices"] == []
    assert len(drawn["vega_lite"]["layer"]) == 4
    encoding = {"x": {"field": "Name"}, "yError": {"field": "SD (g)"}}
    scale = {"type": "log", "reverse": True}
    layer = [{"mark": "errorbar", "encoding": encoding | {"y": {"field": "Mass (g)", "scale": scale}}}]
    *_, beyond, _ = bench.draw_by_hand({"layer": layer}, dataset=unsure)["vega_lite"]["layer"]
    assert beyond["encoding"]["y2"] == {"value": 0}


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"error_field": "SD (mg)"}, 422, "“Mass (g)” and “SD (mg)” have different units. Convert one first."),
        ({"y": {"field": "Cost (USD)"}, "error_field": "SD (kUSD)"}, 422, "have different units. Convert one first."),
        ({"error_field": "Note"}, 422, "“Note” is text, not a number"),
        ({"error_field": "Elsewhere"}, 422, "The dataset has no column “Elsewhere”"),
        ({"y": {"field": "Medium"}, "x": {"field": "Note"}}, 422, "“Medium” is text, not a number: an error bar"),
        ({"mark": "area"}, 422, "error bars stand on bars, lines and points"),
        ({"y": {"field": "Mass (g)", "aggregate": "mean"}}, 422, "leave the aggregate out"),
        ({"y": {"field": "Mass (g)", "bins": 5}, "x": {"field": "Note"}}, 422, "leave aggregates and bins out"),
    ],
)
def test_error_bars_that_no_column_gives_are_refused(
    bench: Bench, measured: str, change: dict[str, Any], status: int, said: str
) -> None:
    assert said in json.dumps(bench.draw(MASSES | change, status, measured), ensure_ascii=False)


POINTS: dict[str, Any] = {"mark": "point", "x": {"field": DOSE}, "y": {"field": LENGTH}, "trend": "linear"}


def test_a_straight_line_goes_through_points_and_is_told_in_words(bench: Bench) -> None:
    drawn = bench.draw(POINTS)
    # By hand, of (1, 30), (1, 10), (10, 20), (10, 50) and (100, 7): Sxy / Sxx = -1414.8 / 7225.2.
    said = "Straight line of least squares: Length (mm) = -0.1958 × Dose (mg) + 28.18, R² 0.2287, 5 points."
    assert drawn["alt"].endswith(said)
    points, line = drawn["vega_lite"]["layer"]
    (x, y), (low, high) = (points["encoding"][axis]["field"] for axis in ("x", "y")), line["data"]["values"]
    assert [low[x], high[x]] == [1, 100]
    assert [low[y], high[y]] == pytest.approx([27.982, 8.5964], abs=1e-3)
    assert line["encoding"]["y"] == points["encoding"]["y"]
    assert "mark" not in low
    assert len(cells(drawn)) == 6
    plot = bench.make(POINTS)
    picture = bench.client.get(f"/v1/plots/{plot['id']}.svg")
    assert picture.status_code == 200
    assert "stroke-dasharray" in picture.text


def test_each_colour_has_a_line_of_its_own_that_takes_three_points(bench: Bench) -> None:
    drawn = bench.draw(POINTS | {"colour": {"field": "Group"}})
    assert "Straight line" not in drawn["alt"]
    assert drawn["notices"][-1].startswith("There is no straight line: it takes three points")
    made = bench.draw_csv("Group,X,Y\na,1,2\na,2,4\na,3,6\nb,1,9\nb,2,8\nb,3,7\nc,1,1\nc,1,2\nc,1,3\n", {
        "mark": "point", "x": {"field": "X"}, "y": {"field": "Y"}, "colour": {"field": "Group"}, "trend": "linear",
    })  # fmt: skip
    assert "least squares of a: Y = 2 × X + 0, R² 1, 3 points." in made["alt"]
    assert "least squares of b: Y = -1 × X + 10, R² 1, 3 points." in made["alt"]
    assert "of c" not in made["alt"]
    points, line = made["vega_lite"]["layer"]
    assert line["encoding"]["color"] == points["encoding"]["color"]
    assert line["mark"]["tooltip"] is None
    # Else the legend of colours stands apart from that of signs.
    assert [points["encoding"][name]["scale"]["domain"] for name in ("color", "shape")] == [["a", "b", "c"]] * 2
    colour = points["encoding"]["color"]["field"]
    assert [one[colour] for one in line["data"]["values"]] == ["a", "a", "b", "b"]


@pytest.mark.parametrize("trend", [None, "linear"])
def test_colours_and_signs_of_points_have_one_legend(bench: Bench, trend: str | None) -> None:
    text = "Kind,X,Y\nb,1,2\na,2,4\n,3,6\nb,4,4\nb,5,8\na,6,6\na,7,7\n"
    form = {"mark": "point", "x": {"field": "X"}, "y": {"field": "Y"}, "colour": {"field": "Kind"}, "trend": trend}
    svg = vl_convert.vegalite_to_svg(bench.draw_csv(text, form)["vega_lite"])
    assert svg.count("role-legend-title") == 1
    labels = re.findall(r"role-legend-label.*?</g>", svg, re.S)
    assert [re.findall(r">([^<]+)</text>", one) for one in labels] == [["a"], ["b"], ["(missing)"]]
    signs = re.findall(r'role-legend-symbol.*?stroke="(#\w+)"', svg, re.S)
    assert len(set(signs)) == 3


def test_a_line_goes_through_what_is_drawn_and_a_colour_of_numbers_makes_no_groups(bench: Bench) -> None:
    text = "X,Y,N\n1,1,5\n2,2,6\n3,3,7\n4,,8\n,9,9\n9,1,\n"
    form = {"mark": "point", "x": {"field": "X"}, "y": {"field": "Y"}, "colour": {"field": "N"}, "trend": "linear"}
    made = bench.draw_csv(text, form)
    assert "Straight line of least squares: Y = 1 × X + 0, R² 1, 3 points." in made["alt"]
    line = made["vega_lite"]["layer"][1]
    assert "color" not in line["encoding"]


def test_a_line_below_zero_and_one_that_is_level_are_told_as_they_are(bench: Bench) -> None:
    form = {"mark": "point", "x": {"field": "X"}, "y": {"field": "Y"}, "trend": "linear"}
    assert "Y = 2 × X − 3, R² 1, 3 points." in bench.draw_csv("X,Y\n1,-1\n2,1\n3,3\n", form)["alt"]
    assert "Y = 0 × X + 4, R² 1, 3 points." in bench.draw_csv("X,Y\n1,4\n2,4\n3,4\n", form)["alt"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mark": "line"}, "a trend goes through points"),
        ({"x": None}, "a trend goes through points"),
        ({"facet": {"field": "Group"}}, "not in panels"),
        ({"y": {"field": LENGTH, "aggregate": "mean"}}, "as printed"),
        ({"x": {"field": DOSE, "scale": "log"}}, "not logarithmic"),
        ({"y": {"field": LENGTH, "scale": "log"}}, "not logarithmic"),
        ({"x": {"field": "Group"}}, "numbers on both axes"),
        ({"x": {"field": DOSE, "bins": 5}}, "as they are printed"),
    ],
)
def test_no_straight_line_stands_where_axes_have_no_plain_numbers(
    bench: Bench, change: dict[str, Any], said: str
) -> None:
    assert said in json.dumps(bench.draw(POINTS | change, 422))


TOWNS = "Town,Share (%),Sold\nOslo,50,4\nBergen,30,3\nMoss,15,2\nVoss,5,-1\n"
PIE: dict[str, Any] = {"mark": "arc", "x": {"field": "Town"}, "y": {"field": "Share (%)"}}
SOLD = PIE | {"y": {"field": "Sold"}}
SUMMED = PIE | {"y": {"field": "Sold", "aggregate": "sum"}}


def test_a_pie_has_its_slices_in_their_order_with_their_shares_beside_them(bench: Bench) -> None:
    made = bench.draw_csv(TOWNS, PIE | {"sort": "descending"})
    assert made["title"] == "Pie chart: Share (%) by Town"
    assert "4 slices of 4 rows." in made["alt"]
    assert made["alt"].endswith("Shares: Oslo 50.0 %, Bergen 30.0 %, Moss 15.0 %, Voss 5.0 %.")
    assert made["notices"] == []
    assert cells(made) == [["Oslo", 50, 50], ["Bergen", 30, 30], ["Moss", 15, 15], ["Voss", 5, 5]]
    data = {one["mark"]: one for one in made["vega_lite"]["data"]["values"]}
    ends = [(one["slice_from"] / math.tau, one["slice_to"] / math.tau) for one in data.values()]
    assert [round(one, 6) for pair in ends for one in pair] == [0, 0.5, 0.5, 0.8, 0.8, 0.95, 0.95, 1]
    assert [one["share"] for one in data.values()] == [0.5, 0.3, 0.15, 0.05]
    # Oslo's label stands at the right, the others left; none on the pie, none on another.
    assert [one["label_at"] < math.pi for one in data.values()] == [True, False, False, False]
    assert all(one["label_radius"] > 110 for one in data.values())
    heights = sorted(-one["label_radius"] * math.cos(one["label_at"]) for one in [*data.values()][1:])
    assert min(b - a for a, b in pairwise(heights)) >= 16 - 1e-6
    slices, dots, *written = made["vega_lite"]["layer"]
    assert [one["mark"]["align"] for one in written] == ["right", "left"]
    assert dots["encoding"]["color"] == slices["encoding"]["color"]
    assert (slices["encoding"]["color"]["legend"], slices["encoding"]["theta"]["stack"]) == (None, None)


def test_slices_by_name_are_counted_summed_and_lead_to_their_cells(bench: Bench) -> None:
    counted = {"mark": "arc", "x": {"field": "Group"}, "y": {"aggregate": "count"}}
    assert "Shares: a 33.3 %, b 33.3 %, c 33.3 %." in bench.draw(counted)["alt"]
    summed = counted | {"y": {"field": LENGTH, "aggregate": "sum"}}
    made = bench.draw(summed)
    assert [(row[0], row[1]) for row in cells(made)] == [("a", 30), ("b", 80), ("c", 7)]
    assert [round(row[2], 3) for row in cells(made)] == [25.641, 68.376, 5.983]
    plot = bench.make(summed)["id"]
    found = bench.ask("GET", f"/plots/{plot}/marks/1")
    assert (found["title"], found["rows"]) == ("Group: b", 2)
    assert {"30", "50"} <= {one["text"] for one in found["cells"]}
    hand = {"mark": "arc", "encoding": {"theta": {"field": LENGTH, "aggregate": "sum"}, "color": {"field": "Group"}}}
    assert bench.draw_by_hand(hand)["alt"] == made["alt"]
    for language, printed in (("en", "b 68.4 %"), ("de", "b 68,4 %")):
        headers = {"Accept-Language": language}
        assert f">{printed}<" in bench.client.get(f"/v1/plots/{plot}.svg", headers=headers).text
        # By whatever language it is read in, its data are the same.
        drawn = bench.client.get(f"/v1/plots/{plot}/drawing", headers=headers).json()
        assert (drawn["plot"]["dataset_changed"], printed in drawn["drawing"]["alt"]) == (False, True)


def test_small_slices_beside_each_other_have_labels_apart(bench: Bench) -> None:
    names = "ABCDEFGH"
    text = "Town,Share (%)\n" + "".join(f"{one},{1 if one != 'H' else 93}\n" for one in names)
    data = bench.draw_csv(text, PIE)["vega_lite"]["data"]["values"]
    for right in (True, False):
        own = [one for one in data if (one["label_at"] < math.pi) is right]
        heights = sorted(-one["label_radius"] * math.cos(one["label_at"]) for one in own)
        assert [b - a for a, b in pairwise(heights) if b - a < 16 - 1e-6] == []
        # None is moved further than half of what all labels of its side take together.
        assert all(abs(height) < 134 + 16 * len(own) / 2 for height in heights)


@pytest.mark.parametrize(
    ("text", "form", "said"),
    [
        (TOWNS, PIE | {"y": {"field": "Sold"}}, "“Voss” is -1. Draw bars"),
        (TOWNS, PIE | {"y": {"field": "Sold", "aggregate": "mean"}}, "count rows, sum a column"),
        (TOWNS, PIE | {"y": {"field": "Town"}}, "count rows, sum a column"),
        (TOWNS, PIE | {"x": {"field": "Sold", "bins": 5}}, "count rows, sum a column"),
        ("Town,Share (%)\na,1\na,2\n", PIE, "Several rows are called “a”"),
        ("Town,Share (%)\na,0\nb,0\n", PIE, "nothing to divide"),
        ("Town,Share (%)\n" + "".join(f"t{n},1\n" for n in range(9)), PIE, "A pie of 9 slices cannot be read: 8"),
        ("Town,Share (%)\na,91\nb,87.5\n", PIE, "These are 178.5 % together: as proportions they are no parts"),
        ("Town,Share (%)\n" + "".join(f"t{n},13.1\n" for n in range(8)), PIE, "These are 104.8 % together"),
        ("Town,Sold\na,.91\nb,.87\nc,1\n", SOLD, "These are 2.78 together: as proportions they are no parts"),
        ("Town,Sold\na,.5\na,.4\nb,.2\n", SUMMED, "These are 1.1 together: as proportions they are no parts"),
    ],
)
def test_what_is_no_whole_of_parts_is_no_pie(bench: Bench, text: str, form: dict[str, Any], said: str) -> None:
    assert said in bench.draw_csv(text, form, 422)["detail"]


def test_a_whole_in_eighths_that_are_rounded_up_is_drawn_and_told(bench: Bench) -> None:
    drawn = bench.draw_csv("Town,Share (%)\n" + "".join(f"t{n},13\n" for n in range(8)), PIE)
    assert any("104 % together" in one for one in drawn["notices"])


def test_shares_that_are_no_hundred_together_are_told(bench: Bench) -> None:
    drawn = bench.draw_csv("Town,Share (%),Sold\na,30,1\nb,57.5,2\nc,,3\n", PIE)
    assert "These are 87.5 % together, not 100 %: the slices are shares of that." in drawn["notices"]
    assert "1 row is not drawn: a value is missing." in drawn["notices"]
    assert bench.draw_csv("Town,Share (%)\na,33.3\nb,33.3\nc,33.3\n", PIE)["notices"] == []
    assert bench.draw_csv("Town,Sold\na,3\nb,4\n", PIE | {"y": {"field": "Sold"}})["notices"] == []
    towns = "Town,Share (%)\na,30\na,20\nb,3\n"
    summed = bench.draw_csv(towns, PIE | {"y": {"field": "Share (%)", "aggregate": "sum"}})
    assert "These are 53 % together" in "".join(summed["notices"])
    counted = bench.draw_csv(towns, PIE | {"y": {"field": "Share (%)", "aggregate": "count"}})
    assert counted["notices"] == []


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Town,Sold\na,.5\nb,.3\nc,.2\n", SOLD),
        ("Town,Sold\na,.333\nb,.333\nc,.339\n", SOLD),
        ("Town,Sold\na,0.5\nb,1.3\nc,0.2\n", SOLD),
        ("Town,Sold\na,1\nb,1\n", SOLD),
        ("Town,Sold (kg)\na,.91\nb,.87\n", PIE | {"y": {"field": "Sold (kg)"}}),
        ("Town,Sold\na,.9\na,.8\nb,.7\n", PIE | {"y": {"field": "Sold", "aggregate": "count"}}),
        ("Town,Share (%)\na,90\na,80\nb,70\n", PIE | {"y": {"field": "Share (%)", "aggregate": "count"}}),
        ("Town,Share (%)\na,50.4\nb,50.4\n", PIE),
        ("Town,Sold\n" + "".join(f"t{n},.13\n" for n in range(8)), SOLD),
    ],
)
def test_shares_of_one_and_amounts_are_pies(bench: Bench, text: str, form: dict[str, Any]) -> None:
    assert bench.draw_csv(text, form)["notices"] == []


@pytest.mark.parametrize("more", [
    {"colour": {"field": "Group"}}, {"facet": {"field": "Group"}}, {"y": None},
])  # fmt: skip
def test_a_pie_has_nothing_but_slices(bench: Bench, more: dict[str, Any]) -> None:
    form = {"mark": "arc", "x": {"field": "Group"}, "y": {"aggregate": "count"}}
    assert "nothing else" in json.dumps(bench.draw(form | more, 422))
    encoding = {"theta": {"aggregate": "count"}, "color": {"field": "Group"}}
    sized = {"mark": "arc", "encoding": encoding | {"opacity": {"value": 0.5}}}
    assert "nothing else" in bench.draw_by_hand(sized, 422)["detail"]
    layers = {"encoding": encoding, "layer": [{"mark": "arc"}, {"mark": "arc"}]}
    assert "nothing else" in bench.draw_by_hand(layers, 422)["detail"]


def test_bins_months_medians_and_orders_are_computed_before_anything_is_drawn(bench: Bench) -> None:
    histogram = bench.draw({"mark": "bar", "x": {"field": LENGTH, "bins": 5}, "y": {"aggregate": "count"}})
    assert cells(histogram) == [[0.0, 20.0, 2], [20.0, 40.0, 2], [40.0, 60.0, 1], [None, None, 1]]
    assert histogram["notices"] == ["1 row is not drawn: a value is missing."]
    by_month = {"mark": "line", "x": {"field": "Day", "time_unit": "yearmonth"}, "y": {"aggregate": "count"}}
    assert cells(bench.draw(by_month)) == [["2023-12-01", 1], ["2024-01-01", 2], ["2024-02-01", 3]]
    axis = bench.draw(by_month)["vega_lite"]["encoding"]["x"]["axis"]
    assert (axis["format"], axis["tickCount"]) == ("%b %Y", {"interval": "month", "step": 1})
    by_year = by_month | {"x": {"field": "Day", "time_unit": "year"}}
    axis = bench.draw(by_year)["vega_lite"]["encoding"]["x"]["axis"]
    assert (axis["format"], axis["tickCount"]) == ("%Y", {"interval": "year", "step": 1})
    boxes = bench.draw({"mark": "boxplot", "x": {"field": "Group"}, "y": {"field": LENGTH}})
    assert cells(boxes)[1] == ["b", 30.0, 35.0, 40.0, 45.0, 50.0]
    largest = bench.draw(MEANS | {"sort": "descending"})["vega_lite"]
    assert largest["encoding"]["x"]["sort"] == ["b", "a", "c"]


def test_a_logarithmic_axis_leaves_out_what_it_cannot_show_and_says_so(bench: Bench) -> None:
    drawn = bench.draw({"mark": "point", "x": {"field": DOSE, "scale": "log"}, "y": {"field": LENGTH}})
    shown = [one for one in drawn["vega_lite"]["data"]["values"] if one["drawn0"]]
    assert len(shown) == 5
    assert drawn["notices"] == ["1 row is not drawn: a value is missing, or not above 0 on a logarithmic axis."]


def test_layers_by_hand_are_drawn_as_the_form_is(bench: Bench) -> None:
    encoding = {"x": {"field": "Group"}, "y": {"field": LENGTH, "aggregate": "average"}}
    assert cells(bench.draw_by_hand({"mark": "bar", "encoding": encoding})) == cells(bench.draw(MEANS))
    points = {"mark": "point", "encoding": {"x": {"field": "Group"}, "y": {"field": LENGTH}}}
    layered = bench.draw_by_hand({"layer": [points, {"mark": "bar", "encoding": encoding}]})
    assert [len(table["rows"]) for table in layered["tables"]] == [6, 3]
    marks = [row["mark"] for table in layered["tables"] for row in table["rows"]]
    assert marks == [*range(9)]


REFUSED = {
    "data": ({"data": {"url": "https://elsewhere.example/x.json"}}, "data is not taken. A plot draws its dataset."),
    "inline data": ({"data": {"values": [{"Group": 1}]}}, "data is not taken"),
    "named data": ({"datasets": {"x": []}}, "datasets is not taken"),
    "transform": ({"transform": [{"calculate": "1", "as": "x"}]}, "transform is not taken. Data are prepared by"),
    "look-up": ({"transform": [{"lookup": "a", "from": {"data": {"url": "x"}}}]}, "transform is not taken"),
    "params": ({"params": [{"name": "p", "expr": "1"}]}, "params is not taken"),
    "config": ({"config": {"signals": [{"name": "x", "init": "f()"}]}}, "config is not taken"),
    "usermeta": ({"usermeta": {"embedOptions": {"ast": False}}}, "usermeta is not taken"),
    "image": ({"mark": {"type": "image", "url": "https://elsewhere.example/x.png"}}, "mark.url is not taken. Pictures"),
    "image mark": ({"mark": "image"}, "mark: Input should be"),
    "geography": ({"mark": "geoshape"}, "mark: Input should be"),
    "link": ({"mark": {"type": "bar", "href": "javascript:f()"}}, "mark.href is not taken. Marks lead to"),
    "mark's expression": ({"mark": {"type": "bar", "opacity": {"expr": "f()"}}}, "mark.opacity"),
    "linked channel": ({"encoding": {"href": {"field": "Group"}}}, "encoding.href is not taken"),
    "url channel": ({"encoding": {"url": {"field": "Group"}}}, "encoding.url is not taken"),
    "condition": ({"encoding": {"color": {"condition": {"test": "f()", "value": "red"}}}}, "condition is not taken"),
    "label expression": ({"encoding": {"x": {"field": "Group", "axis": {"labelExpr": "f()"}}}}, "labelExpr is not"),
    "signal": ({"encoding": {"x": {"field": "Group", "axis": {"title": {"signal": "f()"}}}}}, "axis.title"),
    "scale's signal": ({"encoding": {"x": {"field": DOSE, "scale": {"domain": {"signal": "x"}}}}}, "scale.domain"),
    "format": ({"encoding": {"x": {"field": DOSE, "axis": {"format": "\"+f()+\""}}}}, "axis.format"),
    "colour": ({"mark": {"type": "bar", "color": "url(https://elsewhere.example)"}}, "mark.color"),
    "prototype": ({"__proto__": {"polluted": 1}}, "__proto__ is not taken"),
    "constructor": ({"encoding": {"constructor": {"prototype": {"x": 1}}}}, "constructor is not taken"),
    "unknown column": ({"encoding": {"x": {"field": "__proto__"}}}, "no column “__proto__”. Its columns:"),
    "path": ({"encoding": {"x": {"field": "constructor.name"}}}, "The dataset has no column"),
    "size": ({"width": 1_000_000}, "width"),
    "layers": ({"mark": None, "layer": [WITHIN] * 7}, "layer"),
    "concatenation": ({"mark": None, "hconcat": [WITHIN]}, "hconcat is not taken"),
    "bins": ({"encoding": {"x": {"field": DOSE, "bin": {"step": 1e-9}}}}, "makes too many bins"),
    "sum of words": ({"encoding": {"y": {"field": "Group", "aggregate": "sum"}}}, "“Group” is text, not a number"),
    "length": ({"title": "x" * 70_000}, "longer than 64,000 bytes"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_specification_that_reads_links_or_computes_is_refused(bench: Bench, name: str) -> None:
    change, said = REFUSED[name]
    given = {key: value for key, value in (WITHIN | change).items() if value is not None}
    problem = bench.draw_by_hand(given, 422)
    assert said in problem["detail"]


def test_deeply_nested_specifications_are_refused(bench: Bench) -> None:
    nested: dict[str, Any] = {"field": "Group"}
    for _ in range(200):
        nested = {"axis": nested}
    assert "is not taken" in bench.draw_by_hand(WITHIN | {"encoding": {"x": nested}}, 422)["detail"]


def test_labels_and_cells_that_look_like_code_stay_text(bench: Bench) -> None:
    labels = ["__proto__", "constructor[0].x", "<img src=x onerror=f()>", "f0", 'a"]);f()//']
    dataset = bench.ask("GET", f"/datasets/{bench.hostile}")
    assert [one["label"] for one in dataset["source_columns"]] == labels
    for label in labels:
        form = {"mark": "bar", "x": {"field": label, "category": True}, "y": {"aggregate": "count"}, "title": label}
        made = bench.ask("POST", "/plots", 201, json={"dataset_id": bench.hostile, "spec": {"form": form}})
        drawing = bench.ask("GET", f"/plots/{made['id']}/drawing")["drawing"]
        names = {name for value in drawing["vega_lite"]["data"]["values"] for name in value}
        assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in names)
        svg = bench.client("GET", f"/v1/plots/{made['id']}.svg")
        tree = ElementTree.fromstring(svg.content)  # noqa: S314 written by ourselves a line above
        kinds = {element.tag.partition("}")[2] for element in tree.iter()}
        assert kinds <= {"svg", "g", "path", "line", "text", "rect", "defs", "clipPath", "title", "desc"}
        texts = {"".join(element.itertext()) for element in tree.iter() if element.tag.endswith("text")}
        assert label in texts
        assert len(texts & set(map(str, drawing_categories(drawing)))) == 3
        attributes = {name for element in tree.iter() for name in element.attrib}
        assert not any(name.startswith("on") or name.endswith("href") for name in attributes)


def test_panels_and_scales_are_drawn_as_they_are_asked_for(bench: Bench) -> None:
    drawn = bench.draw(MEANS | {"facet": {"field": "Group"}, "y": MEANS["y"] | {"scale": "log"}})["vega_lite"]
    field = drawn["facet"]["field"]
    assert (drawn["facet"]["title"], drawn["columns"]) == ("Group", 3)
    assert {value[field] for value in drawn["data"]["values"]} == {"a", "b", "c"}
    assert drawn["spec"]["encoding"]["y"]["scale"]["type"] == "log"
    alone = bench.draw(MEANS)["vega_lite"]
    assert not {"facet", "columns"} & alone.keys()
    assert alone["encoding"]["y"].get("scale", {}).get("type") != "log"


def test_bars_of_single_rows_are_as_long_as_their_numbers(bench: Bench) -> None:
    def kinds(x: str, y: str) -> tuple[str, str]:
        encoding = bench.draw({"mark": "bar", "x": {"field": x}, "y": {"field": y}})["vega_lite"]["encoding"]
        return encoding["x"]["type"], encoding["y"]["type"]

    assert kinds("Group", LENGTH) == ("nominal", "quantitative")
    assert kinds(LENGTH, "Group") == ("quantitative", "nominal")
    by_number = bench.draw({"mark": "bar", "x": {"field": LENGTH}, "y": {"aggregate": "count"}})
    assert by_number["vega_lite"]["encoding"]["x"]["type"] == "ordinal"


def test_coloured_bars_of_printed_numbers_stand_beside_each_other(bench: Bench) -> None:
    def shown(**form: Any) -> dict[str, Any]:
        return bench.draw({"mark": "bar", "colour": {"field": DOSE}} | form)["vega_lite"]["encoding"]

    # On each other they would be as long as their sum, which nobody printed.
    upright = shown(x={"field": "Group"}, y={"field": LENGTH})
    assert upright["y"]["stack"] is None
    assert upright["xOffset"]["field"] == upright["color"]["field"]
    across = shown(x={"field": LENGTH}, y={"field": "Group"})
    assert (across["x"]["stack"], across["yOffset"]["field"]) == (None, across["color"]["field"])
    assert "xOffset" not in across
    # Counts add up, and a colour that says what the axis says stands where its bar does.
    assert not {"xOffset", "yOffset"} & shown(x={"field": "Group"}, y={"aggregate": "count"}).keys()


def test_bars_of_rows_that_have_a_name_in_common_stand_beside_each_other(bench: Bench) -> None:
    def places(encoding: dict[str, Any], drawn: dict[str, Any]) -> list[tuple[str, float]]:
        names, offset = encoding["x"]["field"], encoding["xOffset"]["field"]
        shown = [row for row in drawn["data"]["values"] if row["drawn0"]]
        assert len({(row[names], row[offset]) for row in shown}) == len(shown) == 5
        return [(row[names], row[encoding["y"]["field"]]) for row in sorted(shown, key=lambda row: row[offset])]

    single: dict[str, Any] = {"mark": "bar", "x": {"field": "Group"}, "y": {"field": LENGTH}}
    for form in (single, single | {"colour": {"field": DOSE}}, single | {"colour": {"field": "Group"}}):
        drawn = bench.draw(form)["vega_lite"]
        of_a = [length for name, length in places(drawn["encoding"], drawn) if name == "a"]
        assert of_a == [10, 20]
        assert drawn["encoding"]["y"]["stack"] is None
    # Means have one bar a name, in a plot by hand bars stand as it says, and lengths lie where the names stand upright.
    assert "xOffset" not in bench.draw(MEANS)["vega_lite"]["encoding"]
    by_hand = {"mark": "bar", "encoding": {"x": {"field": "Group"}, "y": {"field": LENGTH}}}
    assert "xOffset" not in bench.draw_by_hand(by_hand)["vega_lite"]["encoding"]
    across = bench.draw({"mark": "bar", "x": {"field": LENGTH}, "y": {"field": "Group"}})["vega_lite"]["encoding"]
    assert (across["x"]["stack"], "yOffset" in across, "xOffset" in across) == (None, True, False)


def test_bars_with_one_name_in_different_panels_stand_where_they_would_alone(bench: Bench) -> None:
    form = {"mark": "bar", "x": {"field": "Group"}, "y": {"field": LENGTH}, "facet": {"field": DOSE}}
    assert "xOffset" not in bench.draw(form)["vega_lite"]["spec"]["encoding"]


def drawing_categories(drawing: Any) -> list[Any]:
    return [row["cells"][0] for row in drawing["tables"][0]["rows"]]


def test_more_marks_than_can_be_drawn_are_refused_and_points_are_put_together(bench: Bench, many: str) -> None:
    raw = {"mark": "bar", "x": {"field": "Run"}, "y": {"field": "Score"}}
    refused = bench.draw(raw, 422, many)["detail"]
    assert refused.startswith("This would be 6,000 marks; 5,000 can be drawn. Aggregate a column, use bins")
    drawn = bench.draw({"mark": "point", "x": {"field": "Mass (kg)"}, "y": {"field": "Score"}}, dataset=many)
    (table,) = drawn["tables"]
    assert sum(row["rows"] for row in table["rows"]) == 6_000
    assert len(table["rows"]) < 2_500
    assert drawn["notices"][0].startswith("6,000 points are more than can be told apart")
    panels = {"mark": "bar", "x": {"field": "Model"}, "y": {"aggregate": "count"}, "facet": {"field": "Run"}}
    assert "can be drawn" in bench.draw(panels, 422, many)["detail"]
    days = {"mark": "bar", "x": {"field": "Model"}, "y": {"aggregate": "count"}, "facet": {"field": "Day"}}
    assert "panels; 24 are drawn at most. Filter the dataset" in bench.draw(days, 422, many)["detail"]


def test_a_mark_leads_to_the_printed_cells_behind_it(bench: Bench) -> None:
    made = bench.make(MEANS)
    drawing = bench.ask("GET", f"/plots/{made['id']}/drawing")["drawing"]
    mark = next(row["mark"] for row in drawing["tables"][0]["rows"] if row["cells"][0] == "b")
    found = bench.ask("GET", f"/plots/{made['id']}/marks/{mark}")
    assert (found["title"], found["rows"]) == ("Group: b", 2)
    assert [(one["row"], one["text"]) for one in found["cells"]] == [(1, "b"), (1, "30"), (4, "b"), (4, "50")]
    chunks = bench.ask("GET", f"/documents/{found['cells'][0]['document_id']}/chunks")["items"]
    by_id = {one["id"]: one["content"] for one in chunks}
    assert all(one["text"] in by_id[one["chunk_id"]] for one in found["cells"])
    body = {"dataset_id": bench.runs, "spec": {"form": MEANS}, "mark": mark}
    assert bench.ask("POST", "/plots/preview/cells", json=body) == found
    gone = bench.ask("GET", f"/plots/{made['id']}/marks/99", 404)
    assert "has no mark 99" in gone["detail"]


def test_pictures_have_the_same_bytes_each_time_and_numbers_as_the_language_writes_them(bench: Bench) -> None:
    made = bench.make(MEANS | {"y": {"field": LENGTH, "aggregate": "stderr"}, "title": "Ω µ"})
    begins = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<svg", "json": b"{"}
    for form, first in begins.items():
        address = f"/v1/plots/{made['id']}.{form}"
        files = [bench.client("GET", address) for _ in range(2)]
        assert files[0].content == files[1].content
        assert files[0].content.startswith(first)
        assert files[0].headers["content-disposition"] == f'attachment; filename="plot.{form}"'
        dark = bench.client("GET", address, params={"theme": "dark"})
        assert dark.content != files[0].content
    assert b"Liberation Sans" in bench.client("GET", f"/v1/plots/{made['id']}.svg").content
    axis = {"field": LENGTH, "aggregate": "mean", "axis": {"format": ",.1f"}}
    by_hand = {"vega_lite": {"mark": "bar", "encoding": {"x": {"field": "Group"}, "y": axis}}}
    exact = bench.ask("POST", "/plots", 201, json={"dataset_id": bench.runs, "spec": by_hand})
    for query, label in (({}, ">40.0<"), ({"locale": "de-DE"}, ">40,0<"), ({"locale": "fr"}, ">40,0<")):
        assert label in bench.client("GET", f"/v1/plots/{exact['id']}.svg", params=query).text
    refused = bench.ask("GET", f"/plots/{made['id']}.png", 422, params={"locale": "tlh"})
    assert "Take one of: " in refused["detail"]
    # Marks that one sees through: their page names several states of its graphics.
    points = bench.make({"mark": "point", "x": {"field": LENGTH}, "y": {"field": LENGTH}})
    assert len({bench.client("GET", f"/v1/plots/{points['id']}.pdf").content for _ in range(8)}) == 1
    whole = json.loads(bench.client("GET", f"/v1/plots/{made['id']}.json").content)
    assert whole["config"]["background"] == "#fcfcfd"


def test_without_scripts_a_plot_is_read_as_a_picture_and_a_table(bench: Bench) -> None:
    made = bench.make(MEANS | {"y": {"field": LENGTH, "aggregate": "stderr"}, "title": "<b>wide</b>"})
    address = f"/v1/plots/{made['id']}.html"
    answer = bench.client.get(address, headers={"Accept-Language": "de"})
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "script" not in answer.text
    assert "default-src 'none'; img-src data:; style-src 'sha256-" in answer.headers["content-security-policy"]
    assert ("<b>wide</b>" in answer.text, "&lt;b&gt;wide&lt;/b&gt;" in answer.text) == (False, True)
    assert '<img src="data:image/svg+xml;base64,' in answer.text
    # The standard error of 10 and 20, of two rows: 7.0711 / √2.
    assert "<tr><td>a</td><td>5</td><td>2</td></tr>" in answer.text
    assert "Bar chart: Standard error of" in answer.text
    page = bench.client.get(f"/plots/{made['id']}").text
    without = page[page.index("<noscript>") : page.index("</noscript>")]
    assert (f'href="{address}"' in without, f'<img src="/v1/plots/{made["id"]}.svg"' in without) == (True, True)


def test_a_plot_says_when_its_dataset_has_changed_until_it_is_drawn_anew(bench: Bench) -> None:
    table = bench.ask("GET", f"/knowledge-bases/{bench.base}/tables")["items"]
    runs = next(one["table_id"] for one in table if one["document"] == "runs.csv")
    dataset = bench.dataset(runs)
    made = bench.ask("POST", "/plots", 201, json={"dataset_id": dataset, "spec": {"form": MEANS}, "name": "Means"})
    assert (made["name"], made["dataset_revision"], made["dataset_changed"]) == ("Means", 1, False)
    steps = [{"op": "filter", "where": '[Group] != "b"'}]
    bench.ask("PATCH", f"/datasets/{dataset}", json={"steps": steps})
    drawn = bench.ask("GET", f"/plots/{made['id']}/drawing")
    assert drawn["plot"]["dataset_changed"]
    assert drawn["drawing"]["notices"][0].startswith("The dataset has changed since this plot was saved")
    assert cells(drawn["drawing"]) == [["a", 15.0], ["c", 7.0]]
    changed = bench.ask("PATCH", f"/plots/{made['id']}", json={"redraw": True})
    assert (changed["dataset_revision"], changed["dataset_changed"], changed["sha256"]) == (2, False, made["sha256"])
    assert changed["dataset_sha256"] != made["dataset_sha256"]
    other = bench.ask("PATCH", f"/plots/{made['id']}", json={"spec": {"form": MEANS | {"mark": "tick"}}})
    assert other["sha256"] != made["sha256"]


def test_plots_are_listed_deleted_noted_and_go_with_their_dataset(
    bench: Bench, client_of: Callable[[Identity], Client], viewer: Identity, other_identity: Identity
) -> None:
    made, second = bench.make(MEANS), bench.make(MEANS, name="Other")
    assert made["name"] == "Bar chart: Mean of Length (mm) by Group"
    dotted = bench.make(MEANS | {"y": MEANS["y"] | {"title": "Joint Acc. WoZ 2.0"}})
    assert dotted["name"] == "Bar chart: Joint Acc. WoZ 2.0 by Group"
    bench.ask("DELETE", f"/plots/{dotted['id']}")
    listed = bench.ask("GET", f"/plots?dataset_id={bench.runs}")["items"]
    assert [made["id"], second["id"]] == [one["id"] for one in listed][-2:]
    looking = client_of(viewer)
    assert looking.get(f"/v1/plots/{made['id']}").json()["may_write"] is False
    assert looking.get(f"/v1/plots/{made['id']}.svg").status_code == 200
    assert looking.delete(f"/v1/plots/{made['id']}").status_code == 403
    elsewhere = client_of(other_identity)
    for path in ("", "/drawing", ".png", "/marks/0"):
        assert elsewhere.get(f"/v1/plots/{made['id']}{path}").status_code == 404
    strange = {"dataset_id": bench.runs, "spec": {"form": MEANS}}
    assert elsewhere.post("/v1/plots/preview", json=strange).status_code == 404
    assert elsewhere.post("/v1/plots", json=strange).status_code == 404
    bench.ask("DELETE", f"/plots/{second['id']}")
    assert bench.client.get(f"/v1/plots/{second['id']}").status_code == 404
    acts = [one["act"] for one in bench.ask("GET", "/audit?act=plot")["items"] if one["subject_id"] == second["id"]]
    assert acts == ["plot.delete", "plot.add"]
    table = bench.ask("GET", f"/knowledge-bases/{bench.base}/tables")["items"][0]["table_id"]
    dataset = bench.dataset(table)
    count = {"mark": "bar", "x": {"aggregate": "count"}}
    own = bench.ask("POST", "/plots", 201, json={"dataset_id": dataset, "spec": {"form": count}})
    bench.ask("DELETE", f"/datasets/{dataset}")
    assert bench.client.get(f"/v1/plots/{own['id']}").status_code == 404


def previewed(bench: Bench, form: str, status: int = 200, **wanted: Any) -> Any:
    asked = {"dataset_id": bench.runs, **wanted}
    answer = bench.client.get(f"/v1/plots/preview.{form}", params=asked, headers={"Accept-Language": "en"})
    assert answer.status_code == status, answer.text
    return answer


def test_what_is_not_kept_is_drawn_by_the_server_as_what_is_kept(bench: Bench) -> None:
    made = bench.make(MEANS)
    for form in ("svg", "png", "pdf"):
        asked = {"spec": json.dumps({"form": MEANS}), "theme": "dark"}
        kept = bench.client.get(f"/v1/plots/{made['id']}.{form}", params={"theme": "dark"})
        assert previewed(bench, form, **asked).content == kept.content
    refused = previewed(bench, "svg", 422, spec='{"form": {"mark": "pie", "x": {"field": "Group"}}}').json()["detail"]
    assert "That is no plot: form.mark: " in refused
    bare = previewed(bench, "svg", 422, spec='{"mark": "bar"}').json()["detail"]
    assert 'Give {"form": …} or {"vega_lite": …} as JSON.' in bare
    assert "no column “Nowhere”" in previewed(bench, "svg", 422, mark="bar", x="Nowhere").json()["detail"]


def test_a_new_plot_is_chosen_drawn_and_read_without_scripts(bench: Bench) -> None:
    page = bench.client.get(f"/datasets/{bench.runs}/plot").text
    without = page[page.index("<noscript>") : page.index("</noscript>")]
    assert f'<img src="/v1/plots/preview.svg?dataset_id={bench.runs}"' in without
    first = previewed(bench, "html")
    assert "Bar chart: Mean of Dose (mg) by Group." in first.text
    assert "form-action 'self'" in first.headers["content-security-policy"]
    assert ("script" in first.text, '<option value="Group" selected="selected">' in first.text) == (False, True)
    chosen = previewed(bench, "html", mark="bar", x="Group", y=LENGTH, aggregate="mean", colour="")
    # Two rows of a: their mean, (10 + 20) / 2.
    assert "<tr><td>a</td><td>15</td><td>2</td></tr>" in chosen.text
    counted = previewed(bench, "html", mark="bar", x="Group", y="", aggregate="", colour="")
    assert "<tr><td>c</td><td>2</td><td>2</td></tr>" in counted.text
    wrong = previewed(bench, "html", mark="bar", x="Group", y="Group", aggregate="mean")
    assert "“Group” is text, not a number" in wrong.text
    assert '<option value="mean" selected="selected">' in wrong.text
    address = re.search(r'href="(preview\.svg[^"]*)"', chosen.text)
    assert address
    drawn = bench.client.get("/v1/plots/" + address[1].replace("&amp;", "&"))
    assert drawn.content == previewed(bench, "svg", mark="bar", x="Group", y=LENGTH, aggregate="mean").content


def test_names_of_single_rows_are_drawn_as_they_are_printed(bench: Bench) -> None:
    one_each = [{"op": "filter", "where": '[Day] > "2024-02-01"'}]
    tables = bench.ask("GET", f"/knowledge-bases/{bench.base}/tables")["items"]
    own = bench.dataset(next(one["table_id"] for one in tables if one["document"] == "runs.csv"))
    bench.ask("PATCH", f"/datasets/{own}", json={"steps": one_each})
    first = bench.ask("POST", "/plots/preview", json={"dataset_id": own})
    assert first["spec"]["form"]["y"] == {"field": "Dose (mg)"}
    assert first["alt"].startswith("Bar chart: Dose (mg) by Group.")
