"""Who touches what is encrypted with a key of ours, derived from the policies themselves, and whether the key agrees.

A role touches what a statement of its own names; a service what it logs, queues or encrypts by itself. Creating
something under a key is done by the person or pipeline that deploys, whose rights the account's own policies give.
"""

from collections.abc import Iterator
from dataclasses import replace

from tests.aws.iam.access import KEY_USE, Access
from tests.aws.iam.policies import Grant, Request
from tests.aws.iam.services import service_requests

# CloudWatch Logs encrypts in its own name; the rest of these names come from KMS's guide on each service.
LOGS_USE = tuple(
    f"kms:{use}" for use in ("Encrypt", "Decrypt", "ReEncryptFrom", "ReEncryptTo", "GenerateDataKey", "DescribeKey")
)
# What a deployment does to a key that a database, a secret or a bucket is made with.
CREATION_USE = ("kms:DescribeKey", "kms:CreateGrant", "kms:GenerateDataKey", "kms:Decrypt")
DEPLOYER = "arn:aws:iam::{account}:role/deployer"


def find_missing(access: Access) -> list[str]:
    """A line for every use of a key that would be refused in an account; empty where all is granted."""
    ready = _with_deployer(access)
    return sorted(
        f"{request.principal.rsplit('/', 1)[-1]} lacks {request.action} on the key of {touched}"
        for request, touched in key_requests(ready)
        if not ready.allows(request)
    )


def key_requests(access: Access) -> Iterator[tuple[Request, str]]:
    """Each use of a key, and what is touched by it."""
    for touch in touches(access):
        _, *uses = access.with_key_use(touch)
        yield from ((use, touch.resource) for use in uses)
    for name, type_, key in access.named_keys():
        if type_ == "AWS::Logs::LogGroup":
            service = f"logs.{access.names.region}.amazonaws.com"
            group = access.names.arn(name).removesuffix(":*")
            context = (("kms:EncryptionContext:aws:logs:arn", group),)
            yield from ((Request(service, use, key, context), name) for use in LOGS_USE)
        deployer = DEPLOYER.format(account=access.names.account)
        yield from ((Request(deployer, use, key), name) for use in CREATION_USE)


def touches(access: Access) -> set[Request]:
    """What roles may do with encrypted things, and what services do; `*` in a resource stands for any name."""
    by_roles = {
        Request(role, grant.action, grant.resource.replace("*", "any"))
        for role, grants in access.identity.items()
        for grant in grants
        if grant.allows and grant.action in KEY_USE
    }
    found = by_roles | service_requests(access.names)
    return {touch for touch in found if access.key_of(touch.resource) is not None}


def _with_deployer(access: Access) -> Access:
    deployer = DEPLOYER.format(account=access.names.account)
    return replace(access, identity={**access.identity, deployer: (Grant("deployer", True, "*", "*"),)})
