-- Which logical document a new file may be a version of. `version_profiles` is what documents are compared by, one row
-- each; `version_suggestions` is what was found and what a person said about it. Nothing is ever linked by the system.
--
-- `sections` and `content` are bottom-k sketches (the smallest 63-bit hashes, ascending) of normalised addresses and
-- titles, and of shingles of words; `method` is the version of the scoring that made the row.

alter table documents add column source_title text;

create table version_profiles (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  method integer not null,
  name text not null,
  titles text[] not null,
  addresses bigint[] not null,
  sections bigint[] not null,
  content bigint[] not null,
  primary key (document_id),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index version_profiles_by_base on version_profiles (knowledge_base_id);

create table version_suggestions (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  document_id uuid not null,
  logical_document_id uuid not null,
  nearest_id uuid,
  score double precision not null,
  parts jsonb not null,
  method integer not null,
  status text not null default 'open' check (status in ('open', 'accepted', 'dismissed')),
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  decided_by_id uuid,
  decided_by text,
  primary key (organization_id, knowledge_base_id, id),
  unique (document_id, logical_document_id),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, logical_document_id)
    references logical_documents (organization_id, knowledge_base_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, nearest_id)
    references documents (organization_id, knowledge_base_id, id) on delete set null (nearest_id)
);
create index version_suggestions_by_logical on version_suggestions (logical_document_id);
create index version_suggestions_by_nearest on version_suggestions (nearest_id);

do $$
declare
  name text;
  own constant text :=
    'organization_id = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid)'
    ' and knowledge_base_id = any ((select coalesce(nullif(current_setting(''app.kb_ids'', true), ''''), ''{}'')::uuid[])::uuid[])';
begin
  foreach name in array array['version_profiles', 'version_suggestions'] loop
    execute format('create policy scope on %I to autri_app using (%s) with check (%2$s)', name, own);
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('grant select, insert, update, delete on %I to autri_app', name);
  end loop;
end $$;
