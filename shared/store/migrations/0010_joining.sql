-- How people come to belong to an organization without an invitation, and that each sign-in is noted once.

-- Any number of processes sees the first request of a sign-in.
create unique index audit_log_sign_ins on audit_log (organization_id, (details ->> 'sign_in'))
  where act = 'sign_in.succeed';

-- A domain of an organization's own, proved by a DNS record: who signs in with a verified address of it joins.
create table domains (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  domain text not null,  -- In lower case.
  role text not null check (role in ('viewer', 'editor', 'admin')),  -- As what people join.
  token text not null,  -- What the DNS record has to say.
  created_at timestamptz not null default now(),
  verified_at timestamptz,  -- When the record was found; null: nobody joins yet.
  primary key (organization_id, domain)
);
-- Whoever has claimed it, the one that has proved it has it.
create unique index domains_verified on domains (domain) where verified_at is not null;
call autri_meta.protect('domains', 'organization', 'select, insert, delete');
grant update (role, verified_at) on domains to autri_app;
create policy resolver on domains for select to autri_resolver using (true);
grant select (organization_id, domain, role, verified_at) on domains to autri_resolver;

-- What people are at least while their identity provider's token names this group.
create table group_roles (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  group_name text not null,  -- As the token has it.
  role text not null check (role in ('viewer', 'editor', 'admin')),  -- Never owner: those are made by owners.
  created_at timestamptz not null default now(),
  primary key (organization_id, group_name)
);
call autri_meta.protect('group_roles', 'organization', 'select, insert, delete');
grant update (role) on group_roles to autri_app;

-- Who was removed or has left: they come back by an invitation, and not by their domain.
create table departed_members (
  organization_id uuid not null references organizations (id) on delete cascade,
  email text not null,  -- In lower case.
  issuer text not null,  -- As in `identities`; empty for somebody who never signed in.
  subject text not null,  -- As in `identities`; empty for somebody who never signed in.
  departed_at timestamptz not null default now(),  -- When they were removed or left.
  primary key (organization_id, email, issuer, subject)
);
call autri_meta.protect('departed_members', 'organization', 'select, insert');
create policy resolver on departed_members for select to autri_resolver using (true);
grant select (organization_id, email, issuer, subject) on departed_members to autri_resolver;

grant insert (organization_id, id, email, role) on users to autri_resolver;

-- A person joins the organization that has proved the domain of their address, or the one of the wish (a slug or an id)
-- where it has. The caller has the identity provider's word that the address is verified. The domain is what stands
-- behind the last `@`: a quoted name before it may hold another one. Whom the organization knows by the address already
-- joins in no other way than as it has decided; who has departed from it, by this address or as this subject, not at all.
create function join_by_domain(
  p_issuer text, p_subject text, p_verified_email text, p_user uuid, p_wish text)
returns table (organization_id uuid, user_id uuid, role text, slug text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  home record;
begin
  select d.organization_id, d.role into home
    from public.domains d join public.organizations o on o.id = d.organization_id
    where d.domain = lower(split_part(p_verified_email, '@', -1)) and d.verified_at is not null
      and (p_wish is null or p_wish in (o.slug, o.id::text));
  if not found or exists (
    select from public.departed_members g where g.organization_id = home.organization_id
      and (g.email = lower(p_verified_email) or (g.issuer = p_issuer and g.subject = p_subject)))
  then
    return;
  end if;
  insert into public.users as u (organization_id, id, email, role)
    values (home.organization_id, p_user, lower(p_verified_email), home.role)
    on conflict on constraint users_organization_id_email_key do nothing;
  if found then
    insert into public.identities (organization_id, user_id, issuer, subject, verified_email)
      values (home.organization_id, p_user, p_issuer, p_subject, p_verified_email);
  end if;
  return query
    select * from public.resolve_identity(p_issuer, p_subject) r where r.organization_id = home.organization_id;
end $$;
call autri_meta.hand_over('join_by_domain(text, text, text, uuid, text)', 'autri_resolver');

drop policy resolver on organizations;
create policy resolver on organizations to autri_resolver using (true) with check (true);
grant insert (id, slug, name) on organizations to autri_resolver;

-- A person who belongs nowhere makes an organization, and is its owner. Nothing where they belong somewhere, or where the
-- slug is taken. Whether a deployment lets people do this is decided by the application.
create function found_organization(
  p_issuer text, p_subject text, p_verified_email text, p_organization uuid, p_user uuid, p_slug text, p_name text)
returns table (organization_id uuid, user_id uuid, role text, slug text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  -- One at a time for each person: two at once would both find that there is none.
  perform pg_advisory_xact_lock(hashtextextended(p_issuer || ' ' || p_subject, 0));
  if exists (select from public.identities i where i.issuer = p_issuer and i.subject = p_subject) then
    return;
  end if;
  insert into public.organizations (id, slug, name) values (p_organization, p_slug, p_name)
    on conflict on constraint organizations_slug_key do nothing;
  if not found then
    return;
  end if;
  insert into public.users (organization_id, id, email, role)
    values (p_organization, p_user, lower(p_verified_email), 'owner');
  insert into public.identities (organization_id, user_id, issuer, subject, verified_email)
    values (p_organization, p_user, p_issuer, p_subject, p_verified_email);
  return query select * from public.resolve_identity(p_issuer, p_subject);
end $$;
call autri_meta.hand_over('found_organization(text, text, text, uuid, uuid, text, text)', 'autri_resolver');
