-- Resolves the caller's identity. Both functions are `security definer`, as they are called before a scope exists.

-- name: resolve_identity
select organization_id, user_id, role from resolve_identity(%(issuer)s, %(subject)s)

-- name: accept_invitation
select organization_id, user_id, role from accept_invitation(%(issuer)s, %(subject)s, %(email)s)

-- name: get_profile
select u.id as user_id, u.email, u.name as user_name, u.role,
  o.id as organization_id, o.slug as organization_slug, o.name as organization_name, o.trace_days
from users u join organizations o on o.id = u.organization_id
where u.id = %(user_id)s

-- name: keep_traces
update organizations set trace_days = %(days)s
where id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
