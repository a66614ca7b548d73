-- Conditions on the rows of an index table, whose alias stands for {a}. Documents that are pinned by id are served in
-- whichever version, otherwise the current versions, or all of them on request.

-- name: passes
{a}.document_id in (
    select d.id from documents d
    where d.serving and (case when %(documents)s::uuid[] is null then d.is_current or %(superseded)s
      else d.id = any (%(documents)s::uuid[]) end))
  and (%(types)s::text[] is null
    or exists (select from chunks c where c.id = {a}.chunk_id and c.chunk_type = any (%(types)s::text[]) offset 0))

-- name: listed
{a}.chunk_id = any (%(chunk_ids)s::uuid[])

-- name: survivors
select distinct s.chunk_id from ({driver}) s where {selected} limit %(survivors_max)s + 1
