-- The words of rows that are kept beside their documents. Scope comes from row-level security.

-- name: forget_words
delete from kept_words where document_id = %(document_id)s

-- name: add_words
insert into kept_words (organization_id, knowledge_base_id, document_id, page, ingestion_id, filter)
values (%(organization_id)s, %(knowledge_base_id)s, %(document_id)s, %(page)s, %(ingestion_id)s, %(filter)s)

-- The blocks of the documents that a search reads, each with the lines of its filter for some words; null for one whose
-- words are not known. Documents are chosen as `of_documents` of selection.sql does it. Blocks come first: the planner
-- would look for some in each document in scope.
-- name: blocks, planned once
with kept as materialized (select id, document_id, first_page, kept_rows from tables where kept_rows is not null)
select t.id, t.document_id, t.first_page, t.kept_rows, e.organization_id, e.knowledge_base_id, e.ingestion_id, e.name,
  e.source_type, e.version_label, e.version_index, e.is_current, l.name as logical_document_name, (
    select array_agg(substring(w.filter from 1 + 256 * (n.number %% (octet_length(w.filter) / 256))::integer for 256)
      order by n.place)
    from kept_words w cross join unnest(%(numbers)s::bigint[]) with ordinality n (number, place)
    where w.document_id = t.document_id and w.page = t.first_page and w.ingestion_id = e.ingestion_id) as lines
from kept t
  cross join lateral (select d.id from answering_documents d where d.id = t.document_id
    and case when %(documents)s::uuid[] is null then d.is_current or %(superseded)s
      else d.id = any (%(documents)s::uuid[]) end offset 0) a
  join documents e on e.id = a.id
  join logical_documents l on l.id = e.logical_document_id
order by t.document_id, t.first_page

-- name: heads
select t.id, t.header_rows,
  jsonb_path_query_array(t.grid, '$[0 to $last]', jsonb_build_object('last', t.header_rows)) as head
from tables t where t.id = any (%(ids)s)
