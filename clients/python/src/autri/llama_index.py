"""Autri as a LlamaIndex retriever: `AutriRetriever(Client(...)).retrieve("…")`."""

from typing import Any

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from autri.client import Client
from autri.found import place_of


class AutriRetriever(BaseRetriever):
    """Chunks verbatim, a table's row with each cell after its column's header, with their scores; the metadata says of
    which document and version they are and where on the page they stand. `options` are arguments of `Client.search`, as
    `knowledge_bases`, `where` or `index`."""

    def __init__(self, client: Client, k: int = 10, **options: Any) -> None:
        super().__init__()
        self._client, self._k, self._options = client, k, options

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._client.search(query_bundle.query_str, k=self._k, **self._options)
        return [
            NodeWithScore(
                node=TextNode(
                    id_=str(hit.chunk.id), text=hit.chunk.labelled or hit.chunk.content, metadata=place_of(hit)
                ),
                score=hit.score,
            )
            for hit in found.hits
        ]
