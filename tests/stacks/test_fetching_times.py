"""Who waits for a web page waits longer than it may take; a person's request waits for less than it may last."""

import pytest

from shared.adapters.web import TOTAL_S
from shared.contract import Env
from tests.stacks.template import Template

pytestmark = pytest.mark.aws


def test_each_wait_for_a_page_outlasts_the_one_within_it(shared: Template) -> None:
    functions = shared.functions()
    limits = {name: functions[name]["Timeout"] for name in ("fetch", "api.handler")}
    waits = {
        name: float(functions[name]["Environment"]["Variables"][Env.FETCH_WAIT_S])
        for name in ("maintain", "api.handler")
    }
    assert limits["fetch"] > TOTAL_S
    assert waits["maintain"] > limits["fetch"]
    assert waits["api.handler"] < limits["api.handler"]
    assert limits["api.handler"] <= 30, "HTTP API ends a request then"
