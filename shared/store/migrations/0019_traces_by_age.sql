-- Traces go by age alone. A trace over a knowledge base that is gone lies outside every scope, whose policy asks for all
-- that a trace names: nobody could read it, and nobody could delete it.
--
-- As the reader of the lexical index, the function takes its organization from the setting and from nothing else; its
-- owner cannot log in and can do nothing but this.
do $$
begin
  if not exists (select from pg_roles where rolname = 'autri_forgetting') then
    create role autri_forgetting nologin;
  end if;
end $$;
create policy forgetting on retrieval_log to autri_forgetting
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
create policy forgetting on organizations for select to autri_forgetting
  using (id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
grant select (organization_id, created_at), delete on retrieval_log to autri_forgetting;
grant select (id, trace_days) on organizations to autri_forgetting;

-- Deletes the organization's traces that are older than it keeps them; returns how many.
create function forget_traces() returns bigint
language sql volatile security definer
set search_path = pg_catalog, pg_temp
begin atomic
  with gone as (
    delete from public.retrieval_log l using public.organizations o
    where o.id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
      and l.organization_id = o.id and l.created_at < now() - make_interval(days => o.trace_days)
    returning 1)
  select count(*) from gone;
end;

do $$
begin
  execute format('grant autri_forgetting to %I with set true', current_user);
  grant create on schema public to autri_forgetting;
  alter function forget_traces() owner to autri_forgetting;
  revoke create on schema public from autri_forgetting;
end $$;
revoke all on function forget_traces() from public;
grant execute on function forget_traces() to autri_app;

-- What is looked for among a knowledge base's documents has `lexical_documents_by_version` and `..._unfolded`.
drop index lexical_documents_by_base;
