"""Puts a synthesized assembly into the emulator, with its handlers under AWS's own runtime client."""

import io
import json
import shutil
import tempfile
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared.contract import Env
from tests.aws.emulator import ACCOUNT, REGION, Emulator
from tests.aws.iam.access import access_key
from tests.aws.localize import PYTHON, Template, localize, missing_types
from tests.aws.twin import Twin

ASSETS_BUCKET = f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"
# A deployment that hangs is told from one on a busy machine, which may take minutes.
DEPLOY_TIMEOUT_S = 600
# Each look costs as much as a resource's making.
POLL_S = 0.5
TWIN_PATH = "TWIN_PATH"
TWIN_ACCESS_KEY = "TWIN_ACCESS_KEY"
FETCHING = "functions.fetch.handler"
NO_WEB: Mapping[str, str] = {}


@dataclass(frozen=True)
class Deployed:
    """What the emulator made of the template."""

    dropped: set[str]
    physical_ids: dict[str, str]
    types: dict[str, str]
    outputs: dict[str, str]
    seconds: float

    def output(self, name: str) -> str:
        """What the stack says under this name; CDK writes a path before it and a hash behind."""
        (value,) = (value for key, value in self.outputs.items() if key[:-8].endswith(name))
        return value

    def only(self, type_: str) -> str:
        """The physical id of the one resource of a type."""
        (name,) = (name for name, t in self.types.items() if t == type_)
        return self.physical_ids[name]


def deploy(
    emulator: Emulator,
    assembly: Path,
    stack: str,
    twin: Twin,
    database: Mapping[str, Any],
    services: str,
    web: Mapping[str, str] = NO_WEB,
) -> Deployed:
    """Upload the assets, create the stack, wait; raises RuntimeError with the failed resources.

    `services` is the URL at which the functions find AWS; each signs with the access key of its own role. `web` is the
    further environment of the one that fetches pages.
    """
    emulator.client("s3").create_bucket(Bucket=ASSETS_BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    emulator.client("ssm").put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Value="30", Type="String")
    template: Template = json.loads((assembly / f"{stack}.template.json").read_text())
    local = _prepare(emulator, assembly, stack, twin, database, services, web)
    started = time.monotonic()
    status = _run(emulator, stack, local, "create_stack")
    if status != "CREATE_COMPLETE":
        raise RuntimeError(f"The stack is {status}: {failures(emulator, stack)}")
    physical = physical_ids(emulator, stack)
    types = {name: r["Type"] for name, r in local["Resources"].items()}
    outputs = read_outputs(emulator, stack)
    return Deployed(missing_types(template, local), physical, types, outputs, time.monotonic() - started)


def upgrade(
    emulator: Emulator, assembly: Path, stack: str, twin: Twin, database: Mapping[str, Any], services: str
) -> str:
    """Upload the assets, update the stack, wait; the status that it ends in."""
    return _run(emulator, stack, _prepare(emulator, assembly, stack, twin, database, services), "update_stack")


def _prepare(
    emulator: Emulator,
    assembly: Path,
    stack: str,
    twin: Twin,
    database: Mapping[str, Any],
    services: str,
    web: Mapping[str, str] = NO_WEB,
) -> Template:
    template: Template = json.loads((assembly / f"{stack}.template.json").read_text())
    environments: dict[str, dict[str, Any]] = {
        name: {TWIN_PATH: path, TWIN_ACCESS_KEY: access_key(role_of(template, name))}
        for name, path in twin_paths(template, twin).items()
    }
    for name in environments:
        if template["Resources"][name]["Properties"]["Handler"] == FETCHING:
            environments[name] |= web
    for name in signing_in(template):
        environments[name] |= hosted_login(template, emulator)
    local = localize(template, database, environments)
    bootstrap = bootstrap_script(twin, services)
    _upload_assets(emulator, assembly, stack, local, set(environments), bootstrap)
    return local


def read_outputs(emulator: Emulator, stack: str) -> dict[str, str]:
    told = emulator.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]["Outputs"]
    return {str(one["OutputKey"]): str(one["OutputValue"]) for one in told}


def twin_paths(template: Template, twin: Twin) -> dict[str, str]:
    """For each of our functions, the search path of its own layers, in the order in which it lists them."""
    resources = template["Resources"]
    layers = {
        name: r["Properties"]["Description"].split("/")[1]
        for name, r in resources.items()
        if r["Type"] == "AWS::Lambda::LayerVersion"
    }
    return {
        name: ":".join(twin.path_of([layers[layer["Ref"]] for layer in r["Properties"].get("Layers", ())]))
        for name, r in resources.items()
        if r["Type"] == "AWS::Lambda::Function"
        and r["Properties"].get("Runtime") == PYTHON
        and r["Properties"]["Handler"].startswith("functions.")
    }


def signing_in(template: Template) -> list[str]:
    """The functions that talk to the hosted login."""
    functions = {name: r for name, r in template["Resources"].items() if r["Type"] == "AWS::Lambda::Function"}
    variables = {name: r["Properties"].get("Environment", {}).get("Variables", {}) for name, r in functions.items()}
    return [name for name, given in variables.items() if Env.LOGIN_URL in given]


def hosted_login(template: Template, emulator: Emulator) -> dict[str, Any]:
    """Where the emulator has what Cognito serves under names of its own."""
    (pool,) = (name for name, r in template["Resources"].items() if r["Type"] == "AWS::Cognito::UserPool")
    keys = {"Fn::Join": ["", [f"{emulator.url}/", {"Ref": pool}, "/.well-known/jwks.json"]]}
    (api,) = (name for name, r in template["Resources"].items() if r["Type"] == "AWS::ApiGatewayV2::Api")
    stage = {"Fn::Join": ["", [f"{emulator.url}/_aws/execute-api/", {"Ref": api}, "/$default"]]}
    return {Env.LOGIN_URL: emulator.url, Env.TOKEN_KEYS_URL: keys, Env.API_URL: stage}


def role_of(template: Template, function: str) -> str:
    return str(template["Resources"][function]["Properties"]["Role"]["Fn::GetAtt"][0])


def bootstrap_script(twin: Twin, services: str) -> str:
    """What Lambda's image does: the runtime client over the asset and its layers, and nothing of this checkout. A
    function with a wrapper gets that started, with this script as its interpreter."""
    return (
        "#!/bin/sh\n"
        'cd "$LAMBDA_TASK_ROOT"\n'
        f"export AWS_ENDPOINT_URL={services} AWS_ACCESS_KEY_ID=${TWIN_ACCESS_KEY} AWS_SECRET_ACCESS_KEY=emulated\n"
        "unset AWS_SESSION_TOKEN\n"
        f'export PYTHONPATH="$LAMBDA_TASK_ROOT:${TWIN_PATH}" PYTHONNOUSERSITE=1\n'
        f'[ "$1" != -m ] || exec {twin.python} -S "$@"\n'
        '[ -z "$AWS_LAMBDA_EXEC_WRAPPER" ] || '
        'exec sh "$LAMBDA_TASK_ROOT/${AWS_LAMBDA_EXEC_WRAPPER#/var/task/}" "$0" bootstrap.py\n'
        f'exec {twin.python} -S -m awslambdaric "$_HANDLER"\n'
    )


def _upload_assets(
    emulator: Emulator, assembly: Path, stack: str, local: Template, ours: set[str], bootstrap: str
) -> None:
    s3 = emulator.client("s3")
    code = {local["Resources"][name]["Properties"]["Code"]["S3Key"] for name in ours}
    layers = {
        r["Properties"]["Content"]["S3Key"]
        for r in local["Resources"].values()
        if r["Type"] == "AWS::Lambda::LayerVersion"
    }
    files: dict[str, Any] = json.loads((assembly / f"{stack}.assets.json").read_text())["files"]
    for file in files.values():
        source = assembly / file["source"]["path"]
        for destination in file["destinations"].values():
            key = destination["objectKey"]
            body = _empty_zip() if key in layers else _asset_bytes(source, file["source"]["packaging"])
            s3.put_object(Bucket=ASSETS_BUCKET, Key=key, Body=_add_bootstrap(body, bootstrap) if key in code else body)


def _asset_bytes(source: Path, packaging: str) -> bytes:
    if packaging != "zip" or source.is_file():
        return source.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        return Path(shutil.make_archive(f"{folder}/asset", "zip", source)).read_bytes()


def _add_bootstrap(archive: bytes, script: str) -> bytes:
    content = io.BytesIO(archive)
    with zipfile.ZipFile(content, "a") as output:
        info = zipfile.ZipInfo("bootstrap")
        info.external_attr = 0o755 << 16
        output.writestr(info, script)
    return content.getvalue()


def _empty_zip() -> bytes:
    """The emulator mounts no layers: functions find the twin on their search path."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as output:
        output.writestr("python/empty", "")
    return content.getvalue()


def _run(emulator: Emulator, stack: str, local: Template, operation: str) -> str:
    """`create_stack` or `update_stack`, and the status in which it ends."""
    s3, formation = emulator.client("s3"), emulator.client("cloudformation")
    s3.put_object(Bucket=ASSETS_BUCKET, Key="local.template.json", Body=json.dumps(local).encode())
    getattr(formation, operation)(
        StackName=stack,
        TemplateURL=f"{emulator.url}/{ASSETS_BUCKET}/local.template.json",
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"],
    )
    deadline = time.monotonic() + DEPLOY_TIMEOUT_S
    status = "IN_PROGRESS"
    while status.endswith("IN_PROGRESS") and time.monotonic() < deadline:
        time.sleep(POLL_S)
        status = str(formation.describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"])
    return status


def failures(emulator: Emulator, stack: str) -> list[tuple[str, str]]:
    """Resources that failed, and why, the latest first."""
    pages = emulator.client("cloudformation").get_paginator("describe_stack_events").paginate(StackName=stack)
    return [
        (e["LogicalResourceId"], str(e.get("ResourceStatusReason")))
        for page in pages
        for e in page["StackEvents"]
        if "FAILED" in e["ResourceStatus"]
    ]


def physical_ids(emulator: Emulator, stack: str) -> dict[str, str]:
    """What has been made so far, by its name in the template."""
    pages = emulator.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
    return {r["LogicalResourceId"]: r["PhysicalResourceId"] for page in pages for r in page["StackResourceSummaries"]}
