-- What an operator asks: states, costs, what is stuck.

-- name: states
select status, count(*) as count, finished_at is not null as ended,
  extract(epoch from now() - min(coalesce(finished_at, started_at, created_at))) as oldest_seconds
from ingestions
where finished_at is null or finished_at > now() - make_interval(days => 1)
group by status, finished_at is not null
order by status

-- name: costs
select (created_at at time zone 'utc')::date as day, knowledge_base_id, stage, model, sum(calls)::bigint as calls,
  sum(input_tokens + cache_read_tokens + cache_write_tokens)::bigint as input_tokens,
  sum(output_tokens)::bigint as output_tokens, sum(usd) as usd
from costs
where created_at >= date_trunc('day', now() at time zone 'utc') at time zone 'utc' - make_interval(days => %(days)s - 1)
group by 1, 2, 3, 4
order by 1 desc, 2, 3, 4

-- Runs that a duplicate only follows are left out: they end with the run that they follow.

-- name: overdue
select 'overdue' as kind, id as ingestion_id, knowledge_base_id, document_id, filename, engine, error,
  extract(epoch from now() - coalesce(started_at, created_at)) as age_seconds
from ingestions
where status in ('queued', 'running') and not duplicate
  and coalesce(started_at, created_at) < now() - make_interval(secs => %(seconds)s)
order by created_at, id
limit %(limit)s

-- Of a document the run that it has now: an older one that failed is history.

-- name: failed
select 'failed' as kind, i.id as ingestion_id, d.knowledge_base_id, d.id as document_id, d.name as filename, i.engine,
  d.error, extract(epoch from now() - coalesce(i.finished_at, i.created_at)) as age_seconds
from documents d join ingestions i on i.id = d.run_id
where d.status = 'failed' and (%(ids)s::uuid[] is null or d.id = any (%(ids)s))
order by i.created_at, i.id
limit %(limit)s

-- name: unread
select 'unread' as kind, id as ingestion_id, knowledge_base_id, document_id, filename, engine, error,
  extract(epoch from now() - coalesce(finished_at, created_at)) as age_seconds
from ingestions
where status = 'failed' and document_id is null and finished_at > now() - make_interval(days => 7)
order by created_at, id
limit %(limit)s
