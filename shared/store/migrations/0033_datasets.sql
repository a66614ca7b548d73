-- Datasets: tables of documents as people work with them. Their cells stay where they are, in the tables' grids.
-- docs/decisions/0112-datasets.md

-- A dataset as it is now: what it was at any time stands in its revisions.
create table datasets (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  name text not null,  -- As people read it.
  revision integer not null default 1,  -- Its newest one.
  tables integer not null,  -- How many tables it was made of; those that are gone are missing.
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),  -- When it was changed last.
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
create index datasets_of_base on datasets (knowledge_base_id, id desc);
call autri_meta.protect('datasets');

-- What a dataset was at a time: what its columns are, and how it is transformed. None is ever changed.
create table dataset_revisions (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  dataset_id uuid not null,
  revision integer not null,  -- From 1.
  columns jsonb not null,  -- Label, type, unit, scale and confidence of each column of its tables.
  steps jsonb not null,  -- What is done to the rows, in order.
  sha256 text not null,  -- Of columns and steps as canonical JSON, as hexadecimal digits.
  author_id uuid,  -- Who made it so.
  author text not null,  -- Their name, then.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, dataset_id, revision),
  foreign key (organization_id, knowledge_base_id, dataset_id)
    references datasets (organization_id, knowledge_base_id, id) on delete cascade
);
call autri_meta.protect('dataset_revisions', 'knowledge base', 'select, insert, delete');

-- The tables that a dataset is made of. They go with their document; one that a document has no more, since it was read
-- anew, stays here and is missing.
create table dataset_tables (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  dataset_id uuid not null,
  ordinal integer not null,  -- In the order of their rows, from 0.
  document_id uuid not null,
  table_id uuid not null,  -- One of the document's.
  rows integer not null,  -- How many it has below its header.
  primary key (organization_id, knowledge_base_id, dataset_id, ordinal),
  foreign key (organization_id, knowledge_base_id, dataset_id)
    references datasets (organization_id, knowledge_base_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index dataset_tables_by_document on dataset_tables (organization_id, knowledge_base_id, document_id);
call autri_meta.protect('dataset_tables', 'knowledge base', 'select, insert, delete');
