-- Gold questions and the runs over them. Scope comes from row-level security alone.

-- name: lock_gold
select pg_advisory_xact_lock(hashtextextended('autri gold ' || %(knowledge_base_id)s, 0))

-- name: put_gold
insert into gold_questions (organization_id, knowledge_base_id, id, key, question, kind, expected, pin, answer,
  attribute, source, author_id, author)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(key)s, %(question)s, %(kind)s, %(expected)s, %(pin)s,
  %(answer)s, %(attribute)s, %(source)s, %(author_id)s, %(author)s)
on conflict (knowledge_base_id, key) do update
  set expected = excluded.expected, answer = coalesce(excluded.answer, gold_questions.answer)
returning *

-- name: gold_by_key
select * from gold_questions where knowledge_base_id = %(knowledge_base_id)s and key = any (%(keys)s) for update

-- name: list_gold
select * from gold_questions
where knowledge_base_id = %(knowledge_base_id)s and (%(after)s::uuid is null or id > %(after)s::uuid)
order by id
limit %(limit)s

-- name: replace_gold
update gold_questions g set key = %(key)s, expected = %(expected)s, pin = %(pin)s
where g.knowledge_base_id = %(knowledge_base_id)s and g.id = %(id)s and not exists (select from gold_questions o
  where o.knowledge_base_id = g.knowledge_base_id and o.key = %(key)s and o.id <> g.id)

-- name: count_gold
select count(*) as questions from gold_questions where knowledge_base_id = %(knowledge_base_id)s

-- name: delete_gold
delete from gold_questions where knowledge_base_id = %(knowledge_base_id)s and id = %(id)s

-- name: named_documents
select d.id, d.name, l.name as logical_name
from documents d join logical_documents l on l.id = d.logical_document_id
where d.knowledge_base_id = %(knowledge_base_id)s and d.serving
order by d.id

-- name: extractor_versions
select distinct extractor_version from documents
where knowledge_base_id = %(knowledge_base_id)s and serving and extractor_version is not null
order by 1

-- name: places_of_chunks
select c.id, c.content, c.first_page, c.document_id, d.name
from chunks c join documents d on d.id = c.document_id
where c.knowledge_base_id = %(knowledge_base_id)s and c.id = any (%(ids)s)

-- name: remove_stopped_runs
delete from eval_runs
where knowledge_base_id = %(knowledge_base_id)s and status = 'running' and created_at < now() - interval '1 day'

-- name: add_run
insert into eval_runs (organization_id, knowledge_base_id, id, gold, parameters, versions, questions, author_id, author)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(gold)s, %(parameters)s, %(versions)s, %(questions)s,
  %(author_id)s, %(author)s)

-- name: add_run_questions
update eval_runs set questions = questions || %(questions)s::jsonb
where knowledge_base_id = %(knowledge_base_id)s and id = %(id)s and status = 'running'
  and jsonb_array_length(results) = 0

-- With `id`, only that one.

-- name: list_runs
select id, knowledge_base_id, gold, status, parameters, versions, scores, deltas, floors, left_out, baseline,
  baseline_id, seconds, author, created_at, finished_at,
  jsonb_array_length(questions) as total, jsonb_array_length(results) as measured
from eval_runs
where knowledge_base_id = %(knowledge_base_id)s and (%(id)s::uuid is null or id = %(id)s::uuid)
  and (%(before)s::uuid is null or id < %(before)s::uuid)
order by id desc
limit %(limit)s

-- name: run_questions
select questions from eval_runs where knowledge_base_id = %(knowledge_base_id)s and id = %(id)s

-- name: run_results
select results from eval_runs where knowledge_base_id = %(knowledge_base_id)s and id = %(id)s

-- name: add_results
update eval_runs set results = results || %(results)s::jsonb, seconds = seconds + %(seconds)s
where knowledge_base_id = %(knowledge_base_id)s and id = %(id)s and jsonb_array_length(results) = %(measured)s
  and jsonb_array_length(questions) = %(total)s

-- name: baseline_of
select id, results from eval_runs
where knowledge_base_id = %(knowledge_base_id)s and gold = %(gold)s and baseline

-- name: clear_baseline
update eval_runs set baseline = false where knowledge_base_id = %(knowledge_base_id)s and gold = %(gold)s and baseline

-- name: finish_run
update eval_runs set status = 'done', finished_at = now(), scores = %(scores)s, deltas = %(deltas)s,
  floors = %(floors)s, left_out = %(left_out)s, baseline = %(baseline)s, baseline_id = %(baseline_id)s
where knowledge_base_id = %(knowledge_base_id)s and id = %(id)s
