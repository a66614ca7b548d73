-- Reads documents, pages, sections and chunks. Scope comes from row-level security.

-- name: list_documents
select d.*, l.name as logical_document_name
from documents d join logical_documents l on l.id = d.logical_document_id
where (%(knowledge_base_id)s::uuid is null or d.knowledge_base_id = %(knowledge_base_id)s::uuid)
  and (%(before)s::uuid is null or d.id < %(before)s::uuid)
order by d.id desc
limit %(limit)s

-- name: get_document
select d.*, l.name as logical_document_name
from documents d join logical_documents l on l.id = d.logical_document_id
where d.id = %(id)s

-- name: list_versions
select d.*, l.name as logical_document_name
from documents d join logical_documents l on l.id = d.logical_document_id
where d.logical_document_id = (select logical_document_id from documents where id = %(id)s)
  and d.version_index > %(after)s
order by d.version_index
limit %(limit)s

-- name: list_trees
with found as materialized (
  select l.id from logical_documents l
  where (%(knowledge_base_id)s::uuid is null or l.knowledge_base_id = %(knowledge_base_id)s::uuid)
    and (%(before)s::uuid is null or l.id < %(before)s::uuid)
    and exists (select from documents d where d.logical_document_id = l.id)
  order by l.id desc
  limit %(limit)s)
select d.*, l.name as logical_document_name
from found f join logical_documents l on l.id = f.id join documents d on d.logical_document_id = l.id
order by l.id desc, d.version_index

-- name: table_of_chunk
select t.id, t.document_id, t.caption, t.header_rows, t.first_page, t.last_page, t.grid as "rows", t.kept_rows,
  t.organization_id, t.knowledge_base_id, e.ingestion_id
from chunks c join tables t on t.id = c.table_id and t.document_id = c.document_id join documents e on e.id = t.document_id
where c.id = %(id)s

-- name: kept_blocks
select first_page, kept_rows from tables where document_id = %(document_id)s and kept_rows is not null order by first_page

-- name: chunks_of_rows
select id, table_row from chunks
where document_id = %(document_id)s and table_id = %(table_id)s and chunk_type = 'table_row'

-- name: count_skipped
select p.document_id, s ->> 'reason' as reason, count(*) as pieces
from pages p cross join lateral jsonb_array_elements(p.skipped) s
where p.document_id = any (%(ids)s)
group by 1, 2
order by 1, 2

-- name: get_place
select id, organization_id, knowledge_base_id, ingestion_id, name, status, revision
from documents where id = %(id)s

-- name: list_pages
select p.page, p.label, p.width_pt, p.height_pt, p.route, p.status, p.confidence, p.flags, p.error, p.engine, p.engine_note,
  (select count(*) from chunks c
   where c.document_id = p.document_id and c.first_page <= p.page and c.last_page >= p.page) as chunks
from pages p
where p.document_id = %(document_id)s and p.page > %(after)s
order by p.page
limit %(limit)s

-- name: get_page
select p.page, p.label, p.width_pt, p.height_pt, p.route, p.status, p.confidence, p.flags, p.error, p.skipped, p.unclaimed,
  p.engine, p.engine_note,
  (select count(*) from chunks c
   where c.document_id = p.document_id and c.first_page <= p.page and c.last_page >= p.page) as chunks
from pages p
where p.document_id = %(document_id)s and p.page = %(page)s

-- name: has_page
select 1 from pages where document_id = %(document_id)s and page = %(page)s

-- name: find_figure
select box from figures where document_id = %(document_id)s and chunk_id = %(chunk_id)s

-- A chunk gets the additional flag `source_changed` where its stored source is known not to be the registered one.

-- name: list_chunks
select c.*, c.table_row as row,
  case when c.chunk_type = 'table_row' then nullif(split_part(c.index_text, E'\n', -1), c.content) end as labelled,
  case when exists (select from documents d where d.id = %(document_id)s and d.source_changed_at is not null)
    then array_append(c.flags, 'source_changed') else c.flags end as flags,
  s.id as s_id, s.address as s_address, s.title as s_title, s.path as s_path,
  s.depth as s_depth,
  case when t.id is not null then jsonb_build_object('id', t.id, 'caption', t.caption, 'header_rows', t.header_rows,
    'first_page', t.first_page, 'last_page', t.last_page, 'rows', t.grid) end as "table"
from chunks c
  left join sections s on s.id = c.section_id and s.document_id = c.document_id
  left join tables t on t.id = c.table_id and t.document_id = c.document_id and c.chunk_type = 'table'
where c.document_id = %(document_id)s
  and (%(after_ordinal)s::integer is null or (c.ordinal, c.id) > (%(after_ordinal)s::integer, %(after_id)s::uuid))
  and (%(page)s::integer is null or (c.first_page <= %(page)s::integer and c.last_page >= %(page)s::integer))
order by c.ordinal, c.id
limit %(limit)s

-- name: list_sections
select id, address, title, path, depth, ordinal, page
from sections
where document_id = %(document_id)s
  and (%(after_ordinal)s::integer is null or (ordinal, id) > (%(after_ordinal)s::integer, %(after_id)s::uuid))
order by ordinal, id
limit %(limit)s

-- name: document_ingestions
select id from ingestions where document_id = %(document_id)s order by id

-- Of a file that came in another document the hash is kept with that one's upload: a further run of it takes out nothing
-- that was deleted by itself.

-- name: keep_hashes
update uploads u set filename = '', path = null, title = null, label = null, size = 0, created_by = null
from ingestions i, ingestions p
where i.id = u.id and i.document_id = %(document_id)s and p.id = u.parcel_id and p.document_id <> i.document_id

-- With the hashes of the files that came in it.

-- name: remove_uploads
delete from uploads u using ingestions i
where i.document_id = %(document_id)s and (
  i.id = u.id
    and not exists (select from ingestions p where p.id = u.parcel_id and p.document_id <> i.document_id)
  or u.parcel_id = i.id and not exists (select from ingestions m where m.id = u.id))

-- name: remove_document
delete from documents where id = %(id)s returning logical_document_id
