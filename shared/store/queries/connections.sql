-- Assistants that people have connected by OAuth.

-- name: add_connection
insert into connections (organization_id, id, user_id, key_id, client_id, client_name, redirect_uri, code_hash,
  code_challenge, code_expires_at)
values (%(organization_id)s, %(id)s, %(user_id)s, %(key_id)s, %(client_id)s, %(client_name)s, %(redirect_uri)s,
  %(code_hash)s, %(code_challenge)s, %(code_expires_at)s)

-- name: list_connections
select c.id, c.client_name, c.client_id, c.user_id, k.scope, k.only_bases as knowledge_base_ids, c.created_at,
  k.last_used_at, c.refresh_expires_at as expires_at, coalesce(c.revoked_at, k.revoked_at) as revoked_at
from connections c left join api_keys k on k.organization_id = c.organization_id and k.id = c.key_id
where c.code_used_at is not null and (%(owner)s::uuid is null or c.user_id = %(owner)s::uuid)
  and (%(after)s::uuid is null or c.id > %(after)s::uuid)
order by c.id limit %(limit)s

-- name: get_connection
select c.id, c.client_name, c.client_id, c.user_id, k.scope, k.only_bases as knowledge_base_ids, c.created_at,
  k.last_used_at, c.refresh_expires_at as expires_at, coalesce(c.revoked_at, k.revoked_at) as revoked_at
from connections c left join api_keys k on k.organization_id = c.organization_id and k.id = c.key_id
where c.id = %(id)s

-- name: end_connection
with ended as (
  update connections set revoked_at = coalesce(revoked_at, now()) where id = %(id)s returning key_id)
update api_keys set revoked_at = coalesce(revoked_at, now()) where id = (select key_id from ended)

-- name: exchange_code
select outcome, organization_id, user_id, connection_id, scope from exchange_code(%(code)s, %(client_id)s,
  %(redirect_uri)s, %(challenge)s, %(access)s, %(prefix)s, %(access_expires_at)s, %(family)s, %(refresh)s,
  %(refresh_expires_at)s)

-- name: refresh_connection
select outcome, organization_id, user_id, connection_id, scope from refresh_connection(%(family)s, %(spent)s,
  %(client_id)s, %(access)s, %(prefix)s, %(access_expires_at)s, %(refresh)s, %(refresh_expires_at)s)

-- name: revoke_token
select organization_id, user_id, connection_id from revoke_token(%(access)s, %(family)s)
