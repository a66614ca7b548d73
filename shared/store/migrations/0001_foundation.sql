-- Tenancy, documents, chunks, vectors, traces, ingestions; row-level security on every table.
--
-- Every chunk-level row carries organization_id and knowledge_base_id, tied to its parent by composite foreign keys
-- so that the copy cannot drift; policies read the row's own columns.

create extension if not exists vector;

do $$
begin
  if not exists (select from pg_roles where rolname = 'autri_app') then
    create role autri_app nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'autri_resolver') then
    create role autri_resolver nologin;
  end if;
end $$;

create table organizations (
  id uuid primary key,
  slug text not null unique,
  name text not null,
  created_at timestamptz not null default now()
);

create table users (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  email text not null,
  name text not null default '',
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  invited_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  unique (organization_id, email)
);

create table identities (
  organization_id uuid not null,
  user_id uuid not null,
  issuer text not null,
  subject text not null,
  created_at timestamptz not null default now(),
  primary key (issuer, subject),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);

create table knowledge_bases (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  slug text not null,
  name text not null,
  description text not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  unique (organization_id, slug)
);

create table logical_documents (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  name text not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);

-- A document is one version of a logical document. `serving`: published at least once, so retrieval may show it.
create table documents (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  logical_document_id uuid not null,
  name text not null,
  source_type text not null,
  source_hash text not null,
  source_key text not null,
  size bigint not null,
  status text not null
    check (status in ('queued', 'running', 'ready', 'ready_with_errors', 'refused', 'failed')),
  error text,
  version_label text,
  version_index integer not null,
  is_current boolean not null default false,
  serving boolean not null default false,
  ingestion_id uuid,
  page_count integer not null default 0,
  chunk_count integer not null default 0,
  confidence double precision,
  engine text,
  extractor_version text,
  embedder_version text,
  document_date timestamptz,
  seconds double precision,
  cost_usd double precision not null default 0,
  created_at timestamptz not null default now(),
  published_at timestamptz,
  primary key (organization_id, knowledge_base_id, id),
  unique (knowledge_base_id, source_hash),
  unique (logical_document_id, version_index),
  foreign key (organization_id, knowledge_base_id, logical_document_id)
    references logical_documents (organization_id, knowledge_base_id, id) on delete cascade
);
create unique index documents_one_current on documents (logical_document_id) where is_current;

create table pages (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  page integer not null,
  status text not null default 'queued'
    check (status in ('queued', 'rendered', 'parsed', 'extracted', 'ready', 'failed')),
  width_pt double precision,
  height_pt double precision,
  rotation integer not null default 0,
  route text,
  text_density double precision,
  confidence double precision,
  flags text[] not null default '{}',
  fragments integer not null default 0,
  unclaimed integer not null default 0,
  skipped jsonb not null default '[]',
  error text,
  extractor_version text,
  primary key (document_id, page),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);

-- `path` is the chain of ancestors and the section itself, outermost first: [{id, address, title}].
create table sections (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  id uuid not null unique,
  section_hash text not null,
  occurrence integer not null,
  parent_id uuid,
  ordinal integer not null,
  address text,
  title text not null,
  depth integer not null,
  path jsonb not null,
  page integer,
  primary key (organization_id, knowledge_base_id, document_id, id),
  unique (document_id, section_hash, occurrence),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, document_id, parent_id)
    references sections (organization_id, knowledge_base_id, document_id, id)
    on delete cascade deferrable initially deferred
);
create index sections_by_parent on sections (parent_id);

-- Every normalised address a section answers to; equality on text is leakproof, so the index works under policies.
-- `exact` marks the address as printed, which wins over an alias.
create table section_addresses (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  section_id uuid not null,
  address_key text not null,
  exact boolean not null,
  primary key (section_id, address_key),
  foreign key (organization_id, knowledge_base_id, document_id, section_id)
    references sections (organization_id, knowledge_base_id, document_id, id) on delete cascade
);
create index section_addresses_by_key on section_addresses (knowledge_base_id, address_key);

create table tables (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  id uuid not null unique,
  content_hash text not null,
  occurrence integer not null,
  header_rows integer not null,
  caption text not null default '',
  first_page integer not null,
  last_page integer not null,
  grid jsonb not null,
  primary key (organization_id, knowledge_base_id, document_id, id),
  unique (document_id, content_hash, occurrence),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);

create table chunks (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  id uuid not null unique,
  content_hash text not null,
  occurrence integer not null,
  ordinal integer not null,
  section_id uuid,
  table_id uuid,
  chunk_type text not null,
  content text not null,
  index_text text not null,
  index_hash text not null,
  keywords text[] not null default '{}',
  boxes jsonb not null,
  first_page integer,
  last_page integer,
  attrs jsonb not null default '{}',
  date timestamptz,
  confidence double precision not null,
  flags text[] not null default '{}',
  ocr boolean not null default false,
  extractor_version text not null,
  primary key (organization_id, knowledge_base_id, document_id, id),
  unique (document_id, content_hash, occurrence),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, document_id, section_id)
    references sections (organization_id, knowledge_base_id, document_id, id)
    deferrable initially deferred,
  foreign key (organization_id, knowledge_base_id, document_id, table_id)
    references tables (organization_id, knowledge_base_id, document_id, id)
    deferrable initially deferred
);
create index chunks_in_order on chunks (document_id, ordinal);
create index chunks_by_page on chunks (document_id, first_page, last_page);
create index chunks_by_section on chunks (section_id);
create index chunks_by_index_hash on chunks (knowledge_base_id, index_hash);

-- Narrow, so that an exact scan of a small knowledge base stays in few pages. The dimension is the deployment's.
create table chunk_vectors (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  chunk_id uuid not null,
  embedder_version text not null,
  index_hash text not null,
  embedding vector not null,
  primary key (chunk_id, embedder_version),
  foreign key (organization_id, knowledge_base_id, document_id, chunk_id)
    references chunks (organization_id, knowledge_base_id, document_id, id) on delete cascade
);
alter table chunk_vectors alter column embedding set storage plain;
create index chunk_vectors_by_hash on chunk_vectors (knowledge_base_id, index_hash);

create table figures (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  chunk_id uuid not null,
  page integer not null,
  box jsonb not null,
  caption text not null,
  figure_type text not null,
  primary key (chunk_id),
  foreign key (organization_id, knowledge_base_id, document_id, chunk_id)
    references chunks (organization_id, knowledge_base_id, document_id, id) on delete cascade
);

-- What a client announced before its file arrived: the only source of a file's name and of its scope.
create table uploads (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  filename text not null,
  title text,
  size bigint not null,
  sha256 text,
  engine text not null default 'layout',
  version_of uuid,
  label text,
  created_by uuid,
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);

-- One run of the stages. Its id is the upload's for the first run of a file. `stages` holds progress per stage.
create table ingestions (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  document_id uuid,
  source_key text not null,
  filename text not null,
  engine text not null,
  status text not null
    check (status in ('waiting', 'queued', 'running', 'ready', 'ready_with_errors', 'refused', 'failed')),
  duplicate boolean not null default false,
  error text,
  stages jsonb not null default '{}',
  page_count integer,
  attempts integer not null default 0,
  lease_owner text,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index ingestions_open on ingestions (created_at) where status in ('queued', 'running');

-- Which pages have left which mapped stage.
create table ingestion_pages (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  ingestion_id uuid not null,
  stage text not null,
  page integer not null,
  error text,
  seconds double precision not null,
  primary key (ingestion_id, stage, page),
  foreign key (organization_id, knowledge_base_id, ingestion_id)
    references ingestions (organization_id, knowledge_base_id, id) on delete cascade
);

-- One row per retrieval call; holds queries, so it is tenant data.
create table retrieval_log (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid primary key,
  user_id uuid,
  knowledge_base_ids uuid[] not null,
  operator text not null,
  query text not null,
  parameters jsonb not null,
  chunk_ids uuid[] not null,
  scores double precision[] not null,
  trace jsonb not null,
  latency_ms double precision not null,
  created_at timestamptz not null default now()
);
create index retrieval_log_by_time on retrieval_log (organization_id, created_at desc);

create table idempotency_keys (
  organization_id uuid not null references organizations (id) on delete cascade,
  user_id uuid not null,
  key text not null,
  request_hash text not null,
  status integer,
  response jsonb,
  created_at timestamptz not null default now(),
  primary key (organization_id, user_id, key)
);

-- Policies. `nullif` because a transaction-local setting reads '' after its transaction; the sub-select is
-- evaluated once per statement instead of once per row.
do $$
declare
  name text;
  own_organization constant text :=
    'organization_id = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid)';
  own_knowledge_base constant text :=
    'knowledge_base_id = any ((select coalesce(nullif(current_setting(''app.kb_ids'', true), ''''), ''{}'')::uuid[])::uuid[])';
begin
  foreach name in array array['users', 'identities', 'knowledge_bases', 'retrieval_log', 'idempotency_keys'] loop
    execute format('create policy scope on %I to autri_app using (%s) with check (%2$s)', name, own_organization);
  end loop;
  foreach name in array array['logical_documents', 'documents', 'pages', 'sections', 'section_addresses', 'tables',
      'chunks', 'chunk_vectors', 'figures', 'uploads', 'ingestions', 'ingestion_pages'] loop
    execute format('create policy scope on %I to autri_app using (%s) with check (%2$s)', name,
      own_organization || ' and ' || own_knowledge_base);
  end loop;
  create policy scope on organizations to autri_app
    using (id = (select nullif(current_setting('app.organization_id', true), '')::uuid));

  for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('grant select, insert, update, delete on %I to autri_app', name);
  end loop;
end $$;

revoke insert, update, delete on organizations from autri_app;
revoke insert, update, delete on users, identities from autri_app;

-- The owner role, which runs migrations and nothing else, also provisions organizations and invitations.
do $$
declare
  name text;
begin
  foreach name in array array['organizations', 'users', 'identities'] loop
    execute format('create policy provisioning on %I to %I using (true) with check (true)', name, current_user);
  end loop;
end $$;

-- Before a scope exists: who is this subject? Owned by a role that can read these two tables and nothing else,
-- so that it needs no BYPASSRLS (which Aurora may not grant).
create policy resolver on identities for all to autri_resolver using (true) with check (true);
create policy resolver on users to autri_resolver using (true) with check (true);
grant select, insert on identities to autri_resolver;
grant select, update (invited_at) on users to autri_resolver;

create function resolve_identity(p_issuer text, p_subject text)
returns table (organization_id uuid, user_id uuid, role text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select u.organization_id, u.id, u.role
  from public.identities i join public.users u on u.organization_id = i.organization_id and u.id = i.user_id
  where i.issuer = p_issuer and i.subject = p_subject
$$;

-- First sign-in of an invited person: binds the subject to the one user invited under this address. The caller has
-- the identity provider's word that the address is verified. An invitation serves once; an address that two
-- organizations invited binds to neither.
create function accept_invitation(p_issuer text, p_subject text, p_verified_email text)
returns table (organization_id uuid, user_id uuid, role text)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  invited record;
  found_users integer;
begin
  select count(*) into found_users from public.users u
    where lower(u.email) = lower(p_verified_email) and u.invited_at is not null;
  if found_users <> 1 then
    return;
  end if;
  select u.organization_id, u.id, u.role into invited from public.users u
    where lower(u.email) = lower(p_verified_email) and u.invited_at is not null for update;
  insert into public.identities (organization_id, user_id, issuer, subject)
    values (invited.organization_id, invited.id, p_issuer, p_subject) on conflict do nothing;
  update public.users u set invited_at = null where u.id = invited.id;
  return query select * from public.resolve_identity(p_issuer, p_subject);
end $$;

do $$
begin
  execute format('grant autri_resolver to %I with set true', current_user);
  grant create on schema public to autri_resolver;
  alter function resolve_identity(text, text) owner to autri_resolver;
  alter function accept_invitation(text, text, text) owner to autri_resolver;
  revoke create on schema public from autri_resolver;
end $$;
revoke all on function resolve_identity(text, text), accept_invitation(text, text, text) from public;
grant execute on function resolve_identity(text, text), accept_invitation(text, text, text) to autri_app;
grant execute on function resolve_identity(text, text) to autri_resolver;
