-- Vectors of chunks, for the embed stage.

-- name: missing
select c.id, c.index_text, c.index_hash
from chunks c
where c.document_id = any (%(document_ids)s)
  and not exists (select from chunk_vectors v
    where v.chunk_id = c.id and v.embedder_version = %(version)s and v.index_hash = c.index_hash)
order by array_position(%(document_ids)s, c.document_id), c.ordinal
limit %(limit)s

-- The hash is looked up for each chunk: nobody knows beforehand how many chunks of a set are new.

-- name: reuse
insert into chunk_vectors
  (organization_id, knowledge_base_id, document_id, chunk_id, embedder_version, index_hash, embedding)
select c.organization_id, c.knowledge_base_id, c.document_id, c.id, v.embedder_version, v.index_hash, v.embedding
from chunks c cross join lateral (
  select embedder_version, index_hash, embedding from chunk_vectors o
  where o.knowledge_base_id = c.knowledge_base_id and o.index_hash = c.index_hash and o.embedder_version = %(version)s
  order by o.chunk_id limit 1) v
where c.document_id = any (%(document_ids)s)
  and not exists (select from chunk_vectors o
    where o.chunk_id = c.id and o.embedder_version = %(version)s and o.index_hash = c.index_hash)
on conflict (chunk_id, embedder_version) do update set
  index_hash = excluded.index_hash, embedding = excluded.embedding

-- name: store
insert into chunk_vectors
  (organization_id, knowledge_base_id, document_id, chunk_id, embedder_version, index_hash, embedding)
select c.organization_id, c.knowledge_base_id, c.document_id, c.id, %(version)s, r.index_hash,
  r.embedding
from unnest(%(chunk_ids)s::uuid[], %(index_hashes)s::text[], %(embeddings)b)
    r (chunk_id, index_hash, embedding)
  join chunks c on c.id = r.chunk_id and c.index_hash = r.index_hash
on conflict (chunk_id, embedder_version) do update set
  index_hash = excluded.index_hash, embedding = excluded.embedding
