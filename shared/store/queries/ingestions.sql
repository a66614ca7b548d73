-- Uploads and ingestions.

-- name: add_upload
insert into uploads (organization_id, knowledge_base_id, id, filename, path, title, size, sha256, engine, version_of, label,
  created_by, parcel_id)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(filename)s, %(path)s, %(title)s, %(size)s, %(sha256)s,
  %(engine)s, %(version_of)s, %(label)s, %(created_by)s, %(parcel_id)s)

-- Where runs are leased, it is taken over when whoever posted it has died; elsewhere it has a slot, by which it is found.

-- name: add_posted
with announced as (
  insert into uploads (organization_id, knowledge_base_id, id, filename, title, size, sha256, version_of, label, created_by,
    posted)
  select organization_id, knowledge_base_id, id, filename, title, size, sha256, version_of, label, created_by, posted
  from json_populate_recordset(null::uploads, %(rows)s)
  returning organization_id, knowledge_base_id, id, filename)
insert into ingestions (organization_id, knowledge_base_id, id, source_key, filename, engine, status, queued_at,
  lease_owner, lease_until, admitted_at)
select a.organization_id, a.knowledge_base_id, a.id, r.source_key, a.filename, 'layout', 'running', clock_timestamp(),
  %(owner)s, case when %(owner)s::text is not null then now() + make_interval(secs => %(lease)s) end,
  case when %(owner)s::text is null then clock_timestamp() end
from announced a join json_to_recordset(%(rows)s) r (id uuid, source_key text) on r.id = a.id

-- name: add_dropped
insert into uploads (organization_id, knowledge_base_id, id, filename, title, size, engine, label, drop_key, drop_version,
  folder)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(filename)s, %(folder)s, %(size)s, %(engine)s, %(label)s,
  %(drop_key)s, %(drop_version)s, %(folder)s)
on conflict do nothing
returning id

-- name: lock_run
select id from ingestions where id = %(id)s for no key update

-- name: is_unpacked
select exists (select from uploads where parcel_id = %(id)s) as unpacked

-- name: waiting_members
select u.id, u.path, i.source_key from uploads u join ingestions i on i.id = u.id
where u.parcel_id = %(id)s and i.status = 'waiting'
order by u.id

-- name: all_members
select u.id, u.filename, u.sha256, i.source_key, i.status, i.document_id from uploads u join ingestions i on i.id = u.id
where u.parcel_id = %(id)s
order by u.id

-- Of files of a parcel that were deleted by themselves.

-- name: deleted_members
select u.sha256 from uploads u
where u.parcel_id = %(id)s and u.sha256 is not null and not exists (select from ingestions i where i.id = u.id)

-- name: depth_of
with recursive above (id, depth) as (
  select parcel_id, 1 from uploads where id = %(id)s and parcel_id is not null
  union all
  select u.parcel_id, a.depth + 1 from above a join uploads u on u.id = a.id
  where u.parcel_id is not null and a.depth < 100)
select coalesce(max(depth), 0) as depth from above

-- name: set_sha256
update uploads set sha256 = %(sha256)s where id = %(id)s and sha256 is null

-- name: add_ingestion
insert into ingestions (organization_id, knowledge_base_id, id, document_id, source_key, filename, engine, status,
  queued_at)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(document_id)s, %(source_key)s, %(filename)s, %(engine)s,
  %(status)s, case when %(status)s = 'queued' then clock_timestamp() end)

-- name: find_upload
select * from uploads where id = %(id)s

-- The upload that a document's files came with, or else its first one.

-- name: upload_of
select u.* from ingestions r join uploads u on u.id = r.id
where r.document_id = %(document_id)s
order by exists (select from uploads m where m.parcel_id = u.id) desc, u.id
limit 1

-- name: find_ingestion
select * from ingestions where id = %(id)s

-- name: run_of
select run_id from documents where id = %(document_id)s

-- name: queue
update ingestions set status = 'queued', queued_at = clock_timestamp()
where id = %(id)s and status = 'waiting' returning id

-- Takeovers are counted only while the run makes no progress: what is done is compared with the state at the last one.

-- name: claim
with found as (
  select id, status = 'running' as taken_over,
    (select count(*) from ingestion_pages p where p.ingestion_id = i.id)
      + (select count(*) from jsonb_each(i.stages) s where s.value ->> 'status' = 'done') as progress
  from ingestions i
  where id <> all(%(active)s) and (status = 'queued'
    or (status = 'running' and (lease_until < now() or lease_owner = any(%(dead)s))))
  order by created_at, id
  limit 1
  for update skip locked)
update ingestions i set status = 'running', lease_owner = %(owner)s, attempts = attempts + 1,
  lease_until = now() + make_interval(secs => %(lease)s), progress = f.progress,
  takeovers = case when f.progress > i.progress then 0 else i.takeovers end + f.taken_over::integer
from found f
where i.id = f.id
returning i.id, i.organization_id, i.knowledge_base_id, i.document_id, i.source_key, i.takeovers

-- name: lease_owners
select distinct lease_owner from ingestions where status = 'running' and lease_owner is not null

-- name: renew
update ingestions set lease_until = now() + make_interval(secs => %(lease)s)
where id = %(id)s and lease_owner = %(owner)s and status = 'running'
returning id

-- name: release
update ingestions set status = 'queued', lease_owner = null, lease_until = null
where id = %(id)s and lease_owner = %(owner)s and status = 'running'

-- `at` is the ingestion's age in seconds when the stage took this state.

-- name: set_stage
update ingestions set stages = jsonb_set(stages, array[%(stage)s],
  %(state)s::jsonb || jsonb_build_object('at', extract(epoch from (clock_timestamp() - created_at))))
where id = %(id)s

-- name: start_running
update ingestions set status = 'running', document_id = %(document_id)s, page_count = %(page_count)s, error = null,
  started_at = now()
where id = %(id)s
returning id

-- name: finish
update ingestions set status = %(status)s, error = %(error)s, document_id = coalesce(%(document_id)s, document_id),
  lease_owner = null, lease_until = null, finished_at = now()
where id = any (%(ids)s)

-- A run that has ended keeps its status: nobody can fail a run that another process has finished.

-- name: fail
update ingestions set status = 'failed', error = %(error)s, lease_owner = null, lease_until = null, finished_at = now()
where id = %(id)s and not duplicate and status in ('waiting', 'queued', 'running')
returning document_id

-- name: fail_document
update documents set status = 'failed', error = %(error)s
where run_id = %(id)s and status in ('queued', 'running')
  and id = (select document_id from ingestions where id = %(id)s)

-- The ingestion of duplicate bytes never runs: it ends when the document's own run ends.

-- name: follow
update ingestions i set document_id = d.id, duplicate = true, error = d.error, lease_owner = null, lease_until = null,
  status = case when d.status in ('queued', 'running') then 'running' else d.status end,
  finished_at = case when d.status in ('queued', 'running') then null else now() end
from documents d
where i.id = %(id)s and d.id = %(document_id)s

-- name: settle_followers
update ingestions i set status = %(status)s, error = %(error)s, finished_at = now()
from documents d
where d.run_id = any (%(ids)s) and i.document_id = d.id and i.duplicate and i.status = 'running'

-- Runs without a lease (those of the state machine) that have exceeded the time limit of a run. What still waits for a
-- slot is not lost, however long it waits.

-- name: lost
select id, knowledge_base_id from ingestions
where status in ('queued', 'running') and not duplicate and lease_owner is null
  and coalesce(started_at, admitted_at) < now() - make_interval(secs => %(seconds)s)
order by created_at, id

-- name: record_page
insert into ingestion_pages (organization_id, knowledge_base_id, ingestion_id, stage, page, seconds, error)
values (%(organization_id)s, %(knowledge_base_id)s, %(ingestion_id)s, %(stage)s, %(page)s, %(seconds)s, %(error)s)
on conflict (ingestion_id, stage, page) do update set error = excluded.error, seconds = excluded.seconds

-- Pages that have left this stage, or failed in an earlier one.

-- name: settled_pages
select page from ingestion_pages
where ingestion_id = %(id)s and page between %(first)s and %(last)s
  and (error is null and stage = %(stage)s or error is not null and stage <> %(stage)s)

-- name: failed_pages
select page, stage || ': ' || error as error from ingestion_pages
where ingestion_id = %(id)s and error is not null
order by page

-- name: read_ingestions
select i.*, extract(epoch from (coalesce(i.finished_at, now()) - i.created_at)) as age,
  coalesce((
    select jsonb_object_agg(stage, state) from (
      select stage, jsonb_build_object(
          'done', count(*) filter (where error is null),
          'failed', coalesce(jsonb_agg(page order by page) filter (where error is not null), '[]'),
          'seconds', sum(seconds)) as state
      from ingestion_pages p where p.ingestion_id = i.id group by stage) s), '{}') as page_states,
  (select coalesce(sum(usd), 0) from costs c where c.ingestion_id = i.id) as cost_usd,
  d.size, d.chunk_count, u.parcel_id,
  (select jsonb_build_object('files', count(*),
      'open', count(*) filter (where m.status in ('waiting', 'queued', 'running')),
      'refused', count(*) filter (where m.status = 'refused'), 'failed', count(*) filter (where m.status = 'failed'))
    from uploads f join ingestions m on m.id = f.id where f.parcel_id = i.id having count(*) > 0) as parcel
from ingestions i left join documents d on d.id = i.document_id left join uploads u on u.id = i.id
where (%(id)s::uuid is null or i.id = %(id)s)
  and (%(knowledge_base_id)s::uuid is null or i.knowledge_base_id = %(knowledge_base_id)s)
  and (%(parcel_id)s::uuid is null or u.parcel_id = %(parcel_id)s and (%(after)s::uuid is null or i.id > %(after)s))
order by case when %(parcel_id)s::uuid is not null then i.id end, i.created_at desc, i.id desc
limit %(limit)s

-- What runs of a knowledge base took: the latest that ended well.

-- name: former_runs
select i.id, i.page_count as pages, d.chunk_count as chunks, d.size, i.stages,
  (select coalesce(jsonb_object_agg(s.stage, s.seconds), '{}') from stage_seconds s where s.ingestion_id = i.id) as seconds
from ingestions i join documents d on d.id = i.document_id
where i.knowledge_base_id = %(knowledge_base_id)s and i.status = 'ready' and not i.duplicate and i.page_count > 0
order by i.id desc
limit 20

-- name: abandoned_uploads
select id, source_key from ingestions
where status = 'waiting' and created_at < now() - make_interval(secs => %(seconds)s)
order by created_at, id
limit %(limit)s
for update skip locked

-- name: remove_ingestions
delete from ingestions where id = any (%(ids)s) and status = 'waiting'

-- name: remove_uploads
delete from uploads where id = any (%(ids)s)

-- name: remove_refused
with gone as (
  delete from ingestions where id = any (%(ids)s) and status = 'refused' and document_id is null returning id)
delete from uploads where id in (select id from gone)
