"""Operations of what people look after: questions with known answers and their evaluation, attributes, webhooks."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from autri import models
from autri.operations import Id, Ids
from autri.uploads import Flow, Pause
from autri.wire import Listing, Operation, given, json_of

Index = Literal["lookup", "fts", "vector", "hybrid"]
Json = Mapping[str, Any]
# Until it is asked again how far the background is.
BACKGROUND_S: Final = 5.0


def gold(knowledge_base: Id) -> Listing[models.GoldQuestion]:
    """The questions of a knowledge base whose answers are known."""
    return Listing(f"/knowledge-bases/{knowledge_base}/gold", models.GoldQuestion)


def add_gold(
    knowledge_base: Id,
    question: str,
    *,
    kind: Literal["answerable", "negative"] = "answerable",
    chunks: Ids = (),
    answer: str | None = None,
) -> Operation[models.GoldQuestion]:
    """Adds a question, and the chunks that answer it; none answers a `negative` one."""
    body = given(question=question, kind=kind, chunk_ids=chunks, answer=answer)
    return Operation("POST", f"/knowledge-bases/{knowledge_base}/gold", json_of(models.GoldQuestion), body=body)


def remove_gold(knowledge_base: Id, question: Id) -> Operation[models.Removed]:
    """Removes a question; evaluations that asked it stay."""
    return Operation("DELETE", f"/knowledge-bases/{knowledge_base}/gold/{question}", json_of(models.Removed))


def evaluate(
    knowledge_base: Id,
    *,
    indexes: Sequence[Index] = ("fts", "vector", "hybrid"),
    ask: bool | None = None,
    floors: Mapping[str, float] | None = None,
    baseline: bool = False,
) -> Flow[models.EvalRun]:
    """Asks all gold questions and returns the scores. `floors` are least values by measure (`hybrid.recall@5`): whether
    each is met stands in the run, nothing is raised. `baseline`: later runs are compared with this one."""
    body = given(indexes=indexes, ask=ask, floors=floors, baseline=baseline)
    address = f"/knowledge-bases/{knowledge_base}/evaluations"
    run = yield Operation("POST", address, json_of(models.EvalRun), body=body)
    while run.status != "done":
        run = yield Operation("POST", f"{address}/{run.id}/continue", json_of(models.EvalRun))
    return run


def evaluations(knowledge_base: Id) -> Listing[models.EvalRun]:
    """Earlier runs, the newest first."""
    return Listing(f"/knowledge-bases/{knowledge_base}/evaluations", models.EvalRun)


def evaluation_results(knowledge_base: Id, run: Id) -> Listing[models.QuestionResult]:
    """What each question of a run found."""
    return Listing(f"/knowledge-bases/{knowledge_base}/evaluations/{run}/results", models.QuestionResult)


def attributes(knowledge_base: Id) -> Listing[models.DeclaredAttribute]:
    """The attributes that filters may name, with how many values there are of each."""
    return Listing(f"/knowledge-bases/{knowledge_base}/attributes", models.DeclaredAttribute)


def attribute_schema(knowledge_base: Id) -> Operation[models.SchemaState]:
    """What is declared, in which version."""
    return Operation("GET", f"/knowledge-bases/{knowledge_base}/schema", json_of(models.SchemaState))


def propose_attributes(knowledge_base: Id) -> Operation[models.Proposal]:
    """What might be declared: names merged over synonyms and units, with examples."""
    return Operation("GET", f"/knowledge-bases/{knowledge_base}/schema/proposal", json_of(models.Proposal))


def declare_attributes(
    knowledge_base: Id, attributes: Sequence[Json], *, version: int, why: str = ""
) -> Operation[models.SchemaState]:
    """Declares these attributes in place of all former ones; each has at least `name` and `type`. `version` is the one
    that they follow: raises Conflict where somebody was quicker."""
    body = {"version": version, "attributes": list(attributes), "why": why}
    return Operation("PUT", f"/knowledge-bases/{knowledge_base}/schema", json_of(models.SchemaState), body=body)


def backfill(knowledge_base: Id) -> Operation[models.Backfill | None]:
    """How far the documents that were there are read under what was declared last; None before the first."""
    return Operation("GET", f"/knowledge-bases/{knowledge_base}/schema/backfill", json_of(models.Backfill | None))


def finish_backfill(knowledge_base: Id) -> Flow[models.Backfill | None]:
    """Reads what is left, without waiting for the background."""
    path = f"/knowledge-bases/{knowledge_base}/schema/backfill/continue"
    found = yield Operation("POST", path, json_of(models.Backfill | None))
    done = -1
    while found is not None and found.status == "running":
        if found.documents_done == done:
            # What is long is left to the background.
            yield Pause(BACKGROUND_S)
        done = found.documents_done
        found = yield Operation("POST", path, json_of(models.Backfill | None))
    return found


def cancel_backfill(knowledge_base: Id) -> Operation[models.Backfill]:
    """Stops it; what is read stays."""
    return Operation("POST", f"/knowledge-bases/{knowledge_base}/schema/backfill/cancel", json_of(models.Backfill))


def resume_backfill(knowledge_base: Id) -> Operation[models.Backfill]:
    """Goes on with one that was stopped."""
    return Operation("POST", f"/knowledge-bases/{knowledge_base}/schema/backfill/resume", json_of(models.Backfill))


def webhooks(knowledge_base: Id | None = None) -> Listing[models.Webhook]:
    """Addresses that are told of what happens."""
    return Listing("/webhooks", models.Webhook, given(knowledge_base_id=knowledge_base))


def create_webhook(
    knowledge_base: Id, url: str, *, events: Sequence[str] | None = None
) -> Operation[models.MadeWebhook]:
    """Tells an address (https) of some events, or of all. `secret`, which signs them, is answered this once."""
    body = given(knowledge_base_id=knowledge_base, url=url, events=events)
    return Operation("POST", "/webhooks", json_of(models.MadeWebhook), body=body)


def webhook(webhook: Id) -> Operation[models.Webhook]:
    """One address, and whether what was sent there arrived."""
    return Operation("GET", f"/webhooks/{webhook}", json_of(models.Webhook))


def rotate_webhook(webhook: Id, overlap_hours: int = 24) -> Operation[models.MadeWebhook]:
    """Another secret, which is answered this once; the one before signs beside it for so many hours."""
    body = {"overlap_hours": overlap_hours}
    return Operation("POST", f"/webhooks/{webhook}/rotate", json_of(models.MadeWebhook), body=body)


def enable_webhook(webhook: Id) -> Operation[models.Webhook]:
    """Tells an address again that was given up."""
    return Operation("POST", f"/webhooks/{webhook}/enable", json_of(models.Webhook))


def try_webhook(webhook: Id) -> Operation[models.WebhookDelivery]:
    """Sends an event without content."""
    return Operation("POST", f"/webhooks/{webhook}/test", json_of(models.WebhookDelivery))


def deliver_again(webhook: Id, delivery: Id) -> Operation[models.WebhookDelivery]:
    """Sends an event once more."""
    return Operation("POST", f"/webhooks/{webhook}/deliveries/{delivery}/again", json_of(models.WebhookDelivery))


def delete_webhook(webhook: Id) -> Operation[models.Webhook]:
    """Tells the address nothing more."""
    return Operation("DELETE", f"/webhooks/{webhook}", json_of(models.Webhook))


def webhook_deliveries(webhook: Id) -> Listing[models.WebhookDelivery]:
    """What was sent, and what was answered, the latest first."""
    return Listing(f"/webhooks/{webhook}/deliveries", models.WebhookDelivery)
