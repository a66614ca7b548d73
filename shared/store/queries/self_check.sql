-- What a version asks the database before it serves. No row is a good answer.

-- Tables whose rows no policy keeps apart, for whoever is connected.

-- name: unprotected
select c.relname as name
from pg_class c
where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
  and has_table_privilege(c.oid, 'select') and not (c.relrowsecurity and c.relforcerowsecurity)
order by c.relname

-- Rights that would let whoever is connected past every policy.

-- name: past_policies
select r.rolname as name
from pg_roles r
where (r.rolsuper or r.rolbypassrls) and pg_has_role(current_user, r.oid, 'member')

-- Without a scope there is no organization to see.

-- name: seen
select id as name from organizations limit 1
