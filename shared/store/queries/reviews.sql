-- What people decided about documents, passages and pages, and what is left to look at.

-- name: review_document
update documents set review = %(state)s, review_note = %(note)s,
  reviewed_by_id = case when %(state)s <> 'unreviewed' then %(author_id)s::uuid end,
  reviewed_by = case when %(state)s <> 'unreviewed' then %(by)s end,
  reviewed_at = case when %(state)s <> 'unreviewed' then now() end
where id = %(document_id)s

-- Left are flagged passages and pages below %(green)s of current documents, about which nobody decided, or not since
-- they have a flag more. Rows follow their table where that is flagged.

-- name: left_chunks
select c.document_id, c.id as chunk_id, c.first_page as page, c.ordinal, c.flags, c.confidence,
  least(c.confidence, p.confidence) as worst
from chunks c
  join documents d on d.id = c.document_id
  left join pages p on p.document_id = c.document_id and p.page = c.first_page
where c.knowledge_base_id = %(knowledge_base_id)s and cardinality(c.flags) > 0
  and d.serving and d.is_current and d.review <> 'rejected'
  and (c.chunk_type <> 'table_row' or not exists (
    select from chunks t
    where t.document_id = c.document_id and t.table_id = c.table_id and t.chunk_type = 'table'
      and cardinality(t.flags) > 0))
  and not exists (
    select from reviews r
    where r.document_id = c.document_id and r.chunk_id = c.id and r.stale is null
      and (r.verdict = 'rejected' or c.flags <@ r.flags))

-- name: left_pages
select p.document_id, null::uuid as chunk_id, p.page, -1 as ordinal, p.flags, p.confidence, p.confidence as worst
from pages p join documents d on d.id = p.document_id
where p.knowledge_base_id = %(knowledge_base_id)s and p.confidence < %(green)s and p.status = 'ready'
  and d.serving and d.is_current and d.review <> 'rejected'
  and not exists (
    select from reviews r
    where r.document_id = p.document_id and r.page = p.page and r.chunk_id is null
      and (r.verdict = 'rejected' or p.flags <@ r.flags))

-- name: queue
select i.*, d.name as document_name, c.chunk_type, coalesce(c.content, '') as content,
  coalesce(c.boxes, '[]') as boxes, coalesce(s.address, s.title) as section
from ({left_chunks} union all {left_pages}) i
  join documents d on d.id = i.document_id
  left join chunks c on c.id = i.chunk_id
  left join sections s on s.id = c.section_id
where (%(flag)s::text is null or %(flag)s::text = any (i.flags))
  and (%(document_id)s::uuid is null or i.document_id = %(document_id)s::uuid)
  and (%(worst)s::float8 is null or (i.worst, i.document_id, coalesce(i.page, 0), i.ordinal)
    > (%(worst)s::float8, %(after_document)s::uuid, %(page)s::integer, %(ordinal)s::integer))
order by i.worst, i.document_id, coalesce(i.page, 0), i.ordinal
limit %(limit)s

-- name: left_by_document
select d.id, d.name, count(i.chunk_id) as chunks, count(*) - count(i.chunk_id) as pages
from ({left_chunks} union all {left_pages}) i join documents d on d.id = i.document_id
group by d.id, d.name
order by count(*) desc, d.id

-- name: left_by_flag
select f.flag, count(*) as chunks, count(*) filter (where cardinality(i.flags) = 1) as alone
from ({left_chunks}) i cross join lateral unnest(i.flags) f (flag)
group by f.flag
order by count(*) desc, f.flag

-- With this flag and no other one, or all of a document.

-- name: left_at_once
select i.document_id, i.page, i.chunk_id from ({left_chunks} union all {left_pages}) i
where (%(flag)s::text is null or i.flags = array[%(flag)s::text])
  and (%(document_id)s::uuid is null or i.document_id = %(document_id)s::uuid)

-- The rows of a table are decided with it.

-- name: with_rows
select c.id from chunks c where c.knowledge_base_id = %(knowledge_base_id)s and c.id = any (%(ids)s::uuid[])
union
select r.id from chunks c join chunks r on r.document_id = c.document_id and r.table_id = c.table_id
where c.knowledge_base_id = %(knowledge_base_id)s and c.id = any (%(ids)s::uuid[]) and c.chunk_type = 'table'

-- Of a page that is accepted, the flagged passages that nobody decided about; of one that is rejected, all passages that
-- are not rejected already.

-- name: chunks_of_page
select c.id from chunks c
where c.knowledge_base_id = %(knowledge_base_id)s and c.document_id = %(document_id)s and c.first_page = %(page)s
  and (%(verdict)s = 'rejected' or cardinality(c.flags) > 0)
  and not exists (
    select from reviews r
    where r.document_id = c.document_id and r.chunk_id = c.id and r.stale is null
      and (r.verdict = 'rejected' or %(verdict)s <> 'rejected'))

-- name: flagged
select c.id from chunks c where c.document_id = %(document_id)s and c.id = any (%(ids)s::uuid[]) and cardinality(c.flags) > 0

-- name: lock_base
select pg_advisory_xact_lock(hashtextextended('autri reviews ' || %(knowledge_base_id)s::text, 0))

-- A decision takes the place of an earlier one about the same.

-- name: decide_chunks
insert into reviews (organization_id, knowledge_base_id, document_id, id, decision_id, page, chunk_id, verdict, flags,
  place, excerpt, note, author_id, author)
select c.organization_id, c.knowledge_base_id, c.document_id, n.id, %(decision_id)s, coalesce(c.first_page, 0), c.id,
  %(verdict)s,
  c.flags, coalesce((select jsonb_agg(b - '{x,y,w,h}'::text[]) from jsonb_array_elements(c.boxes) b), '[]'),
  left(c.content, %(excerpt)s), %(note)s, %(author_id)s::uuid, %(by)s
from unnest(%(new_ids)s::uuid[], %(ids)s::uuid[]) n (id, chunk_id) join chunks c on c.id = n.chunk_id
where c.knowledge_base_id = %(knowledge_base_id)s
on conflict (document_id, chunk_id) where chunk_id is not null do update set id = excluded.id,
  decision_id = excluded.decision_id, verdict = excluded.verdict, flags = excluded.flags, page = excluded.page, place = excluded.place,
  excerpt = excluded.excerpt, note = excluded.note, author_id = excluded.author_id, author = excluded.author, created_at = now(), stale = null

-- name: decide_page
insert into reviews (organization_id, knowledge_base_id, document_id, id, decision_id, page, verdict, flags, note,
  author_id, author)
select p.organization_id, p.knowledge_base_id, p.document_id, %(id)s, %(decision_id)s, p.page, %(verdict)s, p.flags,
  %(note)s, %(author_id)s::uuid, %(by)s
from pages p
where p.document_id = %(document_id)s and p.page = %(page)s and p.knowledge_base_id = %(knowledge_base_id)s
on conflict (document_id, page) where chunk_id is null do update set id = excluded.id,
  decision_id = excluded.decision_id, verdict = excluded.verdict, flags = excluded.flags, note = excluded.note, author_id = excluded.author_id,
  author = excluded.author, created_at = now(), stale = null

-- name: take_back
delete from reviews where knowledge_base_id = %(knowledge_base_id)s and decision_id = %(decision_id)s
returning chunk_id

-- name: list_decisions
select r.decision_id as id, min(r.verdict) as verdict, (array_agg(r.document_id order by r.id))[1] as document_id,
  (array_agg(d.name order by r.id))[1] as document_name, count(distinct r.document_id) as documents,
  nullif((array_agg(r.page order by r.id))[1], 0) as page, count(r.chunk_id) as chunks,
  count(*) - count(r.chunk_id) as pages,
  coalesce((array_agg(r.excerpt order by r.id) filter (where r.excerpt <> ''))[1], '') as excerpt,
  min(r.note) as note, min(r.author) as author, min(r.created_at) as created_at, count(r.stale) as stale,
  min(r.stale) as reason
from reviews r join documents d on d.id = r.document_id
where r.knowledge_base_id = %(knowledge_base_id)s
  and (%(before)s::uuid is null or r.decision_id < %(before)s::uuid)
group by r.decision_id
order by r.decision_id desc
limit %(limit)s

-- name: of_document
select id, decision_id, nullif(page, 0) as page, chunk_id, verdict, flags, excerpt, note, author, created_at, stale
from reviews where document_id = %(document_id)s
order by id

-- Whether each decision still fits: the passage is there, and in the same place. Boxes may move a little within a page;
-- the lines that they are of may not.

-- name: refit
update reviews r set stale = f.stale
from (
  select o.id, case
    when c.id is null then 'the passage is no longer there as it was'
    when coalesce((select jsonb_agg(b - '{x,y,w,h}'::text[]) from jsonb_array_elements(c.boxes) b), '[]') <> o.place
      then 'the passage stands in another place now' end as stale
  from reviews o left join chunks c on c.id = o.chunk_id and c.document_id = o.document_id
  where o.document_id = %(document_id)s and o.chunk_id is not null) f
where r.id = f.id and r.document_id = %(document_id)s and r.stale is distinct from f.stale
