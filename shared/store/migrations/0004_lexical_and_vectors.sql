-- The two indexes of chunks: words (our own, BM25) and vectors.
--
-- Lexical: a sparse vector of BM25 impacts per chunk, ranked by inner product under ordinary policies. An impact is
-- tf (k1 + 1) / (tf + k1 (1 - b + b length / pivot)). The pivot length is fixed per knowledge base and the inverse
-- document frequency lives in the query alone, so that adding or deleting documents touches no other row.
--
-- Large knowledge bases are read by keys, one per term and impact level, in an inverted index. A slot is a term (28 of
-- its 30 bits) and one of 16 impact levels, as an int4; a key is a slot xor the knowledge base's own number. Numbers that
-- fall together cost a row read for nothing: whatever is read is scored exactly.
-- docs/decisions/0018-bounded-lexical-reads.md
--
-- Statistics are kept per document and folded per knowledge base now and then: publishers of one knowledge base never
-- wait for each other, and deleting a document takes its share away.

-- What a knowledge base's impacts are measured against.
create table lexical_bases (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  pivot double precision not null,  -- Tokens of a chunk of middling length.
  primary key (organization_id, knowledge_base_id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
call autri_meta.protect('lexical_bases');

-- The index itself. Narrow columns first: a scan reads all of a row.
create table chunk_lexical (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  chunk_id uuid not null primary key,
  pivot double precision not null,  -- The one that the impacts were made with.
  length integer not null,  -- Tokens.
  source_hash text not null,  -- Covers the index text and the keywords.
  tokenizer_version text not null,  -- What made the terms.
  impacts sparsevec not null,  -- By term.
  keys integer[] not null,  -- By which it is read where there are many.
  foreign key (organization_id, knowledge_base_id, document_id, chunk_id)
    references chunks (organization_id, knowledge_base_id, document_id, id) on delete cascade
);
alter table chunk_lexical alter column impacts set storage main, alter column keys set storage main;
create index chunk_lexical_by_pivot on chunk_lexical (knowledge_base_id, pivot);
create index chunk_lexical_by_document on chunk_lexical (document_id);
-- The pending list is read by every query; it stays short.
create index chunk_lexical_keys on chunk_lexical using gin (keys) with (fastupdate = on, gin_pending_list_limit = 1024);
call autri_meta.protect('chunk_lexical');

-- A document's share of the statistics. What made the rows: documents of another tokenizer or pivot are indexed anew.
create table lexical_documents (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null primary key,
  chunks integer not null,  -- How many it has.
  length bigint not null,  -- Tokens of all chunks.
  language text not null default 'en',  -- Which stemmer.
  slots integer[] not null default '{}',  -- In how many of its chunks each slot occurs.
  counts integer[] not null default '{}',  -- As many as slots.
  words text[] not null default '{}',  -- What can be completed (`recharg*`), each with the number of its term.
  word_terms integer[] not null default '{}',  -- As many as words.
  folded boolean not null default false,  -- The share is in the knowledge base's sums.
  tokenizer_version text not null default '',  -- What made the terms.
  pivot double precision not null default 0,  -- What the impacts were made with.
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index lexical_documents_by_version on lexical_documents (knowledge_base_id, tokenizer_version, pivot);
create index lexical_documents_unfolded on lexical_documents (knowledge_base_id) where not folded;
call autri_meta.protect('lexical_documents');

-- Shares that were folded and whose documents are gone or were indexed anew; the next fold subtracts them.
create table lexical_removed (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id bigint generated always as identity primary key,
  language text not null,  -- As in `lexical_documents`.
  chunks integer not null,  -- To be subtracted.
  length bigint not null,  -- To be subtracted.
  slots integer[] not null,  -- As in `lexical_documents`.
  counts integer[] not null,  -- As many as slots.
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
create index lexical_removed_by_base on lexical_removed (knowledge_base_id);
call autri_meta.protect('lexical_removed');

-- A folded share whose document goes (by cascade, too) is subtracted later. Nothing is left to subtract from when the
-- knowledge base itself goes.
create function lexical_share_removed() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.lexical_removed (organization_id, knowledge_base_id, language, chunks, length, slots, counts)
    select old.organization_id, old.knowledge_base_id, old.language, old.chunks, old.length, old.slots, old.counts
    from public.knowledge_bases b
    where b.organization_id = old.organization_id and b.id = old.knowledge_base_id;
  return null;
end $$;
revoke all on function lexical_share_removed() from public;
grant execute on function lexical_share_removed() to autri_app;
create trigger lexical_share_removed after delete on lexical_documents
  for each row when (old.folded) execute function lexical_share_removed();

-- The folded sums. Only the holder of the knowledge base's fold lock writes them, so no publisher waits for another.
create table lexical_counts (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  slot integer not null,  -- A term and a level.
  count integer not null,  -- Chunks that have it.
  primary key (knowledge_base_id, slot),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
) with (fillfactor = 80);
call autri_meta.protect('lexical_counts');

-- Folded, too: how many chunks there are of each language, and how long they are together.
create table lexical_totals (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  language text not null,  -- As in `lexical_documents`.
  chunks bigint not null,  -- How many.
  length bigint not null,  -- Tokens.
  primary key (knowledge_base_id, language),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
call autri_meta.protect('lexical_totals');

-- Folded, too: what can be completed.
create table lexical_words (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  word text collate "C" not null,  -- Lower case, as it is typed.
  term integer not null,  -- Its number.
  primary key (knowledge_base_id, word, term),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
call autri_meta.protect('lexical_words');

-- The one reader that policies do not slow down: under them `&&` could not use its index, for it is not leakproof.
-- It takes its scope from the settings and from nothing else, returns ids and scores alone, and callers join those to
-- tables under policies again. Its owner may read these columns of this table.
create policy reader on chunk_lexical for select to autri_lexical using (true);
grant select (organization_id, knowledge_base_id, chunk_id, impacts, keys) on chunk_lexical to autri_lexical;
grant execute on function scope_bases(), kept_from() to autri_lexical;

-- Chunks in scope with one of `p_keys` and all terms of each of `p_needed`, best first by inner product with `p_query`;
-- those that tie with the last one are added.
create function lexical_reading(
  p_keys integer[], p_query public.sparsevec, p_limit integer, p_needed public.sparsevec[] default null)
returns table (chunk_id uuid, score double precision)
language plpgsql stable security definer rows 300
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
as $$
declare
  own_organization constant uuid := nullif(current_setting('app.organization_id', true), '')::uuid;
  own_bases constant uuid[] := public.scope_bases();
begin
  if own_organization is null or cardinality(own_bases) = 0 then
    return;
  end if;
  if cardinality(p_keys) > 20000 or p_limit > 20000 or cardinality(p_needed) > 16 then
    raise exception 'lexical_reading was asked for too much' using errcode = 'program_limit_exceeded';
  end if;
  return query
    select s.id, -s.distance
    from (
      select l.chunk_id as id, l.impacts operator(public.<#>) p_query as distance
      from public.chunk_lexical l
      where l.keys operator(pg_catalog.&&) p_keys
        and (l.organization_id = own_organization) is true
        and (l.knowledge_base_id = any (own_bases)) is true
        and (p_needed is null
          or not exists (select from unnest(p_needed) n where (l.impacts operator(public.<#>) n) >= 0))
      offset 0) s
    where s.distance < 0
    order by s.distance fetch first p_limit rows with ties;
end $$;
call autri_meta.hand_over('lexical_reading(integer[], sparsevec, integer, sparsevec[])', 'autri_lexical');

-- What a document is known by: the words of its name and its beginning, which say whose it is and of when, and the words
-- that many of its chunks have. A ranking of passages asks which documents a query means.
-- docs/decisions/0021-context-of-passages.md
create table document_profiles (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  chunks integer not null,  -- How many the document has.
  -- Terms that name it, as slots: a short list of its own, for a search reads those of all documents that it found.
  names integer[] not null,
  -- In how many chunks the others occur; a term's place in the vector is the 28 bits that its slot has of it.
  counts sparsevec not null,
  primary key (document_id),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
call autri_meta.protect('document_profiles');

-- Vectors, as halfvec: half the bytes of a row, so that a page holds twice as many; ranking stays the same
-- (docs/decisions/0019). Narrow, so that an exact scan of a small knowledge base stays in few pages; the dimension is the
-- embedder's. HNSW indexes of large knowledge bases are no part of the schema: maintenance makes and drops them
-- (shared/vectors/indexes.py).
create table chunk_vectors (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  chunk_id uuid not null,
  embedder_version text not null,  -- What made it.
  index_hash text not null,  -- Of the text that was embedded.
  embedding halfvec not null,  -- Of unit length.
  primary key (chunk_id, embedder_version),
  foreign key (organization_id, knowledge_base_id, document_id, chunk_id)
    references chunks (organization_id, knowledge_base_id, document_id, id) on delete cascade
);
alter table chunk_vectors alter column embedding set storage plain;
create index chunk_vectors_by_hash on chunk_vectors (knowledge_base_id, index_hash);
create index chunk_vectors_by_document on chunk_vectors (knowledge_base_id, embedder_version, document_id);
call autri_meta.protect('chunk_vectors');
-- The owner role counts vectors and finds what is to be done; it reads no content and writes nothing here.
create policy maintenance on chunk_vectors for select to current_user using (true);
