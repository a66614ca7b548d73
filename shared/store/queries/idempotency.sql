-- Answers to mutations, kept so that a repeated request gets the same answer instead of a second effect.

-- name: forget_old
delete from idempotency_keys
where user_id = %(user_id)s and created_at < now() - make_interval(hours => %(hours)s)

-- name: claim
insert into idempotency_keys as k (organization_id, user_id, key, request_hash)
values (%(organization_id)s, %(user_id)s, %(key)s, %(request_hash)s)
on conflict (organization_id, user_id, key) do update
  set created_at = now()
  where k.status is null and k.request_hash = excluded.request_hash
    and k.created_at < now() - make_interval(secs => %(abandoned_after)s)
returning key

-- name: read
select request_hash, status, response from idempotency_keys where user_id = %(user_id)s and key = %(key)s

-- name: complete
update idempotency_keys set status = %(status)s, response = %(response)s
where user_id = %(user_id)s and key = %(key)s

-- name: release
delete from idempotency_keys where user_id = %(user_id)s and key = %(key)s and status is null
