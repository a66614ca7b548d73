"""Upon which rows each stored statement acts: webhooks and what they are told."""

from datetime import UTC, datetime, timedelta

from tests.store.acting_cases import BASE, DAY, IN_BASE, OTHER, OTHER_BASE, At, Case, Own, behind, link

OWN = {"%id": ([Own("webhooks")], [OTHER])}
OF_WEBHOOK = {"%webhook_id": ([Own("webhooks")], [OTHER]), "webhook_deliveries.webhook_id": [Own("webhooks")]}
OPEN = {"webhook_deliveries.due_at": ([At(-60), At(60)], [None])}
DUE = {"webhook_deliveries.due_at": ([At(-60)], [At(60), None])}
ALL = {"%id": [None], "%before": [None]}

CASES = [
    Case(
        "webhooks.list_webhooks",
        {"%knowledge_base_id": ([None, BASE], [OTHER_BASE]), "%id": ([None, Own("webhooks")], [OTHER])}
        | behind("webhooks"),
    ),
    Case(
        "webhooks.list_webhooks",
        {"%id": [Own("webhooks")]} | OPEN | link("webhook_deliveries.webhook_id", "webhooks"),
        lambda row: row["waiting"],
    ),
    Case(
        "webhooks.list_webhooks",
        {"%id": [Own("webhooks")], "webhooks.former_until": ([At(60)], [At(-1), None])},
        lambda row: row["former_secret_until"],
    ),
    Case("webhooks.rotate_secret", OWN),
    Case(
        "webhooks.list_deliveries",
        OF_WEBHOOK
        | {"%id": ([None, Own("webhook_deliveries")], [OTHER]), "%before": ([None], [Own("webhook_deliveries")])},
    ),
    Case("webhooks.list_deliveries", OF_WEBHOOK | ALL | OPEN, lambda row: row["state"] == "waiting"),
    Case(
        "webhooks.list_deliveries",
        OF_WEBHOOK
        | ALL
        | {
            "webhook_deliveries.due_at": ([None], [At(60)]),
            "webhook_deliveries.delivered_at": ([At(-1)], [None]),
        },
        lambda row: row["state"] == "delivered",
    ),
    Case("webhooks.is_due_here", IN_BASE | DUE),
    Case(
        "webhooks.lease_delivery",
        OF_WEBHOOK
        | DUE
        | {
            "webhook_deliveries.lease_until": ([None, At(-60)], [At(60)]),
            "webhooks.disabled_at": ([None], [At(-60)]),
        },
    ),
    Case(
        "webhooks.lease_delivery",
        {"webhook_deliveries.due_at": [At(-60)], "webhook_deliveries.webhook_id": [Own("webhooks")]}
        | {"webhooks.former_secret": ["sealed"], "webhooks.former_until": ([At(60)], [At(-60), None])},
        lambda row: row["former_secret"],
    ),
    Case("webhooks.disable_webhook", OWN | {"webhooks.disabled_at": ([None], [At(-60)])}),
    Case("webhooks.give_up", OWN | OPEN | {"webhook_deliveries.webhook_id": [Own("webhooks")]}),
    Case(
        "webhooks.hold_back",
        OF_WEBHOOK
        | {"%until": [datetime.now(UTC) + timedelta(hours=12)]}
        | {"webhook_deliveries.due_at": ([At(-60), At(60)], [At(DAY), None])},
    ),
    Case(
        "webhooks.forget_deliveries",
        {
            "webhook_deliveries.due_at": ([None], [At(60)]),
            "webhook_deliveries.created_at": ([At(-2 * DAY)], [At(-60)]),
        },
    ),
]
