-- Queries of the maintenance job, as the owner role.

-- name: lock
select pg_try_advisory_lock(%(key)s) as locked

-- name: bases
select o.id as organization_id, k.id as knowledge_base_id, k.embedder_version, k.embedder_target
from organizations o left join knowledge_bases k on k.organization_id = o.id order by o.id, k.id

-- name: unlock
select pg_advisory_unlock(%(key)s)
