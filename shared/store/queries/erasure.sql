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
insert into erasure_certificates (organization_id, id, kind, subject_id, certificate, sha256)
values (%(organization_id)s, %(id)s, %(kind)s, %(subject_id)s, %(certificate)s, %(sha256)s)
