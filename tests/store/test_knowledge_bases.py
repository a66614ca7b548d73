"""What is told of a knowledge base is told of that one."""

from shared.domain.scope import Identity
from shared.library.knowledge_bases import get_knowledge_base, list_knowledge_bases
from shared.runtime import Runtime
from tests.store.seeding import Passage, add_base, add_document


def test_each_knowledge_base_counts_its_own_documents_and_chunks(runtime: Runtime, identity: Identity) -> None:
    bases = {}
    for name, documents in (("none", []), ("one", [2]), ("two", [1, 3])):
        scope = add_base(runtime, identity, name)
        for number, chunks in enumerate(documents):
            document = add_document(runtime, scope, f"{name} {number}", [Passage(name)])
            with runtime.database.transaction(scope) as connection:
                connection.execute("update documents set chunk_count = %s where id = %s", (chunks, document))
        bases[scope.knowledge_base_ids[0]] = (len(documents), sum(documents))
    listed = {base.id: (base.documents, base.chunks) for base in list_knowledge_bases(runtime, identity)}
    assert {base: listed[base] for base in bases} == bases
    for base, counts in bases.items():
        told = get_knowledge_base(runtime, identity, base)
        assert (told.documents, told.chunks) == counts
