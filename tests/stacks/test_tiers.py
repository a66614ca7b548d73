import dataclasses
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from stacks.specification import DeploymentError, known_deployments, load_specification
from stacks.tiers import TIERS, Tier, TierName
from tests.stacks.template import Template

VALID = """
tier = "{tier}"
region = "eu-central-1"
host = "docs.example.com"
login_prefix = "docs"
[owner]
slug = "docs"
organization = "Docs"
email = "owner@example.com"
"""
ENTRA = """
[entra]
tenant_id = "00000000-0000-4000-8000-000000000001"
client_id = "app"
client_secret_name = "docs/entra"
"""


def settings_of(template: Template) -> dict[str, Any]:
    """What the template says about each setting of a tier."""
    cluster = template.only("AWS::RDS::DBCluster")
    scaling = cluster["ServerlessV2ScalingConfiguration"]
    maps = [s for s in template.machine()["States"].values() if s["Type"] == "Map"]
    route = template.only("AWS::ApiGatewayV2::Stage")["DefaultRouteSettings"]
    functions = template.functions()
    variables = functions["admit"]["Environment"]["Variables"]
    return {
        "max_capacity": scaling["MaxCapacity"],
        "auto_pause_minutes": scaling["SecondsUntilAutoPause"] / 60,
        "backup_days": cluster["BackupRetentionPeriod"],
        "run_slots": int(variables["AUTRI_RUN_SLOTS"]),
        "run_slots_per_organization": int(variables["AUTRI_RUN_SLOTS_PER_ORGANIZATION"]),
        "map_concurrency": {s["MaxConcurrency"] for s in maps},
        "endpoint_zones": {len(e["SubnetIds"]) for e in interface_endpoints(template)},
        "api_concurrency": functions["api.handler"]["ReservedConcurrentExecutions"],
        "stream_concurrency": functions["api.streaming"]["ReservedConcurrentExecutions"],
        "lab_concurrency": functions["api.lab"]["ReservedConcurrentExecutions"],
        "requests_per_second": route["ThrottlingRateLimit"],
        "request_burst": route["ThrottlingBurstLimit"],
        "default_plan": {f["Environment"]["Variables"].get("AUTRI_DEFAULT_PLAN") for f in functions.values()} - {None},
        "operates": {"true": True, "false": False}[template.only("Custom::Migrations")["operates"]],
    }


def interface_endpoints(template: Template) -> list[dict[str, Any]]:
    endpoints = template.of_type("AWS::EC2::VPCEndpoint").values()
    return [endpoint for endpoint in endpoints if endpoint["VpcEndpointType"] == "Interface"]


def promised(tier: Tier) -> dict[str, Any]:
    values = dataclasses.asdict(tier)
    values |= {name: {values[name]} for name in ("map_concurrency", "endpoint_zones", "default_plan")}
    # A firewall has a stack of its own: test_firewall.py.
    rules = {"name", "account_required", "entra_required", "google_allowed", "sign_up_allowed", "firewall"}
    return {name: value for name, value in values.items() if name not in rules}


@pytest.mark.aws
@pytest.mark.parametrize("tier", list(TIERS))
def test_a_template_says_what_its_tier_says(tier: TierName, request: pytest.FixtureRequest) -> None:
    assert settings_of(request.getfixturevalue(tier)) == promised(TIERS[tier])


@pytest.mark.aws
def test_tiers_have_the_same_resources_but_for_their_identity_provider(
    shared: Template, dedicated: Template, customer: Template
) -> None:
    federation = "AWS::Cognito::UserPoolIdentityProvider"
    assert shared.types | {federation} == dedicated.types == customer.types
    assert federation not in shared.types
    for template in (dedicated, customer):
        provider = template.only(federation)
        assert provider["ProviderType"] == "OIDC"
        assert provider["ProviderDetails"]["oidc_issuer"].startswith("https://login.microsoftonline.com/0")
        assert provider["ProviderDetails"]["client_secret"].startswith("{{resolve:secretsmanager:")
        (name,) = template.of_type(federation)
        for client in template.of_type("AWS::Cognito::UserPoolClient").values():
            assert client["SupportedIdentityProviders"] == ["COGNITO", {"Ref": name}]


def test_every_deployment_file_of_the_repository_is_valid() -> None:
    tiers = {load_specification(name).tier.name for name in known_deployments()}
    assert tiers == set(TIERS)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (VALID.format(tier="shared") + "colour = 1", "owner.colour"),
        (VALID.format(tier="gold"), "tier: Input should be 'shared', 'dedicated' or 'customer'"),
        (VALID.format(tier="dedicated"), "needs an [entra] table"),
        (VALID.format(tier="customer") + ENTRA, "needs `account`"),
        (VALID.format(tier="dedicated") + ENTRA.replace("00000000-0000-4000-8000-000000000001", "common"), "tenant_id"),
        (VALID.format(tier="shared").replace("owner@example.com", "owner"), "owner.email"),
        (VALID.format(tier="shared") + '[extraction]\nmodel_id = "eu.acme.parrot-1"', "models.toml"),
        (
            VALID.format(tier="shared")
            + '[answering]\nmodel_id = "eu.anthropic.claude-haiku-5-5"\nfurther = ["eu.acme.parrot-1"]',
            "The model 'eu.acme.parrot-1' has no",
        ),
        (VALID.format(tier="shared") + '[embedding]\nmodel_id = "acme.echo-1"', "The embedder 'acme.echo-1' has no"),
        (VALID.format(tier="shared") + '[rerank]\nmodel_id = "acme.order-1"', "The reranker 'acme.order-1' has no"),
        ('certificate_arn = "arn:aws:acm:eu-central-1:1:certificate/a"' + VALID.format(tier="shared"), "of us-east-1"),
        ('web_acl_arn = "arn:aws:wafv2:eu-central-1:1:regional/webacl/a"' + VALID.format(tier="shared"), "web_acl_arn"),
        ("password_generation = 0" + VALID.format(tier="shared"), "password_generation"),
        ("tier = ", "is not valid TOML"),
    ],
)
def test_a_wrong_deployment_file_is_refused_with_what_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "docs.toml").write_text(text)
    with pytest.raises(DeploymentError) as refused:
        load_specification("docs", tmp_path)
    assert complaint in str(refused.value)
    assert "docs.toml" in str(refused.value)


@pytest.mark.parametrize("model", ["anthropic.claude-haiku-5-5", "eu.anthropic.claude-haiku-5-5"])
def test_a_model_is_refused_from_the_first_day_of_its_end_of_life_on(tmp_path: Path, model: str) -> None:
    (tmp_path / "docs.toml").write_text(VALID.format(tier="shared") + f'[extraction]\nmodel_id = "{model}"')
    assert load_specification("docs", tmp_path, date(2027, 10, 6)).file.extraction is not None
    with pytest.raises(
        DeploymentError, match=rf"may refuse the model '{model}' since 2027-10-07.*current one \(none\)"
    ):
        load_specification("docs", tmp_path, date(2027, 10, 7))


@pytest.mark.parametrize(("table", "kind"), [("embedding", "embedders"), ("rerank", "rerankers")])
def test_embedders_and_rerankers_end_as_models_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, kind: str
) -> None:
    models = tmp_path / "models.toml"
    models.write_text(
        "[models]\n[embedders.'amazon.titan-embed-text-v2:0']\n[rerankers]\n"
        f"[{kind}.'acme.old']\nend_of_life = 2026-01-01\n[{kind}.'acme.new']\n"
    )
    monkeypatch.setattr("stacks.specification.MODELS", models)
    (tmp_path / "docs.toml").write_text(VALID.format(tier="shared") + f'[{table}]\nmodel_id = "acme.old"')
    with pytest.raises(DeploymentError, match=r"since 2026-01-01.*acme\.new"):
        load_specification("docs", tmp_path)


@pytest.mark.parametrize("name", ["nobody", "../shared", "Shared", ""])
def test_an_unknown_deployment_names_those_that_exist(name: str) -> None:
    with pytest.raises(DeploymentError, match=r"There are: customer-acme, shared, tenant-acme"):
        load_specification(name)
