"""What ingesting a document and asking of it leaves with a collector: the named spans, and nothing that was said."""

from uuid import UUID

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from shared import telemetry
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import PRICES, make_knowledge_base, run_all, upload
from tests.store.seeding import Passage, add_base, add_document, section

QUESTION = "How long does the warranty of a pump last?"
# Of the price list, in this order.
STAGES = ["pdf.parse", "table.norm", "embed.upsert"]
RESULT = "The lighter wing improved the lap time by 2.5 % over the baseline (p < 0.01, paired t-test)."
RUNS = "Wing,Time (s)\nlight,81\nheavy,83\nlight,82\n"


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


def test_a_summary_is_a_span_with_how_much_it_says(
    runtime: Runtime, identity: Identity, client: Client, exporter: InMemorySpanExporter
) -> None:
    scope = add_base(runtime, identity, f"wings {new_id().hex}")
    paper = add_document(runtime, scope, "Wings", [Passage(RESULT, section=0)], [section(0, "1", "Results")])
    made = client.post(f"/v1/documents/{paper}/summary", json={}).json()
    (span,) = of(exporter, "sum.make")
    stated = [statement["text"] for field in made["fields"] for statement in field["statements"]]
    assert stated == [RESULT] * len(stated)
    assert (value(span, "document_id"), value(span, "version")) == (str(paper), made["version"])
    assert value(span, "statements") == len(stated) > 0
    assert value(span, "written") is False
    assert RESULT not in span.to_json()


def test_drawing_a_plot_and_its_picture_are_spans_with_marks_and_bytes(
    runtime: Runtime, identity: Identity, client: Client, exporter: InMemorySpanExporter
) -> None:
    base = make_knowledge_base(runtime, identity, f"spans of plots {new_id().hex}")
    run_all(runtime, upload(runtime, identity, base, RUNS.encode(), "runs.csv"))
    (table,) = client.get(f"/v1/knowledge-bases/{base}/tables").json()["items"]
    body = {"knowledge_base_id": str(base), "table_ids": [table["table_id"]], "name": "Laps"}
    dataset = client.post("/v1/datasets", json=body).json()["id"]
    form = {"mark": "bar", "x": {"field": "Wing"}, "y": {"field": "Time (s)", "aggregate": "mean"}}
    plot = client.post("/v1/plots", json={"dataset_id": dataset, "spec": {"form": form}}).json()
    exporter.clear()
    picture = client.get(f"/v1/plots/{plot['id']}.png")
    assert picture.status_code == 200, picture.text
    drawn, shown = of(exporter, "plot.render")
    assert {value(span, "dataset_id") for span in (drawn, shown)} == {dataset}
    assert (value(drawn, "marks"), value(shown, "bytes")) == (2, len(picture.content))


def test_an_update_of_a_digest_is_a_span_with_what_it_read_and_wrote(
    runtime: Runtime, identity: Identity, client: Client, exporter: InMemorySpanExporter
) -> None:
    scope = add_base(runtime, identity, f"digest {new_id().hex}")
    (base,) = scope.knowledge_base_ids
    add_document(runtime, scope, "Wings", [Passage(RESULT, section=0)], [section(0, "1", "Results")])
    done = client.post(f"/v1/knowledge-bases/{base}/digest:update", json={}).json()
    client.post(f"/v1/knowledge-bases/{base}/digest:update", json={})
    first, second = of(exporter, "digest.update")
    assert value(first, "knowledge_base_id") == str(base)
    assert (value(first, "units"), value(first, "files")) == (done["units"], len(done["added"])) == (1, 3)
    assert (value(second, "units"), value(second, "files")) == (0, 0)
    assert RESULT not in first.to_json()


def of(exporter: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    return [span for span in exporter.get_finished_spans() if span.name == name]


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
