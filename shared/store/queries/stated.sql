-- The values of an attribute at a place, and whether each is the one that is stated. Scope comes from row-level security.

-- name: values_at
select c.content, f.raw, f.route,
  concat_ws(' ', f.comparator, f.value_number, f.value_upper, f.unit, f.text_key, f.value_time, f.value_boolean) as value,
  (not f.inexact and {test}) is true as right
from chunk_attributes f
  cross join lateral (select c.content, c.first_page, c.last_page from chunks c where c.id = f.chunk_id offset 0) c
where f.role is null and f.document_id = any (%(documents)s::uuid[]) and f.name = any (%(names)s::text[])
  and (%(page)s::integer is null or %(page)s between c.first_page and coalesce(c.last_page, c.first_page))
order by f.chunk_id, f.ordinal
