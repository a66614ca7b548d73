-- Which stored objects rows know. Scope comes from row-level security.

-- Uploads whose file is still wanted: on its way, or a document's. What was a duplicate or never became a document is not.

-- name: wanted_uploads
select id from ingestions
where not duplicate and (document_id is not null or status in ('waiting', 'queued', 'running'))

-- name: runs
select document_id, id from ingestions where document_id is not null and not duplicate

-- name: keys
select source_key, opened_key from documents
