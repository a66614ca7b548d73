-- Links that show a notebook are seen, and taken back, by whoever may change it: not by who made them alone. What somebody
-- else than its maker writes of a link leaves it without effect.
-- docs/decisions/0115-notebooks-and-bundles.md
create policy colleagues on thread_shares to autri_app
  using (exists (select from notebooks n where n.id = notebook_id))
  with check (exists (select from notebooks n where n.id = notebook_id and revoked_at is not null));
