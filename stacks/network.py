"""A VPC without internet access: no NAT, no internet gateway; AWS services are reached through endpoints."""

from typing import cast

from aws_cdk import Aws, RemovalPolicy
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from constructs import Construct

from stacks.tiers import Tier

_SERVICES = {
    "BedrockRuntime": ec2.InterfaceVpcEndpointAwsService.BEDROCK_RUNTIME,
    "SecretsManager": ec2.InterfaceVpcEndpointAwsService.SECRETS_MANAGER,
    # Ingesting a document again starts the state machine from the API.
    "StepFunctions": ec2.InterfaceVpcEndpointAwsService.STEP_FUNCTIONS,
}
# OCR, as no layer contains OCR models.
_TEXTRACT = {"Textract": ec2.InterfaceVpcEndpointAwsService.TEXTRACT}
HTTPS = 443


class Network(Construct):
    """Isolated subnets in two zones, endpoints, flow logs, and the security group of every function."""

    def __init__(self, scope: Construct, id_: str, *, tier: Tier, textract: bool) -> None:
        super().__init__(scope, id_)
        self._endpoint_zones = tier.endpoint_zones
        self.vpc = ec2.Vpc(
            self,
            "Vpc",
            ip_addresses=ec2.IpAddresses.cidr("10.20.0.0/16"),
            max_azs=2,
            nat_gateways=0,
            subnet_configuration=[
                ec2.SubnetConfiguration(name="isolated", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED, cidr_mask=20)
            ],
        )
        self._log_refusals()
        objects = self.vpc.add_gateway_endpoint("S3", service=ec2.GatewayVpcEndpointAwsService.S3)
        # Neither with foreign keys nor to foreign buckets: what a function reads could leave on no other way.
        objects.add_to_policy(_within_account("aws:PrincipalAccount", "aws:ResourceAccount"))
        self.functions = ec2.SecurityGroup(
            self, "Functions", vpc=self.vpc, allow_all_outbound=False, description="Functions: databases and endpoints"
        )
        # S3's gateway endpoint has public addresses; without a route, nothing else beyond the VPC can be reached.
        self.functions.add_egress_rule(ec2.Peer.any_ipv4(), ec2.Port.tcp(HTTPS), "AWS endpoints")
        for name, service in (_SERVICES | (_TEXTRACT if textract else {})).items():
            self._add_endpoint(name, service)

    @property
    def subnets(self) -> ec2.SubnetSelection:
        return ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)

    def _add_endpoint(self, name: str, service: ec2.InterfaceVpcEndpointAwsService) -> None:
        group = ec2.SecurityGroup(
            self, f"{name}Access", vpc=self.vpc, allow_all_outbound=False, description=f"{name} endpoint"
        )
        group.add_ingress_rule(self.functions, ec2.Port.tcp(HTTPS), "Functions")
        # Functions of the other zone reach it by the same name, across the zones.
        zones = ec2.SubnetSelection(subnets=self.vpc.isolated_subnets[: self._endpoint_zones])
        endpoint = self.vpc.add_interface_endpoint(
            name, service=service, subnets=zones, security_groups=[group], open=False
        )
        endpoint.add_to_policy(_within_account("aws:PrincipalAccount"))

    def _log_refusals(self) -> None:
        log = logs.LogGroup(
            self, "FlowLog", retention=logs.RetentionDays.THREE_MONTHS, removal_policy=RemovalPolicy.DESTROY
        )
        self.vpc.add_flow_log(
            "Flow",
            destination=ec2.FlowLogDestination.to_cloud_watch_logs(log),
            traffic_type=ec2.FlowLogTrafficType.REJECT,
        )


def _within_account(*keys: str) -> iam.PolicyStatement:
    """An endpoint policy: whatever a role of this account is allowed, and nothing for others."""
    return iam.PolicyStatement(
        principals=[cast(iam.IPrincipal, iam.AnyPrincipal())],
        actions=["*"],
        resources=["*"],
        conditions={"StringEquals": dict.fromkeys(keys, Aws.ACCOUNT_ID)},
    )
