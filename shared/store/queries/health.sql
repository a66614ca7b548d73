-- What an operator's health check asks, as the application.

-- name: migrations
select name from applied_migrations()

-- An index that is being made is not valid yet; whose statement it is, another role does not see.

-- name: invalid_indexes
select c.relname as name from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indexrelid
where i.indrelid = 'public.chunk_vectors'::regclass and not i.indisvalid
  and not exists (select from pg_catalog.pg_stat_progress_create_index p where p.datname = current_database())

-- name: waiting
select count(*) filter (where status = 'running') as running,
  extract(epoch from now() - min(created_at) filter (where status = 'queued'))::float8 as oldest_seconds
from ingestions where finished_at is null and not duplicate
