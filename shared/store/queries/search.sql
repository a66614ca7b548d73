-- Sections, candidates without an index, and hits. Scope comes from row-level security. {selected} is the condition of
-- the selection on n; the look-up of sections, which has no selection, has its own condition for served documents.

-- name: known_documents, planned once
select id from documents where id = any (%(ids)s)

-- name: newest_candidates
select n.chunk_id
from (select c.id as chunk_id, c.document_id, c.ordinal, c.date from chunks c) n
  join documents o on o.id = n.document_id
where {selected}
order by case when %(by_date)s then coalesce(n.date, o.document_date::timestamp at time zone 'UTC', o.created_at) end desc nulls last,
  n.document_id, n.ordinal
limit %(limit)s

-- Chunks are read by id before anything is joined to them: the planner estimates a row or two in scope, and would start
-- from all documents in it. A hit is `noted` where a note corrects any version of its document, as hardly any is.

-- name: dates
with found as materialized (select id, document_id, date from chunks where id = any (%(ids)s))
select c.id as chunk_id, coalesce(c.date, d.document_date::timestamp at time zone 'UTC', d.created_at) as date
from found c join documents d on d.id = c.document_id

-- name: document_dates
select id, document_date from documents where id = any (%(ids)s)

-- name: earlier_versions
select c.id as current, p.id as earlier
from documents c join documents p
  on p.logical_document_id = c.logical_document_id and p.version_index < c.version_index
where c.is_current and (p.id in (select d.id from answering_documents d)) is true
order by c.id, p.version_index desc

-- Documents with several versions, and single ones whose name is like one of the patterns.
-- name: known_versions
with several as materialized (select distinct o.logical_document_id as id from documents o where not o.is_current)
select d.id, d.logical_document_id, d.version_index, d.is_current, d.version_label, d.document_date,
  d.document_date_unit, d.name, d.source_title, l.name as called
from documents d join logical_documents l on l.id = d.logical_document_id
where (d.id in (select a.id from answering_documents a)) is true
  and (d.logical_document_id in (select s.id from several s)
    or (d.is_current and exists (select from several) and (d.name || ' ' || coalesce(d.source_title, '')) ilike any (%(patterns)s::text[])))
order by d.logical_document_id, d.version_index

-- name: hits, planned once
with found as materialized (select * from chunks where id = any (%(ids)s))
select c.id, c.document_id, c.knowledge_base_id, c.ordinal, c.chunk_type, c.content, c.boxes, c.attrs, c.keywords,
  c.date, c.confidence, c.ocr, c.formulas,
  case when d.source_changed_at is null then c.flags else array_append(c.flags, 'source_changed') end as flags,
  c.table_id, c.table_row as row,
  case when c.chunk_type = 'table_row' then nullif(split_part(c.index_text, E'\n', -1), c.content) end as labelled,
  s.id as section_uuid, s.address, s.title, s.path, s.depth,
  d.name as document_name, d.source_type, d.version_label, d.version_index, d.is_current, d.source_hash,
  k.name as knowledge_base, o.name as logical_document_name,
  exists (select from documents v join notes n on n.corrects_document_id = v.id
    where v.logical_document_id = d.logical_document_id) as noted
from found c
  join documents d on d.id = c.document_id
  join knowledge_bases k on k.id = c.knowledge_base_id
  join logical_documents o on o.id = d.logical_document_id
  left join sections s on s.id = c.section_id

-- What a search may find of these, whichever version it is of.
-- name: answering
with found as materialized (select id, document_id from chunks where id = any (%(ids)s))
select c.id from found c
where (c.document_id in (select d.id from answering_documents d)) is true
  and (c.id in (select r.chunk_id from rejected_chunks r)) is not true

-- The tables of rows that an answer cites and that are no passages, and whether their documents answer.

-- name: tables_of_rows
with found as materialized (select id, document_id from tables where id = any (%(ids)s) and kept_rows is not null)
select t.id, t.document_id, d.name as document_name, d.source_type, d.version_label, d.version_index, d.is_current,
  d.source_hash, k.name as knowledge_base, o.name as logical_document_name,
  (d.id in (select a.id from answering_documents a)) is true as answers
from found t
  join documents d on d.id = t.document_id
  join knowledge_bases k on k.id = d.knowledge_base_id
  join logical_documents o on o.id = d.logical_document_id

-- name: sections_by_address, planned once
select s.id, s.address, s.title, s.path, s.depth, s.document_id, found.exact,
  d.name as document_name, d.source_type, d.version_label, d.version_index, d.is_current,
  o.name as logical_document_name
from (
  select a.section_id, bool_or(a.exact) as exact
  from (
    select a.section_id, a.exact, bool_or(a.exact) over (partition by a.document_id, a.address_key) as has_exact
    from section_addresses a
      join answering_documents d on d.id = a.document_id
    where a.address_key = any (%(keys)s)
      and (case when %(documents)s::uuid[] is null then d.is_current or %(superseded)s
        else d.id = any (%(documents)s::uuid[]) end)) a
  where a.exact or not a.has_exact
  group by a.section_id) found
  join sections s on s.id = found.section_id
  join documents d on d.id = s.document_id
  join logical_documents o on o.id = d.logical_document_id
order by found.exact desc, s.document_id, s.ordinal
limit %(limit)s

-- name: titles_of_chunks, planned once
select s.id, s.title
from unnest(%(ids)s::uuid[]) with ordinality w (id, place)
  cross join lateral (
    select c.section_id from chunks c where c.id = w.id and c.chunk_type not in ('figure', 'caption') offset 0) c
  cross join lateral (select s.id, s.title from sections s where s.id = c.section_id offset 0) s
where s.title <> ''
order by w.place

-- name: section_chunks, planned once
with recursive wanted as (
  select s.id from sections s where s.id = any (%(ids)s)
  union
  select s.id from sections s join wanted w on s.parent_id = w.id
  where %(recursive)s or s.captioned
    or not exists (select 1 from section_addresses a where a.section_id = s.id))
select c.id as chunk_id
from chunks c join wanted w on w.id = c.section_id
where (c.id in (select r.chunk_id from rejected_chunks r)) is not true
order by array_position(%(documents)s::uuid[], c.document_id), c.ordinal
limit %(limit)s

-- The first few selected chunks of each of the first places (sections or pages) that have any; the first chunk of every
-- place comes before the second of any.

-- name: first_of_each
select f.chunk_id
from (
  select r.*, dense_rank() over (order by r.place) as nth
  from (
    select n.chunk_id, n.place, row_number() over (partition by n.place order by n.ordinal) as rank
    from ({places}) n where {selected}) r) f
where f.nth <= %(places)s and f.rank <= %(each)s
order by f.rank, f.place

-- name: in_sections
with recursive below as (
  select w.id, w.place from unnest(%(ids)s::uuid[]) with ordinality w (id, place)
  union
  select s.id, b.place
  from below b cross join lateral (select s.id from sections s where s.parent_id = b.id offset 0) s)
select c.id as chunk_id, c.document_id, c.ordinal, b.place
from below b cross join lateral (
  select c.id, c.document_id, c.ordinal from chunks c where c.section_id = b.id offset 0) c

-- name: on_pages
select c.id as chunk_id, c.document_id, c.ordinal, p.place
from unnest(%(pages)s::int[]) with ordinality p (page, place) cross join lateral (
  select c.id, c.document_id, c.ordinal from chunks c
  where c.document_id = %(document_id)s and p.page between c.first_page and c.last_page offset 0) c

-- What stands behind a passage that announces it, by a colon at its end or in words: the first passage behind it, and
-- those of its type up to another.
-- name: announced
select r.id, n.id as announced
from chunks r cross join lateral (
  select n.chunk_type from chunks n where n.document_id = r.document_id and n.ordinal > r.ordinal
  order by n.ordinal limit 1) f
cross join lateral (
  select coalesce(min(n.ordinal), 2147483647) as ordinal from chunks n
  where n.document_id = r.document_id and n.ordinal > r.ordinal and n.chunk_type <> f.chunk_type) e
cross join lateral (
  select n.id, n.ordinal from chunks n
  where n.document_id = r.document_id and n.ordinal > r.ordinal and n.ordinal < e.ordinal
  order by n.ordinal limit %(limit)s) n
where r.id = any (%(ids)s) and f.chunk_type = any (%(types)s) and (
  right(rtrim(r.content), 1) = ':' or right(rtrim(r.content), 200) ~* (
    '(\m(the following(?! (section|chapter|page|day|week|month|year|morning))|following (is|are)|as follows|below (is|are)|'
    || '(shown|listed|given|described|defined|summari[sz]ed|set out|found|(the|this) (table|list)) below(?! (the|an?|zero)\M))'
    || '|(^|[.!?]\s)here (is|are))\M[^.!?]*\.?$'))
order by n.ordinal

-- Passages right behind one that is a question, where either is among those that are given.
-- name: answered
select q.content as question, a.id as answer
from chunks q join lateral (
  select n.id, n.chunk_type from chunks n where n.document_id = q.document_id and n.ordinal > q.ordinal
  order by n.ordinal limit 1) a on a.chunk_type in ('text', 'list')
where q.chunk_type = 'text' and right(rtrim(q.content), 1) = '?' and q.id = any (%(ids)s)
union
select q.content, a.id
from chunks a join lateral (
  select p.content, p.chunk_type from chunks p where p.document_id = a.document_id and p.ordinal < a.ordinal
  order by p.ordinal desc limit 1) q on q.chunk_type = 'text' and right(rtrim(q.content), 1) = '?'
where a.chunk_type in ('text', 'list') and a.id = any (%(ids)s)

-- The windows of a long table of a sheet, each with its header again; tables of other sheets are others.

-- name: windows_of_tables
with asked as materialized (
  select t.id, t.document_id, t.caption, t.header_rows,
    jsonb_path_query_array(t.grid, '$[0 to $last][*].text', jsonb_build_object('last', t.header_rows - 1)) as head
  from tables t
  where t.id = any (%(ids)s)),
placed as materialized (
  select a.id as asked, w.id, w.first_page, w.kept_rows is not null as goes_on, (
    select c.boxes -> 0 ->> 'sheet' from chunks c
    where c.document_id = w.document_id and c.table_id = w.id and c.chunk_type = 'table'
    order by c.ordinal limit 1) as sheet
  from asked a join tables w
    on w.document_id = a.document_id and w.caption = a.caption and w.header_rows = a.header_rows
  where w.id = a.id or w.header_rows > 0
    and jsonb_path_query_array(w.grid, '$[0 to $last][*].text', jsonb_build_object('last', w.header_rows - 1)) = a.head)
select p.asked, p.id, p.goes_on
from placed p join placed o on o.asked = p.asked and o.id = p.asked
where p.id = p.asked or p.sheet = o.sheet
order by p.first_page, p.id, p.asked

-- Those of tables with a cell that stands for several rows of the body: the others of these do not have it.

-- name: tables_with_spans
select t.id from tables t
where t.id = any (%(ids)s) and jsonb_path_exists(
  t.grid, '$[$first to last][*] ? (@.row_span > 1)', jsonb_build_object('first', t.header_rows))

-- All rows of tables that have no others than these, the passages.

-- name: rows_of_tables
select r.id, r.table_id
from chunks r
where r.document_id = any (%(document_ids)s) and r.table_id = any (%(ids)s) and r.chunk_type = 'table_row'
  and r.table_id not in (select t.id from tables t where t.id = any (%(ids)s) and t.kept_rows is not null)
order by r.ordinal
limit %(limit)s

-- name: row_contexts
select r.id, r.index_text, t.id as table_chunk
from chunks r left join lateral (
  select t.id from chunks t
  where t.document_id = r.document_id and t.table_id = r.table_id and t.chunk_type = 'table'
  order by t.ordinal limit 1) t on true
where r.id = any (%(ids)s) and r.chunk_type = 'table_row'
