-- Members of the organization of the open scope, and who is invited.

-- name: list_members
select id, email, name, role, created_at, invited_at from users
where %(after)s::uuid is null or id > %(after)s::uuid order by id limit %(limit)s

-- name: list_invited
select id, email, name, role, created_at, invited_at from users
where invited_at is not null and (%(after)s::uuid is null or id > %(after)s::uuid) order by id limit %(limit)s

-- name: lock_member
select id, email, name, role, created_at, invited_at from users where id = %(id)s for update

-- name: add_member
insert into users (organization_id, id, email, role, invited_at)
values (%(organization_id)s, %(id)s, lower(%(email)s), %(role)s, now())
on conflict (organization_id, email) do nothing
returning id

-- name: invite_again
update users set invited_at = now() where id = %(id)s

-- name: count_invitations
select count(*) as sent from audit_log
where act in ('member.invite', 'member.resend') and created_at > now() - interval '1 hour'

-- name: set_role
update users set role = %(role)s where id = %(id)s

-- What they signed in as is read as it was before the deletion takes it with it.

-- name: remove_member
with gone as (delete from users where id = %(id)s returning organization_id, id, email)
insert into departed_members (organization_id, email, issuer, subject)
select g.organization_id, lower(g.email), coalesce(i.issuer, ''), coalesce(i.subject, '')
from gone g left join identities i on i.user_id = g.id
on conflict do nothing

-- name: keep_an_owner
set constraints keep_an_owner immediate

-- name: list_waiting
select user_id as invitation_id, issuer, subject, claimed_email, last_seen_at from waiting_sign_ins
where user_id = any (%(ids)s) order by last_seen_at desc, issuer, subject

-- name: bind
insert into identities (organization_id, user_id, issuer, subject)
select organization_id, user_id, issuer, subject from waiting_sign_ins
where user_id = %(id)s and issuer = %(issuer)s and subject = %(subject)s
on conflict do nothing

-- name: end_invitation
update users set invited_at = null where id = %(id)s

-- name: end_waiting
delete from waiting_sign_ins where user_id = %(id)s

-- name: organization_name
select name from organizations where id = %(id)s
