-- Webhooks, and what they are told.

-- name: add_webhook
insert into webhooks (organization_id, knowledge_base_id, id, url, events, secret, created_by)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(url)s, %(events)s, %(secret)s, %(created_by)s)

-- name: list_webhooks
select w.id, w.knowledge_base_id, w.url, w.events, w.created_at, w.delivered_at, w.failing_since, w.disabled_at,
  case when w.former_until > now() then w.former_until end as former_secret_until,
  (select count(*) from webhook_deliveries d where d.webhook_id = w.id and d.due_at is not null) as waiting
from webhooks w
where (%(knowledge_base_id)s::uuid is null or w.knowledge_base_id = %(knowledge_base_id)s)
  and (%(id)s::uuid is null or w.id = %(id)s) and (%(after)s::uuid is null or w.id > %(after)s)
order by w.id
limit %(limit)s

-- name: count_webhooks
select webhooks_held() as held,
  (select count(*) from webhooks where knowledge_base_id = %(knowledge_base_id)s) as here

-- name: remove_webhook
delete from webhooks where id = %(id)s

-- The secret before the one that is replaced signs no more: two at most are in force.

-- name: rotate_secret
update webhooks set former_secret = case when %(until)s::timestamptz is not null then secret end,
  former_until = %(until)s, secret = %(secret)s
where id = %(id)s

-- name: enable_webhook
update webhooks set disabled_at = null, failing_since = null where id = %(id)s

-- name: add_delivery
insert into webhook_deliveries (organization_id, knowledge_base_id, webhook_id, id, event, body)
select organization_id, knowledge_base_id, id, %(delivery_id)s, %(event)s, %(body)s from webhooks where id = %(id)s

-- name: list_deliveries
select d.id, d.webhook_id, d.event, d.attempts, d.created_at, d.attempted_at, d.delivered_at, d.due_at, d.status, d.error,
  case when d.due_at is not null then 'waiting' when d.delivered_at is not null then 'delivered' else 'failed' end as state
from webhook_deliveries d
where d.webhook_id = %(webhook_id)s and (%(id)s::uuid is null or d.id = %(id)s)
  and (%(before)s::uuid is null
    or (d.created_at, d.id) < (select b.created_at, b.id from webhook_deliveries b where b.id = %(before)s))
order by d.created_at desc, d.id desc
limit %(limit)s

-- It is sent once more under its id, and has all its attempts before it.

-- name: send_again
update webhook_deliveries set due_at = now(), attempts = 0, lease_until = null, delivered_at = null,
  error = null
where id = %(id)s

-- name: due_webhooks
select organization_id, knowledge_base_id, webhook_id from due_webhooks(%(now)s, %(most)s)

-- name: next_webhook_due
select next_webhook_due() as due_at

-- name: is_due_here
select exists (select from webhook_deliveries where knowledge_base_id = %(knowledge_base_id)s and due_at <= now()) as due

-- name: lease_delivery
with found as (
  select d.id from webhook_deliveries d
  where d.webhook_id = %(webhook_id)s and d.due_at <= %(now)s and (d.lease_until is null or d.lease_until <= %(now)s)
  order by d.due_at, d.created_at limit 1
  for update skip locked)
update webhook_deliveries d set attempts = d.attempts + 1, attempted_at = %(now)s,
  lease_until = %(now)s + make_interval(secs => %(lease)s)
from found f, webhooks w
where d.id = f.id and w.id = d.webhook_id and w.disabled_at is null
returning d.id, d.attempts, d.body, w.url, w.secret,
  case when w.former_until > %(now)s then w.former_secret end as former_secret

-- Of two that tried the same, as one was silent for too long, the second has its say.

-- name: delivered
with arrived as (
  update webhook_deliveries set delivered_at = %(now)s, due_at = null, lease_until = null, status = %(status)s, error = null
  where id = %(id)s and attempts = %(attempts)s
  returning webhook_id)
update webhooks set delivered_at = %(now)s, failing_since = null where id in (select webhook_id from arrived)

-- name: not_delivered
with failed as (
  update webhook_deliveries set due_at = %(due_at)s, lease_until = null, status = %(status)s, error = %(error)s
  where id = %(id)s and attempts = %(attempts)s
  returning webhook_id)
update webhooks set failing_since = coalesce(failing_since, %(now)s) where id in (select webhook_id from failed)
returning failing_since

-- What waits for a receiver that has just failed waits for a while as well, and leaves the turn to others.

-- name: hold_back
update webhook_deliveries set due_at = greatest(due_at, %(until)s) where webhook_id = %(webhook_id)s and due_at is not null

-- name: disable_webhook
update webhooks set disabled_at = %(now)s where id = %(id)s and disabled_at is null returning url

-- name: give_up
update webhook_deliveries set due_at = null, error = coalesce(error, %(error)s)
where webhook_id = %(id)s and due_at is not null

-- name: forget_deliveries
delete from webhook_deliveries where due_at is null and created_at < now() - make_interval(days => %(days)s)
