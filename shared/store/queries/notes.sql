-- Notes, and what they correct.

-- name: add_note
insert into notes (organization_id, knowledge_base_id, document_id, note_type, tags, author_id, author,
  corrects_document_id, corrects_chunk_id, corrects_hash)
values (%(organization_id)s, %(knowledge_base_id)s, %(document_id)s, %(type)s, %(tags)s, %(author_id)s, %(author)s,
  (select id from documents where id = %(corrects_document_id)s), %(corrects_chunk_id)s, %(corrects_hash)s)
on conflict do nothing

-- name: find_note
select n.*, d.id, n.note_type as type, d.name, d.version_index as revision, d.is_current, d.status, d.ingestion_id, d.source_key,
  d.source_version, l.name as title
from notes n
  join documents d on d.id = n.document_id
  join logical_documents l on l.id = d.logical_document_id
where n.document_id = %(id)s

-- The latest version of the same logical document, whose revision follows.

-- name: latest_note
select n.*, n.note_type as type, d.id, d.version_index, l.name as title
from documents one
  join documents d on d.logical_document_id = one.logical_document_id
  join notes n on n.document_id = d.id
  join logical_documents l on l.id = d.logical_document_id
where one.id = %(id)s
order by d.version_index desc
limit 1

-- name: list_notes
select n.*, d.id, n.note_type as type, d.version_index as revision, d.is_current, d.status, d.ingestion_id, l.name as title
from notes n
  join documents d on d.id = n.document_id
  join logical_documents l on l.id = d.logical_document_id
where n.knowledge_base_id = %(knowledge_base_id)s and d.is_current
  and (%(before)s::uuid is null or n.document_id < %(before)s)
order by n.document_id desc
limit %(limit)s

-- Of whichever version of the document; beside the chunk that says what was corrected, where one does.

-- name: list_corrections
select n.document_id as id, l.name as title, n.author, n.created_at, d.source_key, d.source_version,
  coalesce((select c.id from chunks c where c.document_id = %(id)s and c.id = n.corrects_chunk_id),
    (select c.id from chunks c where c.document_id = %(id)s and c.content_hash = n.corrects_hash
      order by c.ordinal limit 1)) as chunk_id
from documents of
  join documents v on v.logical_document_id = of.logical_document_id
  join notes n on n.corrects_document_id = v.id
  join documents d on d.id = n.document_id and d.is_current and d.serving and d.review <> 'rejected'
  join logical_documents l on l.id = d.logical_document_id
where of.id = %(id)s
order by n.document_id
limit 200

-- What corrects chunks that are quoted: the chunk, the table that it is a row of or a row of the table that it is, or
-- the document as a whole. A passage that is no longer there is corrected in no other. Notes answer as any document does.

-- name: corrections_of_chunks
with quoted as materialized (select id, document_id, table_id, chunk_type from chunks where id = any (%(ids)s)),
  noted as materialized (
    select q.document_id as of_id, n.document_id as id, l.name as title, n.author, n.created_at,
      n.corrects_chunk_id is null as of_document,
      left((select string_agg(c.content, E'\n\n' order by c.ordinal) from chunks c
        where c.document_id = n.document_id and c.chunk_type <> 'table_row'
          and (c.id in (select r.chunk_id from rejected_chunks r)) is not true), 2000) as text,
      coalesce((select c.id from chunks c where c.document_id = q.document_id and c.id = n.corrects_chunk_id),
        (select c.id from chunks c where c.document_id = q.document_id and c.content_hash = n.corrects_hash
          order by c.ordinal limit 1)) as chunk_id
    from (select distinct document_id from quoted) q
      join documents o on o.id = q.document_id
      join documents v on v.logical_document_id = o.logical_document_id
      join notes n on n.corrects_document_id = v.id
      join answering_documents a on a.id = n.document_id and a.is_current
      join documents d on d.id = n.document_id
      join logical_documents l on l.id = d.logical_document_id)
select q.id as quoted_id, n.id, n.title, n.author, n.created_at, n.of_document, n.text
from quoted q
  join noted n on n.of_id = q.document_id
  left join chunks c on c.id = n.chunk_id
where n.of_document or c.id = q.id or (c.table_id = q.table_id and 'table' in (c.chunk_type, q.chunk_type))
order by n.id

-- name: find_corrected
select d.id, c.id as chunk_id, c.content_hash
from documents d left join chunks c on c.document_id = d.id and c.id = %(chunk_id)s
where d.id = %(document_id)s

-- name: list_tags
select tag, count(*) as count
from notes n join documents d on d.id = n.document_id, unnest(n.tags) tag
where n.knowledge_base_id = %(knowledge_base_id)s and d.is_current
group by tag
order by count desc, tag
limit 500
