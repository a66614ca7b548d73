-- HNSW indexes of large knowledge bases, as the owner role sees and makes them.

-- name: counted
select v.knowledge_base_id, v.embedder_version, count(*) as vectors
from chunk_vectors v group by v.knowledge_base_id, v.embedder_version order by 1, 2

-- name: dimensions
select vector_dims(v.embedding) as dimensions from chunk_vectors v
where v.knowledge_base_id = %(base)s and v.embedder_version = %(version)s limit 1

-- name: existing
select c.relname as name, i.indisvalid as valid from pg_catalog.pg_index i
  join pg_catalog.pg_class c on c.oid = i.indexrelid
where c.relname ~ '^chunk_vectors_[0-9a-f]{32}$'

-- name: make
create index concurrently {name} on public.chunk_vectors using hnsw ((embedding::{type}) halfvec_ip_ops)
with (m = 16, ef_construction = 400) where knowledge_base_id = {base} and embedder_version = {version}

-- name: drop
drop index concurrently if exists public.{name}
