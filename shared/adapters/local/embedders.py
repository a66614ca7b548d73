"""Which embedders one machine can call without AWS, by how the environment names them and by their versions.

`AUTRI_EMBEDDER` names that of new knowledge bases, `AUTRI_FORMER_EMBEDDERS` others whose vectors are still searched.
A folder is read only where the environment names it: a version comes from callers, who must not choose paths.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from shared.adapters.local.embedder_version import model_version
from shared.errors import BadInput
from shared.ports import Embedder
from shared.settings import LocalSettings

BUNDLED: Final = ("", "bundled")
ONNX: Final = "onnx:"
SERVICES: Final = ("openai:", "voyage:")
BEDROCK: Final = "bedrock:"
BEDROCK_DIMENSIONS: Final = 1024


def named_version(name: str) -> str:
    """The version of the embedder that the environment calls `name`. Raises BadInput with what to write instead."""
    if name in BUNDLED:
        return model_version()
    if name.startswith(ONNX):
        from shared.adapters.local.onnx_folder import read_folder

        return read_folder(Path(name.removeprefix(ONNX))).version
    if name.startswith(SERVICES):
        from shared.adapters.embedding_services import service_version

        return service_version(name)
    bedrock = name.removeprefix(BEDROCK)
    if bedrock.startswith(("amazon.", "cohere.")):
        return bedrock if "/" in bedrock else f"{bedrock}/{BEDROCK_DIMENSIONS}"
    raise BadInput(
        f"AUTRI_EMBEDDER={name} is no embedder. Write onnx:/FOLDER, openai:MODEL, voyage:MODEL, bedrock:MODEL, or unset"
        " it for the bundled one."
    )


def load_named(version: str, settings: LocalSettings, models: Path, names: Sequence[str]) -> Embedder | None:
    """The embedder of `version`, one of an ONNX folder only where `names` has it; None for those of other places.

    Raises BadInput for a folder that is not named or has changed, and for a service without its key.
    """
    threads = settings.threads
    if version == model_version():
        from shared.adapters.local.embedder import load_embedder

        return load_embedder(models, threads)
    if version.startswith(ONNX):
        return _load_folder(
            version, threads, [Path(name.removeprefix(ONNX)) for name in names if name.startswith(ONNX)]
        )
    if version.startswith(SERVICES):
        from shared.adapters.embedding_services import ServiceEmbedder, service_endpoint

        endpoint = service_endpoint(version, settings)
        return ServiceEmbedder(version, endpoint, settings.embedder_usd_per_million, settings.embedder_shortens)
    return None


def _load_folder(version: str, threads: int | None, paths: Sequence[Path]) -> Embedder:
    from shared.adapters.local.onnx_embedder import load_onnx
    from shared.adapters.local.onnx_folder import read_folder

    found = [read_folder(path) for path in paths]
    if folder := next((one for one in found if one.version == version), None):
        return load_onnx(folder, threads)
    there = f" ({', '.join(one.version for one in found)} are)" if found else ""
    raise BadInput(
        f"The embedder {version} is not here{there}. Name the folder that made these vectors:"
        " AUTRI_FORMER_EMBEDDERS=onnx:/FOLDER (several with commas); or move the knowledge base:"
        " autri embedder change --kb NAME."
    )
