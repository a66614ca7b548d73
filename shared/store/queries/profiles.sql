-- What documents are known by.

-- name: beginning
select d.name, l.language, l.chunks,
  coalesce((select string_agg(b.content, E'\n' order by b.ordinal) from (
    select c.ordinal, c.content from chunks c
    where c.document_id = d.id and c.chunk_type <> 'table'
    order by c.ordinal limit %(chunks)s) b), '') as beginning
from documents d join lexical_documents l on l.document_id = d.id
where d.id = %(document_id)s

-- name: store_profile
insert into document_profiles
  (organization_id, knowledge_base_id, document_id, chunks, slots, frequencies, naming)
select l.organization_id, l.knowledge_base_id, l.document_id, l.chunks, coalesce(p.slots, '{}'),
  coalesce(p.frequencies, '{}'), coalesce(p.naming, '{}')
from lexical_documents l cross join lateral (
  select array_agg(first order by first) as slots, array_agg(frequency order by first) as frequencies,
    array_agg(first = any (%(named)s::int[]) order by first) as naming
  from (
    select s.slot - (s.slot & 15) as first, sum(s.count)::int as frequency
    from unnest(l.slots, l.counts) s (slot, count) group by 1) counted
  where first = any (%(named)s::int[]) or frequency >= %(share)s * l.chunks) p
where l.document_id = %(document_id)s
on conflict (document_id) do update set chunks = excluded.chunks, slots = excluded.slots,
  frequencies = excluded.frequencies, naming = excluded.naming

-- name: documents_of_chunks
select id, document_id from chunks where id = any (%(ids)s)

-- name: document_names
select id, name from documents where id = any (%(documents)s)

-- name: profiles
select p.document_id, p.chunks, t.slot, t.frequency, t.naming
from document_profiles p
  left join lateral (
    select s.slot, s.frequency, s.naming from unnest(p.slots, p.frequencies, p.naming) s (slot, frequency, naming)
    where s.slot = any (%(slots)s::int[])) t on true
where p.document_id = any (%(documents)s)
