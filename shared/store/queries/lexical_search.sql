-- Ranking by the lexical index; {source} is the selected part of chunk_lexical as l, {selected} the condition on l.

-- name: scanned
with best as (
  select chunk_id, -distance as score
  from (
    select l.chunk_id, l.impacts <#> %(vector)s::sparsevec as distance
    from {source}
    where (%(bases)s::uuid[] is null or l.knowledge_base_id = any (%(bases)s::uuid[]))
      and (%(needed)s::sparsevec[] is null
        or not exists (select from unnest(%(needed)s::sparsevec[]) n where (l.impacts <#> n) >= 0))
    offset 0) scored
  where distance < 0
  order by distance fetch first %(limit)s rows with ties)
select best.chunk_id, best.score, c.document_id, c.ordinal
from best, lateral (select document_id, ordinal from chunks where id = best.chunk_id offset 0) c
order by best.score desc, c.document_id, c.ordinal limit %(limit)s

-- The function's rows are looked up under row-level security one by one, best first, until enough are selected;
-- left to itself the planner would read all chunks in scope.
-- name: read
with found as materialized (
  select * from lexical_reading(%(keys)s::integer[], %(vector)s::sparsevec, %(depth)s, %(needed)s::sparsevec[]))
(select f.chunk_id, f.score, l.document_id, l.ordinal, null::bigint as handed_out
from (select * from found order by score desc) f,
  lateral (
    select organization_id, knowledge_base_id, document_id, id as chunk_id, ordinal
    from chunks where id = f.chunk_id offset 0) l
where {selected}
order by f.score desc fetch first %(limit)s rows with ties)
union all
select null, null, null, null, count(*) from found

-- name: chunks_of_documents
select coalesce(sum(chunks), 0)::bigint as chunks from lexical_documents where document_id = any (%(documents)s::uuid[])

-- name: texts
select id, index_text, content from chunks where id = any (%(ids)s)
