-- Traces: whose candidates they name, who may read them, how long they stay.
--
-- `candidate_ids` are all chunks that any index found; `trace` names them by their place in it (from 0), which keeps a
-- row small. Rows of before have none, and name chunks by id.
alter table retrieval_log add column candidate_ids uuid[] not null default '{}';
alter table retrieval_log add column request_id text;
create index retrieval_log_by_id on retrieval_log (organization_id, id desc);

-- A trace tells of every knowledge base that its call asked: whoever may not read one of them may not read the trace.
drop policy scope on retrieval_log;
create policy scope on retrieval_log to autri_app
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
    and knowledge_base_ids <@
      (select coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[])::uuid[])
  with check (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
    and knowledge_base_ids <@
      (select coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[])::uuid[]);

-- How many days an organization keeps its traces, which hold what people asked.
alter table organizations add column trace_days integer not null default 30 check (trace_days between 0 and 3650);

-- Announced files that never came are looked for by age.
create index ingestions_waiting on ingestions (created_at) where status = 'waiting';
