-- Plans: what an organization may use, what it has used, what that cost. docs/decisions/0037-plans.md

do $$
declare
  name text;
begin
  foreach name in array array['autri_usage', 'autri_operating'] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I nologin', name);
    end if;
  end loop;
end $$;

-- Its plan; null: the one that the deployment gives to all that have none.
alter table organizations add column plan text
  check (plan in ('free', 'personal', 'pro', 'enterprise', 'unlimited'));
-- Whether its owners and admins operate the deployment: they give plans and page packs to all organizations.
alter table organizations add column operates boolean not null default false;

-- Pages that an organization has bought beside its plan. The application reads them; who gives them is `add_page_pack`.
create table page_packs (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null,
  pages integer not null check (pages > 0),  -- How many.
  month date check (month = date_trunc('month', month)),  -- The month that they are for (UTC); null: every month.
  created_at timestamptz not null default now(),
  primary key (organization_id, id)
);
call autri_meta.protect('page_packs', 'organization', 'select');

-- The pages of each document version that was read, counted once; a run that fails gives its own back. It outlives the
-- document: what was read was paid for.
create table counted_pages (
  organization_id uuid not null references organizations (id) on delete cascade,
  document_id uuid not null,
  run_id uuid not null,  -- Which run they were counted for.
  day date not null,  -- When, by UTC: the day of a month that they count for.
  pages integer not null,  -- How many.
  primary key (organization_id, document_id)
);
create index counted_pages_by_day on counted_pages (organization_id, day);
create index counted_pages_by_run on counted_pages (organization_id, run_id);
call autri_meta.protect('counted_pages', 'organization', 'select, insert, delete');

-- How many questions were answered on a day.
create table counted_questions (
  organization_id uuid not null references organizations (id) on delete cascade,
  day date not null,  -- By UTC.
  questions integer not null check (questions >= 0),  -- How many.
  primary key (organization_id, day)
);
call autri_meta.protect('counted_questions', 'organization', 'select, insert, update');

-- What an organization spent on a day, by stage. It outlives the documents, whose own sums go with them: a budget cannot
-- be won back by deleting.
create table spending (
  organization_id uuid not null references organizations (id) on delete cascade,
  day date not null,  -- By UTC.
  stage text not null,  -- Which stage spent it.
  resource text not null,  -- The model that was called; `compute` for the stage's own run time.
  calls bigint not null,  -- How often.
  seconds double precision not null,  -- Run time, as far as the stage could measure it itself.
  usd double precision not null,  -- What a model asked; run time is priced when it is shown.
  primary key (organization_id, day, stage, resource)
);
call autri_meta.protect('spending', 'organization', 'select, insert, update');

-- The run time of a run's stages: every attempt and every shard that came to its end, failed ones too.
create table stage_seconds (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  ingestion_id uuid not null,
  stage text not null,  -- Which one.
  calls integer not null,  -- How often it ran: attempts and shards.
  seconds double precision not null,  -- All of them together.
  primary key (ingestion_id, stage),
  foreign key (organization_id, knowledge_base_id, ingestion_id)
    references ingestions (organization_id, knowledge_base_id, id) on delete cascade
);
call autri_meta.protect('stage_seconds');

-- A bucket of requests of an organization or of one of its keys. Unlogged: after a crash all buckets are full.
create unlogged table rate_buckets (
  organization_id uuid not null references organizations (id) on delete cascade,
  subject_id uuid not null,  -- The key's id, or the organization's own.
  full_at timestamptz not null,  -- When it is full again, if nothing more is taken (GCRA's theoretical arrival time).
  primary key (organization_id, subject_id)
);
call autri_meta.protect('rate_buckets', 'organization', 'select, insert, update');

-- What is counted of an organization is counted whole, whoever acts: also what is restricted to others.
create policy usage on knowledge_bases for select to autri_usage
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
create policy usage on documents for select to autri_usage
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
grant select (organization_id, id) on knowledge_bases to autri_usage;
grant select (organization_id, chunk_count) on documents to autri_usage;

-- How many knowledge bases and chunks the organization of the open scope has.
create function stored_now() returns table (knowledge_bases bigint, chunks bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select (select count(*) from public.knowledge_bases), (select coalesce(sum(d.chunk_count), 0)::bigint from public.documents d)
$$;
call autri_meta.hand_over('stored_now()', 'autri_usage');

-- Whoever operates a deployment gives plans and packs; an organization never gives them to itself, unless it is the one
-- that operates. The application role may change neither but through these functions, which look who acts.
create policy operating on organizations to autri_operating using (true) with check (true);
create policy operating on users for select to autri_operating
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
create policy operating on page_packs to autri_operating using (true) with check (true);
grant select (id, slug, operates), update (plan) on organizations to autri_operating;
grant select (organization_id, id, role) on users to autri_operating;
grant insert on page_packs to autri_operating;

-- Whether whoever acts operates the deployment.
create function operates() returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from public.organizations o join public.users u on u.organization_id = o.id
    where o.id = (select nullif(current_setting('app.organization_id', true), '')::uuid) and o.operates
      and u.id = (select nullif(current_setting('app.user_id', true), '')::uuid) and u.role in ('owner', 'admin'))
$$;
call autri_meta.hand_over('operates()', 'autri_operating');

-- Gives an organization a plan, or with null the deployment's; returns whether there is such an organization.
create function set_plan(p_slug text, p_plan text) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not public.operates() then
    raise exception 'only an operator gives plans' using errcode = 'insufficient_privilege';
  end if;
  update public.organizations o set plan = p_plan where o.slug = p_slug;
  return found;
end $$;
call autri_meta.hand_over('set_plan(text, text)', 'autri_operating');

-- Gives an organization pages for a month, or with null for every month; returns whether there is such an organization.
create function add_page_pack(p_slug text, p_id uuid, p_pages integer, p_month date) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not public.operates() then
    raise exception 'only an operator gives page packs' using errcode = 'insufficient_privilege';
  end if;
  insert into public.page_packs (organization_id, id, pages, month)
    select o.id, p_id, p_pages, p_month from public.organizations o where o.slug = p_slug;
  return found;
end $$;
call autri_meta.hand_over('add_page_pack(text, uuid, integer, date)', 'autri_operating');
