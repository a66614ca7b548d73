-- Assistants: those that people have connected by OAuth, and how many calls they make. A connection acts through a key of
-- its own, whose secret is its access token and changes with every refresh; so its scope is enforced as every key's is.
-- docs/decisions/0102-assistants-by-oauth.md

-- Whether a connected assistant acts with the key: it is listed among the assistants, then.
alter table api_keys add column connected boolean not null default false;

-- An assistant that somebody has allowed to act for them.
create table connections (
  organization_id uuid not null,
  id uuid not null unique,
  user_id uuid not null,  -- Who allowed it.
  key_id uuid not null unique,  -- The key that it acts with; expired until the code is exchanged.
  client_id text not null,  -- What the assistant calls itself: an address, or what it was registered with.
  client_name text not null,  -- As people read it.
  redirect_uri text not null,  -- Where the code was sent.
  code_hash text not null unique,  -- SHA-256 of the code, as hexadecimal digits.
  code_challenge text not null,  -- What the code's exchange has to prove (PKCE, S256).
  code_expires_at timestamptz not null,  -- From when on the code is refused.
  code_used_at timestamptz,  -- When the code was exchanged; since then it is connected.
  family_hash text unique,  -- SHA-256 of what all its refresh tokens have in common.
  refresh_hash text,  -- SHA-256 of the one that serves now; another one of the family was spent, and ends the connection.
  refresh_expires_at timestamptz,  -- From when on that is refused.
  created_at timestamptz not null default now(),
  revoked_at timestamptz,  -- Since when it is disconnected.
  primary key (organization_id, id),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade,
  foreign key (organization_id, key_id) references api_keys (organization_id, id) on delete cascade
);
create index connections_by_user on connections (organization_id, user_id);
call autri_meta.protect('connections', 'organization', 'select, insert');
grant update (revoked_at) on connections to autri_app;

-- Before a scope exists: whose code or token is this? Run by the role that resolves who asks.
create policy resolver on connections to autri_resolver using (true) with check (true);
grant select, update (code_used_at, family_hash, refresh_hash, refresh_expires_at, revoked_at) on connections
  to autri_resolver;
grant update (hash, prefix, expires_at, revoked_at) on api_keys to autri_resolver;

-- Exchanges a code for the first tokens. `outcome`: done, refused, or replayed, which ends the connection that the code was
-- exchanged for before; no row for a code that nobody has.
create function exchange_code(
  p_code text, p_client text, p_redirect text, p_challenge text, p_access text, p_prefix text,
  p_access_expires timestamptz, p_family text, p_refresh text, p_refresh_expires timestamptz)
returns table (outcome text, organization_id uuid, user_id uuid, connection_id uuid, scope text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  found_one public.connections%rowtype;
  answer text := 'done';
begin
  select c.* into found_one from public.connections c where c.code_hash = p_code for update;
  if not found then
    return;
  end if;
  if found_one.code_used_at is not null then
    update public.api_keys k set revoked_at = coalesce(k.revoked_at, now()) where k.id = found_one.key_id;
    update public.connections c set revoked_at = coalesce(c.revoked_at, now()) where c.id = found_one.id;
    answer := 'replayed';
  elsif found_one.revoked_at is not null or found_one.code_expires_at <= now() or found_one.client_id <> p_client
      or found_one.redirect_uri <> p_redirect or found_one.code_challenge <> p_challenge then
    answer := 'refused';
  else
    update public.connections c set code_used_at = now(), family_hash = p_family, refresh_hash = p_refresh,
      refresh_expires_at = p_refresh_expires where c.id = found_one.id;
    update public.api_keys k set hash = p_access, prefix = p_prefix, expires_at = p_access_expires
      where k.id = found_one.key_id;
  end if;
  return query select answer, found_one.organization_id, found_one.user_id, found_one.id, k.scope
    from public.api_keys k where k.id = found_one.key_id;
end $$;
call autri_meta.hand_over(
  'exchange_code(text, text, text, text, text, text, timestamptz, text, text, timestamptz)', 'autri_resolver');

-- Exchanges a refresh token for new tokens; what is told is the same. One that was spent ends the connection.
create function refresh_connection(
  p_family text, p_spent text, p_client text, p_access text, p_prefix text, p_access_expires timestamptz,
  p_refresh text, p_refresh_expires timestamptz)
returns table (outcome text, organization_id uuid, user_id uuid, connection_id uuid, scope text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  found_one public.connections%rowtype;
  answer text := 'done';
begin
  select c.* into found_one from public.connections c where c.family_hash = p_family for update;
  if not found then
    return;
  end if;
  if found_one.revoked_at is not null or found_one.refresh_expires_at <= now() or found_one.client_id <> p_client
      or not exists (
        select from public.api_keys k
          join public.users u on u.organization_id = k.organization_id and u.id = k.user_id and u.invited_at is null
        where k.id = found_one.key_id and k.revoked_at is null) then
    answer := 'refused';
  elsif found_one.refresh_hash <> p_spent then
    update public.api_keys k set revoked_at = coalesce(k.revoked_at, now()) where k.id = found_one.key_id;
    update public.connections c set revoked_at = coalesce(c.revoked_at, now()) where c.id = found_one.id;
    answer := 'replayed';
  else
    update public.connections c set refresh_hash = p_refresh, refresh_expires_at = p_refresh_expires
      where c.id = found_one.id;
    update public.api_keys k set hash = p_access, prefix = p_prefix, expires_at = p_access_expires
      where k.id = found_one.key_id;
  end if;
  return query select answer, found_one.organization_id, found_one.user_id, found_one.id, k.scope
    from public.api_keys k where k.id = found_one.key_id;
end $$;
call autri_meta.hand_over(
  'refresh_connection(text, text, text, text, text, timestamptz, text, timestamptz)', 'autri_resolver');

-- Ends the connection of an access token, or of a refresh token by its family; no row where there is none in force.
create function revoke_token(p_access text, p_family text)
returns table (organization_id uuid, user_id uuid, connection_id uuid)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  found_one public.connections%rowtype;
begin
  select c.* into found_one from public.connections c
    where c.revoked_at is null
      and (c.family_hash = p_family or c.key_id = (select k.id from public.api_keys k where k.hash = p_access))
    for update;
  if found then
    update public.api_keys k set revoked_at = coalesce(k.revoked_at, now()) where k.id = found_one.key_id;
    update public.connections c set revoked_at = coalesce(c.revoked_at, now()) where c.id = found_one.id;
    return query select found_one.organization_id, found_one.user_id, found_one.id;
  end if;
end $$;
call autri_meta.hand_over('revoke_token(text, text)', 'autri_resolver');

-- How many calls assistants made on a day.
create table counted_calls (
  organization_id uuid not null references organizations (id) on delete cascade,
  day date not null,  -- By UTC.
  calls integer not null check (calls >= 0),  -- How many.
  primary key (organization_id, day)
);
call autri_meta.protect('counted_calls', 'organization', 'select, insert, update');
