-- The lexical index: rows per chunk, statistics per document.

-- name: lock_document
select pg_advisory_xact_lock(hashtextextended('lexical:' || %(document_id)s::text, 0))

-- name: stale_chunks
select c.id, c.index_text, c.keywords, c.index_hash || md5(c.keywords::text) as source_hash
from chunks c left join chunk_lexical l on l.chunk_id = c.id
where c.document_id = %(document_id)s
  and (l.source_hash is distinct from c.index_hash || md5(c.keywords::text)
    or l.tokenizer_version is distinct from %(version)s)
order by c.ordinal

-- name: fix_pivot
insert into lexical_bases (organization_id, knowledge_base_id, pivot)
select organization_id, id, %(pivot)s from knowledge_bases where id = %(knowledge_base_id)s
on conflict do nothing

-- name: get_pivot
select pivot from lexical_bases where knowledge_base_id = %(knowledge_base_id)s

-- name: store_chunks
insert into chunk_lexical
  (organization_id, knowledge_base_id, document_id, chunk_id, pivot, length, source_hash, tokenizer_version, impacts)
select c.organization_id, c.knowledge_base_id, c.document_id, c.id, %(pivot)s, r.length, r.hash, %(version)s,
  r.impacts::sparsevec
from unnest(%(ids)s::uuid[], %(lengths)s::int[], %(hashes)s::text[], %(impacts)s::text[]) r (id, length, hash, impacts)
  join chunks c on c.id = r.id
on conflict (chunk_id) do update set
  pivot = excluded.pivot, length = excluded.length, source_hash = excluded.source_hash,
  tokenizer_version = excluded.tokenizer_version, impacts = excluded.impacts

-- name: counted_chunks
select (select count(*) from chunk_lexical where document_id = %(document_id)s) as present,
  (select chunks from lexical_documents where document_id = %(document_id)s) as counted

-- name: document_rows
select length, impacts from chunk_lexical where document_id = %(document_id)s

-- name: clear_terms
delete from lexical_terms where document_id = %(document_id)s

-- name: store_terms
insert into lexical_terms (organization_id, knowledge_base_id, document_id, term, frequency)
select d.organization_id, d.knowledge_base_id, d.id, r.term, r.frequency
from documents d, unnest(%(terms)s::int[], %(frequencies)s::int[]) r (term, frequency)
where d.id = %(document_id)s

-- name: store_totals
insert into lexical_documents (organization_id, knowledge_base_id, document_id, chunks, length)
select organization_id, knowledge_base_id, id, %(chunks)s, %(length)s from documents where id = %(document_id)s
on conflict (document_id) do update set chunks = excluded.chunks, length = excluded.length

-- name: base_totals
select coalesce(sum(chunks), 0)::bigint as chunks, coalesce(sum(length), 0)::bigint as length
from lexical_documents where knowledge_base_id = %(knowledge_base_id)s

-- name: move_pivot
update lexical_bases set pivot = %(pivot)s where knowledge_base_id = %(knowledge_base_id)s and pivot = %(old)s

-- name: rows_of_other_pivots
select chunk_id, pivot, length, impacts from chunk_lexical
where knowledge_base_id = %(knowledge_base_id)s and (pivot < %(pivot)s or pivot > %(pivot)s)
limit %(limit)s for update skip locked

-- name: change_impacts
update chunk_lexical l set pivot = %(pivot)s, impacts = r.impacts::sparsevec
from unnest(%(ids)s::uuid[], %(impacts)s::text[]) r (id, impacts) where l.chunk_id = r.id

-- name: scope_totals
select coalesce(sum(chunks), 0)::bigint as chunks from lexical_documents

-- name: term_frequencies
select term, sum(frequency)::bigint as frequency from lexical_terms where term = any (%(terms)s) group by term

-- name: impacts_of_chunks
select impacts from chunk_lexical where chunk_id = any (%(ids)s)
