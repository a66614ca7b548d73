-- Writes documents and pages during ingestion.

-- name: find_document
select * from documents where id = %(id)s

-- Locked until the transaction ends, so that the document's run does not end meanwhile.

-- name: find_by_hash
select * from documents where source_hash = %(hash)s for no key update

-- name: hold
select id from documents where id = any (%(ids)s) order by id for key share

-- name: logical_name
select l.name from documents d join logical_documents l on l.id = d.logical_document_id where d.id = %(id)s

-- Versions that are dropped at once and whose document is new: the second waits for the first, and joins it.

-- name: lock_name
select pg_advisory_xact_lock(hashtextextended(%(name)s, hashtextextended(%(knowledge_base_id)s::text, 0)))

-- name: find_named
select d.id from logical_documents l join documents d on d.logical_document_id = l.id
where l.knowledge_base_id = %(knowledge_base_id)s and l.name = %(name)s
order by l.created_at, l.id, d.version_index desc
limit 1

-- name: add_logical_document
insert into logical_documents (organization_id, knowledge_base_id, id, name)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(name)s)

-- name: remove_logical_document
delete from logical_documents where id = %(id)s

-- name: add_document
insert into documents (organization_id, knowledge_base_id, id, logical_document_id, name, source_type, source_hash,
  source_key, source_version, size, status, error, version_label, version_index, ingestion_id, run_id, engine,
  page_count)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(logical_document_id)s, %(name)s, %(source_type)s,
  %(source_hash)s, %(source_key)s, %(source_version)s, %(size)s, %(status)s, %(error)s, %(label)s, %(version_index)s,
  %(ingestion_id)s, %(ingestion_id)s, %(engine)s, %(page_count)s)
on conflict (knowledge_base_id, source_hash) do nothing
returning *

-- Registers refused bytes again that can be opened now: the values of the new upload replace the former ones.

-- name: revive_refused
update documents set source_key = %(source_key)s, source_version = %(source_version)s, name = %(name)s,
  source_type = %(source_type)s, source_changed_at = null, status = %(status)s, error = null, ingestion_id = %(ingestion_id)s,
  run_id = %(ingestion_id)s, engine = %(engine)s, page_count = %(page_count)s
where source_hash = %(source_hash)s and status = 'refused' and not serving
returning *

-- name: set_opened
update documents set opened_key = %(key)s, opened_hash = %(hash)s where id = %(id)s

-- name: replace_source
update documents set source_key = %(key)s, source_version = %(version)s where id = %(id)s

-- The time since which the stored bytes are known to differ from the registered ones; null if they are not.

-- name: mark_source
update documents set source_changed_at = case when %(changed)s then now() end
where id = %(id)s

-- What is served remains visible, images included, until the new run has stored its chunks.

-- name: restart_document
update documents set status = 'running', error = null, engine = %(engine)s, source_type = %(source_type)s,
  page_count = %(page_count)s, ingestion_id = case when serving then ingestion_id else %(ingestion_id)s end
where id = %(id)s

-- name: restart_pages
update pages p set status = 'queued', error = null
from documents d
where d.id = p.document_id and p.document_id = %(id)s and not d.serving

-- name: claim_for_rerun
update documents set status = 'queued', error = null, run_id = %(run_id)s
where id = %(id)s and status not in ('queued', 'running')
returning id

-- name: set_document_status
update documents set status = %(status)s, error = %(error)s where id = %(id)s

-- name: add_pages
insert into pages (organization_id, knowledge_base_id, document_id, page)
select %(organization_id)s, %(knowledge_base_id)s, %(document_id)s, generate_series(1, %(page_count)s)
on conflict (document_id, page) do nothing

-- name: set_extracted
update documents set confidence = %(confidence)s, extractor_version = %(version)s, ingestion_id = %(ingestion_id)s,
  revision = revision + 1
where id = %(id)s

-- name: count_kept_rows
select coalesce(sum(kept_rows), 0) as rows from tables where document_id = %(id)s

-- name: has_chunks
select 1 from chunks where document_id = %(id)s limit 1

-- name: count_chunks
update documents set chunk_count = (select count(*) from chunks where document_id = %(id)s) where id = %(id)s
returning chunk_count

-- name: publish
update documents set status = %(status)s, error = %(error)s, serving = true, published_at = now(),
  embedder_version = %(embedder_version)s, seconds = %(seconds)s,
  chunk_count = (select count(*) from chunks c where c.document_id = documents.id)
where id = any (%(ids)s)

-- Before a version is served for the first time, an older current version is unset: one statement cannot swap two rows
-- under a unique index.

-- name: supersede_older
update documents d set is_current = false
from documents p
where p.id = any (%(ids)s) and not p.serving and d.logical_document_id = p.logical_document_id and d.is_current
  and d.version_index < p.version_index

-- name: make_newest_current
update documents d set is_current = true
where d.id = any (%(ids)s)
  and not exists (select from documents o where o.logical_document_id = d.logical_document_id and o.is_current)

-- name: set_source_facts
update documents set source_title = %(title)s, source_made = %(made)s where id = %(id)s

-- What a person said stays.

-- name: set_date
update documents set document_date = %(day)s, document_date_unit = %(unit)s, document_date_source = %(source)s,
  document_date_confidence = %(confidence)s, document_date_text = %(text)s
where id = %(id)s and document_date_source is distinct from 'edited'

-- name: edit_date
update documents set document_date = %(day)s, document_date_source = 'edited',
  document_date_unit = case when %(day)s::date is not null then 'day' end,
  document_date_confidence = case when %(day)s::date is not null then 1 end, document_date_text = null
where id = %(id)s
