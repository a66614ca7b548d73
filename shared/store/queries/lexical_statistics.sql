-- Sums over documents' shares of the lexical statistics.

-- name: try_fold_lock
select pg_try_advisory_xact_lock(hashtextextended('lexical fold:' || %(knowledge_base_id)s::text, 0)) as locked

-- name: unfolded_documents
select document_id from lexical_documents
where knowledge_base_id = %(knowledge_base_id)s and not folded
order by document_id limit %(limit)s for update skip locked

-- name: removed_shares
select id from lexical_removed where knowledge_base_id = %(knowledge_base_id)s

-- name: fold_counts
with changes as (
  select slot, sum(count)::integer as count
  from (
    select s.slot, s.count from lexical_documents d, unnest(d.slots, d.counts) s (slot, count)
    where d.document_id = any (%(ids)s)
    union all
    select s.slot, -s.count from lexical_removed r, unnest(r.slots, r.counts) s (slot, count)
    where r.id = any (%(removed)s)) changed
  group by slot having sum(count) <> 0)
insert into lexical_counts as c (organization_id, knowledge_base_id, slot, count)
select b.organization_id, b.id, changes.slot, changes.count
from changes, knowledge_bases b where b.id = %(knowledge_base_id)s
order by changes.slot
on conflict (knowledge_base_id, slot) do update set count = c.count + excluded.count

-- name: fold_totals
with changes as (
  select language, sum(chunks) as chunks, sum(length) as length
  from (
    select language, chunks, length from lexical_documents where document_id = any (%(ids)s)
    union all
    select language, -chunks, -length from lexical_removed where id = any (%(removed)s)) changed
  group by language)
insert into lexical_totals as t (organization_id, knowledge_base_id, language, chunks, length)
select b.organization_id, b.id, changes.language, changes.chunks, changes.length
from changes, knowledge_bases b where b.id = %(knowledge_base_id)s
on conflict (knowledge_base_id, language) do update
  set chunks = t.chunks + excluded.chunks, length = t.length + excluded.length

-- name: fold_words
insert into lexical_words (organization_id, knowledge_base_id, word, term)
select distinct d.organization_id, d.knowledge_base_id, w.word, w.term
from lexical_documents d, unnest(d.words, d.word_terms) w (word, term)
where d.document_id = any (%(ids)s)
on conflict do nothing

-- Deletes sums that dropped to zero with the removed shares, and the words of terms that have no sum left, so that no
-- word of a deleted document remains. Shares that are not folded yet store their words themselves. A slot has 28 bits
-- of its term. The removed slots are an array, which the primary key is searched by: a join over sums that were just
-- written, of which the planner expects one, would compare each with each. A term's sums are looked for by a query of
-- its own (`offset 0`): in a join, row-level security lets only the lower bound be searched for.

-- name: forget_counts
delete from lexical_counts c
where c.knowledge_base_id = %(knowledge_base_id)s and c.count <= 0 and c.slot = any (array(
  select s.slot from lexical_removed r, unnest(r.slots) s (slot) where r.id = any (%(removed)s)))
returning c.slot

-- name: forget_totals
delete from lexical_totals where knowledge_base_id = %(knowledge_base_id)s and chunks <= 0

-- name: forget_words
delete from lexical_words w
using unnest(%(terms)s::integer[], %(slots)s::integer[]) gone (term, slot)
where w.knowledge_base_id = %(knowledge_base_id)s and w.term & 268435455 = gone.term
  and not exists (
    select from lexical_counts c
    where c.knowledge_base_id = w.knowledge_base_id and c.slot between gone.slot and gone.slot + 15
    offset 0)

-- name: mark_folded
update lexical_documents set folded = true, words = '{}', word_terms = '{}' where document_id = any (%(ids)s)

-- name: clear_removed
delete from lexical_removed where id = any (%(removed)s)

-- Of the removed shares that are not folded, the first few are subtracted; the other counts are too high until the next
-- fold, which an upper bound allows.
-- name: chunk_totals, planned once
select knowledge_base_id, language, sum(chunks)::bigint as chunks
from (
  select knowledge_base_id, language, chunks from lexical_totals
  union all
  select knowledge_base_id, language, chunks from lexical_documents where not folded
  union all
  select knowledge_base_id, language, -chunks from (select * from lexical_removed order by id limit 8) r) shares
group by 1, 2 having sum(chunks) > 0

-- name: slot_counts, planned once
select knowledge_base_id, slot & -16 as first, slot, sum(count)::bigint as count
from (
  select c.knowledge_base_id, c.slot, c.count
  from unnest(%(slots)s::integer[]) wanted (slot),
    lateral (select * from lexical_counts c where c.slot between wanted.slot and wanted.slot + 15 offset 0) c
  union all
  select d.knowledge_base_id, s.slot, s.count
  from lexical_documents d, unnest(d.slots, d.counts) s (slot, count)
  where not d.folded and s.slot & -16 = any (%(slots)s::integer[])
  union all
  select r.knowledge_base_id, s.slot, -s.count
  from (select * from lexical_removed order by id limit 8) r, unnest(r.slots, r.counts) s (slot, count)
  where s.slot & -16 = any (%(slots)s::integer[])) shares
group by 1, 3 having sum(count) > 0

-- name: complete_word
select term
from (
  select word, term from lexical_words where word >= %(prefix)s and word < %(after)s
  union all
  select w.word, w.term from lexical_documents d, unnest(d.words, d.word_terms) w (word, term)
  where not d.folded and starts_with(w.word, %(prefix)s)) completed
group by term order by min(length(word)), min(word) limit %(limit)s

-- name: words_near
select distinct word, term
from (
  select w.word, w.term
  from unnest(%(prefixes)s::text[], %(after)s::text[], %(lengths)s::integer[]) near (prefix, after, length),
    lateral (
      select word, term from lexical_words
      where word >= near.prefix and word < near.after and length(word) between near.length - 2 and near.length + 2
      offset 0) w
  union all
  select word, term from lexical_words where word = any (%(exact)s::text[])
  union all
  select w.word, w.term from lexical_documents d, unnest(d.words, d.word_terms) w (word, term)
  where not d.folded
    and (w.word = any (%(exact)s::text[]) or exists (
      select from unnest(%(prefixes)s::text[], %(lengths)s::integer[]) near (prefix, length)
      where starts_with(w.word, near.prefix) and length(w.word) between near.length - 2 and near.length + 2))) found

-- Those that have none of the terms whose first slots these are.
-- name: documents_without
select document_id from lexical_documents
where document_id = any (%(documents)s)
  and not exists (select from unnest(slots) s where s - (s & 15) = any (%(firsts)s::integer[]))
