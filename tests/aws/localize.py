"""Fits the synthesized template to the emulator, and says exactly what it changed."""

import json
from collections.abc import Mapping
from typing import Any

from tests.patience import PATIENCE_S

Template = dict[str, Any]
# What the emulator has no provisioner for; everything else is deployed as synthesized.
DROPPED = frozenset(
    {
        "AWS::Cognito::ManagedLoginBranding",
        "AWS::Cognito::UserPoolUser",
        "AWS::EC2::FlowLog",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::EC2::SecurityGroupEgress",
    }
)
# The customer's own sign-in of tiers 2 and 3: people sign in with a password here.
FEDERATED = "AWS::Cognito::UserPoolIdentityProvider"
ATTACHMENT = "AWS::SecretsManager::SecretTargetAttachment"
PYTHON = "python3.13"

# Other timeouts than the template's, by handler: for a test of what goes on where a run has stopped.
TIMEOUTS: dict[str, int] = {}


def localize(template: Template, database: Mapping[str, Any], environments: Mapping[str, dict[str, Any]]) -> Template:
    """The template with the emulated cluster's address replaced by a real Postgres.

    `database` is {host, port, dbname}: what Aurora would attach to its owner's secret. `environments` are variables to
    add by function. Functions run under a bootstrap of the test's, which executes the asset's own handlers.
    """
    local: Template = json.loads(json.dumps(template))
    resources: dict[str, Any] = local["Resources"]
    attached = {name: r for name, r in resources.items() if r["Type"] == ATTACHMENT}
    gone = {name for name, r in resources.items() if r["Type"] in DROPPED | {FEDERATED}}
    for client in (r["Properties"] for r in resources.values() if r["Type"] == "AWS::Cognito::UserPoolClient"):
        client["SupportedIdentityProviders"] = [p for p in client["SupportedIdentityProviders"] if isinstance(p, str)]
    for name in attached:
        _attach(resources, name, database)
    for name in gone | set(attached):
        del resources[name]
    clusters = {name for name, r in resources.items() if r["Type"] == "AWS::RDS::DBCluster"}
    secrets = {name: r["Properties"]["SecretId"]["Ref"] for name, r in attached.items()}
    local["Resources"] = _rewrite(resources, gone, secrets, clusters, database)
    _forget_dependencies(local["Resources"])
    _run_functions_here(local["Resources"], environments)
    return local


def missing_types(template: Template, local: Template) -> set[str]:
    """Types of which the localized template has fewer resources than the synthesized one."""
    kept = set(local["Resources"])
    return {r["Type"] for name, r in template["Resources"].items() if name not in kept}


def _attach(resources: dict[str, Any], name: str, database: Mapping[str, Any]) -> None:
    secret = resources[resources[name]["Properties"]["SecretId"]["Ref"]]
    generated = secret["Properties"]["GenerateSecretString"]
    generated["SecretStringTemplate"] = json.dumps({**json.loads(generated["SecretStringTemplate"]), **database})


def _rewrite(
    value: Any, gone: set[str], secrets: dict[str, str], clusters: set[str], database: Mapping[str, Any]
) -> Any:
    if isinstance(value, list):
        return [_rewrite(part, gone, secrets, clusters, database) for part in value]
    if not isinstance(value, dict):
        return value
    if value.get("Ref") in secrets:
        return {"Ref": secrets[value["Ref"]]}
    name, attribute = value.get("Fn::GetAtt") or (None, "")
    if name in clusters and attribute == "Endpoint.Address":
        return database["host"]
    if name in clusters and attribute == "Endpoint.Port":
        return str(database["port"])
    if value.get("Ref") in gone or name in gone:
        raise ValueError(f"The template refers to a dropped resource: {value}")
    return {key: _rewrite(part, gone, secrets, clusters, database) for key, part in value.items()}


def _forget_dependencies(resources: dict[str, Any]) -> None:
    for resource in resources.values():
        if "DependsOn" in resource:
            names = resource["DependsOn"] if isinstance(resource["DependsOn"], list) else [resource["DependsOn"]]
            resource["DependsOn"] = [name for name in names if name in resources]


def _run_functions_here(resources: dict[str, Any], environments: Mapping[str, dict[str, Any]]) -> None:
    for name, extra in environments.items():
        properties = resources[name]["Properties"]
        properties["Environment"]["Variables"] |= extra
        properties |= {"Runtime": "provided.al2023", "Layers": [], "Architectures": ["x86_64"]}
        # Less than a test waits for what becomes of a function that ran out of time.
        properties["Timeout"] = max(properties["Timeout"], PATIENCE_S // 2)
        properties["Timeout"] = TIMEOUTS.get(properties["Handler"], properties["Timeout"])
