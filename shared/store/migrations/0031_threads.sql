-- Conversations: what a person asked and was answered, kept for that person alone; links that show one; what editors are
-- told of answers. docs/decisions/0107-conversations.md

-- As before, and rows that one person alone sees: 'asker'.
create or replace procedure autri_meta.protect(
  table_name text,
  level text default 'knowledge base',
  rights text default 'select, insert, update, delete')
language plpgsql as $$
declare
  own_organization constant text := '(select nullif(current_setting(''app.organization_id'', true), '''')::uuid)';
  own_bases constant text := '(select scope_bases())::uuid[]';
  oneself constant text := '(select nullif(current_setting(''app.user_id'', true), '''')::uuid)';
  condition constant text := case level
    when 'knowledge base' then
      format('organization_id = %s and knowledge_base_id = any (%s)', own_organization, own_bases)
    when 'all knowledge bases' then
      format('organization_id = %s and knowledge_base_ids <@ %s', own_organization, own_bases)
    when 'organization' then format('organization_id = %s', own_organization)
    when 'asker' then format('organization_id = %s and asker_id = %s', own_organization, oneself)
    when 'itself' then format('id = %s', own_organization)
    when 'base' then
      format('organization_id = %s and not (id = any ((select kept_from())::uuid[]))', own_organization)
  end;
begin
  execute format('create policy scope on %I to autri_app using (%s)', table_name, condition);
  if level = 'base' then
    -- A new one is hidden from nobody yet; an id that is taken cannot be taken again.
    execute format('alter policy scope on %I with check (organization_id = %s)', table_name, own_organization);
  end if;
  execute format('alter table %I enable row level security', table_name);
  execute format('alter table %I force row level security', table_name);
  execute format('grant %s on %I to autri_app', rights, table_name);
end $$;

-- A conversation, which its asker alone sees, whatever anybody's role is. It goes with its asker.
create table threads (
  organization_id uuid not null,
  id uuid not null unique,
  asker_id uuid not null,  -- Who asks in it.
  title text not null,  -- As people read it.
  scope jsonb not null,  -- How its next question is asked: knowledge bases, documents, number of passages.
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),  -- When something was asked in it last.
  primary key (organization_id, asker_id, id),
  foreign key (organization_id, asker_id) references users (organization_id, id) on delete cascade
);
create index threads_by_asker on threads (organization_id, asker_id, updated_at desc, id desc);
call autri_meta.protect('threads', 'asker');

-- A question of a conversation.
create table thread_messages (
  organization_id uuid not null,
  id uuid not null unique,
  thread_id uuid not null,
  asker_id uuid not null,  -- As in its thread.
  question text not null,  -- As it was typed.
  asked_as text,  -- As it was asked, where it was made to stand alone.
  scope jsonb not null,  -- How it was asked.
  created_at timestamptz not null default now(),
  primary key (organization_id, asker_id, id),
  foreign key (organization_id, asker_id, thread_id) references threads (organization_id, asker_id, id)
    on delete cascade
);
create index thread_messages_of_thread on thread_messages (organization_id, asker_id, thread_id, id);
call autri_meta.protect('thread_messages', 'asker', 'select, insert, delete');

-- An answer to such a question; each further one is by another model. It quotes documents: what it quotes of one that is
-- deleted goes with that.
create table thread_answers (
  organization_id uuid not null,
  id uuid not null unique,
  message_id uuid not null,
  asker_id uuid not null,  -- As in its thread.
  answer jsonb not null,  -- As it was given, without the hits that it does not cite.
  document_ids uuid[] not null,  -- The documents that it quotes.
  verdict text check (verdict in ('right', 'wrong', 'incomplete')),  -- What its asker says of it.
  note text,  -- And why.
  judged_at timestamptz,  -- When they said so.
  created_at timestamptz not null default now(),
  primary key (organization_id, asker_id, id),
  foreign key (organization_id, asker_id, message_id) references thread_messages (organization_id, asker_id, id)
    on delete cascade
);
create index thread_answers_of_message on thread_answers (organization_id, asker_id, message_id, id);
create index thread_answers_by_document on thread_answers using gin (document_ids);
call autri_meta.protect('thread_answers', 'asker', 'select, insert, delete');
grant update (verdict, note, judged_at) on thread_answers to autri_app;

-- What answers quote of documents that are deleted is forgotten with these: the passages, and what cites them. Whoever
-- deletes does not see the conversations of others.
create policy forgetting on thread_answers to autri_forgetting
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
grant select (organization_id, id, document_ids, answer), update (document_ids, answer) on thread_answers
  to autri_forgetting;

create function without_documents(p_answer jsonb, p_gone uuid[]) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select p_answer || jsonb_build_object(
    'answer', '', 'hits', left_over.hits, 'citations', left_over.hits,
    'sentences', (
      select coalesce(jsonb_agg(
        case when s.sentence -> 'citations' ?| left_over.chunks
          then jsonb_build_object('text', '', 'citations', s.sentence -> 'citations') else s.sentence end
        order by s.place), '[]')
      from jsonb_array_elements(p_answer -> 'sentences') with ordinality s (sentence, place)),
    'contradictions', (
      select coalesce(jsonb_agg(
        case when exists (
          select from jsonb_array_elements(p.pair -> 'sides') e (side)
          where (e.side #>> '{document,id}')::uuid = any (p_gone) or e.side ->> 'chunk_id' = any (left_over.chunks))
          then p.pair || '{"sides": []}' else p.pair end
        order by p.place), '[]')
      from jsonb_array_elements(p_answer -> 'contradictions') with ordinality p (pair, place)))
  from (
    select coalesce(jsonb_agg(c.hit order by c.place)
        filter (where (c.hit #>> '{document,id}')::uuid <> all (p_gone)), '[]') as hits,
      coalesce(array_agg(c.hit #>> '{chunk,id}')
        filter (where (c.hit #>> '{document,id}')::uuid = any (p_gone)), '{}') as chunks
    from jsonb_array_elements(p_answer -> 'citations') with ordinality c (hit, place)) left_over
$$;
revoke all on function without_documents(jsonb, uuid[]) from public;
grant execute on function without_documents(jsonb, uuid[]) to autri_app, autri_forgetting;

create function forget_quotations() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  documents constant uuid[] := array(select g.id from gone g);
begin
  update public.thread_answers a
  set document_ids = array(select d from unnest(a.document_ids) d where d <> all (documents)),
    answer = public.without_documents(a.answer, documents)
  where a.document_ids && documents;
  return null;
end $$;
create trigger forget_quotations after delete on documents
  referencing old table as gone for each statement execute function forget_quotations();
call autri_meta.hand_over('forget_quotations()', 'autri_forgetting');

-- A link that shows a conversation, as it was when the link was made, to whoever has it.
create table thread_shares (
  organization_id uuid not null,
  id uuid not null unique,
  thread_id uuid not null,
  asker_id uuid not null,  -- As in its thread: what they may see when it is opened, it shows.
  secret_hash text not null unique,  -- SHA-256 of the link's secret, as hexadecimal digits; the secret itself is nowhere.
  base_ids uuid[] not null,  -- Of these knowledge bases at most it shows what is quoted.
  until_id uuid not null,  -- The last answer that it shows.
  expires_at timestamptz not null,  -- From when on it shows nothing.
  revoked_at timestamptz,  -- Since when it shows nothing.
  created_at timestamptz not null default now(),
  primary key (organization_id, asker_id, id),
  foreign key (organization_id, asker_id, thread_id) references threads (organization_id, asker_id, id)
    on delete cascade
);
create index thread_shares_of_thread on thread_shares (organization_id, asker_id, thread_id, id);
call autri_meta.protect('thread_shares', 'asker', 'select, insert, delete');
grant update (revoked_at) on thread_shares to autri_app;

-- Before a scope exists: whose link is this, and what does it show? No row for one that is not in force.
create policy resolver on thread_shares for select to autri_resolver using (true);
grant select on thread_shares to autri_resolver;
create function share_of(p_hash text)
returns table (organization_id uuid, id uuid, thread_id uuid, asker_id uuid, role text, base_ids uuid[], until_id uuid,
  created_at timestamptz, expires_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select s.organization_id, s.id, s.thread_id, s.asker_id, u.role, s.base_ids, s.until_id, s.created_at, s.expires_at
  from public.thread_shares s
    join public.users u on u.organization_id = s.organization_id and u.id = s.asker_id and u.invited_at is null
    join public.organizations o on o.id = s.organization_id and o.erasing_at is null
  where s.secret_hash = p_hash and s.revoked_at is null and s.expires_at > now()
$$;
call autri_meta.hand_over('share_of(text)', 'autri_resolver');

-- What an asker said of an answer, told to those who keep the gold of the knowledge bases that it cites.
create table gold_candidates (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  answer_id uuid not null,  -- Which answer; what was said of it goes with it.
  question text not null,  -- As it was asked.
  verdict text not null check (verdict in ('right', 'wrong', 'incomplete')),  -- What the asker says of the answer.
  note text,  -- And why.
  chunk_ids uuid[] not null,  -- The chunks of this knowledge base that the answer cites.
  author_id uuid not null,  -- Who says so: the answer's asker.
  author text not null,  -- Their name, then.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, id),
  unique (knowledge_base_id, answer_id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade,
  foreign key (organization_id, author_id, answer_id) references thread_answers (organization_id, asker_id, id)
    on delete cascade
);
create index gold_candidates_of_answer on gold_candidates (organization_id, author_id, answer_id);
call autri_meta.protect('gold_candidates');

-- Who takes back what they said does so wherever it was told, also where they see nothing any more.
create policy forgetting on gold_candidates to autri_forgetting
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
    and author_id = (select nullif(current_setting('app.user_id', true), '')::uuid));
grant select (organization_id, author_id, answer_id), delete on gold_candidates to autri_forgetting;
create function withdraw_candidates(p_answer uuid) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  delete from public.gold_candidates g where g.answer_id = p_answer
$$;
call autri_meta.hand_over('withdraw_candidates(uuid)', 'autri_forgetting');
