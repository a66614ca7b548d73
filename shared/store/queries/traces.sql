-- One row per retrieval call.

-- name: add_trace
insert into retrieval_log
  (organization_id, id, user_id, knowledge_base_ids, operator, query, parameters, chunk_ids, scores, trace, latency_ms,
   created_at)
values (%(organization_id)s, %(id)s, %(user_id)s, %(knowledge_base_ids)s, %(operator)s, %(query)s, %(parameters)s,
  %(chunk_ids)s, %(scores)s, %(trace)s, %(latency_ms)s, %(created_at)s)

-- name: get_trace
select id, operator, query, parameters, knowledge_base_ids, trace, latency_ms, created_at
from retrieval_log where id = %(id)s
