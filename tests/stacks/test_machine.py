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
from stacks.ingestion import group_stages
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


def test_an_object_below_incoming_starts_the_machine_with_its_key(shared: Template) -> None:
    rules = shared.of_type("AWS::Events::Rule").values()
    (rule,) = (r for r in rules if r.get("EventPattern", {}).get("source") == ["aws.s3"])
    assert rule["EventPattern"]["detail"]["object"] == {"key": [{"prefix": "incoming/"}]}
    (target,) = rule["Targets"]
    assert set(target["InputTransformer"]["InputPathsMap"].values()) == {
        "$.detail.bucket.name",
        "$.detail.object.key",
        "$.detail.object.size",
        "$.detail.object.etag",
    }
    assert "DeadLetterConfig" in target


def test_executions_that_end_otherwise_than_well_are_told_to_the_function_that_marks_them(shared: Template) -> None:
    machine = next(iter(shared.of_type("AWS::StepFunctions::StateMachine")))
    ended = {"FAILED", "TIMED_OUT", "ABORTED"}
    rules = shared.of_type("AWS::Events::Rule").items()
    patterns = {name: rule.get("EventPattern", {}).get("detail", {}) for name, rule in rules}
    (name,) = [name for name, detail in patterns.items() if set(detail.get("status", ())) == ended]
    rule = shared.resources[name]["Properties"]
    assert rule["EventPattern"]["source"] == ["aws.states"]
    assert rule["EventPattern"]["detail"]["stateMachineArn"] == [{"Ref": machine}]
    assert rule["State"] == "ENABLED"
    (target,) = rule["Targets"]
    function = target["Arn"]["Fn::GetAtt"][0]
    assert shared.resources[function]["Properties"]["Handler"] == "functions.mark_failed.handler"
    assert "Input" not in target, "the function reads the event as it comes"
    assert "InputTransformer" not in target
    assert target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0] in shared.of_type("AWS::SQS::Queue")
    permissions = shared.of_type("AWS::Lambda::Permission").values()
    sources = [p["SourceArn"] for p in permissions if p["FunctionName"]["Fn::GetAtt"][0] == function]
    assert {"Fn::GetAtt": [name, "Arn"]} in sources


def test_the_machine_stops_at_the_limit_after_which_a_run_counts_as_lost(shared: Template) -> None:
    assert shared.machine()["TimeoutSeconds"] == RUN_LIMIT_S
