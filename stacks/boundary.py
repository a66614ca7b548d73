"""The most that the roles of a deployment may do: a policy of the account's, named in the deployment file, and what it
has to allow at least."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from stacks.specification import DeploymentError

# What AWS's two policies allow that functions hold besides their own.
_LOGS: Final = frozenset({"logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"})
_INTERFACES: Final = frozenset(
    f"ec2:{name}"
    for name in (
        *("CreateNetworkInterface", "DeleteNetworkInterface", "DescribeNetworkInterfaces", "DescribeSubnets"),
        *("AssignPrivateIpAddresses", "UnassignPrivateIpAddresses"),
    )
)
MANAGED: Final[Mapping[str, frozenset[str]]] = {
    "AWSLambdaBasicExecutionRole": _LOGS,
    "AWSLambdaVPCAccessExecutionRole": _LOGS | _INTERFACES,
}


def boundary_of(resources: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The ARN that bounds the template's roles."""
    return next((b for r in resources.values() if (b := r.get("Properties", {}).get("PermissionsBoundary"))), None)


def boundary_policy(resources: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The narrowest boundary by actions with which everything works. Raises DeploymentError where a role holds a policy
    of AWS's that is not known here."""
    actions = sorted({action for resource in resources.values() for action in _actions(resource)})
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*"}]}


def _actions(resource: Mapping[str, Any]) -> Iterator[str]:
    properties = resource.get("Properties", {})
    if resource["Type"] == "AWS::IAM::Policy":
        yield from _allowed(properties["PolicyDocument"])
    if resource["Type"] == "AWS::IAM::Role":
        for policy in properties.get("Policies", ()):
            yield from _allowed(policy["PolicyDocument"])
        for arn in properties.get("ManagedPolicyArns", ()):
            yield from _managed(arn)


def _allowed(document: Mapping[str, Any]) -> Iterator[str]:
    for statement in document["Statement"]:
        if statement["Effect"] == "Allow":
            found = statement["Action"]
            yield from [found] if isinstance(found, str) else found


def _managed(arn: Any) -> frozenset[str]:
    """Of an ARN as the template writes it: a text, or `Fn::Join` or `Fn::Sub` of texts and references."""
    name = str(arn).rpartition("/")[2].rstrip("'\"]}) ")
    if name not in MANAGED:
        raise DeploymentError(f"Say in stacks/boundary.py what the managed policy {name} allows.")
    return MANAGED[name]
