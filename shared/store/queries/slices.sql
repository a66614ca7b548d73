-- Documents of one knowledge base that were posted together, registered set by set.

-- A new version comes behind the latest one; what is to be a version of a document that is gone is left out.

-- name: add_logical_documents
insert into logical_documents (organization_id, knowledge_base_id, id, name)
select organization_id, knowledge_base_id, logical_id, title
from json_to_recordset(%(rows)s) r (organization_id uuid, knowledge_base_id uuid, logical_id uuid, title text)
where logical_id is not null

-- name: add_documents
insert into documents (organization_id, knowledge_base_id, id, logical_document_id, name, source_type, source_hash,
  source_key, source_version, size, status, version_index, ingestion_id, run_id, engine, page_count, chunk_count,
  source_title, source_made, confidence, extractor_version, revision, document_date, document_date_unit,
  document_date_source, document_date_confidence, document_date_text)
select r.organization_id, r.knowledge_base_id, r.id, coalesce(w.logical_id, b.logical_document_id), r.name,
  r.source_type, r.source_hash, r.source_key, r.source_version, r.size, 'running',
  coalesce((select max(o.version_index) from documents o where o.logical_document_id = b.logical_document_id), 0) + 1,
  r.run_id, r.run_id, 'layout', r.page_count, r.chunk_count, r.source_title, r.source_made, r.confidence,
  r.extractor_version, 1, r.document_date, r.document_date_unit, r.document_date_source, r.document_date_confidence,
  r.document_date_text
from json_populate_recordset(null::documents, %(rows)s) r
  join json_to_recordset(%(rows)s) w (id uuid, logical_id uuid, version_of uuid) on w.id = r.id
  left join documents b on b.id = w.version_of
where w.logical_id is not null or b.id is not null
on conflict (knowledge_base_id, source_hash) do nothing
returning id

-- name: remove_unused
delete from logical_documents where id = any (%(ids)s)

-- name: names
select d.id, l.name from documents d join logical_documents l on l.id = d.logical_document_id where d.id = any (%(ids)s)

-- name: start_runs
update ingestions i set document_id = d.id, page_count = d.page_count, error = null, started_at = now()
from documents d where d.id = any (%(ids)s) and i.id = d.run_id

-- `at` is the ingestion's age in seconds, as where a stage ends by itself.

-- name: end_stages
update ingestions i set stages = i.stages || (
  select jsonb_object_agg(key, jsonb_build_object('status', 'done', 'seconds', value,
    'at', extract(epoch from (clock_timestamp() - i.created_at))))
  from jsonb_each(%(took)s))
from documents d where d.id = any (%(ids)s) and i.id = d.run_id
