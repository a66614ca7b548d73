"""The named spans of the pipeline: to an OpenTelemetry collector where `OTEL_EXPORTER_OTLP_ENDPOINT` names one, and to
X-Ray where its daemon listens (`shared/tracing.py`).

The packages that send them are an extra of their own (`make telemetry`), and nothing of them is loaded while the
endpoint is not set. What a span carries are ids, counts and milliseconds: text is refused, as it may be a document's.
OpenTelemetry's own variables (headers, service name, sampling) hold.
"""

import logging
import os
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, Literal
from uuid import UUID

from shared import tracing

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
FLUSH_MS: Final = 5_000
Name = Literal[
    "pdf.parse", "table.norm", "embed.upsert", "rag.plan", "rag.retrieve", "rag.generate", "sum.make", "plot.render",
    "digest.update",
]  # fmt: skip
Value = UUID | int | float | bool | None
logger = logging.getLogger("autri.telemetry")


class Noted:
    """What a span is told while it is open."""

    def __init__(self) -> None:
        self.values: dict[str, int | float | bool | str] = {}

    def note(self, **values: Value) -> None:
        """Raises TypeError for text."""
        for name, value in values.items():
            if isinstance(value, UUID):
                self.values[f"autri.{name}"] = str(value)
            elif isinstance(value, int | float):
                self.values[f"autri.{name}"] = value
            elif value is not None:
                raise TypeError(f"A span carries ids and numbers: `{name}` is {type(value).__name__}.")


class _Nothing(Noted):
    """Where nobody listens."""

    def note(self, **values: Value) -> None:
        pass


NOTHING: Final = _Nothing()


def is_on() -> bool:
    return any(os.environ.get(one) for one in ENDPOINTS)


@contextmanager
def work(name: Name, **values: Value) -> Generator[Noted]:
    """A part of the pipeline's work, below the span that is open. An error is named by its class alone."""
    exporting = is_on()
    if not exporting and not tracing.is_open():
        yield NOTHING
        return
    noted = Noted()
    noted.note(**values)
    with tracing.span(name) as segment:
        try:
            with _exported(name, noted, exporting):
                yield noted
        finally:
            if segment is not None:
                # X-Ray's names have no dots.
                segment.annotations |= {key.replace(".", "_"): value for key, value in noted.values.items()}


@contextmanager
def request(name: str) -> Generator[tracing.Span | None]:
    """The span of a whole request or stage, as `tracing.traced`: its `name` and `annotations` may be set until it
    ends. None where nobody listens."""
    with tracing.traced(name) as segment:
        if not is_on():
            yield segment
            return
        noted, own = Noted(), segment or tracing.Span(name, "", "", None, [0])
        with _exported(name, noted, exporting=True) as span:
            try:
                yield own
            finally:
                if span is not None:
                    span.update_name(own.name)
                noted.values |= {f"autri.{key}": value for key, value in own.annotations.items()}


@contextmanager
def _exported(name: str, noted: Noted, exporting: bool) -> Generator[Any]:
    sender = provider() if exporting else None
    if sender is None:
        yield None
        return
    from opentelemetry.trace import StatusCode

    # Messages of errors quote what was read: they are never recorded.
    quiet = {"record_exception": False, "set_status_on_exception": False}
    with sender.get_tracer("autri").start_as_current_span(name, **quiet) as span:
        try:
            yield span
        except BaseException as error:
            span.set_status(StatusCode.ERROR)
            span.set_attribute("error.type", type(error).__name__)
            raise
        finally:
            span.set_attributes(noted.values)


@cache
def provider() -> Any:
    """What makes spans and sends them in batches; None, said once, where its packages are missing."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        logger.warning("%s is set, and the packages that send spans are missing: run `make telemetry`.", ENDPOINTS[0])
        return None
    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": "autri"}
    made = TracerProvider(resource=Resource.create(named))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return made


def flush() -> None:
    """Sends what is left: at the end of a stage, whose process may be ended or frozen afterwards."""
    if is_on() and (made := provider()) is not None:
        made.force_flush(FLUSH_MS)
