-- Who did what: written by the act's own transaction, read by owners and admins, changed by nobody.

-- One row per act. It holds no content and no query.
create table audit_log (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid primary key,
  user_id uuid,  -- The member who did it; null where a machine did.
  key_id uuid,  -- The key that was used.
  act text not null,  -- What was done.
  subject_type text not null,  -- What kind of thing it was done to.
  subject_id text,  -- Which one.
  base_id uuid,  -- The knowledge base that it lies in.
  request_id text,  -- As the answer's header has it.
  details jsonb not null default '{}',  -- What changed, in few words.
  created_at timestamptz not null default now()
);
create index audit_log_by_id on audit_log (organization_id, id desc);
-- Without a right to update or delete: what was written stays until its time is over.
call autri_meta.protect('audit_log', 'organization', 'select, insert');

-- Entries go by age alone, by a function that takes its organization from the setting and from nothing else.
create policy forgetting on audit_log to autri_forgetting
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
grant select (organization_id, created_at), delete on audit_log to autri_forgetting;
grant select (audit_days) on organizations to autri_forgetting;

-- Deletes the organization's entries that are older than it keeps them; returns how many.
create function forget_audit() returns bigint
language sql volatile security definer
set search_path = pg_catalog, pg_temp
begin atomic
  with gone as (
    delete from public.audit_log l using public.organizations o
    where o.id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
      and l.organization_id = o.id and l.created_at < now() - make_interval(days => o.audit_days)
    returning 1)
  select count(*) from gone;
end;
call autri_meta.hand_over('forget_audit()', 'autri_forgetting');
