-- Files that come together, and from where they come again: parcels (a ZIP file of files), folders, mailboxes, buckets,
-- web pages and sites.

-- Where a file stood in what it came with; the document is called so.
alter table uploads add column path text;
-- The upload of the parcel that the file was in.
alter table uploads add column parcel_id uuid;
create index uploads_parcel on uploads (parcel_id) where parcel_id is not null;

-- Where files come from, and come again when they have changed there.
create table sources (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  -- What it is. What is in the first three is sent by a program that can read them; the others are fetched.
  kind text not null check (kind in ('folder', 'mailbox', 'bucket', 'pages', 'sitemap', 'feed')),
  name text not null,  -- What people call it; of what is watched its address.
  settings jsonb not null default '{}',  -- How it is looked through.
  created_by uuid,  -- Who began it.
  created_at timestamptz not null default now(),
  looked_at timestamptz,  -- When it was looked through last.
  due_at timestamptz,  -- When it is next, by itself; null for what a program sends.
  result jsonb,  -- What was found then, counted.
  error text,  -- Why it could not be looked through.
  primary key (organization_id, knowledge_base_id, id),
  unique (knowledge_base_id, kind, name),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
create index sources_due on sources (due_at) where due_at is not null;
call autri_meta.protect('sources');

-- One file of a source, as it was when it came last.
create table source_items (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  source_id uuid not null,
  path text not null,  -- Where it stands there; of a web page its address.
  sha256 text,  -- Of the bytes that came last; null until the first have.
  mark text,  -- By which its source says that it is the same, without sending it.
  modified text,  -- When it was changed, as its source says it.
  ingestion_id uuid,  -- The run that brought it.
  document_id uuid,  -- What became of it; null until it is registered.
  gone_at timestamptz,  -- Since when it is there no more.
  checked_at timestamptz,  -- When it was asked for last.
  error text,  -- Why it could not be had then.
  primary key (source_id, path),
  foreign key (organization_id, knowledge_base_id, source_id)
    references sources (organization_id, knowledge_base_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index source_items_document on source_items (document_id);
create index source_items_ingestion on source_items (ingestion_id);
call autri_meta.protect('source_items');
