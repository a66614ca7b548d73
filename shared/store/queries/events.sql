-- Events that other systems report.

-- name: add_event
insert into events (organization_id, knowledge_base_id, id, kind, subject, at, values, key, reporter)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(kind)s, %(subject)s, %(at)s, %(values)s, %(key)s,
  %(reporter)s)
on conflict (knowledge_base_id, key) do nothing

-- name: event_by_key
select e.id, e.knowledge_base_id, e.kind, e.subject, e.at, e.values, e.key, e.reporter, e.created_at from events e
where e.knowledge_base_id = %(knowledge_base_id)s and e.key = %(key)s

-- name: list_events
select e.id, e.knowledge_base_id, e.kind, e.subject, e.at, e.values, e.key, e.reporter, e.created_at from events e
where e.knowledge_base_id = %(knowledge_base_id)s
  and (%(only)s::text is null or e.kind = %(only)s::text)
  and (%(since)s::timestamptz is null or e.at >= %(since)s::timestamptz)
  and (%(until)s::timestamptz is null or e.at < %(until)s::timestamptz)
  and (%(before)s::uuid is null or e.id < %(before)s::uuid)
order by e.id desc
limit %(limit)s

-- Files of digests that state these now.

-- name: stated_in
select distinct c.source_id as event_id, f.id as file_id, f.path, f.title, f.tier
from digest_citations c
  join digest_statements s on s.id = c.line_id and s.last_version is null
  join digest_files f on f.id = s.file_id
where c.source_id = any (%(ids)s)
order by c.source_id, f.path

-- name: remove_event
delete from events where id = %(id)s returning knowledge_base_id

-- The latest of each kind, and its first.

-- name: latest_events
select n.id, n.kind, n.subject, n.at, n.values, n.place
from (select e.*, row_number() over (partition by e.kind order by e.at desc, e.id desc) as place,
    count(*) over (partition by e.kind) as of_kind
  from events e where e.knowledge_base_id = %(knowledge_base_id)s) n
where n.place <= %(limit)s or n.place = n.of_kind
order by n.kind, n.at desc, n.id desc

-- name: count_events
select count(*) as count from events e where e.knowledge_base_id = %(knowledge_base_id)s

-- name: events_there
select e.id from events e where e.id = any (%(ids)s)

-- name: runs_there
select r.id from eval_runs r where r.id = any (%(ids)s)
