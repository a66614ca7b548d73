"""Upon which rows each stored statement acts: from evaluation to the lexical index, by the names of their files."""

from psycopg.types.json import Jsonb

from tests.store.acting_cases import (
    BASE,
    DAY,
    ENDED,
    EVAL,
    FIRST,
    GOLD,
    IN_BASE,
    OTHER,
    OTHER_BASE,
    RUN,
    SERVED,
    At,
    Case,
    Own,
    before,
    behind,
    link,
)

OWN_TABLE = ([Own("tables", listed=True)], [[OTHER]])
ROW_OF_TABLE = {"chunks.chunk_type": (["table_row"], ["text"])} | link("chunks.table_id", "tables")
CASES = [
    Case(
        "datasets.list_datasets",
        IN_BASE
        | before("datasets")
        | {"%id": ([None, Own("datasets")], [OTHER]), "datasets.revision": ([1], [3])}
        | {"dataset_revisions.revision": ([1], [2])},
    ),
    Case(
        "datasets.list_revisions",
        {"%id": ([Own("datasets")], [OTHER]), "%before": ([None, 2], [1]), "dataset_revisions.revision": ([1], [])},
    ),
    Case(
        "datasets.dataset_sources",
        {"%id": ([Own("datasets")], [OTHER]), "documents.is_current": [True, False]}
        | {"datasets.revision": ([1], [3]), "dataset_revisions.revision": ([1], [2])}
        | {"dataset_revisions.tables_of": ([1], [2]), "dataset_tables.revision": ([1], [3])}
        | link("dataset_tables.table_id", "tables"),
    ),
    Case("datasets.passages_of_rows", {"%tables": OWN_TABLE, "chunks.table_row": ([1, 2], [])} | ROW_OF_TABLE),
    Case(
        "datasets.rows_of_tables",
        {"%table_ids": OWN_TABLE, "chunks.table_row": ([1], [2])} | ROW_OF_TABLE,
        lambda row: row["chunks"]["1"],
    ),
    Case(
        "datasets.headers_of_tables",
        IN_BASE
        | {"%document_id": ([Own("documents")], [OTHER]), "%superseded": [False, True]}
        | {"documents.is_current": [True, False]},
    ),
    Case(
        "plots.list_plots",
        IN_BASE
        | behind("plots")
        | {"%id": ([None, Own("plots")], [OTHER]), "%dataset_id": ([None, Own("datasets")], [OTHER])},
    ),
    Case("evaluation.list_gold", IN_BASE | behind("gold_questions")),
    Case("evaluation.replace_gold", GOLD | {"%key": (["k"], [])}),
    Case("evaluation.count_gold", IN_BASE),
    Case("evaluation.delete_gold", GOLD),
    Case("evaluation.gold_by_key", IN_BASE | {"%keys": ([Own("gold_questions", "key", listed=True)], [])}),
    Case("evaluation.named_documents", IN_BASE | SERVED | link("documents.logical_document_id", "logical_documents")),
    Case(
        "evaluation.extractor_versions",
        IN_BASE | SERVED | {"documents.extractor_version": (["x"], [None])},
        lambda row: True,
    ),
    Case(
        "evaluation.places_of_chunks",
        IN_BASE | {"%ids": ([Own("chunks", listed=True)], [[OTHER]])} | link("chunks.document_id", "documents"),
    ),
    Case(
        "evaluation.remove_stopped_runs",
        IN_BASE | {"eval_runs.status": ["running"], "eval_runs.created_at": ([At(-DAY - 1)], [At(-DAY), At(0)])},
    ),
    Case(
        "evaluation.add_run_questions",
        EVAL
        | {
            "eval_runs.status": ["running"],
            "%questions": [Jsonb([{}])],
            "eval_runs.results": ([Jsonb([])], [Jsonb([{}]), Jsonb([{}, {}])]),
        },
    ),
    Case("evaluation.list_runs", IN_BASE | before("eval_runs") | {"%id": ([None, Own("eval_runs")], [OTHER])}),
    Case("evaluation.run_questions", EVAL | {"eval_runs.questions": [Jsonb([{}])]}),
    Case("evaluation.run_results", EVAL | {"eval_runs.results": [Jsonb([{}])]}),
    Case(
        "evaluation.add_results",
        EVAL
        | {
            "eval_runs.results": ([Jsonb([{}])], [Jsonb([])]),
            "%measured": ([1], [2]),
            "eval_runs.questions": ([Jsonb([{}])], [Jsonb([])]),
            "%total": ([1], [2]),
            "%results": [Jsonb([{}])],
        },
    ),
    Case(
        "evaluation.baseline_of", IN_BASE | {"eval_runs.baseline": [True], "%gold": ([Own("eval_runs", "gold")], ["x"])}
    ),
    Case(
        "evaluation.clear_baseline",
        IN_BASE | {"eval_runs.baseline": [True], "%gold": ([Own("eval_runs", "gold")], ["x"])},
    ),
    Case("evaluation.finish_run", EVAL),
    Case(
        "idempotency.forget_old",
        {
            "%user_id": ([Own("idempotency_keys", "user_id")], [OTHER]),
            "%hours": [1],
            "idempotency_keys.created_at": ([At(-3601)], [At(-3600)]),
        },
    ),
    *[
        Case(
            f"idempotency.{name}",
            {
                "%user_id": ([Own("idempotency_keys", "user_id")], [OTHER]),
                "%key": ([Own("idempotency_keys", "key")], ["x"]),
            }
            | more,
        )
        for name, more in (("read", {}), ("complete", {}), ("release", {"idempotency_keys.status": ([None], [200])}))
    ],
    Case("ingestions.set_sha256", {"uploads.sha256": ([None], ["x"]), "%id": ([Own("uploads")], [OTHER])}),
    Case("ingestions.queue", RUN | {"ingestions.status": ["waiting"]}),
    Case(
        "ingestions.claim",
        {
            "ingestions.status": (["queued"], ["waiting", *ENDED]),
            "%active": ([[OTHER], []], [Own("ingestions", listed=True)]),
        },
    ),
    Case(
        "ingestions.claim",
        {
            "ingestions.status": (["running"], ["waiting", *ENDED]),
            "%dead": ([["x"]], [["y"], []]),
            "ingestions.lease_owner": (["x"], ["z"]),
            "ingestions.lease_until": ([At(9), At(0)], []),
        },
    ),
    Case(
        "ingestions.claim",
        {
            "ingestions.status": (["running"], ["waiting", *ENDED]),
            "ingestions.lease_until": ([At(-1)], [At(0), At(1), None]),
        },
    ),
    Case("ingestions.lease_owners", {"ingestions.status": ["running"], "ingestions.lease_owner": (["x"], [None])}),
    *[
        Case(
            f"ingestions.{name}",
            RUN | {"ingestions.status": ["running"], "ingestions.lease_owner": (["some text"], ["x", None])},
        )
        for name in ("renew", "release")
    ],
    Case(
        "ingestions.fail",
        RUN | {"ingestions.status": ["waiting", "queued", "running"], "ingestions.duplicate": [False]},
    ),
    Case(
        "ingestions.fail_document",
        RUN
        | {"documents.status": ["queued", "running"]}
        | link("documents.run_id", "ingestions")
        | link("ingestions.document_id", "documents"),
    ),
    Case(
        "ingestions.settle_followers",
        {
            "%ids": ([Own("ingestions", listed=True)], [[OTHER]]),
            "ingestions.status": ["running"],
            "ingestions.duplicate": [True],
        }
        | link("documents.run_id", "ingestions")
        | link("ingestions.document_id", "documents"),
    ),
    Case(
        "ingestions.lost",
        {
            "ingestions.status": ["queued", "running"],
            "ingestions.duplicate": [False],
            "ingestions.lease_owner": ([None], ["x"]),
            "ingestions.started_at": ([At(-2), None], [At(-1), At(1)]),
            "ingestions.admitted_at": ([At(-2)], []),
            "%seconds": [1],
        },
    ),
    Case(
        "ingestions.lost",
        {
            "ingestions.status": (["queued"], []),
            "ingestions.duplicate": [False],
            "ingestions.lease_owner": [None],
            "ingestions.started_at": [None],
            "ingestions.admitted_at": ([At(-2)], [None, At(-1)]),
            "%seconds": [1],
        },
    ),
    Case(
        "ingestions.settled_pages",
        RUN
        | {
            "ingestion_pages.error": ([None], ["x"]),
            "ingestion_pages.stage": (["parse"], ["y"]),
            "ingestion_pages.page": ([2, 3], [1, 4]),
            "%first": [2],
            "%last": [3],
        },
    ),
    Case(
        "ingestions.settled_pages",
        RUN
        | {
            "ingestion_pages.error": (["x"], [None]),
            "ingestion_pages.stage": (["y"], ["parse"]),
            "ingestion_pages.page": [1],
        },
    ),
    Case("ingestions.failed_pages", RUN | {"ingestion_pages.error": (["x"], [None])}),
    Case(
        "ingestions.read_ingestions",
        {"%id": ([None, Own("ingestions")], [OTHER]), "%knowledge_base_id": ([None, BASE], [OTHER_BASE])},
    ),
    Case(
        "ingestions.read_ingestions",
        link("uploads.id", "ingestions")
        | behind("ingestions")
        | {"%id": [None], "%knowledge_base_id": [None]}
        | {"%parcel_id": ([OTHER], [Own("ingestions")]), "uploads.parcel_id": ([OTHER], [None])},
    ),
    Case(
        "ingestions.waiting_members",
        link("uploads.id", "ingestions")
        | {"%id": ([OTHER], [Own("ingestions")]), "uploads.parcel_id": ([OTHER], [None])}
        | {"ingestions.status": ["waiting"]},
    ),
    Case(
        "ingestions.deleted_members",
        {"%id": ([OTHER], [Own("ingestions")]), "uploads.parcel_id": ([OTHER], [None])}
        | {"uploads.id": ([FIRST], [Own("ingestions")]), "uploads.sha256": (["x"], [None])},
    ),
    Case(
        "ingestions.former_runs",
        IN_BASE
        | link("ingestions.document_id", "documents")
        | {
            "ingestions.status": (["ready"], ["running", "ready_with_errors"]),
            "ingestions.duplicate": ([False], [True]),
            "ingestions.page_count": ([1], [0]),
        },
    ),
    Case(
        "ingestions.abandoned_uploads",
        {"ingestions.status": ["waiting"], "%seconds": [1], "ingestions.created_at": ([At(-2)], [At(-1), At(0)])},
    ),
    Case("ingestions.remove_ingestions", {"ingestions.status": ["waiting"]}),
    Case(
        "ingestions.remove_refused",
        {
            "%ids": ([Own("ingestions", listed=True)], [[OTHER]]),
            "ingestions.status": ["refused"],
            "ingestions.document_id": ([None], [OTHER]),
        },
    ),
    Case(
        "keys.list_keys",
        behind("api_keys")
        | {"%owner": ([None, Own("users")], [OTHER]), **link("api_keys.user_id", "users")}
        | {"api_keys.user_id": ([Own("users")], []), "api_keys.connected": ([False], [True])},
    ),
    Case(
        "connections.list_connections",
        behind("connections")
        | {"%owner": ([None, Own("users")], [OTHER]), "connections.user_id": ([Own("users")], [])}
        | {"connections.code_used_at": ([At(-1)], [None])},
    ),
    Case(
        "lexical.stale_documents",
        IN_BASE
        | {
            "lexical_documents.tokenizer_version": (["s", "u"], ["t"]),
            "%version": (["t"], []),
            "lexical_documents.pivot": [5.0],
            "lexical_bases.pivot": [5.0],
        },
    ),
    Case(
        "lexical.stale_documents",
        IN_BASE
        | {
            "lexical_documents.tokenizer_version": ["t"],
            "%version": ["t"],
            "lexical_documents.pivot": ([4.0, 6.0], [5.0]),
            "lexical_bases.pivot": [5.0],
        },
    ),
    Case("lexical_statistics.unfolded_documents", IN_BASE | {"lexical_documents.folded": [False]}),
    Case(
        "lexical_statistics.forget_counts",
        IN_BASE
        | {
            "lexical_counts.count": ([0, -1], [1]),
            "lexical_counts.slot": ([7], [9]),
            "lexical_removed.slots": [[7, 8]],
            "%removed": [Own("lexical_removed", listed=True)],
        },
    ),
    Case("lexical_statistics.forget_totals", IN_BASE | {"lexical_totals.chunks": ([0, -1], [1])}),
    Case(
        "lexical_statistics.complete_word",
        {"lexical_words.word": (["wing", "wings"], ["winf", "winh", "wi"]), "%prefix": ["wing"], "%after": ["winh"]},
    ),
    Case(
        "lexical_statistics.complete_word",
        {
            "lexical_words.word": ["a"],
            "lexical_documents.folded": [False],
            "lexical_documents.words": ([["wing"], ["wings"]], [["swing"], ["win"]]),
            "%prefix": ["wing"],
            "%after": ["winh"],
        },
    ),
    Case(
        "lexical_statistics.words_near",
        {
            "lexical_words.word": (["wing", "wi", "windowed", "spar"], ["wh", "wj", "w", "windowless", "spars"]),
            "%prefixes": [["wi", "wi"]],
            "%after": [["wj", "wj"]],
            "%lengths": [[4, 6]],
            "%exact": [["spar"]],
        },
    ),
    Case(
        "lexical_statistics.words_near",
        {
            "lexical_words.word": ["a"],
            "lexical_documents.folded": [False],
            "lexical_documents.words": ([["wing"], ["spar"]], [["swing"], ["w"], ["windowless"]]),
            "%prefixes": [["wi"]],
            "%after": [["wj"]],
            "%lengths": [[4]],
            "%exact": [["spar"]],
        },
    ),
    *[
        Case(
            f"knowledge_bases.{name}",
            {"documents.knowledge_base_id": ([BASE], [OTHER_BASE]), "documents.chunk_count": [3]} | more,
            lambda row: row["chunks"],
        )
        for name, more in (("get_knowledge_base", {"%id": [BASE]}), ("list_knowledge_bases", {"%after": [None]}))
    ],
    Case(
        "lexical.stale_chunks",
        {
            "chunk_lexical.chunk_id": ([OTHER, Own("chunks")], []),
            "lexical_bases.knowledge_base_id": ([OTHER_BASE, BASE], []),
        },
    ),
    Case("lexical.remove_shares", {"lexical_documents.folded": [False]}, lambda row: True),
    *[
        Case(
            "health.waiting",
            {
                "ingestions.status": ([status], ["waiting", *ENDED]),
                "ingestions.finished_at": ([None], [At(-1)]),
                "ingestions.duplicate": [False],
                "ingestions.created_at": [At(-9)],
            },
            lambda row, name=name: row[name],
        )
        for status, name in (("running", "running"), ("queued", "oldest_seconds"))
    ],
    *[
        Case("lexical.base_totals", IN_BASE | {f"lexical_totals.{name}": [2]}, lambda row, name=name: row[name])
        for name in ("chunks", "length")
    ],
]
