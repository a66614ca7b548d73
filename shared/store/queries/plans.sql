-- Plans, what is counted against them, what it cost, and how often somebody asks. Days and months are UTC's.

-- name: plan
select plan from organizations where id = %(organization_id)s

-- Whoever counts against a limit does so alone in the organization, until the transaction ends.

-- name: lock
select pg_advisory_xact_lock(hashtextextended(%(organization_id)s::text, 37))

-- name: stored
select knowledge_bases, chunks from stored_now()

-- name: pages_counted
select coalesce(sum(pages), 0)::bigint as pages from counted_pages
where day >= date_trunc('month', now() at time zone 'utc')::date

-- name: pages_of_packs
select coalesce(sum(pages), 0)::bigint as pages from page_packs
where month is null or month = date_trunc('month', now() at time zone 'utc')::date

-- name: packs
select pages, month, created_at from page_packs
where month is null or month = date_trunc('month', now() at time zone 'utc')::date
order by created_at, id

-- name: count_pages
insert into counted_pages (organization_id, document_id, run_id, day, pages)
select %(organization_id)s, document_id, run_id, (now() at time zone 'utc')::date, pages
from json_to_recordset(%(rows)s) r (document_id uuid, run_id uuid, pages integer)
on conflict (organization_id, document_id) do nothing
returning pages

-- name: uncount_pages
delete from counted_pages where run_id = any (%(run_ids)s)

-- name: questions_counted
select coalesce(sum(questions), 0)::bigint as questions from counted_questions
where day >= date_trunc('month', now() at time zone 'utc')::date

-- name: count_question
insert into counted_questions as c (organization_id, day, questions)
values (%(organization_id)s, (now() at time zone 'utc')::date, 1)
on conflict (organization_id, day) do update set questions = c.questions + 1
returning day

-- name: uncount_question
update counted_questions set questions = questions - 1
where day = %(day)s and questions > 0

-- name: calls_counted
select coalesce(sum(calls), 0)::bigint as calls from counted_calls
where day >= date_trunc('month', now() at time zone 'utc')::date

-- name: count_call
insert into counted_calls as c (organization_id, day, calls)
values (%(organization_id)s, (now() at time zone 'utc')::date, 1)
on conflict (organization_id, day) do update set calls = c.calls + 1

-- name: days
select coalesce(p.day, q.day, s.day) as day, coalesce(p.pages, 0) as pages, coalesce(q.questions, 0) as questions,
  coalesce(s.usd, 0) as usd
from (
    select day, sum(pages)::bigint as pages from counted_pages
    where day >= date_trunc('month', now() at time zone 'utc')::date group by day) p
full join (
    select day, questions from counted_questions
    where day >= date_trunc('month', now() at time zone 'utc')::date) q on q.day = p.day
full join (
    select day, sum(usd) as usd from spending
    where day >= date_trunc('month', now() at time zone 'utc')::date group by day) s on s.day = coalesce(p.day, q.day)
order by 1

-- name: today
select (now() at time zone 'utc')::date as day, extract(epoch from now()
  - date_trunc('month', now() at time zone 'utc') at time zone 'utc')::float8 as seconds

-- name: spend
insert into spending as s (organization_id, day, stage, resource, calls, seconds, usd)
select id, (now() at time zone 'utc')::date, %(stage)s, %(resource)s, 1, %(seconds)s, %(usd)s from organizations
where id = %(organization_id)s
on conflict (organization_id, day, stage, resource) do update
set calls = s.calls + 1, seconds = s.seconds + excluded.seconds, usd = s.usd + excluded.usd

-- name: spent_today
select coalesce(sum(usd), 0) as usd from spending where day = (now() at time zone 'utc')::date

-- A run that was deleted with its document keeps no times of its own; the organization's sum has them.

-- name: add_seconds
insert into stage_seconds as s (organization_id, knowledge_base_id, ingestion_id, stage, calls, seconds)
select organization_id, knowledge_base_id, id, %(stage)s, 1, %(seconds)s from ingestions where id = %(ingestion_id)s
on conflict (ingestion_id, stage) do update set calls = s.calls + 1, seconds = s.seconds + excluded.seconds

-- Of runs whose stages went together: an attempt each.

-- name: add_runs_seconds
with added as (
  insert into stage_seconds as s (organization_id, knowledge_base_id, ingestion_id, stage, calls, seconds)
  select i.organization_id, i.knowledge_base_id, i.id, r.stage, 1, r.seconds
  from json_to_recordset(%(rows)s) r (ingestion_id uuid, stage text, seconds float8) join ingestions i on i.id = r.ingestion_id
  on conflict (ingestion_id, stage) do update set calls = s.calls + 1, seconds = s.seconds + excluded.seconds)
insert into spending as s (organization_id, day, stage, resource, calls, seconds, usd)
select %(organization_id)s, (now() at time zone 'utc')::date, stage, %(resource)s, count(*), sum(seconds), 0
from json_to_recordset(%(rows)s) r (stage text, seconds float8) group by stage order by stage
on conflict (organization_id, day, stage, resource) do update
set calls = s.calls + excluded.calls, seconds = s.seconds + excluded.seconds

-- name: spending_of_month
select stage, resource, sum(calls)::bigint as calls, sum(seconds) as seconds, sum(usd) as usd from spending
where day >= %(month)s::date and day < %(month)s::date + interval '1 month'
group by stage, resource
order by stage, resource

-- name: documents_of_month
with runs as (
  select id, document_id from ingestions
  where document_id is not null and not duplicate and created_at >= %(month)s::date::timestamp at time zone 'utc'
    and created_at < (%(month)s::date + interval '1 month') at time zone 'utc'),
models as (
  select r.document_id, sum(c.usd) as usd from runs r join costs c on c.ingestion_id = r.id group by r.document_id),
stages as (
  select r.document_id, s.stage, sum(s.calls)::bigint as calls, sum(s.seconds) as seconds
  from runs r join stage_seconds s on s.ingestion_id = r.id group by r.document_id, s.stage),
times as (
  select document_id, sum(seconds) as seconds,
    jsonb_agg(jsonb_build_object('stage', stage, 'calls', calls, 'seconds', seconds)) as stages
  from stages group by document_id)
select d.id as document_id, d.name, d.knowledge_base_id, d.page_count as pages, coalesce(m.usd, 0) as model_usd,
  coalesce(t.seconds, 0) as seconds, coalesce(t.stages, '[]') as stages
from documents d left join models m on m.document_id = d.id left join times t on t.document_id = d.id
where d.id in (select document_id from runs)
order by coalesce(m.usd, 0) desc, coalesce(t.seconds, 0) desc, d.id
limit %(limit)s

-- One request: the key's bucket first, as a key that has none left must not empty its organization's. A bucket of n
-- requests a minute is full again n-th of a minute by n-th after each. `rates` has requests a minute by plan; none: no
-- limit. A key has half.

-- name: take, planned once
with rate as (
  select (%(rates)s::jsonb ->> coalesce(o.plan, %(default)s))::float8 as whole, clock_timestamp() as at
  from organizations o where o.id = %(organization_id)s),
key as (
  insert into rate_buckets as b (organization_id, subject_id, full_at)
  select %(organization_id)s, %(key_id)s::uuid, r.at + make_interval(secs => 120 / r.whole)
  from rate r where %(key_id)s::uuid is not null and r.whole is not null
  on conflict (organization_id, subject_id) do update set full_at = greatest(b.full_at, (select at from rate))
    + make_interval(secs => 120 / (select whole from rate))
  where greatest(b.full_at, (select at from rate)) + make_interval(secs => 120 / (select whole from rate))
    <= (select at from rate) + interval '1 minute'
  returning full_at),
whole as (
  insert into rate_buckets as b (organization_id, subject_id, full_at)
  select %(organization_id)s, %(organization_id)s, r.at + make_interval(secs => 60 / r.whole)
  from rate r where r.whole is not null and (%(key_id)s::uuid is null or exists (select from key))
  on conflict (organization_id, subject_id) do update set full_at = greatest(b.full_at, (select at from rate))
    + make_interval(secs => 60 / (select whole from rate))
  where greatest(b.full_at, (select at from rate)) + make_interval(secs => 60 / (select whole from rate))
    <= (select at from rate) + interval '1 minute'
  returning full_at)
select r.whole::integer as a_minute, extract(epoch from (select full_at from key) - r.at)::float8 as key_full_s,
  extract(epoch from (select full_at from whole) - r.at)::float8 as whole_full_s
from rate r

-- name: full_in
select subject_id, extract(epoch from full_at - clock_timestamp())::float8 as seconds
from rate_buckets where subject_id = any(%(subjects)s)

-- name: forget_full_buckets
delete from rate_buckets where full_at <= clock_timestamp()

-- name: operates
select operates() as is_operator

-- name: set_plan
select set_plan(%(slug)s, %(plan)s) as found

-- name: add_page_pack
select add_page_pack(%(slug)s, %(id)s, %(pages)s,
  case when %(permanent)s then null else date_trunc('month', now() at time zone 'utc')::date end) as found
