-- What a document is known by: the words of its name and its beginning, which say whose it is and of when, and the words
-- that many of its chunks have. One row each; a ranking of passages asks which documents a query means.
--
-- `slots` are terms as the lexical index numbers them, `frequencies` in how many of the document's `chunks` each occurs,
-- `naming` whether the name or the beginning has it. docs/decisions/0021-context-of-passages.md

create table document_profiles (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  chunks integer not null,
  slots integer[] not null,
  frequencies integer[] not null,
  naming boolean[] not null,
  primary key (document_id),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);

do $$
declare
  own constant text :=
    'organization_id = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid)'
    ' and knowledge_base_id = any ((select coalesce(nullif(current_setting(''app.kb_ids'', true), ''''), ''{}'')::uuid[])::uuid[])';
begin
  execute format('create policy scope on document_profiles to autri_app using (%s) with check (%1$s)', own);
  alter table document_profiles enable row level security;
  alter table document_profiles force row level security;
  grant select, insert, update, delete on document_profiles to autri_app;
end $$;
