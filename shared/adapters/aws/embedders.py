"""Bedrock embedders by version: `amazon.titan-embed-text-v2:0/1024`.

A version names the model and never the inference profile that it is called through: a profile decides where a text is
processed, and the vectors are the same.
"""

import re
from typing import Final

from shared.adapters.aws.bedrock_embedder import make_embedder
from shared.errors import BadInput
from shared.ports import Embedder

_VERSION: Final = re.compile(r"(?P<model>(?:amazon|cohere)\.[a-z0-9-]+:\d+)/(?P<dimensions>\d+)")
_PROFILE: Final = re.compile(r"(?:[a-z]{2,6}\.)?(?P<model>(?:amazon|cohere)\..+)")


def embedder_version(model_id: str, dimensions: int) -> str:
    """The version of vectors made through a model's id or a profile of it."""
    matched = _PROFILE.fullmatch(model_id)
    return f"{matched['model'] if matched else model_id}/{dimensions}"


def load_embedder(version: str, profile: str | None = None) -> Embedder:
    """The embedder of `version`, called through `profile` where that is one of its model. Raises BadInput."""
    matched = _VERSION.fullmatch(version)
    if matched is None:
        raise BadInput(f"There is no embedder {version!r} here. On Bedrock there are Titan's and Cohere's.")
    model, dimensions = matched["model"], int(matched["dimensions"])
    called = profile if profile and embedder_version(profile, dimensions) == version else model
    return make_embedder(called, model, dimensions, version)
