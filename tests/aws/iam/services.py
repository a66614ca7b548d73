"""What AWS's own services do with a deployment, derived from its template: none of it passes through a handler.

Sources: Step Functions' developer guide (IAM policies for Distributed Map, for X-Ray and for CloudWatch Logs), the
Lambda, EventBridge and S3 guides on permissions of their targets.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.aws.iam.policies import Request
from tests.aws.iam.resolve import Names

STATES_LOGS = (
    *("CreateLogDelivery", "GetLogDelivery", "UpdateLogDelivery", "DeleteLogDelivery", "ListLogDeliveries"),
    *("PutResourcePolicy", "DescribeResourcePolicies", "DescribeLogGroups"),
)
TRACES = ("PutTraceSegments", "PutTelemetryRecords")
SAMPLING = ("GetSamplingRules", "GetSamplingTargets")
FLOW_LOGS = ("CreateLogStream", "DescribeLogStreams", "PutLogEvents")
# A run-time id in the key of a plan.
SOME_ID = "0190a1b2-0000-7000-8000-000000000001"


def service_requests(names: Names) -> set[Request]:
    """Every request that a service makes by itself, as the role that it takes on or as the service."""
    found: set[Request] = set()
    for name, one in names.resources.items():
        maker = _MAKERS.get(one["Type"])
        if maker is not None:
            found.update(maker(names, name, one.get("Properties", {})))
    return found


def machine_of(names: Names, properties: dict[str, Any]) -> dict[str, Any]:
    return json.loads(names.resolve(properties["DefinitionString"]))


def all_states(states: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every state, those within maps included."""
    for state in states.values():
        yield state
        if "ItemProcessor" in state:
            yield from all_states(state["ItemProcessor"]["States"])


def _of_machine(names: Names, name: str, properties: dict[str, Any]) -> Iterator[Request]:
    role, machine = names.resolve(properties["RoleArn"]), names.arn(name)
    own = machine.rsplit(":", 1)[-1]
    source = (("aws:SourceArn", machine), ("aws:SourceAccount", names.account))
    yield _assumed("states.amazonaws.com", role, source)
    for state in all_states(machine_of(names, properties)["States"]):
        if state["Type"] == "Task":
            version = state["Parameters"]["FunctionName"]
            yield Request(role, "lambda:InvokeFunction", version)
            # An execution that began before a deployment names an earlier version.
            yield Request(role, "lambda:InvokeFunction", re.sub(r":\d+$", ":earlier", version))
        if state["Type"] == "Map":
            yield _read_of(role, state["ItemReader"]["Parameters"])
            executions = f"arn:aws:states:{names.region}:{names.account}:execution:{own}"
            yield Request(role, "states:StartExecution", machine)
            yield Request(role, "states:DescribeExecution", f"{executions}:{SOME_ID}")
            yield Request(role, "states:StopExecution", f"{executions}:{SOME_ID}")
            yield Request(role, "states:RedriveExecution", f"{executions}/map:{SOME_ID}")
    if properties.get("LoggingConfiguration", {}).get("Level", "OFF") != "OFF":
        yield from (Request(role, f"logs:{action}", "*") for action in STATES_LOGS)
    if properties.get("TracingConfiguration", {}).get("Enabled"):
        yield from (Request(role, f"xray:{action}", "*") for action in (*TRACES, *SAMPLING))


def _read_of(role: str, parameters: dict[str, Any]) -> Request:
    """The item reader's object: `States.Format('work/{}/plan.json', …)` with an id for each place."""
    (pattern,) = re.findall(r"'([^']+)'", parameters["Key.$"])
    return Request(role, "s3:GetObject", f"arn:aws:s3:::{parameters['Bucket']}/{pattern.replace('{}', SOME_ID)}")


def _of_function(names: Names, name: str, properties: dict[str, Any]) -> Iterator[Request]:
    role = names.resolve(properties["Role"])
    yield _assumed("lambda.amazonaws.com", role)
    if properties.get("TracingConfig", {}).get("Mode") == "Active":
        yield from (Request(role, f"xray:{action}", "*") for action in TRACES)
    # The framework of custom resources waits until our function can be called, then calls it.
    behind = properties.get("Environment", {}).get("Variables", {}).get("USER_ON_EVENT_FUNCTION_ARN")
    if behind is not None:
        target = names.resolve(behind)
        yield Request(role, "lambda:GetFunction", target)
        yield Request(role, "lambda:InvokeFunction", target)


def _of_mapping(names: Names, _name: str, properties: dict[str, Any]) -> Iterator[Request]:
    """Lambda reads the queue as the function, which is named by its alias: `NAME:live` of the alias's ARN."""
    (alias,) = re.findall(r'"Ref": "(\w+)"', json.dumps(properties["FunctionName"]))
    function = names.resources[names.resources[alias]["Properties"]["FunctionName"]["Ref"]]["Properties"]
    queue = names.resolve(properties["EventSourceArn"])
    for action in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes"):
        yield Request(names.resolve(function["Role"]), f"sqs:{action}", queue)


def _of_invocations(names: Names, _name: str, properties: dict[str, Any]) -> Iterator[Request]:
    function = names.resources[properties["FunctionName"]["Ref"]]["Properties"]
    for destination in properties.get("DestinationConfig", {}).values():
        target = names.resolve(destination["Destination"])
        action = {"events": "PutEvents", "sqs": "SendMessage"}[target.split(":")[2]]
        yield Request(names.resolve(function["Role"]), f"{target.split(':')[2]}:{action}", target)


def _of_rule(names: Names, name: str, properties: dict[str, Any]) -> Iterator[Request]:
    source = (("aws:SourceArn", names.arn(name)), ("aws:SourceAccount", names.account))
    for target in properties["Targets"]:
        arn = names.resolve(target["Arn"])
        if arn.split(":")[2] == "sqs":
            yield Request("events.amazonaws.com", "sqs:SendMessage", arn, source)
        elif "RoleArn" in target:
            role = names.resolve(target["RoleArn"])
            yield _assumed("events.amazonaws.com", role, source)
            yield Request(role, "states:StartExecution", arn)
        else:
            yield Request("events.amazonaws.com", "lambda:InvokeFunction", arn, source)
        if "DeadLetterConfig" in target:
            queue = names.resolve(target["DeadLetterConfig"]["Arn"])
            yield Request("events.amazonaws.com", "sqs:SendMessage", queue, source)


def _of_route(names: Names, _name: str, properties: dict[str, Any]) -> Iterator[Request]:
    """A request on the route calls its function. Our routes name a stage in no permission."""
    api, (method, path) = names.resolve(properties["ApiId"]), properties["RouteKey"].split(" ")
    integration = names.resources[properties["Target"]["Fn::Join"][1][1]["Ref"]]["Properties"]
    source = f"arn:aws:execute-api:{names.region}:{names.account}:{api}/$default/{method}{path}"
    function = names.resolve(integration["IntegrationUri"])
    yield Request("apigateway.amazonaws.com", "lambda:InvokeFunction", function, (("aws:SourceArn", source),))


def _of_authorizer(names: Names, name: str, properties: dict[str, Any]) -> Iterator[Request]:
    """CDK writes the function's address as API Gateway wants it, its ARN within."""
    api = names.resolve(properties.get("ApiId") or properties["RestApiId"])
    source = f"arn:aws:execute-api:{names.region}:{names.account}:{api}/authorizers/{names.reference(name)}"
    (function,) = re.findall(r"functions/(.+)/invocations", names.resolve(properties["AuthorizerUri"]))
    yield Request("apigateway.amazonaws.com", "lambda:InvokeFunction", function, (("aws:SourceArn", source),))


def _of_method(names: Names, _name: str, properties: dict[str, Any]) -> Iterator[Request]:
    """Of a REST API; which of its paths is called is in the source, and nothing tells them apart."""
    api, method = names.resolve(properties["RestApiId"]), properties["HttpMethod"].replace("ANY", "POST")
    source = f"arn:aws:execute-api:{names.region}:{names.account}:{api}/live/{method}/any/path"
    pattern = r"functions/(.+)/(?:response-streaming-)?invocations"
    (function,) = re.findall(pattern, names.resolve(properties["Integration"]["Uri"]))
    yield Request("apigateway.amazonaws.com", "lambda:InvokeFunction", function, (("aws:SourceArn", source),))


def _of_flow_log(names: Names, _name: str, properties: dict[str, Any]) -> Iterator[Request]:
    role = names.resolve(properties["DeliverLogsPermissionArn"])
    yield _assumed("vpc-flow-logs.amazonaws.com", role)
    for group, one in names.resources.items():
        if one["Type"] == "AWS::Logs::LogGroup" and names.reference(group) == names.resolve(properties["LogGroupName"]):
            yield from (Request(role, f"logs:{action}", names.arn(group)) for action in FLOW_LOGS)


def _of_bucket(names: Names, name: str, properties: dict[str, Any]) -> Iterator[Request]:
    log = properties.get("LoggingConfiguration", {}).get("DestinationBucketName")
    if log is not None:
        source = (("aws:SourceArn", names.arn(name)), ("aws:SourceAccount", names.account))
        yield Request("logging.s3.amazonaws.com", "s3:PutObject", f"arn:aws:s3:::{names.resolve(log)}/log", source)


def _of_alarm(names: Names, name: str, properties: dict[str, Any]) -> Iterator[Request]:
    source = (("aws:SourceArn", names.arn(name)), ("aws:SourceAccount", names.account))
    for topic in properties.get("AlarmActions", ()):
        yield Request("cloudwatch.amazonaws.com", "sns:Publish", names.resolve(topic), source)


def _assumed(service: str, role: str, context: tuple[tuple[str, str], ...] = ()) -> Request:
    return Request(service, "sts:AssumeRole", role, context)


_MAKERS = {
    "AWS::StepFunctions::StateMachine": _of_machine,
    "AWS::Lambda::Function": _of_function,
    "AWS::Lambda::EventInvokeConfig": _of_invocations,
    "AWS::Lambda::EventSourceMapping": _of_mapping,
    "AWS::Events::Rule": _of_rule,
    "AWS::ApiGateway::Authorizer": _of_authorizer,
    "AWS::ApiGateway::Method": _of_method,
    "AWS::ApiGatewayV2::Route": _of_route,
    "AWS::ApiGatewayV2::Authorizer": _of_authorizer,
    "AWS::CloudWatch::Alarm": _of_alarm,
    "AWS::EC2::FlowLog": _of_flow_log,
    "AWS::S3::Bucket": _of_bucket,
}
