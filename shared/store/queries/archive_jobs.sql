-- Exports and imports under way: where each goes on, and what its archive holds so far.

-- name: add_archive_job
insert into archive_jobs (organization_id, id, kind, state, upload)
values (%(organization_id)s, %(id)s, %(kind)s, %(state)s, %(upload)s)
on conflict (id) do nothing

-- name: hold_archive_job
select state, upload, parts, tail from archive_jobs where id = %(id)s for update skip locked

-- name: get_archive_job
select progress, touched_at from archive_jobs where id = %(id)s

-- name: keep_archive_job
update archive_jobs set state = %(state)s, tail = %(tail)s, progress = %(progress)s, parts = parts || %(parts)s::text[],
  touched_at = now()
where id = %(id)s

-- name: add_archive_members
insert into archive_members (organization_id, job_id, ordinal, member)
select %(organization_id)s, %(job_id)s, %(first)s + place - 1, member
from jsonb_array_elements(%(members)s) with ordinality as m (member, place)

-- name: list_archive_members
select member from archive_members where job_id = %(job_id)s order by ordinal

-- name: remove_archive_job
delete from archive_jobs where id = %(id)s

-- name: list_idle_archive_jobs
select id, kind, state from archive_jobs where touched_at <= now() - make_interval(secs => %(idle_s)s) order by id
