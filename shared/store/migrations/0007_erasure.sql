-- Erasure: what is deleted for good, and the certificate that stays of it.

do $$
begin
  if not exists (select from pg_roles where rolname = 'autri_erasing') then
    create role autri_erasing nologin;
  end if;
end $$;

-- What was there of a knowledge base or of a whole organization when it was deleted, and that nothing is left. It
-- outlives its organization: no foreign key leads there, and nobody deletes or changes it.
create table erasure_certificates (
  organization_id uuid not null,
  id uuid primary key,
  kind text not null check (kind in ('knowledge base', 'organization')),  -- What was deleted.
  subject_id uuid not null,  -- Its id.
  certificate jsonb not null,  -- Who, when, how many rows and files before and after.
  sha256 text not null,  -- Of the certificate as text, without itself.
  created_at timestamptz not null default now()
);
create index erasure_certificates_by_time on erasure_certificates (organization_id, id desc);
call autri_meta.protect('erasure_certificates', 'organization', 'select, insert');
-- After an organization is gone, only the operator can still read its certificate.
create policy provisioning on erasure_certificates for select to current_user using (true);

-- The application role may not delete organizations and people. This function may, and only the one whose scope is open:
-- all that belongs to it goes by foreign keys.
create policy erasing on organizations to autri_erasing
  using (id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
grant select (id, slug), delete on organizations to autri_erasing;

-- Deletes the organization of the open scope, if it is called so; returns whether it did.
create function erase_organization(p_slug text) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.organizations
    where id = (select nullif(current_setting('app.organization_id', true), '')::uuid) and slug = p_slug;
  return found;
end $$;
call autri_meta.hand_over('erase_organization(text)', 'autri_erasing');
