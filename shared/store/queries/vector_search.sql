-- Ranking by vectors. Rankings are chunk_id, score (cosine),
-- document_id and ordinal, best first; equal scores in document order.

-- The knowledge bases in scope, by which embedder they are served and whether an HNSW index of it may be used.

-- name: serving, planned once
select k.id as knowledge_base_id, coalesce(k.embedder_version, %(default)s) as embedder_version,
  coalesce((select i.indisvalid from pg_catalog.pg_index i where i.indexrelid = pg_catalog.to_regclass(
    'public.chunk_vectors_' || pg_catalog.md5(k.id || '/' || coalesce(k.embedder_version, %(default)s)))), false)
    as indexed
from knowledge_bases k
where k.id = any ((select coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[])::uuid[])
order by k.id

-- `+ 0` prevents the use of an HNSW index. Sorted and limited by columns of the index table alone: a sort with a limit
-- keeps a heap of that size instead of all rows.

-- name: exact
with best as materialized (
  select v.chunk_id, v.document_id, (v.embedding <#> %(vector)s::vector::halfvec) + 0 as distance
  from {source}
  where v.knowledge_base_id = any (%(knowledge_bases)s) and v.embedder_version = %(version)s
  order by distance, v.document_id, v.chunk_id limit %(limit)s)
select best.chunk_id, -best.distance as score, best.document_id, c.ordinal
from best join chunks c on c.id = best.chunk_id
order by best.distance, best.document_id, c.ordinal

-- The planner uses the partial index of this knowledge base because base and version are literals here, as in its
-- predicate; it keeps the index's order because joins that lose it are switched off for this statement.
-- The nearest are tested one by one until enough are selected: where they are not, as many have been looked at as may be,
-- and none was given back unsorted by an index that had reached a limit of its own.

-- name: indexed
with found as materialized (
  select v.chunk_id, v.document_id, v.distance
  from (
    select v.chunk_id, v.document_id, v.embedding::{type} <#> %(vector)s::vector::{type} as distance
    from chunk_vectors v
    where v.knowledge_base_id = {base} and v.embedder_version = {version}
    order by distance limit %(scanned_max)s) v
  where {selected}
  limit %(fetched)s)
select found.chunk_id, -found.distance as score, found.document_id, c.ordinal, (select count(*) from found) as found
from found join chunks c on c.id = found.chunk_id
order by found.distance, found.document_id, c.ordinal limit %(limit)s

-- How many of the nearest chunks that are served are selected: whether what a filter lets through lies near the query, or
-- elsewhere.

-- name: nearest_selected
with nearest as materialized (
  select v.chunk_id, v.document_id
  from chunk_vectors v
  where v.knowledge_base_id = {base} and v.embedder_version = {version}
  order by v.embedding::{type} <#> %(vector)s::vector::{type} limit %(looked_at)s)
select count(*) filter (where {selected}) as selected, count(*) filter (where {served}) as looked_at from nearest v

-- name: served
exists (select from answering_documents d
  where d.id = v.document_id and (d.is_current or %(superseded)s) offset 0)
and (v.chunk_id in (select r.chunk_id from rejected_chunks r)) is not true

-- Sets planner and HNSW options until they are set again or the transaction ends.

-- name: approximate, planned once
select set_config('hnsw.ef_search', %(ef_search)s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.max_scan_tuples', %(visited_max)s, true),
  set_config('hnsw.scan_mem_multiplier', %(memory)s, true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true)

-- name: ordinary, planned once
select set_config('enable_hashjoin', 'on', true), set_config('enable_mergejoin', 'on', true),
  set_config('enable_sort', 'on', true)
