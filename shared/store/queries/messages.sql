-- Messages of mail and their threads; files that came in other files.

-- name: remove
delete from messages where document_id = %(document_id)s

-- name: ids_of_document
select message_id, answers from messages where document_id = %(document_id)s

-- Those with one of the ids, and those that answer one of them.

-- name: thread
select m.document_id, d.name as document_name, m.ordinal, m.part, m.message_id, m.answers, m.subject, m.sender, m.sent_at
from messages m join documents d on d.id = m.document_id
where m.knowledge_base_id = %(knowledge_base_id)s
  and (m.message_id = any (%(names)s::text[]) or m.answers && %(names)s::text[])
order by m.sent_at nulls last, m.document_id, m.ordinal
limit %(limit)s

-- What came with the document's own uploads, and in the ZIP files among it; these are named before their files, and by
-- themselves as long as they are not taken apart.

-- name: attachments
with recursive brought (id, name) as (
  select u.id, u.filename from ingestions r join uploads u on u.parcel_id = r.id where r.document_id = %(document_id)s
  union all
  select u.id, b.name || '/' || coalesce(u.path, u.filename)
  from brought b join ingestions z on z.id = b.id join uploads u on u.parcel_id = z.id
  where z.document_id is null)
select b.name, u.size, m.document_id, m.status, m.error
from brought b join uploads u on u.id = b.id join ingestions m on m.id = b.id
where m.document_id is not null or not exists (select from uploads f where f.parcel_id = m.id)
order by u.id

-- name: attached_to
with recursive way (parcel_id) as (
  select u.parcel_id from ingestions m join uploads u on u.id = m.id where m.document_id = %(document_id)s
  union
  select u.parcel_id from way w join ingestions z on z.id = w.parcel_id join uploads u on u.id = z.id
  where z.document_id is null)
select distinct d.id, d.name
from way w join ingestions p on p.id = w.parcel_id join documents d on d.id = p.document_id
order by d.name, d.id

-- What came with the document, and in the ZIP files among it, with the documents that it became.

-- name: brought
with recursive brought (id, document_id) as (
  select m.id, m.document_id
  from ingestions r join uploads u on u.parcel_id = r.id join ingestions m on m.id = u.id
  where r.document_id = %(document_id)s
  union
  select m.id, m.document_id
  from brought b join uploads u on u.parcel_id = b.id join ingestions m on m.id = u.id
  where b.document_id is null)
select id, document_id from brought

-- Of documents that came with this one those that came in no other way. A ZIP file that came by itself is another
-- way; a message that is gone is none.

-- name: attachments_alone
with recursive way (document_id, parcel_id) as (
  select o.document_id, v.parcel_id from ingestions o join uploads v on v.id = o.id
  where o.document_id <> %(document_id)s and o.document_id = any (%(document_ids)s::uuid[])
  union
  select w.document_id, v.parcel_id
  from way w join ingestions z on z.id = w.parcel_id join uploads v on v.id = z.id
  where z.document_id is null)
select w.document_id as id from way w left join ingestions p on p.id = w.parcel_id
group by w.document_id
having not bool_or(w.parcel_id is null or p.document_id <> %(document_id)s)
order by 1

-- What is kept stays as if it had been sent by itself.

-- name: keep_attachments
update uploads set parcel_id = null where id = any (%(ids)s::uuid[])

-- Files that were taken out and not registered yet, and ZIP files that are taken apart.

-- name: forget_waiting
with gone as (
  delete from ingestions m
  where m.id = any (%(ids)s::uuid[]) and m.document_id is null and m.status not in ('refused', 'failed')
  returning m.id)
delete from uploads where id in (select id from gone) returning id
