"""Recall of HNSW on real embeddings: `python -m tests.bench.vector_recall WORKSPACE`, filled by `retrieval_ingest`.

All vectors of the workspace lie in one table for this, and the questions of all its sets are asked: recall@10 against
an exact scan, per number of candidates while building and while searching.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from shared.adapters.local.postgres import SUPERUSER, EmbeddedPostgres
from shared.ports import Vectors
from tests.bench.retrieval_data import cranfield, open_workspace
from tests.bench.retrieval_sets import SETS

BUILT_WITH, SEARCHED_WITH, K = (64, 200), (40, 100, 200), 10
NEAREST = "select chunk_id from every order by embedding <#> %s limit %s"


def main(home: Path) -> None:
    with open_workspace(home) as workspace:
        questions = [q.text for name in SETS for q in SETS[name]().questions] + list(cranfield().queries.values())
        asked = [workspace.runtime.embedder.embed_query(question) for question in questions]
    with EmbeddedPostgres(home / "postgres") as server, psycopg.connect(server.dsn(SUPERUSER)) as connection:
        register_vector(connection)
        connection.execute("create temp table every as select chunk_id, embedding::halfvec(384) from chunk_vectors")
        (count,) = connection.execute("select count(*) from every").fetchone() or (0,)
        exact = nearest(connection, asked)
        for built_with in BUILT_WITH:
            connection.execute(
                f"create index near on every using hnsw (embedding halfvec_ip_ops)"
                f" with (m = 16, ef_construction = {built_with})".encode()
            )
            connection.execute("set enable_seqscan = off")
            for searched_with in SEARCHED_WITH:
                connection.execute(f"set hnsw.ef_search = {searched_with}".encode())
                found = nearest(connection, asked)
                shares = [len(set(a) & set(b)) / K for a, b in zip(found, exact, strict=True)]
                print(
                    f"{count} vectors, {len(asked)} questions, built with {built_with}, searched with {searched_with}:"
                    f" recall@{K} {np.mean(shares):.4f}, worst {min(shares):.1f}",
                    flush=True,
                )
            connection.execute("drop index near")


def nearest(connection: psycopg.Connection, asked: Sequence[Vectors]) -> list[list[str]]:
    return [[row[0] for row in connection.execute(NEAREST, (HalfVector(v), K))] for v in asked]


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
