-- Typed values of chunks, and attribute candidates that were not typed. Scope comes from row-level security.

-- name: remove
with summaries as (delete from attribute_summaries where document_id = %(document_id)s)
delete from chunk_attributes where document_id = %(document_id)s

-- name: remove_names
with summaries as (delete from attribute_summaries where document_id = %(document_id)s and name = any (%(names)s)),
readable as (
  update chunks set attrs = attrs - %(names)s::text[] where document_id = %(document_id)s and attrs ?| %(names)s)
delete from chunk_attributes where document_id = %(document_id)s and name = any (%(names)s)

-- name: set_readable
update chunks c set attrs = c.attrs || r.attrs
from jsonb_to_recordset(%(rows)s) as r (id uuid, attrs jsonb) where c.id = r.id

-- name: stored_names
select distinct name from attribute_summaries where document_id = %(document_id)s

-- name: chunk_keys
select id, content_hash, occurrence from chunks where document_id = %(document_id)s

-- name: add
insert into chunk_attributes (organization_id, knowledge_base_id, document_id, chunk_id, name, ordinal, route,
  comparator, value_number, value_upper, unit, printed_number, printed_upper, tolerance, printed_unit, value_text,
  value_time, value_boolean, raw, qualifier, fragment_ids, confidence, role, extractor_version, schema_version)
select %(organization_id)s, %(knowledge_base_id)s, document_id, chunk_id, name, ordinal, route,
  comparator, value_number, value_upper, unit, printed_number, printed_upper, tolerance, printed_unit, value_text,
  value_time, value_boolean, raw, qualifier, fragment_ids, confidence, role, %(version)s, schema_version
from jsonb_to_recordset(%(rows)s) as r (document_id uuid, schema_version integer, chunk_id uuid, name text, ordinal integer, route text, comparator text,
  value_number float8, value_upper float8, unit text, printed_number float8, printed_upper float8, tolerance float8,
  printed_unit text, value_text text, value_time timestamptz, value_boolean boolean, raw text, qualifier text,
  fragment_ids text[], confidence float8, role text)

-- The lock keeps the attribute what it is until the caller's chunks can be seen by whoever changes it.

-- name: date_chunks
with base as materialized (
  select id, date_attribute from knowledge_bases where id = %(knowledge_base_id)s for share),
dated as (
  select a.chunk_id, max(a.value_time) as date
  from base b join chunk_attributes a on a.knowledge_base_id = b.id and a.name = b.date_attribute
  where %(document_ids)s::uuid[] is null or a.document_id = any (%(document_ids)s::uuid[])
  group by a.chunk_id)
update chunks c set date = f.date
from (
  select o.id, d.date from chunks o left join dated d on d.chunk_id = o.id
  where o.knowledge_base_id = %(knowledge_base_id)s
    and (%(document_ids)s::uuid[] is null or o.document_id = any (%(document_ids)s::uuid[]))
    and o.date is distinct from d.date) f
where c.id = f.id

-- name: date_names
select distinct name from attribute_summaries
where knowledge_base_id = %(knowledge_base_id)s and kind = 'time'
order by name

-- name: remove_candidates
delete from attribute_candidates where document_id = %(document_id)s

-- name: add_candidates
insert into attribute_candidates (organization_id, knowledge_base_id, document_id, name, count, example)
select %(organization_id)s, %(knowledge_base_id)s, document_id, name, count, example
from jsonb_to_recordset(%(rows)s) as r (document_id uuid, name text, count integer, example text)

-- name: remove_undeclared
delete from undeclared_values where document_id = %(document_id)s

-- name: add_undeclared
insert into undeclared_values (organization_id, knowledge_base_id, document_id, name, declared, reason, kind, unit,
  printed_unit, count, labelled, low, high, texts, examples)
values (%(organization_id)s, %(knowledge_base_id)s, %(document_id)s, %(name)s, %(declared)s, %(reason)s, %(kind)s,
  %(unit)s, %(printed_unit)s, %(count)s, %(labelled)s, %(low)s, %(high)s, %(texts)s, %(examples)s)

-- name: list_candidates
select name, sum(count)::integer as count, min(example) as example
from attribute_candidates where knowledge_base_id = %(knowledge_base_id)s
group by name order by 2 desc, 1 limit %(limit)s
