-- Conditions on the rows of an index table, whose alias replaces {a}. Documents pinned by id are searched in whichever
-- version they are; otherwise the current versions are searched, or all of them on request. What people rejected is never
-- searched.
--
-- `is true` and `offset 0` keep the planner from turning the tests into joins: under row-level security it estimates
-- one row in scope, and would join in an order that takes minutes.

-- name: of_documents
({a}.document_id in (
    select d.id from answering_documents d
    where case when %(documents)s::uuid[] is null then d.is_current or %(superseded)s
      else d.id = any (%(documents)s::uuid[]) end)) is true
  and ({a}.chunk_id in (select r.chunk_id from rejected_chunks r)) is not true

-- name: of_types
exists (select from chunks c where c.id = {a}.chunk_id and c.chunk_type = any (%(types)s::text[]) offset 0)

-- name: among_types
({a}.chunk_id in (select c.id from chunks c where c.chunk_type = any (%(types)s::text[]))) is true

-- name: listed
{a}.chunk_id = any (%(listed)s::uuid[])

-- name: tested_rows
select t.* from {table} t where {selected}

-- name: listed_rows
select t.* from unnest(%(listed)s::uuid[]) g (id)
  cross join lateral (select r.* from {table} r where r.chunk_id = g.id offset 0) t

-- name: sample
-- A sample of every n-th served chunk: how many pass all conditions, and each condition by itself.
with served as (
  select d.id, d.chunk_count, sum(d.chunk_count) over (order by d.id) - d.chunk_count as before,
    sum(d.chunk_count) over () as total
  from answering_documents d
  where d.chunk_count > 0
    and (case when %(documents)s::uuid[] is null then d.is_current or %(superseded)s
      else d.id = any (%(documents)s::uuid[]) end)),
steps as (
  select s.id, s.before, s.total, step, ceil(s.before / step)::integer as first,
    ceil((s.before + s.chunk_count) / step)::integer - 1 as last
  from served s, lateral (select greatest(1, s.total / %(sample)s::float8) as step) n),
picked as (
  select s.id as document_id, floor(i * s.step - s.before)::integer as ordinal, s.total
  from steps s cross join lateral generate_series(s.first, s.last) i
  where s.first <= s.last)
select max(p.total)::bigint as total, count(*) as sample, count(*) filter (where {selected}) as passed{parts}
from picked p
  cross join lateral (
    select c.id as chunk_id, c.document_id from chunks c
    where c.document_id = p.document_id and c.ordinal = p.ordinal limit 1) s

-- name: sizes
select coalesce(sum(d.chunk_count), 0)::bigint as total
from answering_documents d
where case when %(documents)s::uuid[] is null then d.is_current or %(superseded)s
  else d.id = any (%(documents)s::uuid[]) end

-- Sorted by id, which is the order of creation, so that rows stored together are looked up together.
-- name: survivors
with candidates as materialized ({driver} limit %(read_max)s)
select (select count(*) from candidates) as looked_at, count(*) as matches,
  coalesce(array_agg(f.chunk_id order by f.chunk_id), '{{}}')::text as found
from (select distinct s.chunk_id from candidates s where {selected} limit %(listed_max)s) f

-- name: driver_values
select f.chunk_id, f.document_id from chunk_attributes f where {test}

-- name: driver_documents
select c.id as chunk_id, c.document_id from unnest(%(driver_documents)s::uuid[]) d (id)
  cross join lateral (select c.id, c.document_id from chunks c where c.document_id = d.id offset 0) c

-- name: driver_types
select c.id as chunk_id, c.document_id from chunks c where c.chunk_type = any (%(types)s::text[])

-- name: driver_served
select c.id as chunk_id, c.document_id
from (select d.id from answering_documents d where d.is_current or %(superseded)s offset 0) d
  cross join lateral (select c.id, c.document_id from chunks c where c.document_id = d.id offset 0) c
