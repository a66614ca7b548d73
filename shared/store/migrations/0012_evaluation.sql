-- Questions whose answer's place is known, and the runs that measured retrieval on them. A place names its document by
-- what people call it, a page, a quote or the hash of a chunk's content: ids of rows do not survive what a document may
-- go through, and gold has to.
create table gold_questions (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  key text not null,
  question text not null,
  kind text not null check (kind in ('answerable', 'negative')),
  expected jsonb not null default '[]',
  pin text,
  answer text,
  source text not null,
  author_id uuid,
  author text not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, id),
  unique (knowledge_base_id, key),
  check ((kind = 'negative') = (expected = '[]'::jsonb)),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);

-- `gold` names the set: a file, or the questions stored here. `questions` holds what is to be measured, `results` what
-- has been, in the same order; a run is done when there are as many. `baseline` marks what later runs of the set are
-- compared with.
create table eval_runs (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  gold text not null,
  status text not null default 'running' check (status in ('running', 'done')),
  parameters jsonb not null,
  versions jsonb not null,
  questions jsonb not null default '[]',
  results jsonb not null default '[]',
  scores jsonb not null default '[]',
  deltas jsonb not null default '[]',
  floors jsonb not null default '[]',
  left_out jsonb not null default '{}',
  baseline boolean not null default false,
  baseline_id uuid,
  seconds double precision not null default 0,
  author_id uuid,
  author text not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
create unique index eval_runs_one_baseline on eval_runs (knowledge_base_id, gold) where baseline;
create index eval_runs_by_time on eval_runs (knowledge_base_id, id desc);

do $$
declare
  name text;
  own constant text :=
    'organization_id = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid)'
    ' and knowledge_base_id = any ((select coalesce(nullif(current_setting(''app.kb_ids'', true), ''''), ''{}'')::uuid[])::uuid[])';
begin
  foreach name in array array['gold_questions', 'eval_runs'] loop
    execute format('create policy scope on %I to autri_app using (%s) with check (%2$s)', name, own);
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('grant select, insert, update, delete on %I to autri_app', name);
  end loop;
end $$;
