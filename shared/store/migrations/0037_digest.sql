-- The digest: what a knowledge base says, in three tiers of Markdown files that keep themselves; events that other systems
-- report. docs/decisions/0116-digest.md

-- What another system reports: a deployment, a payment, a measurement.
create table events (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  kind text not null,  -- What happened, as the system calls it.
  subject text not null,  -- What it happened to.
  at timestamptz not null,  -- When.
  values json not null default '{}',  -- Its numbers, texts, yes and no, by name.
  key text not null,  -- By which the same event is known again.
  reporter text not null,  -- Who told, then.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, id),
  unique (knowledge_base_id, key),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
create index events_by_kind on events (knowledge_base_id, kind, subject, at desc, id desc);
call autri_meta.protect('events');

-- A row per knowledge base that has a digest: who changes its files locks it first.
create table digests (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  revision integer not null default 0,  -- Goes up with each change of any of its files.
  method text not null default '',  -- What made it: the version of the program, the embedder, the model.
  sources_hash text not null default '',  -- Of what the last update knew of all sources; '' where it left some unread.
  writes boolean not null default false,  -- Whether a model writes its summaries, where there is one.
  updated_at timestamptz not null default now(),  -- When a file changed last.
  checked_at timestamptz not null default now(),  -- When it was compared with its sources last.
  primary key (organization_id, knowledge_base_id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
call autri_meta.protect('digests');

-- A file as it is now. A topic has a summary and a description; an index lists topics, or further indexes.
create table digest_files (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  tier text not null check (tier in ('index', 'summary', 'description')),  -- Which of the three.
  path text not null,  -- In the folder of the digest: `summaries/brakes.md`.
  title text not null,  -- As people read it.
  topic_id uuid,  -- What a topic's two files share; null for an index.
  parent_id uuid,  -- The index that lists it; null for the first one.
  content text not null,  -- The Markdown.
  content_hash text not null,  -- SHA-256 of it, as hexadecimal digits.
  tried_hash text,  -- Of the content for which a model was asked last, whatever came of it.
  number integer not null,  -- Its how manieth version, from 1.
  version text not null,  -- The same as major.minor.patch.
  changed_by text not null check (changed_by in ('agent', 'user', 'system')),  -- Who made this version.
  updated_at timestamptz not null default now(),  -- When.
  check (tier <> 'index' or char_length(content) - char_length(replace(content, E'\n', '')) <= 50),
  check (tier <> 'summary' or char_length(content) <= 2000),
  check (tier <> 'description' or char_length(content) <= 50000),
  primary key (organization_id, knowledge_base_id, id),
  unique (knowledge_base_id, path),
  foreign key (organization_id, knowledge_base_id) references digests (organization_id, knowledge_base_id)
    on delete cascade
);
create index digest_files_by_topic on digest_files (knowledge_base_id, topic_id);
call autri_meta.protect('digest_files');

-- Its versions, in words that say nothing of what stands in it.
create table digest_versions (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  file_id uuid not null,
  number integer not null,  -- From 1.
  version text not null,  -- major.minor.patch.
  -- Who made it.
  changed_by text not null check (changed_by in ('agent', 'user', 'system')),
  author text not null,  -- Their name, then.
  change_summary text not null,  -- What changed.
  previous_hash text,  -- Of the version before; null for the first one.
  new_hash text not null,  -- Of this one.
  lines uuid[] not null,  -- In their order.
  created_at timestamptz not null default now(),
  primary key (organization_id, knowledge_base_id, file_id, number),
  foreign key (organization_id, knowledge_base_id, file_id)
    references digest_files (organization_id, knowledge_base_id, id) on delete cascade
);
call autri_meta.protect('digest_versions', rights => 'select, insert, delete');

-- A line of a file while it stood there: from one version to another.
create table digest_statements (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id uuid not null unique,
  file_id uuid not null,
  statement_id uuid not null,  -- Which statement: the same through its changes.
  -- A title, a heading, an index's entry, or what is stated.
  kind text not null check (kind in ('title', 'heading', 'entry', 'statement')),
  ordinal integer not null,  -- In the order of the file.
  text text not null,  -- '' where its source was deleted, or a person took it out.
  origin text not null check (origin in ('agent', 'user', 'system')),  -- Whose it is; a person's is kept.
  author text not null,  -- Their name, then.
  uncited boolean not null default false,  -- A person's word, that nothing here bears out.
  removed boolean not null default false,  -- A person took it out: it is not shown, and does not come back.
  instead_of text,  -- Of a person's: the hash of the statement that it stands instead of.
  first_version integer not null,  -- Of the file, in which it stands first.
  last_version integer,  -- In which it stands last; null: it stands there now.
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id, file_id)
    references digest_files (organization_id, knowledge_base_id, id) on delete cascade
);
create index digest_statements_of_file on digest_statements (file_id, ordinal);
create index digest_statements_by_statement on digest_statements (knowledge_base_id, statement_id);
call autri_meta.protect('digest_statements');

-- What a line stands on. Its source may be gone: then the line is stale.
create table digest_citations (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  line_id uuid not null,
  ordinal integer not null,  -- From 0.
  kind text not null check (kind in ('chunk', 'document', 'event', 'run')),  -- What is cited.
  source_id uuid not null,  -- Its id.
  document_id uuid,  -- Of a chunk, its document.
  content_hash text,  -- What it said, where that may change.
  cited_at timestamptz not null default now(),  -- When it was last seen to say so.
  primary key (organization_id, knowledge_base_id, line_id, ordinal),
  foreign key (organization_id, knowledge_base_id, line_id)
    references digest_statements (organization_id, knowledge_base_id, id) on delete cascade
);
create index digest_citations_by_source on digest_citations (knowledge_base_id, source_id);
create index digest_citations_by_document on digest_citations (document_id) where document_id is not null;
call autri_meta.protect('digest_citations');

-- What a topic is made of: a few sections of a document that follow each other, as they were when its files were written.
create table digest_units (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  topic_id uuid not null,  -- As in the topic's files.
  document_id uuid,  -- Null for what is no document: events, evaluation runs.
  id uuid not null,  -- Made of its document's and its first section's.
  content_hash text not null,  -- Of its chunks.
  centroid halfvec not null,  -- The mean of its chunks' vectors, of unit length.
  primary key (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id) references digests (organization_id, knowledge_base_id)
    on delete cascade,
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index digest_units_by_topic on digest_units (knowledge_base_id, topic_id);
create index digest_units_by_document on digest_units (document_id);
call autri_meta.protect('digest_units');

-- How each citation stands, whoever asks: `current`, or why not. Read with the policies of its tables.
create view digest_standing with (security_invoker = true) as
  select c.organization_id, c.knowledge_base_id, c.line_id, c.ordinal, c.kind, c.source_id, c.document_id,
    case c.kind
      when 'event' then case when exists (select from events e where e.id = c.source_id) then 'current' else 'deleted' end
      when 'run' then case when exists (select from eval_runs r where r.id = c.source_id) then 'current' else 'deleted' end
      else case
        when d.id is null then 'deleted'
        when not d.is_current then 'superseded'
        when not exists (select from answering_documents a where a.id = d.id) then 'rejected'
        when c.kind = 'document' then 'current'
        when k.id is null or k.content_hash <> c.content_hash then 'changed'
        when exists (select from rejected_chunks r where r.chunk_id = k.id) then 'rejected'
        when exists (
          select from documents v
            join notes n on n.corrects_document_id = v.id
            join answering_documents a on a.id = n.document_id and a.is_current
          where v.logical_document_id = d.logical_document_id
            and (n.corrects_chunk_id = k.id or n.corrects_hash = k.content_hash
              or (n.corrects_chunk_id is null and n.created_at > c.cited_at)))
          then 'corrected'
        else 'current' end
    end as standing
  from digest_citations c
    left join documents d on d.id = c.document_id
    left join chunks k on c.kind = 'chunk' and k.id = c.source_id;
grant select on digest_standing to autri_app;

-- What files say from documents or events that are deleted goes with these, in the same transaction, out of every
-- version; their places stay until the next update. What a person wrote stays theirs, as a note does.
create function forget_lines(p_lines uuid[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  line record;
  prefix text;
begin
  for line in
    select s.id, s.file_id, s.kind, s.text, s.last_version from public.digest_statements s
    where s.id = any (p_lines) and s.origin <> 'user' and s.text <> '' order by s.file_id, s.id
  loop
    prefix := case line.kind when 'title' then '# ' when 'heading' then '## ' when 'statement' then '- ' else '' end;
    update public.digest_statements set text = '' where id = line.id;
    update public.digest_files f
    set content = substr(replace(E'\n' || f.content, E'\n' || prefix || line.text, E'\n–'), 2),
      title = case when line.kind = 'title' then '–' else f.title end,
      path = case when line.kind <> 'title' then f.path
        else regexp_replace(f.path, '[^/]*$', '') || f.id || '.md' end
    where f.id = line.file_id and line.last_version is null;
  end loop;
end $$;
revoke all on function forget_lines(uuid[]) from public;
grant execute on function forget_lines(uuid[]) to autri_app;

create function forget_lines_of_documents() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform public.forget_lines(array(
    select c.line_id from public.digest_citations c where c.document_id in (select g.id from gone g)));
  return null;
end $$;
revoke all on function forget_lines_of_documents() from public;
grant execute on function forget_lines_of_documents() to autri_app;
create trigger forget_lines_of_documents after delete on documents
  referencing old table as gone for each statement execute function forget_lines_of_documents();

create function forget_lines_of_events() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform public.forget_lines(array(
    select c.line_id from public.digest_citations c where c.source_id in (select g.id from gone g)));
  return null;
end $$;
revoke all on function forget_lines_of_events() from public;
grant execute on function forget_lines_of_events() to autri_app;
create trigger forget_lines_of_events after delete on events
  referencing old table as gone for each statement execute function forget_lines_of_events();
