"""What 1,000 pages cost: the functions' memory and the state machine's steps are read from the template, the rest was
measured (`measured.toml`)."""

import json
from collections.abc import Mapping
from typing import Any, Final

from shared.contract import STAGES
from stacks.estimate.figures import Amount, Prices, load_measured, load_models
from stacks.specification import Specification

PAGES: Final = 1000
_TOKENS: Final = ("input", "cache_read", "cache_write", "output")


def page_lines(
    resources: Mapping[str, Mapping[str, Any]], prices: Prices, specification: Specification
) -> list[Amount]:
    """Positions of 1,000 pages read by the layout engine, dearest first."""
    measured = load_measured()
    stages, assumed = measured["stages"], measured["assumed"]
    calls = PAGES * sum(stage["calls"] for stage in stages.values())
    transitions = PAGES * _transitions(resources, stages)
    logged = calls * assumed["log_bytes_per_call"] + transitions * assumed["log_bytes_per_transition"]
    embedded = PAGES * measured["tokens"]["embedded"]
    lines = [
        _functions(resources, prices, measured),
        prices.line("functions, calls", calls, "calls", "function_million", 1_000_000),
        prices.line("state machine", transitions, "transitions", "transition_thousand", 1000),
        prices.line(
            "objects written", PAGES * sum(s["writes"] for s in stages.values()), "requests", "put_thousand", 1000
        ),
        prices.line("objects read", PAGES * sum(s["reads"] for s in stages.values()), "requests", "get_thousand", 1000),
        prices.line("logs", logged / 1e9, "GB", "log_gb"),
        _database(resources, prices, measured),
        Amount("embedding", embedded, "tokens", embedded * _embedder_price(specification) / 1e6),
    ]
    return sorted(lines, key=lambda line: -line.usd)


def extra_lines(
    resources: Mapping[str, Mapping[str, Any]], prices: Prices, specification: Specification
) -> list[Amount]:
    """What 1,000 pages cost on top where the model groups every page, and where every page is a picture."""
    measured, lines = load_measured(), list[Amount]()
    if specification.file.extraction is not None:
        waited = PAGES * measured["assumed"]["grouping_seconds"] * _memory(resources)["extract"] / 1024
        tokens = PAGES * sum(measured["tokens"][name] for name in _TOKENS)
        model = Amount(
            "every page grouped by the model", tokens, "tokens", PAGES * _grouped_page(specification, measured)
        )
        lines += [model, prices.line("  functions that wait for it", waited, "GB seconds", "function_gb_second")]
    if specification.file.ocr == "textract":
        lines.append(prices.line("every page a picture (Textract)", PAGES, "pages", "textract_page"))
    return lines


def _memory(resources: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Megabytes of each function by its module."""
    functions = (r["Properties"] for r in resources.values() if r["Type"] == "AWS::Lambda::Function")
    return {p["Handler"].split(".")[-2]: p["MemorySize"] for p in functions if "MemorySize" in p}


def _functions(resources: Mapping[str, Mapping[str, Any]], prices: Prices, measured: dict[str, Any]) -> Amount:
    memory, waits = _memory(resources), {"embed": measured["assumed"]["embedding_seconds"]}
    used = sum(
        (stage["seconds"] + waits.get(name, 0)) * memory[name] / 1024 for name, stage in measured["stages"].items()
    )
    return prices.line("functions", PAGES * used, "GB seconds", "function_gb_second")


def _database(resources: Mapping[str, Mapping[str, Any]], prices: Prices, measured: dict[str, Any]) -> Amount:
    """The work, and the hours awake: documents one after the other, their shards side by side, then the pause."""
    stages, assumed = measured["stages"], measured["assumed"]
    shards = stages["render"]["calls"] / stages["register"]["calls"]
    mapped = {stage.name for stage in STAGES if stage.mapped}
    wall = PAGES * sum(s["seconds"] / (shards if name in mapped else 1) for name, s in stages.items())
    (scaling,) = (
        r["Properties"]["ServerlessV2ScalingConfiguration"]
        for r in resources.values()
        if r["Type"] == "AWS::RDS::DBCluster"
    )
    busy = PAGES * sum(stage["database_seconds"] for stage in stages.values())
    awake = wall + scaling["SecondsUntilAutoPause"]
    hours = (busy * assumed["acu_per_core"] + awake * assumed["awake_acu"]) / 3600
    return prices.line("database", hours, "ACU hours", "acu_hour")


def _transitions(resources: Mapping[str, Mapping[str, Any]], stages: dict[str, dict[str, float]]) -> float:
    """States that are entered per page when nothing fails."""
    (machine,) = (r["Properties"] for r in resources.values() if r["Type"] == "AWS::StepFunctions::StateMachine")
    parts = machine["DefinitionString"]["Fn::Join"][1]
    definition = json.loads("".join(part if isinstance(part, str) else "arn" for part in parts))
    documents, shards = _entered(definition)
    return documents * stages["register"]["calls"] + shards * stages["render"]["calls"]


def _entered(definition: Mapping[str, Any]) -> tuple[int, int]:
    """States entered per document, and per shard, on the way that goes through most stages."""
    documents = shards = 0
    name: str | None = definition["StartAt"]
    while name is not None:
        state = definition["States"][name]
        documents += 1
        if state["Type"] == "Map":
            shards += _entered(state["ItemProcessor"])[0]
        name = state["Choices"][0]["Next"] if state["Type"] == "Choice" else state.get("Next")
    return documents, shards


def _embedder_price(specification: Specification) -> float:
    """Dollars per million tokens."""
    return float(load_models()["embedders"][specification.file.embedding.model]["usd_per_million"])


def _grouped_page(specification: Specification, measured: dict[str, Any]) -> float:
    """Dollars for the tokens of one page."""
    extraction = specification.file.extraction
    if extraction is None:
        return 0.0
    models = load_models()
    price = models["models"][extraction.model]["price"]
    dearer = 1.0 if extraction.place in (None, "global") else models["geographic"]
    return dearer * sum(measured["tokens"][name] * price[name] for name in _TOKENS) / 1e6
