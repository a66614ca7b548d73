-- A version of a summary that says an older one again.
-- docs/decisions/0120-summaries-of-groups-and-their-history.md
alter table summary_versions
  drop constraint summary_versions_reason_check,
  add constraint summary_versions_reason_check check (reason in ('made', 'rebuilt', 'edited', 'restored'));
alter table summary_versions add column restored integer;  -- The version that it says again.
