-- Which attributes of a knowledge base count: what people declared, version by version, and values that count for none.

-- A version of a knowledge base's schema of attributes, whole. What is written is never changed.
create table schema_versions (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  version integer not null check (version > 0),  -- From 1.
  attributes jsonb not null,  -- What is declared, in the order in which people see it.
  names text[] not null,  -- Of the declared attributes: what filters may name.
  why text not null default '',  -- What its author said.
  author_id uuid,  -- Who made it.
  author text not null,  -- What they were called then.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, version),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
call autri_meta.protect('schema_versions');

-- Null: nobody has declared anything, and every attribute that is read counts.
alter table knowledge_bases add column schema_version integer;
-- Under which version its attributes were read; null before there was one. Another one than that of its knowledge base:
-- what changed since is still to be read.
alter table documents add column schema_version integer;
create index documents_by_schema_version on documents (knowledge_base_id, schema_version);
-- Under which version it was read; null before there was one.
alter table chunk_attributes add column schema_version integer;

-- Values that were read and that no filter finds: of names that nobody declared, and such as do not fit what is
-- declared. A row per document, name and kind, as `attribute_summaries` has them of what is found.
create table undeclared_values (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  name text not null,  -- As it is printed, normalised.
  declared text not null,  -- The attribute that it was read for; '' where nobody declared it.
  -- Why it is not found: of no declared name, of another type, in a unit of another dimension or none, or not among the
  -- values that are allowed.
  reason text not null check (reason in ('undeclared', 'type', 'unit', 'value')),
  kind text not null check (kind in ('number', 'text', 'time', 'boolean')),  -- Of its values.
  unit text not null,  -- Canonical; '' without one.
  printed_unit text not null,  -- As printed; '' without one.
  count bigint not null,  -- How many values.
  labelled bigint not null,  -- How many of them stood behind a label or under a header, not in a sentence.
  low double precision,  -- The least, in `unit`.
  high double precision,  -- The greatest, in `unit`.
  texts jsonb not null,  -- How often each of the first different texts occurs.
  examples jsonb not null,  -- The first few: what is printed, and in which chunk.
  primary key (document_id, name, declared, reason, kind, unit, printed_unit),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index undeclared_values_by_name on undeclared_values (knowledge_base_id, name);
call autri_meta.protect('undeclared_values');

-- What a new version of a schema has to read in documents that are there. Which documents are left, their own
-- `schema_version` says; this says how far it is, and whether people stopped it.
create table schema_backfills (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  version integer not null,  -- Of the schema.
  names text[] not null,  -- The attributes that are read, or taken away.
  -- Cancelled by people, or by the next version.
  status text not null check (status in ('running', 'done', 'cancelled')),
  documents integer not null,  -- To read, when it began.
  chunks bigint not null,  -- Of those.
  documents_done integer not null default 0,  -- Read so far.
  chunks_done bigint not null default 0,  -- Of those.
  found bigint not null default 0,  -- Values that fit.
  refused bigint not null default 0,  -- Values that do not.
  unread integer not null default 0,  -- Documents whose stored files could not be read: they need a new run.
  seconds double precision not null default 0,  -- Of work.
  error text,  -- What the last document that could not be read was refused for.
  created_at timestamptz not null default now(),
  ended_at timestamptz,  -- Done or cancelled.
  primary key (organization_id, knowledge_base_id, version),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
call autri_meta.protect('schema_backfills');
