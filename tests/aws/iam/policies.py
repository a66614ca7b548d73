"""IAM's rules for one account: who may do what by identity policies, resource policies and key policies.

Only what the templates use is understood; any other condition operator is an error, never a silent yes.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

Context = tuple[tuple[str, str], ...]


@dataclass(frozen=True, order=True)
class Request:
    """`principal` is a role's ARN or a service's name; `context` are condition keys and their values."""

    principal: str
    action: str
    resource: str
    context: Context = ()

    @property
    def is_service(self) -> bool:
        return not self.principal.startswith("arn:")


@dataclass(frozen=True)
class Grant:
    """One action on one resource of one statement; `owner` is who holds the policy, by name in the template.

    `principals` are those of a resource's own policy, as `AWS:…` or `Service:…`; None in a role's policy.
    """

    owner: str
    allows: bool
    action: str
    resource: str
    principals: tuple[str, ...] | None = None
    conditions: tuple[tuple[str, str, tuple[str, ...]], ...] = ()

    def __str__(self) -> str:
        return f"{self.owner}: {self.action} on {self.resource}"

    def covers(self, request: Request) -> bool:
        return (
            like(self.action.lower(), request.action.lower())
            and like(self.resource, request.resource)
            and all(_holds(operator, key, wanted, dict(request.context)) for operator, key, wanted in self.conditions)
        )

    def names(self, request: Request) -> bool:
        """Whether a resource's policy means this principal itself, and not the account that it belongs to."""
        kind = "Service" if request.is_service else "AWS"
        return bool({"AWS:*", f"{kind}:{request.principal}"} & set(self.principals or ()))

    def delegates(self, account: str) -> bool:
        """Whether a resource's policy leaves the decision to the account's own policies."""
        return root(account) in (self.principals or ())


def root(account: str) -> str:
    return f"AWS:arn:aws:iam::{account}:root"


def read_statements(owner: str, document: Mapping[str, Any]) -> Iterable[Grant]:
    """The grants of a resolved policy document, one for each pair of action and resource."""
    for statement in listed(document["Statement"]):
        unknown = set(statement) - {"Sid", "Effect", "Action", "Resource", "Principal", "Condition"}
        if unknown:
            raise ValueError(f"{owner}: {sorted(unknown)} in a statement are not understood")
        for action in listed(statement["Action"]):
            for resource in listed(statement.get("Resource", "*")):
                yield Grant(
                    owner,
                    statement["Effect"] == "Allow",
                    action,
                    resource,
                    _principals(statement["Principal"]) if "Principal" in statement else None,
                    tuple(_conditions(statement.get("Condition", {}))),
                )


def is_allowed(request: Request, identity: Iterable[Grant], resource: Iterable[Grant], account: str) -> bool:
    """Within one account: no denial, and a yes of either side. A key's own policy has to agree to everything."""
    own = [grant for grant in identity if grant.covers(request)]
    meant = [g for g in resource if g.covers(request) and (g.names(request) or g.delegates(account))]
    if any(not grant.allows for grant in (*own, *meant)):
        return False
    named = any(grant.names(request) for grant in meant)
    if request.action.startswith("kms:"):
        return named or (bool(own) and any(grant.delegates(account) for grant in meant))
    return named or bool(own)


def like(pattern: str, value: str) -> bool:
    """IAM's wildcards: `*` is any text, `?` one character."""
    return _compiled(pattern).fullmatch(value) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in pattern), re.DOTALL)


def _holds(operator: str, key: str, wanted: tuple[str, ...], context: Mapping[str, str]) -> bool:
    value = context.get(key)
    if operator not in {"StringEquals", "StringLike", "ArnEquals", "ArnLike", "Bool"}:
        raise ValueError(f"The condition {operator} is not understood")
    if value is None:
        return False
    if operator == "StringEquals":
        return value in wanted
    if operator == "Bool":
        return value.lower() in {w.lower() for w in wanted}
    return any(like(w, value) for w in wanted)


def _principals(value: Any) -> tuple[str, ...]:
    if value == "*":
        return ("AWS:*",)
    return tuple(f"{kind}:{name}" for kind, names in value.items() for name in listed(names))


def _conditions(value: Mapping[str, Mapping[str, Any]]) -> Iterable[tuple[str, str, tuple[str, ...]]]:
    for operator, keys in value.items():
        for key, wanted in keys.items():
            yield operator, key, tuple(str(w) for w in listed(wanted))


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
