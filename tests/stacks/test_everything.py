"""A deployment file that says everything it can: a name with a certificate, second passwords, every kind of model."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.aws.assembly import run_app
from tests.stacks.spelling import spell
from tests.stacks.template import Template, resources

STREAMED = "bedrock:InvokeModelWithResponseStream"
pytestmark = pytest.mark.aws

CERTIFICATE = "arn:aws:acm:us-east-1:111111111111:certificate/00000000-0000-4000-8000-000000000001"
SNAPSHOT = "arn:aws:rds:eu-west-1:222222222222:cluster-snapshot:before-the-flood"
FIREWALL = "arn:aws:wafv2:us-east-1:111111111111:global/webacl/docs/00000000-0000-4000-8000-000000000002"
EMBEDDERS = {
    "arn:aws:bedrock:eu-central-1:<account>:inference-profile/eu.cohere.embed-v4:0",
    "arn:aws:bedrock:*::foundation-model/cohere.embed-v4:0",
    "arn:aws:bedrock:eu-central-1::foundation-model/amazon.titan-embed-text-v2:0",
}
ANSWERER = {
    "arn:aws:bedrock:eu-central-1:<account>:inference-profile/eu.anthropic.claude-haiku-5-5",
    "arn:aws:bedrock:*::foundation-model/anthropic.claude-haiku-5-5",
    "arn:aws:bedrock:eu-central-1:<account>:inference-profile/global.anthropic.claude-haiku-5-5",
}
RERANKER = "arn:aws:bedrock:eu-central-1::foundation-model/cohere.rerank-v3-5:0"
GROUPER = "arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-haiku-5-5"


def test_a_domain_with_a_certificate_is_the_deployments_address(everything: Template) -> None:
    distribution = everything.only("AWS::CloudFront::Distribution")["DistributionConfig"]
    assert distribution["Aliases"] == ["docs.example.com"]
    assert distribution["ViewerCertificate"] == {
        "AcmCertificateArn": CERTIFICATE,
        "MinimumProtocolVersion": "TLSv1.2_2021",
        "SslSupportMethod": "sni-only",
    }
    assert distribution["WebACLId"] == FIREWALL
    outputs = {spell(output["Value"]) for output in everything.body["Outputs"].values()}
    assert {"https://docs.example.com", "<FrontDistribution.DomainName>"} <= outputs
    clients = everything.of_type("AWS::Cognito::UserPoolClient").values()
    assert ["https://docs.example.com/auth/callback"] in [client["CallbackURLs"] for client in clients]
    cors = [b["CorsConfiguration"] for b in everything.of_type("AWS::S3::Bucket").values() if "CorsConfiguration" in b]
    assert [rule["AllowedOrigins"] for one in cors for rule in one["CorsRules"]] == [["https://docs.example.com"]]


def test_people_sign_up_where_the_deployment_lets_them(everything: Template, shared: Template) -> None:
    for template, closed in ((everything, False), (shared, True)):
        pool = template.only("AWS::Cognito::UserPool")
        assert pool["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is closed
        assert pool["AutoVerifiedAttributes"] == ["email"]
        variables = template.functions()["api.handler"]["Environment"]["Variables"]
        assert variables["AUTRI_SELF_SIGN_UP"] == str(not closed).lower()
    assert everything.functions()["auth.invite"]["Environment"]["Variables"]["AUTRI_FEDERATED"] == "true"
    assert shared.functions()["auth.invite"]["Environment"]["Variables"]["AUTRI_FEDERATED"] == "false"


def test_pages_of_listed_origins_may_ask_first_and_of_no_others(everything: Template, shared: Template) -> None:
    asked = {"OPTIONS /v1/{proxy+}", "OPTIONS /mcp"}
    for template, listed in ((everything, "https://app.example.com,https://b.example.com:8443"), (shared, None)):
        assert template.functions()["api.handler"]["Environment"]["Variables"].get("AUTRI_CORS_ORIGINS") == listed
        routes = {one["RouteKey"]: one for one in template.of_type("AWS::ApiGatewayV2::Route").values()}
        assert asked & set(routes) == (asked if listed else set())
        assert all(routes[name]["AuthorizationType"] == "NONE" for name in asked & set(routes))


def test_a_directorys_groups_are_kept_where_the_file_asks_for_it(everything: Template, shared: Template) -> None:
    [directory] = [
        one
        for one in everything.of_type("AWS::Cognito::UserPoolIdentityProvider").values()
        if one["ProviderType"] == "OIDC"
    ]
    mapped = directory["AttributeMapping"]
    assert directory["ProviderName"] == "Entra"
    assert (mapped["custom:groups"], mapped["custom:groups_elsewhere"]) == ("groups", "_claim_names")
    kept = {
        one["Name"]: one for one in everything.only("AWS::Cognito::UserPool")["Schema"] if "AttributeDataType" in one
    }
    for name in ("groups", "groups_elsewhere"):
        assert (kept[name]["Mutable"], kept[name]["StringAttributeConstraints"]) == (True, {"MaxLength": "2048"})
    assert "groups" not in {one["Name"] for one in shared.only("AWS::Cognito::UserPool").get("Schema", [])}


def test_another_generation_of_passwords_is_another_owners_secret_and_asked_of_migrate_for_the_application(
    everything: Template, shared: Template
) -> None:
    def passwords(template: Template) -> tuple[str, str]:
        master = spell(template.only("AWS::RDS::DBCluster")["MasterUserPassword"])
        return master, template.only("Custom::Migrations")["password_generation"]

    assert passwords(shared) == ("{{resolve:secretsmanager:<DatabaseOwner>:SecretString:password::}}", "1")
    assert passwords(everything) == ("{{resolve:secretsmanager:<DatabaseOwner2>:SecretString:password::}}", "2")
    environments = [function["Environment"]["Variables"] for function in everything.functions().values()]
    named = [spell(one[name]) for one in environments if (name := "AUTRI_DATABASE_SECRET_ARN") in one]
    assert named == ["<DatabaseApplication>"] * 18


def test_a_restored_deployment_begins_as_its_snapshot_with_the_password_of_its_own_secret(
    everything: Template, shared: Template
) -> None:
    cluster = everything.only("AWS::RDS::DBCluster")
    assert cluster["SnapshotIdentifier"] == SNAPSHOT
    assert not {"MasterUsername", "DatabaseName"} & set(cluster)
    assert spell(cluster["MasterUserPassword"]).startswith("{{resolve:secretsmanager:<DatabaseOwner2>")
    assert everything.only("Custom::Migrations")["restored_from"] == SNAPSHOT
    assert "SnapshotIdentifier" not in shared.only("AWS::RDS::DBCluster")
    assert shared.only("AWS::RDS::DBCluster")["DatabaseName"] == "autri"


def test_the_stages_know_the_plan_and_the_budget_of_organizations(everything: Template, shared: Template) -> None:
    def said(template: Template) -> set[tuple[str | None, str | None]]:
        of = [f["Environment"]["Variables"] for f in template.functions().values() if "Environment" in f]
        inside = [variables for variables in of if "AUTRI_BUCKET" in variables]
        return {(one.get("AUTRI_DEFAULT_PLAN"), one.get("AUTRI_MODEL_USD_PER_DAY")) for one in inside}

    assert said(everything) == {("personal", "1.5")}
    assert said(shared) == {("free", "10.0")}


def test_each_function_may_call_the_models_of_its_own_work(everything: Template) -> None:
    def called(module: str) -> set[str]:
        statements = [s for s in everything.statements_of(module) if "bedrock:InvokeModel" in json.dumps(s["Action"])]
        return {spell(r) for s in statements for r in resources(s)}

    callers: dict[str, Any] = {m: c for m in everything.functions() if (c := called(m))}
    assert callers == {
        "embed": EMBEDDERS,
        "maintain": EMBEDDERS,
        "api.handler": EMBEDDERS | {RERANKER} | ANSWERER,
        "api.streaming": EMBEDDERS | {RERANKER} | ANSWERER,
        "api.lab": EMBEDDERS | {RERANKER} | ANSWERER,
        "extract": {GROUPER},
    }
    streamed = {
        module: {spell(r) for s in everything.statements_of(module) if STREAMED in s["Action"] for r in resources(s)}
        for module in everything.functions()
    }
    assert {m: r for m, r in streamed.items() if r} == {
        "api.handler": ANSWERER,
        "api.streaming": ANSWERER,
        "api.lab": ANSWERER,
    }


def test_functions_know_every_model_that_may_answer_by_its_name(everything: Template) -> None:
    for module in ("api.handler", "api.streaming", "api.lab"):
        variables = everything.functions()[module]["Environment"]["Variables"]
        assert variables["AUTRI_ANSWERING_MODEL_ID"] == "eu.anthropic.claude-haiku-5-5"
        assert variables["AUTRI_FURTHER_MODEL_IDS"] == "global.anthropic.claude-haiku-5-5"


def test_without_ocr_nothing_leads_to_textract_and_parse_knows_it(everything: Template, shared: Template) -> None:
    def about_textract(template: Template) -> tuple[int, int, str]:
        endpoints = json.dumps(template.of_type("AWS::EC2::VPCEndpoint")).count("textract")
        permissions = sum("textract" in json.dumps(s) for s in template.statements())
        return endpoints, permissions, template.functions()["parse"]["Environment"]["Variables"]["AUTRI_OCR"]

    assert about_textract(shared) == (1, 1, "textract")
    assert about_textract(everything) == (0, 0, "off")


def test_a_model_at_the_end_of_its_life_stops_the_synthesis_and_says_what_to_do(tmp_path: Path) -> None:
    text = (Path(__file__).parent / "everything.toml").read_text(encoding="utf-8")
    (tmp_path / "old.toml").write_text(text.replace("claude-haiku-5-5", "claude-haiku-4-5-20251001-v1:0"))
    done = run_app("old", tmp_path / "assembly", tmp_path)
    assert done.returncode == 1
    assert (
        "deployments/old.toml: Bedrock may refuse the model 'anthropic.claude-haiku-4-5-20251001-v1:0'" in done.stderr
    )
    assert "since 2026-10-01" in done.stderr
    assert "Set `model_id` to a current one (anthropic.claude-haiku-5-5)" in done.stderr
    assert not list(tmp_path.glob("assembly/*.template.json"))
