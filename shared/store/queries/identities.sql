-- Resolves the caller's identity. These functions are `security definer`, as they are called before a scope exists.

-- name: resolve_identity, planned once
select organization_id, user_id, role, slug from resolve_identity(%(issuer)s, %(subject)s)

-- name: open_invitations
select organization_id, slug from open_invitations(%(email)s)

-- name: accept_invitation
select organization_id, user_id, role, slug
from accept_invitation(%(issuer)s, %(subject)s, %(email)s, %(organization_id)s)

-- name: note_waiting
select note_waiting_sign_in(%(issuer)s, %(subject)s, %(email)s)

-- name: own_organizations
select organization_id as id, slug, name, role, joined from own_organizations()

-- name: get_profile
select u.id as user_id, u.email, u.name as user_name, u.role,
  o.id as organization_id, o.slug as organization_slug, o.name as organization_name, o.trace_days,
  o.audit_days
from (
  select organization_id, id, email, name, role from users
  union all
  select organization_id, id, '', name, case scope when 'read' then 'viewer' else 'editor' end
  from api_keys where user_id is null) u
  join organizations o on o.id = u.organization_id
where u.id = %(user_id)s

-- name: rename_organization
update organizations set name = %(name)s
where id = (select nullif(current_setting('app.organization_id', true), '')::uuid)

-- name: keep_traces
update organizations set trace_days = %(days)s
where id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
