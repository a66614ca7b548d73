"""Reads a sentence-transformers folder with an ONNX model: which files it has, and how they want to be used.

Everything comes from the folder's own files, as sentence-transformers writes and reads them; what cannot be done as
they say is refused, since vectors made otherwise rank badly without a sign of it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from shared.errors import BadInput

# Raise it with any change to tokenising, pooling or scaling in `onnx_embedder`: stored vectors are then made anew.
RECIPE: Final = 1
# Of a model whose files name no length: what an encoder of BERT's kind takes.
DEFAULT_TOKENS: Final = 512
# A tokenizer without a limit of its own names 10³⁰ or so.
NO_LIMIT: Final = 1_000_000
# pgvector's limit for an HNSW index over halfvec, which large knowledge bases need.
DIMENSIONS_MAX: Final = 4_000
POOLINGS: Final = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
}
MODELS: Final = ("onnx/model.onnx", "model.onnx")
MODULES: Final = ("Transformer", "Pooling", "Normalize")
# By which name a prompt for passages may be stored: sentence-transformers' `encode_document` tries them in this order.
PASSAGE_PROMPTS: Final = ("document", "passage", "corpus")
PRINTED_DIGITS: Final = 12


@dataclass(frozen=True)
class Recipe:
    """How texts become vectors: prompts are set before texts, which are cut at `max_tokens`."""

    pooling: str
    dimensions: int
    max_tokens: int
    lower_case: bool
    query_prompt: str
    passage_prompt: str


@dataclass(frozen=True)
class OnnxFolder:
    """A folder's model file, tokenizer and recipe."""

    name: str
    model: Path
    tokenizer: Path
    recipe: Recipe

    @property
    def version(self) -> str:
        """Equal strings mean equal vectors: of every byte of model and tokenizer, and the recipe."""
        weights = sorted(self.model.parent.glob(f"{self.model.name}*"))
        stated = [(file, file.stat()) for file in (*weights, self.tokenizer)]
        digest = _digest(
            tuple((str(file), at.st_size, at.st_mtime_ns) for file, at in stated),
            json.dumps([RECIPE, asdict(self.recipe)], sort_keys=True),
        )
        return f"onnx:{self.name}/{digest[:PRINTED_DIGITS]}/{self.recipe.dimensions}"


def read_folder(path: Path) -> OnnxFolder:
    """The folder at `path`, or that of the ONNX file at `path`, where it has several. Raises BadInput."""
    path = path.expanduser().absolute()
    chosen = path if path.suffix == ".onnx" else None
    folder = path if chosen is None else _folder_of(path)
    if not folder.is_dir():
        raise BadInput(f"There is no folder {folder}. Set AUTRI_EMBEDDER to onnx: and a sentence-transformers folder.")
    modules = _modules(folder)
    model = _model(folder) if chosen is None else _existing(chosen.parent, chosen.name)
    return OnnxFolder(folder.name, model, _existing(folder, "tokenizer.json"), _recipe(folder, modules))


def _folder_of(model: Path) -> Path:
    """A model lies in the folder itself or in `onnx/`."""
    return model.parent if (model.parent / "modules.json").exists() else model.parent.parent


def _modules(folder: Path) -> dict[str, str]:
    """Paths by kind of module. Raises BadInput for kinds that are not known here."""
    found: dict[str, str] = {}
    listed: Any = _read_json(folder, "modules.json")
    for module in listed if isinstance(listed, list) else []:
        kind = str(module.get("type", "")).rpartition(".")[2]
        if kind not in MODULES:
            raise BadInput(
                f"{folder} has a module {kind or module!r}; known are {', '.join(MODULES)}. Use another model."
            )
        found[kind] = str(module.get("path", ""))
    lacking = [kind for kind in ("Transformer", "Pooling") if kind not in found]
    if lacking:
        raise BadInput(
            f"{folder / 'modules.json'} names no {' and no '.join(lacking)}: it is no folder for embedding texts."
        )
    return found


def _recipe(folder: Path, modules: Mapping[str, str]) -> Recipe:
    pooling = _read_json(folder, f"{modules['Pooling']}/config.json")
    stated = _read_json(folder, "config_sentence_transformers.json", needed=False)
    sentence = _read_json(folder, f"{modules['Transformer'] or '.'}/sentence_bert_config.json", needed=False)
    prompts: dict[str, str] = stated.get("prompts") or {}
    default = prompts.get(stated.get("default_prompt_name") or "", "")
    passage = next((prompts[name] for name in PASSAGE_PROMPTS if prompts.get(name)), default)
    query = prompts.get("query") or default
    if (query or passage) and pooling.get("include_prompt") is False:
        raise BadInput(f"{folder} leaves its prompts out of the pooling, which is not known here. Use another model.")
    if stated.get("similarity_fn_name") not in (None, "cosine") and "Normalize" not in modules:
        raise BadInput(
            f"{folder} is made for the similarity {stated['similarity_fn_name']!r}, for which the lengths of vectors"
            " count; here they are compared by cosine. Use another model."
        )
    return Recipe(
        pooling=_pooling(folder / modules["Pooling"], pooling),
        dimensions=_dimensions(folder, pooling),
        max_tokens=_max_tokens(folder, sentence),
        lower_case=bool(sentence.get("do_lower_case")),
        query_prompt=query,
        passage_prompt=passage,
    )


def _pooling(folder: Path, config: Mapping[str, Any]) -> str:
    """The one kind of pooling: as a flag each, or since version 5 of sentence-transformers as a name."""
    named = config.get("pooling_mode")
    flags = [name for name, value in config.items() if name.startswith("pooling_mode_") and value is True]
    wanted = [named] if isinstance(named, str) else [POOLINGS.get(name, name) for name in flags]
    if len(wanted) != 1 or wanted[0] not in POOLINGS.values():
        raise BadInput(
            f"{folder / 'config.json'} asks for the pooling {' and '.join(wanted) or 'of nothing'}; known are"
            f" {', '.join(POOLINGS.values())}, one of them. Use another model."
        )
    return wanted[0]


def _dimensions(folder: Path, pooling: Mapping[str, Any]) -> int:
    found = pooling.get("word_embedding_dimension") or pooling.get("embedding_dimension")
    if not isinstance(found, int):
        raise BadInput(f"The pooling's config.json in {folder} lacks word_embedding_dimension.")
    if found > DIMENSIONS_MAX:
        raise BadInput(
            f"{folder} makes {found} dimensions; at most {DIMENSIONS_MAX} can be indexed. Use another model."
        )
    return found


def _max_tokens(folder: Path, sentence: Mapping[str, Any]) -> int:
    """`max_seq_length`, or as sentence-transformers does without it what both tokenizer and model take."""
    if isinstance(stated := sentence.get("max_seq_length"), int):
        return stated
    tokenizer = _read_json(folder, "tokenizer_config.json", needed=False).get("model_max_length")
    places = _read_json(folder, "config.json", needed=False).get("max_position_embeddings")
    known = [int(limit) for limit in (tokenizer, places) if limit and limit < NO_LIMIT]
    return min(known, default=DEFAULT_TOKENS)


def _model(folder: Path) -> Path:
    found = [folder / name for name in MODELS if (folder / name).is_file()]
    others = sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])
    if not found and len(others) > 1:
        names = ", ".join(file.relative_to(folder).as_posix() for file in others)
        raise BadInput(f"{folder} has several models ({names}). Name one: AUTRI_EMBEDDER=onnx:{others[0]}")
    if not found and not others:
        raise BadInput(
            f"{folder} is no ONNX folder: {MODELS[0]} is missing. Export it:"
            f" optimum-cli export onnx --task feature-extraction --model {folder} {folder}/onnx"
        )
    return (found or others)[0]


def _existing(folder: Path, name: str) -> Path:
    file = folder / name
    if not file.is_file():
        raise BadInput(f"{folder} is no sentence-transformers ONNX folder: {name} is missing.")
    return file


def _read_json(folder: Path, name: str, needed: bool = True) -> Any:
    if not needed and not (folder / name).is_file():
        return {}
    file = _existing(folder, name.removeprefix("./"))
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadInput(f"{file} is not JSON ({error}). Copy the folder again.") from error


@lru_cache(maxsize=16)
def _digest(files: tuple[tuple[str, int, int], ...], recipe: str) -> str:
    """Over the bytes of the files; sizes and times are there so that changed ones are read again."""
    made = hashlib.sha256(recipe.encode())
    for name, _, _ in files:
        with Path(name).open("rb") as file:
            made.update(hashlib.file_digest(file, "sha256").digest())
    return made.hexdigest()
