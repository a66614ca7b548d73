"""A synthesized template, with the questions that tests ask of it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.aws.iam.resolve import Names
from tests.aws.localize import PYTHON


@dataclass(frozen=True)
class Template:
    """The template's JSON, and where it is deployed to."""

    body: dict[str, Any]
    region: str
    account: str

    @property
    def names(self) -> Names:
        return Names(self.resources, self.region, self.account)

    @property
    def resources(self) -> dict[str, Any]:
        return self.body["Resources"]

    @property
    def types(self) -> set[str]:
        return {r["Type"] for r in self.resources.values()}

    def of_type(self, type_: str) -> dict[str, dict[str, Any]]:
        """Logical id → properties."""
        return {name: r.get("Properties", {}) for name, r in self.resources.items() if r["Type"] == type_}

    def only(self, type_: str) -> dict[str, Any]:
        (properties,) = self.of_type(type_).values()
        return properties

    def aliases(self) -> dict[str, str]:
        """Logical id of a function → that of its alias."""
        return {p["FunctionName"]["Ref"]: name for name, p in self.of_type("AWS::Lambda::Alias").items()}

    def needs(self, name: str) -> set[str]:
        """Everything that CloudFormation makes or updates before the resource, directly and through others."""
        found, waiting = set[str](), [name]
        while waiting:
            resource = self.resources[waiting.pop()]
            direct = {d for d in _references(resource.get("Properties", {})) if d in self.resources}
            depends = resource.get("DependsOn", [])
            direct |= set(depends if isinstance(depends, list) else [depends])
            waiting.extend(direct - found)
            found |= direct
        return found

    def functions(self) -> dict[str, dict[str, Any]]:
        """Our own functions by their module below `functions/`."""
        ours = (p for p in self.of_type("AWS::Lambda::Function").values() if p["Runtime"] == PYTHON)
        return {p["Handler"].removeprefix("functions.").removesuffix(".handler"): p for p in ours}

    def statements_of(self, module: str) -> list[dict[str, Any]]:
        """Every statement of the policies on the role of a function."""
        role = self.functions()[module]["Role"]["Fn::GetAtt"][0]
        policies = (p for p in self.of_type("AWS::IAM::Policy").values() if {"Ref": role} in p["Roles"])
        return [s for p in policies for s in p["PolicyDocument"]["Statement"]]

    def statements(self) -> Iterator[dict[str, Any]]:
        """Every statement of every policy on a role."""
        for policy in self.of_type("AWS::IAM::Policy").values():
            yield from policy["PolicyDocument"]["Statement"]

    def machine(self) -> dict[str, Any]:
        """The state machine's definition; what is known at deployment only reads as `<…>`."""
        definition = self.only("AWS::StepFunctions::StateMachine")["DefinitionString"]["Fn::Join"][1]
        return json.loads("".join(p if isinstance(p, str) else f"<{reference(p)}>" for p in definition))


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for part in value:
            yield from _references(part)
    elif isinstance(value, dict):
        if "Ref" in value:
            yield value["Ref"]
        if "Fn::GetAtt" in value:
            yield value["Fn::GetAtt"][0]
        for part in value.values():
            yield from _references(part)
    elif isinstance(value, str):
        # In a text of Fn::Sub.
        yield from re.findall(r"\$\{(\w+)", value)


def reference(value: dict[str, Any]) -> str:
    return str(value["Ref"] if "Ref" in value else value["Fn::GetAtt"][0])


def actions(statement: dict[str, Any]) -> list[str]:
    return statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]


def resources(statement: dict[str, Any]) -> list[Any]:
    return statement["Resource"] if isinstance(statement["Resource"], list) else [statement["Resource"]]
