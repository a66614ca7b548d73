"""How a finding of cdk-nag is answered: on the construct that causes it, with a reason."""

from aws_cdk import Acknowledgment, CfnElement, Stack, Token, Validations
from constructs import Construct, IConstruct


def acknowledge(construct: IConstruct, reason: str, *rules: str) -> None:
    """Accept `rules` on `construct` and what it contains; the reason is kept in the template's metadata."""
    Validations.of(construct).acknowledge(*(Acknowledgment(id=rule, reason=reason) for rule in rules))


def region_and_account(construct: Construct) -> str:
    """`region:account` as findings write it: by name where the deployment leaves one open."""
    stack = Stack.of(construct)
    region = "<AWS::Region>" if Token.is_unresolved(stack.region) else stack.region
    account = "<AWS::AccountId>" if Token.is_unresolved(stack.account) else stack.account
    return f"{region}:{account}"


def logical_id(construct: Construct) -> str:
    """The name of a construct's own resource in the template, by which findings refer to it."""
    raw = construct.node.default_child
    if not isinstance(raw, CfnElement):
        raise TypeError(f"{construct.node.path} has no resource of its own")
    return Stack.of(construct).get_logical_id(raw)
