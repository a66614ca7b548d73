"""A firewall before CloudFront: who asks too often from one address, and what is known to be an attack.

CloudFront takes firewalls of us-east-1 alone. A deployment elsewhere has it in a small stack of its own there, which is
deployed with it (`--all`); CDK hands the address over.
"""

from typing import Final

from aws_cdk import Environment, Stack, Tags
from aws_cdk import aws_wafv2 as waf
from constructs import Construct

from stacks.specification import Specification

REGION: Final = "us-east-1"
# Requests from one address within five minutes. A page takes about 40 with its files; an office behind one address
# opens one every two seconds.
REQUESTS_PER_ADDRESS: Final = 6000
# AWS's rules about bodies take documents' text, questions and filters for attacks, and any body over 8 KB for one: they
# count and do not block. Uploads go to the bucket and pass no firewall.
ONLY_COUNTED: Final = (
    "SizeRestrictions_BODY",
    "CrossSiteScripting_BODY",
    "GenericRFI_BODY",
    "GenericLFI_BODY",
    "EC2MetaDataSSRF_BODY",
)
MANAGED: Final[dict[str, tuple[str, ...]]] = {
    "AWSManagedRulesCommonRuleSet": ONLY_COUNTED,
    "AWSManagedRulesKnownBadInputsRuleSet": (),
}


class Firewall(Construct):
    """The list of rules; in a stack of us-east-1."""

    def __init__(self, scope: Construct, id_: str, *, specification: Specification) -> None:
        super().__init__(scope, id_)
        name = specification.stack_name
        managed = (_managed(rules, counted, place) for place, (rules, counted) in enumerate(MANAGED.items(), 1))
        self.acl = waf.CfnWebACL(
            self,
            "List",
            name=name,
            scope="CLOUDFRONT",
            default_action=waf.CfnWebACL.DefaultActionProperty(allow={}),
            visibility_config=_seen(name),
            rules=[_rate(), *managed],
        )

    @property
    def arn(self) -> str:
        return self.acl.attr_arn


def needs_edge(specification: Specification) -> bool:
    """Whether the firewall needs a stack in another region than the deployment's."""
    return specification.makes_firewall and specification.file.region != REGION


class EdgeStack(Stack):
    """The firewall of a deployment in another region."""

    def __init__(self, scope: Construct, specification: Specification) -> None:
        super().__init__(
            scope,
            f"{specification.stack_name}-edge",
            env=Environment(account=specification.file.account, region=REGION),
            description=f"Autri, deployment {specification.name}: its firewall",
            cross_region_references=True,
            termination_protection=True,
        )
        self.firewall = Firewall(self, "Firewall", specification=specification)
        Tags.of(self).add("autri:deployment", specification.name)


def _rate() -> waf.CfnWebACL.RuleProperty:
    limit = waf.CfnWebACL.RateBasedStatementProperty(
        aggregate_key_type="IP", limit=REQUESTS_PER_ADDRESS, evaluation_window_sec=300
    )
    return waf.CfnWebACL.RuleProperty(
        name="PerAddress",
        priority=0,
        action=waf.CfnWebACL.RuleActionProperty(block={}),
        statement=waf.CfnWebACL.StatementProperty(rate_based_statement=limit),
        visibility_config=_seen("PerAddress"),
    )


def _managed(rules: str, counted: tuple[str, ...], priority: int) -> waf.CfnWebACL.RuleProperty:
    count = waf.CfnWebACL.RuleActionProperty(count={})
    overrides = [waf.CfnWebACL.RuleActionOverrideProperty(name=name, action_to_use=count) for name in counted]
    group = waf.CfnWebACL.ManagedRuleGroupStatementProperty(
        vendor_name="AWS", name=rules, rule_action_overrides=overrides or None
    )
    return waf.CfnWebACL.RuleProperty(
        name=rules,
        priority=priority,
        override_action=waf.CfnWebACL.OverrideActionProperty(none={}),
        statement=waf.CfnWebACL.StatementProperty(managed_rule_group_statement=group),
        visibility_config=_seen(rules),
    )


def _seen(name: str) -> waf.CfnWebACL.VisibilityConfigProperty:
    """Counted, and without samples: they would hold what people wrote."""
    return waf.CfnWebACL.VisibilityConfigProperty(
        cloud_watch_metrics_enabled=True, sampled_requests_enabled=False, metric_name=name
    )
