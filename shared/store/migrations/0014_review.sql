-- People look at what was read: a document is approved or rejected as a whole, a flagged passage or a doubtful page is
-- accepted, corrected or rejected. docs/decisions/0056-review.md

-- What people decided about the document: `rejected` answers nothing.
alter table documents add column review text not null default 'unreviewed'
  check (review in ('unreviewed', 'approved', 'rejected'));
alter table documents add column reviewed_by_id uuid;  -- Who decided it.
alter table documents add column reviewed_by text;  -- Their name, then.
alter table documents add column reviewed_at timestamptz;  -- When it was decided.
alter table documents add column review_note text;  -- Why, in their words.

-- Only documents that somebody approved answer.
alter table knowledge_bases add column approved_only boolean not null default false;
create index knowledge_bases_approved_only on knowledge_bases (organization_id) where approved_only;

-- What people decided about a passage or a page. It belongs to the text at its place: another run that finds both again
-- keeps it.
create table reviews (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  id uuid not null unique,
  decision_id uuid not null,  -- What was decided at once is taken back at once; of a correction its edit.
  page integer not null,  -- The page, or the first one of the passage; 0 where the format has none.
  chunk_id uuid,  -- The passage, which may be gone; null: the page itself.
  -- `rejected` is left out of retrieval.
  verdict text not null check (verdict in ('accepted', 'corrected', 'rejected')),
  flags text[] not null default '{}',  -- Those that were looked at: one that is added later is looked at again.
  place jsonb not null default '[]',  -- The passage's boxes without their coordinates.
  excerpt text not null default '',  -- The beginning of its text, for when it is gone.
  note text,  -- Why, in words of whoever decided.
  author_id uuid,  -- Who decided.
  author text not null,  -- Their name, then.
  created_at timestamptz not null default now(),
  stale text,  -- Why it does not fit what the latest run found; then it counts no more.
  primary key (organization_id, knowledge_base_id, document_id, id),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create unique index reviews_of_chunks on reviews (document_id, chunk_id) where chunk_id is not null;
create unique index reviews_of_pages on reviews (document_id, page) where chunk_id is null;
create index reviews_by_decision on reviews (knowledge_base_id, decision_id);
create index reviews_rejecting on reviews (knowledge_base_id, chunk_id)
  where verdict = 'rejected' and stale is null and chunk_id is not null;
call autri_meta.protect('reviews');

-- What is left to review is listed without reading every chunk.
create index chunks_flagged on chunks (knowledge_base_id, confidence, document_id, id) where cardinality(flags) > 0;

-- The documents that retrieval may show, in whichever version is asked for: published, not rejected, and approved where
-- their knowledge base asks for that. Whoever reads the view is bound by the policies of its tables.
create view answering_documents with (security_invoker = true) as
  select d.organization_id, d.knowledge_base_id, d.id, d.is_current, d.chunk_count
  from documents d
  where d.serving and d.review <> 'rejected'
    and (d.review = 'approved'
      or d.knowledge_base_id <> all (array(select k.id from knowledge_bases k where k.approved_only)));
grant select on answering_documents to autri_app;

-- The passages that retrieval leaves out.
create view rejected_chunks with (security_invoker = true) as
  select r.chunk_id from reviews r
  where r.verdict = 'rejected' and r.stale is null and r.chunk_id is not null;
grant select on rejected_chunks to autri_app;
