"""Calls a model by InvokeModel: JSON in, JSON out, with the service's errors mapped to ours."""

import json
from dataclasses import dataclass
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from shared.adapters.aws.clients import make_client
from shared.errors import BadInput, Unavailable

# Attempts with jitter for up to about a minute of throttling; after that the stage's own retries wait longer.
ATTEMPTS: Final = 8
# Requests with a waiting client give up earlier: after at most seven seconds in total.
QUERY_ATTEMPTS: Final = 4
CONCURRENCY: Final = 8
TOKENS_HEADER: Final = "x-amzn-bedrock-input-token-count"
REFUSED: Final = frozenset({"ValidationException"})
# Trying again cannot help: the deployment has to be changed.
NOT_ALLOWED: Final = {
    "AccessDeniedException": "open the model in the Bedrock console of this region, and let the caller use"
    " bedrock:InvokeModel on it",
}


@dataclass(frozen=True)
class Invoked:
    """A model's answer, and how many tokens Bedrock counted of what it was given."""

    answer: dict[str, Any]
    input_tokens: int


def invoke(model_id: str, body: dict[str, Any], what: str, attempts: int = ATTEMPTS) -> Invoked:
    """One call. Raises BadInput where body or caller are refused, and Unavailable after all tries."""
    try:
        client = make_client("bedrock-runtime", attempts, CONCURRENCY)
        answer = client.invoke_model(
            modelId=model_id, body=json.dumps(body), contentType="application/json", accept="application/json"
        )
        counted = answer["ResponseMetadata"]["HTTPHeaders"].get(TOKENS_HEADER, 0)
        return Invoked(json.loads(answer["body"].read()), int(counted))
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code")
        if code in REFUSED:
            raise BadInput(f"The {what} refuses a text: {error}") from error
        if code in NOT_ALLOWED:
            raise BadInput(f"The {what} {model_id} may not be called: {NOT_ALLOWED[code]}.") from error
        raise Unavailable(f"The {what} does not answer: {error}") from error
    except (BotoCoreError, ValueError) as error:
        raise Unavailable(f"The {what} does not answer: {error}") from error
