-- Notebooks: ordered cells of a knowledge base, every change of which is a version; links that show one.
-- docs/decisions/0115-notebooks-and-bundles.md

-- A notebook of a knowledge base.
create table notebooks (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  title text not null,  -- As people read it now.
  revision integer not null,  -- Its latest version.
  author_id uuid,  -- Who made it.
  author text not null,  -- What they were called then.
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),  -- When its latest version was made.
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
call autri_meta.protect('notebooks');

-- What a cell of a notebook holds from one version on, until another row of the same cell takes its place. A row is never
-- changed, but for what it quotes of documents that are deleted.
create table notebook_cells (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,  -- Of what it holds: the state that a change of the cell names.
  notebook_id uuid not null,
  cell_id uuid not null,  -- Of the cell, whatever it holds.
  kind text not null,  -- What it is: words, a note, an answer, a passage, …
  body jsonb not null,  -- What it holds, or the ids of what it shows.
  document_ids uuid[] not null default '{}',  -- The documents that it quotes: an answer's copy.
  author_id uuid,  -- Who wrote or pinned it.
  author text not null,  -- What they were called then.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id, notebook_id)
    references notebooks (organization_id, knowledge_base_id, id) on delete cascade
);
create index notebook_cells_of_notebook on notebook_cells (organization_id, knowledge_base_id, notebook_id);
create index notebook_cells_by_document on notebook_cells using gin (document_ids);
call autri_meta.protect('notebook_cells', rights => 'select, insert, delete');

-- A version of a notebook, whole. What is written is never changed.
create table notebook_versions (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  notebook_id uuid not null,
  revision integer not null check (revision > 0),  -- From 1.
  title text not null,  -- As it was called.
  contents uuid[] not null,  -- What its cells hold (`notebook_cells.id`), in their order.
  act text not null check (act in ('create', 'rename', 'add', 'edit', 'move', 'delete', 'restore')),  -- What was done.
  cell_id uuid,  -- To which cell.
  restored integer,  -- Which version was restored.
  author_id uuid,  -- Who did it.
  author text not null,  -- What they were called then.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, id),
  unique (notebook_id, revision),
  foreign key (organization_id, knowledge_base_id, notebook_id)
    references notebooks (organization_id, knowledge_base_id, id) on delete cascade
);
create index notebook_versions_of_notebook on notebook_versions (organization_id, knowledge_base_id, notebook_id);
call autri_meta.protect('notebook_versions', rights => 'select, insert, delete');

-- What pinned answers quote of documents that are deleted is forgotten with these, as in conversations.
create policy forgetting on notebook_cells to autri_forgetting
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
grant select (organization_id, id, document_ids, body), update (document_ids, body) on notebook_cells
  to autri_forgetting;
create function forget_pinned() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  documents constant uuid[] := array(select g.id from gone g);
begin
  update public.notebook_cells c
  set document_ids = array(select d from unnest(c.document_ids) d where d <> all (documents)),
    body = c.body || jsonb_build_object('answer', public.without_documents(c.body -> 'answer', documents))
  where c.document_ids && documents;
  return null;
end $$;
create trigger forget_pinned after delete on documents
  referencing old table as gone for each statement execute function forget_pinned();
call autri_meta.hand_over('forget_pinned()', 'autri_forgetting');

-- A link shows a conversation, or the version of a notebook that there was. It is its maker's, as before: they alone list
-- it and take it back.
alter table thread_shares alter column thread_id drop not null;
alter table thread_shares alter column until_id drop not null;
alter table thread_shares add column notebook_id uuid references notebooks (id) on delete cascade;
alter table thread_shares add column revision integer;  -- The version of the notebook that it shows.
create index thread_shares_of_notebook on thread_shares (notebook_id);

-- As `share_of`, of conversations and of notebooks.
create function link_of(p_hash text)
returns table (organization_id uuid, id uuid, thread_id uuid, until_id uuid, notebook_id uuid, revision integer,
  asker_id uuid, role text, base_ids uuid[], created_at timestamptz, expires_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select s.organization_id, s.id, s.thread_id, s.until_id, s.notebook_id, s.revision, s.asker_id, u.role, s.base_ids,
    s.created_at, s.expires_at
  from public.thread_shares s
    join public.users u on u.organization_id = s.organization_id and u.id = s.asker_id and u.invited_at is null
    join public.organizations o on o.id = s.organization_id and o.erasing_at is null
  where s.secret_hash = p_hash and s.revoked_at is null and s.expires_at > now()
$$;
call autri_meta.hand_over('link_of(text)', 'autri_resolver');
