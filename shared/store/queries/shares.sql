-- Links that show a conversation or a notebook. Row-level security shows each person those that they made, and those of
-- notebooks that they see.

-- name: add_share
insert into thread_shares
  (organization_id, id, thread_id, until_id, notebook_id, revision, asker_id, secret_hash, base_ids, expires_at)
values (%(organization_id)s, %(id)s, %(thread_id)s, %(until_id)s, %(notebook_id)s, %(revision)s, %(asker_id)s, %(hash)s,
  %(bases)s, %(expires_at)s)

-- name: list_shares
select id, revision, created_at, expires_at, revoked_at from thread_shares
where thread_id = %(shown_id)s or notebook_id = %(shown_id)s order by id

-- name: revoke_share
update thread_shares set revoked_at = coalesce(revoked_at, now())
where id = %(share_id)s and (thread_id = %(shown_id)s or notebook_id = %(shown_id)s)
returning id, revision, created_at, expires_at, revoked_at

-- name: link_of
select organization_id, id, thread_id, until_id, notebook_id, revision, asker_id, role, base_ids, created_at, expires_at
from link_of(%(hash)s)
