-- Document profiles: the words that name a document.

-- name: beginnings
select d.id, d.name, l.language, l.chunks,
  coalesce((select string_agg(b.content, E'\n' order by b.ordinal) from (
    select c.ordinal, c.content from chunks c
    where c.document_id = d.id and c.chunk_type <> 'table'
    order by c.ordinal limit %(chunks)s) b), '') as beginning
from documents d join lexical_documents l on l.document_id = d.id
where d.id = any (%(document_ids)s)

-- name: store_profiles
insert into document_profiles (organization_id, knowledge_base_id, document_id, chunks, names, counts)
select l.organization_id, l.knowledge_base_id, l.document_id, l.chunks, r.named,
  ('{' || coalesce(p.counts, '') || '}/268435456')::sparsevec
from jsonb_to_recordset(%(profiles)s) r (document_id uuid, named integer[])
  join lexical_documents l on l.document_id = r.document_id cross join lateral (
  select string_agg((first::bigint & 4294967295) / 16 + 1 || ':' || frequency, ',') as counts
  from (
    select first, frequency
    from (
      select s.slot - (s.slot & 15) as first, sum(s.count)::int as frequency
      from unnest(l.slots, l.counts) s (slot, count) group by 1) counted
    where first = any (r.named) or frequency >= %(share)s * l.chunks
    order by first = any (r.named) desc, frequency desc limit %(terms)s) kept) p
on conflict (document_id) do update set chunks = excluded.chunks, names = excluded.names, counts = excluded.counts

-- name: documents_of_chunks, planned once
select id, document_id from chunks where id = any (%(ids)s)

-- name: document_names
select id, name from documents where id = any (%(documents)s)

-- name: profiles, planned once
select p.document_id, p.chunks, array(select s from unnest(%(slots)s::int[]) s where s = any (p.names)) as names
from document_profiles p where p.document_id = any (%(documents)s)

-- The cast decompresses a document's counts once instead of once per word.
-- name: frequencies, planned once
select p.document_id, array(
    select (-(p.counts <#> t.vector))::integer
    from unnest(%(vectors)s::sparsevec[]) with ordinality t (vector, place) order by t.place) as frequencies
from (
    select document_id, counts::sparsevec(268435456) as counts from document_profiles
    where document_id = any (%(documents)s) offset 0) p
