-- Edits, and what editing needs to read of a document.

-- name: add_edit
insert into edits (organization_id, knowledge_base_id, document_id, id, page, kind, payload, before, after, author_id,
  author)
values (%(organization_id)s, %(knowledge_base_id)s, %(document_id)s, %(id)s, %(page)s, %(kind)s, %(payload)s,
  %(before)s, %(after)s, %(author_id)s, %(author)s)

-- An edit of an earlier version, as it refers to this document; with who made it, and when.

-- name: carry_edit
insert into edits (organization_id, knowledge_base_id, document_id, id, page, kind, payload, before, after, author_id,
  author, created_at)
select organization_id, knowledge_base_id, %(document_id)s, %(new_id)s, %(page)s, kind, %(payload)s, before, after, author_id,
  author, created_at
from edits where id = %(carried_id)s

-- name: list_edits
select * from edits
where document_id = %(document_id)s and (%(before)s::uuid is null or id < %(before)s::uuid)
order by id desc
limit %(limit)s

-- name: get_edit
select * from edits where document_id = %(document_id)s and id = %(id)s

-- name: active_edits
select id, kind, payload, stale from edits where document_id = %(document_id)s and undone_at is null order by id

-- name: set_undone
update edits set undone_at = now(), undone_by = %(by)s where document_id = %(document_id)s and id = %(id)s

-- name: row_keys
select 'chunks' as of, id, content_hash as hash, occurrence from chunks where document_id = %(document_id)s
union all
select 'sections', id, section_hash, occurrence from sections where document_id = %(document_id)s
union all
select 'tables', id, content_hash, occurrence from tables where document_id = %(document_id)s

-- name: add_former
update edits set former = former || %(former)s::jsonb where document_id = %(document_id)s and id = %(id)s

-- name: former_rows
select f ->> 'of' as of, f ->> 'hash' as hash, (f ->> 'occurrence')::integer as occurrence, (f ->> 'id')::uuid as id
from edits e cross join lateral jsonb_array_elements(e.former) f
where e.document_id = %(document_id)s
order by e.id desc

-- name: set_stale
update edits set stale = %(stale)s where document_id = %(document_id)s and id = %(id)s

-- name: lock_revision
select revision, status from documents where id = %(document_id)s for update

-- name: set_edited
update documents set revision = revision + 1, confidence = %(confidence)s,
  chunk_count = (select count(*) from chunks where document_id = %(document_id)s)
where id = %(document_id)s
returning revision

-- name: read_pages
select page from pages where document_id = %(document_id)s and status = 'ready' order by page

-- name: section_ordinal
select ordinal from sections where document_id = %(document_id)s and id = %(id)s

-- name: known_hashes
select distinct index_hash from chunk_vectors
where knowledge_base_id = %(knowledge_base_id)s and embedder_version = %(version)s and index_hash = any (%(hashes)s)

-- name: person
select coalesce(nullif(name, ''), email) as name from users where id = %(id)s

-- name: chunk_pages
select id, first_page, last_page from chunks where document_id = %(document_id)s and id = any (%(ids)s)
