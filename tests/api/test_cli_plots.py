"""`autri plot`, and the tools of assistants: against a server, as everything else of both."""

import base64
import json
from pathlib import Path

import pytest
from fastapi import FastAPI
from mcp_types import ImageContent

from functions.cli.main import call
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.test_mcp import Tools, make_key
from tests.api.test_plots import LENGTH, MEANS, Bench
from tests.live import serving


def test_a_plot_is_made_listed_shown_exported_and_deleted(
    runtime: Runtime,
    identity: Identity,
    client: Client,
    app: FastAPI,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    bench = Bench(runtime, identity, client)
    spec, picture = tmp_path / "means.json", tmp_path / "means.png"
    spec.write_text(json.dumps(MEANS))
    with serving(app) as url:

        def run(*arguments: str) -> str:
            assert call(["plot", *arguments, "--url", url]) == 0
            return capsys.readouterr().out

        assert "There is no plot" in run("list")
        assert "3 bars of 6 rows" in run("make", str(spec), "--dataset", bench.runs, "--dry-run")
        assert "There is no plot" in run("list")
        made = json.loads(run("make", str(spec), "--dataset", bench.runs, "--name", "Means", "--json"))
        assert made["spec"]["form"]["y"]["field"] == LENGTH
        assert made["id"] in run("list", "--dataset", bench.runs)
        shown = run("show", "Means")
        assert "Bar chart: Mean of Length (mm) by Group." in shown
        assert "40" in shown
        printed = run("cells", "Means", "1")
        assert printed.startswith("Group: b: 2 rows")
        assert "runs.csv" in printed
        run("export", "Means", "--to", str(picture), "--theme", "dark")
        assert picture.read_bytes() == client.get(f"/v1/plots/{made['id']}.png?theme=dark").content
        assert call(["plot", "export", "Means", "--to", str(tmp_path / "means.gif"), "--url", url]) == 1
        assert "Take one of: png, svg, pdf, json" in capsys.readouterr().err
        spec.write_text(json.dumps({"mark": "bar", "encoding": {"x": {"field": "Nowhere"}}}))
        assert call(["plot", "make", str(spec), "--dataset", bench.runs, "--url", url]) == 1
        assert "no column “Nowhere”. Its columns: Group, Dose (mg)" in capsys.readouterr().err
        assert "is deleted" in run("delete", "Means", "--yes")


def test_an_assistant_plots_a_dataset_and_reads_what_stands_behind_a_mark(
    runtime: Runtime, identity: Identity, client: Client, app: FastAPI
) -> None:
    bench = Bench(runtime, identity, client)
    made = bench.make(MEANS)
    with serving(app) as url:
        tools = Tools(url, make_key(client, scope="read"))
        drawn = tools.result("plot_dataset", dataset_id=bench.runs, form=MEANS, picture=True)
        assert drawn.structured_content is not None
        assert drawn.structured_content["tables"][0]["rows"][1]["cells"] == ["b", 40.0]
        image = next(one for one in drawn.content if isinstance(one, ImageContent))
        assert base64.b64decode(image.data).startswith(b"\x89PNG")
        listed = tools.call("list_plots", knowledge_base=str(bench.base))["items"]
        assert [one["id"] for one in listed] == [made["id"]]
        read = tools.call("read_plot", plot_id=made["id"])
        assert LENGTH in read["alt"]
        cells = tools.call("plot_cells", plot_id=made["id"], mark=read["tables"][0]["rows"][1]["mark"])["cells"]
        assert [one["text"] for one in cells] == ["b", "30", "b", "50"]
