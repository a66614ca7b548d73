-- Which attributes there are. Scope comes from row-level security.

-- name: declared
select distinct name, kind, unit, printed_unit from attribute_summaries where name = any (%(names)s)

-- name: names
with recursive found as (
  (select name from attribute_summaries order by name limit 1)
  union all
  select (select s.name from attribute_summaries s where s.name > f.name order by s.name limit 1)
  from found f where f.name is not null)
select name from found where name is not null limit %(limit)s

-- name: list
select name,
  sum(count)::bigint as count,
  count(distinct document_id) as documents
from attribute_summaries where name > %(after)s
group by name order by name limit %(limit)s
