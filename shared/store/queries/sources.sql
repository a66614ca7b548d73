-- Sources: where files come from, and which came.

-- name: add_source
insert into sources (organization_id, knowledge_base_id, id, kind, name, settings, created_by, due_at)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(kind)s, %(name)s, %(settings)s, %(created_by)s,
  %(due_at)s)
on conflict (knowledge_base_id, kind, name) do nothing

-- name: find_source
select s.*, (select count(*) from source_items i where i.source_id = s.id and i.gone_at is null) as files
from sources s where s.id = %(id)s

-- name: source_named
select s.*, (select count(*) from source_items i where i.source_id = s.id and i.gone_at is null) as files
from sources s where s.knowledge_base_id = %(knowledge_base_id)s and s.kind = %(kind)s and s.name = %(name)s

-- name: list_sources
select s.*, (select count(*) from source_items i where i.source_id = s.id and i.gone_at is null) as files
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

-- name: find_items
update source_items set gone_at = null, error = null, checked_at = now()
where source_id = %(source_id)s and path = any(%(names)s)

-- name: tie_document
update source_items set document_id = %(document_id)s where ingestion_id = %(ingestion_id)s

-- name: stored_bytes
select source_hash, id, logical_document_id from documents
where knowledge_base_id = %(knowledge_base_id)s and source_hash = any(%(hashes)s)
