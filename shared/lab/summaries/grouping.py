"""One summary of several documents, put together from theirs: what says the same is one statement with every source."""

from collections.abc import Sequence

from shared.domain.experiments import (
    FIELDS,
    ExperimentSummary,
    FieldSummary,
    GroupField,
    GroupSource,
    GroupStatement,
    SummaryField,
    SummaryStatement,
)


def group_fields(summaries: Sequence[ExperimentSummary]) -> list[GroupField]:
    """Every field, over at least one summary. Statements say the same where their letters and digits do: their ids
    are of these. Numbers that differ keep statements apart. First comes what most documents say, then of each document
    what most speaks for, then what comes next in each: the first ones are the summary of all."""
    return [_group(field, summaries) for field in FIELDS]


def _group(field: SummaryField, summaries: Sequence[ExperimentSummary]) -> GroupField:
    own = [(one, _of(one, field)) for one in summaries]
    sure = [told.confidence.value if told.confidence else 0.0 for _, told in own]
    missing = [one.document for one, told in own if told.state == "missing"]
    statements = dict[str, GroupStatement]()
    rank = dict[str, int]()
    for one, told in own:
        for place, said in enumerate(sorted(told.statements, key=_weakness)):
            rank[said.id] = min(place, rank.get(said.id, place))
            source = GroupSource(document_id=one.document_id, document=one.document, statement=said)
            known = statements.get(said.id)
            if known is None:
                statements[said.id] = GroupStatement(id=said.id, field=field, text=said.shown, said_by=[source])
            elif known.said_by[-1].document_id != one.document_id:
                known.said_by.append(source)
    return GroupField(
        field=field,
        state="stated" if statements else "missing",
        statements=sorted(statements.values(), key=lambda found: (-len(found.said_by), rank[found.id])),
        coverage=round(1 - len(missing) / len(own), 3),
        confidence=round(sum(sure) / len(sure), 3),
        missing_in=missing,
    )


def _weakness(one: SummaryStatement) -> tuple[bool, int]:
    """Less for what a person says, and for what more kinds of evidence speak for."""
    return one.origin != "person", -len(one.found_by)


def _of(summary: ExperimentSummary, field: SummaryField) -> FieldSummary:
    return next(one for one in summary.fields if one.field == field)
