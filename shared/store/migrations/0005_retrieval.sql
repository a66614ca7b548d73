-- Retrieval: a trace per call, and how traces are forgotten.

-- One row per retrieval call; holds queries, so it is tenant data. It tells of every knowledge base that its call asked:
-- whoever may not read one of them may not read the trace.
create table retrieval_log (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid primary key,
  user_id uuid,  -- Who asked.
  knowledge_base_ids uuid[] not null,  -- What was asked.
  operator text not null,  -- Search, look-up, ask …
  query text not null,  -- As it was asked.
  parameters jsonb not null,  -- How it was asked.
  chunk_ids uuid[] not null,  -- The hits, best first.
  scores double precision[] not null,  -- As many as hits.
  -- All chunks that any index found; `trace` names them by their place in it (from 0), which keeps a row small.
  candidate_ids uuid[] not null default '{}',
  trace jsonb not null,  -- Ids, ranks and scores of each step; no content.
  latency_ms double precision not null,  -- As the server measured it.
  request_id text,  -- As the answer's header has it.
  created_at timestamptz not null default now()
);
create index retrieval_log_by_time on retrieval_log (organization_id, created_at desc);
create index retrieval_log_by_id on retrieval_log (organization_id, id desc);
call autri_meta.protect('retrieval_log', 'all knowledge bases');

-- Traces go by age alone. A trace over a knowledge base that is gone lies outside every scope, whose policy asks for all
-- that a trace names: nobody could read it, and nobody could delete it.
--
-- As the reader of the lexical index, the function takes its organization from the setting and from nothing else.
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
call autri_meta.hand_over('forget_traces()', 'autri_forgetting');
