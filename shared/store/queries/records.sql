-- Kinds of records, and records.

-- name: put_kind
insert into record_kinds (organization_id, knowledge_base_id, name, schema, key_field, title_field)
select organization_id, id, %(name)s, %(schema)s, %(key_field)s, %(title_field)s
from knowledge_bases where id = %(knowledge_base_id)s
on conflict (organization_id, knowledge_base_id, name) do update set schema = excluded.schema,
  key_field = excluded.key_field, title_field = excluded.title_field, revision = record_kinds.revision + 1, updated_at = now()
returning *

-- name: list_kinds
select * from record_kinds where knowledge_base_id = %(knowledge_base_id)s order by name

-- name: remove_kind
delete from record_kinds where knowledge_base_id = %(knowledge_base_id)s and name = %(name)s returning name

-- One at a time of those that are posted at once with the same key; in the order of keys, so that none waits for the other.

-- name: lock_keys
select pg_advisory_xact_lock(hashtextextended(k.key, hashtextextended(k.kind, hashtextextended(%(knowledge_base_id)s::text, 0))))
from (select distinct kind, key from unnest(%(record_kinds)s::text[], %(record_keys)s::text[]) r (kind, key) order by kind, key) k

-- The latest version of each, ready or not.

-- name: latest_records
select distinct on (r.kind, r.key) r.kind, r.key, r.values_hash, d.id, d.version_index, d.status, l.name as title
from unnest(%(record_kinds)s::text[], %(record_keys)s::text[]) k (kind, key)
  join records r on r.knowledge_base_id = %(knowledge_base_id)s and r.kind = k.kind and r.key = k.key
  join documents d on d.id = r.document_id
  join logical_documents l on l.id = d.logical_document_id
order by r.kind, r.key, d.version_index desc

-- name: add_records
insert into records (organization_id, knowledge_base_id, document_id, kind, key, values_hash)
select %(organization_id)s, %(knowledge_base_id)s, document_id, kind, key, values_hash
from json_populate_recordset(null::records, %(rows)s)
on conflict do nothing
