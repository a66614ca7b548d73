-- Experiment summaries, their versions, and what people changed in them. Scope comes from row-level security.

-- Until the transaction ends nobody else changes this summary.

-- name: hold_summary
insert into summaries (organization_id, knowledge_base_id, document_id)
select d.organization_id, d.knowledge_base_id, d.id from documents d where d.id = %(document_id)s
on conflict (document_id) do update set updated_at = now()
returning version

-- name: add_version
insert into summary_versions (organization_id, knowledge_base_id, document_id, id, version, reason, hash, revision,
  engine, usd, body, author_id, author, restored)
select s.organization_id, s.knowledge_base_id, s.document_id, %(new_id)s, %(number)s, %(reason)s, %(body_hash)s,
  %(revision)s, %(engine)s, %(usd)s, %(body)s, %(author_id)s, %(by)s, %(restored)s
from summaries s where s.document_id = %(document_id)s

-- name: show_version
update summaries set version = %(number)s where document_id = %(document_id)s

-- The version that is shown, or another one, of each document.

-- name: get_versions
select v.*, s.version as newest, d.name as document_name, d.is_current, d.revision as document_revision, d.review
from summaries s
  join summary_versions v on v.document_id = s.document_id and v.version = coalesce(%(wanted)s::integer, s.version)
  join documents d on d.id = s.document_id
where s.document_id = any(%(document_ids)s)

-- name: list_versions
select v.version, v.reason, v.restored, v.engine, v.usd, v.author, v.created_at,
  jsonb_array_length(v.body -> 'statements') as statements, jsonb_array_length(v.body -> 'cells') as cells
from summary_versions v
where v.document_id = %(document_id)s
order by v.version

-- Those that are shown, of documents in the order of their ids. A range is looked for among cells, and where neither
-- metric nor system is asked for among the values of statements too.

-- name: list_summaries
select s.document_id, d.name as document_name, d.is_current, d.revision as document_revision, d.review, v.version,
  v.reason, v.revision, v.engine, v.author, v.created_at, v.body
from summaries s
  join summary_versions v on v.document_id = s.document_id and v.version = s.version
  join documents d on d.id = s.document_id
where (%(knowledge_base_id)s::uuid is null or s.knowledge_base_id = %(knowledge_base_id)s::uuid)
  and (%(before)s::uuid is null or s.document_id < %(before)s::uuid)
  and (%(field)s::text is null and %(words)s::text[] = '{}' or exists (
    select from jsonb_array_elements(v.body -> 'statements') e (one)
    where (%(field)s::text is null or e.one ->> 'field' = %(field)s::text)
      and not exists (
        select from unnest(%(words)s::text[]) w (word) where position(w.word in lower(e.one ->> 'text')) = 0)))
  and (%(metric)s::text is null and %(system)s::text is null and %(low)s::double precision is null
      and %(high)s::double precision is null and %(unit)s::text is null
    or exists (
      select from jsonb_array_elements(v.body -> 'cells') e (one)
      where position(lower(coalesce(%(metric)s::text, '')) in lower(e.one ->> 'metric')) > 0
        and position(lower(coalesce(%(system)s::text, '')) in lower(e.one ->> 'system')) > 0
        and (e.one #>> '{quantity,canonical_number}')::double precision
          between coalesce(%(low)s::double precision, '-Infinity') and coalesce(%(high)s::double precision, 'Infinity')
        and (%(unit)s::text is null or e.one #>> '{quantity,canonical_unit}' = %(unit)s::text))
    or %(metric)s::text is null and %(system)s::text is null and exists (
      select from jsonb_array_elements(v.body -> 'statements') e (one), jsonb_array_elements(e.one -> 'values') n (value)
      where (%(field)s::text is null or e.one ->> 'field' = %(field)s::text)
        and (n.value #>> '{quantity,canonical_number}')::double precision
          between coalesce(%(low)s::double precision, '-Infinity') and coalesce(%(high)s::double precision, 'Infinity')
        and (%(unit)s::text is null or n.value #>> '{quantity,canonical_unit}' = %(unit)s::text)))
order by s.document_id desc
limit %(limit)s

-- name: add_edit
insert into summary_edits (organization_id, knowledge_base_id, document_id, id, target, field, text, chunk_ids, author_id,
  author)
select s.organization_id, s.knowledge_base_id, s.document_id, %(new_id)s, %(target)s, %(field)s, %(text)s, %(chunk_ids)s,
  %(author_id)s, %(by)s
from summaries s where s.document_id = %(document_id)s

-- name: list_edits
select id, target, field, text, chunk_ids, author, created_at from summary_edits
where document_id = %(document_id)s
order by id

-- name: remove_edit
delete from summary_edits where document_id = %(document_id)s and id = %(edit_id)s
