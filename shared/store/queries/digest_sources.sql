-- What a digest is made from: documents that answer, their sections and chunks, what people confirmed, events, runs.

-- Of everything that a digest depends on, little enough to be compared often.

-- name: fingerprint
select concat_ws(' ',
  (select concat_ws('/', count(*), sum(d.revision), max(d.published_at), max(d.reviewed_at),
      sum(('x' || substr(md5(d.id::text), 1, 12))::bit(48)::bigint))
    from documents d join answering_documents a on a.id = d.id
    where d.knowledge_base_id = %(knowledge_base_id)s and d.is_current),
  (select md5(string_agg(concat_ws('/', r.id, r.verdict, r.stale), ' ' order by r.id)) from reviews r
    where r.knowledge_base_id = %(knowledge_base_id)s),
  (select concat_ws('/', count(*), max(n.document_id::text)) from notes n
    where n.knowledge_base_id = %(knowledge_base_id)s),
  (select concat_ws('/', count(*), max(e.id::text)) from events e where e.knowledge_base_id = %(knowledge_base_id)s),
  (select concat_ws('/', count(*), max(g.id::text), max(g.key)) from gold_questions g
    where g.knowledge_base_id = %(knowledge_base_id)s),
  (select concat_ws('/', count(*), max(r.finished_at)) from eval_runs r
    where r.knowledge_base_id = %(knowledge_base_id)s)) as fingerprint

-- name: documents
select d.id, d.name, l.name as called, d.source_type, d.version_label, d.version_index, d.published_at,
  (select count(*) from documents o where o.logical_document_id = d.logical_document_id and o.serving and o.id <> d.id)
    as others
from documents d
  join answering_documents a on a.id = d.id
  join logical_documents l on l.id = d.logical_document_id
where d.knowledge_base_id = %(knowledge_base_id)s and d.is_current
order by d.id

-- name: logical_documents
select d.id, d.logical_document_id from documents d where d.id = any (%(document_ids)s)

-- name: sections
select s.id, s.document_id, s.parent_id, s.ordinal, s.title, s.depth
from sections s
where s.document_id = any (%(document_ids)s) and not s.captioned
order by s.document_id, s.ordinal

-- Without what people rejected, and without what notes correct: the note says it instead.

-- name: parts
select c.id, c.document_id, c.section_id, c.ordinal, char_length(c.content) as size, c.content_hash,
  left(c.content, %(head)s) as head, case when c.chunk_type = %(row_type)s then c.table_id end as table_id
from chunks c
where c.document_id = any (%(document_ids)s) and c.chunk_type <> all (%(without)s)
  and (c.id in (select r.chunk_id from rejected_chunks r)) is not true
  and (c.id in (
    select k.id
    from notes n
      join answering_documents a on a.id = n.document_id and a.is_current
      join documents o on o.id = n.corrects_document_id
      join documents v on v.logical_document_id = o.logical_document_id
      join chunks k on k.document_id = v.id and (k.id = n.corrects_chunk_id or k.content_hash = n.corrects_hash)
    where v.id = any (%(document_ids)s))) is not true
order by c.document_id, c.ordinal

-- name: passages
select c.id, c.document_id, c.chunk_type, c.content, c.content_hash, v.embedding
from chunks c left join chunk_vectors v on v.chunk_id = c.id and v.embedder_version = %(version)s
where c.id = any (%(ids)s)

-- The chunk of each table as a whole; its first row where it has none.

-- name: table_chunks
select distinct on (c.table_id) c.table_id, c.id, c.document_id, c.content_hash
from chunks c
where c.table_id = any (%(ids)s)
order by c.table_id, c.chunk_type = %(row_type)s, c.ordinal

-- Asked by somebody, judged right, and taken by an editor: conversations themselves are for their askers alone.

-- name: confirmed
select g.id, g.question, g.expected from gold_questions g
where g.knowledge_base_id = %(knowledge_base_id)s and g.source = %(source)s
order by g.id

-- name: runs
select r.id, r.gold, r.scores, r.finished_at, jsonb_array_length(r.questions) as questions from eval_runs r
where r.knowledge_base_id = %(knowledge_base_id)s and r.finished_at is not null
order by r.id desc limit %(limit)s

-- name: embedder
select b.embedder_version from knowledge_bases b where b.id = %(knowledge_base_id)s

-- name: hashes
select c.id, c.document_id, c.content_hash, c.content from chunks c where c.id = any (%(ids)s)
