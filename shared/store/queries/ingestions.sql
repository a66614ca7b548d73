-- Uploads and ingestions.

-- name: add_upload
insert into uploads (organization_id, knowledge_base_id, id, filename, title, size, sha256, engine, version_of, label,
  created_by)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(filename)s, %(title)s, %(size)s, %(sha256)s, %(engine)s,
  %(version_of)s, %(label)s, %(created_by)s)

-- name: add_ingestion
insert into ingestions (organization_id, knowledge_base_id, id, document_id, source_key, filename, engine, status)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(document_id)s, %(source_key)s, %(filename)s, %(engine)s,
  %(status)s)

-- name: find_upload
select * from uploads where id = %(id)s

-- name: find_ingestion
select * from ingestions where id = %(id)s

-- name: is_newest
select not exists (select from ingestions where document_id = %(document_id)s and id > %(id)s) as newest

-- name: queue
update ingestions set status = 'queued' where id = %(id)s and status = 'waiting' returning 1

-- name: claim
update ingestions set status = 'running', lease_owner = %(owner)s, attempts = attempts + 1,
  lease_until = now() + make_interval(secs => %(lease)s)
where id = (
  select id from ingestions
  where id <> all(%(active)s) and (status = 'queued'
    or (status = 'running' and lease_owner is not null and (lease_until < now() or lease_owner = any(%(dead)s))))
  order by created_at, id
  limit 1
  for update skip locked)
returning id, organization_id, knowledge_base_id, document_id, source_key

-- name: lease_owners
select distinct lease_owner from ingestions where status = 'running' and lease_owner is not null

-- name: renew
update ingestions set lease_until = now() + make_interval(secs => %(lease)s)
where id = %(id)s and lease_owner = %(owner)s and status = 'running'
returning 1

-- `at` is the ingestion's age in seconds when the stage took this state.

-- name: set_stage
update ingestions set stages = jsonb_set(stages, array[%(stage)s],
  %(state)s::jsonb || jsonb_build_object('at', extract(epoch from (clock_timestamp() - created_at))))
where id = %(id)s

-- name: start_running
update ingestions set status = 'running', document_id = %(document_id)s, page_count = %(page_count)s, error = null
where id = %(id)s

-- name: finish
update ingestions set status = %(status)s, error = %(error)s, duplicate = %(duplicate)s,
  document_id = coalesce(%(document_id)s, document_id), lease_owner = null, lease_until = null, finished_at = now()
where id = %(id)s

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
  (select coalesce(sum(usd), 0) from costs c where c.ingestion_id = i.id) as cost_usd
from ingestions i
where (%(id)s::uuid is null or i.id = %(id)s)
  and (%(knowledge_base_id)s::uuid is null or i.knowledge_base_id = %(knowledge_base_id)s)
order by i.created_at desc, i.id desc
limit 200
