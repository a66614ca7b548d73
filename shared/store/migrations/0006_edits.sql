-- Corrections that people make to an extraction. Rows are never deleted but with their document: undoing one sets
-- `undone_at`. `payload` names fragments and what they are; `before` and `after` are what was shown of the chunks.
-- `stale` says why an edit does not fit what the latest run found. `former` are the keys and ids of chunks, sections and
-- tables that it took away (in the end also those that its undoing did), so that they come back with the same ids.

alter table documents add column revision integer not null default 0;

create table edits (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  id uuid not null unique,
  page integer not null,
  kind text not null
    check (kind in ('merge', 'split', 'retype', 'resection', 'furniture', 'restore', 'unflag')),
  payload jsonb not null,
  before jsonb not null,
  after jsonb not null,
  former jsonb not null default '[]',
  author_id uuid,
  author text not null,
  created_at timestamptz not null default now(),
  undone_at timestamptz,
  undone_by text,
  stale text,
  primary key (organization_id, knowledge_base_id, document_id, id),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index edits_active on edits (document_id, id) where undone_at is null;

create policy scope on edits to autri_app
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
    and knowledge_base_id = any (
      (select coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[])::uuid[]))
  with check (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
    and knowledge_base_id = any (
      (select coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[])::uuid[]));
alter table edits enable row level security;
alter table edits force row level security;
grant select, insert, update on edits to autri_app;
