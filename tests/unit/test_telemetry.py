import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from uuid import uuid4

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from shared import telemetry

ENDPOINT = telemetry.ENDPOINTS[0]
OFF = """
import sys
from shared import telemetry
with telemetry.request("request"), telemetry.work("rag.retrieve", k=1) as span:
    span.note(hits=2)
telemetry.flush()
print(sorted(name for name in sys.modules if name.startswith("opentelemetry")))
"""


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:9")
    monkeypatch.setattr(telemetry, "provider", lambda: provider)
    return exporter


@pytest.fixture
def collector() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """The address of a collector, and what it was sent: path and body."""
    received: list[tuple[str, bytes]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base class's own name
            pass

    with HTTPServer(("127.0.0.1", 0), Receiver) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", received
        server.shutdown()
        thread.join()


def test_parts_are_below_their_request_and_carry_ids_and_numbers(exported: InMemorySpanExporter) -> None:
    document = uuid4()
    with telemetry.request("unmatched") as root, telemetry.work("pdf.parse", document_id=document, pages=20) as span:
        span.note(ms=1.5)
        assert root is not None
        root.name = "POST /v1/ask"
        root.annotations["status"] = 200
    part, whole = exported.get_finished_spans()
    assert (part.name, whole.name) == ("pdf.parse", "POST /v1/ask")
    assert part.parent is not None
    assert whole.context is not None
    assert part.parent.span_id == whole.context.span_id
    assert dict(part.attributes or {}) == {"autri.document_id": str(document), "autri.pages": 20, "autri.ms": 1.5}
    assert dict(whole.attributes or {}) == {"autri.status": 200}


def test_text_is_refused() -> None:
    quoted: dict[str, Any] = {"quote": "what a document says"}
    with pytest.raises(TypeError, match="`quote` is str"):
        telemetry.Noted().note(**quoted)


def test_an_error_is_named_by_its_class_and_its_message_is_not_told(exported: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match="zinnober"), telemetry.work("embed.upsert"):
        raise ValueError("zinnober")
    (span,) = exported.get_finished_spans()
    assert (span.attributes or {})["error.type"] == "ValueError"
    assert not span.status.is_ok
    assert "zinnober" not in span.to_json()


def test_without_an_endpoint_nothing_of_opentelemetry_is_loaded() -> None:
    told = subprocess.run([sys.executable, "-c", OFF], env={}, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_a_collector_receives_spans_over_http(collector: tuple[str, list[tuple[str, bytes]]]) -> None:
    url, received = collector
    subprocess.run([sys.executable, "-c", OFF], env={ENDPOINT: url}, check=True)
    spans: dict[str, dict[str, object]] = {}
    for path, body in received:
        assert path == "/v1/traces"
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            assert {a.key: a.value.string_value for a in resource.resource.attributes}["service.name"] == "autri"
            for span in (span for scope in resource.scope_spans for span in scope.spans):
                spans[span.name] = {a.key: a.value.int_value for a in span.attributes}
    assert spans == {"request": {}, "rag.retrieve": {"autri.k": 1, "autri.hits": 2}}


def test_missing_packages_are_told_once_and_break_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    telemetry.provider.cache_clear()
    with caplog.at_level("WARNING", "autri.telemetry"):
        for _ in range(2):
            with telemetry.work("rag.plan") as span:
                span.note(calls=1)
        telemetry.flush()
    telemetry.provider.cache_clear()
    assert [one.message for one in caplog.records if "make telemetry" in one.message] == [caplog.records[0].message]
