-- Ranking by vectors; {selected} is the condition of the selection on v.

-- name: nearest
with best as (
  select v.chunk_id, -(v.embedding <#> %(vector)s::vector) as score
  from chunk_vectors v
  where v.embedder_version = %(embedder_version)s and {selected}
  order by score desc fetch first %(limit)s rows with ties)
select best.chunk_id, best.score from best join chunks c on c.id = best.chunk_id
order by best.score desc, c.document_id, c.ordinal limit %(limit)s
