-- What an operator's health check reads of the schema itself. Reading it takes no scope: it tells of no tenant.

-- The names of the migrations that were applied.
create function applied_migrations()
returns table (name text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select m.name from autri_meta.migrations m order by m.name
$$;
grant usage on schema autri_meta to autri_resolver;
grant select (name) on autri_meta.migrations to autri_resolver;
call autri_meta.hand_over('applied_migrations()', 'autri_resolver');
