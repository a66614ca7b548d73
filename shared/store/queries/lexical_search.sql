-- Ranking by the lexical index; {selected} is the condition of the selection on l.

-- name: ranked
with best as (
  select chunk_id, -distance as score
  from (
    select l.chunk_id, l.impacts <#> %(vector)s::sparsevec as distance
    from chunk_lexical l
    where {selected}
    offset 0) scored
  where distance < 0
  order by distance fetch first %(limit)s rows with ties)
select best.chunk_id, best.score from best join chunks c on c.id = best.chunk_id
order by best.score desc, c.document_id, c.ordinal limit %(limit)s
