-- The names of attributes that filters may use: those that were read, and where people declared attributes, these alone.
-- Scope comes from row-level security. Each knowledge base is read separately: only then
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
select f.base, f.name, f.kind, f.unit, f.printed_unit
from found f
  join knowledge_bases k on k.id = f.base
  left join schema_versions v on v.knowledge_base_id = k.id and v.version = k.schema_version
where v.version is null or f.name = any (v.names)

-- name: schemas
select k.id as base, v.attributes
from knowledge_bases k
  left join schema_versions v on v.knowledge_base_id = k.id and v.version = k.schema_version
where k.id = any (coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[])

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
select distinct f.name
from found f
  join knowledge_bases k on k.id = f.base
  left join schema_versions v on v.knowledge_base_id = k.id and v.version = k.schema_version
where v.version is null or f.name = any (v.names)
order by 1 limit %(limit)s

-- Of each unit the first names of attributes that have numbers in it.

-- name: in_units
select u.unit, n.name from unnest(%(units)s::text[]) u (unit) cross join lateral (
  select distinct a.name from attribute_summaries a
  where a.knowledge_base_id = any (coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[])
    and a.unit = u.unit
  order by a.name limit %(limit)s) n

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
  and (%(names)s::text[] is null or s.name = any (%(names)s))
group by s.name order by s.name limit %(limit)s
