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
  foreach name in
    array array['autri_app', 'autri_resolver', 'autri_access', 'autri_lexical', 'autri_forgetting', 'autri_admission']
  loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I nologin', name);
    end if;
  end loop;
end $$;

-- The one way in which a table gets its policy: rows of the scope, and none without one. `level` says what a row belongs
-- to: one 'knowledge base', 'all knowledge bases' that it names, an 'organization', or it is the organization 'itself' or
-- such a 'base' itself.
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
  own_bases constant text := '(select scope_bases())::uuid[]';
  condition constant text := case level
    when 'knowledge base' then
      format('organization_id = %s and knowledge_base_id = any (%s)', own_organization, own_bases)
    when 'all knowledge bases' then
      format('organization_id = %s and knowledge_base_ids <@ %s', own_organization, own_bases)
    when 'organization' then format('organization_id = %s', own_organization)
    when 'itself' then format('id = %s', own_organization)
    when 'base' then
      format('organization_id = %s and not (id = any ((select kept_from())::uuid[]))', own_organization)
  end;
begin
  execute format('create policy scope on %I to autri_app using (%s)', table_name, condition);
  if level = 'base' then
    -- A new one is hidden from nobody yet; an id that is taken cannot be taken again.
    execute format('alter policy scope on %I with check (organization_id = %s)', table_name, own_organization);
  end if;
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
  trace_days integer not null default 30 check (trace_days between 0 and 3650),
  -- How many days it keeps its audit log.
  audit_days integer not null default 365 check (audit_days between 30 and 3650)
);
call autri_meta.protect('organizations', 'itself', 'select');
grant update (trace_days, audit_days) on organizations to autri_app;

-- A person's membership of an organization: who belongs to several has a row in each, and each organization decides about
-- its own. docs/decisions/0033-people.md
create table users (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  email text not null,  -- The address that was invited or signed in.
  name text not null default '',  -- As people read it.
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),  -- What it may do.
  invited_at timestamptz,  -- When the invitation was sent last; null since the first sign-in of somebody who was invited.
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  unique (organization_id, email)
);
create index users_by_address on users (lower(email)) where invited_at is not null;
call autri_meta.protect('users', 'organization', 'select, insert, delete');
grant update (role, name, invited_at) on users to autri_app;

-- No statement, and no two at once, leave an organization without an owner who has joined it: whoever takes one away waits
-- for the organization's row, and then counts those that are left.
create function keep_an_owner() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from public.organizations o where o.id = old.organization_id) then
    return null;
  end if;
  perform from public.organizations o where o.id = old.organization_id for update;
  if not exists (select from public.users u
      where u.organization_id = old.organization_id and u.role = 'owner' and u.invited_at is null) then
    raise exception 'an organization keeps an owner' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
revoke all on function keep_an_owner() from public;
grant execute on function keep_an_owner() to autri_app;
create constraint trigger keep_an_owner after update of role or delete on users deferrable initially deferred
  for each row when (old.role = 'owner' and old.invited_at is null) execute function keep_an_owner();

-- Who signs in as which user: an identity provider's subject, once in each organization that it belongs to. What one
-- organization binds holds in that organization alone.
create table identities (
  organization_id uuid not null,
  user_id uuid not null,
  issuer text not null,  -- Of the identity provider, as its tokens have it.
  subject text not null,  -- The provider's id of the person.
  verified_email text,  -- The address that the provider vouched for when the invitation was accepted.
  created_at timestamptz not null default now(),
  primary key (issuer, subject, organization_id),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
create index identities_by_user on identities (user_id);
call autri_meta.protect('identities', 'organization', 'select, insert');

-- Somebody who signed in with an address that was invited, for which the provider does not vouch: an administrator may
-- bind this subject to the invitation, after asking the person.
create table waiting_sign_ins (
  organization_id uuid not null,
  user_id uuid not null,  -- The invitation.
  issuer text not null,  -- As in `identities`.
  subject text not null,  -- As in `identities`.
  claimed_email text not null,  -- What the token says; nobody has verified it.
  last_seen_at timestamptz not null default now(),  -- When it was tried last.
  primary key (user_id, issuer, subject),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
call autri_meta.protect('waiting_sign_ins', 'organization', 'select, delete');

-- A secret that acts as its member, or as a machine where it has none: never as more than either may do.
create table api_keys (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  user_id uuid,  -- Whose it is; null: a machine's.
  name text not null,  -- What it is for.
  prefix text not null,  -- By which people know it again.
  hash text not null unique,  -- SHA-256 of the secret, as hexadecimal digits; the secret itself is nowhere.
  scope text not null check (scope in ('read', 'write', 'admin')),  -- What it may do at most.
  only_bases uuid[],  -- The knowledge bases that it sees at most; null: all that its member sees.
  created_by uuid not null,  -- The member who made it.
  created_at timestamptz not null default now(),
  expires_at timestamptz,  -- From when on it is refused.
  last_used_at timestamptz,  -- To the hour.
  revoked_at timestamptz,  -- Since when it is refused.
  primary key (organization_id, id),
  check (user_id is not null or scope <> 'admin'),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
call autri_meta.protect('api_keys', 'organization', 'select, insert');
grant update (revoked_at) on api_keys to autri_app;

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
  restricted boolean not null default false,  -- Whether only named members see it, and owners and admins.
  primary key (organization_id, id),
  unique (organization_id, slug)
);

create index knowledge_bases_restricted on knowledge_bases (organization_id) where restricted;

-- Who sees a restricted knowledge base.
create table base_members (
  organization_id uuid not null,
  base_id uuid not null,
  user_id uuid not null,
  may_write boolean not null,  -- Whether they may change it, as far as their role lets them change anything.
  primary key (base_id, user_id),
  foreign key (organization_id, base_id) references knowledge_bases (organization_id, id) on delete cascade,
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
call autri_meta.protect('base_members', 'organization');

-- Who may not see what: its owner reads these four tables, of the organization of the settings.
create policy access on knowledge_bases for select to autri_access
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
create policy access on base_members for select to autri_access
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
create policy access on users for select to autri_access
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
create policy access on api_keys for select to autri_access
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
grant select (organization_id, id, restricted) on knowledge_bases to autri_access;
grant select (organization_id, base_id, user_id) on base_members to autri_access;
grant select (organization_id, id, role) on users to autri_access;
grant select (organization_id, id, only_bases) on api_keys to autri_access;

-- The knowledge bases of the organization that whoever acts must not see: those that are restricted to others, and those
-- that its key leaves out. A machine's key sees a restricted one where it names it. Stages and maintenance, which act for
-- nobody, are kept from none.
create function kept_from() returns uuid[]
language plpgsql stable security definer parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  actor constant uuid := nullif(current_setting('app.user_id', true), '')::uuid;
  key constant uuid := nullif(current_setting('app.key_id', true), '')::uuid;
  limits uuid[];
  hidden uuid[];
begin
  if actor is null then
    return '{}';
  end if;
  if key is not null then
    select k.only_bases into limits from public.api_keys k where k.id = key;
    if not found then
      return array(select b.id from public.knowledge_bases b);
    end if;
  end if;
  hidden := array(
    select b.id from public.knowledge_bases b
    where b.restricted and not (
      actor = key and b.id = any (coalesce(limits, '{}'))
      or exists (select from public.users u where u.id = actor and u.role in ('owner', 'admin'))
      or exists (select from public.base_members m where m.base_id = b.id and m.user_id = actor)));
  if limits is not null then
    hidden := hidden || array(select b.id from public.knowledge_bases b where b.id <> all (limits));
  end if;
  return hidden;
end $$;
call autri_meta.hand_over('kept_from()', 'autri_access');

-- What the policies of everything in a knowledge base let through: those that the transaction asked for, without those
-- that whoever acts must not see, whatever it asked for.
-- Without a search path of its own, as it runs with its caller's rights: to set one costs as much as the rest.
create function scope_bases() returns uuid[]
language plpgsql stable parallel safe
as $$
declare
  asked constant uuid[] := coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[];
  hidden uuid[];
begin
  if cardinality(asked) = 0 then
    return asked;
  end if;
  hidden := public.kept_from();
  if cardinality(hidden) = 0 then
    return asked;
  end if;
  return array(select a from unnest(asked) a where a <> all (hidden));
end $$;
revoke all on function scope_bases() from public;
grant execute on function scope_bases() to autri_app;

call autri_meta.protect('knowledge_bases', 'base');

-- The owner role, which runs migrations and maintenance and nothing else, also provisions organizations and invitations.
create policy provisioning on organizations to current_user using (true) with check (true);
create policy provisioning on users to current_user using (true) with check (true);
create policy provisioning on identities to current_user using (true) with check (true);
create policy maintenance on knowledge_bases to current_user using (true) with check (true);

-- Before a scope exists: who is this subject? The owner of these functions reads and writes these four tables and nothing
-- else.
create policy resolver on organizations for select to autri_resolver using (true);
create policy resolver on identities to autri_resolver using (true) with check (true);
create policy resolver on users to autri_resolver using (true) with check (true);
create policy resolver on waiting_sign_ins to autri_resolver using (true) with check (true);
grant select (id, slug, name) on organizations to autri_resolver;
grant select, insert on identities to autri_resolver;
grant select, update (invited_at) on users to autri_resolver;
grant select, insert, update (last_seen_at) on waiting_sign_ins to autri_resolver;

-- As whom the subject may act: a user of each organization that it belongs to, the one first that it joined first.
create function resolve_identity(p_issuer text, p_subject text)
returns table (organization_id uuid, user_id uuid, role text, slug text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select u.organization_id, u.id, u.role, o.slug
  from public.identities i
    join public.users u on u.organization_id = i.organization_id and u.id = i.user_id
    join public.organizations o on o.id = u.organization_id
  where i.issuer = p_issuer and i.subject = p_subject
  order by i.created_at, o.slug
$$;
call autri_meta.hand_over('resolve_identity(text, text)', 'autri_resolver');

-- Whom a key acts as: its member with that member's role, or a machine. Refused are those that were revoked, that ran out,
-- and whose member is gone.
create policy resolver on api_keys to autri_resolver using (true) with check (true);
grant select, update (last_used_at) on api_keys to autri_resolver;

create function identity_of_key(p_hash text)
returns table (organization_id uuid, slug text, user_id uuid, role text, key_id uuid, scope text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.api_keys k set last_used_at = date_trunc('hour', now())
    where k.hash = p_hash and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      and (k.last_used_at is null or k.last_used_at < date_trunc('hour', now()));
  return query
    select k.organization_id, o.slug, coalesce(k.user_id, k.id), u.role, k.id, k.scope
    from public.api_keys k
      join public.organizations o on o.id = k.organization_id
      left join public.users u on u.organization_id = k.organization_id and u.id = k.user_id and u.invited_at is null
    where k.hash = p_hash and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      and (k.user_id is null or u.id is not null);
end $$;
call autri_meta.hand_over('identity_of_key(text)', 'autri_resolver');

-- Which invitations an address has that the identity provider has verified.
create function open_invitations(p_verified_email text)
returns table (organization_id uuid, user_id uuid, slug text, name text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select u.organization_id, u.id, o.slug, o.name
  from public.users u join public.organizations o on o.id = u.organization_id
  where lower(u.email) = lower(p_verified_email) and u.invited_at is not null
  order by o.slug
$$;
call autri_meta.hand_over('open_invitations(text)', 'autri_resolver');

-- An invited person joins: binds the subject to the user invited under this address by this organization. The caller has
-- the identity provider's word that the address is verified. An invitation serves once; who belongs to the organization
-- already stays who he is there.
create function accept_invitation(p_issuer text, p_subject text, p_verified_email text, p_organization uuid)
returns table (organization_id uuid, user_id uuid, role text, slug text)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  invited record;
begin
  select u.id into invited from public.users u
    where u.organization_id = p_organization and lower(u.email) = lower(p_verified_email) and u.invited_at is not null
      and not exists (select from public.identities i
        where i.issuer = p_issuer and i.subject = p_subject and i.organization_id = p_organization)
    order by u.id limit 1 for update;
  if not found then
    return;
  end if;
  insert into public.identities (organization_id, user_id, issuer, subject, verified_email)
    values (p_organization, invited.id, p_issuer, p_subject, p_verified_email);
  update public.users u set invited_at = null where u.id = invited.id;
  return query select * from public.resolve_identity(p_issuer, p_subject) r where r.organization_id = p_organization;
end $$;
call autri_meta.hand_over('accept_invitation(text, text, text, uuid)', 'autri_resolver');

-- Remembers a sign-in with an address that was invited and that the provider does not vouch for, where those see it who
-- invited it. At most twenty for an invitation: whoever knows the address can make as many accounts as he likes.
create function note_waiting_sign_in(p_issuer text, p_subject text, p_claimed_email text) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  insert into public.waiting_sign_ins as w (organization_id, user_id, issuer, subject, claimed_email)
  select u.organization_id, u.id, p_issuer, p_subject, p_claimed_email from public.users u
  where lower(u.email) = lower(p_claimed_email) and u.invited_at is not null
    and (select count(*) from public.waiting_sign_ins o
      where o.user_id = u.id and (o.issuer, o.subject) <> (p_issuer, p_subject)) < 20
  on conflict (user_id, issuer, subject) do update set last_seen_at = now()
$$;
call autri_meta.hand_over('note_waiting_sign_in(text, text, text)', 'autri_resolver');

-- The organizations of the person who acts, and those that have invited an address of theirs. It tells a person of
-- organizations outside the scope, about nobody else; the person follows from the settings and from nothing else.
create function own_organizations()
returns table (organization_id uuid, slug text, name text, role text, joined boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  with own as (
    select i.issuer, i.subject, i.verified_email from public.identities i
    where i.organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
      and i.user_id = (select nullif(current_setting('app.user_id', true), '')::uuid)),
  joined as (
    select distinct i.user_id from public.identities i join own on own.issuer = i.issuer and own.subject = i.subject)
  select o.id, o.slug, o.name, u.role, u.invited_at is null
  from public.users u join public.organizations o on o.id = u.organization_id
  where u.id in (select j.user_id from joined j)
    or u.invited_at is not null and lower(u.email) in (select lower(own.verified_email) from own)
  order by o.slug
$$;
call autri_meta.hand_over('own_organizations()', 'autri_resolver');

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
