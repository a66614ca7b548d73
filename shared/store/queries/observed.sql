-- What was read, by printed name: where nobody declared anything all of it, else what is not declared. Scope comes from
-- row-level security.

-- name: sums
with read as (
  select name, kind, unit, printed_unit, count, document_id, low, high
  from attribute_summaries where knowledge_base_id = %(knowledge_base_id)s and %(is_open)s
  union all
  select name, kind, unit, printed_unit, count, document_id, low, high
  from undeclared_values where knowledge_base_id = %(knowledge_base_id)s and reason = 'undeclared')
select name, kind, unit, printed_unit, sum(count)::bigint as count, array_agg(distinct document_id) as documents,
  min(low) as low, max(high) as high
from read where %(name)s::text is null or name = %(name)s
group by 1, 2, 3, 4 order by 5 desc, 1, 2, 3, 4 limit %(limit)s

-- The documents in which a name is a label or a header, and not only said in sentences.

-- name: labelled
select name, array_agg(distinct document_id) as documents from (
  select name, document_id from chunk_attributes
  where knowledge_base_id = %(knowledge_base_id)s and %(is_open)s and name = any (%(names)s) and route <> 'text' and role is null
  union all
  select name, document_id from undeclared_values
  where knowledge_base_id = %(knowledge_base_id)s and reason = 'undeclared' and name = any (%(names)s) and labelled > 0) l
group by 1

-- name: texts
select name, text, count from (
  select name, text, sum(count)::bigint as count,
    row_number() over (partition by name order by sum(count) desc, text) as place
  from (
    select name, min(value_text) as text, count(*) as count from chunk_attributes
    where knowledge_base_id = %(knowledge_base_id)s and %(is_open)s and name = any (%(names)s) and text_key is not null and role is null
    group by name, text_key
    union all
    select u.name, t.key, sum(t.value::bigint) from undeclared_values u, jsonb_each_text(u.texts) t
    where u.knowledge_base_id = %(knowledge_base_id)s and u.reason = 'undeclared' and u.name = any (%(names)s)
    group by 1, 2) s
  group by 1, 2) p
where place <= %(limit)s order by name, place

-- A few chunks of each name, with all that they hold: which names stand side by side. Each kind of value is asked by
-- itself, as it has its own index: of thousands of rare names each would be looked for among all values.

-- name: together
with few as (
  select distinct s.chunk_id from unnest(%(names)s::text[]) n (name) cross join lateral (
    (select a.chunk_id from chunk_attributes a
    where a.knowledge_base_id = %(knowledge_base_id)s and a.name = n.name and a.role is null and not a.inexact and a.printed_number is not null
    limit %(limit)s)
    union all
    (select a.chunk_id from chunk_attributes a
    where a.knowledge_base_id = %(knowledge_base_id)s and a.name = n.name and a.role is null and a.inexact
    limit %(limit)s)
    union all
    (select a.chunk_id from chunk_attributes a
    where a.knowledge_base_id = %(knowledge_base_id)s and a.name = n.name and a.role is null and a.text_key is not null
    limit %(limit)s)
    union all
    (select a.chunk_id from chunk_attributes a
    where a.knowledge_base_id = %(knowledge_base_id)s and a.name = n.name and a.role is null and a.value_time is not null
    limit %(limit)s)
    union all
    (select a.chunk_id from chunk_attributes a
    where a.knowledge_base_id = %(knowledge_base_id)s and a.name = n.name and a.role is null and a.value_boolean is not null
    limit %(limit)s)
    limit %(limit)s) s)
select a.chunk_id, a.name, a.unit, a.printed_unit, a.value_number from chunk_attributes a join few f on f.chunk_id = a.chunk_id
where a.name = any (%(names)s) and a.role is null

-- The figures that stand under each name, the lowest ones first: of two names that are one, the same ones.

-- name: figures
select distinct n.name, s.document_id, coalesce(s.unit, '') as unit, s.value_number
from unnest(%(names)s::text[]) n (name) cross join lateral (
  select a.document_id, a.unit, a.value_number from chunk_attributes a
  where a.knowledge_base_id = %(knowledge_base_id)s and a.name = n.name and a.role is null and not a.inexact and a.printed_number is not null
    and a.value_number is not null
  order by a.printed_number limit %(limit)s) s

-- Each chunk by its id (`offset 0`): the planner takes a scope for a few chunks, and would look for examples of each.

-- name: examples
with named as materialized (
  select n.name, s.chunk_id, s.raw from unnest(%(names)s::text[]) n (name) cross join lateral (
    (select a.chunk_id, a.raw from chunk_attributes a
    where a.knowledge_base_id = %(knowledge_base_id)s and %(is_open)s and a.name = n.name and a.role is null and not a.inexact and a.printed_number is not null
    limit %(limit)s)
    union all
    (select a.chunk_id, a.raw from chunk_attributes a
    where a.knowledge_base_id = %(knowledge_base_id)s and %(is_open)s and a.name = n.name and a.role is null and a.inexact
    limit %(limit)s)
    union all
    (select a.chunk_id, a.raw from chunk_attributes a
    where a.knowledge_base_id = %(knowledge_base_id)s and %(is_open)s and a.name = n.name and a.role is null and a.text_key is not null
    limit %(limit)s)
    union all
    (select a.chunk_id, a.raw from chunk_attributes a
    where a.knowledge_base_id = %(knowledge_base_id)s and %(is_open)s and a.name = n.name and a.role is null and a.value_time is not null
    limit %(limit)s)
    union all
    (select a.chunk_id, a.raw from chunk_attributes a
    where a.knowledge_base_id = %(knowledge_base_id)s and %(is_open)s and a.name = n.name and a.role is null and a.value_boolean is not null
    limit %(limit)s)
    limit %(limit)s) s
  union all
  select n.name, (s.one ->> 'chunk_id')::uuid, s.one ->> 'raw'
  from unnest(%(names)s::text[]) n (name) cross join lateral (
    select e.value as one from undeclared_values u, jsonb_array_elements(u.examples) e
    where u.knowledge_base_id = %(knowledge_base_id)s and u.name = n.name and u.reason = 'undeclared' limit %(limit)s) s)
select e.name, e.raw, c.id as chunk_id, c.document_id, d.name as document, c.first_page as page, c.boxes -> 0 as box
from named e
  cross join lateral (
    select c.id, c.document_id, c.first_page, c.boxes from chunks c where c.id = e.chunk_id offset 0) c
  cross join lateral (select d.name from documents d where d.id = c.document_id offset 0) d

-- name: documents
select count(distinct document_id) as documents from (
  select document_id from attribute_summaries where knowledge_base_id = %(knowledge_base_id)s
  union all select document_id from undeclared_values where knowledge_base_id = %(knowledge_base_id)s) d
