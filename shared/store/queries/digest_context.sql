-- What a task is given of digests: the topics of sections, and files as they are listed among all knowledge bases.

-- The topic of each chunk: that of the nearest passage of its document that a topic cites.

-- name: topics_of_chunks
select h.id, n.topic_id, n.knowledge_base_id
from chunks h cross join lateral (
  select f.topic_id, f.knowledge_base_id
  from digest_citations c
    join digest_statements s on s.id = c.line_id and s.last_version is null
    join digest_files f on f.id = s.file_id and f.topic_id is not null
    join chunks k on k.id = c.source_id
  where c.document_id = h.document_id and c.kind = 'chunk' and k.document_id = h.document_id
  order by abs(k.ordinal - h.ordinal), k.ordinal, f.topic_id
  limit 1) n
where h.id = any (%(ids)s::uuid[])

-- name: digested
select d.knowledge_base_id from digests d order by d.knowledge_base_id

-- Behind `after` in the order of knowledge bases and paths.

-- name: list_among
select f.id, f.knowledge_base_id, f.tier, f.path, f.title, f.version, f.updated_at, length(f.content) as characters
from digest_files f
where (%(base)s::uuid is null or (f.knowledge_base_id, f.path) > (%(base)s::uuid, %(path)s::text))
order by f.knowledge_base_id, f.path
limit %(limit)s
