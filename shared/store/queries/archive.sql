-- Rows of whole knowledge bases, table by table as the catalogue has them, and how many rows an organization has.

-- Columns that can be written, in their order; which table a table's foreign keys lead to; its primary key.

-- name: tables
select c.relname as name,
  (select array_agg(a.attname order by a.attnum) from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = '')
    as columns,
  (select array_agg(a.attname order by k.place) from pg_index i, unnest(i.indkey::int2[]) with ordinality k (number, place)
    join pg_attribute a on a.attnum = k.number where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid) as key,
  coalesce((select array_agg(distinct o.relname) from pg_constraint f join pg_class o on o.oid = f.confrelid
    where f.conrelid = c.oid and f.confrelid <> c.oid), '{}') as refers,
  exists (select from pg_constraint f where f.conrelid = c.oid and f.confrelid = c.oid) as refers_to_itself
from pg_class c
where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
order by c.relname

-- name: read_rows
select row_to_json(r)::text as line
from (select {columns} from {table} where {scope} = %(base)s and {condition} order by {key} offset %(skip)s) r

-- name: look_at_rows
select count(*) as rows, coalesce(sum(xmin::text::bigint), 0)::bigint as written
from {table} where {scope} = %(base)s and {condition}

-- Keys of stored objects get the path of the organization and knowledge base that they now belong to.

-- name: write_rows
insert into {table} ({owner}, {columns})
select {owners}, {values} from json_populate_recordset(null::{table}, %(rows)s::json) r

-- name: check_constraints
set constraints all immediate

-- Else the next knowledge base of the same transaction could not be written row by row.

-- name: defer_constraints
set constraints all deferred

-- Two imports of one archive at the same time would delete each other's files.

-- name: lock_import
select pg_try_advisory_xact_lock(hashtextextended('import:' || %(what)s::text, 0)) as locked

-- name: open_documents
select name from documents where knowledge_base_id = %(base)s and status in ('queued', 'running') order by id limit 1

-- name: open_runs
select count(*) as runs from ingestions
where knowledge_base_id = %(base)s and status in ('waiting', 'queued', 'running')

-- name: documents
select id, name, status, revision, ingestion_id, run_id, source_key, source_version, opened_key
from documents where knowledge_base_id = %(base)s order by id

-- name: set_source_version
update documents set source_version = %(source_version)s where id = %(id)s

-- name: served_documents
select id from documents where knowledge_base_id = %(base)s and serving order by id

-- name: extractors
select distinct extractor_version as version from documents
where knowledge_base_id = %(base)s and extractor_version is not null order by 1

-- What code divides by, and what indexes are built over.

-- name: unusable
select
  (select count(*) from lexical_bases where knowledge_base_id = %(base)s and not pivot between 1 and 1e9) as pivots,
  (select count(*) from chunk_vectors where knowledge_base_id = %(base)s
    and (embedder_version <> %(version)s or vector_dims(embedding) <> %(dimensions)s)) as vectors

-- name: slug
select id from knowledge_bases where slug = %(slug)s

-- A change of embedders from itself to itself: it ends when every chunk has a vector.

-- name: embed_anew
update knowledge_bases set embedder_version = %(version)s, embedder_target = %(version)s where id = %(base)s
