"""Dead letters of the admission: what is in them, and giving them to its queue again.

SQS moves messages back by itself (StartMessageMoveTask) only to the queue that they came from, and the event bus puts
letters there too. So they are received, sent and deleted, with the operator's own credentials: the functions are in a
network without a way to SQS. A crash between sending and deleting gives a message twice, which does no harm
(docs/decisions/0032-admission.md).
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from shared.adapters.aws.clients import make_client
from shared.errors import NotFound

# What the admission understands; a schedule's letter needs nobody, since the next one does what it would have.
GIVEN_AGAIN: Final = frozenset({"Object Created", "Step Functions Execution Status Change"})
# So long nobody else sees what was received.
HELD_S: Final = 60
AT_ONCE: Final = 10
# An answer without waiting leaves servers of the queue out, and letters with them (SQS, short and long polling).
WAITED_S: Final = 2


@dataclass(frozen=True)
class Letter:
    """`kind` is the event's, None for what is none; `about` its object or execution; `why` what the event bus says."""

    kind: str | None
    about: str
    why: str
    receipt: str
    body: str

    @property
    def may_move(self) -> bool:
        return self.kind in GIVEN_AGAIN


@dataclass(frozen=True)
class Queues:
    """Addresses of the dead letters and of the queue that they are for."""

    letters: str
    arrivals: str


def find_queues(stack: str) -> Queues:
    """By the stack's outputs. Raises NotFound where it has none of these names."""
    found = make_client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0].get("Outputs", [])
    arns = {
        name: one["OutputValue"] for one in found for name in ("DeadLetters", "Arrivals") if name in one["OutputKey"]
    }
    if len(arns) < 2:
        raise NotFound(f"The stack {stack} has no outputs DeadLetters and Arrivals. Is it of this version?")
    sqs = make_client("sqs")
    urls = {name: sqs.get_queue_url(QueueName=arn.rpartition(":")[2])["QueueUrl"] for name, arn in arns.items()}
    return Queues(urls["DeadLetters"], urls["Arrivals"])


def take(queues: Queues) -> Iterator[Letter]:
    """All that are there, each once; nobody else sees them for a minute."""
    sqs, seen = make_client("sqs"), set[str]()
    while True:
        messages = sqs.receive_message(
            QueueUrl=queues.letters,
            MaxNumberOfMessages=AT_ONCE,
            VisibilityTimeout=HELD_S,
            WaitTimeSeconds=WAITED_S,
            MessageAttributeNames=["All"],
        ).get("Messages", [])
        new = [one for one in messages if one["MessageId"] not in seen]
        if not new:
            return
        seen.update(one["MessageId"] for one in new)
        yield from map(_read, new)


def move(queues: Queues, letter: Letter) -> None:
    sqs = make_client("sqs")
    sqs.send_message(QueueUrl=queues.arrivals, MessageBody=letter.body)
    sqs.delete_message(QueueUrl=queues.letters, ReceiptHandle=letter.receipt)


def leave(queues: Queues, letter: Letter) -> None:
    """Makes it visible at once to who looks next."""
    make_client("sqs").change_message_visibility(
        QueueUrl=queues.letters, ReceiptHandle=letter.receipt, VisibilityTimeout=0
    )


def _read(message: dict[str, Any]) -> Letter:
    said = message.get("MessageAttributes", {}).get("ERROR_CODE", {}).get("StringValue", "")
    try:
        event = json.loads(message["Body"])
        kind, detail = event.get("detail-type"), event.get("detail") or {}
    except (ValueError, AttributeError):
        kind, detail = None, {}
    about = (detail.get("object") or {}).get("key") or detail.get("executionArn") or detail.get("name") or ""
    return Letter(kind, str(about), str(said), message["ReceiptHandle"], message["Body"])
