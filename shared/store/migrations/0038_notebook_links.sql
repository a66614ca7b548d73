-- Links that show a notebook are seen, and taken back, by whoever may change it: not by who made them alone.
-- docs/decisions/0115-notebooks-and-bundles.md
create policy colleagues on thread_shares for select to autri_app
  using (notebook_id in (select n.id from notebooks n));
create policy colleagues_revoke on thread_shares for update to autri_app
  using (notebook_id in (select n.id from notebooks n));
