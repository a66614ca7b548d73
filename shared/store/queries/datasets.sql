-- Datasets, their revisions, and the tables of documents that they are made of.

-- name: add_dataset
insert into datasets (organization_id, knowledge_base_id, id, name, tables)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(name)s, cardinality(%(table_ids)s::uuid[]))

-- name: add_dataset_tables
insert into dataset_tables (organization_id, knowledge_base_id, dataset_id, ordinal, document_id, table_id, rows, revision)
select %(organization_id)s, %(knowledge_base_id)s, %(id)s,
  w.ordinal + coalesce((select max(m.ordinal) from dataset_tables m where m.dataset_id = %(id)s), -1), t.document_id, t.id,
  jsonb_array_length(t.grid) - t.header_rows + coalesce(t.kept_rows, 0), %(revision)s
from unnest(%(table_ids)s::uuid[]) with ordinality w (table_id, ordinal) join tables t on t.id = w.table_id

-- name: add_revision
insert into dataset_revisions (organization_id, knowledge_base_id, dataset_id, revision, tables_of, columns, steps, sha256,
  author_id, author)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(revision)s, %(tables_of)s, %(columns)s, %(steps)s,
  %(sha256)s, %(user_id)s, coalesce((select coalesce(nullif(u.name, ''), u.email) from users u where u.id = %(user_id)s), 'a key'))

-- Newest first. `rows`: of the tables that are there.

-- name: list_datasets
with page as (
  select * from datasets d
  where (%(knowledge_base_id)s::uuid is null or d.knowledge_base_id = %(knowledge_base_id)s)
    and (%(before)s::uuid is null or d.id < %(before)s)
    and (%(id)s::uuid is null or d.id = %(id)s)
  order by d.id desc
  limit %(limit)s)
select d.id, d.knowledge_base_id, d.name, d.revision, d.created_at, d.updated_at, r.columns, r.steps, r.sha256,
  r.tables_of, coalesce(s.rows, 0) as rows, d.tables - coalesce(s.tables, 0) as missing
from page d
  join dataset_revisions r on r.organization_id = d.organization_id and r.knowledge_base_id = d.knowledge_base_id
    and r.dataset_id = d.id and r.revision = d.revision
  left join lateral (
    select count(*) as tables, sum(m.rows) as rows
    from dataset_tables m join tables t on t.id = m.table_id and t.document_id = m.document_id
    where m.organization_id = d.organization_id and m.knowledge_base_id = d.knowledge_base_id
      and m.dataset_id = d.id and m.revision = r.tables_of) s on true
order by d.id desc

-- name: lock_dataset
select id, revision from datasets where id = %(id)s for update

-- name: change_dataset
update datasets set name = coalesce(%(name)s, name), revision = %(revision)s, tables = coalesce(%(made_of)s, tables),
  updated_at = now()
where id = %(id)s

-- name: remove_dataset
delete from datasets where id = %(id)s returning knowledge_base_id, name

-- name: list_revisions
select revision, tables_of, columns, steps, sha256, author, created_at
from dataset_revisions
where dataset_id = %(id)s and (%(before)s::integer is null or revision < %(before)s)
order by revision desc
limit %(limit)s

-- `tables`: of how many it was made, as far as that is known: of the newest tables alone.

-- name: get_revision
select r.revision, r.tables_of, r.columns, r.steps, r.sha256, d.name, d.knowledge_base_id,
  case when r.tables_of = (select n.tables_of from dataset_revisions n where n.dataset_id = d.id and n.revision = d.revision)
    then d.tables end as tables
from datasets d
  join dataset_revisions r on r.organization_id = d.organization_id and r.knowledge_base_id = d.knowledge_base_id
    and r.dataset_id = d.id
where d.id = %(id)s and r.revision = coalesce(%(revision)s::integer, d.revision)

-- name: dataset_sources
select m.document_id, min(l.name) as document, count(*) as tables, sum(m.rows) as rows,
  min(coalesce(e.version_label, e.version_index::text)) as version, (array_agg(n.id))[1] as newest_id
from datasets d
  join dataset_revisions r on r.dataset_id = d.id and r.revision = d.revision
  join dataset_tables m on m.dataset_id = d.id and m.revision = r.tables_of
  join tables t on t.id = m.table_id and t.document_id = m.document_id
  join documents e on e.id = m.document_id
  join logical_documents l on l.id = e.logical_document_id
  left join documents n on n.logical_document_id = l.id and n.is_current and n.version_index > e.version_index
where d.id = %(id)s
group by m.document_id
order by min(m.ordinal)

-- name: tables_of_dataset
select t.organization_id, t.knowledge_base_id, t.document_id, t.id, t.content_hash, t.caption, e.source_type, m.rows,
  t.kept_rows,
  l.name as document,
  coalesce(e.version_label, e.version_index::text) as version
from dataset_tables m
  join tables t on t.id = m.table_id and t.document_id = m.document_id
  join documents e on e.id = m.document_id
  join logical_documents l on l.id = e.logical_document_id
where m.dataset_id = %(id)s and m.revision = %(tables_of)s
order by m.ordinal

-- Of each of its first tables the passage that is the table, or else the first of it.

-- name: passages_of_dataset
select c.id
from dataset_tables m
  join tables t on t.id = m.table_id and t.document_id = m.document_id
  join lateral (
    select c.id from chunks c where c.document_id = t.document_id and c.table_id = t.id
    order by c.table_row nulls first, c.ordinal limit 1) c on true
where m.dataset_id = %(id)s
  and m.revision = (
    select r.tables_of from datasets d
      join dataset_revisions r on r.dataset_id = d.id and r.revision = d.revision
    where d.id = %(id)s)
order by m.ordinal
limit %(limit)s

-- The texts alone, as lists; a cell over several rows or columns as [text, rows, columns].

-- name: texts_of_tables
select t.id, t.document_id, t.header_rows, t.caption, t.first_page, t.kept_rows, t.organization_id, t.knowledge_base_id,
  e.ingestion_id, (
  select jsonb_agg(
    case when jsonb_path_exists(r.cells, '$[*] ? (@.row_span > 1 || @.col_span > 1)') then (
        select jsonb_agg(
          case when coalesce((c.cell ->> 'row_span')::integer, 1) = 1 and coalesce((c.cell ->> 'col_span')::integer, 1) = 1 then c.cell -> 'text'
            else jsonb_build_array(c.cell -> 'text', c.cell -> 'row_span', c.cell -> 'col_span') end
          order by c.place)
        from jsonb_array_elements(r.cells) with ordinality c (cell, place))
      else jsonb_path_query_array(r.cells, '$[*].text') end
    order by r.place)
  from jsonb_array_elements(t.grid) with ordinality r (cells, place)) as rows
from unnest(%(ids)s::uuid[]) with ordinality w (id, ordinal) join tables t on t.id = w.id
  join documents e on e.id = t.document_id
order by w.ordinal

-- name: grids_of_tables
select t.id, t.document_id, t.header_rows, t.grid
from unnest(%(ids)s::uuid[]) with ordinality w (id, ordinal) join tables t on t.id = w.id
order by w.ordinal

-- A table's own id, or that of a chunk in it.

-- name: tables_named
select w.ordinal, t.id, t.document_id
from unnest(%(ids)s::uuid[]) with ordinality w (id, ordinal)
  left join lateral (
    select t.id, t.document_id from tables t where t.id = w.id and t.knowledge_base_id = %(knowledge_base_id)s
    union all
    select t.id, t.document_id from chunks c join tables t on t.id = c.table_id and t.document_id = c.document_id
    where c.id = w.id and t.knowledge_base_id = %(knowledge_base_id)s
    limit 1) t on true
order by w.ordinal

-- The tables of a knowledge base without what is in them, which is stored apart: what `headers_of_tables` depends on, so
-- that both have to find the same ones in the same order.

-- name: tables_listed
select t.id, t.content_hash, t.caption, t.first_page, t.last_page, e.version_index, l.name as document
from tables t
  join documents e on e.id = t.document_id
  join logical_documents l on l.id = e.logical_document_id
where t.knowledge_base_id = %(knowledge_base_id)s
  and (%(document_id)s::uuid is null or t.document_id = %(document_id)s)
  and (%(superseded)s or e.is_current or %(document_id)s::uuid is not null)
order by e.id, t.first_page, t.last_page, t.id
limit %(limit)s

-- Every table of a knowledge base with its header alone, in the order of documents and of their pages.

-- name: headers_of_tables
select t.id, t.document_id, e.logical_document_id, l.name as document, t.caption, t.first_page, t.last_page, t.header_rows,
  jsonb_array_length(t.grid) - t.header_rows + coalesce(t.kept_rows, 0) as rows, t.kept_rows, e.source_type, e.version_index,
  jsonb_path_query_array(t.grid, '$[0 to $last]', jsonb_build_object('last', t.header_rows)) as head
from tables t
  join documents e on e.id = t.document_id
  join logical_documents l on l.id = e.logical_document_id
where t.knowledge_base_id = %(knowledge_base_id)s
  and (%(document_id)s::uuid is null or t.document_id = %(document_id)s)
  and (%(superseded)s or e.is_current or %(document_id)s::uuid is not null)
order by e.id, t.first_page, t.last_page, t.id
limit %(limit)s

-- The printed cells of rows, with the passage of each row.

-- name: rows_of_tables
select t.id as table_id, t.document_id, t.knowledge_base_id, l.name as document,
  coalesce(e.version_label, e.version_index::text) as version, t.first_page, t.kept_rows, t.organization_id, e.ingestion_id,
  array_agg(w.row order by w.row) as wanted, t.grid, jsonb_object_agg(w.row, c.id) as chunks
from unnest(%(table_ids)s::uuid[], %(rows)s::integer[]) w (table_id, row)
  join tables t on t.id = w.table_id
  join documents e on e.id = t.document_id
  join logical_documents l on l.id = e.logical_document_id
  left join chunks c on c.document_id = t.document_id and c.table_id = t.id and c.table_row = w.row
    and c.chunk_type = 'table_row'
group by t.id, t.document_id, t.knowledge_base_id, l.name, e.version_label, e.version_index, t.first_page, t.grid,
  t.kept_rows, t.organization_id, e.ingestion_id

-- name: passages_of_rows
select c.id, c.table_id, c.table_row
from unnest(%(tables)s::uuid[]) w (id) join tables t on t.id = w.id
  join chunks c on c.document_id = t.document_id and c.table_id = t.id and c.chunk_type = 'table_row'
