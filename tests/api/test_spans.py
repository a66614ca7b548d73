"""What ingesting a document and asking of it leaves with a collector: the named spans, and nothing that was said."""

from uuid import UUID

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from shared import telemetry
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import PRICES, make_knowledge_base, run_all, upload

QUESTION = "How long does the warranty of a pump last?"
# Of the price list, in this order.
STAGES = ["pdf.parse", "table.norm", "embed.upsert"]


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setenv(telemetry.ENDPOINTS[0], "http://127.0.0.1:9")
    monkeypatch.setattr(telemetry, "provider", lambda: provider)
    return exporter


def test_ingesting_and_asking_leave_their_spans_with_ids_and_counts_alone(
    runtime: Runtime, identity: Identity, client: Client, exporter: InMemorySpanExporter
) -> None:
    base = make_knowledge_base(runtime, identity, "spans")
    run = run_all(runtime, upload(runtime, identity, base, PRICES.read_bytes(), "tarnwick-price-list.pdf"))
    named = {span.name: span for span in exporter.get_finished_spans()}
    assert [span.name for span in exporter.get_finished_spans()] == STAGES
    assert {value(named[name], "document_id") for name in STAGES} == {run["document_id"]}
    assert value(named["pdf.parse"], "last_page") == value(named["table.norm"], "pages")
    assert value(named["table.norm"], "tables") not in (None, 0)
    assert value(named["embed.upsert"], "embedded") == len(chunks(client, run["document_id"]))

    exporter.clear()
    answer = client.post("/v1/ask", json={"question": QUESTION, "knowledge_base_ids": [str(base)]}).json()
    spans = exporter.get_finished_spans()
    (root,) = (span for span in spans if span.name == "POST /v1/ask")
    parts = {span.name: span for span in spans if span.parent is not None}
    assert {"rag.retrieve", "rag.generate"} <= set(parts)
    assert len({span.context and span.context.trace_id for span in [root, *spans]}) == 1
    assert {value(parts[name], "trace_id") for name in ("rag.retrieve", "rag.generate")} == {answer["trace_id"]}
    assert value(parts["rag.generate"], "sentences") == len(answer["sentences"])
    told = "".join(span.to_json() for span in spans)
    assert QUESTION not in told
    assert not any(sentence["text"] in told for sentence in answer["sentences"])


def value(span: ReadableSpan, name: str) -> object:
    return (span.attributes or {}).get(f"autri.{name}")


def chunks(client: Client, document: str) -> list[UUID]:
    found: list[UUID] = []
    cursor = ""
    while cursor is not None:
        page = client.get(f"/v1/documents/{document}/chunks?limit=100{cursor and '&cursor='}{cursor}").json()
        found += [UUID(one["id"]) for one in page["items"]]
        cursor = page["next_cursor"]
    return found
