-- Exports and imports that go on where a run stopped: how far each is, and what its archive holds so far. While it is being
-- imported a knowledge base is shut as one that is being deleted (`erasing_at`). docs/decisions/0081-archives-in-slices.md

-- An export or import that is under way; its row goes when it has an end.
create table archive_jobs (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid primary key,
  kind text not null check (kind in ('export', 'import')),  -- Which way.
  state json not null,  -- Where the next slice goes on.
  upload text,  -- The upload in parts that the archive is sent by; null of an import.
  parts text[] not null default '{}',  -- What the store answered to each part, in their order.
  tail bytea not null default '',  -- What is written behind the last part and too short to be one.
  progress double precision not null default 0,  -- 0 to 1.
  started_at timestamptz not null default now(),  -- When its first slice began.
  -- When a slice of it was done last.
  touched_at timestamptz not null default now()
);
create index archive_jobs_by_organization on archive_jobs (organization_id);
call autri_meta.protect('archive_jobs', 'organization', 'select, insert, update, delete');

-- What an archive that is being written holds so far: its directory is written from it.
create table archive_members (
  organization_id uuid not null references organizations (id) on delete cascade,
  job_id uuid not null references archive_jobs (id) on delete cascade,
  ordinal integer not null,  -- From 0, in the order of the archive.
  member jsonb not null,  -- Its name, bytes, hashes and place.
  primary key (job_id, ordinal)
);
create index archive_members_by_organization on archive_members (organization_id);
call autri_meta.protect('archive_members', 'organization', 'select, insert, delete');
