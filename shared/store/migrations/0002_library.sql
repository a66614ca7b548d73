-- The library: documents and their versions, how they arrive, what runs over them, what that cost.

-- What people call one document: its versions are rows of `documents`.
create table logical_documents (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  name text not null,  -- What people call it.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
call autri_meta.protect('logical_documents');

-- A document is one version of a logical document.
create table documents (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  logical_document_id uuid not null,
  name text not null,  -- The announced title, or the file's name.
  source_title text,  -- The title that the file itself has.
  source_made date,  -- When the file was made, by its own account.
  source_type text not null,  -- The format.
  source_hash text not null,  -- SHA-256 of the file, as it was announced and found.
  source_key text not null,  -- Where the store has the file, out of reach of every upload ticket.
  source_version text,  -- Which version of that object is the source.
  source_changed_at timestamptz,  -- Since when the stored bytes are known to be others than those that were registered.
  opened_key text,  -- Of a protected file: its password is asked for once, what it opened is kept beside the source.
  opened_hash text,  -- SHA-256 of the opened copy.
  size bigint not null,  -- Bytes.
  -- How far the run came that has it.
  status text not null
    check (status in ('queued', 'running', 'ready', 'ready_with_errors', 'refused', 'failed')),
  error text,  -- Why it was refused or failed.
  version_label text,  -- What people call this version.
  version_index integer not null,  -- The how manieth version, from 1.
  is_current boolean not null default false,  -- At most one version of a logical document is.
  serving boolean not null default false,  -- Published at least once, so retrieval may show it.
  ingestion_id uuid,  -- The run that published what is shown.
  -- The one run that may write the document: whoever starts a run sets it, every stage compares it. Ids of ingestions say
  -- nothing about that, since the same file sent twice makes a second ingestion that never runs.
  run_id uuid,
  revision integer not null default 0,  -- Goes up with each publication and edit.
  page_count integer not null default 0,  -- Pages of the file.
  chunk_count integer not null default 0,  -- Chunks that are served.
  confidence double precision,  -- The mean of its pages, 0 to 1.
  engine text,  -- The engine that was asked for.
  extractor_version text,  -- What made the chunks.
  embedder_version text,  -- What made the vectors.
  document_date date,  -- What the document is dated; of a month or a year its first day.
  document_date_unit text check (document_date_unit in ('day', 'month', 'year')),  -- How exact that is.
  -- What says so; with `edited` it stays when the document is read again.
  document_date_source text check (document_date_source in ('title_page', 'file_name', 'metadata', 'edited')),
  document_date_confidence double precision,  -- 0 to 1.
  document_date_text text,  -- What it was read from, as printed.
  seconds double precision,  -- How long its ingestion took.
  cost_usd double precision not null default 0,  -- What models were paid for all of its runs.
  created_at timestamptz not null default now(),
  published_at timestamptz,  -- When what is shown was published.
  check (document_date is null or document_date_source is not null),
  primary key (organization_id, knowledge_base_id, id),
  unique (knowledge_base_id, source_hash),
  unique (logical_document_id, version_index),
  foreign key (organization_id, knowledge_base_id, logical_document_id)
    references logical_documents (organization_id, knowledge_base_id, id) on delete cascade
);
create unique index documents_one_current on documents (logical_document_id) where is_current;
call autri_meta.protect('documents');

-- A page of a document: what was read of it and how it went.
create table pages (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  page integer not null,  -- From 1.
  -- How far the page came.
  status text not null default 'queued'
    check (status in ('queued', 'rendered', 'parsed', 'extracted', 'ready', 'failed')),
  width_pt double precision,  -- As shown, turned.
  height_pt double precision,  -- As shown, turned.
  rotation integer not null default 0,  -- Degrees, clockwise.
  route text,  -- Whether the text layer is read or recognised from the picture.
  text_density double precision,  -- Non-space characters per square inch.
  confidence double precision,  -- 0 to 1.
  flags text[] not null default '{}',  -- What to look at.
  fragments integer not null default 0,  -- How many the page has.
  unclaimed integer not null default 0,  -- How many of them no chunk and nothing skipped has.
  skipped jsonb not null default '[]',  -- Headers, footers and the like, with their fragments.
  error text,  -- Why it failed.
  extractor_version text,  -- What made its chunks.
  engine text,  -- Which engine decided the page.
  engine_version text,  -- In which version.
  engine_note text,  -- Why not the engine that was asked for.
  primary key (document_id, page),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
call autri_meta.protect('pages');

-- What a client announced before its file arrived: the only source of a file's name and of its scope.
create table uploads (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  filename text not null,  -- As on the client's disk.
  title text,  -- What the document is to be called.
  size bigint not null,  -- Bytes.
  sha256 text,  -- The ticket binds it; of a dropped file it is null until the file is first read.
  engine text not null default 'layout',  -- The engine that is asked for.
  version_of uuid,  -- The document that this is to be a version of.
  label text,  -- What the version is to be called.
  created_by uuid,  -- Who announced it; null for a dropped file.
  -- Of a dropped file: its key in the bucket, and which version of that object. The same one is taken in once.
  drop_key text,
  drop_version text,  -- Null in a store without versions.
  folder text,  -- The name of the document that it is a version of, by the folder that it was dropped into.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
create unique index uploads_dropped on uploads (drop_key, drop_version) nulls not distinct where drop_key is not null;
call autri_meta.protect('uploads');

-- One run of the stages. Its id is the upload's for the first run of a file.
create table ingestions (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  document_id uuid,
  source_key text not null,  -- The file that is read.
  filename text not null,  -- As announced.
  engine text not null,  -- The engine that was asked for.
  -- How far it came.
  status text not null
    check (status in ('waiting', 'queued', 'running', 'ready', 'ready_with_errors', 'refused', 'failed')),
  duplicate boolean not null default false,  -- The file was in the knowledge base already.
  error text,  -- Why it was refused or failed.
  stages jsonb not null default '{}',  -- Progress per stage.
  page_count integer,  -- Pages that are to be done.
  attempts integer not null default 0,  -- How often a process took it up.
  lease_owner text,  -- Which process runs it, on one machine; and until when it may be silent.
  lease_until timestamptz,  -- Until when that process may be silent.
  -- A run that is taken over so many times and gets no further than before is given up.
  takeovers integer not null default 0,
  progress bigint not null default 0,  -- Stages and pages done when it was last taken over.
  queued_at timestamptz,  -- Since when its file is here and it waits for its turn.
  admitted_at timestamptz,  -- When it got one of the slots, where a state machine runs it.
  started_at timestamptz,  -- Since when it runs, for those that nobody leases.
  created_at timestamptz not null default now(),
  finished_at timestamptz,  -- When it ended, however it did.
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index ingestions_open on ingestions (created_at) where status in ('queued', 'running');
-- Announced files that never came are looked for by age.
create index ingestions_waiting on ingestions (created_at) where status = 'waiting';
create index ingestions_by_document on ingestions (document_id);
-- What waits for a slot, by organization and in its order.
create index ingestions_unadmitted on ingestions (organization_id, queued_at, id)
  where status = 'queued' and admitted_at is null;
-- Who got a slot last, and who has one.
create index ingestions_admitted on ingestions (organization_id, admitted_at) where admitted_at is not null;
create index ingestions_in_slots on ingestions (organization_id)
  where admitted_at is not null and finished_at is null and not duplicate;
call autri_meta.protect('ingestions');

-- Admission looks at the runs of all organizations, and says no more of them than their ids. Its role may do that, and
-- note when a run got its slot.
create policy admission on ingestions to autri_admission using (true);
grant select (organization_id, knowledge_base_id, id, document_id, source_key, status, duplicate, queued_at, admitted_at,
  finished_at), update (admitted_at) on ingestions to autri_admission;

-- Gives the next run a slot, and answers its ids; no row while all slots are taken or nothing waits. `p_slots` bounds the
-- runs of all organizations, `p_share` those of one.
--
-- The next slot goes to the organization that has the fewest; among equals to the one that got its last one longest ago;
-- within it, to the run that waits longest. Admissions happen one after the other: the lock is the transaction's, so that
-- a caller can start the run before the slot is taken for good.
create function admit_run(p_slots integer, p_share integer)
returns table (organization_id uuid, knowledge_base_id uuid, ingestion_id uuid, document_id uuid, source_key text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  chosen uuid;
begin
  -- Beside the locks of maintenance (`shared.store.maintenance`).
  perform pg_advisory_xact_lock(280604463666);
  if (select count(*) from public.ingestions i
      where i.admitted_at is not null and i.finished_at is null and not i.duplicate) >= p_slots then
    return;
  end if;
  -- The organizations that wait: from one to the next by the index, however many runs each has.
  with recursive waiting (id) as (
    (select i.organization_id from public.ingestions i where i.status = 'queued' and i.admitted_at is null
      order by i.organization_id limit 1)
    union all
    select (select i.organization_id from public.ingestions i where i.status = 'queued' and i.admitted_at is null
      and i.organization_id > w.id order by i.organization_id limit 1)
    from waiting w where w.id is not null)
  select i.id into chosen
  from waiting w
  cross join lateral (select count(*) as running from public.ingestions r
    where r.organization_id = w.id and r.admitted_at is not null and r.finished_at is null and not r.duplicate) held
  cross join lateral (select max(r.admitted_at) as at from public.ingestions r
    where r.organization_id = w.id and r.admitted_at is not null) last
  cross join lateral (select q.id, q.queued_at from public.ingestions q
    where q.organization_id = w.id and q.status = 'queued' and q.admitted_at is null
    order by q.queued_at, q.id limit 1) i
  where held.running < p_share
  order by held.running, last.at nulls first, i.queued_at, i.id
  limit 1;
  return query update public.ingestions i set admitted_at = clock_timestamp()
    where i.id = chosen and i.status = 'queued' and i.admitted_at is null
    returning i.organization_id, i.knowledge_base_id, i.id, i.document_id, i.source_key;
end $$;
call autri_meta.hand_over('admit_run(integer, integer)', 'autri_admission');

-- The runs that have a slot for longer than `p_seconds`: never more than there are slots.
create function runs_in_slots(p_seconds double precision)
returns table (organization_id uuid, knowledge_base_id uuid, ingestion_id uuid)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select i.organization_id, i.knowledge_base_id, i.id from public.ingestions i
  where i.admitted_at < now() - make_interval(secs => p_seconds) and i.finished_at is null and not i.duplicate
  order by i.admitted_at, i.id
$$;
call autri_meta.hand_over('runs_in_slots(double precision)', 'autri_admission');

-- Which pages have left which mapped stage.
create table ingestion_pages (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  ingestion_id uuid not null,
  stage text not null,  -- Of the mapped ones.
  page integer not null,  -- From 1.
  error text,  -- Why the page failed there.
  seconds double precision not null,  -- How long it took.
  primary key (ingestion_id, stage, page),
  foreign key (organization_id, knowledge_base_id, ingestion_id)
    references ingestions (organization_id, knowledge_base_id, id) on delete cascade
);
call autri_meta.protect('ingestion_pages');

-- What models were paid for. A row per page and stage of a run; a page that is done again adds to its row, because it
-- was paid for again.
create table costs (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  ingestion_id uuid not null,
  stage text not null,  -- Which stage called.
  page integer not null,  -- From 1.
  model text not null,  -- Who was called.
  calls integer not null,  -- How often.
  input_tokens bigint not null,  -- Read in full.
  cache_read_tokens bigint not null,  -- Read from the prompt cache.
  cache_write_tokens bigint not null,  -- Written into it.
  output_tokens bigint not null,  -- Written by the model.
  usd double precision not null,  -- By the price list of the day.
  created_at timestamptz not null default now(),
  primary key (ingestion_id, stage, page, model),
  foreign key (organization_id, knowledge_base_id, ingestion_id)
    references ingestions (organization_id, knowledge_base_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index costs_by_document on costs (document_id);
call autri_meta.protect('costs');

-- What documents are compared by, to suggest which one a new file is a version of.
create table version_profiles (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  method integer not null,  -- The version of the scoring that made the row.
  name text not null,  -- The document's name, normalised.
  titles text[] not null,  -- Its first titles, normalised.
  addresses bigint[] not null,  -- Hashes of the addresses.
  -- A bottom-k sketch (the smallest 63-bit hashes, ascending) of normalised addresses and titles.
  sections bigint[] not null,
  content bigint[] not null,  -- A bottom-k sketch of shingles of words.
  primary key (document_id),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index version_profiles_by_base on version_profiles (knowledge_base_id);
call autri_meta.protect('version_profiles');

-- What was found and what a person said about it. Nothing is ever linked by the system.
create table version_suggestions (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  document_id uuid not null,
  logical_document_id uuid not null,
  nearest_id uuid,  -- The version that it is most like.
  score double precision not null,  -- 0 to 1.
  parts jsonb not null,  -- What the score is made of.
  method integer not null,  -- The version of the scoring.
  status text not null default 'open' check (status in ('open', 'accepted', 'dismissed')),  -- What people said.
  created_at timestamptz not null default now(),
  decided_at timestamptz,  -- When they did.
  decided_by_id uuid,  -- Who did.
  decided_by text,  -- Their name, then.
  primary key (organization_id, knowledge_base_id, id),
  unique (document_id, logical_document_id),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, logical_document_id)
    references logical_documents (organization_id, knowledge_base_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, nearest_id)
    references documents (organization_id, knowledge_base_id, id) on delete set null (nearest_id)
);
create index version_suggestions_by_logical on version_suggestions (logical_document_id);
create index version_suggestions_by_nearest on version_suggestions (nearest_id);
call autri_meta.protect('version_suggestions');
