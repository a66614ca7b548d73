-- How many rows a knowledge base or an organization has, and the certificate of their deletion.

-- name: count_rows
select count(*) as rows from {table} where {condition}

-- Uploads whose password may still be stored.

-- name: open_uploads
select id from ingestions
where status in ('waiting', 'queued', 'running') and (%(base)s::uuid is null or knowledge_base_id = %(base)s)

-- name: erase_organization
select erase_organization(%(slug)s) as done

-- name: add_certificate
insert into erasure_certificates (organization_id, id, kind, subject_id, certificate, sha256, ticket_hash)
values (%(organization_id)s, %(id)s, %(kind)s, %(subject_id)s, %(certificate)s, %(sha256)s, %(ticket_hash)s)

-- A deletion as a job. What it deletes is marked, and seen from then on by whoever says that it deletes.

-- name: erasing
select set_config('app.erasing', 'on', true)

-- name: shut_base
update knowledge_bases set erasing_at = now() where id = %(id)s and erasing_at is null

-- name: open_bases
update knowledge_bases set erasing_at = null where id = any (%(bases)s)

-- name: shut_organization
update organizations set erasing_at = now()
where id = (select nullif(current_setting('app.organization_id', true), '')::uuid) and erasing_at is null

-- name: shut_bases
update knowledge_bases set erasing_at = now() where erasing_at is null

-- name: add_erasure
insert into erasures (organization_id, id, kind, subject_id, request, ticket_hash, documents, chunks)
values (%(organization_id)s, %(id)s, %(kind)s, %(subject_id)s, %(request)s, %(ticket_hash)s, %(documents)s, %(chunks)s)

-- name: hold_erasure
select * from erasures where id = %(id)s for update skip locked

-- name: free_slugs
update knowledge_bases set slug = id::text where id = any (%(bases)s)

-- name: end_runs
update ingestions set status = 'failed', error = 'The knowledge base was deleted.', finished_at = now()
where knowledge_base_id = any (%(bases)s) and status in ('waiting', 'queued', 'running')

-- name: note_before
update erasures set before = %(before)s, passwords = %(passwords)s, touched_at = now() where id = %(id)s

-- name: note_deleted
update erasures
set objects_deleted = objects_deleted + %(objects)s, documents_deleted = documents_deleted + %(count)s,
  touched_at = now()
where id = %(id)s

-- As many documents as have so many chunks together, but at least one.

-- name: remove_documents
delete from documents where id in (
  select id from (
    select id, sum(chunk_count) over (order by id) - chunk_count as before from (
      select id, chunk_count from documents where knowledge_base_id = any (%(bases)s) order by id limit %(limit)s
    ) first
  ) counted where before < %(chunks)s
)

-- name: remove_some_traces
delete from retrieval_log where id in (
  select id from retrieval_log where knowledge_base_ids && %(bases)s limit %(traces)s
)

-- name: remove_erasure
delete from erasures where id = %(id)s

-- name: list_erasures
select * from erasures where %(before)s::uuid is null or id < %(before)s order by id desc limit %(limit)s

-- name: list_certificates
select certificate from erasure_certificates
where %(before)s::uuid is null or id < %(before)s order by id desc limit %(limit)s

-- name: erasure_of
select erasure, certificate from erasure_of(%(id)s, %(ticket_hash)s)

-- As the owner: deletions that nobody is at.

-- name: open_erasures
select organization_id, id, kind from erasures where touched_at <= now() - make_interval(secs => %(idle_s)s) order by id
