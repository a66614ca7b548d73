"""The Textract adapter against a server that speaks the service's wire format."""

from collections.abc import Generator

import pytest

from shared.adapters.aws import clients
from shared.adapters.aws.textract import TextractOcr
from shared.errors import Unavailable
from tests.aws.textract import FakeTextract, running_textract


@pytest.fixture
def textract(monkeypatch: pytest.MonkeyPatch) -> Generator[FakeTextract]:
    with running_textract() as server:
        for name, value in {
            "AWS_ENDPOINT_URL_TEXTRACT": server.url,
            "AWS_DEFAULT_REGION": "eu-central-1",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
        }.items():
            monkeypatch.setenv(name, value)
        clients.make_client.cache_clear()
        yield server
        clients.make_client.cache_clear()


def test_words_come_back_line_by_line_with_their_boxes_and_confidence(textract: FakeTextract) -> None:
    textract.lines = [["Sail", "numbers"], ["100"]]
    words = TextractOcr().read(b"\xff\xd8 a picture")
    assert [(word.text, word.line) for word in words] == [("Sail", 0), ("numbers", 0), ("100", 1)]
    assert words[1][1:6] == pytest.approx((0.3, 0.0, 0.45, 0.05, 0.905))
    assert textract.images == [b"\xff\xd8 a picture"]


def test_a_picture_without_words_has_none(textract: FakeTextract) -> None:
    assert TextractOcr().read(b"blank") == []


def test_throttling_is_waited_out(textract: FakeTextract) -> None:
    textract.lines, textract.throttle_first = [["Sail"]], 1
    assert [word.text for word in TextractOcr().read(b"picture")] == ["Sail"]


def test_a_picture_that_the_service_cannot_read_has_no_words(textract: FakeTextract) -> None:
    textract.error = "BadDocumentException"
    assert TextractOcr().read(b"broken") == []


def test_a_refused_call_is_unavailable(textract: FakeTextract) -> None:
    textract.error = "AccessDeniedException"
    with pytest.raises(Unavailable, match="OCR service"):
        TextractOcr().read(b"picture")
