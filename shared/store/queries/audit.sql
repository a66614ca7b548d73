-- The audit log: entries are added and read, never changed.

-- name: add_entry
insert into audit_log
  (organization_id, id, user_id, key_id, act, subject_type, subject_id, base_id, request_id, details)
values (%(organization_id)s, %(id)s, %(user_id)s, %(key_id)s, %(act)s, %(subject_type)s, %(subject_id)s, %(base_id)s,
  %(request_id)s, %(details)s)
-- A sign-in that another process has noted meanwhile.
on conflict do nothing

-- name: list_entries
select l.id, l.created_at as at, l.user_id, coalesce(u.email, '') as person, l.key_id, l.act, l.subject_type,
  l.subject_id, l.base_id as knowledge_base_id, l.request_id, l.details
from audit_log l left join users u on u.id = l.user_id
where (%(before)s::uuid is null or l.id < %(before)s::uuid)
  and (%(act)s::text is null or l.act = %(act)s::text or starts_with(l.act, %(act)s::text || '.'))
  and (%(user_id)s::uuid is null or l.user_id = %(user_id)s::uuid)
  and (%(since)s::timestamptz is null or l.created_at >= %(since)s::timestamptz)
  and (%(until)s::timestamptz is null or l.created_at < %(until)s::timestamptz)
order by l.id desc limit %(limit)s

-- name: keep_audit
update organizations set audit_days = %(days)s
where id = (select nullif(current_setting('app.organization_id', true), '')::uuid)

-- name: forget_audit
select forget_audit() as forgotten
