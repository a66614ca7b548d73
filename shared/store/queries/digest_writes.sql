-- Changes of digests. Whoever makes one holds the row of `digests`.

-- name: begin
insert into digests (organization_id, knowledge_base_id) values (%(organization_id)s, %(knowledge_base_id)s)
on conflict (organization_id, knowledge_base_id) do nothing

-- name: lock
select d.revision, d.method, d.sources_hash, d.writes, d.updated_at, d.checked_at from digests d
where d.knowledge_base_id = %(knowledge_base_id)s for update

-- name: note_state
update digests set revision = revision + %(count)s, method = %(method)s, sources_hash = %(hash)s, checked_at = now(),
  updated_at = case when %(count)s = 0 then updated_at else now() end
where knowledge_base_id = %(knowledge_base_id)s

-- name: set_writes
update digests set writes = %(writes)s where knowledge_base_id = %(knowledge_base_id)s

-- name: note_tried
update digest_files set tried_hash = content_hash where knowledge_base_id = %(knowledge_base_id)s and id = %(file_id)s

-- name: note_change
update digests set revision = revision + 1, updated_at = now() where knowledge_base_id = %(knowledge_base_id)s

-- name: list_units
select u.id, u.topic_id, u.document_id, u.content_hash, u.centroid from digest_units u
where u.knowledge_base_id = %(knowledge_base_id)s
order by u.topic_id, u.id

-- name: remove_units
delete from digest_units where knowledge_base_id = %(knowledge_base_id)s and id = any (%(ids)s)

-- name: add_unit
insert into digest_units (organization_id, knowledge_base_id, topic_id, document_id, id, content_hash, centroid)
values (%(organization_id)s, %(knowledge_base_id)s, %(topic_id)s, %(document_id)s, %(id)s, %(content_hash)s,
  %(centroid)s)
on conflict (organization_id, knowledge_base_id, id) do update
  set topic_id = excluded.topic_id, content_hash = excluded.content_hash, centroid = excluded.centroid

-- Topics with a line of ours that does not stand any more.

-- name: stale_topics
with standing as materialized (
  select c.line_id from digest_standing c
  where c.knowledge_base_id = %(knowledge_base_id)s and c.standing <> 'current')
select distinct f.topic_id
from digest_files f join digest_statements s on s.file_id = f.id
where f.knowledge_base_id = %(knowledge_base_id)s and s.last_version is null and s.origin <> 'user'
  and f.topic_id is not null
  and (s.text = '' or s.id in (select t.line_id from standing t))

-- What a person changed or took out, by the hash of what stood there.

-- name: instead_of
select distinct s.instead_of from digest_statements s
where s.knowledge_base_id = %(knowledge_base_id)s and s.last_version is null and s.instead_of is not null

-- name: add_file
insert into digest_files (organization_id, knowledge_base_id, id, tier, path, title, topic_id, parent_id, content,
  content_hash, number, version, changed_by)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(tier)s, %(path)s, %(title)s, %(topic_id)s, %(parent_id)s,
  %(content)s, %(content_hash)s, %(number)s, %(version)s, %(changed_by)s)

-- name: set_file
update digest_files set path = %(path)s, title = %(title)s, parent_id = %(parent_id)s, content = %(content)s,
  content_hash = %(content_hash)s, number = %(number)s, version = %(version)s, changed_by = %(changed_by)s,
  updated_at = now()
where knowledge_base_id = %(knowledge_base_id)s and id = %(file_id)s

-- name: move_file
update digest_files set parent_id = %(parent_id)s where knowledge_base_id = %(knowledge_base_id)s and id = %(file_id)s

-- name: remove_files
delete from digest_files where knowledge_base_id = %(knowledge_base_id)s and id = any (%(ids)s)

-- name: add_version
insert into digest_versions (organization_id, knowledge_base_id, file_id, number, version, changed_by,
  author, change_summary, previous_hash, new_hash, lines)
values (%(organization_id)s, %(knowledge_base_id)s, %(file_id)s, %(number)s, %(version)s, %(changed_by)s,
  %(author)s, %(change_summary)s, %(previous_hash)s, %(new_hash)s, %(lines)s)

-- name: add_line
insert into digest_statements (organization_id, knowledge_base_id, id, file_id, statement_id, kind, ordinal, text,
  origin, author, uncited, removed, instead_of, first_version)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(file_id)s, %(statement_id)s, %(kind)s, %(ordinal)s,
  %(text)s, %(origin)s, %(author)s, %(uncited)s, %(removed)s, %(instead_of)s, %(first_version)s)

-- name: add_citation
insert into digest_citations (organization_id, knowledge_base_id, line_id, ordinal, kind, source_id, document_id,
  content_hash)
values (%(organization_id)s, %(knowledge_base_id)s, %(line_id)s, %(ordinal)s, %(kind)s, %(source_id)s, %(document_id)s,
  %(content_hash)s)

-- name: forget_citations
delete from digest_citations where knowledge_base_id = %(knowledge_base_id)s and line_id = any (%(ids)s)

-- name: end_lines
update digest_statements set last_version = %(number)s
where knowledge_base_id = %(knowledge_base_id)s and id = any (%(ids)s)

-- name: place_lines
update digest_statements s set ordinal = p.place::integer
from unnest(%(ids)s::uuid[]) with ordinality p (id, place)
where s.knowledge_base_id = %(knowledge_base_id)s and s.id = p.id and s.ordinal <> p.place::integer

-- They were read again, and say so still.

-- name: confirm_lines
update digest_citations c set cited_at = now(), content_hash = k.content_hash
from digest_statements s, chunks k
where c.knowledge_base_id = %(knowledge_base_id)s and s.id = c.line_id and s.file_id = any (%(ids)s)
  and s.last_version is null and s.origin <> 'user' and c.kind = 'chunk' and k.id = c.source_id

-- name: transaction_time
select now() as at
