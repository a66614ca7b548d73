-- Counts of a result by the values of its attributes. {source} yields the rows of `chunk_attributes` of the result as f.
-- Scope comes from row-level security.

-- name: passing
select count(*) as chunks, coalesce(array_agg(n.chunk_id order by n.chunk_id), '{{}}')::text as found
from (select c.id as chunk_id, c.document_id from chunks c) n
where {selected}

-- name: passing_count
select count(*) as chunks from (select c.id as chunk_id, c.document_id from chunks c) n where {selected}

-- name: of_chunks
(select t.* from chunk_attributes t where t.chunk_id = any (%(listed)s::uuid[])) f

-- What there is to count: each name with its kind and unit. `several`: a chunk may be counted more than once.

-- name: overview
select f.name,
  case when f.value_number is not null then 'number' when f.text_key is not null then 'category'
    when f.value_time is not null then 'date' else 'boolean' end as kind,
  f.unit, f.printed_unit, count(*) as rows, bool_or(f.ordinal > 0) as several, bool_or(f.inexact) as inexact,
  min(f.value_number) as low, max(coalesce(f.value_upper, f.value_number)) as high,
  min(f.printed_number) as printed_low, max(coalesce(f.printed_upper, f.printed_number)) as printed_high,
  min(f.value_time) as first, max(f.value_time) as last
from {source}
where %(names)s::text[] is null or f.name = any (%(names)s::text[])
group by 1, 2, 3, 4

-- name: categories
select name, boolean, shown, chunks, "distinct"
from (
  select f.name, f.text_key is null as boolean,
    coalesce(min(left(f.value_text, 200)), f.value_boolean::text) as shown, {counted} as chunks,
    count(*) over (partition by f.name, f.text_key is null) as "distinct",
    row_number() over (partition by f.name, f.text_key is null order by {counted} desc, f.text_key, f.value_boolean) as place
  from {source}
  where f.name = any (%(names)s::text[]) and (f.text_key is not null or f.value_boolean is not null)
  group by f.name, f.text_key, f.value_boolean) v
where place <= %(values_max)s
order by name, place

-- The ranges of exact values; `lows` are where ranges begin, the last is where they end.

-- name: ranges
select width_bucket({value}, %(lows)s::float8[]) - 1 as place, {counted} as chunks
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
