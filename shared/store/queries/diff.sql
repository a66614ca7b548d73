-- The sections, chunks and vectors by which two versions of a document are compared.

-- name: sections
select s.id, s.parent_id, s.ordinal, s.address, s.title, s.path, s.page,
  (select a.address_key from section_addresses a where a.section_id = s.id and a.exact
    order by length(a.address_key) desc limit 1) as key
from sections s
where s.document_id = %(id)s
order by s.ordinal, s.id

-- The chunks of a table's rows represent the table, so its own chunk is left out.

-- name: chunks
select c.id, c.section_id, c.chunk_type, c.content, c.boxes, c.first_page
from chunks c
where c.document_id = %(id)s and c.chunk_type <> 'table' and c.content <> ''
order by c.ordinal, c.id

-- name: vectors
select v.chunk_id, v.embedding::vector as embedding
from chunk_vectors v
where v.document_id = %(id)s and v.embedder_version = %(version)s

-- name: counts
select d.embedder_version, (select count(*) from chunks c where c.document_id = d.id) as chunks
from documents d where d.id = %(id)s

-- name: hashed_chunks
select id, content_hash, chunk_type, first_page as page from chunks where document_id = %(document_id)s order by ordinal, id
