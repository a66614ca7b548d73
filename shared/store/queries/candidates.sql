-- What askers said of answers, until an editor makes gold of it or not.

-- name: put_candidate
insert into gold_candidates (organization_id, knowledge_base_id, id, answer_id, question, verdict, note, chunk_ids,
  author_id, author)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(answer_id)s, %(question)s, %(verdict)s, %(note)s,
  %(chunk_ids)s, %(author_id)s, %(author)s)
on conflict (knowledge_base_id, answer_id) do update
  set verdict = excluded.verdict, note = excluded.note, chunk_ids = excluded.chunk_ids

-- name: withdraw_candidates
select withdraw_candidates(%(answer_id)s)

-- name: list_candidates
select g.id, g.question, g.verdict, g.note, g.chunk_ids, g.author, g.created_at
from gold_candidates g
where g.knowledge_base_id = %(knowledge_base_id)s and (%(after)s::uuid is null or g.id > %(after)s::uuid)
order by g.id
limit %(limit)s

-- name: take_candidate
delete from gold_candidates where knowledge_base_id = %(knowledge_base_id)s and id = %(id)s
returning id, question, verdict, note, chunk_ids, author, created_at
