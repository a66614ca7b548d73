-- How people come to belong to an organization without an invitation, and that each sign-in is noted once.

-- Any number of processes sees the first request of a sign-in.
create unique index audit_log_sign_ins on audit_log (organization_id, (details ->> 'sign_in'))
  where act = 'sign_in.succeed';
