-- Plots: what is drawn of a dataset. docs/decisions/0113-plots.md

-- A plot: what is drawn, and of what it was when it was saved.
create table plots (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  dataset_id uuid not null,  -- Of which dataset; the plot goes with it.
  name text not null,  -- As people read it.
  spec jsonb not null,  -- What is drawn: `form`, or `vega_lite` by hand; never data.
  sha256 text not null,  -- Of the specification as canonical JSON, as hexadecimal digits.
  dataset_revision int not null,  -- Which revision of the dataset it was drawn from last,
  dataset_sha256 text not null,  -- the hash of that one's columns and steps,
  data_sha256 text not null,  -- and the hash of what was drawn.
  author_id uuid,  -- Who made it.
  author text not null,  -- Their name, then.
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),  -- When its name or what it draws was changed last.
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id, dataset_id)
    references datasets (organization_id, knowledge_base_id, id) on delete cascade
);
create index plots_of_dataset on plots (organization_id, knowledge_base_id, dataset_id, id);
call autri_meta.protect('plots');
