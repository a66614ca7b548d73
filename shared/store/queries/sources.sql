-- Sources: where files come from, and which came.

-- name: add_source
insert into sources (organization_id, knowledge_base_id, id, kind, name, settings, created_by, due_at)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(kind)s, %(name)s, %(settings)s, %(created_by)s,
  %(due_at)s)
on conflict (knowledge_base_id, kind, name) do nothing

-- name: find_source
select s.*, (select count(*) from source_items i where i.source_id = s.id and i.gone_at is null and i.parcel is null) as files
from sources s where s.id = %(id)s

-- name: source_named
select s.*, (select count(*) from source_items i where i.source_id = s.id and i.gone_at is null and i.parcel is null) as files
from sources s where s.knowledge_base_id = %(knowledge_base_id)s and s.kind = %(kind)s and s.name = %(name)s

-- name: list_sources
select s.*, (select count(*) from source_items i where i.source_id = s.id and i.gone_at is null and i.parcel is null) as files
from sources s
where s.knowledge_base_id = %(knowledge_base_id)s and (%(after)s::uuid is null or s.id > %(after)s)
order by s.id
limit %(limit)s

-- name: due_sources
select * from sources where due_at <= now() order by due_at, id

-- What is due is left as it is: a round that has begun goes on where it stopped.

-- name: make_due
update sources set due_at = least(due_at, now()) where id = %(id)s

-- name: remove_source
delete from sources where id = %(id)s

-- name: note_look
update sources set looked_at = now(), result = %(result)s, error = %(error)s, due_at = %(due_at)s where id = %(id)s

-- Looks at one source happen one after the other.

-- name: lock_source
select id from sources where id = %(id)s for no key update

-- name: list_items
select i.path, i.sha256, i.mark, i.modified, i.document_id, i.ingestion_id, coalesce(r.status, d.status) as status,
  coalesce(i.error, r.error) as error, i.gone_at, i.checked_at, d.logical_document_id, d.name
from source_items i
left join ingestions r on r.id = i.ingestion_id
left join documents d on d.id = i.document_id
where i.source_id = %(source_id)s and i.path > %(path)s
order by i.path
limit %(limit)s

-- How files came last. What a ZIP file has brought is known by the run that took it apart, and from then on by its own
-- item; `within` says that the last bytes of its ZIP file have it, `turned` that these have another version of it.

-- name: known_files
with own as (select * from source_items where source_id = %(source_id)s), brought as (
  select own.path || %(way)s || u.path as path, own.path as parcel, u.sha256, u.id as ingestion_id, r.document_id
  from own join uploads u on u.parcel_id = own.ingestion_id join ingestions r on r.id = u.id
  where u.path is not null)
select path, coalesce(b.sha256, i.sha256) as sha256, coalesce(b.document_id, i.document_id) as document_id,
  coalesce(b.ingestion_id, i.ingestion_id) as ingestion_id, coalesce(b.parcel, i.parcel) as parcel,
  b.parcel is not null as within, coalesce(r.status, d.status) as status, coalesce(i.error, r.error) as error, i.gone_at,
  d.logical_document_id, exists (select from documents f where f.id = i.document_id and f.id <> d.id
    and f.logical_document_id = d.logical_document_id) as turned
from own i full join brought b using (path)
left join ingestions r on r.id = coalesce(b.ingestion_id, i.ingestion_id)
left join documents d on d.id = coalesce(b.document_id, i.document_id)
where coalesce(b.parcel, i.parcel) is null or d.id is not null
order by path

-- Files of ZIP files that are there, as these brought them last.

-- name: note_members
insert into source_items (organization_id, knowledge_base_id, source_id, path, parcel, sha256, ingestion_id, document_id,
  checked_at)
select i.organization_id, i.knowledge_base_id, i.source_id, i.path || %(way)s || u.path, i.path, u.sha256, u.id,
  r.document_id, now()
from source_items i join uploads u on u.parcel_id = i.ingestion_id join ingestions r on r.id = u.id
where i.source_id = %(source_id)s and i.gone_at is null and u.path is not null and r.document_id is not null
on conflict (source_id, path) do update set parcel = excluded.parcel, sha256 = excluded.sha256,
  ingestion_id = excluded.ingestion_id, document_id = excluded.document_id, gone_at = null, error = null,
  checked_at = now()
where source_items.gone_at is not null
  or (source_items.ingestion_id, source_items.document_id) is distinct from (excluded.ingestion_id, excluded.document_id)

-- What the files of a ZIP file are versions of: what came from the same place of the one before, unless it stands
-- elsewhere too.

-- name: former_members
select substr(m.path, length(z.path || %(way)s) + 1) as path, m.document_id
from source_items z join source_items m on m.source_id = z.source_id and m.parcel = z.path
join documents d on d.id = m.document_id
where z.ingestion_id = %(ingestion_id)s and not exists (
  select from source_items o join documents e on e.id = o.document_id
  where o.source_id = z.source_id and o.path <> m.path and o.gone_at is null
    and e.logical_document_id = d.logical_document_id)

-- A ZIP file with what it brought.

-- name: move_parcel
update source_items set path = %(path)s || substr(path, length(%(before_path)s) + 1),
  parcel = case when parcel is not null then %(path)s end, gone_at = null
where source_id = %(source_id)s and (path = %(before_path)s or parcel = %(before_path)s)

-- A page is one document by whichever way it came: what came last of any source that is fetched.

-- name: known_page
select i.sha256, i.mark, i.modified, i.document_id, i.ingestion_id, r.status as run
from source_items i
join sources s on s.id = i.source_id
left join ingestions r on r.id = i.ingestion_id
where s.knowledge_base_id = %(knowledge_base_id)s and s.kind = any(%(kinds)s) and i.path = %(path)s
  and (i.ingestion_id is not null or i.document_id is not null)
order by i.ingestion_id desc nulls last, i.checked_at desc
limit 1

-- name: put_item
insert into source_items (organization_id, knowledge_base_id, source_id, path, sha256, mark, modified, ingestion_id,
  document_id, checked_at)
values (%(organization_id)s, %(knowledge_base_id)s, %(source_id)s, %(path)s, %(sha256)s, %(mark)s, %(modified)s,
  %(ingestion_id)s, %(document_id)s, now())
on conflict (source_id, path) do update set sha256 = excluded.sha256, mark = excluded.mark, modified = excluded.modified,
  ingestion_id = excluded.ingestion_id, document_id = coalesce(excluded.document_id, source_items.document_id),
  gone_at = null, error = null, checked_at = now()

-- name: fail_item
insert into source_items (organization_id, knowledge_base_id, source_id, path, error, checked_at)
values (%(organization_id)s, %(knowledge_base_id)s, %(source_id)s, %(path)s, %(error)s, now())
on conflict (source_id, path) do update set error = excluded.error, checked_at = now()

-- name: remove_item
delete from source_items where source_id = %(source_id)s and path = %(path)s

-- name: lose_items
update source_items set gone_at = coalesce(gone_at, now()) where source_id = %(source_id)s and path = any(%(names)s)

-- name: unlist_items
update source_items set gone_at = coalesce(gone_at, now()), error = null
where source_id = %(source_id)s and path = any(%(names)s)

-- name: relist_items
update source_items set gone_at = null
where source_id = %(source_id)s and path = any(%(names)s) and gone_at is not null and error is null

-- name: find_items
update source_items set gone_at = null, error = null, checked_at = now()
where source_id = %(source_id)s and path = any(%(names)s)

-- name: tie_document
update source_items set document_id = %(document_id)s where ingestion_id = %(ingestion_id)s

-- name: stored_bytes
select source_hash, id, logical_document_id from documents
where knowledge_base_id = %(knowledge_base_id)s and source_hash = any(%(hashes)s)
