import json
from typing import Any

import pytest

import shared.errors
from shared.contract import (
    MARK_FAILED,
    OUTCOME_DUPLICATE,
    OUTCOME_REFUSED,
    OUTCOME_RUN,
    PERMANENT_ERRORS,
    RUN_LIMIT_S,
    SHARD_FIELDS,
    STAGES,
    TRANSIENT_ERRORS,
    Stage,
)
from shared.errors import AutriError
from stacks.grouping import group_stages
from tests.stacks.template import Template

pytestmark = pytest.mark.aws


def tasks_in_order(states: dict[str, Any], start: str) -> list[str]:
    """Modules of the functions along the way on which nothing fails."""
    order: list[str] = []
    name: str | None = start
    while name is not None:
        state = states[name]
        if state["Type"] == "Task":
            order.append(function_of(state))
        if state["Type"] == "Map":
            processor = state["ItemProcessor"]
            order.append("[")
            order.extend(tasks_in_order(processor["States"], processor["StartAt"]))
            order.append("]")
        name = state["Choices"][0]["Next"] if state["Type"] == "Choice" else state.get("Next")
    return order


def function_of(state: dict[str, Any]) -> str:
    """`IngestionRegisterFunction8B94E4FC` → `register`."""
    name = state["Parameters"]["FunctionName"].removeprefix("<Ingestion").split("Function")[0]
    return next(s.name for s in (*STAGES, MARK_FAILED) if s.name.replace("_", "") == name.lower())


def all_tasks(states: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for state in states.values():
        if state["Type"] == "Map":
            found += all_tasks(state["ItemProcessor"]["States"])
        elif state["Type"] == "Task":
            found.append(state)
    return found


def test_the_machine_walks_the_stage_list_in_its_order(shared: Template) -> None:
    machine = shared.machine()
    expected: list[str] = []
    for stages in group_stages(STAGES):
        names = [stage.name for stage in stages]
        expected += ["[", *names, "]"] if stages[0].mapped else names
    assert tasks_in_order(machine["States"], machine["StartAt"]) == expected


def test_a_barrier_starts_a_map_of_its_own() -> None:
    def stage(name: str, mapped: bool = True, barrier: bool = False) -> Stage:
        return Stage(name, mapped, 1, 1, 1, barrier)

    stages = (stage("a", mapped=False), stage("b"), stage("c"), stage("d", barrier=True), stage("e", mapped=False))
    assert [[s.name for s in group] for group in group_stages(stages)] == [["a"], ["b", "c"], ["d"], ["e"]]


def test_every_task_keeps_its_stages_timeout_and_tries(shared: Template) -> None:
    stages = {stage.name: stage for stage in (*STAGES, MARK_FAILED)}
    for task in all_tasks(shared.machine()["States"]):
        stage = stages[function_of(task)]
        permanent, transient, other = task["Retry"]
        assert stage.timeout_s < task["TimeoutSeconds"] <= stage.timeout_s + 60
        assert (set(permanent["ErrorEquals"]), permanent["MaxAttempts"]) == (set(PERMANENT_ERRORS), 0)
        assert set(TRANSIENT_ERRORS) < set(transient["ErrorEquals"])
        assert (other["ErrorEquals"], other["MaxAttempts"]) == (["States.ALL"], stage.attempts - 1)
        assert transient["JitterStrategy"] == other["JitterStrategy"] == "FULL"


def test_a_function_has_its_stages_limits(shared: Template) -> None:
    functions = shared.functions()
    for stage in (*STAGES, MARK_FAILED):
        assert functions[stage.name]["Timeout"] == stage.timeout_s
        assert functions[stage.name]["MemorySize"] == stage.memory_mb


def test_retried_errors_are_classes_that_exist_and_all_are_sorted_out() -> None:
    ours = {name for name, value in vars(shared.errors).items() if isinstance(value, type)} - {AutriError.__name__}
    assert set(PERMANENT_ERRORS) | set(TRANSIENT_ERRORS) == ours


def test_a_failed_range_goes_page_by_page_with_the_same_function(shared: Template) -> None:
    for group in group_stages(STAGES):
        for stage in (s for s in group if s.mapped):
            states = next(
                s["ItemProcessor"]["States"]
                for s in shared.machine()["States"].values()
                if s["Type"] == "Map" and stage.name.capitalize() in s["ItemProcessor"]["States"]
            )
            caught = states[stage.name.capitalize()]["Catch"]
            alone = states[caught[0]["Next"]]
            assert (caught[0]["ErrorEquals"], caught[0]["ResultPath"]) == (["States.ALL"], None)
            assert function_of(alone) == stage.name
            assert alone["Parameters"]["Payload"] == {
                **{f"{name}.$": f"$.{name}" for name in SHARD_FIELDS},
                "isolated": True,
            }


def test_shards_come_from_the_plan_and_leave_no_results_in_the_machine(shared: Template) -> None:
    maps = [s for s in shared.machine()["States"].values() if s["Type"] == "Map"]
    assert maps
    for state in maps:
        assert state["ItemReader"]["ReaderConfig"] == {"InputType": "JSON"}
        assert "work/{}/{}/{}/{}/plan.json" in state["ItemReader"]["Parameters"]["Key.$"]
        assert state["ResultPath"] is None
        assert state["ItemProcessor"]["ProcessorConfig"] == {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}
        last = next(s for s in state["ItemProcessor"]["States"].values() if s.get("End"))
        assert (last["Type"], last["Parameters"]) == ("Pass", {})


def test_whatever_gives_up_is_marked_failed_with_its_event_and_error(shared: Template) -> None:
    states = shared.machine()["States"]
    (marker,) = (name for name, s in states.items() if s["Type"] == "Task" and function_of(s) == MARK_FAILED.name)
    steps = [s for name, s in states.items() if s["Type"] in {"Task", "Map"} and name != marker]
    assert len(steps) == len(list(group_stages(STAGES)))
    for step in steps:
        assert step["Catch"] == [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": marker}]
    assert states[states[marker]["Next"]]["Type"] == "Fail"


def test_only_the_outcome_run_goes_on(shared: Template) -> None:
    states = shared.machine()["States"]
    (choice,) = (s for s in states.values() if s["Type"] == "Choice")
    kinds = {c["StringEquals"]: states[c["Next"]]["Type"] for c in choice["Choices"]}
    assert kinds == {OUTCOME_RUN: "Map", OUTCOME_DUPLICATE: "Succeed", OUTCOME_REFUSED: "Succeed"}
    assert states[choice["Default"]]["Type"] == "Fail"


def admission(template: Template) -> tuple[str, str]:
    """The logical ids of the queue that is read and of the function that reads it."""
    (mapping,) = template.of_type("AWS::Lambda::EventSourceMapping").values()
    queue = mapping["EventSourceArn"]["Fn::GetAtt"][0]
    (function,) = (f for f, alias in template.aliases().items() if alias in json.dumps(mapping["FunctionName"]))
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 2}
    assert template.resources[function]["Properties"]["Handler"] == "functions.admit.handler"
    return queue, function


def told(template: Template, source: str) -> dict[str, Any]:
    """The pattern of the one rule for this source whose events go to the queue as they come; their dead letters are
    the queue's own."""
    queue, _ = admission(template)
    letters = template.resources[queue]["Properties"]["RedrivePolicy"]["deadLetterTargetArn"]
    rules = [
        rule
        for rule in template.of_type("AWS::Events::Rule").values()
        if rule.get("EventPattern", {}).get("source") == [source]
        and [target["Arn"] for target in rule["Targets"]] == [{"Fn::GetAtt": [queue, "Arn"]}]
    ]
    (rule,) = rules
    (target,) = rule["Targets"]
    assert not {"Input", "InputPath", "InputTransformer"} & set(target)
    assert target["DeadLetterConfig"] == {"Arn": letters}
    assert rule["State"] == "ENABLED"
    return rule["EventPattern"]


def test_an_object_that_is_uploaded_or_dropped_is_told_to_the_queue(shared: Template) -> None:
    pattern = told(shared, "aws.s3")
    assert pattern["detail-type"] == ["Object Created"]
    assert pattern["detail"]["object"] == {"key": [{"prefix": "incoming/"}, {"prefix": "drop/"}]}


def test_every_end_of_an_execution_is_told_to_the_queue(shared: Template) -> None:
    machine = next(iter(shared.of_type("AWS::StepFunctions::StateMachine")))
    detail = told(shared, "aws.states")["detail"]
    assert set(detail["status"]) == {"SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"}
    assert detail["stateMachineArn"] == [{"Ref": machine}]


def test_a_message_outlives_the_functions_time_and_goes_to_the_dead_letters_after_an_hour(shared: Template) -> None:
    queue, function = admission(shared)
    properties, limit = shared.resources[queue]["Properties"], shared.resources[function]["Properties"]["Timeout"]
    assert properties["VisibilityTimeout"] >= 6 * limit
    assert 3600 <= properties["VisibilityTimeout"] * properties["RedrivePolicy"]["maxReceiveCount"] <= 4 * 3600


def test_stuck_runs_are_looked_for_every_few_minutes_and_lost_files_daily(shared: Template) -> None:
    _, function = admission(shared)
    rules = shared.of_type("AWS::Events::Rule").values()
    targets = {
        rule["ScheduleExpression"]: rule["Targets"][0].get("Input")
        for rule in rules
        if rule["Targets"][0]["Arn"] == {"Ref": shared.aliases()[function]}
    }
    assert targets == {"rate(5 minutes)": None, "rate(1 day)": '{"redrive":true}'}


def test_only_admission_and_the_api_start_executions(shared: Template) -> None:
    for rule in shared.of_type("AWS::Events::Rule").values():
        assert all("RoleArn" not in target for target in rule["Targets"])


@pytest.mark.parametrize("deployment", ["shared", "dedicated", "customer"])
def test_all_runs_together_leave_the_database_and_the_account_room(
    deployment: str, request: pytest.FixtureRequest
) -> None:
    template: Template = request.getfixturevalue(deployment)
    functions = template.functions()
    variables = functions["admit"]["Environment"]["Variables"]
    slots = int(variables["AUTRI_RUN_SLOTS"])
    assert 1 <= int(variables["AUTRI_RUN_SLOTS_PER_ORGANIZATION"]) <= slots
    widths = {s["MaxConcurrency"] for s in template.machine()["States"].values() if s["Type"] == "Map"}
    reserved = [f["ReservedConcurrentExecutions"] for f in functions.values() if "ReservedConcurrentExecutions" in f]
    assert "ReservedConcurrentExecutions" in functions["api.handler"]
    # Each environment has one connection; admission has two and the schedule's, the migrations one.
    connections = slots * max(widths) + sum(reserved) + 4
    # An account's functions have 1,000 at once, of which 100 stay unreserved; Aurora that may pause takes 2,000
    # connections at most, and 8 units take 1,800.
    assert connections <= 400
    if deployment == "shared":
        assert int(variables["AUTRI_RUN_SLOTS_PER_ORGANIZATION"]) < slots, "a newcomer finds a free slot"


def test_throttling_is_waited_for_a_day_before_it_counts(shared: Template) -> None:
    for task in all_tasks(shared.machine()["States"]):
        transient = task["Retry"][1]
        delays = [
            min(transient["IntervalSeconds"] * transient["BackoffRate"] ** n, transient["MaxDelaySeconds"])
            for n in range(transient["MaxAttempts"])
        ]
        # Full jitter waits half of each on average.
        assert 20 * 3600 < sum(delays) / 2 < 28 * 3600
        # Of an execution's 25,000 events, five per attempt.
        assert transient["MaxAttempts"] * 5 < 5000


def test_the_machine_stops_at_the_limit_after_which_a_run_counts_as_lost(shared: Template) -> None:
    assert shared.machine()["TimeoutSeconds"] == RUN_LIMIT_S
