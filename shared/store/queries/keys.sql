-- API keys. The secret itself is stored nowhere.

-- name: identity_of_key
select organization_id, slug, user_id, role, key_id, scope from identity_of_key(%(hash)s)

-- name: add_key
insert into api_keys (organization_id, id, user_id, name, prefix, hash, scope, only_bases, created_by, expires_at, connected)
values (%(organization_id)s, %(id)s, %(user_id)s, %(name)s, %(prefix)s, %(hash)s, %(scope)s, %(only_bases)s,
  %(created_by)s, %(expires_at)s, %(connected)s)

-- name: list_keys
select id, name, prefix, scope, user_id, only_bases as knowledge_base_ids, created_by, created_at, expires_at,
  last_used_at, revoked_at
from api_keys
where (%(owner)s::uuid is null or user_id = %(owner)s::uuid) and (%(after)s::uuid is null or id > %(after)s::uuid)
  and not connected
order by id limit %(limit)s

-- name: get_key
select id, name, prefix, scope, user_id, only_bases as knowledge_base_ids, created_by, created_at, expires_at,
  last_used_at, revoked_at
from api_keys where id = %(id)s

-- name: revoke_key
update api_keys set revoked_at = coalesce(revoked_at, now()) where id = %(id)s
