"""What whoever deploys has to be allowed, from the types of resources in a template: CloudFormation's own role, which
`cdk bootstrap --cloudformation-execution-policies` gives these policies, and nothing else.

Actions are those of each type's handlers ("permissions" in the schemas of AWS's resource types), written from memory:
an action that lacks stops a deployment with its name, and is added here.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from stacks.boundary import boundary_of
from stacks.specification import PREFIX, DeploymentError


def _of(service: str, names: str) -> frozenset[str]:
    return frozenset(f"{service}:{name}" for name in names.split())


# IAM's limit of a managed policy, white space not counted.
LIMIT: Final = 6144
_NAMES: Final = f"{PREFIX}*"

# Where a service's ARNs have our names in them; all others have ids that AWS makes up.
RESOURCES: Final[dict[str, tuple[str, ...]]] = {
    "iam": (f"arn:*:iam::*:role/{_NAMES}", f"arn:*:iam::*:policy/{_NAMES}"),
    "dynamodb": (f"arn:*:dynamodb:*:*:table/{_NAMES}",),
    "events": (f"arn:*:events:*:*:rule/{_NAMES}",),
    "s3": (f"arn:*:s3:::{_NAMES}",),
    "sns": (f"arn:*:sns:*:*:{_NAMES}",),
    "sqs": (f"arn:*:sqs:*:*:{_NAMES}",),
    "states": (f"arn:*:states:*:*:stateMachine:{_NAMES}",),
    "cloudwatch": (f"arn:*:cloudwatch:*:*:alarm:{_NAMES}", f"arn:*:cloudwatch::*:dashboard/{_NAMES}"),
}
# Where there is a boundary, these are allowed on roles alone that have it: who deploys can neither make a role without
# it nor take it away.
BOUNDED: Final = _of(
    "iam", "CreateRole AttachRolePolicy DetachRolePolicy PutRolePolicy DeleteRolePolicy PutRolePermissionsBoundary"
)
# Roles may be given to these services and to no other.
PASSED_TO: Final = (
    *("lambda.amazonaws.com", "states.amazonaws.com", "vpc-flow-logs.amazonaws.com", "apigateway.amazonaws.com"),
    "monitoring.rds.amazonaws.com",
)


_HTTP: Final = _of("apigateway", "GET POST PUT PATCH DELETE TagResource UntagResource")
_ROUTES: Final = _of("ec2", "DescribeSubnets DescribeVpcs DescribeRouteTables DescribeAvailabilityZones")
_GROUPS: Final = _of(
    "ec2",
    "DescribeSecurityGroups DescribeSecurityGroupRules AuthorizeSecurityGroupIngress AuthorizeSecurityGroupEgress"
    " RevokeSecurityGroupIngress RevokeSecurityGroupEgress",
)
_TAGS: Final = _of("ec2", "CreateTags DeleteTags DescribeTags")
_KEY_USE: Final = _of("kms", "DescribeKey CreateGrant Decrypt Encrypt GenerateDataKey")
_INVOKE: Final = _of("lambda", "InvokeFunction")

# What CloudFormation does for a resource of the type: make, read, change, delete.
TYPES: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys((f"AWS::ApiGatewayV2::{name}" for name in ("Api", "Authorizer", "Integration", "Route")), _HTTP),
    **dict.fromkeys(
        (f"AWS::ApiGateway::{name}" for name in ("Authorizer", "Deployment", "Method", "Resource", "RestApi", "Stage")),
        _HTTP,
    ),
    "AWS::ApiGatewayV2::Stage": _HTTP
    | _of("logs", "CreateLogDelivery GetLogDelivery UpdateLogDelivery DeleteLogDelivery ListLogDeliveries")
    | _of("logs", "PutResourcePolicy DescribeResourcePolicies DescribeLogGroups"),
    "AWS::CloudFront::Distribution": _of(
        "cloudfront",
        "CreateDistribution GetDistribution GetDistributionConfig UpdateDistribution DeleteDistribution"
        " TagResource UntagResource ListTagsForResource",
    )
    | _of("acm", "DescribeCertificate"),
    "AWS::CloudFront::Function": _of(
        "cloudfront",
        "CreateFunction DescribeFunction GetFunction PublishFunction UpdateFunction DeleteFunction"
        " TagResource UntagResource ListTagsForResource",
    ),
    "AWS::CloudFront::OriginAccessControl": _of(
        "cloudfront",
        "CreateOriginAccessControl GetOriginAccessControl UpdateOriginAccessControl DeleteOriginAccessControl",
    ),
    "AWS::CloudWatch::Alarm": _of(
        "cloudwatch", "PutMetricAlarm DescribeAlarms DeleteAlarms TagResource UntagResource ListTagsForResource"
    ),
    "AWS::CloudWatch::Dashboard": _of("cloudwatch", "PutDashboard GetDashboard DeleteDashboards"),
    "AWS::Cognito::ManagedLoginBranding": _of(
        "cognito-idp",
        "CreateManagedLoginBranding DescribeManagedLoginBranding DescribeManagedLoginBrandingByClient"
        " UpdateManagedLoginBranding DeleteManagedLoginBranding",
    ),
    "AWS::Cognito::UserPool": _of(
        "cognito-idp",
        "CreateUserPool DescribeUserPool UpdateUserPool DeleteUserPool SetUserPoolMfaConfig GetUserPoolMfaConfig"
        " TagResource UntagResource ListTagsForResource",
    ),
    "AWS::Cognito::UserPoolClient": _of(
        "cognito-idp", "CreateUserPoolClient DescribeUserPoolClient UpdateUserPoolClient DeleteUserPoolClient"
    ),
    "AWS::Cognito::UserPoolDomain": _of(
        "cognito-idp", "CreateUserPoolDomain DescribeUserPoolDomain UpdateUserPoolDomain DeleteUserPoolDomain"
    ),
    "AWS::Cognito::UserPoolIdentityProvider": _of(
        "cognito-idp",
        "CreateIdentityProvider DescribeIdentityProvider UpdateIdentityProvider DeleteIdentityProvider",
    )
    # The provider's client secret, by a dynamic reference.
    | _of("secretsmanager", "GetSecretValue"),
    "AWS::Cognito::UserPoolResourceServer": _of(
        "cognito-idp", "CreateResourceServer DescribeResourceServer UpdateResourceServer DeleteResourceServer"
    ),
    "AWS::Cognito::UserPoolUser": _of("cognito-idp", "AdminCreateUser AdminGetUser AdminDeleteUser"),
    "AWS::DynamoDB::Table": _of(
        "dynamodb",
        "CreateTable DescribeTable UpdateTable DeleteTable DescribeTimeToLive UpdateTimeToLive TagResource"
        " UntagResource ListTagsOfResource DescribeContinuousBackups UpdateContinuousBackups",
    )
    | _KEY_USE,
    "AWS::EC2::FlowLog": _of("ec2", "CreateFlowLogs DescribeFlowLogs DeleteFlowLogs") | _TAGS,
    "AWS::EC2::RouteTable": _of("ec2", "CreateRouteTable DeleteRouteTable") | _ROUTES | _TAGS,
    "AWS::EC2::SecurityGroup": _of("ec2", "CreateSecurityGroup DeleteSecurityGroup") | _GROUPS | _TAGS,
    "AWS::EC2::SecurityGroupEgress": _GROUPS,
    "AWS::EC2::SecurityGroupIngress": _GROUPS,
    "AWS::EC2::Subnet": _of("ec2", "CreateSubnet ModifySubnetAttribute DeleteSubnet") | _ROUTES | _TAGS,
    "AWS::EC2::SubnetRouteTableAssociation": _of("ec2", "AssociateRouteTable DisassociateRouteTable") | _ROUTES,
    "AWS::EC2::VPC": _of("ec2", "CreateVpc DescribeVpcAttribute ModifyVpcAttribute DeleteVpc") | _ROUTES | _TAGS,
    "AWS::EC2::VPCEndpoint": _of(
        "ec2", "CreateVpcEndpoint DescribeVpcEndpoints ModifyVpcEndpoint DeleteVpcEndpoints DescribeVpcEndpointServices"
    )
    | _TAGS,
    "AWS::Events::Rule": _of(
        "events", "PutRule DescribeRule DeleteRule PutTargets RemoveTargets ListTargetsByRule TagResource UntagResource"
    ),
    "AWS::IAM::ManagedPolicy": _of(
        "iam",
        "CreatePolicy GetPolicy GetPolicyVersion CreatePolicyVersion DeletePolicyVersion ListPolicyVersions"
        " ListEntitiesForPolicy DeletePolicy TagPolicy UntagPolicy",
    ),
    "AWS::IAM::Policy": _of("iam", "PutRolePolicy GetRolePolicy DeleteRolePolicy"),
    "AWS::IAM::Role": _of(
        "iam",
        "CreateRole GetRole UpdateRole UpdateAssumeRolePolicy DeleteRole AttachRolePolicy DetachRolePolicy"
        " PutRolePolicy GetRolePolicy DeleteRolePolicy ListRolePolicies ListAttachedRolePolicies TagRole UntagRole"
        " PassRole",
    ),
    "AWS::KMS::Key": _of(
        "kms",
        "CreateKey PutKeyPolicy GetKeyPolicy EnableKeyRotation DisableKeyRotation GetKeyRotationStatus"
        " ScheduleKeyDeletion UpdateKeyDescription TagResource UntagResource ListResourceTags",
    )
    | _KEY_USE,
    "AWS::Lambda::Alias": _of("lambda", "CreateAlias GetAlias UpdateAlias DeleteAlias GetProvisionedConcurrencyConfig"),
    "AWS::Lambda::EventInvokeConfig": _of(
        "lambda",
        "PutFunctionEventInvokeConfig GetFunctionEventInvokeConfig UpdateFunctionEventInvokeConfig"
        " DeleteFunctionEventInvokeConfig",
    ),
    "AWS::Lambda::EventSourceMapping": _of(
        "lambda",
        "CreateEventSourceMapping GetEventSourceMapping UpdateEventSourceMapping DeleteEventSourceMapping"
        " TagResource UntagResource ListTags",
    ),
    "AWS::Lambda::Function": _of(
        "lambda",
        "CreateFunction GetFunction GetFunctionConfiguration GetFunctionCodeSigningConfig UpdateFunctionCode"
        " UpdateFunctionConfiguration DeleteFunction PutFunctionConcurrency DeleteFunctionConcurrency GetLayerVersion"
        " TagResource UntagResource ListTags GetRuntimeManagementConfig",
    )
    | _of("ec2", "DescribeSecurityGroups DescribeSubnets DescribeVpcs"),
    "AWS::Lambda::LayerVersion": _of("lambda", "PublishLayerVersion GetLayerVersion DeleteLayerVersion"),
    "AWS::Lambda::Permission": _of("lambda", "AddPermission GetPolicy RemovePermission"),
    "AWS::Lambda::Version": _of("lambda", "PublishVersion GetFunction ListVersionsByFunction DeleteFunction"),
    "AWS::Logs::LogGroup": _of(
        "logs",
        "CreateLogGroup DescribeLogGroups PutRetentionPolicy DeleteRetentionPolicy DeleteLogGroup TagResource"
        " UntagResource ListTagsForResource",
    ),
    "AWS::Logs::MetricFilter": _of("logs", "PutMetricFilter DescribeMetricFilters DeleteMetricFilter"),
    "AWS::RDS::DBCluster": _of(
        "rds",
        "CreateDBCluster DescribeDBClusters ModifyDBCluster DeleteDBCluster CreateDBClusterSnapshot"
        " DescribeDBClusterSnapshots RestoreDBClusterFromSnapshot AddTagsToResource RemoveTagsFromResource"
        " ListTagsForResource",
    )
    | _of("secretsmanager", "GetSecretValue")
    | _KEY_USE,
    "AWS::RDS::DBClusterParameterGroup": _of(
        "rds",
        "CreateDBClusterParameterGroup DescribeDBClusterParameterGroups DescribeDBClusterParameters"
        " DescribeEngineDefaultClusterParameters ModifyDBClusterParameterGroup ResetDBClusterParameterGroup"
        " DeleteDBClusterParameterGroup",
    ),
    "AWS::RDS::DBInstance": _of("rds", "CreateDBInstance DescribeDBInstances ModifyDBInstance DeleteDBInstance"),
    "AWS::RDS::DBSubnetGroup": _of(
        "rds", "CreateDBSubnetGroup DescribeDBSubnetGroups ModifyDBSubnetGroup DeleteDBSubnetGroup"
    ),
    "AWS::S3::Bucket": _of(
        "s3",
        "CreateBucket DeleteBucket ListBucket PutEncryptionConfiguration GetEncryptionConfiguration PutBucketVersioning"
        " GetBucketVersioning PutLifecycleConfiguration GetLifecycleConfiguration PutBucketPublicAccessBlock"
        " GetBucketPublicAccessBlock PutBucketCORS GetBucketCORS PutBucketLogging GetBucketLogging"
        " PutBucketNotification GetBucketNotification PutBucketOwnershipControls GetBucketOwnershipControls"
        " PutBucketTagging GetBucketTagging"
        " PutBucketAcl",
    ),
    "AWS::S3::BucketPolicy": _of("s3", "PutBucketPolicy GetBucketPolicy DeleteBucketPolicy"),
    "AWS::SNS::Subscription": _of(
        "sns", "Subscribe Unsubscribe GetSubscriptionAttributes SetSubscriptionAttributes ListSubscriptionsByTopic"
    ),
    "AWS::SNS::Topic": _of(
        "sns",
        "CreateTopic GetTopicAttributes SetTopicAttributes DeleteTopic TagResource UntagResource ListTagsForResource"
        " ListSubscriptionsByTopic GetDataProtectionPolicy",
    ),
    "AWS::SNS::TopicPolicy": _of("sns", "GetTopicAttributes SetTopicAttributes"),
    "AWS::SQS::Queue": _of(
        "sqs",
        "CreateQueue GetQueueUrl GetQueueAttributes SetQueueAttributes DeleteQueue TagQueue UntagQueue ListQueueTags",
    ),
    "AWS::SQS::QueuePolicy": _of("sqs", "GetQueueAttributes SetQueueAttributes"),
    "AWS::SecretsManager::Secret": _of(
        "secretsmanager",
        "CreateSecret DescribeSecret UpdateSecret DeleteSecret GetRandomPassword TagResource UntagResource",
    )
    | _KEY_USE,
    "AWS::SecretsManager::SecretTargetAttachment": _of(
        "secretsmanager", "GetSecretValue PutSecretValue DescribeSecret UpdateSecret"
    )
    | _of("rds", "DescribeDBClusters DescribeDBInstances"),
    "AWS::StepFunctions::StateMachine": _of(
        "states",
        "CreateStateMachine DescribeStateMachine UpdateStateMachine DeleteStateMachine TagResource UntagResource"
        " ListTagsForResource",
    ),
    **dict.fromkeys(("Custom::Migrations", "Custom::ReleaseCheck", "Custom::StaticFiles"), _INVOKE),
}
# What belongs to no resource: the bootstrap's version, and code and layers in the bootstrap's bucket.
ALWAYS: Final = (
    ("ssm:GetParameters", "arn:*:ssm:*:*:parameter/cdk-bootstrap/*"),
    ("s3:GetObject", "arn:*:s3:::cdk-*-assets-*/*"),
)


def deployer_policies(resources: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Policy documents below IAM's limit that together let CloudFormation deploy the template. Raises DeploymentError
    naming every type that is not known here."""
    types = {str(resource["Type"]) for resource in resources.values()}
    unknown = sorted(types - TYPES.keys())
    if unknown:
        raise DeploymentError(f"Say in stacks/deployer.py what deploying takes: {', '.join(unknown)}.")
    actions = frozenset[str]().union(*(TYPES[type_] for type_ in types))
    boundary = boundary_of(resources)
    if boundary is None:
        return _packed(_statements(actions))
    bounded = _statement(sorted(BOUNDED), RESOURCES["iam"][:1])
    bounded["Condition"] = {"StringEquals": {"iam:PermissionsBoundary": boundary}}
    return _packed([*_statements(actions - BOUNDED), bounded])


def _statements(actions: Iterable[str]) -> list[dict[str, Any]]:
    """A statement per service, on what carries our names where its ARNs have any."""
    by_service: dict[str, list[str]] = {}
    for action in sorted(set(actions) - {"iam:PassRole"}):
        by_service.setdefault(action.partition(":")[0], []).append(action)
    plain = [_statement(names, RESOURCES.get(service, ("*",))) for service, names in by_service.items()]
    passing = _statement(["iam:PassRole"], RESOURCES["iam"][:1])
    passing["Condition"] = {"StringEquals": {"iam:PassedToService": list(PASSED_TO)}}
    return [*plain, passing, *(_statement([action], (resource,)) for action, resource in ALWAYS)]


def _statement(actions: list[str], resources: tuple[str, ...]) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": actions, "Resource": list(resources)}


def _packed(statements: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """As few documents as the limit allows, in order."""
    documents: list[dict[str, Any]] = []
    for statement in statements:
        last = documents[-1] if documents else None
        if last is None or _size({**last, "Statement": [*last["Statement"], statement]}) > LIMIT:
            documents.append({"Version": "2012-10-17", "Statement": [statement]})
        else:
            last["Statement"].append(statement)
    return documents


def _size(document: Mapping[str, Any]) -> int:
    return len(json.dumps(document, separators=(",", ":")))
