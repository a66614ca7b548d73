import json
import os
import subprocess

import pytest

from shared.contract import MARK_FAILED, STAGES
from stacks import assets
from tests.aws.assembly import synthesize
from tests.aws.deploy import twin_paths
from tests.aws.twin import Twin, build_twin

pytestmark = pytest.mark.aws

STACK = "autri-shared"
MODULES = [*(f"functions.{stage.name}" for stage in (*STAGES, MARK_FAILED)), "functions.migrate", "functions.api.app"]


@pytest.fixture(scope="module")
def twin() -> Twin:
    return build_twin()


@pytest.mark.parametrize("name", list(assets.BUDGETS_MB))
def test_a_layer_keeps_its_budget(name: str) -> None:
    assert assets.size_mb(assets.build_layer(name)) <= assets.BUDGETS_MB[name]


def test_code_and_layers_together_stay_below_lambdas_limit() -> None:
    layers = sum(assets.size_mb(assets.build_layer(name)) for name in assets.BUDGETS_MB)
    code = assets.size_mb(assets.build_code())
    assert code <= assets.CODE_BUDGET_MB
    assert code + layers <= assets.LIMIT_MB


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


@pytest.mark.parametrize("module", MODULES)
def test_a_handler_needs_no_more_than_its_own_layers(twin: Twin, module: str) -> None:
    template = json.loads((synthesize("shared") / f"{STACK}.template.json").read_text())
    handlers = {
        r["Properties"]["Handler"].removesuffix(".handler"): name
        for name, r in template["Resources"].items()
        if r["Type"] == "AWS::Lambda::Function" and "Layers" in r["Properties"]
    }
    function = handlers[module.replace("functions.api.app", "functions.api.handler")]
    path = [str(assets.build_code()), twin_paths(template, twin)[function]]
    done = subprocess.run(
        [twin.python, "-S", "-c", f"import {module}"],
        env={"PYTHONPATH": ":".join(path), "PATH": os.environ["PATH"]},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
