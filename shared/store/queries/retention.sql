-- Deletes rows that are kept for a limited time.

-- name: abandoned_uploads
select id, source_key from ingestions
where status = 'waiting' and created_at < now() - make_interval(secs => %(seconds)s)
order by created_at, id
limit %(limit)s
for update skip locked

-- name: remove_ingestions
delete from ingestions where id = any (%(ids)s) and status = 'waiting'

-- name: remove_uploads
delete from uploads where id = any (%(ids)s)
