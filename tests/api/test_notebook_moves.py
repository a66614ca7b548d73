"""A notebook with a cell of each kind, moved to another deployment with its knowledge base: ids are the same there."""

import re
from pathlib import Path
from typing import get_args

from functions.api.app import create_app
from shared.adapters.local.postgres import EmbeddedPostgres
from shared.archive.exporting import export_knowledge_base
from shared.archive.importing import import_archive
from shared.domain.ids import new_id
from shared.domain.notebooks import CellContent
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.test_notebooks import add, make, write
from tests.api.test_plots import MEANS, Bench
from tests.api.test_summaries import passages, sections, summarize
from tests.api.test_threads import RULE, WIDTH, begin
from tests.elsewhere import elsewhere
from tests.store.seeding import add_document

KINDS = {one.model_fields["kind"].annotation.__args__[0] for one in get_args(get_args(CellContent)[0])}


def test_each_kind_of_cell_shows_the_same_after_a_move(
    runtime: Runtime, identity: Identity, client: Client, postgres: EmbeddedPostgres, test_home: Path, tmp_path: Path
) -> None:
    bench = Bench(runtime, identity, client)
    scope = identity.scope(bench.base)
    papers = [add_document(runtime, scope, f"Wing {at} {new_id().hex}", passages(), sections()) for at in range(2)]
    rules = add_document(runtime, scope, "Rules", [RULE], embedder=runtime.embedder)
    with runtime.database.transaction(scope) as connection:
        for document in (*papers, rules):
            key = f"sources/{identity.organization_id}/{bench.base}/{document}/source"
            runtime.blobs.put(key, b"read")
            connection.execute("update documents set source_key = %s where id = %s", (key, document))
    for paper in papers:
        summarize(client, str(paper))
    chunk = client.get(f"/v1/documents/{rules}/chunks").json()["items"][0]["id"]
    note = bench.ask(
        "POST", f"/knowledge-bases/{bench.base}/notes", 201, json={"text": "Measured twice.", "title": "N"}
    )
    thread = begin(client, bench.base, WIDTH)
    answer = bench.ask("GET", f"/threads/{thread}")["messages"][0]["answers"][0]["id"]
    plot = bench.ask("POST", "/plots", 201, json={"dataset_id": bench.runs, "spec": {"form": MEANS}})["id"]
    notebook = make(client, bench.base)
    write(client, notebook, f"As [the rule](chunk:{chunk}) says.")
    add(client, notebook, {"kind": "chunk", "chunk_id": chunk, "remark": f"See [it](chunk:{chunk})."})
    add(client, notebook, {"kind": "note", "document_id": note["id"]})
    add(client, notebook, {"kind": "answer", "thread_id": thread, "answer_id": answer})
    add(client, notebook, {"kind": "dataset", "dataset_id": bench.runs})
    add(client, notebook, {"kind": "plot", "plot_id": plot})
    add(client, notebook, {"kind": "summary", "document_id": str(papers[0])})
    add(client, notebook, {"kind": "group", "document_ids": [str(one) for one in papers]})
    before = client.get(notebook).json()
    assert {one["kind"] for one in before["cells"]} == KINDS
    assert not any(one["gone"] for one in before["cells"])
    export_knowledge_base(runtime, identity, bench.base, tmp_path / "lab.zip")
    with elsewhere(postgres, test_home) as there:
        import_archive(there.runtime, there.identity, tmp_path / "lab.zip")
        moved = Client(create_app(there.runtime, lambda _: there.identity, local=True))
        after = moved.get(notebook).json()
        assert [one["html"] for one in after["cells"]] == [one["html"] for one in before["cells"]]
        assert [one["body"] for one in after["cells"]] == [one["body"] for one in before["cells"]]
        assert after["sources"] == before["sources"]
        # Each leads on from there: a mark to its cells, a citation to its passage.
        texts = [[one["text"] for one in of.get(f"/v1/plots/{plot}/marks/0").json()["cells"]] for of in (client, moved)]
        assert texts[0] == texts[1] != []
        for source in after["sources"]:
            chunks = moved.get(f"/v1/documents/{source['document_id']}/chunks").json()["items"]
            assert source["chunk_id"] in [one["id"] for one in chunks]
        # The history is there, and can be changed.
        first = after["cells"][0]
        content = {"content": {"kind": "markdown", "text": "Now elsewhere."}}
        changed = moved.put(f"{notebook}/cells/{first['id']}", json=content, headers={"If-Match": first["state"]})
        assert (changed.status_code, changed.json()["revision"]) == (200, before["revision"] + 1)
        assert re.search("Now elsewhere", changed.json()["cells"][0]["html"])
