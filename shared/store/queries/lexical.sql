-- The lexical index: rows per chunk, a share of the statistics per document.

-- Locks the document's own row first, as everything that changes or deletes a document does: index rows refer to it, so
-- that it would otherwise be locked later, in the opposite order (a deadlock).

-- name: lock_document
select pg_advisory_xact_lock(hashtextextended('lexical:' || d.id::text, 0))
from (select id from documents where id = %(document_id)s for key share) d

-- name: try_lock_document
select pg_try_advisory_xact_lock(hashtextextended('lexical:' || d.id::text, 0)) as locked
from (select id from documents where id = %(document_id)s for key share skip locked) d

-- name: stale_chunks
select c.document_id, c.id, c.index_text, c.content, c.keywords, md5(c.index_hash || c.keywords::text) as source_hash
from chunks c
  left join chunk_lexical l on l.chunk_id = c.id
  left join lexical_bases b on b.knowledge_base_id = c.knowledge_base_id
where c.document_id = any (%(document_ids)s)
  and (l.source_hash is distinct from md5(c.index_hash || c.keywords::text)
    or l.tokenizer_version is distinct from %(version)s
    or l.pivot is distinct from b.pivot)
order by array_position(%(document_ids)s, c.document_id), c.ordinal

-- name: counted_chunks
select d.id as document_id, (select count(*) from chunk_lexical where document_id = d.id) as present,
  (select count(*) from chunks where document_id = d.id) as chunks,
  (select chunks from lexical_documents where document_id = d.id) as counted,
  (select language from lexical_documents where document_id = d.id) as language
from unnest(%(document_ids)s) with ordinality d (id, ordinal)
order by d.ordinal

-- Two ranges each instead of `<>`, for which the index on version and pivot could not be used.

-- name: stale_documents
select document_id from (
  select document_id from lexical_documents
  where knowledge_base_id = %(knowledge_base_id)s and tokenizer_version < %(version)s
  union all
  select document_id from lexical_documents
  where knowledge_base_id = %(knowledge_base_id)s and tokenizer_version > %(version)s
  union all
  select d.document_id from lexical_bases b join lexical_documents d on d.knowledge_base_id = b.knowledge_base_id
  where b.knowledge_base_id = %(knowledge_base_id)s and d.tokenizer_version = %(version)s and d.pivot < b.pivot
  union all
  select d.document_id from lexical_bases b join lexical_documents d on d.knowledge_base_id = b.knowledge_base_id
  where b.knowledge_base_id = %(knowledge_base_id)s and d.tokenizer_version = %(version)s and d.pivot > b.pivot) stale
limit %(limit)s

-- name: fix_pivot
insert into lexical_bases (organization_id, knowledge_base_id, pivot)
select organization_id, id, %(pivot)s from knowledge_bases where id = %(knowledge_base_id)s
on conflict do nothing

-- name: get_pivot
select pivot from lexical_bases where knowledge_base_id = %(knowledge_base_id)s

-- name: move_pivot
update lexical_bases set pivot = %(pivot)s where knowledge_base_id = %(knowledge_base_id)s and pivot = %(old)s

-- name: store_chunks
insert into chunk_lexical
  (organization_id, knowledge_base_id, document_id, chunk_id, pivot, length, source_hash, tokenizer_version, impacts,
   keys)
select c.organization_id, c.knowledge_base_id, c.document_id, c.id, %(pivot)s, r.length, r.hash, %(version)s,
  r.impacts::sparsevec, r.keys::integer[]
from unnest(%(ids)s::uuid[], %(lengths)s::int[], %(hashes)s::text[], %(impacts)s::text[], %(keys)s::text[])
    r (id, length, hash, impacts, keys)
  join chunks c on c.id = r.id
on conflict (chunk_id) do update set
  pivot = excluded.pivot, length = excluded.length, source_hash = excluded.source_hash,
  tokenizer_version = excluded.tokenizer_version, impacts = excluded.impacts, keys = excluded.keys

-- name: remove_shares
with removed as (
  delete from lexical_documents where document_id = any (%(document_ids)s)
  returning document_id, folded, words, word_terms)
select document_id, words, word_terms from removed where not folded

-- name: store_shares
with shared as (
  select d.organization_id, d.knowledge_base_id, d.id, r.language, r.words, r.word_terms
  from jsonb_to_recordset(%(shares)s) r (document_id uuid, language text, words text[], word_terms integer[])
    join documents d on d.id = r.document_id)
insert into lexical_documents
  (organization_id, knowledge_base_id, document_id, language, chunks, length, slots, counts, words, word_terms,
   tokenizer_version, pivot)
select d.organization_id, d.knowledge_base_id, d.id, d.language, l.chunks, l.length,
  coalesce(counted.slots, '{}'), coalesce(counted.counts, '{}'), d.words, d.word_terms,
  %(version)s, coalesce((select pivot from lexical_bases b where b.knowledge_base_id = d.knowledge_base_id), 0)
from shared d
  cross join lateral (select count(*) as chunks, coalesce(sum(length), 0) as length from chunk_lexical
    where document_id = d.id) l
  cross join lateral (
    select array_agg(slot order by slot) as slots, array_agg(count order by slot) as counts
    from (
      select key # %(number)s as slot, count(*)::integer as count
      from chunk_lexical, unnest(keys) key where document_id = d.id group by 1) slots) counted

-- name: base_totals
select coalesce(sum(chunks), 0)::bigint as chunks, coalesce(sum(length), 0)::bigint as length
from lexical_totals where knowledge_base_id = %(knowledge_base_id)s
