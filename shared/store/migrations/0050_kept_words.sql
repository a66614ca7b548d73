-- The words of rows that are kept beside their document, by which a search finds these rows.
-- docs/decisions/0180-kept-rows-by-word.md

-- A Bloom filter of the words and codes of a block, in lines of 256 bytes: all bits of a word are in one of them.
create table kept_words (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  page integer not null,  -- The part that the block is kept beside.
  ingestion_id uuid not null,  -- The run that read the block: of another one its words are others.
  filter bytea not null,  -- 24 bits a word.
  check (octet_length(filter) > 0 and octet_length(filter) % 256 = 0),
  primary key (organization_id, knowledge_base_id, document_id, page),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
-- A search reads a line of it per word: of a value that is stored compressed it would read all.
alter table kept_words alter filter set storage external, alter filter set statistics 0;
call autri_meta.protect('kept_words', rights => 'select, insert, delete');

create index tables_kept on tables (knowledge_base_id, document_id) where kept_rows is not null;
