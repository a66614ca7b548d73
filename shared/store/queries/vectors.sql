-- Vectors of chunks, for the embed stage.

-- name: missing
select c.id, c.index_text, c.index_hash
from chunks c
where c.document_id = %(document_id)s
  and not exists (select from chunk_vectors v
    where v.chunk_id = c.id and v.embedder_version = %(version)s and v.index_hash = c.index_hash)
order by c.ordinal
limit %(limit)s

-- name: reuse
insert into chunk_vectors
  (organization_id, knowledge_base_id, document_id, chunk_id, embedder_version, index_hash, embedding)
select distinct on (c.id) c.organization_id, c.knowledge_base_id, c.document_id, c.id, v.embedder_version,
  v.index_hash, v.embedding
from chunks c
  join chunk_vectors v on v.knowledge_base_id = c.knowledge_base_id and v.index_hash = c.index_hash
    and v.embedder_version = %(version)s
where c.document_id = %(document_id)s
  and not exists (select from chunk_vectors o
    where o.chunk_id = c.id and o.embedder_version = %(version)s and o.index_hash = c.index_hash)
order by c.id, v.chunk_id
on conflict (chunk_id, embedder_version) do update set
  index_hash = excluded.index_hash, embedding = excluded.embedding

-- name: store
insert into chunk_vectors
  (organization_id, knowledge_base_id, document_id, chunk_id, embedder_version, index_hash, embedding)
select c.organization_id, c.knowledge_base_id, c.document_id, c.id, %(version)s, %(index_hash)s, %(embedding)s::vector::halfvec
from chunks c where c.id = %(chunk_id)s
on conflict (chunk_id, embedder_version) do update set
  index_hash = excluded.index_hash, embedding = excluded.embedding
