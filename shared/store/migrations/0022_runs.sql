-- `run_id` names the one run that may write a document: whoever starts a run sets it, every stage compares it. Ids of
-- ingestions say nothing about that, since the same file sent twice makes a second ingestion that never runs.
--
-- A run that is taken over (`takeovers`) and gets no further than before (`progress`: stages done and pages) is given up
-- after some times. `started_at`: since when it runs, for those that nobody leases.
alter table documents add column run_id uuid;
alter table ingestions
  add column takeovers integer not null default 0,
  add column progress bigint not null default 0,
  add column started_at timestamptz;
create index ingestions_by_document on ingestions (document_id);

-- The owner, who migrates, is held by the policies too: none is his.
alter table documents no force row level security;
alter table ingestions no force row level security;

update documents d set run_id = (
  select i.id from ingestions i where i.document_id = d.id and not i.duplicate order by i.id desc limit 1);

-- Until now a file that was sent twice at once stayed `running` for ever.
update ingestions i set status = d.status, error = d.error, finished_at = coalesce(i.finished_at, now())
from documents d
where d.id = i.document_id and i.duplicate and i.status in ('queued', 'running')
  and d.status not in ('queued', 'running');

-- A document whose run has ended is not being ingested.
update documents d set status = 'failed',
  error = 'The run ended without a result. Nothing was lost: `autri reingest` tries again.'
where d.status in ('queued', 'running') and not exists (
  select from ingestions i where i.id = d.run_id and i.status in ('waiting', 'queued', 'running'));

alter table documents force row level security;
alter table ingestions force row level security;
