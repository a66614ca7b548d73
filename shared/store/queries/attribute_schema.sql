-- Schemas of attributes: their versions, what was read under which, and what is left to read. Scope comes from row-level
-- security.

-- name: current
select v.version, v.attributes
from knowledge_bases k
  join schema_versions v on v.knowledge_base_id = k.id and v.version = k.schema_version
where k.id = %(knowledge_base_id)s

-- The lock keeps the schema what it is until what the caller stores can be seen by whoever changes it.

-- name: current_shared
select schema_version from knowledge_bases where id = %(knowledge_base_id)s for share

-- name: at_version
select version, attributes from schema_versions
where knowledge_base_id = %(knowledge_base_id)s and version = %(schema_version)s

-- name: lock
select coalesce(schema_version, 0) as version from knowledge_bases where id = %(knowledge_base_id)s for update

-- name: add_version
insert into schema_versions (organization_id, knowledge_base_id, version, attributes, names, why, author_id, author)
select organization_id, id, %(schema_version)s, %(attributes)s, %(names)s::text[], %(why)s, %(author_id)s, %(by)s
from knowledge_bases where id = %(knowledge_base_id)s

-- name: set_version
update knowledge_bases set schema_version = %(schema_version)s where id = %(knowledge_base_id)s

-- name: list_versions
select version, attributes, why, author, created_at from schema_versions
where knowledge_base_id = %(knowledge_base_id)s and (%(former_version)s = 0 or version < %(former_version)s)
order by version desc limit %(limit)s

-- Documents in which one of these names was read or refused, or that print one of them. Everything that a change of
-- these attributes could alter is in one of them.

-- name: affected
select d.id, d.chunk_count from documents d
where d.knowledge_base_id = %(knowledge_base_id)s and d.chunk_count > 0 and d.status in ('ready', 'ready_with_errors')
  and d.schema_version is not distinct from %(former_version)s
  and (%(former_version)s::integer is null
    or exists (select from attribute_summaries s where s.document_id = d.id and s.name = any (%(names)s))
    or exists (select from undeclared_values u where u.document_id = d.id and u.name = any (%(names)s))
    or exists (select from attribute_candidates a where a.document_id = d.id and a.name = any (%(names)s))
    or exists (select from chunks c where c.document_id = d.id and c.index_text ilike any (%(patterns)s)))

-- name: spare
update documents set schema_version = %(schema_version)s
where knowledge_base_id = %(knowledge_base_id)s and schema_version is not distinct from %(former_version)s
  and not (id = any (%(affected)s::uuid[]))

-- name: set_read_under
update documents set schema_version = %(schema_version)s where id = any (%(document_ids)s)

-- name: behind
select count(*)::integer as documents, coalesce(sum(d.chunk_count), 0)::bigint as chunks
from documents d join knowledge_bases k on k.id = d.knowledge_base_id
where d.knowledge_base_id = %(knowledge_base_id)s and d.chunk_count > 0 and d.status in ('ready', 'ready_with_errors')
  and d.schema_version is distinct from k.schema_version

-- The next document to read: one that is served, or was.

-- name: next_behind
select d.id, d.schema_version
from documents d join knowledge_bases k on k.id = d.knowledge_base_id
where d.knowledge_base_id = %(knowledge_base_id)s and d.chunk_count > 0 and d.status in ('ready', 'ready_with_errors')
  and d.schema_version is distinct from k.schema_version
  and (%(chunks_max)s::integer is null or d.chunk_count <= %(chunks_max)s)
order by d.id limit 1

-- name: lock_document
select revision, ingestion_id, schema_version from documents where id = %(document_id)s for update

-- name: end_running
update schema_backfills set status = 'cancelled', ended_at = now()
where knowledge_base_id = %(knowledge_base_id)s and status = 'running' and version <> %(schema_version)s

-- name: add_backfill
insert into schema_backfills (organization_id, knowledge_base_id, version, names, status, documents, chunks, ended_at)
select organization_id, id, %(schema_version)s, %(names)s::text[],
  case when %(document_count)s = 0 then 'done' else 'running' end, %(document_count)s, %(chunks)s,
  case when %(document_count)s = 0 then now() end
from knowledge_bases where id = %(knowledge_base_id)s

-- name: backfill
select version, names, status, documents, chunks, documents_done, chunks_done, found, refused, unread, seconds, error,
  created_at, ended_at
from schema_backfills where knowledge_base_id = %(knowledge_base_id)s order by version desc limit 1

-- name: set_status
update schema_backfills b set status = %(status)s,
  ended_at = case when %(status)s = 'running' then null else now() end
from knowledge_bases k
where k.id = %(knowledge_base_id)s and b.knowledge_base_id = k.id and b.version = k.schema_version
  and b.status = any (%(states)s::text[])

-- name: add_progress
update schema_backfills b set documents_done = documents_done + 1, chunks_done = chunks_done + %(chunks)s,
  found = found + %(found)s, refused = refused + %(refused)s, unread = unread + %(unread)s,
  seconds = seconds + %(seconds)s, error = coalesce(%(error)s, error)
from knowledge_bases k
where k.id = %(knowledge_base_id)s and b.knowledge_base_id = k.id and b.version = k.schema_version

-- name: pace
select sum(seconds) / nullif(sum(chunks_done), 0) as seconds
from schema_backfills where knowledge_base_id = %(knowledge_base_id)s

-- name: refused
select declared as name, reason, sum(count)::bigint as count from undeclared_values
where knowledge_base_id = %(knowledge_base_id)s and declared <> ''
group by 1, 2 order by 1, 2

-- name: candidates
with all_of_them as (
  select name, declared, reason, kind, unit, printed_unit, count, document_id, examples
  from undeclared_values where knowledge_base_id = %(knowledge_base_id)s
  union all
  select name, '', 'unreadable', 'text', '', '', count, document_id,
    jsonb_build_array(jsonb_build_object('raw', example))
  from attribute_candidates where knowledge_base_id = %(knowledge_base_id)s)
select c.name, c.declared, c.reason, sum(c.count)::bigint as count, count(distinct c.document_id) as documents,
  array_agg(distinct c.kind) as kinds,
  coalesce(array_agg(distinct c.printed_unit) filter (where c.printed_unit <> ''), '{}') as units,
  (array_agg(distinct e.value ->> 'raw'))[1:3] as examples
from all_of_them c left join lateral jsonb_array_elements(c.examples) with ordinality e (value, place) on place = 1
group by 1, 2, 3
order by 4 desc, 1, 2, 3 limit %(limit)s

-- Where values stand that were read for a declared attribute and do not fit it.

-- name: places
select r.declared, r.name, r.reason, r.raw, c.id as chunk_id, c.document_id, d.name as document, c.first_page as page,
  c.boxes -> 0 as box
from (
  select u.declared, u.name, u.reason, e.value ->> 'raw' as raw, (e.value ->> 'chunk_id')::uuid as chunk_id,
    row_number() over (partition by u.declared, u.name, u.reason order by u.document_id, e.place) as place
  from undeclared_values u cross join lateral jsonb_array_elements(u.examples) with ordinality e (value, place)
  where u.knowledge_base_id = %(knowledge_base_id)s and u.declared <> '') r
  cross join lateral (
    select c.id, c.document_id, c.first_page, c.boxes from chunks c where c.id = r.chunk_id offset 0) c
  cross join lateral (select d.name from documents d where d.id = c.document_id offset 0) d
where r.place <= %(limit)s
order by r.declared, r.name, r.reason, r.place
