-- The lexical index: a sparse vector of BM25 impacts per chunk, ranked by inner product under ordinary policies.
--
-- An impact is tf (k1 + 1) / (tf + k1 (1 - b + b length / pivot)). The pivot length is fixed per knowledge base and the
-- inverse document frequency lives in the query alone, so that adding or deleting documents touches no other row.
-- Statistics are kept per document and summed when asked: publishers of one knowledge base never wait for each other,
-- and deleting a document takes its share away by cascade. (Large knowledge bases will add keys for bounded reads and
-- fold the per-document rows; both only add to what is here.)

create table lexical_bases (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  pivot double precision not null,
  primary key (organization_id, knowledge_base_id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);

-- `source_hash` covers the index text and the keywords. Narrow columns first: a scan reads all of a row.
create table chunk_lexical (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  chunk_id uuid not null primary key,
  pivot double precision not null,
  length integer not null,
  source_hash text not null,
  tokenizer_version text not null,
  impacts sparsevec not null,
  foreign key (organization_id, knowledge_base_id, document_id, chunk_id)
    references chunks (organization_id, knowledge_base_id, document_id, id) on delete cascade
);
alter table chunk_lexical alter column impacts set storage main;
create index chunk_lexical_by_pivot on chunk_lexical (knowledge_base_id, pivot);
create index chunk_lexical_by_document on chunk_lexical (document_id);

create table lexical_documents (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null primary key,
  chunks integer not null,
  length bigint not null,
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index lexical_documents_by_base on lexical_documents (knowledge_base_id) include (chunks, length);

-- In how many chunks of a document a term (its hash) occurs.
create table lexical_terms (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  term integer not null,
  frequency integer not null,
  primary key (document_id, term),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index lexical_terms_by_term on lexical_terms (knowledge_base_id, term) include (organization_id, frequency);

do $$
declare
  name text;
  own constant text :=
    'organization_id = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid)'
    ' and knowledge_base_id = any ((select coalesce(nullif(current_setting(''app.kb_ids'', true), ''''), ''{}'')::uuid[])::uuid[])';
begin
  foreach name in array array['lexical_bases', 'chunk_lexical', 'lexical_documents', 'lexical_terms'] loop
    execute format('create policy scope on %I to autri_app using (%s) with check (%2$s)', name, own);
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('grant select, insert, update, delete on %I to autri_app', name);
  end loop;
end $$;
