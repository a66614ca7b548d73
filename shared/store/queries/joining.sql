-- Domains whose people join by themselves, and roles that groups of an identity provider give.

-- name: list_domains
select id, domain, role, token, verified_at from domains
where %(after)s::uuid is null or id > %(after)s::uuid order by id limit %(limit)s

-- name: get_domain
select id, domain, role, token, verified_at from domains where id = %(id)s for update

-- name: add_domain
insert into domains (organization_id, id, domain, role, token)
values (%(organization_id)s, %(id)s, %(domain)s, %(role)s, %(token)s)
on conflict (organization_id, domain) do update set role = excluded.role
returning id

-- name: verify_domain
update domains set verified_at = now() where id = %(id)s

-- name: remove_domain
delete from domains where id = %(id)s

-- name: list_group_roles
select id, group_name as group, role from group_roles
where %(after)s::uuid is null or id > %(after)s::uuid order by id limit %(limit)s

-- name: add_group_role
insert into group_roles (organization_id, id, group_name, role)
values (%(organization_id)s, %(id)s, %(group)s, %(role)s)
on conflict (organization_id, group_name) do update set role = excluded.role
returning id, group_name as group, role

-- name: remove_group_role
delete from group_roles where id = %(id)s returning id, group_name as group, role

-- name: roles_of_groups
select role from group_roles where group_name = any (%(groups)s)

-- name: join_by_domain
select organization_id, user_id, role, slug
from join_by_domain(%(issuer)s, %(subject)s, %(email)s, %(user_id)s, %(wish)s)

-- name: found_organization
select organization_id, user_id, role, slug
from found_organization(%(issuer)s, %(subject)s, %(email)s, %(organization_id)s, %(user_id)s, %(slug)s, %(name)s)
