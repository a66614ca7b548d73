"""The firewall before CloudFront: which deployment has one, what it stops, what it only counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from stacks.estimate.report import estimate_template, read_templates
from stacks.specification import DEPLOYMENTS, DeploymentError, load_specification
from tests.aws.assembly import BESIDE, synthesize
from tests.stacks.spelling import spell
from tests.stacks.template import Template

pytestmark = pytest.mark.aws
LIST = "AWS::WAFv2::WebACL"


def written(folder: Path, name: str, **changes: str) -> Path:
    """A folder with the deployment file `tenant-acme` under another name, `region` and settings changed."""
    text = (DEPLOYMENTS / "tenant-acme.toml").read_text(encoding="utf-8")
    text = text.replace('region = "eu-central-1"', "\n".join(f"{key} = {value}" for key, value in changes.items()))
    (folder / f"{name}.toml").write_text(text.replace("eu.anthropic", "us.anthropic"), encoding="utf-8")
    return folder


def resources(assembly: Path, stack: str) -> dict[str, Any]:
    return json.loads((assembly / f"autri-{stack}.template.json").read_text(encoding="utf-8"))["Resources"]


def web_acl(found: dict[str, Any]) -> Any:
    (distribution,) = (r for r in found.values() if r["Type"] == "AWS::CloudFront::Distribution")
    return distribution["Properties"]["DistributionConfig"].get("WebACLId")


def test_tier_3_has_one_and_the_others_where_their_file_asks(shared: Template, dedicated: Template) -> None:
    assert (web_acl(shared.resources), web_acl(dedicated.resources)) == (None, None)
    assert web_acl(resources(synthesize("customer-acme"), "customer-acme"))
    assert not list(synthesize("tenant-acme").glob("*-edge.template.json"))


def test_in_another_region_it_is_a_stack_of_its_own_whose_address_the_deployment_reads(customer: Template) -> None:
    assembly = synthesize("customer-acme")
    edge = resources(assembly, "customer-acme-edge")
    ((name, _),) = ((name, r) for name, r in edge.items() if r["Type"] == LIST)
    (writer,) = (
        r["Properties"]["WriterProps"] for r in edge.values() if r["Type"] == "Custom::CrossRegionExportWriter"
    )
    ((parameter, told),) = writer["exports"].items()
    assert (writer["region"], told) == (customer.region, {"Fn::GetAtt": [name, "Arn"]})
    own = resources(assembly, "customer-acme")
    wiring = {name: r for name, r in own.items() if name not in customer.resources}
    assert {r["Type"] for r in wiring.values()} == {
        "Custom::CrossRegionExportReader", "AWS::Lambda::Function", "AWS::IAM::Role"
    }  # fmt: skip
    (reader,) = (name for name, r in wiring.items() if r["Type"] == "Custom::CrossRegionExportReader")
    assert wiring[reader]["Properties"]["ReaderProps"]["imports"] == {parameter: f"{{{{resolve:ssm:{parameter}}}}}"}
    assert web_acl(own) == {"Fn::GetAtt": [reader, parameter]}
    (role,) = (r["Properties"] for r in wiring.values() if r["Type"] == "AWS::IAM::Role")
    ((statement,),) = (policy["PolicyDocument"]["Statement"] for policy in role["Policies"])
    assert {action.partition(":")[0] for action in statement["Action"]} == {"ssm"}
    assert spell(statement["Resource"]).endswith(":parameter/cdk/exports/autri-customer-acme/*")
    manifest = json.loads((assembly / "manifest.json").read_text(encoding="utf-8"))["artifacts"]
    assert manifest["autri-customer-acme-edge"]["environment"] == "aws://222222222222/us-east-1"
    assert "autri-customer-acme-edge" in manifest["autri-customer-acme"]["dependencies"]


def test_it_stops_floods_and_known_attacks_and_only_counts_what_documents_look_like() -> None:
    (found,) = (r["Properties"] for r in resources(synthesize("customer-acme"), "customer-acme-edge").values()
                if r["Type"] == LIST)  # fmt: skip
    rate, common, bad = found["Rules"]
    assert (found["Scope"], found["DefaultAction"]) == ("CLOUDFRONT", {"Allow": {}})
    assert rate["Action"] == {"Block": {}}
    assert rate["Statement"]["RateBasedStatement"] == {
        "AggregateKeyType": "IP", "EvaluationWindowSec": 300, "Limit": 6000
    }  # fmt: skip
    groups = [one["Statement"]["ManagedRuleGroupStatement"] for one in (common, bad)]
    assert [one["OverrideAction"] for one in (common, bad)] == [{"None": {}}] * 2
    assert [group["Name"] for group in groups] == [
        "AWSManagedRulesCommonRuleSet",
        "AWSManagedRulesKnownBadInputsRuleSet",
    ]
    counted = {rule["Name"]: rule["ActionToUse"] for rule in groups[0]["RuleActionOverrides"]}
    assert "SizeRestrictions_BODY" in counted
    assert all(name.endswith("_BODY") for name in counted), "nothing but rules about bodies"
    assert all(action == {"Count": {}} for action in counted.values())
    assert "RuleActionOverrides" not in groups[1]
    seen = [found["VisibilityConfig"], *(rule["VisibilityConfig"] for rule in found["Rules"])]
    assert [one["SampledRequestsEnabled"] for one in seen] == [False] * 4


def test_in_us_east_1_it_is_part_of_the_deployment() -> None:
    assembly = synthesize("near", BESIDE)
    found = resources(assembly, "near")
    ((name, _),) = ((name, r) for name, r in found.items() if r["Type"] == LIST)
    assert web_acl(found) == {"Fn::GetAtt": [name, "Arn"]}
    assert len(list(assembly.glob("*.template.json"))) == 1


def test_to_make_one_and_to_name_one_is_refused(tmp_path: Path) -> None:
    arn = '"arn:aws:wafv2:us-east-1:111111111111:global/webacl/docs/00000000-0000-4000-8000-000000000002"'
    folder = written(tmp_path, "both", region='"us-east-1"', waf="true", web_acl_arn=arn)
    with pytest.raises(DeploymentError, match="keep one of the two"):
        load_specification("both", folder)


def test_it_is_in_the_estimate_wherever_its_stack_is() -> None:
    specification = load_specification("customer-acme")
    found = estimate_template(specification, read_templates(synthesize("customer-acme")))
    firewall = {line.unit: line.usd for line in found.idle if line.what == "firewall"}
    assert firewall == {"lists": 5.0, "rules": 3.0}
