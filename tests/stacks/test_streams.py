"""What is streamed: the same paths at the distribution and at the REST API, behind the same authorizer as all else."""

import re
from types import SimpleNamespace
from typing import Any, cast

import pytest

from functions.api.app import create_app
from functions.api.openapi import operations_of
from shared.contract import LAB_PATHS, STREAMED_PATHS
from shared.runtime import Runtime
from tests.stacks.spelling import spell
from tests.stacks.template import Template

pytestmark = pytest.mark.aws

FUNCTIONS = {"<ApiStreamAliaslive>": ("api.streaming", STREAMED_PATHS), "<ApiLabAliaslive>": ("api.lab", LAB_PATHS)}


@pytest.fixture(params=["shared", "dedicated", "customer"])
def template(request: pytest.FixtureRequest) -> Template:
    return request.getfixturevalue(request.param)


def path_of(template: Template, resource: Any) -> str:
    """Of a resource of the REST API."""
    name = resource.get("Ref")
    if name is None:
        return ""
    properties = template.resources[name]["Properties"]
    return f"{path_of(template, properties['ParentId'])}/{properties['PathPart']}"


def test_each_streamed_path_is_a_method_that_streams_and_asks_who_sends(template: Template) -> None:
    methods = template.of_type("AWS::ApiGateway::Method").values()
    served: dict[str, list[str]] = {name: [] for name in FUNCTIONS}
    (authorizer,) = template.of_type("AWS::ApiGateway::Authorizer").values()
    assert authorizer["AuthorizerResultTtlInSeconds"] == 0
    assert "Authorize" in str(spell(authorizer["AuthorizerUri"]))
    for method in methods:
        assert (method["HttpMethod"], method["AuthorizationType"]) == ("ANY", "CUSTOM")
        integration = method["Integration"]
        assert (integration["Type"], integration["ResponseTransferMode"]) == ("AWS_PROXY", "STREAM")
        alias = spell(integration["Uri"]).removesuffix("/response-streaming-invocations").rpartition("functions/")[2]
        served[alias].append(path_of(template, method["ResourceId"]))
        assert integration["TimeoutInMillis"] == 1000 * template.functions()[FUNCTIONS[alias][0]]["Timeout"]
    assert {name: sorted(paths) for name, paths in served.items()} == {
        name: sorted(paths) for name, (_, paths) in FUNCTIONS.items()
    }


def test_every_answer_by_events_is_streamed() -> None:
    """The paths are told apart by what the API says of itself."""
    runtime = cast(Runtime, SimpleNamespace())
    app = create_app(runtime, lambda _: pytest.fail("nobody is asked"), local=False)
    streaming = {
        path
        for _, path, operation in operations_of(app.openapi())
        if any("text/event-stream" in answer.get("content", {}) for answer in operation["responses"].values())
    }
    patterns = [re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path) + "$") for path in STREAMED_PATHS]
    assert len(streaming) >= 3
    assert [path for path in streaming if not any(one.match(path) for one in patterns)] == []


def test_the_distribution_sends_the_same_paths_there_and_nothing_else(template: Template) -> None:
    (made,) = template.of_type("AWS::CloudFront::Distribution").values()
    configuration = made["DistributionConfig"]
    (origin,) = (o for o in configuration["Origins"] if o.get("OriginPath") == "/live")
    behaviours = [b for b in configuration["CacheBehaviors"] if b["TargetOriginId"] == origin["Id"]]
    assert [b["PathPattern"] for b in behaviours] == [
        re.sub(r"\{[^}]+\}", "*", path) for path in (*STREAMED_PATHS, *LAB_PATHS)
    ]
    renamed = {b["PathPattern"] for b in behaviours if "FunctionAssociations" in b}
    assert renamed == {"/mcp"}
    default = configuration["DefaultCacheBehavior"]
    for behaviour in behaviours:
        assert "POST" in behaviour["AllowedMethods"]
        for policy in ("CachePolicyId", "OriginRequestPolicyId"):
            assert behaviour[policy] == default[policy]


def test_an_answer_ends_before_its_function_and_no_event_is_awaited_longer_than_the_connection(
    template: Template,
) -> None:
    from functions.api.kept_streams import HEARTBEAT_S
    from functions.api.streaming import RESERVE_S
    from shared.answering.threads.rewriting import SECONDS

    function = template.functions()["api.streaming"]
    answer_s = float(function["Environment"]["Variables"]["AUTRI_ANSWER_SECONDS"])
    assert answer_s + RESERVE_S < function["Timeout"]
    silent_s = float(function["Environment"]["Variables"]["AUTRI_SILENT_ANSWER_SECONDS"])
    (made,) = template.of_type("AWS::CloudFront::Distribution").values()
    (origin,) = (o for o in made["DistributionConfig"]["Origins"] if o.get("OriginPath") == "/live")
    assert origin["CustomOriginConfig"]["OriginReadTimeout"] / 2 > HEARTBEAT_S
    assert silent_s + SECONDS < origin["CustomOriginConfig"]["OriginReadTimeout"]
