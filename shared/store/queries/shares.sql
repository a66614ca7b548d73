-- Links that show a conversation or a notebook. Row-level security shows each person those that they made, and those of
-- notebooks that they see; of these `asker_id` names whose are meant, null: everybody's.

-- name: add_share
insert into thread_shares
  (organization_id, id, thread_id, until_id, notebook_id, revision, asker_id, secret_hash, base_ids, expires_at)
values (%(organization_id)s, %(id)s, %(thread_id)s, %(until_id)s, %(notebook_id)s, %(revision)s, %(asker_id)s, %(hash)s,
  %(bases)s, %(expires_at)s)

-- name: list_shares
select s.id, s.revision, s.created_at, s.expires_at, s.revoked_at, s.opened, s.opened_at, s.asker_id,
  coalesce(nullif(u.name, ''), u.email) as author
from thread_shares s left join users u on u.organization_id = s.organization_id and u.id = s.asker_id
where (s.thread_id = %(shown_id)s or s.notebook_id = %(shown_id)s)
  and (%(asker_id)s::uuid is null or s.asker_id = %(asker_id)s)
order by s.id

-- name: list_all_shares
select s.id, s.revision, s.created_at, s.expires_at, s.revoked_at, s.opened, s.opened_at, s.asker_id,
  coalesce(nullif(u.name, ''), u.email) as author,
  s.thread_id, s.notebook_id, n.knowledge_base_id, coalesce(n.title, t.title) as title
from thread_shares s
  left join users u on u.organization_id = s.organization_id and u.id = s.asker_id
  left join notebooks n on n.id = s.notebook_id
  left join threads t on t.id = s.thread_id
where (%(after)s::uuid is null or s.id > %(after)s) and (%(asker_id)s::uuid is null or s.asker_id = %(asker_id)s)
order by s.id limit %(limit)s

-- name: note_opening
update thread_shares set opened = opened + 1, opened_at = now() where id = %(share_id)s

-- name: revoke_share
update thread_shares s set revoked_at = coalesce(s.revoked_at, now())
from users u
where s.id = %(share_id)s and (s.thread_id = %(shown_id)s or s.notebook_id = %(shown_id)s)
  and (%(asker_id)s::uuid is null or s.asker_id = %(asker_id)s) and u.organization_id = s.organization_id and u.id = s.asker_id
returning s.id, s.revision, s.created_at, s.expires_at, s.revoked_at, s.opened, s.opened_at, s.asker_id,
  coalesce(nullif(u.name, ''), u.email) as author

-- name: link_of
select organization_id, id, thread_id, until_id, notebook_id, revision, asker_id, role, base_ids, created_at, expires_at
from link_of(%(hash)s)
