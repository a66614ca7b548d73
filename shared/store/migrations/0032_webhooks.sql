-- Webhooks: addresses that are told what happens in a knowledge base, and what is told them. What is told is a row that is
-- written in the transaction of what happened, so that nothing is lost and nothing is told of what was rolled back.
-- docs/decisions/0106-webhooks.md

do $$
begin
  if not exists (select from pg_roles where rolname = 'autri_sending') then
    create role autri_sending nologin;
  end if;
end $$;

-- An address that is told what happens in a knowledge base.
create table webhooks (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  url text not null,  -- Where it is told.
  events text[] not null check (cardinality(events) > 0),  -- What is told.
  secret text not null,  -- What signs; encrypted with a key that is not in the database.
  former_secret text,  -- The one before, which signs as well until its time is over; encrypted as well.
  former_until timestamptz,  -- When that is.
  created_by uuid,  -- Who made it.
  created_at timestamptz not null default now(),
  delivered_at timestamptz,  -- When something arrived last.
  failing_since timestamptz,  -- Since when nothing has arrived; null where the last attempt did.
  disabled_at timestamptz,  -- Since when nothing is told, as nothing arrived for days.
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
create index webhooks_by_base on webhooks (knowledge_base_id);
call autri_meta.protect('webhooks');

-- One thing that is told to one webhook: it waits while `due_at` says when it is tried next.
create table webhook_deliveries (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  webhook_id uuid not null,
  id uuid not null unique default gen_random_uuid(),  -- The same in every attempt.
  event text not null,  -- What happened.
  body json not null,  -- What is sent, as it was when it happened.
  created_at timestamptz not null default clock_timestamp(),
  due_at timestamptz default now(),  -- When it is tried next; null once it arrived or was given up.
  lease_until timestamptz,  -- Until when whoever tries it now may be silent.
  attempts integer not null default 0,  -- How often it was tried.
  attempted_at timestamptz,  -- When last.
  delivered_at timestamptz,  -- When it arrived.
  status integer,  -- Of the last answer, as HTTP numbers it.
  error text,  -- Why the last attempt failed.
  primary key (webhook_id, id),
  foreign key (organization_id, knowledge_base_id, webhook_id)
    references webhooks (organization_id, knowledge_base_id, id) on delete cascade
);
create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null;
create index webhook_deliveries_by_time on webhook_deliveries (webhook_id, created_at desc, id);
call autri_meta.protect('webhook_deliveries');

-- Before a scope exists: which webhooks wait for something at that time, and when is the next time? Told are ids and times.
-- Those of a knowledge base that is being deleted, which no scope opens, wait no more.
create policy sending on knowledge_bases for select to autri_sending using (true);
grant select (id, erasing_at) on knowledge_bases to autri_sending;
create policy sending on webhooks for select to autri_sending using (true);
create policy sending on webhook_deliveries for select to autri_sending using (true);
grant select (organization_id, id, disabled_at) on webhooks to autri_sending;
grant select (organization_id, knowledge_base_id, webhook_id, due_at, lease_until) on webhook_deliveries to autri_sending;

create function due_webhooks(p_now timestamptz, p_most integer)
returns table (organization_id uuid, knowledge_base_id uuid, webhook_id uuid)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select d.organization_id, d.knowledge_base_id, d.webhook_id
  from public.webhook_deliveries d join public.webhooks w on w.id = d.webhook_id and w.disabled_at is null
    join public.knowledge_bases k on k.id = d.knowledge_base_id and k.erasing_at is null
  where d.due_at <= p_now and (d.lease_until is null or d.lease_until <= p_now)
  group by d.organization_id, d.knowledge_base_id, d.webhook_id
  order by min(d.due_at) limit p_most
$$;
call autri_meta.hand_over('due_webhooks(timestamptz, integer)', 'autri_sending');

create function next_webhook_due() returns timestamptz
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select min(greatest(d.due_at, d.lease_until))
  from public.webhook_deliveries d join public.webhooks w on w.id = d.webhook_id and w.disabled_at is null
    join public.knowledge_bases k on k.id = d.knowledge_base_id and k.erasing_at is null
  where d.due_at is not null
$$;
call autri_meta.hand_over('next_webhook_due()', 'autri_sending');

-- How many the organization of the open scope has, those included that whoever asks does not see: a plan counts them.
create function webhooks_held() returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select count(*) from public.webhooks w
  where w.organization_id = nullif(current_setting('app.organization_id', true), '')::uuid
$$;
call autri_meta.hand_over('webhooks_held()', 'autri_sending');

-- What is told of something that happened in a knowledge base, to each webhook there that wants to know. With the rights of
-- whoever makes it happen, so within their scope.
create function tell_webhooks(p_base uuid, p_event text, p_data json) returns void
language sql volatile set search_path = pg_catalog, pg_temp
as $$
  insert into public.webhook_deliveries (organization_id, knowledge_base_id, webhook_id, event, body)
  select w.organization_id, w.knowledge_base_id, w.id, p_event, json_build_object('type', p_event,
    'timestamp', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', p_data)
  from public.webhooks w
  where w.knowledge_base_id = p_base and w.disabled_at is null and p_event = any (w.events)
$$;
revoke all on function tell_webhooks(uuid, text, json) from public;
grant execute on function tell_webhooks(uuid, text, json) to autri_app;

-- A run that ends is told in its own transaction, whoever ends it. Ids, names, states and counts, no text of the document:
-- why it failed may quote some, and is read at the addresses.
create function tell_end_of_run() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  found_one record;
begin
  if not exists (select from public.webhooks w where w.knowledge_base_id = new.knowledge_base_id) then
    return null;
  end if;
  select d.name, d.version_label, d.page_count, d.chunk_count into found_one
    from public.documents d where d.id = new.document_id;
  perform public.tell_webhooks(new.knowledge_base_id,
    case when new.status in ('ready', 'ready_with_errors') then 'document.ready' else 'document.failed' end,
    json_build_object(
      'organization_id', new.organization_id, 'knowledge_base_id', new.knowledge_base_id,
      'document_id', new.document_id, 'ingestion_id', new.id,
      'name', coalesce(found_one.name, new.filename), 'version_label', found_one.version_label,
      'status', new.status, 'pages', coalesce(found_one.page_count, new.page_count), 'chunks', found_one.chunk_count,
      'document', '/v1/documents/' || new.document_id, 'ingestion', '/v1/ingestions/' || new.id));
  return null;
end $$;
revoke all on function tell_end_of_run() from public;
grant execute on function tell_end_of_run() to autri_app;
create trigger tell_end_of_run after update of status on ingestions for each row
  when (old.status is distinct from new.status and not new.duplicate
    and new.status in ('ready', 'ready_with_errors', 'failed', 'refused'))
  execute function tell_end_of_run();

-- The same of an evaluation that is done and falls below one of its floors.
create function tell_evaluation() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform public.tell_webhooks(new.knowledge_base_id, 'evaluation.below_floor', json_build_object(
    'organization_id', new.organization_id, 'knowledge_base_id', new.knowledge_base_id, 'evaluation_id', new.id,
    'gold', new.gold, 'questions', jsonb_array_length(new.questions),
    'below', (select json_agg(f) from jsonb_array_elements(new.floors) f where not (f ->> 'met')::boolean),
    'evaluation', '/v1/knowledge-bases/' || new.knowledge_base_id || '/evaluations/' || new.id));
  return null;
end $$;
revoke all on function tell_evaluation() from public;
grant execute on function tell_evaluation() to autri_app;
create trigger tell_evaluation after update of status on eval_runs for each row
  when (old.status is distinct from new.status and new.status = 'done' and new.floors @> '[{"met": false}]')
  execute function tell_evaluation();
