-- The digest of a knowledge base: its files, their versions, lines and citations.

-- Sources are looked up once, not per line: a scope of many lines would look for each of them again.

-- name: list_files
with chosen as materialized (
  select f.id from digest_files f
  where f.knowledge_base_id = %(knowledge_base_id)s
    and (%(tiers)s::text[] is null or f.tier = any (%(tiers)s::text[]))
    and (%(file_id)s::uuid is null or f.id = %(file_id)s::uuid)
    and (%(path)s::text is null or f.path = %(path)s::text)
    and (%(topics)s::uuid[] is null or f.topic_id = any (%(topics)s::uuid[]))),
lines as materialized (
  select s.id, s.file_id, s.uncited, s.text, s.origin from digest_statements s
  where s.knowledge_base_id = %(knowledge_base_id)s and s.last_version is null and not s.removed
    and s.kind = any (%(counted)s::text[]) and s.file_id in (select c.id from chosen c)),
standing as materialized (
  select c.line_id from digest_standing c
  where c.knowledge_base_id = %(knowledge_base_id)s and c.line_id in (select l.id from lines l)
    and c.standing <> 'current')
select f.id, f.tier, f.path, f.title, f.topic_id, f.parent_id, f.content, f.content_hash, f.number, f.version,
  f.changed_by, f.updated_at,
  coalesce(n.statements, 0) as statements, coalesce(n.stale, 0) as stale, coalesce(n.uncited, 0) as uncited,
  coalesce(n.by_people, 0) as by_people
from chosen join digest_files f using (id)
  left join (
    select l.file_id, count(*) as statements, count(*) filter (where l.uncited) as uncited,
      count(*) filter (where l.text = '' or l.id in (select t.line_id from standing t)) as stale,
      count(*) filter (where l.origin = 'user') as by_people
    from lines l
    group by l.file_id) n on n.file_id = f.id
order by f.tier, f.path

-- With what they cite, as it stands now. What a person took out is left out.

-- name: list_lines
select s.id, s.file_id, s.statement_id, s.kind, s.ordinal, s.text, s.origin, s.author, s.uncited, s.removed, s.instead_of,
  s.first_version,
  coalesce((
    select jsonb_agg(jsonb_build_object('kind', c.kind, 'source_id', c.source_id, 'document_id', c.document_id,
      'content_hash', h.content_hash, 'standing', c.standing) order by ordinal)
    from digest_standing c join digest_citations h using (organization_id, knowledge_base_id, line_id, ordinal)
    where line_id = s.id), '[]') as citations
from digest_statements s
where s.knowledge_base_id = %(knowledge_base_id)s and s.last_version is null
  and (%(files)s::uuid[] is null or s.file_id = any (%(files)s::uuid[]))
  and (%(removed)s or not s.removed)
order by s.file_id, s.ordinal, s.id

-- name: list_versions
select v.number, v.version, v.changed_by, v.author, v.change_summary, v.previous_hash, v.new_hash, v.created_at
from digest_versions v
where v.knowledge_base_id = %(knowledge_base_id)s and v.file_id = %(file_id)s
  and (%(before)s::integer is null or v.number < %(before)s::integer)
  and (%(number)s::integer is null or v.number = %(number)s::integer)
order by v.number desc
limit %(limit)s

-- name: lines_of_version
select s.id, s.statement_id, s.kind, l.place::integer as ordinal, s.text, s.origin, s.author, s.uncited, s.removed,
  s.instead_of,
  coalesce((
    select jsonb_agg(jsonb_build_object('kind', c.kind, 'source_id', c.source_id, 'document_id', c.document_id,
      'content_hash', c.content_hash) order by c.ordinal)
    from digest_citations c where c.line_id = s.id), '[]') as citations
from digest_versions v
  cross join lateral unnest(v.lines) with ordinality l (id, place)
  join digest_statements s on s.id = l.id
where v.knowledge_base_id = %(knowledge_base_id)s and v.file_id = %(file_id)s and v.number = %(number)s
order by l.place

-- name: get_state
select d.revision, d.method, d.sources_hash, d.writes, d.updated_at, d.checked_at from digests d where d.knowledge_base_id = %(knowledge_base_id)s

-- name: file_rows
select f.id, f.tier, f.path, f.title, f.topic_id, f.parent_id, f.content_hash, f.tried_hash, f.number, f.version,
  f.changed_by, f.updated_at
from digest_files f
where f.knowledge_base_id = %(knowledge_base_id)s and (%(file_id)s::uuid is null or f.id = %(file_id)s::uuid)
order by f.tier, f.path

-- Figures and tables of the documents that the chunks are of, with their printed number and whether one of the chunks is
-- a row of theirs.

-- name: illustrations
with cited as (select k.id, k.document_id, k.table_id from chunks k where k.id = any (%(ids)s))
select c.id as chunk_id, c.document_id, c.ordinal, c.table_id, s.address, f.box, 0 as header_rows, f.page, f.caption,
  false as row_cited
from figures f join chunks c on c.id = f.chunk_id left join sections s on s.id = c.section_id
where f.document_id in (select document_id from cited)
union all
select c.id, c.document_id, c.ordinal, c.table_id, s.address, null, t.header_rows, t.first_page, t.caption,
  exists (select from cited r where r.table_id = t.id)
from tables t
  join chunks c on c.table_id = t.id and c.document_id = t.document_id and c.chunk_type <> all (%(without)s)
  left join sections s on s.id = c.section_id
where t.document_id in (select document_id from cited) and jsonb_array_length(t.grid) <= %(limit)s and t.kept_rows is null
order by document_id, ordinal
