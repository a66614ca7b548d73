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
