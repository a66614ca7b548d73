-- Tenancy: organizations, their people, their knowledge bases; how every table is put under its policy.
--
-- Every row that belongs to a knowledge base carries organization_id and knowledge_base_id, tied to its parent by
-- composite foreign keys so that the copy cannot drift; policies read the row's own columns.

create extension if not exists vector;

do $$
declare
  name text;
begin
  -- `autri_app`: what the application is. The others own one function each, cannot log in and can do nothing but that.
  foreach name in array array['autri_app', 'autri_resolver', 'autri_lexical', 'autri_forgetting', 'autri_admission'] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I nologin', name);
    end if;
  end loop;
end $$;

-- The one way in which a table gets its policy: rows of the scope, and none without one. `level` says what a row belongs
-- to: one 'knowledge base', 'all knowledge bases' that it names, an 'organization', or it is the organization 'itself'.
--
-- What may be read may be written: a policy without `with check` holds for new rows too. `nullif` because a
-- transaction-local setting reads '' after its transaction; the sub-select is evaluated once per statement instead of
-- once per row.
create procedure autri_meta.protect(
  table_name text,
  level text default 'knowledge base',
  rights text default 'select, insert, update, delete')
language plpgsql as $$
declare
  own_organization constant text := '(select nullif(current_setting(''app.organization_id'', true), '''')::uuid)';
  own_bases constant text :=
    '(select coalesce(nullif(current_setting(''app.kb_ids'', true), ''''), ''{}'')::uuid[])::uuid[]';
  condition constant text := case level
    when 'knowledge base' then
      format('organization_id = %s and knowledge_base_id = any (%s)', own_organization, own_bases)
    when 'all knowledge bases' then
      format('organization_id = %s and knowledge_base_ids <@ %s', own_organization, own_bases)
    when 'organization' then format('organization_id = %s', own_organization)
    when 'itself' then format('id = %s', own_organization)
  end;
begin
  execute format('create policy scope on %I to autri_app using (%s)', table_name, condition);
  execute format('alter table %I enable row level security', table_name);
  execute format('alter table %I force row level security', table_name);
  execute format('grant %s on %I to autri_app', rights, table_name);
end $$;

-- The one way in which a function gets rights of its own: those of a role that has nothing else. So none needs BYPASSRLS,
-- which Aurora may not grant.
create procedure autri_meta.hand_over(definer regprocedure, role_name text)
language plpgsql as $$
begin
  execute format('grant %I to current_user with set true', role_name);
  execute format('grant create on schema public to %I', role_name);
  execute format('alter function %s owner to %I', definer, role_name);
  execute format('revoke create on schema public from %I', role_name);
  execute format('revoke all on function %s from public', definer);
  execute format('grant execute on function %s to autri_app', definer);
end $$;

-- A tenant.
create table organizations (
  id uuid primary key,
  slug text not null unique,  -- Its short name, as commands take it.
  name text not null,  -- As people read it.
  created_at timestamptz not null default now(),
  -- How many days it keeps its traces, which hold what people asked.
  trace_days integer not null default 30 check (trace_days between 0 and 3650)
);
call autri_meta.protect('organizations', 'itself', 'select');
grant update (trace_days) on organizations to autri_app;

-- A person of an organization.
create table users (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  email text not null,  -- The address that was invited or signed in.
  name text not null default '',  -- As people read it.
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),  -- What it may do.
  invited_at timestamptz,  -- Until the first sign-in of somebody who was invited.
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  unique (organization_id, email)
);
call autri_meta.protect('users', 'organization', 'select');

-- Who signs in as which user: an identity provider's subject.
create table identities (
  organization_id uuid not null,
  user_id uuid not null,
  issuer text not null,  -- Of the identity provider, as its tokens have it.
  subject text not null,  -- The provider's id of the person.
  created_at timestamptz not null default now(),
  primary key (issuer, subject),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
call autri_meta.protect('identities', 'organization', 'select');

-- What is searched together: its documents share one scope, one embedder and one set of statistics.
create table knowledge_bases (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  slug text not null,  -- Its short name, as commands and addresses take it.
  name text not null,  -- As people read it.
  description text not null,  -- What it is about: agents choose by it.
  created_at timestamptz not null default now(),
  date_attribute text,  -- The attribute whose dates the passages that have it are dated by.
  embedder_version text,  -- Whose vectors serve queries: chosen when the first document is embedded.
  embedder_target text,  -- The one that a change is under way to.
  primary key (organization_id, id),
  unique (organization_id, slug)
);
call autri_meta.protect('knowledge_bases', 'organization');

-- The owner role, which runs migrations and maintenance and nothing else, also provisions organizations and invitations.
create policy provisioning on organizations to current_user using (true) with check (true);
create policy provisioning on users to current_user using (true) with check (true);
create policy provisioning on identities to current_user using (true) with check (true);
create policy maintenance on knowledge_bases to current_user using (true) with check (true);

-- Before a scope exists: who is this subject? Its owner reads these two tables and nothing else.
create policy resolver on identities to autri_resolver using (true) with check (true);
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
call autri_meta.hand_over('resolve_identity(text, text)', 'autri_resolver');

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
call autri_meta.hand_over('accept_invitation(text, text, text)', 'autri_resolver');

-- Whose is this knowledge base? For a file that somebody put below its drop prefix: the key names the knowledge base, and
-- this row says the organization.
create policy resolver on knowledge_bases to autri_resolver using (true);
grant select (organization_id, id) on knowledge_bases to autri_resolver;

create function organization_of(p_knowledge_base_id uuid) returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select k.organization_id from public.knowledge_bases k where k.id = p_knowledge_base_id
$$;
call autri_meta.hand_over('organization_of(uuid)', 'autri_resolver');

-- A request that is sent twice is answered twice and done once.
create table idempotency_keys (
  organization_id uuid not null references organizations (id) on delete cascade,
  user_id uuid not null,  -- Who sent the request.
  key text not null,  -- As the client chose it.
  request_hash text not null,  -- Another request under the same key is refused.
  status integer,  -- Of the answer; null while the request is under way.
  response jsonb,  -- The answer's body.
  created_at timestamptz not null default now(),
  primary key (organization_id, user_id, key)
);
call autri_meta.protect('idempotency_keys', 'organization');
