import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shared.adapters.local.postgres import APPLICATION, OWNER
from shared.contract import STORED_PREFIXES
from stacks.assets import ROOT
from tests.aws.assembly import BESIDE, synthesize
from tests.stacks.spelling import spell
from tests.stacks.template import Template, actions, reference, resources

# Migrations and indexes are the table owner's alone.
# Outside the network, without the database's secret.
OUTSIDE = {"auth.login", "auth.authorize", "auth.invite", "auth.message", "publish_static", "fetch"}
AS_OWNER = {"migrate", "maintain"}

pytestmark = pytest.mark.aws


@pytest.fixture(params=["shared", "dedicated", "customer"])
def template(request: pytest.FixtureRequest) -> Template:
    return request.getfixturevalue(request.param)


def test_nothing_leads_out_of_the_network(template: Template) -> None:
    assert not template.types & {"AWS::EC2::NatGateway", "AWS::EC2::InternetGateway", "AWS::EC2::EIP"}
    assert not [p for p in template.of_type("AWS::EC2::Subnet").values() if p.get("MapPublicIpOnLaunch")]
    assert {module for module, function in template.functions().items() if "VpcConfig" not in function} == OUTSIDE


def test_endpoints_serve_what_functions_call_and_no_more(template: Template) -> None:
    names = [json.dumps(p["ServiceName"]) for p in template.of_type("AWS::EC2::VPCEndpoint").values()]
    services = {n.strip('"}]').rsplit(".", 1)[-1] for n in names}
    assert services == {"s3", "bedrock-runtime", "secretsmanager", "states", "textract"}


def test_only_functions_may_reach_the_database(template: Template) -> None:
    (functions,) = (name for name in template.of_type("AWS::EC2::SecurityGroup") if "NetworkFunctions" in name)
    database = [
        p for p in template.of_type("AWS::EC2::SecurityGroupIngress").values() if "Database" in json.dumps(p["GroupId"])
    ]
    assert [p["SourceSecurityGroupId"]["Fn::GetAtt"][0] for p in database] == [functions]


def test_everything_stored_is_encrypted_with_the_deployments_key(template: Template) -> None:
    (key,) = template.of_type("AWS::KMS::Key")
    assert template.only("AWS::KMS::Key")["EnableKeyRotation"] is True
    cluster = template.only("AWS::RDS::DBCluster")
    assert cluster["StorageEncrypted"] is True
    assert cluster["KmsKeyId"] == {"Fn::GetAtt": [key, "Arn"]}
    for secret in template.of_type("AWS::SecretsManager::Secret").values():
        assert secret["KmsKeyId"] == {"Fn::GetAtt": [key, "Arn"]}
    documents = next(p for n, p in template.of_type("AWS::S3::Bucket").items() if "Documents" in n)
    (rule,) = documents["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"]["KMSMasterKeyID"] == {"Fn::GetAtt": [key, "Arn"]}


def test_buckets_are_private_versioned_and_refuse_plain_http(template: Template) -> None:
    documents = next(p for n, p in template.of_type("AWS::S3::Bucket").items() if "Documents" in n)
    assert documents["VersioningConfiguration"] == {"Status": "Enabled"}
    assert documents["NotificationConfiguration"]["EventBridgeConfiguration"]["EventBridgeEnabled"] is True
    for bucket in template.of_type("AWS::S3::Bucket").values():
        assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    for policy in template.of_type("AWS::S3::BucketPolicy").values():
        denials = [s for s in policy["PolicyDocument"]["Statement"] if s["Effect"] == "Deny"]
        assert {"Bool": {"aws:SecureTransport": "false"}} in [s["Condition"] for s in denials]


def test_the_cluster_sleeps_when_idle_and_survives_its_stack(template: Template) -> None:
    cluster = template.only("AWS::RDS::DBCluster")
    assert cluster["ServerlessV2ScalingConfiguration"]["MinCapacity"] == 0
    assert cluster["ServerlessV2ScalingConfiguration"]["SecondsUntilAutoPause"] >= 300
    assert cluster["EngineVersion"].startswith("17.")
    assert cluster["DeletionProtection"] is True
    assert "AWS::RDS::DBProxy" not in template.types


def test_functions_log_in_as_a_role_that_owns_nothing(template: Template) -> None:
    made = {n: p["GenerateSecretString"] for n, p in template.of_type("AWS::SecretsManager::Secret").items()}
    users = {n: json.dumps(one["SecretStringTemplate"]) for n, one in made.items() if "SecretStringTemplate" in one}
    (application,) = (name for name, text in users.items() if APPLICATION in text)
    (owner,) = (name for name, text in users.items() if OWNER in text)
    assert all("verify-full" in text for text in users.values())
    assert template.only("AWS::RDS::DBCluster")["MasterUsername"] != APPLICATION
    for module, function in template.functions().items():
        if module in OUTSIDE:
            assert "secretsmanager" not in json.dumps(template.statements_of(module))
            continue
        variables = function["Environment"]["Variables"]
        assert reference(variables["AUTRI_DATABASE_SECRET_ARN"]) == application
        assert ("AUTRI_OWNER_SECRET_ARN" in variables) == (module in AS_OWNER)
        reading = [s for s in template.statements_of(module) if "secretsmanager:GetSecretValue" in actions(s)]
        readable = json.dumps(reading)
        assert application in readable
        assert (owner in readable or "Attachment" in readable) == (module in AS_OWNER)


def test_no_statement_grants_a_wildcard_action(template: Template) -> None:
    assert [s for s in template.statements() if any("*" in action for action in actions(s))] == []


def test_a_wildcard_resource_is_granted_for_nothing_but_what_names_none(template: Template) -> None:
    open_actions = {a for s in template.statements() if "*" in resources(s) for a in actions(s)}
    assert all(a.startswith(("xray:", "logs:", "textract:")) for a in open_actions), open_actions
    readers = {m for m in template.functions() if any("textract:" in str(s) for s in template.statements_of(m))}
    assert readers == {"parse"}


def test_each_stage_touches_only_its_own_objects(template: Template) -> None:
    def prefixes(module: str, action: str) -> set[str]:
        found = [r for s in template.statements_of(module) if action in actions(s) for r in resources(s)]
        return {r["Fn::Join"][1][-1] for r in found}

    for module in ("finalize", "embed", "publish", "migrate", "erase"):
        assert prefixes(module, "s3:PutObject") == set()
    # Pages of the web: what is asked for, what comes (by an address that is signed here), and what is then read.
    fetching = {"/fetching/*", "/fetched/*"}
    assert prefixes("fetch", "s3:PutObject") == prefixes("fetch", "s3:DeleteObject") == set()
    assert prefixes("fetch", "s3:GetObject") == {"/fetching/*"}
    assert prefixes("maintain", "s3:PutObject") == fetching | {
        "/erasing/*",
        "/incoming/*",
        "/sending/now/*",
        "/digesting/*",
    }
    for module in ("render", "parse", "extract"):
        assert prefixes(module, "s3:PutObject") == {"/work/*"}
    assert prefixes("api.handler", "s3:PutObject") == {
        "/incoming/*",
        "/sources/*",
        "/work/*",
        "/outbox/*",
        "/requests/*",
        "/imports/*",
        "/erasing/*",
        "/sending/now/*",
        "/digesting/*",
        *fetching,
    }
    # What webhooks are told: it writes what is to be posted, and when it looks next; it reads the answers alone.
    assert prefixes("send", "s3:PutObject") == fetching | {"/sending/due.json*"}
    assert prefixes("send", "s3:GetObject") == {"/fetched/*", "/sending/due.json*"}
    assert prefixes("send", "s3:DeleteObject") == set()
    assert prefixes("api.streaming", "s3:PutObject") == prefixes("api.streaming", "s3:DeleteObject") == set()
    assert prefixes("api.streaming", "s3:GetObject") == {"/work/*"}
    assert prefixes("api.lab", "s3:PutObject") == {"/sources/*", "/work/*", "/sending/now/*", "/digesting/*"}
    assert prefixes("api.lab", "s3:DeleteObject") == {"/sources/*", "/work/*"}
    assert prefixes("export", "s3:PutObject") == {"/exports/*"}
    assert prefixes("export", "s3:DeleteObject") == set()
    imported = {"/sources/*", "/work/*"}
    # What a failed import leaves is the deletion's to take.
    assert prefixes("import_archive", "s3:PutObject") == imported | {"/imports/*/outcome.json*", "/erasing/*"}
    assert prefixes("import_archive", "s3:DeleteObject") == {"/imports/*/archive.autri.zip*"}
    assert prefixes("import_archive", "s3:GetObject") == {"/imports/*", "/sources/*"}
    assert prefixes("auth.invite", "s3:GetObject") == {"/outbox/*"}
    assert prefixes("register", "s3:DeleteObject") == {"/incoming/*", "/sources/*", "/work/*", "/drop/*"}
    assert prefixes("admit", "s3:DeleteObject") == {"/incoming/*"}
    assert prefixes("admit", "s3:PutObject") == {"/drop/*.refused.json*", "/sending/now/*"}
    assert prefixes("mark_failed", "s3:PutObject") == {"/drop/*.refused.json*"}
    for module in ("admit", "mark_failed"):
        assert prefixes(module, "s3:GetObject") == {"/drop/*"}
    for module in ("render", "parse", "extract"):
        assert prefixes(module, "s3:DeleteObject") == {"/work/*"}
    for module in ("finalize", "embed", "publish", "mark_failed", "migrate"):
        assert prefixes(module, "s3:DeleteObject") == set()
    documents = {f"/{prefix}*" for prefix in STORED_PREFIXES}
    assert prefixes("maintain", "s3:DeleteObject") == documents
    assert prefixes("api.handler", "s3:DeleteObject") == documents
    asked = {"/requests/*", "/exports/*", "/imports/*", "/erasing/*"}
    assert prefixes("erase", "s3:DeleteObject") == documents | asked | {"/drop/*"}
    assert prefixes("erase", "s3:GetObject") == set()


def test_the_evidence_is_written_by_register_imports_and_postings_alone_read_by_version_and_out_of_tickets_reach(
    template: Template,
) -> None:
    def allowed(action: str, prefix: str) -> set[str]:
        return {
            module
            for module in template.functions()
            for s in template.statements_of(module)
            if action in actions(s) and any(prefix in json.dumps(r) for r in resources(s))
        }

    assert allowed("s3:PutObject", "/sources/*") == {"register", "import_archive", "api.handler", "api.lab"}
    for module in ("api.handler", "api.lab"):
        posting = [s for s in template.statements_of(module) if "/sources/*" in json.dumps(resources(s))]
        (written,) = (s for s in posting if "s3:PutObject" in actions(s))
        assert written["Condition"] == {"StringEquals": {"s3:authType": "REST-HEADER"}}
    assert allowed("s3:DeleteObjectVersion", "/sources/*") == {
        "register",
        "api.handler",
        "api.lab",
        "maintain",
        "erase",
    }
    readers = {"register", "render", "parse", "extract", "publish", "api.handler", "api.lab", "export"}
    assert allowed("s3:GetObjectVersion", "/sources/*") == readers
    read = {"register", "export", "import_archive", "api.handler", "api.lab"}
    assert allowed("s3:GetObject", "/sources/*") == read
    assert allowed("s3:GetObjectVersion", "/incoming/*") == {"register"}
    assert allowed("s3:GetObject", "/incoming/*") == {"register", "maintain"}


def test_no_version_of_the_evidence_ever_expires_and_what_was_left_over_does(template: Template) -> None:
    (rules,) = (
        bucket["LifecycleConfiguration"]["Rules"]
        for bucket in template.of_type("AWS::S3::Bucket").values()
        if "VersioningConfiguration" in bucket
    )
    expiring = {
        rule.get("Prefix", ""): rule
        for rule in rules
        if rule.keys() & {"ExpirationInDays", "NoncurrentVersionExpiration"}
    }
    assert expiring.keys() == {
        "incoming/",
        "work/",
        "drop/",
        "outbox/",
        "requests/",
        "exports/",
        "imports/",
        "erasing/",
        "fetching/",
        "fetched/",
        "sending/",
        "digesting/",
    }
    # What was refused stays where it was dropped, until something else is put in its place.
    assert not any("ExpirationInDays" in expiring[prefix] for prefix in ("work/", "drop/"))
    assert expiring["work/"]["NoncurrentVersionExpiration"]["NoncurrentDays"] >= 7
    # Longer than an undelivered event is kept, so that sending it again still finds its object.
    queues = template.of_type("AWS::SQS::Queue").values()
    kept = max(queue["MessageRetentionPeriod"] for queue in queues) / 86_400
    assert expiring["incoming/"]["ExpirationInDays"] > kept


def test_each_function_may_call_its_own_model_and_no_other(template: Template) -> None:
    def statements(module: str) -> list[dict[str, Any]]:
        return [s for s in template.statements_of(module) if "bedrock:InvokeModel" in actions(s)]

    callers = {module for module in template.functions() if statements(module)}
    assert callers == {"embed", "extract", "api.handler", "api.streaming", "api.lab", "maintain"}
    for module in ("embed", "api.handler", "api.streaming", "api.lab", "maintain"):
        (statement,) = statements(module)
        assert "foundation-model/amazon.titan-embed-text-v2:0" in json.dumps(resources(statement))


def test_extraction_calls_its_model_through_the_profile_that_the_deployment_names(template: Template) -> None:
    model = template.functions()["extract"]["Environment"]["Variables"]["AUTRI_EXTRACTION_MODEL_ID"]
    place, _, plain = model.partition(".")
    assert place == "eu", "pages of deployments in Europe stay there"
    found = [s for s in template.statements_of("extract") if "bedrock:InvokeModel" in actions(s)]
    profile, anywhere = sorted(found, key=lambda statement: "Condition" in statement)
    assert f"inference-profile/{model}" in json.dumps(resources(profile))
    assert f"bedrock:*::foundation-model/{plain}" in json.dumps(resources(anywhere))
    assert f"inference-profile/{model}" in json.dumps(anywhere["Condition"]["StringEquals"])


def test_passwords_of_files_are_read_by_register_alone_and_deleted_where_a_run_may_end(template: Template) -> None:
    def allowed(action: str) -> set[str]:
        return {
            module
            for module in template.functions()
            for s in template.statements_of(module)
            if f"secretsmanager:{action}" in actions(s) and "/passwords/*" in json.dumps(resources(s))
        }

    assert allowed("GetSecretValue") == {"register"}
    assert allowed("CreateSecret") == {"api.handler"}
    assert allowed("DeleteSecret") == {"register", "mark_failed", "api.handler", "maintain", "admit", "erase"}


def test_the_key_of_webhooks_secrets_is_read_by_what_seals_and_by_what_signs(template: Template) -> None:
    (key,) = (name for name in template.of_type("AWS::SecretsManager::Secret") if name.startswith("Sending"))
    readers = {
        module
        for module in template.functions()
        for s in template.statements_of(module)
        if "secretsmanager:GetSecretValue" in actions(s) and key in json.dumps(resources(s))
    }
    assert readers == {"api.handler", "send"}


def test_people_sign_in_on_the_hosted_page_with_a_code_and_no_password_flow(template: Template) -> None:
    for name, client in template.of_type("AWS::Cognito::UserPoolClient").items():
        assert client["AllowedOAuthFlows"] == ["code"]
        assert client["ExplicitAuthFlows"] == ["ALLOW_REFRESH_TOKEN_AUTH"]
        assert client["GenerateSecret"] is False
        begin = "http://localhost:" if "CommandLine" in name else "https://"
        assert all(spell(url).startswith(begin) for url in client["CallbackURLs"])
    pool = template.only("AWS::Cognito::UserPool")
    assert pool["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is True
    assert "Schema" not in pool, "scope never comes from a token's attribute"


def test_no_route_is_open_but_those_of_the_sign_in(template: Template) -> None:
    routes = {r["RouteKey"]: r["AuthorizationType"] for r in template.of_type("AWS::ApiGatewayV2::Route").values()}
    assert {key for key, kind in routes.items() if kind == "NONE"} == {
        "GET /auth/login",
        "GET /auth/callback",
        "GET /auth/configuration",
        "POST /auth/logout",
    }
    assert {kind for kind in routes.values() if kind != "NONE"} == {"CUSTOM"}
    (pool,) = template.of_type("AWS::Cognito::UserPool")
    web, command_line = sorted(template.of_type("AWS::Cognito::UserPoolClient"), key=lambda name: "Command" in name)
    for module in ("auth.login", "auth.authorize"):
        variables = template.functions()[module]["Environment"]["Variables"]
        assert variables["AUTRI_CLIENT_ID"] == {"Ref": web}
        assert variables["AUTRI_CLI_CLIENT_ID"] == {"Ref": command_line}
        assert pool in json.dumps(variables["AUTRI_ISSUER"])
    stage = template.only("AWS::ApiGatewayV2::Stage")
    assert stage["AccessLogSettings"]["DestinationArn"]
    assert stage["DefaultRouteSettings"]["ThrottlingRateLimit"] > 0


def test_cfn_lint_finds_nothing() -> None:
    assemblies = [*map(synthesize, ("shared", "tenant-acme", "customer-acme")), synthesize("everything", BESIDE)]
    templates = [str(f) for assembly in assemblies for f in assembly.glob("*.template.json")]
    assert len(templates) == 5, "and the firewall's"
    command = [Path(sys.executable).parent / "cfn-lint", "--config-file", ".cfnlintrc.yaml", "-t", *templates]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_accepted_finding_of_cdk_nag_has_a_reason(template: Template) -> None:
    accepted: list[dict[str, Any]] = [
        rule
        for r in template.resources.values()
        for rule in r.get("Metadata", {}).get("cdk_nag", {}).get("rules_to_suppress", [])
    ]
    assert accepted
    assert all(len(rule["reason"]) > 20 for rule in accepted)


@pytest.mark.parametrize(
    ("module", "schedules", "other"),
    [
        ("maintain", ["", "", "", "rate(1 day)"], "aws.states"),
        ("erase", ["", ""], "aws.s3"),
        ("send", ["", "", "", "rate(5 minutes)"], "aws.s3"),
    ],
)
def test_what_leaves_work_is_called_again_and_by_its_own_events_and_by_nobody_else(
    template: Template, module: str, schedules: list[str], other: str
) -> None:
    function = next(
        name
        for name, p in template.of_type("AWS::Lambda::Function").items()
        if p["Handler"] == f"functions.{module}.handler"
    )
    alias = template.aliases()[function]
    rules = {
        name: rule
        for name, rule in template.of_type("AWS::Events::Rule").items()
        if any(target["Arn"] == {"Ref": alias} for target in rule["Targets"])
    }
    assert sorted(rule.get("ScheduleExpression", "") for rule in rules.values()) == schedules
    (machine,) = template.of_type("AWS::StepFunctions::StateMachine")
    patterns = {p["source"][0]: p for rule in rules.values() if (p := rule.get("EventPattern"))}
    own = patterns[other]["detail"]
    if module == "maintain":
        assert (own["status"], own["stateMachineArn"]) == (["SUCCEEDED"], [{"Ref": machine}])
        assert patterns["aws.s3"]["detail"]["object"] == {"key": [{"prefix": "digesting/"}]}
    else:
        assert own["object"] == {"key": [{"prefix": {"erase": "erasing/", "send": "sending/now/"}[module]}]}
    followed = patterns["lambda"]["detail"]
    assert followed["requestContext"]["functionArn"] == [{"prefix": {"Fn::GetAtt": [function, "Arn"]}}]
    assert followed["responsePayload"] == {"more": [True]}
    (passed_on,) = (
        one
        for one in template.of_type("AWS::Lambda::EventInvokeConfig").values()
        if one["FunctionName"] == {"Ref": function}
    )
    assert alias in json.dumps(passed_on["Qualifier"])
    assert "event-bus/default" in json.dumps(passed_on["DestinationConfig"]["OnSuccess"])
    allowed = [p for p in template.of_type("AWS::Lambda::Permission").values() if alias in json.dumps(p)]
    assert {p["Principal"] for p in allowed} == {"events.amazonaws.com"}
    assert {reference(p["SourceArn"]) for p in allowed} == set(rules)
