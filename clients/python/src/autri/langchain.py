"""Autri as a LangChain retriever: `AutriRetriever(client=Client(...)).invoke("…")`."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from autri.client import Client
from autri.found import place_of


class AutriRetriever(BaseRetriever):
    """Chunks verbatim, a table's row with each cell after its column's header; the metadata says of which document and
    version they are and where on the page they stand.

    `options` are arguments of `Client.search`, as `knowledge_bases`, `where` or `index`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Client
    k: int = 10
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = self.client.search(query, k=self.k, **self.options)
        return [
            Document(hit.chunk.labelled or hit.chunk.content, id=str(hit.chunk.id), metadata=place_of(hit))
            for hit in found.hits
        ]
