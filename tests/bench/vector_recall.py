"""Recall of HNSW on real embeddings: `python -m tests.bench.vector_recall WORKSPACE`, filled by `retrieval_ingest`.

All vectors of the workspace lie in one table for this, and the questions of all its sets are asked: recall@10 against
an exact scan, per number of candidates while building and while searching. What is as near as the tenth of the exact
ones counts as found: versions of a document hold the same sentences.
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

# Links and candidates of the graph while building, candidates while searching, neighbours.
BUILT_WITH, SEARCHED_WITH, K = ((16, 64), (16, 200), (16, 400)), (200, 400, 1000), 10
NEAREST = "select embedding <#> %s as distance from every order by distance limit %s"
EQUAL = 1e-6


def main(home: Path) -> None:
    with open_workspace(home) as workspace:
        questions = [q.text for name in SETS for q in SETS[name]().questions] + list(cranfield().queries.values())
        asked = [workspace.runtime.embedder.embed_query(question) for question in questions]
    with EmbeddedPostgres(home / "postgres") as server, psycopg.connect(server.dsn(SUPERUSER)) as connection:
        register_vector(connection)
        connection.execute("set maintenance_work_mem = '1GB'")
        connection.execute("create temp table every as select chunk_id, embedding::halfvec(384) from chunk_vectors")
        (count,) = connection.execute("select count(*) from every").fetchone() or (0,)
        exact = nearest(connection, asked)
        for links, built_with in BUILT_WITH:
            connection.execute(
                f"create index near on every using hnsw (embedding halfvec_ip_ops)"
                f" with (m = {links}, ef_construction = {built_with})".encode()
            )
            connection.execute("set enable_seqscan = off")
            for searched_with in SEARCHED_WITH:
                connection.execute(f"set hnsw.ef_search = {searched_with}".encode())
                found = nearest(connection, asked)
                shares = [sum(d <= e[-1] + EQUAL for d in f) / K for f, e in zip(found, exact, strict=True)]
                print(
                    f"{count} vectors, {len(asked)} questions, m {links}, built with {built_with},"
                    f" searched with {searched_with}: recall@{K} {np.mean(shares):.4f}, worst {min(shares):.1f}",
                    flush=True,
                )
            connection.execute("drop index near")


def nearest(connection: psycopg.Connection, asked: Sequence[Vectors]) -> list[list[float]]:
    return [[row[0] for row in connection.execute(NEAREST, (HalfVector(v), K))] for v in asked]


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
