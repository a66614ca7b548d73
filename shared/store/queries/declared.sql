-- The names of attributes in use. Scope comes from row-level security. Each knowledge base is read separately: only then
-- does the index return rows in an order in which equal ones can be skipped.

-- name: declared
with recursive bases as (
  select unnest(coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[]) as id),
found as (
  select b.id as base, n.name, s.kind, s.unit, s.printed_unit
  from bases b cross join unnest(%(names)s::text[]) n (name) cross join lateral (
    select a.kind, a.unit, a.printed_unit from attribute_summaries a
    where a.knowledge_base_id = b.id and a.name = n.name
    order by a.kind, a.unit, a.printed_unit limit 1) s
  union all
  select f.base, f.name, s.kind, s.unit, s.printed_unit
  from found f cross join lateral (
    select a.kind, a.unit, a.printed_unit from attribute_summaries a
    where a.knowledge_base_id = f.base and a.name = f.name
      and (a.kind, a.unit, a.printed_unit) > (f.kind, f.unit, f.printed_unit)
    order by a.kind, a.unit, a.printed_unit limit 1) s)
select name, kind, unit, printed_unit from found

-- name: names
with recursive bases as (
  select unnest(coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[]) as id),
found as (
  select b.id as base, s.name
  from bases b cross join lateral (
    select a.name from attribute_summaries a where a.knowledge_base_id = b.id order by a.name limit 1) s
  union all
  select f.base, s.name
  from found f cross join lateral (
    select a.name from attribute_summaries a
    where a.knowledge_base_id = f.base and a.name > f.name order by a.name limit 1) s)
select distinct name from found order by name limit %(limit)s

-- name: list
select s.name, sum(s.count)::bigint as count, count(distinct s.document_id) as documents,
  (select jsonb_agg(to_jsonb(k) order by k.count desc, k.type, k.unit, k.printed_unit) from (
    select a.kind as type, nullif(a.unit, '') as unit, nullif(a.printed_unit, '') as printed_unit,
      sum(a.count)::bigint as count, min(a.low) as low, max(a.high) as high,
      min(a.first_time) as first, max(a.last_time) as last, min(a.example) as example
    from attribute_summaries a
    where a.knowledge_base_id = %(knowledge_base_id)s and a.name = s.name
    group by 1, 2, 3) k) as values
from attribute_summaries s
where s.knowledge_base_id = %(knowledge_base_id)s and s.name > %(after)s
group by s.name order by s.name limit %(limit)s
