import json
import os
import subprocess
import zipfile
from typing import Any

import pytest

from shared.contract import MARK_FAILED, PACKED_SUFFIX, STAGES
from stacks import assets
from tests.aws.assembly import synthesize
from tests.aws.deploy import twin_paths
from tests.aws.twin import Twin, build_twin
from tests.stacks.reached import reached_packages

pytestmark = pytest.mark.aws

STACK = "autri-shared"
MODULES = [
    *(f"functions.{stage.name}" for stage in (*STAGES, MARK_FAILED)),
    *("functions.migrate", "functions.api.app", "functions.api.streaming", "functions.api.lab"),
]
WITHOUT_LAYERS = ("functions.fetch", "functions.publish_static", "functions.auth.invite")
# They speak of formats and open no file; what opens one is imported when one is opened.
OPENING_NOTHING = {"functions.admit", "functions.mark_failed", "functions.migrate", "functions.send"}
OPENED_WITH = {
    *("PIL", "lxml", "markdown_it", "olefile", "pi_heif", "pymupdf", "pypdfium2", "python_calamine", "readability"),
    "xlrd",
}
# In the layer of the lab alone; by test_lab.py no request that imports them is another function's.
COMPUTING = {"duckdb", "vl_convert"}
# Loaded where the environment names a collector of spans, which no function has (docs/decisions/0117-context.md).
WITH_AN_ENDPOINT = {"opentelemetry"}
ELSEWHERE = {"functions.api.handler", "functions.api.streaming"}


def template() -> dict[str, Any]:
    return json.loads((synthesize("shared") / f"{STACK}.template.json").read_text())


@pytest.fixture(scope="module")
def twin() -> Twin:
    return build_twin()


@pytest.mark.parametrize("name", list(assets.BUDGETS_MB))
def test_a_layer_keeps_its_budget(name: str) -> None:
    assert assets.size_mb(assets.build_layer(name)) <= assets.BUDGETS_MB[name]


def test_code_and_layers_of_each_function_stay_below_lambdas_limits() -> None:
    code = assets.size_mb(assets.build_code())
    assert code <= assets.CODE_BUDGET_MB
    layers = {handler: names for handler, names in layers_of(template()).items() if names}
    assert len(layers) > 15
    for handler, names in layers.items():
        together = code + sum(assets.size_mb(assets.build_layer(name)) for name in names)
        assert together <= assets.LIMIT_MB, (handler, together)
        assert len(names) <= 5, (handler, names)
    assert set(layers["functions.api.lab.handler"]) == {"core", "vectors", "documents", "web", "lab"}


def test_the_program_that_lambda_starts_may_be_executed() -> None:
    with zipfile.ZipFile(assets.zip_folder(assets.build_code())) as code:
        assert code.getinfo("functions/api/stream_start").external_attr >> 16 & 0o777 == 0o755


@pytest.mark.parametrize("name", list(assets.BUDGETS_MB))
def test_a_layer_pins_the_locked_versions_with_hashes(name: str) -> None:
    requirements = assets.ROOT / "layers" / name / "requirements.txt"
    locked = (assets.ROOT / "requirements.lock").read_text().splitlines()
    versions = {line.split(" ")[0] for line in locked if "==" in line}
    pins = assets.pinned(requirements)
    assert pins
    assert {f"{package}=={version}" for package, version in pins.items()} <= versions
    assert requirements.read_text().count("--hash=sha256:") >= len(pins)


def test_layers_hold_compiled_modules_of_the_runtimes_version_or_none() -> None:
    compiled = {f.name.split(".")[-2] for f in assets.build_layer("core").rglob("*.pyc")}
    assert compiled == ({"cpython-313"} if assets.find_python() else set())


def layers_of(template: dict[str, Any]) -> dict[str, list[str]]:
    """The layers of each of our functions, by its handler."""
    resources = template["Resources"]
    names = {
        name: r["Properties"]["Description"].split("/")[1]
        for name, r in resources.items()
        if r["Type"] == "AWS::Lambda::LayerVersion"
    }
    functions = [r["Properties"] for r in resources.values() if r["Type"] == "AWS::Lambda::Function"]
    ours = [one for one in functions if str(one["Handler"]).startswith("functions.")]
    return {one["Handler"]: [names[layer["Ref"]] for layer in one.get("Layers", ())] for one in ours}


@pytest.fixture(scope="module")
def paths(twin: Twin) -> dict[str, list[str]]:
    """Where each handler's module finds what it imports."""
    made, code = template(), str(assets.build_code())
    return {
        made["Resources"][name]["Properties"]["Handler"].removesuffix(".handler"): [code, found]
        for name, found in twin_paths(made, twin).items()
    }


@pytest.fixture(scope="module")
def sealing() -> set[str]:
    """The handlers that know the key of webhooks' secrets: the others never load what seals."""
    resources = template()["Resources"].values()
    functions = [one["Properties"] for one in resources if one["Type"] == "AWS::Lambda::Function"]
    return {
        one["Handler"].removesuffix(".handler")
        for one in functions
        if "AUTRI_WEBHOOKS_KEY_ARN" in one.get("Environment", {}).get("Variables", {})
    }


def run(twin: Twin, path: list[str], program: str) -> str:
    """What the program prints, which has nothing else to import from."""
    done = subprocess.run(
        [twin.python, "-S", "-c", program],
        env={"PYTHONPATH": ":".join(path), "PATH": os.environ["PATH"]},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("module", [*MODULES, *WITHOUT_LAYERS])
def test_a_handler_needs_no_more_than_its_own_layers(twin: Twin, paths: dict[str, list[str]], module: str) -> None:
    run(twin, paths[module.replace("functions.api.app", "functions.api.handler")], f"import {module}")


def test_the_lab_imports_what_its_layer_has_compressed(twin: Twin, paths: dict[str, list[str]]) -> None:
    """What assistants' protocol imports too, which is other people's code."""
    program = (
        "from functions.packed import find_packed; find_packed(); import duckdb, vl_convert;"
        " from functions.mcp.server import mcp_server; mcp_server();"
        " print(duckdb.sql('select 42').fetchall()[0][0], vl_convert.get_format_locale('de-DE')['decimal'])"
    )
    assert run(twin, paths["functions.api.lab"], program) == "42 ,\n"


def test_what_the_labs_layer_has_compressed_for_aws_is_unpacked_by_the_runtimes_python(twin: Twin) -> None:
    """No program of that machine runs here, so one is only found: what does run has the same archives uncompressed."""
    layer = assets.build_layer("lab") / "python"
    compressed = {file.name for file in layer.iterdir() if file.is_file() and file.read_bytes()[:6] == b"\xfd7zXZ\0"}
    assert compressed == {f"{name}{PACKED_SUFFIX}" for name in ("cryptography", "duckdb", "vl_convert")}
    program = (
        "from functions.packed import find_packed; find_packed();"
        " from importlib.util import find_spec; print(find_spec('cryptography').origin)"
    )
    assert run(twin, [str(assets.build_code()), str(layer)], program).endswith("/cryptography/__init__.py\n")


def test_what_a_handler_imports_later_is_in_its_layers_too(
    twin: Twin, paths: dict[str, list[str]], sealing: set[str]
) -> None:
    """Readers of documents are imported when one is opened; three functions open none."""
    lacking: dict[str, list[str]] = {}
    for module, path in paths.items():
        reached = reached_packages(module) - WITH_AN_ENDPOINT - (set() if module in sealing else {"cryptography"})
        names = sorted(reached - (COMPUTING if module in ELSEWHERE else set()))
        packed = "from functions.packed import find_packed; find_packed(); " if module == "functions.api.lab" else ""
        program = f"{packed}from importlib.util import find_spec; print(*(n for n in {names} if find_spec(n) is None))"
        if missing := run(twin, path, program).split():
            lacking[module] = missing
    assert len(sealing) == 2
    assert {module for module in lacking if module not in OPENING_NOTHING} == set(), lacking
    assert set(lacking) == OPENING_NOTHING, "it has all that it may import: take the line away"
    assert set().union(*lacking.values()) <= OPENED_WITH, lacking
