-- Evaluation: questions whose answer's place is known, and the runs that measured retrieval on them.

-- A place names its document by what people call it, a page, a quote or the hash of a chunk's content: ids of rows do not
-- survive what a document may go through, and gold has to.
create table gold_questions (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  key text not null,  -- By which the same question is known again.
  question text not null,  -- As a person asks it.
  kind text not null check (kind in ('answerable', 'negative')),  -- Whether the documents answer it.
  expected jsonb not null default '[]',  -- Where the answer stands; any of these places.
  pin text,  -- A version of its document, where only that one is right.
  answer text,  -- What a right answer says.
  source text not null,  -- Where the question comes from.
  author_id uuid,  -- Who put it here.
  author text not null,  -- Their name, then.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, id),
  unique (knowledge_base_id, key),
  check ((kind = 'negative') = (expected = '[]'::jsonb)),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
call autri_meta.protect('gold_questions');

-- A run is done when there are as many results as questions.
create table eval_runs (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  gold text not null,  -- Names the set: a file, or the questions stored here.
  status text not null default 'running' check (status in ('running', 'done')),  -- Whether it is done.
  parameters jsonb not null,  -- How retrieval was asked.
  versions jsonb not null,  -- Of the programs and models that took part.
  questions jsonb not null default '[]',  -- What is to be measured.
  results jsonb not null default '[]',  -- What has been, in the same order.
  scores jsonb not null default '[]',  -- Means with their intervals.
  deltas jsonb not null default '[]',  -- Against the baseline.
  floors jsonb not null default '[]',  -- Scores that must not be fallen below, and whether they are.
  left_out jsonb not null default '{}',  -- Questions that could not be asked, and why.
  baseline boolean not null default false,  -- What later runs of the set are compared with.
  baseline_id uuid,  -- The run that it was compared with.
  seconds double precision not null default 0,  -- Of measuring, all sittings together.
  author_id uuid,  -- Who started it.
  author text not null,  -- Their name, then.
  created_at timestamptz not null default now(),
  finished_at timestamptz,  -- When the last question was measured.
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
create unique index eval_runs_one_baseline on eval_runs (knowledge_base_id, gold) where baseline;
create index eval_runs_by_time on eval_runs (knowledge_base_id, id desc);
call autri_meta.protect('eval_runs');
