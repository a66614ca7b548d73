-- Conversations: threads, their messages, and the answers to these. Row-level security shows each asker their own.

-- name: add_thread
insert into threads (organization_id, id, asker_id, title, scope)
values (%(organization_id)s, %(id)s, %(asker_id)s, %(title)s, %(scope)s)

-- With `words`, those that have each of them in their title, their questions, or a sentence of an answer of which the
-- scope sees all that it cites.

-- name: list_threads
select t.id, t.title, t.scope, t.created_at, t.updated_at,
  (select count(*) from thread_messages m where m.organization_id = t.organization_id and m.thread_id = t.id) as questions
from threads t
where (%(before_at)s::timestamptz is null
    or (t.updated_at, t.id) < (%(before_at)s::timestamptz, %(before_id)s::uuid))
  and not exists (
    select from unnest(%(words)s::text[]) w (word)
    where position(w.word in lower(t.title)) = 0 and not exists (
      select from thread_messages m
      where m.organization_id = t.organization_id and m.thread_id = t.id
        and position(w.word in lower(concat_ws(' ', m.question, m.asked_as))) > 0)
    and not exists (
      select from thread_messages m
        join thread_answers a on a.organization_id = m.organization_id and a.message_id = m.id
        cross join jsonb_array_elements(a.answer -> 'sentences') s (said)
      where m.organization_id = t.organization_id and m.thread_id = t.id
        and position(w.word in lower(s.said ->> 'text')) > 0
        and not exists (
          select from jsonb_array_elements_text(s.said -> 'citations') c (chunk)
          where not exists (select from chunks k where k.id = c.chunk::uuid))))
order by t.updated_at desc, t.id desc
limit %(limit)s

-- name: get_thread
select t.id, t.title, t.scope, t.created_at, t.updated_at,
  (select count(*) from thread_messages m where m.organization_id = t.organization_id and m.thread_id = t.id) as questions
from threads t where t.id = %(id)s

-- name: rename_thread
update threads set title = %(title)s where id = %(id)s

-- name: touch_thread
update threads set updated_at = now(), scope = %(scope)s, title = coalesce(nullif(title, ''), %(title)s)
where id = %(id)s

-- name: remove_thread
delete from threads where id = %(id)s

-- name: add_message
insert into thread_messages (organization_id, id, thread_id, asker_id, question, asked_as, scope)
values (%(organization_id)s, %(id)s, %(thread_id)s, %(asker_id)s, %(question)s, %(asked_as)s, %(scope)s)

-- name: get_message
select id, thread_id, question, asked_as, scope, created_at from thread_messages
where id = %(message_id)s and thread_id = %(thread_id)s

-- name: list_messages
select id, question, asked_as, scope, created_at from thread_messages where thread_id = %(thread_id)s order by id

-- They stay until the transaction ends.

-- name: add_answer
insert into thread_answers (organization_id, id, message_id, asker_id, answer, document_ids)
values (%(organization_id)s, %(id)s, %(message_id)s, %(asker_id)s,
  case when %(gone)s::uuid[] = '{}' then %(answer)s::jsonb else without_documents(%(answer)s::jsonb, %(gone)s::uuid[]) end,
  %(document_ids)s)

-- name: list_answers
select a.id, a.message_id, a.answer, a.verdict, a.note, a.judged_at, a.created_at
from thread_answers a join thread_messages m on m.organization_id = a.organization_id and m.id = a.message_id
where m.thread_id = %(thread_id)s
order by a.id

-- Of which knowledge bases and chunks an answer speaks, for what its asker says of it.

-- name: get_answer
select a.id, a.message_id, a.answer, coalesce(m.asked_as, m.question) as question, m.scope
from thread_answers a join thread_messages m on m.organization_id = a.organization_id and m.id = a.message_id
where a.id = %(answer_id)s and m.thread_id = %(thread_id)s

-- name: judge_answer
update thread_answers
set verdict = %(verdict)s, note = %(note)s, judged_at = case when %(verdict)s::text is not null then now() end
where id = %(answer_id)s

-- What may be seen now.

-- name: visible
select id from chunks where id = any (%(chunk_ids)s)

-- Answers that quote a document, oldest first.

-- name: quoting
select a.id, coalesce(m.asked_as, m.question) as question, a.answer
from thread_answers a join thread_messages m on m.organization_id = a.organization_id and m.id = a.message_id
where a.document_ids @> array[%(document_id)s::uuid]
order by a.id
