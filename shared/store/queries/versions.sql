-- Versions: moving documents between logical documents, which one is current. The caller holds the lock of `lock`.

-- name: logical_of
select logical_document_id as id from documents where id = %(id)s

-- name: lock
select pg_advisory_xact_lock(hashtextextended('autri versions ' || knowledge_base_id, 0)) from documents where id = %(id)s

-- name: lock_base
select pg_advisory_xact_lock(hashtextextended('autri versions ' || %(knowledge_base_id)s::uuid, 0))

-- name: members
select id, name, version_label, version_index, is_current, serving
from documents where logical_document_id = %(id)s
order by version_index

-- name: add_logical_document
insert into logical_documents (organization_id, knowledge_base_id, id, name)
select organization_id, knowledge_base_id, %(id)s, %(name)s from documents where id = %(document_id)s

-- name: remove_empty
delete from logical_documents l
where l.id = %(id)s and not exists (select from documents d where d.logical_document_id = l.id)

-- name: leave
update documents set is_current = false where id = %(id)s and is_current

-- Uses negative numbers temporarily, since a unique index is checked row by row.

-- name: park
update documents set logical_document_id = %(logical_id)s, version_index = -%(rank)s where id = %(id)s

-- name: renumber
update documents set version_index = -version_index where logical_document_id = %(id)s and version_index < 0

-- name: step_down
update documents set is_current = false
where logical_document_id = %(logical_id)s and is_current and id is distinct from %(current)s::uuid

-- name: step_up
update documents set is_current = true where id = %(current)s and not is_current

-- name: rename
update documents set name = coalesce(%(name)s, name),
  version_label = case when %(set_label)s then %(label)s else version_label end
where id = %(id)s

-- name: rename_logical
update logical_documents set name = %(name)s where id = %(id)s
