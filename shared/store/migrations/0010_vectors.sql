-- Vectors as halfvec: half the bytes of a row, so that a page holds twice as many; ranking stays the same
-- (docs/decisions/0019). HNSW indexes of large knowledge bases are no part of the schema: maintenance makes and drops
-- them (shared/store/vector_indexes.py).
alter table chunk_vectors alter column embedding type halfvec using embedding::halfvec;
alter table chunk_vectors alter column embedding set storage plain;
create index chunk_vectors_by_document on chunk_vectors (knowledge_base_id, embedder_version, document_id);

-- Which embedder's vectors serve queries: chosen when the first document is embedded. `embedder_target` is the one that
-- a change is under way to.
alter table knowledge_bases add column embedder_version text;
alter table knowledge_bases add column embedder_target text;

-- The owner role counts vectors and finds what is to be done; it reads no content and writes nothing here.
do $$
begin
  execute format('create policy maintenance on chunk_vectors for select to %I using (true)', current_user);
  execute format('create policy maintenance on knowledge_bases to %I using (true) with check (true)', current_user);
end $$;

update knowledge_bases k set embedder_version = (
  select v.embedder_version from chunk_vectors v where v.knowledge_base_id = k.id
  group by v.embedder_version order by count(*) desc, v.embedder_version limit 1);

create index chunks_by_type on chunks (knowledge_base_id, chunk_type);
