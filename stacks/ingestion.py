"""Ingestion as a state machine, built from `shared.contract.STAGES`, which the local runner walks too."""

import json
from typing import Final

from aws_cdk import ArnFormat, Aws, Duration, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from shared.contract import (
    DROP_PREFIX,
    INCOMING_PREFIX,
    MARK_FAILED,
    OUTCOME_DUPLICATE,
    OUTCOME_REFUSED,
    OUTCOME_RUN,
    RUN_LIMIT_S,
    SOURCES_PREFIX,
    STAGES,
    WORK_PREFIX,
    Stage,
)
from stacks.admission import REFUSALS, Admission
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.grouping import group_stages
from stacks.specification import DeploymentFile, Extraction, InvokedModel
from stacks.states import PLANS, StateFactory
from stacks.storage import Storage, explain_objects
from stacks.suppressions import acknowledge, logical_id, region_and_account
from stacks.tiers import Tier

_LAYERS: dict[str, tuple[str, ...]] = {MARK_FAILED.name: ("core", "vectors")}
_DOCUMENT_LAYERS = ("core", "vectors", "documents")
# Which stages touch which objects; what is missing here touches none.
_READS: dict[str, tuple[str, ...]] = {
    "register": (INCOMING_PREFIX, SOURCES_PREFIX, WORK_PREFIX, DROP_PREFIX),
    "render": (SOURCES_PREFIX, WORK_PREFIX),
    "parse": (SOURCES_PREFIX, WORK_PREFIX),
    "extract": (SOURCES_PREFIX, WORK_PREFIX),
    "finalize": (WORK_PREFIX,),
    # The source's hash is checked once more before the document is served.
    "publish": (SOURCES_PREFIX, WORK_PREFIX),
}
# Of the stages only `register` may write below `sources/`, the reference for verification; and below `incoming/`, where
# the files of a parcel arrive as any others do.
_WRITES: dict[str, tuple[str, ...]] = {
    "register": (INCOMING_PREFIX, SOURCES_PREFIX, WORK_PREFIX, REFUSALS),
    **dict.fromkeys(("render", "parse", "extract"), (WORK_PREFIX,)),
}
# Prefixes of which a given object version is read, and not the latest one.
_PINNED = (INCOMING_PREFIX, SOURCES_PREFIX, DROP_PREFIX)


class IngestionPipeline(Construct):
    """Admission → state machine → one function per stage."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        factory: FunctionFactory,
        storage: Storage,
        tier: Tier,
        extraction: Extraction | None,
    ) -> None:
        super().__init__(scope, id_)
        self._storage, self._extraction = storage, extraction
        self._name = f"{Stack.of(self).stack_name}-ingestion"
        self.functions = {stage.name: self._function(factory, stage) for stage in (*STAGES, MARK_FAILED)}
        self.machine = self._machine(tier)
        self.admission = Admission(self, "Admission", factory=factory, storage=storage, machine=self.machine)

    @property
    def machine_arn(self) -> str:
        """The machine's ARN for what must be there before the machine."""
        return Stack.of(self).format_arn(
            service="states",
            resource="stateMachine",
            resource_name=self._name,
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )

    def _function(self, factory: FunctionFactory, stage: Stage) -> lambda_.Function:
        function = factory.create(
            self,
            f"{stage.name.capitalize()}Function",
            FunctionSettings(stage.name, _LAYERS.get(stage.name, _DOCUMENT_LAYERS), stage.timeout_s, stage.memory_mb),
        )
        reads, writes = _READS.get(stage.name, ()), _WRITES.get(stage.name, ())
        # All functions but `register`, which writes sources, read a given version of them.
        unpinned = (DROP_PREFIX,) if stage.name == "register" else _PINNED
        plain = tuple(prefix for prefix in reads if prefix not in unpinned)
        self._storage.allow(function, read=plain, write=writes)
        if reads:
            self._storage.allow_listing(function)
        self._storage.allow_versions(function, tuple(prefix for prefix in reads if prefix in _PINNED))
        if writes:
            # A stage deletes what it wrote of a document that was deleted meanwhile.
            self._storage.allow_deleting(function, tuple(prefix for prefix in writes if prefix != REFUSALS))
        if stage.name == "register":
            # A file that is there already is not kept twice, a file's password not longer than its first reading.
            self._storage.allow_deleting(function, (DROP_PREFIX,))
            self._storage.allow_passwords(function, "GetSecretValue", "DeleteSecret")
        if stage.name == MARK_FAILED.name:
            self._storage.allow_passwords(function, "DeleteSecret")
            # Beside a dropped file that is still there it says why its run failed.
            self._storage.allow(function, read=(DROP_PREFIX,), write=(REFUSALS,))
            self._storage.allow_listing(function)
            explain_objects(function, self._storage, (DROP_PREFIX, REFUSALS))
        if stage.name == "parse" and factory.file.ocr == "textract":
            # Textract's actions name no resource.
            function.add_to_role_policy(iam.PolicyStatement(actions=["textract:DetectDocumentText"], resources=["*"]))
        if stage.name == "embed":
            allow_embedding(function, factory.file)
        if stage.name == "extract" and self._extraction is not None:
            allow_model(function, self._extraction)
        explain_objects(function, self._storage, (*reads, *writes))
        return function

    def _machine(self, tier: Tier) -> sfn.StateMachine:
        states = StateFactory(self, self.functions)
        machine = sfn.StateMachine(
            self,
            "Machine",
            state_machine_name=self._name,
            definition_body=sfn.DefinitionBody.from_chainable(self._definition(states, tier)),
            timeout=Duration.seconds(RUN_LIMIT_S),
            tracing_enabled=True,
            logs=sfn.LogOptions(
                destination=logs.LogGroup(
                    self,
                    "MachineLog",
                    retention=logs.RetentionDays.ONE_MONTH,
                    removal_policy=RemovalPolicy.DESTROY,
                    log_group_name=f"/aws/vendedlogs/states/{self._name}",
                ),
                level=sfn.LogLevel.ALL,
                include_execution_data=False,
            ),
        )
        # Executions under way go on with the versions that they began with.
        versions = [f"{function.function_arn}:*" for function in self.functions.values()]
        machine.add_to_role_policy(iam.PolicyStatement(actions=["lambda:InvokeFunction"], resources=versions))
        self._explain_machine(machine)
        return machine

    def _definition(self, states: StateFactory, tier: Tier) -> sfn.IChainable:
        """The stage list as states; whatever gives up ends in `mark_failed`, and the execution as failed."""
        failure = states.task(MARK_FAILED).next(sfn.Fail(self, "Failed", error="IngestionFailed"))
        first, *rest = group_stages(STAGES)
        steps: list[sfn.TaskStateBase | sfn.DistributedMap] = [
            states.first_task(first[0]),
            *(
                states.shard_map(stages, self._storage, tier.map_concurrency)
                if stages[0].mapped
                else states.task(stages[0])
                for stages in rest
            ),
        ]
        for step in steps:
            step.add_catch(failure, errors=[sfn.Errors.ALL], result_path="$.error")
        work = sfn.Chain.start(steps[1])
        for step in steps[2:]:
            work = work.next(step)
        return sfn.Chain.start(steps[0]).next(self._by_outcome(work.next(sfn.Succeed(self, "Published"))))

    def _by_outcome(self, work: sfn.IChainable) -> sfn.Choice:
        done = sfn.Succeed(self, "Nothing to do")
        outcome = sfn.Condition.string_equals
        return (
            sfn.Choice(self, "Which outcome")
            .when(outcome("$.outcome", OUTCOME_RUN), work)
            .when(outcome("$.outcome", OUTCOME_DUPLICATE), done)
            .when(outcome("$.outcome", OUTCOME_REFUSED), done)
            .otherwise(sfn.Fail(self, "Unknown outcome", error="UnknownOutcome"))
        )

    def _explain_machine(self, machine: sfn.StateMachine) -> None:
        functions = (f"<{logical_id(function)}.Arn>" for function in self.functions.values())
        acknowledge(
            machine,
            "The stages' functions, at any of their versions.",
            *(f"AwsSolutions-IAM5[Resource::{arn}:*]" for arn in functions),
        )
        acknowledge(
            machine,
            "Page plans, whose keys are made at run time.",
            f"AwsSolutions-IAM5[Resource::<{logical_id(self._storage.bucket)}.Arn>/{PLANS}]",
        )
        parts = {"Fn::Split": [":", {"Ref": logical_id(machine)}]}
        name = json.dumps({"Fn::Select": [6, parts]}, separators=(",", ":"))
        executions = f"arn:<AWS::Partition>:states:{region_and_account(self)}:execution:{name}"
        acknowledge(
            machine,
            "A distributed map starts and watches child executions of its own machine.",
            f"AwsSolutions-IAM5[Resource::{executions}:*]",
            f"AwsSolutions-IAM5[Resource::{executions}/*:*]",
        )
        acknowledge(machine, "Log delivery and X-Ray name no resource.", "AwsSolutions-IAM5[Resource::*]")


def allow_embedding(function: lambda_.Function, file: DeploymentFile) -> None:
    """Allows `function` to call the embedding model, and former ones that knowledge bases may still use."""
    for model_id in dict.fromkeys((file.embedding.model_id, *file.embedding.former)):
        allow_model(function, InvokedModel(model_id=model_id))


CALL: Final = "bedrock:InvokeModel"
CALL_STREAMED: Final = "bedrock:InvokeModelWithResponseStream"


def allow_model(
    function: lambda_.Function, model: Extraction | InvokedModel, actions: tuple[str, ...] = (CALL,)
) -> None:
    """Allows `function` to call one model.

    An inference profile forwards calls to regions of its own choice, so the model may be used in any region, but only
    through that profile.
    """
    stack = Stack.of(function)
    if model.place is None:
        arn = stack.format_arn(service="bedrock", account="", resource="foundation-model", resource_name=model.model)
        function.add_to_role_policy(iam.PolicyStatement(actions=[*actions], resources=[arn]))
        return
    profile = stack.format_arn(service="bedrock", resource="inference-profile", resource_name=model.model_id)
    anywhere = f"arn:{Aws.PARTITION}:bedrock:*::foundation-model/{model.model}"
    function.add_to_role_policy(iam.PolicyStatement(actions=[*actions], resources=[profile]))
    function.add_to_role_policy(
        iam.PolicyStatement(
            actions=[*actions],
            resources=[anywhere],
            conditions={"StringEquals": {"bedrock:InferenceProfileArn": profile}},
        )
    )
    acknowledge(
        function,
        "The profile chooses the region; the condition holds the permission to that profile.",
        f"AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:*::foundation-model/{model.model}]",
    )
