-- How often a link was opened, and when last: whoever gives one away sees whether it is used.
-- docs/decisions/0115-notebooks-and-bundles.md
alter table thread_shares add column opened integer not null default 0;  -- How often what it shows was read.
alter table thread_shares add column opened_at timestamptz;  -- When last.
grant update (opened, opened_at) on thread_shares to autri_app;
