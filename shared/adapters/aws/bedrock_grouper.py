"""The model of the Bedrock engine: one Converse call per page, with retries where the service throttles."""

import random
import time
from collections.abc import Callable
from typing import Any, Final

from botocore.exceptions import (
    ClientError,
    HTTPClientError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
)
from botocore.exceptions import ConnectionError as EndpointError
from botocore.parsers import ResponseParserError

from shared.adapters.aws.bedrock_messages import Request, build_request, read_answer, read_usage
from shared.adapters.aws.clients import CONNECT_TIMEOUT_S, make_client
from shared.adapters.aws.models import Model, find_model
from shared.domain.model_calls import Correction, Grouping, GroupingContext
from shared.domain.page import PageFile
from shared.errors import BadInput, Unavailable
from shared.prompts.page_prompt import prompt_version

# MAX_OUTPUT_TOKENS at a hundred tokens a second, which Haiku exceeds; a stage's own limit is far above.
CALL_TIMEOUT_S: Final = 90
# Full jitter: a wait between 0 and `min(WAIT_CAP_S, WAIT_BASE_S * 2^n)` seconds.
WAIT_BASE_S: Final = 1.0
WAIT_CAP_S: Final = 20.0
BUSY: Final = frozenset(
    {
        "ThrottlingException",
        "TooManyRequestsException",
        "ServiceUnavailableException",
        "ModelTimeoutException",
        "ModelNotReadyException",
        "ModelErrorException",
        "InternalServerException",
    }
)
WHAT_TO_DO: Final = {
    "AccessDeniedException": "Open the model in the Bedrock console of this region (Model access), and let the caller"
    " use bedrock:InvokeModel on it.",
    "ResourceNotFoundException": "Check the model's id and region: Bedrock does not know it (any more) there.",
    "ValidationException": "Bedrock refuses the request as it is; choose another model id, or layout as the engine.",
    "UnrecognizedClientException": "The AWS credentials are not valid; sign in again.",
    "ExpiredTokenException": "The AWS credentials have expired; sign in again.",
}


class BedrockGrouper:
    """Groups pages with one model. `sleep` can be replaced, so that tests need not wait."""

    def __init__(self, model_id: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self._model: Model = find_model(model_id)
        self._sleep = sleep

    @property
    def version(self) -> str:
        return f"{self._model.id}/{prompt_version()}"

    def group(
        self,
        page: PageFile,
        image: bytes | None,
        context: GroupingContext,
        deadline: float,
        correction: Correction | None,
    ) -> Grouping:
        """See `Grouper.group`."""
        answer = self._converse(build_request(self._model, page, image, context, correction), deadline)
        usage = read_usage(answer)
        raw, problem, turn = read_answer(answer)
        return Grouping(raw=raw, usage=usage, usd=self._model.price.usd(usage), problem=problem, turn=turn)

    def _converse(self, request: Request, deadline: float) -> dict[str, Any]:
        """The answer; retried while the service is busy and another call fits in before the deadline."""
        attempt = 0
        while True:
            if time.monotonic() + CALL_TIMEOUT_S + CONNECT_TIMEOUT_S > deadline:
                raise Unavailable(f"The model {self._model.id} does not answer in time; the page is tried again later.")
            try:
                return _client().converse(**request)
            except ClientError as error:
                self._check(error)
                reason: Exception = error
            except (NoCredentialsError, PartialCredentialsError, NoRegionError) as error:
                raise BadInput(f"Bedrock cannot be called: {error}. Set AWS credentials and a region.") from error
            except (EndpointError, HTTPClientError, ResponseParserError) as error:
                reason = error
            wait = random.uniform(0, min(WAIT_CAP_S, WAIT_BASE_S * 2**attempt))  # noqa: S311 jitter
            if time.monotonic() + wait + CALL_TIMEOUT_S + CONNECT_TIMEOUT_S > deadline:
                raise Unavailable(f"The model {self._model.id} is busy: {reason}") from reason
            self._sleep(wait)
            attempt += 1

    def _check(self, error: ClientError) -> None:
        """Raises BadInput unless the service is only busy."""
        code = error.response.get("Error", {}).get("Code", "")
        if code in BUSY:
            return
        advice = WHAT_TO_DO.get(code, "Choose another model id, or layout as the engine.")
        raise BadInput(f"The model {self._model.id} refuses: {error}. {advice}") from error


def _client() -> Any:
    """Retries are ours, because only they know the deadline."""
    return make_client("bedrock-runtime", attempts=1, read_timeout_s=CALL_TIMEOUT_S)
