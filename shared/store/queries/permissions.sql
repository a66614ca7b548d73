-- Who sees a restricted knowledge base.

-- name: is_restricted
select restricted from knowledge_bases where id = %(base)s

-- name: restrict
update knowledge_bases set restricted = %(restricted)s where id = %(base)s

-- name: list_permitted
select u.id, u.email, u.name, u.role, m.may_write
from base_members m join users u on u.id = m.user_id where m.base_id = %(base)s order by u.email

-- name: permit
insert into base_members (organization_id, base_id, user_id, may_write)
select organization_id, %(base)s, id, %(may_write)s from users where id = %(user_id)s
on conflict (base_id, user_id) do update set may_write = excluded.may_write

-- name: forbid_all
delete from base_members where base_id = %(base)s

-- name: narrow_to_writable
with own as (
  select b.id,
    not b.restricted
    or exists (select from base_members m where m.base_id = b.id and m.may_write
      and m.user_id = (select nullif(current_setting('app.user_id', true), '')::uuid))
    or exists (select from users u where u.role in ('owner', 'admin')
      and u.id = (select nullif(current_setting('app.user_id', true), '')::uuid))
    or current_setting('app.user_id', true) = current_setting('app.key_id', true) as writable
  from knowledge_bases b where b.id = any (coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[]))
select
  set_config('app.kb_ids', (select coalesce(array_agg(id order by id desc) filter (where writable), '{}')::text from own),
    true),
  set_config('app.read_only_ids', (select coalesce(array_agg(id) filter (where not writable), '{}')::text from own), true)

-- name: read_only
select coalesce(nullif(current_setting('app.read_only_ids', true), ''), '{}')::uuid[] as ids

-- name: widen_to_readable
select set_config('app.kb_ids',
  (coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[]
    || coalesce(nullif(current_setting('app.read_only_ids', true), ''), '{}')::uuid[])::text, true)
where coalesce(nullif(current_setting('app.read_only_ids', true), ''), '{}') <> '{}'
