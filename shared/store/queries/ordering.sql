-- The order of a result by an attribute. Scope comes from row-level security.

-- What an attribute is ordered by: the kind and unit that most of its values have.

-- name: ordered_by
select a.kind, a.unit, sum(a.count) as count
from attribute_summaries a
where a.knowledge_base_id = any (coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[])
  and a.name = %(name)s
group by 1, 2 order by 3 desc, 1, 2 limit 1

-- The first chunks of {source}, rows of `chunk_attributes` as f, by the least or greatest of their values.

-- name: first_by_value
select f.chunk_id
from {source}
where f.name = %(name)s and {fitting}
group by f.chunk_id
order by {best} {direction}, f.chunk_id
limit %(limit)s

-- The same of many chunks: each knowledge base's values are walked in the order of their index until enough passed, and of a
-- chunk's values only the best counts. Inexact values (`10–20`) are few, and in an index of their own.

-- name: by_index
select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)

-- name: first_in_index
select f.chunk_id
from (select unnest(coalesce(nullif(current_setting('app.kb_ids', true), ''), '{{}}')::uuid[]) as id) k
  cross join lateral ({walks}) f
order by f.best {direction}, f.chunk_id
limit %(limit)s

-- name: walk
(select t.chunk_id, {value} as best
from chunk_attributes t
where t.knowledge_base_id = k.id and t.name = %(name)s and {fitting} and {exactness} and {selected}
  and not exists (
    select from chunk_attributes e
    where e.chunk_id = t.chunk_id and e.name = %(name)s and {other_fitting}
      and ({other} {better} {value} or ({other} = {value} and e.ordinal < t.ordinal)) offset 0)
order by {value} {direction}, t.chunk_id
limit %(limit)s)

-- What passes and has no such value, in document order.

-- name: without_value
select n.chunk_id
from (select c.id as chunk_id, c.document_id, c.ordinal from chunks c) n
where {selected}
  and not exists (select from chunk_attributes f where f.chunk_id = n.chunk_id and f.name = %(name)s and {fitting} offset 0)
order by n.document_id, n.ordinal
limit %(limit)s

-- What passes by date, as recency counts it.

-- name: by_date
select n.chunk_id
from (select c.id as chunk_id, c.document_id, c.ordinal, c.date from chunks c) n
  join documents o on o.id = n.document_id
where {selected}
order by coalesce(n.date, o.document_date::timestamp at time zone 'UTC', o.created_at) {direction}, n.document_id, n.ordinal
limit %(limit)s
