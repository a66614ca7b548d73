"""What CloudFormation makes of references: names and ARNs, invented for a template or taken from a deployment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ACCOUNT = "111111111111"
# How the ARN is made of a resource's physical name; where that is an ARN already, it stays.
ARNS = {
    "AWS::S3::Bucket": "arn:aws:s3:::{name}",
    "AWS::Lambda::Function": "arn:aws:lambda:{region}:{account}:function:{name}",
    "AWS::Lambda::Version": "arn:aws:lambda:{region}:{account}:function:{name}:1",
    "AWS::Lambda::Alias": "arn:aws:lambda:{region}:{account}:function:{name}:live",
    "AWS::KMS::Key": "arn:aws:kms:{region}:{account}:key/{name}",
    "AWS::IAM::Role": "arn:aws:iam::{account}:role/{name}",
    "AWS::SQS::Queue": "arn:aws:sqs:{region}:{account}:{name}",
    "AWS::SNS::Topic": "arn:aws:sns:{region}:{account}:{name}",
    "AWS::CloudWatch::Alarm": "arn:aws:cloudwatch:{region}:{account}:alarm:{name}",
    "AWS::Events::Rule": "arn:aws:events:{region}:{account}:rule/{name}",
    "AWS::Logs::LogGroup": "arn:aws:logs:{region}:{account}:log-group:{name}:*",
    "AWS::StepFunctions::StateMachine": "arn:aws:states:{region}:{account}:stateMachine:{name}",
    "AWS::SecretsManager::Secret": "arn:aws:secretsmanager:{region}:{account}:secret:{name}-a1B2c3",
    "AWS::DynamoDB::Table": "arn:aws:dynamodb:{region}:{account}:table/{name}",
    "AWS::Cognito::UserPool": "arn:aws:cognito-idp:{region}:{account}:userpool/{name}",
    "AWS::RDS::DBCluster": "arn:aws:rds:{region}:{account}:cluster:{name}",
}
# Types whose `Ref` is their ARN.
REFERRED_BY_ARN = {
    *("AWS::StepFunctions::StateMachine", "AWS::SecretsManager::Secret", "AWS::SNS::Topic"),
    *("AWS::Lambda::Version", "AWS::Lambda::Alias"),
}
# What is published of a function has the function's name.
PUBLISHED = {"AWS::Lambda::Version", "AWS::Lambda::Alias"}
ATTACHMENT = "AWS::SecretsManager::SecretTargetAttachment"


@dataclass(frozen=True)
class Names:
    """`physical` are the names of a deployment by those in the template; what has none is called as there."""

    resources: Mapping[str, Any]
    region: str
    account: str = ACCOUNT
    physical: Mapping[str, str] = field(default_factory=dict[str, str])

    def resolve(self, value: Any) -> Any:
        """The value without references. Raises ValueError for a function that no template here uses."""
        if isinstance(value, list):
            return [self.resolve(part) for part in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            (name, argument), *_ = value.items()
            if name == "Ref":
                return self.reference(argument)
            if name.startswith("Fn::"):
                return self._call(name, argument)
        return {key: self.resolve(part) for key, part in value.items()}

    def reference(self, name: str) -> str:
        pseudo = {"AWS::Partition": "aws", "AWS::Region": self.region, "AWS::AccountId": self.account}
        if name in pseudo:
            return pseudo[name]
        if self._type(name) == ATTACHMENT:
            return self.reference(self.resources[name]["Properties"]["SecretId"]["Ref"])
        return self.arn(name) if self._type(name) in REFERRED_BY_ARN else self._name(name)

    def arn(self, name: str) -> str:
        physical = self._name(name)
        if physical.startswith("arn:"):
            return physical
        # A queue's physical name is its URL.
        last = physical.rsplit("/", 1)[-1] if "://" in physical else physical
        return ARNS[self._type(name)].format(name=last, region=self.region, account=self.account)

    def _call(self, name: str, argument: Any) -> Any:
        if name == "Fn::GetAtt":
            if argument[1] == "Name":
                return self._name(argument[0]).rsplit(":", 1)[-1]
            return self.arn(argument[0]) if argument[1] == "Arn" else f"{argument[0]}.{argument[1]}"
        if name == "Fn::Join":
            return argument[0].join(self.resolve(argument[1]))
        if name == "Fn::Select":
            return self.resolve(argument[1])[int(argument[0])]
        if name == "Fn::Split":
            return self.resolve(argument[1]).split(argument[0])
        if name == "Fn::GetAZs":
            return [f"{self.region}{letter}" for letter in "abc"]
        raise ValueError(f"{name} is not understood")

    def _type(self, name: str) -> str:
        return str(self.resources[name]["Type"])

    def _name(self, name: str) -> str:
        one = self.resources.get(name, {})
        if name not in self.physical and one.get("Type") in PUBLISHED:
            return self._name(one["Properties"]["FunctionName"]["Ref"])
        if one.get("Type") == "AWS::StepFunctions::StateMachine" and name not in self.physical:
            return str(one["Properties"].get("StateMachineName", name))
        return self.physical.get(name, name)
