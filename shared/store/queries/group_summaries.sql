-- Summaries that a model wrote of several documents. Scope comes from row-level security.

-- Until the transaction ends nobody else writes a version of this group.

-- name: hold_group
select pg_advisory_xact_lock(hashtextextended('autri group ' || %(group_key)s, 0))

-- name: add_version
insert into group_summaries (organization_id, knowledge_base_id, id, group_key, document_ids, version, read_from, engine,
  usd, body, author_id, author)
select k.organization_id, k.id, %(new_id)s, %(group_key)s, %(document_ids)s,
  1 + coalesce((select max(s.version) from group_summaries s
    where s.knowledge_base_id = k.id and s.group_key = %(group_key)s), 0),
  %(read_from)s, %(engine)s, %(usd)s, %(body)s, %(author_id)s, %(by)s
from knowledge_bases k where k.id = %(knowledge_base_id)s
returning version

-- The newest, or another one; `newest` is the number of the newest.

-- name: get_version
select s.*, max(s.version) over () as newest from group_summaries s
where s.group_key = %(group_key)s
order by (s.version = %(wanted)s::integer) desc nulls last, s.version desc
limit 1

-- name: list_versions
select s.version, s.engine, s.usd, s.author, s.created_at, jsonb_array_length(s.body -> 'statements') as statements
from group_summaries s
where s.group_key = %(group_key)s
order by s.version
