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

-- What came with the document's own uploads.

-- name: attachments
select u.filename as name, u.size, m.document_id, m.status, m.error
from ingestions r join uploads u on u.parcel_id = r.id join ingestions m on m.id = u.id
where r.document_id = %(document_id)s
order by u.id

-- name: attached_to
select distinct p.document_id as id, d.name
from ingestions m join uploads u on u.id = m.id join ingestions p on p.id = u.parcel_id
  join documents d on d.id = p.document_id
where m.document_id = %(document_id)s
order by d.name, p.document_id

-- Documents that came with this one, and in no other way. A parcel that is no document is another way; a message that is
-- gone is none.

-- name: attachments_alone
select distinct m.document_id as id
from ingestions r join uploads u on u.parcel_id = r.id join ingestions m on m.id = u.id
where r.document_id = %(document_id)s and m.document_id <> %(document_id)s
  and not exists (
    select from ingestions o join uploads v on v.id = o.id left join ingestions p on p.id = v.parcel_id
    where o.document_id = m.document_id
      and (v.parcel_id is null or p.id is not null and p.document_id is distinct from %(document_id)s))
order by 1

-- What is kept stays as if it had been sent by itself.

-- name: keep_attachments
update uploads u set parcel_id = null
from ingestions r, ingestions m where m.id = u.id and u.parcel_id = r.id and r.document_id = %(document_id)s

-- Files that were taken out and not registered yet.

-- name: forget_waiting
with gone as (
  delete from ingestions m using uploads u, ingestions r
  where u.id = m.id and u.parcel_id = r.id and r.document_id = %(document_id)s and m.document_id is null
    and m.status in ('waiting', 'queued')
  returning m.id)
delete from uploads where id in (select id from gone) returning id
