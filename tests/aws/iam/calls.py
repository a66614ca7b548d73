"""Which permissions a request on the wire asks for: AWS's Service Authorization Reference for what handlers call.

A call that is not known here asks for a permission of its own name on everything, which no policy gives.
"""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

_CREDENTIAL = re.compile(r"(?P<key>[A-Z0-9]+)/\d{8}/(?P<region>[a-z0-9-]+)/(?P<service>[a-z0-9-]+)/aws4_request")
_NAME = re.compile(rb'[; ]name="([^"]+)"')
_FILE = re.compile(rb"[; ]filename\*?=")
# Regions that a geographic profile may choose; any would do, the grant names none.
PROFILE_REGIONS = ("eu-central-1", "eu-west-3", "eu-north-1")
_PROFILE = re.compile(r"(?:us|eu|apac|jp|au|ca|global)\.(?P<model>.+)")


@dataclass(frozen=True)
class Call:
    """An HTTP request as it came in; `path` is decoded, header names are in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @cached_property
    def fields(self) -> dict[str, str]:
        """Of a form that a browser posts with a ticket."""
        kind = self.headers.get("content-type", "")
        if self.method != "POST" or not kind.startswith("multipart/form-data"):
            return {}
        header = Message()
        header["Content-Type"] = kind
        boundary = f"\r\n--{header.get_boundary('')}".encode()
        parts = [part.partition(b"\r\n\r\n") for part in (b"\r\n" + self.body).split(boundary)]
        # The file's own part, with its megabytes, is no field.
        named = {_NAME.search(head): value for head, _, value in parts if not _FILE.search(head)}
        return {name[1].decode().lower(): value.decode(errors="replace") for name, value in named.items() if name}

    @cached_property
    def signed_by(self) -> re.Match[str] | None:
        """Access key, region and service, from header, URL or form."""
        signed = (
            self.headers.get("authorization", "")
            or self.query.get("X-Amz-Credential", "")
            or self.fields.get("x-amz-credential", "")
        )
        return _CREDENTIAL.search(signed)

    @property
    def signed_in(self) -> str:
        """Where the signature is, as S3's condition `s3:authType` calls it."""
        if "authorization" in self.headers:
            return "REST-HEADER"
        return "POST" if self.fields else "REST-QUERY-STRING"

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body or b"{}")


@dataclass(frozen=True)
class Asked:
    """A permission that a call needs. `key` is one that the request itself names, `context` what else it says."""

    action: str
    resource: str
    context: tuple[tuple[str, str], ...] = ()
    key: str | None = None


def read_call(method: str, target: str, headers: Mapping[str, str], body: bytes) -> Call:
    parts = urlsplit(target)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    return Call(method, unquote(parts.path), query, {name.lower(): value for name, value in headers.items()}, body)


def permissions_of(call: Call, service: str, region: str, account: str) -> list[Asked]:
    """Everything that the call has to be allowed, in order."""
    if service == "s3":
        return list(_of_s3(call))
    if service == "bedrock":
        return list(_of_bedrock(call, region, account))
    operation = call.headers.get("x-amz-target", call.path).rsplit(".", 1)[-1]
    if service == "secretsmanager":
        named = str(call.json.get("SecretId") or call.json.get("Name"))
        arn = named if named.startswith("arn:") else f"arn:aws:secretsmanager:{region}:{account}:secret:{named}-a1B2c3"
        return [Asked(f"secretsmanager:{operation}", arn, key=call.json.get("KmsKeyId"))]
    if service == "states":
        return [Asked(f"states:{operation}", str(call.json.get("stateMachineArn") or call.json.get("executionArn")))]
    if service == "dynamodb":
        return [Asked(f"dynamodb:{operation}", f"arn:aws:dynamodb:{region}:{account}:table/{call.json['TableName']}")]
    if service == "cognito-idp":
        pool = f"arn:aws:cognito-idp:{region}:{account}:userpool/{call.json['UserPoolId']}"
        return [Asked(f"cognito-idp:{operation}", pool)]
    return [Asked(f"{service}:{operation}", "*")]


def _of_s3(call: Call) -> Iterator[Asked]:
    bucket, _, key = call.path.removeprefix("/").partition("/")
    if not key:
        yield from _of_bucket(call, f"arn:aws:s3:::{bucket}")
        return
    arn = f"arn:aws:s3:::{bucket}/{key}"
    version = "Version" if "versionId" in call.query else ""
    parts = "uploadId" in call.query or "uploads" in call.query
    if set(call.query) & {"acl", "tagging", "retention", "legal-hold", "torrent", "restore", "select"}:
        yield Asked(f"s3:{call.method}:{sorted(call.query)}", arn)
    elif call.method in ("GET", "HEAD"):
        yield Asked("s3:ListMultipartUploadParts" if parts else f"s3:GetObject{version}", arn)
        if "attributes" in call.query:
            yield Asked(f"s3:GetObject{version}Attributes", arn)
    elif call.method in ("PUT", "POST"):
        yield from _copied(call)
        yield Asked("s3:PutObject", arn)
    elif call.method == "DELETE":
        yield from _deleted(arn, version) if not parts else [Asked("s3:AbortMultipartUpload", arn)]


def _deleted(arn: str, version: str) -> Iterator[Asked]:
    """S3's guide: `s3:DeleteObject` always, for one version the other one as well."""
    yield Asked("s3:DeleteObject", arn)
    if version:
        yield Asked("s3:DeleteObjectVersion", arn)


def _copied(call: Call) -> Iterator[Asked]:
    source = unquote(call.headers.get("x-amz-copy-source", "")).removeprefix("/")
    if source:
        path, _, version = source.partition("?versionId=")
        yield Asked(f"s3:GetObject{'Version' if version else ''}", f"arn:aws:s3:::{path}")


def _of_bucket(call: Call, arn: str) -> Iterator[Asked]:
    if call.fields:
        yield Asked("s3:PutObject", f"{arn}/{call.fields['key']}")
    elif call.method == "POST" and "delete" in call.query:
        for one in ElementTree.fromstring(call.body).iter():  # noqa: S314 written by our own handler
            if one.tag.endswith("Object"):
                found = {part.tag.rpartition("}")[2]: part.text or "" for part in one}
                yield from _deleted(f"{arn}/{found['Key']}", "Version" if "VersionId" in found else "")
    elif call.method in ("GET", "HEAD") and "versions" in call.query:
        yield Asked("s3:ListBucketVersions", arn)
    elif call.method in ("GET", "HEAD") and set(call.query) <= _LISTING:
        yield Asked("s3:ListBucket", arn)
    else:
        yield Asked(f"s3:{call.method}:{sorted(call.query)}", arn)


_LISTING = {
    *("list-type", "prefix", "delimiter", "max-keys", "marker", "continuation-token", "start-after"),
    *("encoding-type", "fetch-owner"),
}


def _of_bedrock(call: Call, region: str, account: str) -> Iterator[Asked]:
    """Converse needs InvokeModel, ConverseStream the right to streams alone. Through a profile, the profile and the
    model in whatever region it chooses."""
    matched = re.fullmatch(r"/model/(?P<id>.+)/(?:invoke|converse)(?P<streams>-stream)?", call.path)
    if matched is None:
        yield Asked(f"bedrock:{call.path}", "*")
        return
    action = "bedrock:InvokeModelWithResponseStream" if matched["streams"] else "bedrock:InvokeModel"
    profile = _PROFILE.fullmatch(matched["id"])
    if profile is None:
        yield Asked(action, f"arn:aws:bedrock:{region}::foundation-model/{matched['id']}")
        return
    arn = f"arn:aws:bedrock:{region}:{account}:inference-profile/{matched['id']}"
    yield Asked(action, arn)
    for place in PROFILE_REGIONS:
        model = f"arn:aws:bedrock:{place}::foundation-model/{profile['model']}"
        yield Asked(action, model, (("bedrock:InferenceProfileArn", arn),))
