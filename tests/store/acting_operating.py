"""Upon which rows each stored statement acts: plans and what is counted against them, what a restored store needs."""

from datetime import UTC, datetime, timedelta

from tests.store.acting_cases import Case, Own, link

MONTH = datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
NEXT_MONTH = (MONTH + timedelta(days=31)).replace(day=1)
LAST_MONTH = (MONTH - timedelta(days=1)).replace(day=1)
MOMENT = timedelta(microseconds=1)

CASES = [
    *[
        Case(f"erasure.{name}", {f"{table}.erasing_at": ([None], ["2020-01-01"])})
        for name, table in (
            ("shut_base", "knowledge_bases"),
            ("shut_bases", "knowledge_bases"),
            ("shut_organization", "organizations"),
        )
    ],
    Case("erasure.end_runs", {"ingestions.status": ["waiting", "queued", "running"]}),
    *[
        Case(
            f"plans.{name}",
            {"page_packs.month": ([None, MONTH.date()], [LAST_MONTH.date(), NEXT_MONTH.date()])},
            lambda row: row["pages"],
        )
        for name in ("packs", "pages_of_packs")
    ],
    Case(
        "plans.documents_of_month",
        {
            "%month": [MONTH.date()],
            "ingestions.created_at": ([MONTH, NEXT_MONTH - MOMENT], [MONTH - MOMENT, NEXT_MONTH]),
            "ingestions.duplicate": [False],
        }
        | link("ingestions.document_id", "documents"),
    ),
    Case(
        "storage.needed",
        {"documents.status": ["ready", "ready_with_errors"], "documents.ingestion_id": ([Own("ingestions")], [None])},
    ),
    Case(
        "storage.needed",
        {
            "documents.status": (["ready"], []),
            "documents.ingestion_id": ([Own("ingestions")], []),
            "pages.status": ["queued", "rendered", "parsed", "extracted", "ready"],
        }
        | link("pages.document_id", "documents"),
        lambda row: row["pages"],
    ),
]
