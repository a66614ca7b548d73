import io
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import with_figure
from tests.pipeline import make_knowledge_base, run_all, upload


@pytest.fixture(scope="module")
def drawn(client: Client, runtime: Runtime, identity: Identity) -> dict[str, Any]:
    knowledge_base = make_knowledge_base(runtime, identity, "figures")
    event = run_all(runtime, upload(runtime, identity, knowledge_base, with_figure(), "course.pdf"))
    chunks = client.get(f"/v1/documents/{event['document_id']}/chunks").json()["items"]
    return next(chunk for chunk in chunks if chunk["chunk_type"] == "figure")


def test_a_figure_is_served_as_its_own_image(client: Client, drawn: dict[str, Any]) -> None:
    answer = client.get(f"/v1/documents/{drawn['document_id']}/figures/{drawn['id']}/image")
    assert answer.headers["content-type"] == "image/jpeg"
    image = Image.open(io.BytesIO(answer.content)).convert("RGB")
    box = drawn["boxes"][0]
    assert image.width / image.height == pytest.approx(box["w"] * 595 / (box["h"] * 842), rel=0.02)
    red, green, _ = image.split()
    assert sum(red.histogram()[180:]) - sum(green.histogram()[180:]) > 500


def test_a_caption_makes_its_figure_addressable(client: Client, drawn: dict[str, Any]) -> None:
    assert (drawn["section_id"], drawn["section"]["title"]) == ("Figure 2", "The course and its marks")


def test_a_captioned_figure_still_belongs_to_its_section(client: Client, drawn: dict[str, Any]) -> None:
    above = drawn["section"]["path"][-2]["address"]
    found = client.post(
        "/v1/lookup", json={"address": above, "knowledge_base_ids": [drawn["knowledge_base_id"]]}
    ).json()
    assert drawn["id"] in [hit["chunk"]["id"] for hit in found["hits"]]


def test_a_chunk_that_is_no_figure_has_no_image(client: Client, drawn: dict[str, Any]) -> None:
    chunks = client.get(f"/v1/documents/{drawn['document_id']}/chunks").json()["items"]
    text = next(chunk for chunk in chunks if chunk["chunk_type"] == "text")
    answer = client.get(f"/v1/documents/{drawn['document_id']}/figures/{text['id']}/image")
    assert answer.status_code == 404
    assert "no figure" in answer.json()["detail"]


def test_nobody_else_sees_a_figure(
    client_of: Callable[[Identity], Client], other_identity: Identity, drawn: dict[str, Any]
) -> None:
    answer = client_of(other_identity).get(f"/v1/documents/{drawn['document_id']}/figures/{drawn['id']}/image")
    assert answer.status_code == 404
    assert "image" not in answer.headers["content-type"]
