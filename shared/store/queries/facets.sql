-- Counts of a result by the values of its attributes. {source} yields the rows of `chunk_attributes` of the result as f.
-- Scope comes from row-level security.

-- name: passing
select count(*) as chunks from (select c.id as chunk_id, c.document_id from chunks c) n where {selected}

-- name: sifted_rows
(select f.* from chunk_attributes f where {selected}) f

-- One pass over {source} counts its rows by value; what else is asked is asked of these counts. For the few rows that the
-- planner expects behind policies it would sort. 32 MB hold some hundred thousand different values, what needs more goes to
-- disk.

-- name: by_hash
select set_config('enable_sort', 'off', true), set_config('work_mem', '32MB', true),
  set_config('max_parallel_workers_per_gather', '1', true)

-- What most rows pass is read page by page, in place of row by row in the order of an index.

-- name: in_whole
select set_config('enable_indexscan', 'off', true)

-- What there is to count: each name with its kind and unit. `several`: a chunk may be counted more than once. `numbers` (or
-- `printed`) are the different ones, dates in seconds since 1970, with the rows of each in `counts`; `shown` the most frequent
-- values of a category with theirs, of so many that are `distinct`.
--
-- A second process counts half of the rows, and what it sends is its counts: with the branch that is empty the planner has no
-- statistics of the values. By those it expects a value of its own in every row, and would have all rows sent instead. Texts
-- are compared by their keys once each text has been counted, and not for every row.

-- name: overview
with tally as materialized (
  select f.name, f.unit, f.printed_unit, attribute_key(f.value_text) as text_key, f.value_number, f.printed_number,
    f.value_time, f.value_boolean, count(*) as rows, max(f.ordinal) > 0 as several, bool_or(f.inexact) as inexact,
    max(f.value_upper) as upper, max(f.printed_upper) as printed_upper, left(f.value_text, 200) as shown
  from (
    select {values} from {source}
    where f.role is distinct from 'alias' and (%(names)s::text[] is null or f.name = any (%(names)s::text[]))
    union all
    select {values} from chunk_attributes f where false) f
  group by f.name, f.unit, f.printed_unit, f.value_text, f.value_number, f.printed_number, f.value_time, f.value_boolean),
kinds as (
  select name, {kind} as kind, f.unit, f.printed_unit, sum(rows)::bigint as rows, bool_or(several) as several,
    bool_or(inexact) as inexact, min(value_number) as low, max(greatest(value_number, upper)) as high,
    min(printed_number) as printed_low, max(greatest(printed_number, printed_upper)) as printed_high,
    min(value_time) as first, max(value_time) as last,
    array_agg(coalesce(value_number, extract(epoch from value_time)::float8))
      filter (where value_number is not null or value_time is not null) as numbers,
    array_agg(printed_number) filter (where value_number is not null) as printed,
    array_agg(rows) filter (where value_number is not null or value_time is not null) as counts
  from tally f
  group by 1, 2, 3, 4),
choices as (
  select name, {kind} as kind, coalesce(min(shown), value_boolean::text) as shown, sum(rows)::bigint as rows,
    count(*) over (partition by name, {kind}) as "distinct",
    row_number() over (partition by name, {kind} order by sum(rows) desc, text_key, value_boolean) as place
  from tally f
  where text_key is not null or value_boolean is not null
  group by name, {kind}, text_key, value_boolean),
listed as (
  select name, kind, array_agg(shown order by place) as shown, array_agg(rows order by place) as chunks,
    max("distinct") as "distinct"
  from choices
  where place <= %(values_max)s
  group by 1, 2)
select k.*, l.shown, l.chunks, l."distinct"
from kinds k left join listed l using (name, kind)

-- The same of attributes of which a chunk has several values: each chunk counts once for a value.

-- name: categories
select name, kind, array_agg(shown order by place) as shown, array_agg(chunks order by place) as chunks,
  max("distinct") as "distinct"
from (
  select f.name, {kind} as kind, coalesce(min(left(f.value_text, 200)), f.value_boolean::text) as shown,
    count(distinct f.chunk_id) as chunks, count(*) over (partition by f.name, {kind}) as "distinct",
    row_number() over (partition by f.name, {kind}
      order by count(distinct f.chunk_id) desc, f.text_key, f.value_boolean) as place
  from {source}
  where f.name = any (%(names)s::text[]) and (f.text_key is not null or f.value_boolean is not null)
    and f.role is distinct from 'alias'
  group by f.name, {kind}, f.text_key, f.value_boolean) v
where place <= %(values_max)s
group by 1, 2

-- The ranges of exact values of such; `lows` are where ranges begin, the last is where they end.

-- name: ranges
select width_bucket({value}, %(lows)s::float8[]) - 1 as place, count(distinct f.chunk_id) as chunks
from {source}
where f.name = %(name)s and {fitting}
group by 1

-- Ranges that hold a number of an inexact value (`10–20`, `< 5`), by the tests of a filter with both bounds; a chunk
-- that is in a range by an exact value as well is counted once.

-- name: ranges_of_all
select b.place, count(distinct f.chunk_id) as chunks
from {source}
  cross join lateral (
    select i - 1 as place, l.lows[i] as low, l.highs[i] as high, l.lows[i + 1] as end_low
    from (select %(lows)s::float8[] as lows, %(highs)s::float8[] as highs) l,
      generate_series(1, cardinality(%(lows)s::float8[]) - 1) i) b
where f.name = %(name)s and {fitting}
  and case when f.inexact then
    (f.comparator in ('>', '>=') or {upper} > b.high or ({upper} >= b.low and f.comparator <> '<'))
    and (f.comparator in ('<', '<=') or {value} < b.end_low)
    else {value} >= b.low and {value} < b.end_low end
group by 1

-- In each unit, and of all units together (`whole`).

-- name: having
select f.name, f.kind, f.unit, grouping(f.unit) = 1 as whole, count(distinct f.chunk_id) as chunks
from (select f.*, {kind} as kind from {source} where f.name = any (%(names)s::text[])) f
group by grouping sets ((f.name, f.kind, f.unit), (f.name, f.kind))
