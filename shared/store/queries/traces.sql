-- One row per retrieval call.

-- name: add_trace, planned once
insert into retrieval_log
  (organization_id, id, user_id, knowledge_base_ids, operator, query, parameters, chunk_ids, scores, candidate_ids, trace,
   latency_ms, request_id, created_at)
values (%(organization_id)s, %(id)s, %(user_id)s, current_setting('app.kb_ids')::uuid[], %(operator)s, %(query)s, %(parameters)s,
  %(chunk_ids)s, %(scores)s, %(candidate_ids)s, %(trace)s, %(latency_ms)s, %(request_id)s, %(created_at)s)

-- name: get_trace
select id, operator, query, parameters, knowledge_base_ids, candidate_ids, chunk_ids, scores, trace, latency_ms,
  request_id, created_at, user_id
from retrieval_log where id = %(id)s and (%(only)s::uuid is null or user_id = %(only)s::uuid)

-- name: list_traces
select id, operator, query, knowledge_base_ids, cardinality(chunk_ids) as hits, latency_ms, request_id, created_at,
  user_id
from retrieval_log
where (%(before)s::uuid is null or id < %(before)s::uuid)
  and (%(operator)s::text is null or operator = %(operator)s::text)
  and (%(knowledge_base_id)s::uuid is null or %(knowledge_base_id)s::uuid = any (knowledge_base_ids))
  and (%(only)s::uuid is null or user_id = %(only)s::uuid)
order by id desc
limit %(limit)s

-- The present state of the chunks that a trace names by id; deleted ones are missing.

-- name: traced_chunks
select c.id as chunk_id, c.document_id, d.name as document_name, d.version_label, d.is_current, c.chunk_type,
  s.address as section_id, c.first_page as page, left(c.content, %(excerpt)s) as excerpt
from unnest(%(ids)s::uuid[]) with ordinality wanted (id, place)
  join chunks c on c.id = wanted.id
  join documents d on d.id = c.document_id
  left join sections s on s.id = c.section_id
order by wanted.place

-- name: forget_traces
select forget_traces() as forgotten
