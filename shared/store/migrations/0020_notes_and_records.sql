-- What people and programs post in a request, instead of a file: notes, and records of a declared kind.

-- What was posted with it, as its table below has it; null for a file.
alter table uploads add column posted jsonb;

-- A note: a document whose source somebody wrote here.
create table notes (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null unique,
  -- What it is, by its author or by its signs.
  note_type text not null check (note_type in ('prose', 'code', 'table', 'reference', 'correction')),
  tags text[] not null default '{}',  -- Lower case.
  author_id uuid,  -- Who wrote it; null where a program did.
  author text not null,  -- What they were called then.
  corrects_document_id uuid,  -- The document that it corrects, in whichever version.
  corrects_chunk_id uuid,  -- The chunk of it.
  corrects_hash text,  -- What that chunk said, by which it is found in other versions.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, document_id),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, corrects_document_id)
    references documents (organization_id, knowledge_base_id, id) on delete set null (corrects_document_id)
);
create index notes_corrects on notes (corrects_document_id) where corrects_document_id is not null;
call autri_meta.protect('notes');

-- A kind of records: what its fields are, as JSON Schema.
create table record_kinds (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  name text not null,  -- As records are posted with it.
  schema json not null,  -- JSON Schema, draft 2020-12, of an object; its fields in their order.
  key_field text,  -- The field that tells its records apart; null where each is posted with its key.
  title_field text,  -- The field that a record is called by.
  revision integer not null default 1,  -- Goes up with each change of the schema.
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),  -- When the schema was changed last.
  primary key (organization_id, knowledge_base_id, name),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
call autri_meta.protect('record_kinds');

-- A version of a record: a document whose source is its JSON.
create table records (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null unique,
  kind text not null,  -- Of the declared ones; it may be declared otherwise by now.
  key text not null,  -- Within its kind.
  values_hash text not null,  -- SHA-256 of its values: the same again is no new version.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, document_id),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index records_key on records (knowledge_base_id, kind, key);
call autri_meta.protect('records');
