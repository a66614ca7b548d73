-- A deletion of a knowledge base or of an organization that goes on after its request: what is being deleted is shut at
-- once, for everybody, and goes in slices. docs/decisions/0049-erasure-as-a-job.md

-- Since when it is being deleted: from then on it is seen by what deletes it, and by nothing else.
alter table organizations add column erasing_at timestamptz;
-- Since when it is being deleted, by itself or with its organization.
alter table knowledge_bases add column erasing_at timestamptz;
create index knowledge_bases_erasing on knowledge_bases (organization_id) where erasing_at is not null;
grant update (erasing_at) on organizations to autri_app;

-- A deletion that has not ended. Its row goes with the last of what it deletes; what stays is the certificate.
create table erasures (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid primary key,  -- And its certificate's.
  kind text not null check (kind in ('knowledge base', 'organization')),  -- What is being deleted.
  subject_id uuid not null,  -- Its id.
  request jsonb not null,  -- Who asked, and how what is being deleted is called: as the certificate has it.
  ticket_hash text not null,  -- SHA-256 of the secret by which whoever asked reads what became of it.
  documents integer not null,  -- How many there were when it was asked for.
  chunks bigint not null,  -- As many chunks they had.
  before jsonb,  -- What was there, as the certificate has it; null until it was counted.
  passwords integer not null default 0,  -- Of how many uploads they were forgotten.
  objects_deleted bigint not null default 0,  -- So far.
  documents_deleted integer not null default 0,  -- So far.
  requested_at timestamptz not null default now(),  -- When it was asked for.
  -- When a slice of it was done last.
  touched_at timestamptz not null default now()
);
create index erasures_by_organization on erasures (organization_id, id desc);
call autri_meta.protect('erasures', 'organization', 'select, insert, delete');
grant update (before, passwords, objects_deleted, documents_deleted, touched_at) on erasures to autri_app;
-- Maintenance goes on with those that nobody is at.
create policy maintenance on erasures for select to current_user using (true);

-- By which whoever asked for the deletion reads it; null: its request was answered with it.
alter table erasure_certificates add column ticket_hash text;

-- The knowledge bases of the organization that whoever acts must not see: those that are being deleted, which nothing
-- sees but what deletes them; those that are restricted to others, and those that its key leaves out. A machine's key
-- sees a restricted one where it names it. Stages and maintenance, which act for nobody, are kept from nothing else.
grant select (erasing_at) on knowledge_bases to autri_access;
create or replace function kept_from() returns uuid[]
language plpgsql stable security definer parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  actor constant uuid := nullif(current_setting('app.user_id', true), '')::uuid;
  key constant uuid := nullif(current_setting('app.key_id', true), '')::uuid;
  limits uuid[];
  hidden uuid[] := '{}';
begin
  if coalesce(current_setting('app.erasing', true), '') <> 'on' then
    hidden := array(select b.id from public.knowledge_bases b where b.erasing_at is not null);
  end if;
  if actor is null then
    return hidden;
  end if;
  if key is not null then
    select k.only_bases into limits from public.api_keys k where k.id = key;
    if not found then
      return array(select b.id from public.knowledge_bases b);
    end if;
  end if;
  hidden := hidden || array(
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

-- An organization that is being deleted has no members, keys or invitations any more. Who joins it, by an invitation or
-- a domain, is answered by `resolve_identity`.
grant select (erasing_at) on organizations to autri_resolver;
grant select (erasing_at) on knowledge_bases to autri_resolver;

create or replace function resolve_identity(p_issuer text, p_subject text)
returns table (organization_id uuid, user_id uuid, role text, slug text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select u.organization_id, u.id, u.role, o.slug
  from public.identities i
    join public.users u on u.organization_id = i.organization_id and u.id = i.user_id
    join public.organizations o on o.id = u.organization_id
  where i.issuer = p_issuer and i.subject = p_subject and o.erasing_at is null
  order by i.created_at, o.slug
$$;

create or replace function identity_of_key(p_hash text)
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
      join public.organizations o on o.id = k.organization_id and o.erasing_at is null
      left join public.users u on u.organization_id = k.organization_id and u.id = k.user_id and u.invited_at is null
    where k.hash = p_hash and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      and (k.user_id is null or u.id is not null);
end $$;

create or replace function open_invitations(p_verified_email text)
returns table (organization_id uuid, user_id uuid, slug text, name text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select u.organization_id, u.id, o.slug, o.name
  from public.users u join public.organizations o on o.id = u.organization_id
  where lower(u.email) = lower(p_verified_email) and u.invited_at is not null and o.erasing_at is null
  order by o.slug
$$;

create or replace function own_organizations()
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
  from public.users u join public.organizations o on o.id = u.organization_id and o.erasing_at is null
  where u.id in (select j.user_id from joined j)
    or u.invited_at is not null and lower(u.email) in (select lower(own.verified_email) from own)
  order by o.slug
$$;

-- For a file that somebody drops for one that is being deleted there is no knowledge base any more.
create or replace function organization_of(p_knowledge_base_id uuid) returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select k.organization_id from public.knowledge_bases k where k.id = p_knowledge_base_id and k.erasing_at is null
$$;

-- What is being deleted is counted against no plan any more.
grant select (erasing_at) on knowledge_bases to autri_usage;
grant select (knowledge_base_id) on documents to autri_usage;
create or replace function stored_now() returns table (knowledge_bases bigint, chunks bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select (select count(*) from public.knowledge_bases k where k.erasing_at is null),
    (select coalesce(sum(d.chunk_count), 0)::bigint from public.documents d
      where d.knowledge_base_id <> all (array(
        select k.id from public.knowledge_bases k where k.erasing_at is not null)))
$$;

-- What is subtracted from the sums of a knowledge base that is being deleted would be deleted with them.
create or replace function lexical_share_removed() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.lexical_removed (organization_id, knowledge_base_id, language, chunks, length, slots, counts)
    select old.organization_id, old.knowledge_base_id, old.language, old.chunks, old.length, old.slots, old.counts
    from public.knowledge_bases b
    where b.organization_id = old.organization_id and b.id = old.knowledge_base_id and b.erasing_at is null;
  return null;
end $$;

-- What became of a deletion, for whoever holds its ticket: the organization may be gone, and everybody's identity with
-- it. Of one that has ended the certificate.
create policy resolver on erasures for select to autri_resolver using (true);
create policy resolver on erasure_certificates for select to autri_resolver using (true);
grant select on erasures, erasure_certificates to autri_resolver;

create function erasure_of(p_id uuid, p_ticket_hash text)
returns table (erasure jsonb, certificate jsonb)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select to_jsonb(e) - 'ticket_hash', null::jsonb from public.erasures e
  where e.id = p_id and e.ticket_hash = p_ticket_hash
  union all
  select null, c.certificate from public.erasure_certificates c
  where c.id = p_id and c.ticket_hash = p_ticket_hash
$$;
call autri_meta.hand_over('erasure_of(uuid, text)', 'autri_resolver');
