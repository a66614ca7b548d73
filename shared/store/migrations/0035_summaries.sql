-- Experiment summaries: what a document states of an experiment, field by field, each statement with its passage.
-- docs/decisions/0114-experiment-summaries.md

-- The summary of a document. It quotes the document, and goes with it.
create table summaries (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null unique,
  version integer not null default 0,  -- The version that is shown; 0 before there is one.
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),  -- When it was looked for anew last, whether or not anything changed.
  primary key (organization_id, knowledge_base_id, document_id),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
call autri_meta.protect('summaries');

-- A version of a summary, whole: another one is stored only where it says something else.
create table summary_versions (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  id uuid not null unique,
  version integer not null check (version > 0),  -- Counts from 1 within its document.
  reason text not null check (reason in ('made', 'rebuilt', 'edited')),  -- Why there is another version.
  hash text not null,  -- SHA-256 of what it says.
  revision integer not null,  -- The revision of the document's chunks that it was read from.
  engine text not null,  -- The version of the rules, and the model where one wrote.
  usd double precision not null default 0,  -- What the model cost.
  body jsonb not null,  -- Statements, cells of result tables, and where each field was looked for.
  author_id uuid,  -- Who asked for it, or made the edit.
  author text not null,  -- Their name, then.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, document_id, version),
  foreign key (organization_id, knowledge_base_id, document_id)
    references summaries (organization_id, knowledge_base_id, document_id) on delete cascade
);
call autri_meta.protect('summary_versions', 'knowledge base', 'select, insert, delete');

-- What a person changed in a summary; it is laid over whatever the rules find.
create table summary_edits (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  id uuid not null unique,
  target text,  -- The statement that it replaces or removes; null where it adds one.
  field text not null,  -- Of the statement that it adds, or that its target is of.
  text text,  -- The statement; null where it removes one.
  chunk_ids uuid[] not null default '{}',  -- The passages that the statement cites.
  author_id uuid,  -- Who made it.
  author text not null,  -- Their name, then.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, document_id, id),
  foreign key (organization_id, knowledge_base_id, document_id)
    references summaries (organization_id, knowledge_base_id, document_id) on delete cascade
);
call autri_meta.protect('summary_edits', 'knowledge base', 'select, insert, delete');
