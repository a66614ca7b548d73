"""The Textract adapter against a server that speaks the service's wire format."""

import io
import os
from collections.abc import Generator

import pytest
from PIL import Image

from shared.adapters.aws.textract import MAX_BYTES, MAX_SIDE, TextractOcr
from shared.errors import Unavailable
from tests.adapters.pictures import jpeg_of
from tests.aws.account import fake_account
from tests.aws.textract import FakeTextract, running_textract

PICTURE = jpeg_of(40, 20)


@pytest.fixture
def textract(monkeypatch: pytest.MonkeyPatch) -> Generator[FakeTextract]:
    with running_textract() as server, fake_account(monkeypatch, textract=server.url):
        yield server


def test_words_come_back_line_by_line_with_their_boxes_and_confidence(textract: FakeTextract) -> None:
    textract.lines = [["Sail", "numbers"], ["100"]]
    words = TextractOcr().read(PICTURE)
    assert [(word.text, word.line) for word in words] == [("Sail", 0), ("numbers", 0), ("100", 1)]
    assert words[1][1:6] == pytest.approx((0.3, 0.0, 0.45, 0.05, 0.905))
    assert textract.images == [PICTURE]


def test_a_picture_without_words_has_none(textract: FakeTextract) -> None:
    assert TextractOcr().read(PICTURE) == []


def test_throttling_is_waited_out(textract: FakeTextract) -> None:
    textract.lines, textract.throttle_first = [["Sail"]], 1
    assert [word.text for word in TextractOcr().read(PICTURE)] == ["Sail"]


def test_a_picture_that_the_service_cannot_read_has_no_words(textract: FakeTextract) -> None:
    textract.error = "BadDocumentException"
    assert TextractOcr().read(PICTURE) == []


def test_a_refused_call_is_unavailable(textract: FakeTextract) -> None:
    textract.error = "AccessDeniedException"
    with pytest.raises(Unavailable, match="OCR service"):
        TextractOcr().read(PICTURE)


@pytest.mark.parametrize("size", [(3000, 2500), (12_000, 300)])
def test_a_picture_beyond_the_services_limits_is_made_to_fit_and_not_lost(
    textract: FakeTextract, size: tuple[int, int]
) -> None:
    noise = io.BytesIO()
    Image.frombytes("L", size, os.urandom(size[0] * size[1])).save(noise, "PNG", compress_level=1)
    assert len(noise.getvalue()) > MAX_BYTES or max(size) > MAX_SIDE
    textract.lines = [["Sail"]]
    assert [word.text for word in TextractOcr().read(noise.getvalue())] == ["Sail"]
    with Image.open(io.BytesIO(textract.images[0])) as sent:
        assert max(sent.size) <= MAX_SIDE
        assert abs(sent.width / sent.height - size[0] / size[1]) < 0.05 * size[0] / size[1]
    assert len(textract.images[0]) <= MAX_BYTES
