-- What `verify` compares beside the chunks that are served. Scope comes from row-level security.

-- name: pages
select page, status = 'failed' as failed, route, skipped from pages where document_id = %(id)s order by page

-- name: sections
select s.id, s.parent_id, s.address, s.title, s.depth, s.page, s.captioned, s.path,
  array(select a.address_key from section_addresses a where a.section_id = s.id and a.exact) as keys
from sections s
where s.document_id = %(id)s
order by s.ordinal, s.id

-- name: figures
select chunk_id, page, box, caption from figures where document_id = %(id)s

-- name: attributes
select chunk_id, raw, fragment_ids from chunk_attributes where document_id = %(id)s

-- name: tables
select id from tables where document_id = %(id)s
