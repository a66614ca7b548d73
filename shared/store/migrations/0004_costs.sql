-- What models were paid for, and which engine decided a page. A row per page and stage of a run; a page that is done
-- again adds to its row, because it was paid for again.
create table costs (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  ingestion_id uuid not null,
  stage text not null,
  page integer not null,
  model text not null,
  calls integer not null,
  input_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  output_tokens bigint not null,
  usd double precision not null,
  created_at timestamptz not null default now(),
  primary key (ingestion_id, stage, page, model),
  foreign key (organization_id, knowledge_base_id, ingestion_id)
    references ingestions (organization_id, knowledge_base_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index costs_by_document on costs (document_id);

alter table costs enable row level security;
alter table costs force row level security;
create policy scope on costs to autri_app
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
    and knowledge_base_id = any ((select coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[])::uuid[]))
  with check (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
    and knowledge_base_id = any ((select coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[])::uuid[]));
grant select, insert, update, delete on costs to autri_app;

alter table pages add column engine text;
alter table pages add column engine_version text;
alter table pages add column engine_note text;
