-- What a model wrote of several documents together, from the statements of their summaries.
-- docs/decisions/0137-written-summaries-of-groups.md

-- A version of a group's summary, whole. It quotes its documents, and goes with the first of them that is deleted.
create table group_summaries (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  group_key text not null,  -- SHA-256 of the ids of its documents in their order.
  document_ids uuid[] not null,  -- The documents that it is of.
  version integer not null check (version > 0),  -- Counts from 1 within its group.
  read_from jsonb not null,  -- Version of the summary that it was written from, by document.
  engine text not null,  -- The version of the rules, and the model.
  usd double precision not null default 0,  -- What the model cost.
  body jsonb not null,  -- Statements by field, each with the passages that it cites.
  author_id uuid,  -- Who asked for it.
  author text not null,  -- Their name, then.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, group_key, version),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
call autri_meta.protect('group_summaries', rights => 'select, insert, delete');

-- Whoever deletes a document may not see all groups that it is in.
create policy forgetting on group_summaries to autri_forgetting
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
grant select (organization_id, document_ids), delete on group_summaries to autri_forgetting;
create function forget_groups() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.group_summaries s where s.document_ids && array(select g.id from gone g);
  return null;
end $$;
create trigger forget_groups after delete on documents
  referencing old table as gone for each statement execute function forget_groups();
call autri_meta.hand_over('forget_groups()', 'autri_forgetting');
