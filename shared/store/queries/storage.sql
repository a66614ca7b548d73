-- The objects of the object store that rows refer to. Scope comes from row-level security.

-- Uploads whose file is still needed: not yet registered, or a document's source. Not needed: duplicates, and those
-- that never became a document.

-- name: wanted_uploads
select id from ingestions
where not duplicate and (document_id is not null or status in ('waiting', 'queued', 'running'))

-- name: runs
select document_id, id from ingestions where document_id is not null and not duplicate

-- name: keys
select source_key, opened_key from documents

-- What is served needs its source, of a protected one its opened copy, and the file of each page that could be read.

-- name: needed
select d.id as document_id, d.name, d.ingestion_id, d.source_key, d.opened_key,
  array(select p.page from pages p where p.document_id = d.id and p.status <> 'failed' order by p.page) as pages
from documents d
where d.ingestion_id is not null and d.status in ('ready', 'ready_with_errors')
order by d.id
